import unittest

from fixture import LintCase
import sizes


def body(lines):
    return "  x();\n" * lines


class size_limits(LintCase):
    lint = sizes

    def test_what_keeps_to_the_limits_is_clean(self):
        self.assert_clean({
            "src/queue/a.cpp": "void f() {\n" + body(68) + "}\n" + "int x;\n" * 730,
            "tests/unit/a_test.cpp": "TEST(a, b) {\n" + body(98) + "}\n" + "int x;\n" * 900,
            "src/runtime/worker.cpp": "int x;\n" * 400,
        })

    def test_a_long_file_is_found(self):
        self.assert_finds({"src/queue/a.cpp": "int x;\n" * 801}, ("src/queue/a.cpp:801", "801 lines; the limit is 800"))
        self.assert_finds({"tests/a.cpp": "int x;\n" * 1001}, ("tests/a.cpp:1001", "the limit is 1000"))

    def test_the_worker_loop_has_a_limit_of_its_own(self):
        self.assert_finds({"src/runtime/worker.cpp": "int x;\n" * 401},
                          ("src/runtime/worker.cpp:401", "the limit is 400"))

    def test_a_long_function_is_found(self):
        self.assert_finds({"src/a.cpp": "int y;\nstatic int f(int a)\n{\n" + body(68) + "}\n"},
                          ("src/a.cpp:2", "f has 71 lines; the limit is 70"))

    def test_a_long_member_function_or_template_is_found(self):
        self.assert_finds({"src/a.hpp": "struct s {\n  int ok() const { return 1; }\n  void g() const noexcept {\n"
                           + body(69) + "  }\n};\n"}, ("src/a.hpp:3", "g has 71 lines"))
        self.assert_finds({"src/a.hpp": "template <class T>\nvoid h(T) {\n" + body(69) + "}\n"},
                          ("src/a.hpp:1", "h has 72 lines"))

    def test_a_constructor_with_initializers_is_measured(self):
        self.assert_finds({"src/a.hpp": "struct s {\n  s(int a) : a_{a}, b_(a) {\n" + body(69) + "  }\n};\n"},
                          ("src/a.hpp:2", "s has 71 lines"))

    def test_a_long_class_or_namespace_is_no_function(self):
        self.assert_clean({"src/a.hpp": "namespace n {\nstruct alignas(8) s {\n" + "int x;\n" * 200 + "};\n}\n"
                           "enum class e : int {\n" + "a,\n" * 100 + "};\nint t[] = {\n" + "f(1),\n" * 100 + "};\n"})

    def test_a_long_test_is_found(self):
        self.assert_finds({"tests/a.cpp": "TEST(a, b) {\n" + body(99) + "}\n"}, ("tests/a.cpp:1", "the limit is 100"))


if __name__ == "__main__":
    unittest.main()
