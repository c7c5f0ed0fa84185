import unittest

from fixture import LintCase
import words

# Put together from pieces: these files are linted too.
HOME, TEMP = "/ho" + "me/", "/t" + "mp/"
GAP, DISABLED, SKIP = "TO" + "DO", "DISAB" + "LED_", "GTEST_SK" + "IP"


class forbidden_words(LintCase):
    lint = words

    def test_ordinary_text_is_clean(self):
        self.assert_clean({
            "a.md": "bench/work" + "loads/fib, src/ho" + "me/x, mktemp XXXXXX, ${TMPDIR:-/t" + "mp}, nexus of things\n",
            "b.cpp": f'{SKIP}() << "this machine has one core only";\n'
                     f'TEST(a, {DISABLED}b) {{}}  // waits for the io layer\n'
                     f"// {GAP}: the second socket is not modelled yet\n",
        })

    def test_paths_of_one_machine_are_found(self):
        for path in ("/wo" + "rk/main", "/ro" + "ot/x", HOME + "me", TEMP + "xyz"):
            self.assert_finds({"a.txt": f"fine\nsee {path}\n"}, ("a.txt:2", "path of one machine"))
            self.assert_finds({"a.txt": f'open("{path}")\n'}, ("a.txt:1", "path of one machine"))

    def test_registry_hosts_are_found(self):
        for host in ("regis" + "try.example.com", "dock" + "er.io/x", "gh" + "cr.io/x",
                     "https://mirror.inter" + "nal/x"):
            self.assert_finds({"a.txt": f"FROM {host}\n"}, ("a.txt:1", "registry host"))

    def test_a_gap_needs_a_reason(self):
        for word in (GAP, "FIX" + "ME", "X" + "XX"):
            self.assert_finds({"a.cpp": f"// {word}\n"}, ("a.cpp:1", f"{word} without a reason"))

    def test_a_disabled_test_needs_a_reason(self):
        self.assert_finds({"a.cpp": f"TEST(a, {DISABLED}that_it_really_works) {{\n"}, ("a.cpp:1", "disabled test"))

    def test_a_skipped_test_needs_a_reason(self):
        self.assert_finds({"a.cpp": f"{SKIP}();\n"}, ("a.cpp:1", "skipped test"))

    def test_binary_files_are_left_alone(self):
        tree = self.tree({"a.txt": "x"})
        (tree.root / "a.txt").write_bytes(b"\0" + (HOME + "x").encode())
        self.assertEqual([], words.check(tree))


if __name__ == "__main__":
    unittest.main()
