import unittest

from fixture import LintCase
import links

GUIDE = "# The Guide: `join`, and more\n\n## Same\n\n## Same\n\n<a id=\"place\"></a>\n\n```sh\n# no heading\n```\n"


class links_between_files(LintCase):
    lint = links

    def test_links_that_lead_somewhere_are_clean(self):
        self.assert_clean({
            "docs/guide.md": GUIDE, "docs/pictures/a.svg": "", "src/a.cpp": "",
            "docs/a.md": "# A\n\n[g](guide.md), [h](guide.md#the-guide-join-and-more), [s](guide.md#same-1), "
                         "[p](guide.md#place),\n[in the\nnext line](../src/a.cpp), [folder](../src), [here](#a), "
                         "![picture](pictures/a.svg \"title\")\n[web](https://example.org/x#y), [m](mailto:a@b)\n\n"
                         "[ref]: guide.md#same\n",
        })

    def test_code_in_a_document_holds_no_links(self):
        self.assert_clean({"a.md": "`[&](auto x)` and ``[a](`b`)``\n\n```cpp\n[](int& x) { y[i](gone); }\n```\n"})

    def test_a_file_that_is_gone_is_found(self):
        self.assert_finds({"docs/a.md": "x\n[b](b.md) [c](../src/c.cpp)\n\n[r]: d.md\n\n<img src=\"e.svg\">\n"},
                          ("docs/a.md:2", "the link ../src/c.cpp leads to src/c.cpp, which does not exist"),
                          ("docs/a.md:2", "the link b.md leads to docs/b.md"), ("docs/a.md:4", "d.md"),
                          ("docs/a.md:6", "e.svg"))

    def test_an_anchor_without_a_heading_is_found(self):
        self.assert_finds({"docs/guide.md": GUIDE, "a.md": "[a](docs/guide.md#no-heading)\n[b](docs/guide.md#same-2)\n"
                                                           "[c](#nowhere)\n", "b.md": "[s](docs/s.svg#x)",
                                                           "docs/s.svg": ""},
                          ("a.md:1", "the link docs/guide.md#no-heading leads to no heading of docs/guide.md"),
                          ("a.md:2", "same-2"), ("a.md:3", "#nowhere leads to no heading of a.md"),
                          ("b.md:1", "no heading"))

    def test_a_link_out_of_the_repository_is_found(self):
        self.assert_finds({"docs/a.md": "[x](../../x.md)\n[y](/etc/y.md)\n"},
                          ("docs/a.md:1", "leads out of the repository"),
                          ("docs/a.md:2", "leads out of the repository"))

    def test_a_document_named_in_a_comment_exists(self):
        self.assert_clean({"docs/a.md": "",
                           "src/a.cpp": "// (docs/a.md): see\nopen(\"docs/gone.md\");\n// x/docs/b.md\n"})
        self.assert_finds({"src/a.cpp": "int x;\n// as in docs/gone.md.\n"},
                          ("src/a.cpp:2", "docs/gone.md does not exist"))


if __name__ == "__main__":
    unittest.main()
