"""What walk.py makes of recorded addresses; the program that records them needs a build of its own."""

import subprocess
import sys
import unittest
from pathlib import Path
from unittest import mock

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "bench/walk"))
import walk

PLACES = {
    "0x1": ("src/park/a.cpp", "f"), "0x2": ("src/park/a.cpp", "g"), "0x3": ("include/filch/queue/b.hpp", "h"),
    "0x4": None,
}


class symbols_of_a_table:
    places = PLACES

    def look_up(self, addresses):
        assert set(addresses) <= set(PLACES)


class counted(unittest.TestCase):
    def run_of(self, *threads):
        return walk.Run([list(entered.split()) for entered in threads], symbols_of_a_table())

    def test_files_and_functions_are_counted_once(self):
        run = self.run_of("0x1 0x2 0x1 0x3", "0x3 0x4")
        self.assertEqual({"src/park/a.cpp": 2, "include/filch/queue/b.hpp": 1}, dict(run.files))
        self.assertEqual(3, len(run.functions))
        self.assertEqual({"park": 1, "queue": 1}, dict(run.layers()))

    def test_switches_are_counted_per_thread_without_what_does_not_count(self):
        self.assertEqual([2, 1], self.run_of("0x1 0x3 0x4 0x3 0x2", "0x4 0x3 0x1").switches())
        self.assertEqual([1], self.run_of("0x1 0x2 0x1 0x3").switches())

    def test_a_thread_that_enters_nothing_is_left_out(self):
        self.assertEqual([0], self.run_of("0x4 0x4", "0x1").switches())

    def test_the_median_run_is_chosen(self):
        records = iter([[["0x1"]], [["0x1", "0x2", "0x3"]], [["0x1", "0x2"]]])
        with mock.patch.object(walk, "record", lambda program, name: next(records)):
            self.assertEqual(2, len(walk.median_run("", symbols_of_a_table(), "", 3).functions))


class places(unittest.TestCase):
    def place(self, path, name="f()"):
        return walk.Symbols.place_of(name, path)

    def test_only_the_library_without_base_counts(self):
        root = walk.ROOT
        self.assertEqual(("src/park/a.cpp", "f"), self.place(f"{root}/src/park/a.cpp:12"))
        self.assertEqual(("include/filch/park/a.hpp", "f"),
                         self.place(f"{root}/src/park/../../include/filch/park/a.hpp:12 (discriminator 3)"))
        for path in (f"{root}/include/filch/base/a.hpp:1", f"{root}/src/base/a.cpp:1", f"{root}/bench/walk/walk.cpp:1",
                     "/usr/include/c++/12/atomic:3", "??:0", "??:?"):
            self.assertIsNone(self.place(path), path)

    def test_names_lose_their_arguments(self):
        for name, short in (("filch::v0::worker::run(int, std::vector<int>)", "worker::run"),
                            ("void filch::v0::detail::f<a, b<c> >(d const&) const", "detail::f"),
                            ("auto filch::v0::join<g()::{lambda()#1}, h>(g()::{lambda()#1}&&)", "join"),
                            ("filch::v0::idle::~idle()", "idle::~idle"),
                            ("(anonymous namespace)::f(int)", "f")):
            self.assertEqual(short, walk.short_name(name))

    def test_addresses_are_looked_up_once(self):
        out = f"f()\n{walk.ROOT}/src/park/a.cpp:3\ng()\n??:0\n"
        found = walk.Symbols("program")
        with mock.patch.object(subprocess, "run", return_value=mock.Mock(stdout=out)) as called:
            found.look_up(["0x2", "0x1", "0x2"])
            found.look_up(["0x1"])
        self.assertEqual(1, called.call_count)
        self.assertEqual({"0x1": ("src/park/a.cpp", "f"), "0x2": None}, found.places)


if __name__ == "__main__":
    unittest.main()
