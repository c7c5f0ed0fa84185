"""Tests of what the command makes of files: of recordings that contradict themselves, and of the files that it writes.
Called with the command, the checkout, a work directory and one test's name."""

import json
import pathlib
import shutil
import sys

sys.dont_write_bytecode = True
import command_test as base
from command_test import expect, filch

# ---- recordings that contradict themselves ---------------------------------------------------------------------------

USES = (("analyze", "{}"), ("analyze", "{}", "--json"), ("analyze", "{}", "--report", "out.html"),
        ("analyze", "{}", "--picture", "out.svg"), ("analyze", "{}", "--baseline", "{}"),
        ("predict", "{}", "--workers", "1,4"), ("predict", "{}", "--report", "out.html", "--plot", "out.svg"),
        ("report", "{}", "out.html"), ("trace", "gantt", "{}"), ("trace", "info", "{}"),
        ("trace", "convert", "{}", "out.json"), ("trace", "convert", "{}", "out.pftrace"),
        ("trace", "convert", "{}", "out.filch"))


def test_a_recording_that_contradicts_itself_harms_nobody():
    recordings = sorted((base.SOURCE / "tests" / "fuzz" / "recordings").glob("*.filch"))
    expect(len(recordings) > 2, f"recordings in {recordings}")
    for recording in recordings:
        for words in USES:
            done = filch(*(word.format(recording) for word in words))
            expect(done.returncode in (0, 1), f"{words} with {recording.name} ends by itself", done)
            expect(done.returncode == 0 or done.stderr.startswith("filch: "), "words that say why not", done)

    for recording in ("start_outside_a_worker", "end_outside_a_worker"):
        file = base.SOURCE / "tests" / "fuzz" / "recordings" / f"{recording}.filch"
        for words in (("predict", file), ("analyze", file, "--report", "out.html")):
            done = filch(*words)
            expect(done.returncode == 1 and "outside the workers" in done.stderr, "what is wrong with it", done)


if __name__ == "__main__":
    base.COMMAND, base.SOURCE, base.WORK = (pathlib.Path(word) for word in sys.argv[1:4])
    shutil.rmtree(base.WORK, ignore_errors=True)
    base.WORK.mkdir(parents=True)
    globals()[f"test_{sys.argv[4]}"]()
