import unittest

from fixture import LintCase
import headers

GOOD = {"include/filch/base/a.hpp": "#pragma once\n", "include/filch/filch.hpp": "#pragma once\n"}


class headers_alone(LintCase):
    lint = headers

    def check_list(self, lines):
        return str(self.tree({"list": "\n".join(lines) + "\n"}).root / "list")

    def test_a_list_that_equals_the_tree_is_clean(self):
        self.assert_clean(GOOD, generated=self.check_list(["filch/base/a.hpp", "filch/filch.hpp"]))

    def test_a_header_that_is_not_compiled_is_found(self):
        self.assert_finds(GOOD, ("include/filch/base/a.hpp:1", "does not compile this header"),
                          generated=self.check_list(["filch/filch.hpp"]))

    def test_a_header_that_is_gone_is_found(self):
        self.assert_finds(GOOD, ("include/filch/b.hpp:1", "a header that is gone"),
                          generated=self.check_list(["filch/base/a.hpp", "filch/filch.hpp", "filch/b.hpp"]))

    def test_a_header_without_pragma_once_is_found(self):
        self.assert_finds({"include/filch/base/a.hpp": "int x;\n"}, ("include/filch/base/a.hpp:1", "#pragma once"))


if __name__ == "__main__":
    unittest.main()
