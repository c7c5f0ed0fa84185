"""A tree of files in a temporary folder, and what a lint says about it."""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lint"))
from tree import Tree


class LintCase(unittest.TestCase):
    """A test that feeds a lint files and compares what it finds."""

    lint = None  # the module under test

    def tree(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for name, text in files.items():
            path = Path(folder.name) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Tree(folder.name)

    def findings(self, files, **extra):
        return self.lint.check(self.tree(files), **extra)

    def assert_clean(self, files, **extra):
        self.assertEqual([], [str(f) for f in self.findings(files, **extra)])

    def assert_finds(self, files, *expected, **extra):
        """Exactly the expected findings, each given as (file:line, part of the message)."""
        found = [str(f) for f in self.findings(files, **extra)]
        self.assertEqual(len(expected), len(found), "\n".join(found))
        for (where, message), finding in zip(expected, found):
            self.assertTrue(finding.startswith(f"{where}: [{self.lint.NAME}] "), finding)
            self.assertIn(message, finding)
