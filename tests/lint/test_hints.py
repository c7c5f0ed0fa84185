import unittest

from fixture import LintCase
import hints

PATH = "src/queue/q.cpp"
DOCUMENT = "docs/architecture/verification.md"
RELAXED = "std::memory_order_relaxed"
DECIDES = "| `src/queue/q.cpp` | `size_` | whether it is visited | It is looked at again. |"
SHOWN = "| `src/queue/q.cpp` | `size_` |"


def code(reason, expression=f"return size_.load({RELAXED});"):
    return f"int f() {{\n  {expression}  // {reason}\n}}\n"


def table(*rows):
    return "\n".join(["# How", "", "<!-- hints: begin -->", "| file | variable | … |", "|---|---|", *rows,
                      "<!-- hints: end -->", "", DECIDES.replace("size_", "other_")]) + "\n"


class rows(LintCase):
    lint = hints

    def test_a_read_with_a_row_is_clean(self):
        self.assert_clean({PATH: code("hint"), DOCUMENT: table(DECIDES)})
        self.assert_clean({PATH: code("hint: seen late"), DOCUMENT: table(DECIDES)})
        self.assert_clean({PATH: code("statistic"), DOCUMENT: table(SHOWN)})

    def test_a_read_without_a_row_is_found(self):
        for reason in ("hint", "statistic", "Statistic: it is shown"):
            self.assert_finds({PATH: code(reason), DOCUMENT: table()},
                              (f"{PATH}:2", "`size_` is read as a hint or a statistic"))

    def test_without_a_document_every_read_is_found(self):
        self.assert_finds({PATH: code("hint")}, (f"{PATH}:2", "has no row"))

    def test_a_row_of_another_file_or_variable_does_not_count(self):
        for row in (DECIDES.replace("size_", "count_"), DECIDES.replace("q.cpp", "r.cpp")):
            self.assert_finds({PATH: code("hint"), DOCUMENT: table(row)},
                              (f"{DOCUMENT}:6", "delete the row"), (f"{PATH}:2", "has no row"))

    def test_a_row_outside_the_marks_does_not_count(self):
        self.assert_finds({PATH: code("hint", f"return other_.load({RELAXED});"), DOCUMENT: table()},
                          (f"{PATH}:2", "`other_` is read"))

    def test_a_read_may_move_between_a_header_and_its_source(self):
        self.assert_clean({"src/queue/q.hpp": code("hint"), DOCUMENT: table(DECIDES)})

    def test_a_row_may_name_several_files_and_variables(self):
        row = "| `src/queue/q.cpp`, `src/queue/r.cpp` | `size_`, `count_` | a visit | It looks again. |"
        both = code("hint") + code("hint", f"return count_.load({RELAXED});")
        self.assert_clean({PATH: both, "src/queue/r.cpp": both, DOCUMENT: table(row)})
        self.assert_finds({PATH: both, "src/queue/r.cpp": code("hint"), DOCUMENT: table(row)},
                          (f"{DOCUMENT}:6", "no relaxed read of `count_` in src/queue/r"))

    def test_a_row_that_is_listed_twice_is_found(self):
        self.assert_finds({PATH: code("hint"), DOCUMENT: table(DECIDES, DECIDES)}, (f"{DOCUMENT}:7", "listed twice"))

    def test_a_row_without_its_reason_is_found(self):
        for row in (DECIDES.replace("It is looked at again.", ""), "| `src/queue/q.cpp` | `size_` | a visit |"):
            self.assert_finds({PATH: code("owner-only"), DOCUMENT: table(row)}, (f"{DOCUMENT}:6", "a row is: "))

    def test_what_decides_is_no_statistic(self):
        self.assert_finds({PATH: code("statistic"), DOCUMENT: table(DECIDES)},
                          (f"{PATH}:2", "`size_` decides something: call it a hint"))

    def test_what_decides_nothing_is_no_hint(self):
        self.assert_finds({PATH: code("hint"), DOCUMENT: table(SHOWN)},
                          (f"{PATH}:2", "`size_` is called a hint, and its row does not say what it decides"))


class reads(LintCase):
    lint = hints

    def test_other_reasons_and_stores_need_no_row(self):
        for reason, expression in (("owner-only", f"return size_.load({RELAXED});"),
                                   ("hint", f"size_.store(1, {RELAXED});"),
                                   ("hint", f"size_.fetch_add(1, {RELAXED});"),
                                   ("hint", f"if (x) size_.fetch_add(1, {RELAXED});"),
                                   ("hint", f"(void)size_.compare_exchange(a, b, {RELAXED}, {RELAXED});")):
            self.assert_clean({PATH: code(reason, expression)})

    def test_an_update_whose_result_is_used_is_a_read(self):
        for expression in (f"return size_.fetch_add(1, {RELAXED});", f"const int n = size_.fetch_add(1, {RELAXED});",
                           f"if (!size_.exchange(1, {RELAXED})) return 1;"):
            self.assert_finds({PATH: code("hint", expression)}, (f"{PATH}:2", "has no row"))


if __name__ == "__main__":
    unittest.main()
