import unittest

from fixture import LintCase
import changelog

HEAD = "# Changelog\n\nAll changes. An entry is one sentence.\n\n"


class form(LintCase):
    lint = changelog

    def log(self, text):
        return {"CHANGELOG.md": HEAD + text}

    def test_versions_groups_and_sentences_in_order_are_clean(self):
        self.assert_clean(self.log(
            "## Unreleased\n\n### Added\n\n- `a.b. C` draws e.g. a run in 1.5 s,\n  and a page.\n- Second.\n\n"
            "### Fixed\n\n- `x` no longer crashes (0.8 s before).\n\n## 0.1.0 (2026-11-19)\n\n### Removed\n\n- All.\n"))
        self.assert_clean({"README.md": "no changelog"})

    def test_an_entry_is_one_short_sentence(self):
        for entry, fault in (("One. Two.", "more than one sentence"), ("One: Two.", "more than one sentence"),
                             ("One; Two.", "more than one sentence"), ("No stop", "full stop"),
                             ("small letter.", "small letter"), ("Word " * 40 + "end.", "41 words")):
            self.assert_finds(self.log(f"## Unreleased\n\n### Added\n\n- {entry}\n"), ("CHANGELOG.md:9", fault))

    def test_lines_outside_of_entries_are_found(self):
        self.assert_finds(self.log("## Unreleased\n\n- One.\n\n### Added\n\nText.\n\n- Two.\n"),
                          ("CHANGELOG.md:7", "outside of the groups"), ("CHANGELOG.md:11", "neither an entry"))

    def test_groups_are_known_not_empty_and_in_order(self):
        self.assert_finds(self.log("## Unreleased\n\n### Fixed\n\n- One.\n\n### Added\n\n- Two.\n"),
                          ("CHANGELOG.md:5", "in the order"))
        self.assert_finds(self.log("## Unreleased\n\n### Added\n\n- One.\n\n### Added\n\n- Two.\n"),
                          ("CHANGELOG.md:5", "once each"))
        self.assert_finds(self.log("## Unreleased\n\n### Speed\n\n- One.\n"), ("CHANGELOG.md:7", "no group is called"))
        self.assert_finds(self.log("## Unreleased\n\n### Added\n"), ("CHANGELOG.md:7", "is empty"))

    def test_the_first_version_is_the_next_one(self):
        self.assert_finds(self.log("## 0.1.0 (2026-11-19)\n"), ("CHANGELOG.md:1", "not Unreleased"))
        self.assert_finds(self.log("## Unreleased\n\n## Soon\n"), ("CHANGELOG.md:7", "reads neither"))
        self.assert_finds(self.log(""), ("CHANGELOG.md:1", "not Unreleased"))


if __name__ == "__main__":
    unittest.main()
