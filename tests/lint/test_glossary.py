import contextlib
import io
import unittest

from fixture import LintCase
import glossary

COMMON = "# Known words.\nb c d item take x\n"


def used_in(*files, name="item_husk"):
    """One file that defines a type of that name, and others that use it."""
    first, *others = files
    return {f"src/park/{first}.hpp": f"struct {name} {{}};\n"} | {f"src/park/{o}.cpp": f"{name} x;\n" for o in others}


class coined_words(LintCase):
    lint = glossary

    def with_words(self, files, entries=""):
        return files | {"lint/common_words.txt": COMMON, "docs/architecture/glossary.md": entries}

    def test_a_word_of_many_files_must_be_known(self):
        self.assert_finds(self.with_words(used_in("b", "c", "d")),
                          ("src/park/b.hpp:1", "the word husk stands in names of 3 files (3 times, in item_husk)"))

    def test_a_word_of_few_files_needs_nothing(self):
        self.assert_clean(self.with_words(used_in("b", "c")))

    def test_a_word_of_variables_alone_needs_nothing(self):
        self.assert_clean(self.with_words({f"src/park/{f}.cpp": "int husk = 1;\n" for f in "bcd"}))

    def test_names_of_types_functions_and_files_count(self):
        for text in ("struct husk;", "class husk {};", "enum class husk { x };", "using husk = int;",
                     "concept husk = true;", "void husk();", "int& husk() { }", "x husk(int);"):
            files = {"src/park/b.hpp": text + "\n"} | {f"src/park/{f}.cpp": "x(husk);\n" for f in "cd"}
            self.assert_finds(self.with_words(files), ("src/park/b.hpp:1", "the word husk"))
        files = {"src/park/husk.hpp": ""} | {f"src/park/{f}.cpp": "x(husk);\n" for f in "cd"}
        self.assert_finds(self.with_words(files), ("src/park/husk.hpp:1", "the word husk"))

    def test_a_call_defines_nothing(self):
        self.assert_clean(self.with_words({f"src/park/{f}.cpp": "auto x = [] { return husk(1); };\n" for f in "bcd"}))

    def test_the_glossary_explains_words(self):
        files = used_in("b", "c", "d")
        self.assert_clean(self.with_words(files, "| word | meaning |\n|---|---|\n| empty husk | what is left |\n"))
        self.assert_clean(self.with_words(files, "An entry; *husk*: what is left of it.\n"))
        self.assert_finds(self.with_words(files, "| word | meaning |\n|---|---|\n| rest | a husk |\n**husk**\n"),
                          ("src/park/b.hpp:1", "the word husk"))

    def test_forms_of_a_word_need_no_entry(self):
        for form in ("takes", "untaken", "item", "items"):
            known = form != "untaken"
            files = self.with_words(used_in("b", "c", "d", name=form))
            self.assertEqual([] if known else ["untaken"], [str(f).split()[4] for f in self.findings(files)], form)
        self.assertLessEqual({"claim", "claimed"}, glossary.bases("unclaimed"))
        self.assertIn("pin", glossary.bases("pinned"))
        self.assertIn("party", glossary.bases("parties"))
        self.assertIn("take", glossary.bases("taking"))

    def test_camel_case_and_underscores_divide(self):
        self.assertEqual(["k", "idle", "now", "ns"], glossary.parts_of("k_idleNow_ns_"))
        self.assertEqual(["filch", "assert"], glossary.parts_of("FILCH_ASSERT"))


class replaced_words(LintCase):
    lint = glossary
    path = "src/park/b.cpp"

    def test_identifiers_files_and_comments_are_looked_at(self):
        self.assert_finds({self.path: "int desk_lock;\n"}, (f"{self.path}:1", "desk_lock: not desk but share point"))
        self.assert_finds({self.path: "int x;  // two\n// The owed ones.\n"},
                          (f"{self.path}:2", '"owed": not owed but defer'))
        self.assert_finds({"src/park/guest_b.hpp": ""}, ("src/park/guest_b.hpp:1", "the file's name guest_b.hpp"))

    def test_forms_are_found_and_other_words_are_not(self):
        for word in ("desks", "paying", "alarmed", "watches", "unripe", "tallies"):
            self.assert_finds({self.path: f"// {word}\n"}, (f"{self.path}:1", f"not {word} but"))
        self.assert_clean({self.path: "// note, notes, watchdog, heartbeat, payload, compress, delegate\n"})

    def test_strings_and_other_folders_are_left_alone(self):
        self.assert_clean({self.path: 'auto x = "desk";\n', "tests/b.cpp": "int desk;\n", "docs/b.md": "desk\n"})

    def test_some_words_are_forbidden_in_some_layers_only(self):
        self.assert_clean({self.path: "int strand;\n"})
        self.assert_finds({"src/runtime/b.cpp": "int strand;\n"}, ("src/runtime/b.cpp:1", "not strand but"))

    def test_an_exempt_layer_is_left_alone_and_no_other(self):
        files = {self.path: "int desk;\n", "src/queue/b.cpp": "int desk;\n"}
        self.assert_finds(files, ("src/queue/b.cpp:1", "not desk"), renamed={"park"})

    def test_an_exemption_that_is_not_needed_is_found(self):
        message = "park holds none of it any more: delete it from EXEMPT_UNTIL_RENAMED"
        self.assert_finds({self.path: "int x;\n"}, ("lint/glossary.py:1", message), renamed={"park"})


class sentences(LintCase):
    lint = glossary
    path = "src/park/b.cpp"

    def test_each_idiom_is_found_in_comments(self):
        for text in ("Wakes who waits.", "Told to whoever takes it.", "Somebody takes it.", "one who sleeps",
                     "until it may go on", "At most so many.", "every so-manieth turn", "So many bytes each."):
            self.assert_finds({self.path: f"int x;\n// {text}\n"}, (f"{self.path}:2", '": '))

    def test_an_idiom_may_go_over_two_lines(self):
        self.assert_finds({self.path: "// It is woken by the one\n// who sleeps.\n"}, (f"{self.path}:1", '"one who"'))

    def test_plain_sentences_are_clean(self):
        self.assert_clean({self.path: "// Who may call what: any thread. Why so many? There are so many.\n"
                                      "// It takes so many turns that the owner is quicker.\nauto x = \"somebody\";\n"})

    def test_documents_are_looked_at_outside_of_code(self):
        self.assert_finds({"docs/b.md": "One.\n\n```sh\nwhoever\n```\nTwo, somebody\n"}, ("docs/b.md:6", '"somebody"'))
        self.assert_clean({"README.md": "somebody\n", "tests/b.cpp": "// somebody\n"})

    def test_layers_and_documents_may_be_exempt(self):
        files = {self.path: "// somebody\n", "docs/b.md": "somebody\n", "docs/c.md": "somebody\n"}
        self.assert_finds(files, ("docs/c.md:1", '"somebody"'), rewritten={"park", "docs/b.md"})
        self.assert_finds({}, ("lint/glossary.py:1", "docs/b.md holds none of it any more: delete it from "
                               "EXEMPT_UNTIL_REWRITTEN"), rewritten={"docs/b.md"})


class command(LintCase):
    def test_what_is_left_is_counted(self):
        tree = self.tree({"src/park/b.cpp": "int desk, desks;  // somebody\n", "docs/b.md": "whoever\n",
                          "src/queue/b.hpp": "struct taken {};\n"})
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(0, glossary.main(["--root", str(tree.root), "--count"]))
        self.assertRegex(out.getvalue(), r"words to be renamed:\n +2 park.*: desk 1, desks 1\nsentences")
        self.assertIn("    1 docs/b.md (not exempt): whoever 1\n", out.getvalue())


if __name__ == "__main__":
    unittest.main()
