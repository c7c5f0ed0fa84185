import unittest

from fixture import LintCase
import modules

WORKER = "#pragma once\nstruct job;\nclass alignas(64) worker final : public base {\n  void run();\n};\n"


def including(*names):
    quoted = {False: '#include "{}"\n', True: "#include <{}>\n"}
    return "#pragma once\n" + "".join(quoted[name.startswith("filch/")].format(name) for name in names)


def circle(*names, layer="park"):
    """A header per name, each of which includes the next one."""
    return {f"src/{layer}/{name}.hpp": including(f"{layer}/{after}.hpp")
            for name, after in zip(names, [*names[1:], names[0]])}


class what_a_module_is(LintCase):
    lint = modules

    def modules(self, files):
        return modules.load(self.tree(files))

    def files_of(self, files, name):
        return self.modules(files)[name].files

    def test_a_header_and_its_source_are_one(self):
        files = {"include/filch/park/a.hpp": "", "src/park/a.cpp": ""}
        self.assertEqual(sorted(files), self.files_of(files, "park/a"))

    def test_a_source_belongs_to_a_header_in_detail(self):
        files = {"include/filch/park/detail/a.hpp": "", "src/park/a.cpp": ""}
        self.assertEqual(sorted(files), self.files_of(files, "park/detail/a"))

    def test_a_source_that_defines_members_belongs_to_the_class(self):
        for code in ("void worker::run() {}\n", "worker::worker() {}\n", "worker::~worker() {}\n",
                     "inline namespace n {\nconst int* worker::operator+(int) const { return 0; }\n}\n"):
            files = {"src/runtime/worker.hpp": WORKER, "src/runtime/worker_idle.cpp": code}
            self.assertEqual(sorted(files), self.files_of(files, "runtime/worker"))

    def test_a_source_that_only_calls_it_is_a_module_of_its_own(self):
        for code in ("", "void f() { worker::run(); }\n", "const int x = worker::run();\n", "void other::run() {}\n"):
            files = {"src/runtime/worker.hpp": WORKER, "src/runtime/worker_idle.cpp": code}
            self.assertEqual(["src/runtime/worker_idle.cpp"], self.files_of(files, "runtime/worker_idle"))

    def test_a_header_of_its_own_makes_a_module(self):
        files = {"src/runtime/worker.hpp": WORKER, "src/runtime/worker_idle.hpp": "",
                 "src/runtime/worker_idle.cpp": "void worker::run() {}\n"}
        self.assertEqual(2, len(self.files_of(files, "runtime/worker_idle")))

    def test_equal_stems_of_two_layers_are_two(self):
        self.assertEqual({"park/a", "queue/a"}, set(self.modules({"src/park/a.hpp": "", "src/queue/a.cpp": ""})))

    def test_includes_of_headers_and_sources_are_arrows(self):
        found = self.modules({
            "include/filch/park/a.hpp": including("filch/park/b.hpp", "vector"), "include/filch/park/b.hpp": "",
            "src/park/a.cpp": '#include <filch/park/a.hpp>\n#include "park/c.hpp"\n#include "d.hpp"\n',
            "src/park/c.hpp": "", "src/park/d.hpp": "", "include/filch/filch.hpp": including("filch/park/a.hpp"),
        })
        self.assertEqual({"park/b": [("include/filch/park/a.hpp", 2)], "park/c": [("src/park/a.cpp", 2)],
                          "park/d": [("src/park/a.cpp", 3)]}, found["park/a"].arrows)


class circles(LintCase):
    lint = modules

    def test_one_direction_is_clean(self):
        self.assert_clean({"src/park/a.hpp": including("park/b.hpp", "park/c.hpp"),
                           "src/park/b.hpp": including("park/c.hpp"), "src/park/c.hpp": ""})

    def test_a_circle_is_found_with_a_place_to_cut(self):
        self.assert_finds(circle("a", "b", "c"), ("src/park/a.hpp:2", "3 modules know each other in a circle: "
                                                  '{"park/a", "park/b", "park/c"}; cut it, for instance at '
                                                  "park/a → park/b → park/c → park/a"))

    def test_a_circle_through_a_source_is_found(self):
        self.assert_finds({"src/park/a.hpp": "", "src/park/a.cpp": '#include "park/a.hpp"\n#include "park/b.hpp"\n',
                           "src/park/b.hpp": including("park/a.hpp")}, ("src/park/a.cpp:2", "park/a → park/b → park/a"))

    def test_a_circle_through_another_layer_is_found(self):
        self.assert_finds({"src/park/a.hpp": including("queue/b.hpp"), "src/queue/b.hpp": including("park/a.hpp")},
                          ("src/park/a.hpp:2", '{"park/a", "queue/b"}'))

    def test_circles_that_touch_are_one(self):
        files = circle("a", "b") | {"src/park/b.hpp": including("park/a.hpp", "park/c.hpp"),
                                    "src/park/c.hpp": including("park/b.hpp")}
        self.assert_finds(files, ("src/park/a.hpp:2", "3 modules"))

    def test_separate_circles_are_found_each(self):
        self.assert_finds(circle("a", "b") | circle("c", "d"), ("src/park/a.hpp:2", "2 modules"),
                          ("src/park/c.hpp:2", "2 modules"))

    def test_a_long_chain_does_not_end_the_search(self):
        names = [f"m{i:04}" for i in range(1500)]
        self.assertEqual(1500, len(modules.components({a: {b: []} for a, b in zip(names, [*names[1:], names[0]])})[0]))


class lists(LintCase):
    lint = modules

    def test_a_listed_circle_is_clean(self):
        self.assert_clean(circle("a", "b"), allowed=[({"park/a", "park/b"}, "they are one")])

    def test_a_listed_circle_needs_a_reason(self):
        self.assert_finds(circle("a", "b"), ("lint/modules.py:1", "without a reason"),
                          allowed=[({"park/a", "park/b"}, " ")])

    def test_a_circle_that_is_gone_is_found(self):
        self.assert_finds({"src/park/a.hpp": ""}, ("lint/modules.py:1", "no circle is made of exactly"),
                          allowed=[({"park/a", "park/b"}, "they are one")])

    def test_a_circle_that_has_grown_is_found(self):
        self.assert_finds(circle("a", "b", "c"), ("lint/modules.py:1", "no circle is made of exactly"),
                          ("src/park/a.hpp:2", "3 modules"), allowed=[({"park/a", "park/b"}, "they are one")])

    def test_no_more_than_four_may_be_listed(self):
        four, five = "abcd", "abcde"
        self.assert_clean(circle(*four), allowed=[({f"park/{n}" for n in four}, "they are one")])
        self.assert_finds(circle(*five), ("lint/modules.py:1", "has 5 modules; 4 are allowed"),
                          ("src/park/a.hpp:2", "a circle in the list may have 4"),
                          allowed=[({f"park/{n}" for n in five}, "they are one")])

    def test_a_knot_may_be_larger_and_must_be_exact(self):
        files = circle(*"abcde")
        self.assert_clean(files, knots=[({f"park/{n}" for n in "abcde"}, "being cut")])
        self.assert_finds(files, ("lint/modules.py:1", "no circle is made of exactly"),
                          ("src/park/a.hpp:2", "5 modules"), knots=[({f"park/{n}" for n in "abcdef"}, "being cut")])

    def test_a_small_knot_is_none(self):
        self.assert_finds(circle("a", "b"), ("lint/modules.py:1", "is no knot any more"),
                          knots=[({"park/a", "park/b"}, "being cut")])

    def test_the_lists_speak_of_the_tree_that_holds_them(self):
        entry = '    ({"sim/environment", "sim/event"}, "…"),\n'
        found = self.findings({"lint/modules.py": "ALLOWED_CYCLES = [\n" + entry + "]\n"})
        self.assertEqual(len(modules.ALLOWED_CYCLES) + len(modules.KNOTS), len(found))
        self.assertIn(2, [f.line for f in found])


if __name__ == "__main__":
    unittest.main()
