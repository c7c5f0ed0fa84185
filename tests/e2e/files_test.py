"""Tests of what the command makes of files: of recordings that contradict themselves, and of the files that it writes.
Called with the command, the checkout, a work directory and one test's name."""

import fcntl
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
import command_test as base
from command_test import expect, filch, succeed

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


# ---- files that are written ------------------------------------------------------------------------------------------

FOREIGN = b"what somebody has written\n"


def foreign(name):
    """A file that filch has not written."""
    path = base.WORK / name
    path.write_bytes(FOREIGN)
    return path


def recording_of(*words, file="in.filch"):
    succeed("sim", "spawning", "--workers", "1", "--trace", base.WORK / file, *words)
    return base.WORK / file


def writers():
    """How each command writes a file: the words before its name, and how the name ends."""
    recording = recording_of()
    small = ("--time-scale", "0.0005")
    yield ("run", "basic", *small, "--trace"), ".filch"
    yield ("run", "basic", *small, "--trace"), ".json"
    yield ("run", "basic", *small, "--trace"), ".pftrace"
    yield ("run", "basic", *small, "--report"), ".html"
    yield ("run", "fib", "--size", "10", "--trace"), ".filch"
    yield ("sim", "spawning", "--trace"), ".filch"
    yield ("sim", "spawning", "--report"), ".html"
    yield ("compare", "spawning", "--seeds", "2", "--plot"), ".svg"
    yield ("sim", "exercise", "3", "--plot"), ".svg"
    yield ("calibrate", "--rounds", "7", "--out"), ".json"
    yield ("predict", recording, "--workers", "1,2", "--seeds", "1", "--json"), ".json"
    yield ("predict", recording, "--workers", "1,2", "--seeds", "1", "--plot"), ".svg"
    yield ("predict", recording, "--workers", "1,2", "--seeds", "1", "--report"), ".html"
    yield ("validate", "fib", "--quick", "--workers", "1", "--json"), ".json"
    yield ("analyze", recording, "--report"), ".html"
    yield ("analyze", recording, "--picture"), ".svg"
    yield ("report", recording), ".html"
    yield ("trace", "convert", recording), ".json"
    yield ("trace", "convert", recording), ".pftrace"
    yield ("trace", "convert", recording), ".filch"


LOOKALIKES = {
    ".html": b"<!doctype html>\n<title>notes on filch</title>\n",
    ".svg": b"<svg xmlns=\"http://www.w3.org/2000/svg\"><text>filch</text></svg>\n",
    ".json": b"{\n  \"name\": \"filch\",\n  \"mine\": [{\"written_by\": \"filch 1.0\"}]\n}\n",
    ".pftrace": b"\nfilch\n",
    ".filch": b"filch\r\n",
}


def in_folder():
    return sorted(path.name for path in base.WORK.iterdir())


def test_a_foreign_file_is_never_replaced():
    for words, ending in writers():
        path = foreign(f"mine{ending}")
        done = filch(*words, path)
        expect(done.returncode == 1 and str(path) in done.stderr, f"a refusal of {words}", done)
        expect("Remove it" in done.stderr, "what to do", done)
        expect(path.read_bytes() == FOREIGN, f"{path.name} as it was after {words}", done)
        path.unlink()
    expect(in_folder() == ["in.filch"], f"nothing else in {in_folder()}")


def test_a_file_that_looks_like_its_own_is_foreign():
    for words, ending in writers():
        path = base.WORK / f"like{ending}"
        path.write_bytes(LOOKALIKES[ending])
        done = filch(*words, path)
        expect(done.returncode == 1 and "Remove it" in done.stderr, f"a refusal of {words}", done)
        expect(path.read_bytes() == LOOKALIKES[ending], f"{path.name} as it was after {words}", done)


def test_bench_refuses_foreign_files_before_it_measures():
    for option, name in (("--json", "mine.json"), ("--plot", "mine.svg")):
        path = foreign(name)
        done = filch("bench", "fib", "--quick", option, path)
        expect(done.returncode == 1 and f"{path} exists" in done.stderr, "a refusal", done)
        expect(path.read_bytes() == FOREIGN, "the file as it was", done)


def test_what_filch_has_written_is_replaced_and_so_is_an_empty_file():
    for words, ending in writers():
        path = base.WORK / f"out{ending}"
        path.touch()
        path.chmod(0o640)
        for _ in range(2):
            done = filch(*words, path)
            expect(done.returncode == 0, f"success of {words}", done)
        expect(path.stat().st_size > 0 and path.stat().st_mode & 0o777 == 0o640, f"the same rights after {words}")
        path.unlink()
    expect(in_folder() == ["in.filch"], f"nothing else in {in_folder()}")


def test_a_link_is_written_through():
    recording = recording_of()
    target = base.WORK / "target.html"
    link = base.WORK / "link.html"
    link.symlink_to(target)
    done = filch("report", recording, link)
    expect(done.returncode == 1 and "link to a file that is not there" in done.stderr, "no file behind it", done)
    target.touch()
    succeed("report", recording, link)
    expect(link.is_symlink() and target.stat().st_size > 0, "a page behind the link")
    target.write_bytes(FOREIGN)
    done = filch("report", recording, link)
    expect(done.returncode == 1 and target.read_bytes() == FOREIGN, "the foreign file behind the link", done)


def test_a_full_device_fails_and_stays():
    recording = recording_of()
    for ending, words in ((".html", ("report",)), (".json", ("trace", "convert"))):
        link = base.WORK / f"full{ending}"
        link.symlink_to("/dev/full")
        done = filch(*words, recording, link)
        expect(done.returncode == 1 and "No space left" in done.stderr, "no room", done)
        expect(link.is_symlink() and pathlib.Path("/dev/full").is_char_device(), "the device", done)


def test_no_size_is_told_of_a_pipe():
    recording = recording_of()
    pipe = base.WORK / "pipe.json"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE) as reader:
        said = succeed("trace", "convert", recording, pipe)
        text = reader.communicate()[0]
    expect(len(text) > 100 and re.search(r"Wrote \S+pipe\.json: \d+ events\.\n", said), f"no size in {said}")
    expect(re.search(r"events, [0-9.]+ ?[kM]?B\.\n", succeed("trace", "convert", recording, "out.json")), "a size")


def test_an_output_that_fails_leaves_what_was_there():
    recording = recording_of()
    page = base.WORK / "page.html"
    succeed("report", recording, page)
    before = page.read_bytes()
    limited = ["bash", "-c", 'ulimit -f 8; trap "" XFSZ; exec "$@"', "-", str(base.COMMAND), "report", str(recording),
               str(page)]
    done = subprocess.run(limited, cwd=base.WORK, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect(done.returncode == 1 and "could not be written" in done.stderr, "a complaint", done)
    expect(page.read_bytes() == before, "the page of before")
    expect(in_folder() == ["in.filch", "page.html"], f"nothing else in {in_folder()}")


def test_the_tour_leaves_foreign_files_alone():
    page = foreign("report.html")
    done = filch()
    expect(done.returncode == 0 and "report.html exists" in done.stdout, "a word about the page", done)
    expect(page.read_bytes() == FOREIGN, "the file as it was")
    expect((base.WORK / "tour.filch").exists(), "the recording", done)


# ---- filch record ----------------------------------------------------------------------------------------------------


def record(file, *program):
    return filch("record", "-o", base.WORK / file, "--", *program)


def test_nothing_is_touched_before_a_program_was_started():
    old = recording_of(file="run.filch").read_bytes()
    more = recording_of(file="run.2.filch").read_bytes()
    done = record("run.filch", base.WORK / "nosuch")
    expect(done.returncode == 1 and "cannot be run" in done.stderr, "no such program", done)
    expect((base.WORK / "run.filch").read_bytes() == old and (base.WORK / "run.2.filch").read_bytes() == more,
           "both recordings as they were", done)
    notes = foreign("notes.txt")
    done = record("notes.txt", base.WORK / "nosuch")
    expect(done.returncode == 1 and notes.read_bytes() == FOREIGN, "notes as they were", done)


def test_a_recording_replaces_recordings_only():
    notes = foreign("notes.txt")
    done = record("notes.txt", base.COMMAND, "run", "fib", "--size", "10")
    expect(done.returncode == 1 and "exists" in done.stderr and done.stdout == "", "it is not run", done)
    expect(notes.read_bytes() == FOREIGN, "notes as they were", done)
    recording_of(file="fast.filch")
    other = foreign("fast.2.filch")
    older = recording_of(file="slow.2.filch").read_bytes()
    for file in ("fast.filch", "slow.filch"):
        done = record(file, base.COMMAND, "run", "fib", "--size", "10")
        expect(done.returncode == 0 and f"recorded {base.WORK / file}" in done.stderr, "a recording", done)
        expect(f"recorded {base.WORK / file[:-6]}.2" not in done.stderr and "not part of this run" in done.stderr,
               "the other is not its own", done)
        expect(b"filch run fib" in (base.WORK / file).read_bytes(), "of this program", done)
    expect(other.read_bytes() == FOREIGN and (base.WORK / "slow.2.filch").read_bytes() == older, "both others")


def test_another_process_that_writes_to_the_file_is_told_apart():
    other = recording_of(file="run.filch")
    with other.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        done = record("run.filch", base.COMMAND, "run", "fib", "--size", "10")
        expect(done.returncode == 0 and f"{other} is not part of this run" in done.stderr, "whose run.filch is", done)
    said = re.search(r"recorded (\S+/run\.\d+\.filch): ", done.stderr)
    expect(said and b"filch run fib" in pathlib.Path(said[1]).read_bytes(), "the program's own recording", done)
    expect(f"next: filch analyze {said[1]}" in done.stderr and str(other) + ":" not in done.stderr, "just that", done)
    # Meanwhile something else has recorded itself there.
    script = 'FILCH_TRACE="$2" FILCH_TRACE_RUN=other "$1" run fib --size 9 >/dev/null'
    done = record("other.filch", "sh", "-c", script, "-", base.COMMAND, base.WORK / "other.filch")
    expect(done.returncode == 1 and "nothing was recorded" in done.stderr and "other.filch is not part" in done.stderr,
           "nothing of this run", done)


def test_programs_of_one_run_do_not_write_over_each_other():
    script = '"$1" run fib --size 9 && "$1" run fib --size 10 && "$1" run fib --size 11; exit 5'
    recording_of(file="run.filch")
    recording_of(file="run.1.filch")
    for pattern in ("run.filch", "p.%p.filch"):
        for _ in range(2):
            done = record(pattern, "sh", "-c", script, "-", base.COMMAND)
            expect(done.returncode == 5, "the code of the program", done)
            said = re.findall(r"recorded (\S+) of process (\d+): ", done.stderr)
            expect(len(said) == 3 and len(set(said)) == 3, f"three recordings in {said}", done)
            sizes = set()
            for name, process in said:
                about = json.loads(succeed("trace", "info", name, "--json"))["about"]
                expect(about["process"] == process, f"process {process} in {about}")
                sizes.add(about["program"].split()[-1])
            expect(sizes == {"9", "10", "11"}, f"all sizes in {sizes}", done)
            expect((base.WORK / pattern in map(pathlib.Path, dict(said))) == ("%" not in pattern), "the name asked for")


def test_the_folder_of_record_is_no_pattern():
    folder = base.WORK / "50%% of %p"
    folder.mkdir()
    for file, name in (("run.filch", "run.filch"), ("100%%.filch", "100%.filch"), ("./sub//r.filch", "sub/r.filch")):
        (folder / "sub").mkdir(exist_ok=True)
        done = subprocess.run([base.COMMAND, "record", "-o", file, "--", base.COMMAND, "run", "fib", "--size", "10"],
                              cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        expect(done.returncode == 0 and "not part of this run" not in done.stderr, f"success of {file}", done)
        expect((folder / name).exists(), f"{name} in {sorted(folder.iterdir())}", done)


def test_a_recording_without_its_end_is_told_and_fails():
    limited = ["bash", "-c", 'ulimit -f 8; trap "" XFSZ; exec "$@"', "-", str(base.COMMAND), "record", "-o",
               "run.filch", "--detail", "every", "--", str(base.COMMAND), "run", "fib", "--size", "16", "--json"]
    done = subprocess.run(limited, cwd=base.WORK, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    expect(done.returncode == 1 and "recorded run.filch: " in done.stderr, "the program is well, the file is not", done)
    expect("run.filch ends early (" in done.stderr and "nothing was dropped" not in done.stderr, "what is there", done)
    expect("did not end the file" not in done.stderr, "nothing about the program", done)


def test_record_without_a_name_for_the_file_is_refused():
    done = filch("record", "-o", "", "--", "true")
    expect(done.returncode == 2 and "-o" in done.stderr and "name of a file" in done.stderr, "a refusal", done)


def test_a_device_is_refused_by_record():
    done = filch("record", "-o", "/dev/full", "--", base.COMMAND, "run", "fib", "--size", "10")
    expect(done.returncode == 1 and "/dev/full is no file" in done.stderr, "a refusal", done)
    expect(pathlib.Path("/dev/full").is_char_device(), "the device is there", done)


def test_a_program_that_records_itself_leaves_foreign_files_alone():
    notes = foreign("notes.txt")
    done = filch("run", "fib", "--size", "10", FILCH_TRACE=str(notes))
    expect(done.returncode == 0 and "is no recording: it stays as it is" in done.stderr, "a word about it", done)
    expect(notes.read_bytes() == FOREIGN, "notes as they were", done)


if __name__ == "__main__":
    base.COMMAND, base.SOURCE, base.WORK = (pathlib.Path(word) for word in sys.argv[1:4])
    shutil.rmtree(base.WORK, ignore_errors=True)
    base.WORK.mkdir(parents=True)
    globals()[f"test_{sys.argv[4]}"]()
