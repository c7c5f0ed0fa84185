import subprocess
import unittest
from unittest import mock

from fixture import LintCase
import commits


class subjects(unittest.TestCase):
    def faults(self, subject):
        return list(commits.check_subject(subject))

    def test_a_layer_or_a_known_word_and_what_changes(self):
        for subject in ("queue: the deque shrinks again", "fork, algo: a loop asks", "lint: links are checked",
                        "docs: " + "x" * 66):
            self.assertEqual([], self.faults(subject))

    def test_the_rest_is_found(self):
        for subject, fault in (("the deque shrinks again", "does not read"), ("Queue: x", "does not read"),
                               ("queue:x", "does not read"), ("queue: ", "does not read"), ("queue", "does not read"),
                               ("stuff: x", "begins with stuff"), ("queue, stuff: x", "begins with stuff"),
                               ("docs: " + "x" * 67, "has 73 columns"), ("docs: mended.", "full stop")):
            found = self.faults(subject)
            self.assertEqual(1, len(found), (subject, found))
            self.assertIn(fault, found[0])


class histories(LintCase):
    lint = commits

    def history(self, *messages):
        """A repository with these commits; their names."""
        tree = self.tree({})
        environment = {"PATH": "/usr/bin:/bin", "HOME": str(tree.root), "GIT_CONFIG_NOSYSTEM": "1"}
        for key in ("AUTHOR", "COMMITTER"):
            environment |= {f"GIT_{key}_NAME": "a", f"GIT_{key}_EMAIL": "a@example.org"}

        def git(*arguments):
            return subprocess.run(["git", "-C", str(tree.root), *arguments], env=environment, check=True, text=True,
                                  capture_output=True).stdout.strip()
        git("init", "-q")
        names = []
        for message in messages:
            git("commit", "-q", "--allow-empty", "-m", message)
            names.append(git("rev-parse", "HEAD"))
        return tree, git, names

    def test_what_came_before_is_left_alone(self):
        tree, _, names = self.history("Long ago", "style: formatted", "queue: the deque shrinks", "so what",
                                      "Docs: x\n\nwhy")
        found = [str(f) for f in commits.check(tree, since=names[1])]
        self.assertEqual([f"commit {names[3][:7]}:1: [commits] \"so what\" does not read `layer: what changes`",
                          f"commit {names[4][:7]}:1: [commits] \"Docs: x\" does not read `layer: what changes`"], found)

    def test_merges_are_left_alone(self):
        tree, git, names = self.history("style: formatted", "queue: x")
        git("checkout", "-q", "-b", "side", names[0])
        git("commit", "-q", "--allow-empty", "-m", "park: y")
        git("merge", "-q", "--no-ff", "-m", "Merge a branch", names[1])
        self.assertEqual([], commits.check(tree, since=names[0]))

    def test_a_shallow_clone_an_archive_and_a_machine_without_git_pass(self):
        tree, git, names = self.history("style: formatted", "so what", "and again")
        self.assertEqual(2, len(commits.check(tree, since=names[0])))
        clone = self.tree({})
        git("clone", "-q", "--depth", "1", f"file://{tree.root}", str(clone.root / "clone"))
        clone.root = clone.root / "clone"
        self.assertEqual([], commits.check(clone, since=names[0]))
        self.assertEqual([], commits.check(self.tree({"a.md": ""}), since=names[0]))
        with mock.patch("subprocess.run", side_effect=FileNotFoundError("git")):
            self.assertEqual([], commits.check(tree, since=names[0]))


if __name__ == "__main__":
    unittest.main()
