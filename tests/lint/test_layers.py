import unittest

from fixture import LintCase
import layers

PRAGMA = "#pragma once\n"


def header(*includes):
    return PRAGMA + "".join(f"#include <{name}>\n" for name in includes)


class layer_arrows(LintCase):
    lint = layers

    def test_arrows_from_right_to_left_are_allowed(self):
        self.assert_clean({
            "include/filch/queue/a.hpp": header("filch/base/ids.hpp", "filch/queue/b.hpp", "vector"),
            "include/filch/dist/a.hpp": header("filch/base/ids.hpp", "filch/algo/a.hpp", "filch/coro/a.hpp"),
            "include/filch/sim/a.hpp": header("filch/trace/a.hpp", "filch/policy/a.hpp"),
            "src/runtime/worker.cpp": '#include "worker.hpp"\n#include "park/private.hpp"\n'
                                      "#include <filch/park/a.hpp>\n",
            "include/filch/filch.hpp": header("filch/dist/a.hpp", "filch/sim/a.hpp"),
            "tools/filch/main.cpp": "#include <filch/filch.hpp>\n",
        })

    def test_an_arrow_to_the_right_is_an_error(self):
        self.assert_finds({"src/queue/a.cpp": "#include <filch/park/a.hpp>\n"},
                          ("src/queue/a.cpp:1", "queue must not include park"))

    def test_layers_side_by_side_do_not_include_each_other(self):
        for one, other in [("topology", "policy"), ("trace", "queue"), ("fork", "coro"), ("io", "time")]:
            self.assert_finds({f"include/filch/{one}/a.hpp": header(f"filch/{other}/a.hpp")},
                              (f"include/filch/{one}/a.hpp:2", f"{one} must not include {other}"))

    def test_sim_and_runtime_do_not_include_each_other(self):
        self.assert_finds({"include/filch/sim/a.hpp": header("filch/runtime/a.hpp"),
                           "src/runtime/a.cpp": "#include <filch/sim/a.hpp>\n"},
                          ("include/filch/sim/a.hpp:2", "sim must not include runtime"),
                          ("src/runtime/a.cpp:1", "runtime must not include sim"))

    def test_a_private_header_of_another_layer_counts(self):
        self.assert_finds({"src/base/a.cpp": '#include "runtime/worker.hpp"\n'},
                          ("src/base/a.cpp:1", "base must not include runtime"))

    def test_no_layer_includes_the_umbrella(self):
        self.assert_finds({"src/algo/a.cpp": "#include <filch/filch.hpp>\n"},
                          ("src/algo/a.cpp:1", "umbrella"))

    def test_a_folder_that_is_no_layer_is_an_error(self):
        self.assert_finds({"src/util/a.cpp": "", "include/filch/a.hpp": PRAGMA},
                          ("include/filch/a.hpp:1", "lies in no layer"), ("src/util/a.cpp:1", "util is not a layer"))

    def test_an_include_of_an_unknown_layer_is_an_error(self):
        self.assert_finds({"src/base/a.cpp": "#include <filch/util/a.hpp>\n"},
                          ("src/base/a.cpp:1", "util is not a layer"))

    def test_detail_headers_belong_to_their_layer(self):
        self.assert_finds({"src/park/a.cpp": "#include <filch/queue/detail/a.hpp>\n"},
                          ("src/park/a.cpp:1", "detail header of queue"))

    def test_an_include_must_not_climb(self):
        self.assert_finds({"src/park/a.cpp": '#include "../runtime/a.hpp"\n'}, ("src/park/a.cpp:1", "climbs"))


class policy_purity(LintCase):
    lint = layers
    path = "include/filch/policy/a.hpp"

    def test_a_pure_policy_is_clean(self):
        self.assert_clean({self.path: header("filch/base/random.hpp", "span")
                           + "// no atomic, no new clock\nstruct p { p(const p&) = delete; };\n"})

    def test_what_a_policy_must_not_include(self):
        for name in ("atomic", "thread", "chrono", "random", "filch/base/atomics.hpp"):
            self.assert_finds({self.path: header(name)}, (f"{self.path}:2", f"must not include <{name}>"))

    def test_what_a_policy_must_not_mention(self):
        for code in ("std::atomic<int> x;", "thread_local int x;", "auto* x = new int;", "void* p = malloc(1);",
                     "std::uniform_int_distribution<int> d(0, 1);", "auto t = monotonic_now_ns();",
                     "std::thread t;", "x.load(std::memory_order_relaxed);"):
            self.assert_finds({self.path: PRAGMA + code + "\n"}, (f"{self.path}:2", "policy must not mention"))


class kernels_and_sanitizers(LintCase):
    lint = layers
    path = "include/filch/queue/k.hpp"

    def test_a_kernel_includes_base_and_its_short_list(self):
        self.assert_clean({self.path: "// A deque.\n// kernel: runs under the checker\n"
                           + header("filch/base/atomics.hpp", "bit", "optional")})

    def test_a_kernel_includes_other_kernels(self):
        self.assert_clean({self.path: "// kernel: runs under the checker\n" + header("filch/queue/other.hpp"),
                           "include/filch/queue/other.hpp": "// kernel: too\n" + header("cstdint")})
        self.assert_finds({self.path: "// kernel: runs under the checker\n" + header("filch/queue/other.hpp"),
                           "include/filch/queue/other.hpp": header("cstdint")},
                          (f"{self.path}:3", "a kernel must not include <filch/queue/other.hpp>"))

    def test_a_kernel_of_src_includes_kernels_beside_it(self):
        own, beside = "src/queue/k.hpp", "src/queue/beside.hpp"
        for name in ("beside.hpp", "queue/beside.hpp"):
            text = f'// kernel: runs under the checker\n#include "{name}"\n'
            self.assert_clean({own: text, beside: "// kernel: too\n" + header("cstdint")})
            self.assert_finds({own: text, beside: header("cstdint")},
                              (f"{own}:2", f"a kernel must not include <{name}>"))

    def test_a_kernel_includes_nothing_else(self):
        self.assert_finds({self.path: "// kernel: runs under the checker\n" + header("vector")},
                          (f"{self.path}:3", "a kernel must not include <vector>"))

    def test_the_mark_counts_only_in_the_head(self):
        self.assert_clean({self.path: header("vector") + "int x;\n// kernel: of truth\n"})

    def test_a_sanitizer_is_never_silenced(self):
        for path, line in [("src/queue/a.cpp", "[[gnu::no_" + "sanitize(\"thread\")]] void f();"),
                           ("tests/tsan.env", "TSAN_OPTIONS=suppressions" + "=file"),
                           ("CMakePresets.json", "\"suppressions" + "=x\""),
                           ("cmake/a.cmake", "-fno-sanitize" + "=thread"),
                           ("tests/tsan.supp", "race:f")]:
            self.assert_finds({path: line + "\n"}, (f"{path}:1", "never silenced"))


if __name__ == "__main__":
    unittest.main()
