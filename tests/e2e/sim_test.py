"""Tests of the simulator's commands from the outside. Called with the command, the checkout, a work directory and one
test's name.

A simulation gives the same bytes everywhere, so whole outputs are compared with files.
"""

import pathlib
import shutil
import sys

sys.dont_write_bytecode = True
import command_test as base
from command_test import expect, refuse, succeed

LESSONS = ("basic", "spawning", "adaptive", "granularity")


def golden(name):
    return (base.SOURCE / "tests" / "e2e" / "golden" / name).read_text(encoding="utf-8")


# ---- the lesson ------------------------------------------------------------------------------------------------------


def test_lesson_mode_prints_the_lesson_byte_for_byte():
    for name in LESSONS:
        wanted = golden(f"lesson_{name}.out")
        expect(succeed("sim", name, "--lesson", "--seed", "192837") == wanted, f"the lesson's output of {name}")
        expect(succeed("sim", name, "--lesson") == wanted, f"the lesson's seed is the default of {name}")
        expect(succeed("sim", name, "--lesson", "--seed", "7") != wanted, f"another seed gives another run of {name}")


def test_lesson_mode_refuses_what_the_lesson_does_not_have():
    refuse(("sim", "basik", "--lesson"), '"basik"', 'did you mean "basic"', *LESSONS)
    refuse(("sim", "basic", "--lesson", "--seed", "-1"), "--seed", "-1", "allowed")
    refuse(("sim",), "scenario")


if __name__ == "__main__":
    base.COMMAND, base.SOURCE, base.WORK = (pathlib.Path(word) for word in sys.argv[1:4])
    shutil.rmtree(base.WORK, ignore_errors=True)
    base.WORK.mkdir(parents=True)
    globals()[f"test_{sys.argv[4]}"]()
