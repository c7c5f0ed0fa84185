import unittest

from fixture import LintCase
import classes


def of(members, name="big"):
    return f"class {name} {{\n" + "".join(f"  int m{i}_;\n" for i in range(members)) + "};\n"


class class_sizes(LintCase):
    lint = classes
    path = "src/park/a.hpp"

    def test_a_class_within_the_limit_is_clean(self):
        self.assert_clean({self.path: of(25), "tests/a.cpp": of(80)})

    def test_a_class_above_the_limit_is_found(self):
        self.assert_finds({self.path: "int x;\n" + of(26)},
                          (f"{self.path}:2", "park/big has 26 members (0 functions, 26 variables); the limit is 25"))
        self.assert_finds({"include/filch/park/a.hpp": of(20)[:-3] + "  void f();\n" * 6 + "};\n"},
                          ("include/filch/park/a.hpp:1", "26 members (6 functions, 20 variables)"))

    def test_a_nested_class_is_measured_alone(self):
        self.assert_clean({self.path: "class outer {\n" + of(20) + "  int own_[6];\n};\n"})
        self.assert_finds({self.path: "class outer {\n" + of(26) + "};\n"},
                          (f"{self.path}:2", "park/outer::big has 26"))

    def test_the_list_is_a_ceiling(self):
        for members in (26, 30):
            self.assert_clean({self.path: of(members)}, listed={"park/big": (30, "a form for each")})
        self.assert_finds({self.path: of(31)},
                          (f"{self.path}:1", "31 members (0 functions, 31 variables); the limit is 30"),
                          listed={"park/big": (30, "a form for each")})

    def test_a_listed_class_within_the_limit_is_found(self):
        self.assert_finds({self.path: of(25)}, ("lint/classes.py:1", "no class park/big has more than 25 members"),
                          listed={"park/big": (30, "a form for each")})

    def test_an_entry_needs_a_reason(self):
        self.assert_finds({self.path: of(26)}, ("lint/classes.py:1", "may have 30 members without a reason"),
                          listed={"park/big": (30, "")})

    def test_an_entry_of_another_layer_does_not_count(self):
        self.assert_finds({self.path: of(26)}, ("lint/classes.py:1", "no class queue/big"),
                          (f"{self.path}:1", "limit is 25"), listed={"queue/big": (30, "a form for each")})


if __name__ == "__main__":
    unittest.main()
