import contextlib
import io
import unittest

from fixture import LintCase
import module_graph

FILES = {
    "include/filch/park/a.hpp": "#pragma once\n#include <filch/base/x.hpp>\n#include <filch/park/b.hpp>\n"
                                "class first {\n  int f();\n  int x_;\n};\n",
    "src/park/a.cpp": "#include <filch/park/a.hpp>\n",
    "include/filch/park/b.hpp": "#pragma once\n#include <filch/park/a.hpp>\nclass second {\n  int x_;\n};\n",
    "include/filch/base/x.hpp": "#pragma once\n",
}


class graph(LintCase):
    def run_it(self, *arguments):
        out, err = io.StringIO(), io.StringIO()
        root = str(self.tree(FILES).root)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                code = module_graph.main(["--root", root, *arguments])
            except SystemExit as stop:
                code = stop.code
        return code, out.getvalue(), err.getvalue()

    def test_the_text_has_modules_arrows_circles_and_the_largest_class(self):
        code, out, _ = self.run_it()
        self.assertEqual(0, code)
        self.assertIn("park: 2 modules, 13 lines, 2 arrows inside, 1 to other layers, 0 from them; ", out)
        self.assertIn("0 from them; largest circle 2\n", out)
        self.assertIn("largest class: first, 2 members (1 functions, 1 variables), include/filch/park/a.hpp:4", out)
        self.assertRegex(out, r"  a +2 files +8 lines  → base/x b\n")
        self.assertIn("circle of 2 modules, 13 lines: park/a park/b\n", out)
        self.assertIn("  park/b → park/a: include/filch/park/b.hpp:2\n", out)
        self.assertLess(out.index("base: 1 modules"), out.index("park: 2 modules"))

    def test_one_layer_may_be_asked_for(self):
        _, out, _ = self.run_it("base")
        self.assertIn("base: 1 modules", out)
        self.assertNotIn("park:", out)
        self.assertNotIn("circle of", out)

    def test_dot_has_boxes_and_red_circles(self):
        _, out, _ = self.run_it("--dot", "park")
        self.assertTrue(out.startswith("digraph modules {") and out.endswith("}\n"))
        self.assertIn('subgraph "cluster_park"', out)
        self.assertIn('"park/a" -> "park/b" [color=red];', out)
        self.assertNotIn("base/x", out)
        self.assertIn('"park/a" -> "base/x";', self.run_it("--dot")[1])

    def test_an_unknown_layer_is_refused(self):
        code, _, err = self.run_it("attic")
        self.assertEqual(2, code)
        self.assertIn("no layer is called attic; there are: base park", err)


if __name__ == "__main__":
    unittest.main()
