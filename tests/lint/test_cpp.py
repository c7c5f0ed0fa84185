import unittest

from fixture import LintCase  # noqa: F401: puts lint/ on the path
import cpp


class reader(unittest.TestCase):
    def test_comments_strings_and_raw_strings_are_no_code(self):
        source = cpp.Source("x", 'auto a = "// no {"; auto b = R"x(" { )x"; /* { */ char c = \'{\'; int d = 1\'000;\n')
        self.assertNotIn("{", [t.text for t in source.tokens])
        self.assertEqual(["1'000"], [t.text for t in source.tokens if t.kind == "number"])

    def test_adjacent_comment_lines_are_one_comment(self):
        source = cpp.Source("x", "// one\n// two\n\n// three\nint a;\n")
        self.assertEqual(["one two", "three"], [c.text for c in source.comments])

    def test_a_trailing_comment_continues_beneath_itself(self):
        source = cpp.Source("x", "int a;  // four\n        // five\nint b;\n")
        self.assertEqual(["four five"], [c.text for c in source.comments])

    def test_a_trailing_comment_does_not_swallow_the_comment_of_the_next_line(self):
        source = cpp.Source("x", "int a;  // four\n// five\nint b;\n")
        self.assertEqual(["four", "five"], [c.text for c in source.comments])

    def test_includes_are_listed_with_their_lines(self):
        source = cpp.Source("x", '#pragma once\n#include <a/b.hpp>\n# include "c.hpp"  // why\n// #include <no>\n')
        self.assertEqual([(2, "a/b.hpp", False), (3, "c.hpp", True)], source.includes)

    def test_a_statement_begins_at_its_first_line(self):
        source = cpp.Source("x", "void f() {\n  a();\n  if (b(\n        c)) {\n    d();\n  }\n  e();\n}\n")
        first = {t.text: t.statement.first for t in source.tokens if t.kind == "id"}
        self.assertEqual({"a": 2, "b": 3, "c": 3, "d": 5, "e": 7}, {k: first[k] for k in "abcde"})

    def test_a_for_header_is_one_statement(self):
        source = cpp.Source("x", "void f() {\n  for (a; b;\n       c) {}\n}\n")
        self.assertEqual({2}, {t.statement.first for t in source.tokens if t.text in "abc" and t.kind == "id"})

    def test_a_lambda_inside_a_call_does_not_end_the_call(self):
        source = cpp.Source("x", "void f() {\n  g([&] {\n    a();\n  },\n  b);\n  c();\n}\n")
        first = {t.text: t.statement.first for t in source.tokens if t.kind == "id"}
        self.assertEqual({"a": 3, "b": 2, "c": 6}, {k: first[k] for k in "abc"})

    def test_an_initializer_belongs_to_its_statement(self):
        source = cpp.Source("x", "void f() {\n  t x{\n    a,\n    b};\n}\n")
        first = {t.text: t.statement.first for t in source.tokens if t.kind == "id"}
        self.assertEqual({"a": 2, "b": 2}, {k: first[k] for k in "ab"})


if __name__ == "__main__":
    unittest.main()
