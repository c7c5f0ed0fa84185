import contextlib
import io
import sys
import unittest

from fixture import LintCase
import docs_run


class run_of_a_document_program(LintCase):
    def run_it(self, expected, code):
        wanted = "-"
        if expected is not None:
            wanted = str(self.tree({"expected": expected}).root / "expected")
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()) as err:
            return docs_run.main([wanted, sys.executable, "-c", code]), err.getvalue()

    def test_the_expected_output_passes(self):
        self.assertEqual((0, ""), self.run_it("1\n2\n", "print(1); print(2)"))
        self.assertEqual((0, ""), self.run_it(None, "print(1)"))

    def test_another_output_fails_with_the_difference(self):
        code, err = self.run_it("1\n", "print(2)")
        self.assertEqual(1, code)
        self.assertIn("-1\n+2\n", err)

    def test_a_failing_program_fails(self):
        self.assertEqual((1, "exit code 3, expected 0\n"), self.run_it(None, "raise SystemExit(3)"))

    def test_a_program_that_is_not_built_fails_with_its_name(self):
        with contextlib.redirect_stderr(io.StringIO()) as err:
            self.assertEqual(1, docs_run.main(["-", "./no-such-program"]))
        self.assertIn("./no-such-program cannot be run: No such file", err.getvalue())


if __name__ == "__main__":
    unittest.main()
