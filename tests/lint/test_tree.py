import os
import unittest
from pathlib import Path
from unittest import mock

from fixture import LintCase

FILES = {"src/base/a.cpp": "", "src/build.txt": "", "docs/a.md": "", "a.txt": "",
         "build/test/a.cpp": "", "tests/build/a.cpp": "", "src/__pycache__/a.pyc": "", ".cache/a": "",
         "out/CMakeCache.txt": "", "out/a.cpp": "", "out/deep/er/a.cpp": ""}


class files_without_git(LintCase):
    def test_builds_and_caches_are_no_part_of_the_tree(self):
        listed = [str(name) for name in self.tree(FILES).files]
        self.assertEqual(["a.txt", "docs/a.md", "src/base/a.cpp", "src/build.txt"], listed)

    def test_a_build_inside_the_source_hides_all_of_it(self):
        self.assertEqual([], self.tree({"CMakeCache.txt": "", "src/a.cpp": ""}).files)

    def test_a_link_is_a_file_but_no_folder_to_enter(self):
        root = self.tree(FILES).root
        (root / "docs/link.md").symlink_to("a.md")
        (root / "docs/src").symlink_to("../src")
        listed = [str(name) for name in type(self.tree({}))(root).files if name.parts[0] == "docs"]
        self.assertEqual(["docs/a.md", "docs/link.md"], listed)

    def test_folders_that_a_build_makes_and_deletes_meanwhile_are_not_entered(self):
        entered = []
        real = os.scandir

        def scandir(folder="."):
            entered.append(Path(folder))
            if {"build", "__pycache__", ".cache", "deep"} & set(Path(folder).parts):
                raise FileNotFoundError(folder)  # deleted since it was listed
            return real(folder)

        with mock.patch("os.scandir", scandir):
            tree = self.tree(FILES)
        self.assertIn(Path("src/base/a.cpp"), tree.files)
        names = {str(path.relative_to(tree.root)) for path in entered if path.is_relative_to(tree.root)}
        self.assertEqual({".", "src", "src/base", "docs", "tests", "out"}, names)


if __name__ == "__main__":
    unittest.main()
