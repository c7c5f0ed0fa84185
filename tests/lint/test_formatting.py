import unittest
from unittest import mock

from fixture import LintCase
import formatting

STYLE = "BasedOnStyle: Google\nColumnLimit: 120\n"
GOOD = "int main() { return 0; }\n"


class format_of_cpp(LintCase):
    lint = formatting

    def test_formatted_files_are_clean(self):
        self.assert_clean({".clang-format": STYLE, "src/a.cpp": GOOD, "include/a.hpp": "#pragma once\nint f(int x);\n",
                           "a.py": "x  =  1\n"})

    def test_each_file_that_is_not_formatted_is_found_once_with_what_mends_it(self):
        files = {f"src/{i:03}.cpp": GOOD for i in range(formatting.AT_ONCE + 5)}
        files |= {"src/001.cpp": "int x;\nint  y;\nint  z;\n", "tests/b.hpp": "int f( );\n", ".clang-format": STYLE}
        self.assert_finds(files, ("src/001.cpp:2", "is not formatted: clang-format-19 -i src/001.cpp"),
                          ("tests/b.hpp:1", "is not formatted: clang-format-19 -i tests/b.hpp"))

    def test_a_name_that_is_an_option_or_has_spaces_is_a_file(self):
        self.assert_finds({".clang-format": STYLE, "src/a b.cpp": "int  y;\n"}, ("src/a b.cpp:1", "is not formatted"))

    def test_a_missing_program_is_a_finding_that_names_the_package(self):
        with mock.patch.object(formatting, "PROGRAM", "clang-format-that-is-not-there"):
            self.assert_finds({".clang-format": STYLE, "a.cpp": GOOD, "b.cpp": GOOD},
                              (".clang-format:1", "2 files were not checked, because there is no program "
                               "clang-format-that-is-not-there: install the Debian package "))

    def test_a_program_that_fails_is_a_finding_with_what_it_said(self):
        self.assert_finds({".clang-format": "BasedOnStyle: Goggle\n", "a.cpp": GOOD},
                          ("a.cpp:1", "clang-format-19 failed"))

    def test_without_a_style_nothing_is_called_formatted(self):
        self.assert_finds({"a.cpp": GOOD}, (".clang-format:1", "is missing"))
        self.assert_clean({"a.py": "x = 1\n"})


if __name__ == "__main__":
    unittest.main()
