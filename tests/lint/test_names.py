import unittest

from fixture import LintCase
import names

CODE = {"src/base/a.cpp": '// only_in_comment\nint steal_half(int limit); const char* o = "--workers FILCH_SEED";\n',
        "docs/guide/start.md": "", "lint/names_allow.txt": "# why\nhwloc a library we read the machine with\n"}


class names_in_backticks(LintCase):
    lint = names

    def test_what_exists_is_clean(self):
        self.assert_clean({**CODE, "README.md":
                           "`steal_half`, `filch::steal_half`, `steal_half()`, `x.limit`, `src/base/a.cpp:2`, "
                           "`base/a.cpp`, "
                           "`docs/guide/`, `--workers`, `FILCH_SEED`, `std::anything`, `co_await`, `hwloc`, "
                           "`<x>/<y>.cpp`, "
                           "`a + b`, `steal_half(1, std::move(limit))`, `→`\n"
                           "```cpp\n`nothing_here`\n```\n"})

    def test_a_name_that_is_gone_is_found(self):
        for quoted, missing in [("steal_all", "steal_all"), ("filch::steal_all", "steal_all"),
                                ("steal_all()", "steal_all"),
                                ("d.steal_all(1)", "steal_all"), ("run steal_all now", "steal_all"),
                                ("src/base/b.cpp", "src/base/b.cpp"), ("b.hpp", "b.hpp"), ("--threads", "--threads")]:
            self.assert_finds({**CODE, "README.md": f"fine\n`{quoted}`\n"},
                              ("README.md:2", f"names {missing}, which no code contains"))

    def test_a_name_in_a_comment_is_no_code(self):
        self.assert_finds({**CODE, "README.md": "`only_in_comment`\n"}, ("README.md:1", "only_in_comment"))

    def test_comments_of_code_are_checked(self):
        self.assert_finds({**CODE, "include/filch/base/b.hpp": "// See `steal_half`\n// and `steal_all`.\n"},
                          ("include/filch/base/b.hpp:2", "steal_all"))

    def test_documents_about_the_past_may_name_what_is_gone(self):
        self.assert_clean({**CODE, "docs/decisions/1.md": "`gone_a`", "CHANGELOG.md": "`gone_b`",
                           "docs/investigations/2.md": "`gone_c`"})

    def test_an_allowed_name_needs_a_reason(self):
        self.assert_finds({"lint/names_allow.txt": "hwloc\n"}, ("lint/names_allow.txt:1", "without a reason"))


if __name__ == "__main__":
    unittest.main()
