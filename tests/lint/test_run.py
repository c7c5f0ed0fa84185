import contextlib
import io
import unittest

from fixture import LintCase
import run

BAD = {"src/queue/a.cpp": "#include <filch/park/a.hpp>\n" + "int x;\n" * 800}


class command(LintCase):
    def run_it(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = run.main(list(arguments))
            except SystemExit as stop:
                code = stop.code
        return code, out.getvalue(), err.getvalue()

    def test_no_finding_is_success(self):
        good = self.tree({"src/base/a.cpp": "int x;\n", ".clang-format": "BasedOnStyle: Google\n"})
        self.assertEqual((0, "", ""), self.run_it("--root", str(good.root)))

    def test_findings_of_all_lints_are_printed(self):
        code, out, _ = self.run_it("--root", str(self.tree(BAD).root))
        self.assertEqual(1, code)
        self.assertIn("src/queue/a.cpp:1: [layers] queue must not include park", out)
        self.assertIn("src/queue/a.cpp:801: [sizes] ", out)

    def test_only_the_named_lints_run(self):
        code, out, _ = self.run_it("--root", str(self.tree(BAD).root), "sizes", "words")
        self.assertEqual((1, 1), (code, len(out.splitlines())))

    def test_an_unknown_lint_is_refused_with_the_list(self):
        code, _, err = self.run_it("tidyness")
        self.assertEqual(2, code)
        self.assertIn("no lint is called tidyness; there are: layers orderings hints names", err)

    def test_an_unknown_root_is_refused(self):
        code, _, err = self.run_it("--root", "no-such-folder")
        self.assertEqual(2, code)
        self.assertIn("--root no-such-folder: no such folder", err)


if __name__ == "__main__":
    unittest.main()
