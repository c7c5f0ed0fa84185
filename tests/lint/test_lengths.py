import unittest

from fixture import LintCase
import lengths

LONG = "x " * 60 + "x"  # 121 columns
FULL = "x " * 59 + "xx"  # 120 columns


class line_lengths(LintCase):
    lint = lengths

    def test_120_columns_are_clean_and_a_letter_of_two_bytes_is_one(self):
        self.assert_clean({"a.cpp": f"// {FULL[3:]}\n", "a.md": "é" * 120 + "\n", "CMakeLists.txt": FULL})

    def test_a_longer_line_is_found_in_code_build_files_scripts_and_documents(self):
        for name in ("src/a.cpp", "include/a.hpp", "CMakeLists.txt", "cmake/a.cmake", "tools/a.py", "filch", ".ci/run",
                     "viewer/a.js", "viewer/a.html", "bench/a.rs", "bench/a.go", "bench/a.java", "README.md"):
            self.assert_finds({name: f"\n{LONG}\n"}, (f"{name}:2", "the line has 121 columns; the limit is 120"))

    def test_what_programs_read_and_print_is_left_alone(self):
        self.assert_clean({"a.json": LONG, "a.out": LONG, "a.message": LONG, "a.svg": LONG, "a.filch": LONG})

    def test_tables_and_output_in_documents_are_left_alone(self):
        self.assert_clean({"docs/a.md": f"| {LONG} |\n\n  | {LONG} |\n\n```text\n{LONG}\n```\n\n```\n{LONG}\n```\n"})

    def test_code_in_documents_is_not(self):
        self.assert_finds({"docs/a.md": f"```cpp\n// {LONG}\n```\n\n```text\nx\n```\n\n{LONG}\n\n```sh\n{LONG}\n```\n"},
                          ("docs/a.md:2", "124 columns"), ("docs/a.md:9", "121"), ("docs/a.md:12", "121"))

    def test_a_last_word_that_is_an_address_or_a_target_may_go_over(self):
        for last in ("https://example.org/" + "a" * 110, "text](../" + "a" * 110 + ".md),"):
            self.assert_clean({"docs/a.md": f"see {last}\n", "docs/b.md": f"{last}\n"})
            self.assert_finds({"docs/a.md": f"see {last} and\n"}, ("docs/a.md:1", "columns"))
            self.assert_finds({"docs/a.md": f"{LONG} {last}\n"}, ("docs/a.md:1", "columns"))
        self.assert_finds({"docs/a.md": "see " + "a" * 120 + "\n"}, ("docs/a.md:1", "124 columns"))


if __name__ == "__main__":
    unittest.main()
