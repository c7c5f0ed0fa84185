"""Tests of calibrate, predict and validate from the outside. Called with the command, the checkout, a work directory
and one test's name.

Recordings of simulated runs are the same bytes everywhere, so what is predicted from them is known.
"""

import json
import pathlib
import shutil
import struct
import sys
import zlib

sys.dont_write_bytecode = True
import command_test as base
from command_test import expect, refuse, succeed

OPTIONS = ("--workers --machine --victims --steal --order --idle --wake --what-if --inflation --measured --rank-at "
           "--seed --seeds --json --plot --report").split()


def record(name="spawning", workers=1, file="one.filch", *more):
    path = base.WORK / file
    succeed("sim", name, "--workers", workers, "--seed", "3", "--trace", path, *more)
    return path


def predict(recording, *arguments):
    return json.loads(succeed("predict", recording, *arguments, "--json"))


# ---- predict ---------------------------------------------------------------------------------------------------------


def test_a_recording_of_one_worker_predicts_what_the_simulator_says_for_more():
    recording = record("granularity")
    rows = predict(recording, "--machine", "free", "--workers", "1,2,4,8", "--seeds", "20")["rows"]
    expect([row["workers"] for row in rows] == [1, 2, 4, 8], "a row for each number of workers")
    for row in rows:
        direct = json.loads(succeed("sim", "granularity", "--machine", "free", "--workers", row["workers"], "--json"))
        simulated_s = direct["run"]["scenario_s"]
        expect(abs(row["predicted_s"] / simulated_s - 1) < 0.001, f"{row['predicted_s']} is {simulated_s}")
        expect(row["least_s"] <= row["low_s"] + 1e-9, "no schedule is faster than work and span allow")
        expect(row["low_s"] <= row["predicted_s"] <= row["high_s"], "the mean lies between the seeds")


def test_predictions_are_the_same_bytes_for_the_same_seeds():
    recording = record()
    first = succeed("predict", recording, "--workers", "1..8")
    expect(first == succeed("predict", recording, "--workers", "1..8"), "the same bytes")
    expect(first != succeed("predict", recording, "--workers", "1..8", "--seed", "77"), "other seeds, others")
    for word in ("speed-up", "work", "span", "greedy", "burdened", "limit", "Which change would help most"):
        expect(word in first, f"the table tells of {word}")


def test_a_range_becomes_round_numbers_and_a_list_is_taken_as_it_is():
    recording = record()
    rows = predict(recording, "--workers", "1..64", "--seeds", "1")["rows"]
    expect([row["workers"] for row in rows] == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64], "round numbers")
    rows = predict(recording, "--workers", "7,3,3,5..6", "--seeds", "1")["rows"]
    expect([row["workers"] for row in rows] == [3, 5, 6, 7], "what was said, in rising order")


def test_changes_of_the_program_are_applied_one_after_the_other():
    recording = record()
    plain = predict(recording, "--workers", "1", "--machine", "free")
    names = [row["name"] for row in plain["ranked"]]
    half = predict(recording, "--workers", "1", "--machine", "free", "--what-if", f"scale name={names[0]} 0.5")
    saved = plain["rows"][0]["predicted_s"] - half["rows"][0]["predicted_s"]
    share = plain["ranked"][0]["work_share"] * plain["work_s"] / 2
    expect(abs(saved - share) < 1e-6, f"half of that name's work is gone: {saved} and {share}")
    none = predict(recording, "--workers", "1", "--machine", "free", "--what-if", f"scale name={names[0]} 0.5",
                   "--what-if", f"scale name={names[0]} 0")
    expect(abs(none["rows"][0]["predicted_s"] - plain["ranked"][0]["none_s"]) < 1e-6, "the ranking says the same")
    expect(len(none["what_if"]) == 2, "both changes are told")


def test_names_are_ranked_by_what_they_would_bring():
    ranked = predict(record(), "--workers", "4", "--seeds", "1")["ranked"]
    expect(len(ranked) >= 2, "several names")
    expect(all(a["none_s"] <= b["none_s"] for a, b in zip(ranked, ranked[1:])), "the best first")


def test_more_memory_traffic_makes_it_slower_and_is_told():
    recording = record("granularity")
    found = predict(recording, "--workers", "1,2,4", "--machine", "free", "--inflation", "2=1.5,4=2", "--seeds", "1")
    expect([row["inflation"] for row in found["rows"]] == [1, 1.5, 2], "the factors")
    expect(found["rows"][2]["limit"] == "memory", "memory limits")
    said = succeed("predict", recording, "--workers", "4", "--machine", "free", "--inflation", "4=2", "--seeds", "1")
    expect("memory limits" in said, "and it is said in words")


def test_measured_runs_stand_beside_and_files_are_written():
    recording = record()
    other = record("spawning", 4, "four.filch")
    svg, page, out = base.WORK / "speed.svg", base.WORK / "page.html", base.WORK / "out.json"
    said = succeed("predict", recording, "--workers", "1..4", "--measured", other, "--plot", svg, "--report", page,
                   "--json", out)
    expect("measured" in said, "the measured column")
    found = json.loads(out.read_text(encoding="utf-8"))
    expect([run["workers"] for run in found["measured"]] == [1, 4], "the recording itself, and the other")
    drawn = svg.read_text(encoding="utf-8")
    for name in ("predicted", "measured", "greedy", "burdened"):
        expect(name in drawn, f"the picture shows {name}")
    expect("predicted" in page.read_text(encoding="utf-8"), "the page shows the curve")


def record_kernel(file, *options):
    """A recording of a kernel that forks, on one worker, as filch record makes it."""
    done = base.filch("record", "-o", file, *options, "--", base.COMMAND, "run", "mergesort", "--size", "200000",
                      "--workers", "1")
    expect(done.returncode == 0, f"a recording {file}", done)
    return base.WORK / file


def without_facts(recording, file):
    """The recording as an earlier version of filch would have written it: it does not say which forks it has."""
    bytes_in = recording.read_bytes()
    out, at = bytes_in[:12], 12
    while at != len(bytes_in):
        kind, length = bytes_in[at:at + 4], int.from_bytes(bytes_in[at + 4:at + 8], "little")
        payload = bytes_in[at + 12:at + 12 + length]
        at += 12 + length
        if kind in (b"META", b"FACT"):
            payload = payload.replace(b"\x05forks", b"\x05FORKS")
        head = kind + length.to_bytes(4, "little")
        out += head + zlib.crc32(head + payload).to_bytes(4, "little") + payload
    path = base.WORK / file
    path.write_bytes(out)
    return path


def ids_of_doubts(*arguments):
    return [each["id"] for each in json.loads(succeed(*arguments, "--json"))["doubts"]]


def test_a_recording_without_its_forks_is_refused_and_warned_of():
    recording = record_kernel("stolen.filch", "--detail", "stolen")
    again = "Record again: FILCH_WORKERS=1 filch record"
    refuse(("predict", recording), "stolen.filch", "no prediction is possible", again, code=1)
    refuse(("predict", recording, "--json"), "no prediction is possible", code=1)
    said = succeed("analyze", recording)
    expect("Warning: unrecorded-forks" in said and again in said, f"analyze warns: {said}")
    expect("no number of workers is faster" not in said, f"analyze does not claim what it cannot know: {said}")
    expect(ids_of_doubts("analyze", recording) == ["unrecorded-forks"], "the same in JSON")
    succeed("report", recording, base.WORK / "page.html")
    expect(again in (base.WORK / "page.html").read_text(encoding="utf-8"), "the page warns")


def test_a_recording_of_an_earlier_version_is_warned_of():
    recording = without_facts(record_kernel("new.filch"), "old.filch")
    again = "Record again: FILCH_WORKERS=1 filch record"
    said = succeed("predict", recording, "--workers", "1,2", "--seeds", "1", "--report", base.WORK / "page.html")
    expect("which does not say which forks it has" in said and again in said, f"a warning: {said}")
    expect("As far as the recording shows" in said, f"what limits is not claimed: {said}")
    expect(again in (base.WORK / "page.html").read_text(encoding="utf-8"), "the page warns")
    expect(ids_of_doubts("predict", recording, "--workers", "1") == ["unknown-forks"], "the same in JSON")
    expect("Warning: unknown-forks" in succeed("analyze", recording), "analyze warns")


def test_a_recording_of_every_fork_and_a_simulated_one_have_no_doubts():
    every = record_kernel("every.filch", "--detail", "every")
    for recording in (every, record()):
        expect(ids_of_doubts("predict", recording, "--workers", "1,8", "--seeds", "1") == [], "none to predict")
        expect(ids_of_doubts("analyze", recording) == [], "none to analyze")
        expect("no number of workers is faster" in succeed("analyze", recording), "the span is told as it is")


def test_predict_refuses_what_it_cannot_do():
    recording = record()
    refuse(("predict",), "recording")
    refuse(("predict", "run.json"), "run.json", ".filch")
    for option, value, *words in (("--workers", "0", "from 1"), ("--workers", "4..2", "1..64"),
                                  ("--workers", "x", "1,2,8"),
                                  ("--machine", "mars", "two-core-vm"), ("--victims", "nobody", "random"),
                                  ("--steal", "all-of-it", "half"), ("--seeds", "0", "from 1"),
                                  ("--rank-at", "0", "from 1"),
                                  ("--inflation", "2", "2=1.1"), ("--inflation", "4=2,2=3", "rising"),
                                  ("--what-if", "scale parse 2", "scale name=NAME FACTOR"),
                                  ("--what-if", "grain name=T1 1", "from 2"), ("--what-if", "cutoff name=T1 5", "50us"),
                                  ("--what-if", "scale name=nobody 2", "nobody", "no task has that name"),
                                  ("--plot", "speed.png", ".svg"), ("--report", "page.txt", ".html"),
                                  ("--json", "out.txt", ".json")):
        refuse(("predict", recording, option, value), option, *words)
    broken = base.WORK / "broken.filch"
    broken.write_bytes(recording.read_bytes()[:40])
    refuse(("predict", broken), "broken.filch", code=1)
    refuse(("predict", base.WORK / "nowhere.filch"), "nowhere.filch", code=1)


def instant_recording(file):
    """The recording of a program whose only task takes no time."""
    def block(kind, payload):
        head = kind + struct.pack("<I", len(payload))
        return head + struct.pack("<I", zlib.crc32(head + payload)) + payload

    def text(word):
        return bytes([len(word)]) + word

    about = b"\x02" + b"".join(map(text, (b"workers", b"1", b"source", b"threads")))
    events = b"\x01\x02" + b"\x21\x0a\x02" + b"\x22\x00\x00"  # two of worker 0: task 1 starts, and ends
    path = base.WORK / file
    path.write_bytes(b"\x89filch\r\n\x02\x00\x00\x00" + block(b"META", about) + block(b"EVNT", events) +
                     block(b"DONE", b"\x02"))
    return path


def test_where_nothing_takes_time_there_is_nothing_to_predict():
    instant = instant_recording("instant.filch")
    page = base.WORK / "page.html"
    for words in ((), ("--report", page), ("--json",)):
        refuse(("predict", instant, *words), "instant.filch: no prediction is possible: no task", code=1)
    found = json.loads(succeed("analyze", instant, "--json"))
    expect([each["id"] for each in found["verdicts"]] == ["no-work"], f"no work: {found['verdicts']}")
    # All work is changed away.
    recording = record("basic")
    names = [each["name"] for each in predict(recording, "--workers", "1", "--seeds", "1")["ranked"]]
    changes = [word for name in names for word in ("--what-if", f"scale name={name} 0")]
    succeed("predict", recording, "--workers", "1,2", "--machine", "free", "--seeds", "1", *changes, "--report", page)
    expect(page.exists(), "a page")


def test_help_names_every_option():
    text = succeed("predict", "--help")
    for option in OPTIONS:
        expect(option in text, f"the help tells of {option}")
    for command in ("calibrate", "validate"):
        expect("Examples:" in succeed(command, "--help"), f"{command} shows examples")


# ---- calibrate and validate ------------------------------------------------------------------------------------------


def test_a_calibrated_machine_is_one_that_the_simulator_takes():
    file = base.WORK / "here.json"
    said = succeed("calibrate", "-o", file)
    for cost in ("spawn_ns", "steal.success_ns", "wake_ns", "switch_ns", "migration", "quartiles"):
        expect(cost in said, f"the table tells of {cost}")
    machine = json.loads(file.read_text(encoding="utf-8"))
    expect(machine["costs"]["spawn_ns"] >= 0 and machine["workers"] >= 1, "a machine file")
    for row in machine["measured"]:
        expect(row["low"] <= row["median"] <= row["high"], f"quartiles of {row['cost']}")
    succeed("sim", "basic", "--machine", file)
    predict(record(), "--workers", "1,2", "--machine", file, "--seeds", "1")
    refuse(("calibrate", "--rounds", "3"), "--rounds", "from 7")
    refuse(("calibrate", "-o", "here.txt"), "--out", ".json")


def test_validation_tells_an_error_for_every_row():
    file = base.WORK / "errors.json"
    said = succeed("validate", "nqueens", "tree-sum", "--quick", "--machine", "two-core-vm", "--workers", "1,2",
                   "--json", file)
    expect("Bound by computing" in said and "Bound by memory" in said, "two tables")
    rows = json.loads(file.read_text(encoding="utf-8"))["rows"]
    expect([(row["workload"], row["kind"], row["workers"]) for row in rows] ==
           [("nqueens", "compute", 1), ("nqueens", "compute", 2), ("tree-sum", "memory", 1), ("tree-sum", "memory", 2)],
           "a row for each kernel and number of workers")
    for row in rows:
        expect(row["predicted_s"] > 0 and row["measured_s"] > 0, "times")
    refuse(("validate", "fibonacci"), "fibonacci", "nqueens")
    refuse(("validate", "--rounds", "1"), "--rounds", "from 3")
    refuse(("validate", "--workers", "many"), "--workers", "many")


if __name__ == "__main__":
    base.COMMAND, base.SOURCE, base.WORK = (pathlib.Path(word) for word in sys.argv[1:4])
    shutil.rmtree(base.WORK, ignore_errors=True)
    base.WORK.mkdir(parents=True)
    globals()[f"test_{sys.argv[4]}"]()
