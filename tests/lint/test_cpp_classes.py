import unittest

import fixture
from cpp import Source
from cpp_classes import classes_of


def read(text):
    return {found.name: (found.functions, found.data) for found in classes_of(Source("a.hpp", text))}


class members(unittest.TestCase):
    def expect(self, body, functions=(), data=(), name="c"):
        self.assertEqual((list(functions), list(data)), read(f"class {name} {{\n{body}\n}};")[name], body)

    def test_functions_are_counted_by_overload(self):
        self.expect("void f();\nint f(int) const noexcept { return 1; }\nstatic auto g() -> int;\n", ["f", "f", "g"])
        self.expect("template <class F, class = int> requires (sizeof(F) > 1) void f(F&&) {}\n", ["f"])
        self.expect("[[nodiscard]] std::vector<std::pair<int, int>> f(int a = g(1), int b = {});", ["f"])
        self.expect("virtual void f() = 0;\nvoid g() override;\n", ["f", "g"])

    def test_operators_are_functions(self):
        self.expect("bool operator==(const c&) const;\nvoid operator()(int) {}\nexplicit operator bool() const;\n"
                    "c& operator=(int);\nint operator<(int);", ["operator==", "operator()", "operatorbool", "operator=",
                                                               "operator<"])

    def test_constructors_and_what_is_replaced_are_not_counted(self):
        self.expect("c();\nexplicit c(int a) : a_{a}, b_(a) { f(); }\n~c();\nc(const c&) = delete;\n"
                    "c& operator=(const c&) = delete;\nbool operator==(const c&) const = default;\n"
                    "template <class T> c(T&& t) : c{t} {}\nint a_, b_;", [], ["a_", "b_"])

    def test_variables_of_all_forms(self):
        self.expect("int a_ = f(1);\nint b_{g()}, *c_ = nullptr;\nstatic constexpr int k = 3;\nunsigned d_ : 3;\n"
                    "std::map<int, std::function<void(int)>> e_;\nalignas(64) std::atomic<int> f_{0};\n"
                    "void (*g_)(int) = nullptr;\nstruct node* h_;\nint i_[3] = {1, 2, 3};\n",
                    [], ["a_", "b_", "c_", "k", "d_", "e_", "f_", "g_", "h_", "i_"])

    def test_what_is_no_member(self):
        self.expect("public:\nusing a = int;\nfriend class d;\nfriend void f() {}\nstatic_assert(sizeof(int) == 4);\n"
                    "class e;\nenum class g { x, y };\ntypedef int h;\nusing base::base;\n")

    def test_a_nested_type_is_a_class_of_its_own(self):
        found = read("class c {\n struct inner { int a, b; void f() {} };\n struct { int x; } y_;\n inner z_;\n};")
        self.assertEqual((["f"], ["a", "b"]), found["c::inner"])
        self.assertEqual(([], ["x"]), found["c::(unnamed)"])
        self.assertEqual(([], ["y_", "z_"]), found["c"])

    def test_what_a_function_declares_is_no_member(self):
        found = read("struct c {\n void f() { struct local { int x; }; int y; g(); }\n};")
        self.assertEqual((["f"], []), found["c"])
        self.assertEqual(([], ["x"]), found["c::(function)::local"])


class heads(unittest.TestCase):
    def test_what_stands_before_a_body(self):
        for head in ("class c final : public std::vector<int>, private d<1> {", "class alignas(k_bytes) c {",
                     "class [[nodiscard]] c {", "template <class T, template <class> class U> class c : U<T> {",
                     "template <> class c<int> {", "class outer::c {", "struct c : decltype(f()) {"):
            self.assertIn("c", read(head + " int x_; };"), head)

    def test_what_is_no_class(self):
        for text in ("enum class c { a };", "class c;", "template <class c> void f();", "void f(struct c* x) {}",
                     "friend class c;", "using d = struct c;"):
            self.assertEqual({}, read(text), text)


if __name__ == "__main__":
    unittest.main()
