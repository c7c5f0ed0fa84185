import unittest
from pathlib import Path

from fixture import LintCase
import docs

CPP, TEXT, SH, END = "```cpp\n", "```text\n", "```sh\n", "```\n"


class marked_blocks(LintCase):
    lint = docs

    def test_marked_and_plain_blocks_are_clean(self):
        self.assert_clean({"README.md": CPP + "int x = 1;\n" + END + "\n<!-- output -->\n" + TEXT + "1\n" + END
                           + "<!-- fragment -->\n" + CPP + "void f();\n" + END
                           + "<!-- not compiled: needs MPI -->\n" + CPP + "x\n" + END
                           + "<!-- run -->\n" + SH + "filch sim\n" + END + SH + "cmake\n" + END})

    def test_a_block_by_another_name_would_be_missed(self):
        self.assert_finds({"docs/guide/a.md": "```c++\nint x;\n```\n"}, ("docs/guide/a.md:1", "write cpp"))

    def test_what_is_not_compiled_needs_a_reason(self):
        self.assert_finds({"README.md": "<!-- not compiled -->\n" + CPP + END}, ("README.md:2", "needs a reason"))

    def test_output_needs_a_program(self):
        self.assert_finds({"README.md": "<!-- output -->\n" + TEXT + END}, ("README.md:2", "has no program"))
        self.assert_finds({"README.md": "<!-- fragment -->\n" + CPP + END + "<!-- output -->\n" + TEXT + END},
                          ("README.md:5", "has no program"))

    def test_a_marker_must_stand_before_its_block(self):
        self.assert_finds({"README.md": "<!-- run -->\ntext between\n" + SH + END}, ("README.md:1", "before a block"))
        self.assert_finds({"README.md": "<!-- run -->\n" + TEXT + END}, ("README.md:2", "does not fit a block of text"))

    def test_an_open_block_is_found(self):
        self.assert_finds({"README.md": "a\n" + CPP + "int x;\n"}, ("README.md:2", "never closed"))


class extracted_programs(LintCase):
    lint = docs

    def extract(self, files):
        tree = self.tree(files)
        docs.extract(tree, tree.root / "out")
        return {p.name: p.read_text(encoding="utf-8") for p in Path(tree.root / "out").iterdir()}

    def test_a_block_with_a_main_stays_as_it_is(self):
        out = self.extract({"README.md": "x\n" + CPP + "#include <cstdio>\nint main() {}\n" + END})
        self.assertEqual('#line 3 "README.md"\n#include <cstdio>\nint main() {}\n', out["README_1.cpp"])
        self.assertEqual("filch_doc_program(docs.README.1 README_1.cpp -)\n", out["blocks.cmake"])

    def test_a_block_without_a_main_gets_one(self):
        out = self.extract({"docs/guide/a.md": CPP + "#include <cstdio>\nint x = 1;\n" + END})
        self.assertEqual('#include <cstdio>\nint main() {\n#line 2 "docs/guide/a.md"\n\nint x = 1;\n}\n',
                         out["docs_guide_a_1.cpp"])
        self.assertIn("(docs.guide.a.1 ", out["blocks.cmake"])

    def test_a_block_without_includes_gets_the_umbrella_header(self):
        out = self.extract({"README.md": CPP + "int x = 1;\n" + END, "include/filch/filch.hpp": ""})
        self.assertTrue(out["README_1.cpp"].startswith("#include <filch/filch.hpp>\nint main() {"))

    def test_a_fragment_is_put_into_a_namespace(self):
        for text in ("<!-- fragment -->\n" + CPP + "void f() {}\n" + END, CPP + "// fragment\nvoid f() {}\n" + END):
            out = self.extract({"README.md": text})
            self.assertIn("namespace readme_1 {", out["README_1.cpp"])
            self.assertIn("filch_doc_fragment(docs.README.1 ", out["blocks.cmake"])

    def test_the_expected_output_belongs_to_the_program_above(self):
        out = self.extract({"README.md": CPP + "int x;\n" + END + "<!-- output -->\n" + TEXT + "42\n" + END})
        self.assertEqual("42\n", out["README_1.expected"])
        self.assertEqual("filch_doc_program(docs.README.1 README_1.cpp README_1.expected)\n", out["blocks.cmake"])

    def test_scripts_are_run_only_when_marked(self):
        out = self.extract({"README.md": "<!-- run -->\n" + SH + "filch sim basic\n" + END + SH + "no\n" + END})
        self.assertEqual("filch_doc_script(docs.README.1 README_1.sh -)\n", out["blocks.cmake"])
        self.assertEqual("set -eu\nfilch sim basic\n", out["README_1.sh"])

    def test_what_is_not_compiled_is_listed_with_its_reason(self):
        out = self.extract({"README.md": "<!-- not compiled: needs MPI -->\n" + CPP + "x\n" + END})
        self.assertEqual('filch_doc_listed(docs.README.1 "README.md:3" [==[needs MPI]==])\n', out["blocks.cmake"])

    def test_a_block_in_a_list_loses_its_indent(self):
        out = self.extract({"README.md": "- a\n  ```cpp\n  int x;\n    int y;\n  ```\n"})
        self.assertIn("int x;\n  int y;\n}", out["README_1.cpp"])

    def test_a_block_that_is_gone_leaves_no_file(self):
        tree = self.tree({"README.md": CPP + "int x;\n" + END})
        docs.extract(tree, tree.root / "out")
        (tree.root / "README.md").write_text("nothing\n", encoding="utf-8")
        docs.extract(tree, tree.root / "out")
        self.assertEqual(["blocks.cmake"], [p.name for p in (tree.root / "out").iterdir()])


if __name__ == "__main__":
    unittest.main()
