import unittest

from fixture import LintCase
import calls

HEADER = "include/filch/base/a.hpp"


def header(*body):
    """Its body begins on line 4."""
    lines = ["#pragma once", "namespace filch {", "template <class T> int call(const T&) { return 1; }", *body, "}"]
    return {HEADER: "\n".join(lines) + "\n"}


class qualified_calls(LintCase):
    lint = calls

    def test_a_call_without_its_namespace_is_found(self):
        self.assert_finds(header("template <class T>", "int f(const T& t) {", "  return call(t);", "}"),
                          (f"{HEADER}:6", "`call` is called without its namespace"))

    def test_each_of_several_on_other_lines_and_in_other_headers_is_found(self):
        files = header("template <class T> int f(const T& t) { return call(t); }", "",
                       "template <class T> struct s {", "  int g(T t) {", "    auto h = [&] { return call(t) + 1; };",
                       "    return h();", "  }", "};")
        files["include/filch/base/b.hpp"] = ("#pragma once\n#include <filch/base/a.hpp>\nnamespace filch {\n"
                                             "template <class T>\nint k(T t) { return call(t); }\n}\n")
        self.assert_finds(files, (f"{HEADER}:4", "`call`"), (f"{HEADER}:8", "`call`"),
                          ("include/filch/base/b.hpp:5", "`call`"))

    def test_calls_with_template_arguments_in_initialisers_and_in_types_are_found(self):
        self.assert_finds(header("template <class U, class T> U made(T) { return {}; }",
                                 "template <class T> struct s {", "  explicit s(T t) : v{made<int>(t)} {}", "  int v;",
                                 "};", "template <class T>", "using result = decltype(call(T{}));"),
                          (f"{HEADER}:6", "`made`"), (f"{HEADER}:10", "`call`"))

    def test_the_name_of_a_type_with_a_place_in_it_does_not_shift_the_lines(self):
        self.assert_finds(header("inline auto l = [](int) { return 2; };",
                                 "template <class T> struct holds { T t; };",
                                 "inline holds<decltype(l)> h{l};", "template <class T>",
                                 "int f(T t) { return l(1) + call(t); }"), (f"{HEADER}:8", "`call`"))

    def test_qualified_calls_and_calls_of_members_and_of_objects_are_clean(self):
        self.assert_clean(header("template <class T> struct s {", "  int call(T) { return 1; }",
                                 "  int g(T t) { return call(t) + filch::call(t); }", "};",
                                 "template <class F> int f(F function) { return function(); }"))

    def test_calls_whose_arguments_are_no_users_are_clean(self):
        self.assert_clean(header("inline int f() { return call(1); }"))

    def test_what_the_language_looks_up_is_allowed(self):
        self.assert_clean(header("template <class T>",
                                 "concept free = requires(T t) { operator co_await(static_cast<T&&>(t)); };"))

    def test_a_header_that_does_not_compile_is_found(self):
        self.assert_finds(header("int f( {"), (f"{HEADER}:1", "failed with exit code 1 and said"))

    def test_a_missing_compiler_is_a_finding(self):
        program = calls.PROGRAM
        self.addCleanup(lambda: setattr(calls, "PROGRAM", program))
        calls.PROGRAM = "no-such-clang"
        self.assert_finds(header(), (f"{HEADER}:1", "1 headers were not checked, because there is no program"))

    def test_a_tree_without_headers_is_clean(self):
        self.assert_clean({"src/a.cpp": "int x;\n"})


if __name__ == "__main__":
    unittest.main()
