"""Tests of `filch bench` from the outside. Called with the command, the folder of the real programs, a work directory
and one test's name.

Most tests use programs that only claim to have measured something: so what comes out is known. No test looks at real
times. What the host of a virtual machine takes does not come from the system either, but from a file.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import time

FAKE = """#!{python}
import json, os, signal, sys, time
told = {told!r}
if sys.argv[1:] == ["--about"]:
    print(json.dumps(told["about"]))
    sys.exit()
workload, size, threads = sys.argv[1], *map(int, sys.argv[2:4])
repetitions = 0 if sys.argv[4] == "turns" else int(sys.argv[4])
def note(*words):
    with open({log!r}, "a") as log:
        print(told["about"]["runtime"], workload, size, threads, *words, file=log)
note()
time.sleep(told["sleep_s"])
if told["exit_code"]:
    sys.exit(told["exit_code"])
if told["misdeed"] == "die":
    os.kill(os.getpid(), signal.SIGSEGV)
elif told["misdeed"] == "garble":
    sys.stdout.buffer.write(bytes([7, 255]) + b"no JSON")
    sys.exit()
elif told["misdeed"] == "flood":
    while True:
        print("x" * 1000)
elif told["misdeed"] == "go on without output":
    os.close(1)
    time.sleep(60)
elif told["misdeed"] == "be brief":
    repetitions -= 1
elif told["misdeed"] == "count backwards":
    told["ns"] = {{key: -each for key, each in told["ns"].items()}}
if sys.argv[4] == "turns":
    print(json.dumps({{"ready": True}}), flush=True)
    for turn, _ in enumerate(sys.stdin, 1):
        note("turn", turn)
        time.sleep(told["turn_s"])
        if str(turn) in told["taken"]:
            with open(os.environ["FILCH_BENCH_STAT"], "r+") as stat:
                ticks = int(stat.read().split()[8]) + told["taken"][str(turn)]
                stat.seek(0)
                print("cpu 0 0 0 0 0 0 0", ticks, "0 0", file=stat)
        misdeed = told["in_turn"].get(str(turn), "")
        if misdeed == "die":
            os.kill(os.getpid(), signal.SIGSEGV)
        elif misdeed == "leave":
            sys.exit()
        elif misdeed == "hang":
            time.sleep(60)
        elif misdeed == "garble":
            print("no JSON", flush=True)
            continue
        all_ns = told["ns"][str(threads)]
        ns = all_ns[(turn - 1) % len(all_ns)] if isinstance(all_ns, list) else all_ns
        checksum = "8" if misdeed == "err" else told["checksum"]
        print(json.dumps({{"ns": ns, "cpu_ns": 2 * ns, "checksum": checksum}}), flush=True)
for _ in range(repetitions):
    is_copies = told["about"]["runtime"] == "serial" and threads != 0
    ns = told["ns"]["0"] * 3 // 2 // threads if is_copies else told["ns"][str(threads)]
    print(json.dumps({{"ns": ns, "cpu_ns": 2 * ns, "checksum": told["checksum"], "bytes": 3 * ns}}), flush=True)
"""
ASYNC = ["spawn_many", "yield_many", "fib", "sleepers"]
ALL = ["fib", "nqueens", "skynet", "matmul", "mergesort", "sort", "uts_t1", "uts_t3", "tree_sum", "for_each", "join"]


def fake(file, runtime, ns, *, folder="programs", language="C++", compiler="GNU 1", workloads=ALL, checksum="7",
         sleep_s=0, exit_code=0, misdeed="", takes_turns=False, in_turn={}, taken={}, turn_s=0):
    """A program whose times are `ns` by number of threads; in turns a list: by round. `in_turn`: misdeeds by turn.
    `taken`: the ticks that the host takes by turn. A turn takes `turn_s` seconds or more."""
    about = {"runtime": runtime, "language": language, "compiler": compiler, "flags": "-O9",
             "has_serial": language != "C++", "workloads": workloads}
    if takes_turns:
        about["takes_turns"] = True
    told = {"about": about, "in_turn": {str(turn): each for turn, each in in_turn.items()},
            "ns": {str(threads): each for threads, each in ns.items()}, "checksum": checksum,
            "taken": {str(turn): each for turn, each in taken.items()}, "turn_s": turn_s, "sleep_s": sleep_s,
            "exit_code": exit_code, "misdeed": misdeed}
    path = WORK / folder / file
    path.parent.mkdir(exist_ok=True)
    path.write_text(FAKE.format(python=sys.executable, told=told, log=str(WORK / "log")))
    path.chmod(0o755)


def bench(*arguments):
    return subprocess.run([str(COMMAND), "bench", *map(str, arguments)], cwd=WORK, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=200)


def expect(condition, what, done=None):
    if not condition:
        details = f"\nexit code {done.returncode}\nstdout:\n{done.stdout}\nstderr:\n{done.stderr}" if done else ""
        sys.exit(f"expected: {what}{details}")


def succeed(*arguments):
    done = bench(*arguments)
    expect(done.returncode == 0 and done.stderr == "", f"success and no complaint from {arguments}", done)
    return done.stdout


def fail(arguments, *parts):
    """What came of it is on standard output, with these parts, and the exit code says that something failed."""
    done = bench(*arguments)
    expect(done.returncode == 1 and "failed: the lines below the table" in done.stderr, f"failure of {arguments}", done)
    for part in parts:
        expect(part in done.stdout, f"{part!r} in the output of {arguments}", done)
    return done.stdout


def refuse(arguments, *parts, code=2):
    done = bench(*arguments)
    expect(done.returncode == code and done.stdout == "", f"exit code {code} and no output from {arguments}", done)
    for part in parts:
        expect(part in done.stderr, f"{part!r} in the complaint about {arguments}", done)


def told_by(*arguments):
    out = succeed("--json", "out.json", *arguments)
    expect("Wrote out.json" in out, f"the file is announced in {out}")
    return out, json.loads((WORK / "out.json").read_text())


def told_by_async(*arguments):
    out = succeed("async", "--json", "out.json", *arguments)
    return out, json.loads((WORK / "out.json").read_text())


def rows_of(told):
    return {(row["measurement"], row["runtime"], row["compiler"], row["threads"]): row for row in told["rows"]}


def test_ratios_are_to_the_serial_code_of_the_same_compiler():
    for compiler, factor in (("GNU 1", 1), ("Clang 2", 10)):
        folder = compiler.split()[0]
        fake("serial", "serial", {0: 1000 * factor}, folder=folder, compiler=compiler)
        fake("filch", "filch", {1: 1100 * factor, 2: 600 * factor}, folder=folder, compiler=compiler)
    fake("rayon", "rayon 9", {0: 500, 1: 1000, 2: 510}, folder="GNU", language="Rust", compiler="rustc 3")
    out, told = told_by("fib", "--threads", "1,2", "--programs", "GNU", "--programs", "Clang", "--peers", "--rounds",
                        "3")
    rows = rows_of(told)
    ratios = {key[1:]: row["ratio"] for key, row in rows.items()}
    expect(ratios == {("filch", "GNU 1", 1): 1.1, ("filch", "GNU 1", 2): 0.6, ("filch", "Clang 2", 1): 1.1,
                      ("filch", "Clang 2", 2): 0.6, ("rayon 9", "rustc 3", 1): 2.0, ("rayon 9", "rustc 3", 2): 1.02,
                      ("serial", "GNU 1", 2): 0.75, ("serial", "Clang 2", 2): 0.75},
           f"ratios in {ratios}")
    expect(all(len(row["ratios"]) == 3 for row in rows.values()), f"three rounds in {rows}")
    expect(told["not_ahead"] == [] and "*" not in out, f"filch is ahead in {out}")
    expect("1.10 / 0.60" in out and "2.00 / 1.02" in out and "Clang 2" in out, f"the table in {out}")
    expect(out.count("1 / 0.75") == 2 and "serial copies: " in out, f"what two copies at once get in {out}")
    expect(out.index("\nGNU 1\n") < out.index("\nClang 2\n"), f"the compiler of the first folder comes first in {out}")
    expect(rows["fib", "rayon 9", "rustc 3", 1]["time_to_filch"] == 1000 / 1100,
           f"and is whom others are compared with: {rows}")
    for key in ("date", "cpu", "cpus", "kernel", "foreign_cpus", "load_before", "clock"):
        expect(key in told["context"], f"{key} in {told['context']}")


def test_somebody_better_is_marked_and_named():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 1200, 2: 600})
    fake("tbb", "oneTBB", {1: 1100, 2: 700})
    out, told = told_by("fib", "--threads", "1,2", "--programs", "programs", "--peers", "--rounds", "2")
    expect("1.20* / 0.60" in out, f"a star at one thread in {out}")
    expect("fib, 1 thread: oneTBB 1.10" in out and "fib, 2 threads" not in out, f"who is better in {out}")
    expect([(each["runtime"], each["threads"]) for each in told["not_ahead"]] == [("oneTBB", 1)], f"{told}")


def test_without_peers_only_serial_code_and_filch_are_run():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 1200, 3: 600})
    fake("tbb", "oneTBB", {1: 1100}, exit_code=1)
    out, told = told_by("fib", "skynet", "--threads", "1,3", "--programs", "programs", "--rounds", "1")
    expect({row["runtime"] for row in told["rows"]} == {"filch", "serial"} and "oneTBB" not in out, f"no peer in {out}")
    lines = (WORK / "log").read_text().split("\n")[:-1]
    expect(sorted(lines) == ["filch fib 36 1", "filch fib 36 3", "filch skynet 1000000 1", "filch skynet 1000000 3",
                             "serial fib 36 0", "serial fib 36 3", "serial skynet 1000000 0",
                             "serial skynet 1000000 3"], f"each once, serial alone and in three copies, in {lines}")


def test_slow_runtimes_get_small_sizes_with_serial_code_of_that_size():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {2: 600})
    fake("openmp", "OpenMP (libgomp)", {2: 9000})
    _, told = told_by("fib", "--threads", "2", "--programs", "programs", "--peers", "--rounds", "1")
    sizes = {row["runtime"]: row["size"] for row in told["rows"]}
    expect(sizes == {"serial": 36, "filch": 36, "OpenMP (libgomp)": 27}, f"{told}")
    lines = (WORK / "log").read_text()
    expect("serial fib 36 0" in lines and "serial fib 27 0" in lines, f"serial code of both sizes in {lines}")


def test_the_order_changes_from_round_to_round():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600})
    fake("tbb", "oneTBB", {1: 700})
    fake("par", "std::execution::par", {1: 700})
    succeed("for-each-1k", "--threads", "1", "--programs", "programs", "--peers", "--rounds", "4")
    firsts = [line for line in (WORK / "log").read_text().splitlines() if not line.startswith("serial")][::3]
    expect(len(firsts) == 4 and len(set(firsts)) > 1, f"not always the same first in {firsts}")


def test_a_wrong_result_is_a_failure():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600}, checksum="8")
    fail(("fib", "--threads", "1", "--programs", "programs"), "fib, 1 thread: filch", "computes 8, the serial code 7")


def test_a_peer_that_computes_something_else_is_named_and_has_no_time():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600, 2: 400})
    fake("tbb", "oneTBB", {1: 700, 2: 450})
    fake("wrong", "wrong", {1: 100, 2: 100}, checksum="8")
    out = fail(("fib", "--threads", "1,2", "--programs", "programs", "--peers", "--rounds", "3", "--json", "out.json",
                "--plot", "out.svg"), "fib, 1 thread: wrong (GNU 1) computes 8, the serial code 7",
               "fib, 2 threads: wrong (GNU 1) computes 8, the serial code 7", "failed / failed", "0.70 / 0.45")
    expect("*" not in out, f"a wrong result is ahead of nobody in {out}")
    told = json.loads((WORK / "out.json").read_text())
    rows = rows_of(told)
    for threads in (1, 2):
        row = rows["fib", "wrong", "GNU 1", threads]
        expect("computes 8" in row["failure"] and not {"ratio", "median_ns", "ns"} & set(row), f"no time of it: {row}")
        expect(rows["fib", "oneTBB", "GNU 1", threads]["ratio"] > 0, f"the others have theirs: {rows}")
    expect([each["runtime"] for each in told["not_ahead"]] == [], f"nor is it in the file: {told}")
    expect("Not in the picture: fib, 2 threads: wrong, GNU 1: failed" in out, f"nor has the picture: {out}")


def test_a_program_that_fails_is_a_failure():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600}, exit_code=3)
    fail(("fib", "--threads", "1", "--programs", "programs"), "fib, 1 thread: filch", "exit code 3")
    fake("filch", "filch", {1: 600})
    fake("serial", "serial", {0: 1000}, misdeed="die")
    fail(("fib", "--threads", "1", "--programs", "programs"), "filch", "its serial code was ended by signal 11")


def test_programs_that_cannot_be_asked_are_named():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600})
    for name, text in (("garbled", "echo no JSON"), ("dying", "kill -ABRT $$"), ("failing", "exit 4")):
        (WORK / "programs" / name).write_text(f"#!/bin/sh\n{text}\n")
        (WORK / "programs" / name).chmod(0o755)
    (WORK / "programs/no_program").write_bytes(b"\x7fELF and no more")
    (WORK / "programs/no_program").chmod(0o755)
    fail(("fib", "--threads", "1", "--programs", "programs", "--peers", "--json", "out.json"), "0.60",
         "programs/garbled --about violates the protocol: prints \"no JSON?\"",
         "programs/dying --about was ended by signal 6", "programs/failing --about failed with exit code 4",
         "programs/no_program --about cannot be started")
    told = json.loads((WORK / "out.json").read_text())
    expect(len(told["context"]["unusable_programs"]) == 4 and len(told["rows"]) == 1, f"the file says so: {told}")
    shutil.copy(WORK / "programs/garbled", WORK / "programs/filch")
    refuse(("fib", "--threads", "1", "--programs", "programs"), "programs/filch --about", "no JSON", code=1)


MISDEEDS = {"die": "was ended by signal 11", "garble": "violates the protocol: prints \"??no JSON\"",
            "flood": "printed more than", "be brief": "printed 2 repetitions instead of 3",
            "count backwards": "violates the protocol: prints"}


def test_a_peer_that_misbehaves_is_named_in_the_table_and_the_file():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600})
    for name in MISDEEDS:
        fake(name, f"bad to {name}", {1: 500}, misdeed=name)
    parts = [f"fib, 1 thread: bad to {name} (GNU 1) {text}" for name, text in MISDEEDS.items()]
    out = fail(("fib", "--threads", "1", "--programs", "programs", "--peers", "--rounds", "3", "--json", "out.json",
                "--plot", "out.svg"), "0.60", *parts)
    expect("*" not in out, f"nobody else has a ratio in {out}")
    told = json.loads((WORK / "out.json").read_text())
    rows = {row["runtime"]: row for row in told["rows"]}
    for name, text in MISDEEDS.items():
        row = rows[f"bad to {name}"]
        expect(text in row["failure"] and "ratio" not in row, f"{text} in {row}")
        expect((WORK / "log").read_text().count(f"bad to {name} ") == 1, f"{name}: it is not tried again")
    expect(rows["filch"]["ratio"] == 0.6 and told["context"]["rounds_done"] == 3, f"filch has its values in {rows}")


def test_an_asynchronous_peer_that_misbehaves_is_named_in_the_table_and_the_file():
    async_fakes()
    fake("dead", "dead", {1: 500}, workloads=ASYNC, misdeed="die")
    fake("hanging", "hanging", {1: 500}, workloads=ASYNC, misdeed="go on without output")
    fake("wrong", "wrong", {1: 500}, workloads=ASYNC, checksum="999")
    fail(("async", "--quick", "--only", "spawn-many", "--threads", "1", "--programs", "programs", "--peers", "--rounds",
          "2", "--limit", "4", "--json", "out.json", "--plot", "out.svg"), "2000", "> limit", "failed",
         "spawn-many, 1 thread: dead (GNU 1) was ended by signal 11", "wrong (GNU 1) computes 999, right is 1000")
    rows = {row["runtime"]: row for row in json.loads((WORK / "out.json").read_text())["rows"]}
    expect("signal 11" in rows["dead"]["failure"] and rows["hanging"]["is_too_slow"], f"the file says so: {rows}")
    expect(rows["tokio 1"]["filch_to_this"] == 2, f"the others are compared in {rows}")


def ended(by):
    """The command, to which a signal came while the second measurement of the first round hung; and its output."""
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600})
    fake("slow", "slow", {1: 600}, workloads=["nqueens"], sleep_s=60)
    done = subprocess.Popen([str(COMMAND), "bench", "fib", "nqueens", "--threads", "1", "--programs", "programs",
                             "--peers",
                             "--json", "out.json"], cwd=WORK, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            start_new_session=True)
    for _ in range(1000):
        if (WORK / "log").exists() and "slow nqueens" in (WORK / "log").read_text():
            break
        time.sleep(0.05)
    done.send_signal(by)
    done.wait(timeout=100)
    done.stdout, done.stderr = done.communicate(timeout=20)  # what hung does not hold the output: it has ended, too
    return done


def test_a_signal_ends_the_measurements_with_what_is_known():
    done = ended(signal.SIGTERM)
    expect(done.returncode == 128 + signal.SIGTERM, "the exit code of a signal", done)
    expect("0 of 7 rounds" in done.stdout and "0.60" in done.stdout and "not run" in done.stdout, "the table", done)
    expect("signal 15" in done.stderr and "round 1 of 7: nqueens, slow, 1 thread" in done.stderr, "what ran", done)
    told = json.loads((WORK / "out.json").read_text())
    expect(told["context"]["rounds_done"] == 0 and "nqueens" in told["context"]["ended_in"],
           f"the file says so: {told}")


def test_a_crash_of_the_command_says_what_ran_and_keeps_what_is_known():
    done = ended(signal.SIGSEGV)
    expect(done.returncode == -signal.SIGSEGV, "the process ends as by any crash", done)
    expect("the command itself crashed (SIGSEGV) in round 1 of 7: nqueens, slow, 1 thread" in done.stderr, "what ran",
           done)
    rows = rows_of(json.loads((WORK / "out.json").read_text()))
    expect(rows["fib", "filch", "GNU 1", 1]["ratio"] == 0.6, f"the measurement before is in the file: {rows}")


def test_the_file_is_written_even_if_nobody_reads_the_table():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600})
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run([str(COMMAND), "bench", "fib", "--threads", "1", "--programs", "programs", "--json",
                           "out.json"],
                          cwd=WORK, text=True, stdout=writing, stderr=subprocess.PIPE, timeout=100)
    expect(done.returncode == 1 and "standard output could not be written" in done.stderr, "a complaint", done)
    expect(json.loads((WORK / "out.json").read_text())["context"]["rounds_done"] == 7, "all rounds in the file", done)
    refuse(("fib", "--threads", "1", "--programs", "programs", "--json", "nowhere/out.json"), "nowhere/out.json",
           code=1)


def test_a_run_beyond_the_limit_is_ended_and_left_out():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600})
    fake("slow", "oneTBB", {1: 600}, sleep_s=60)
    out, told = told_by("fib", "--threads", "1", "--programs", "programs", "--peers", "--limit", "4", "--rounds", "2")
    expect("> limit" in out, f"the table says so in {out}")
    expect(rows_of(told)["fib", "oneTBB", "GNU 1", 1]["is_too_slow"], f"and the file: {told}")
    expect((WORK / "log").read_text().count("oneTBB") == 1, "it is not tried again")


def turns_fakes():
    """Serial code, filch and two peers that take turns."""
    fake("serial", "serial", {0: 1000}, takes_turns=True)
    fake("filch", "filch", {1: 600}, takes_turns=True)
    fake("tbb", "oneTBB", {1: 700}, takes_turns=True)
    fake("par", "std::execution::par", {1: 800}, takes_turns=True)


def turns_of(runtime):
    """The numbers of its turns, in the order in which it took them."""
    lines = (WORK / "log").read_text().splitlines()
    return [int(line.split()[-1]) for line in lines if line.startswith(f"{runtime} ") and " turn " in line]


IN_TURNS = ("fib", "--threads", "1", "--programs", "programs", "--peers")


def test_programs_that_take_turns_are_started_once_and_go_round_by_round():
    turns_fakes()
    out, told = told_by(*IN_TURNS, "--rounds", "4")
    expect("; 4 rounds, in turns;" in out and told["context"]["rounds_done"] == 4, f"the rounds in {out}")
    lines = (WORK / "log").read_text().splitlines()
    names = ["serial fib 36 0", "filch fib 36 1", "oneTBB fib 36 1", "std::execution::par fib 36 1"]
    expect(sorted(lines[:4]) == sorted(names), f"all are started, each once, before anybody's turn: {lines}")
    rounds = [lines[4 + 4 * i:8 + 4 * i] for i in range(4)]
    for i, turns in enumerate(rounds):
        expect(sorted(turns) == sorted(f"{name} turn {i + 1}" for name in names),
               f"one turn of each in round {i}: {lines}")
    expect(len(lines) == 20, f"nothing else: {lines}")
    firsts = {[turn for turn in turns if not turn.startswith("serial")][0].split()[0] for turns in rounds}
    expect(len(firsts) > 1, f"not always the same first in {rounds}")
    (WORK / "log").unlink()
    out, told = told_by(*IN_TURNS)
    expect({len(row["ns"]) for row in told["rows"]} == {51} and "51 rounds, in turns" in out,
           f"more if they are short: {out}")
    _, told = told_by(*IN_TURNS, "--quick")
    expect({len(row["ns"]) for row in told["rows"]} == {7}, f"but not with --quick: {told}")


def test_a_measurement_is_in_turns_only_if_all_its_programs_take_them():
    turns_fakes()
    fake("old", "old", {1: 900}, workloads=["join"])
    out, told = told_by("fib", "join-tiny", *IN_TURNS[1:], "--rounds", "2")
    rows = rows_of(told)
    expect("least_ratio" in rows["fib", "filch", "GNU 1", 1], f"fib is in turns: {rows}")
    expect("least_ratio" not in rows["join-tiny", "filch", "GNU 1", 1], f"join-tiny is not: {rows}")
    expect("2 rounds, some in turns" in out and out.count("join-tiny") == 1, f"the second table has fib only: {out}")
    expect(rows["join-tiny", "old", "GNU 1", 1]["ratio"] == 0.9 and told["context"]["rounds_done"] == 2, f"{told}")


def test_what_dies_leaves_garbles_or_errs_in_a_turn_has_failed_and_the_others_have_all_rounds():
    turns_fakes()
    for name in ("die", "leave", "garble", "err"):
        fake(name, f"bad to {name}", {1: 500}, takes_turns=True, in_turn={3: name})
    fake("deaf", "deaf", {1: 500}, takes_turns=True, exit_code=3)
    out = fail((*IN_TURNS, "--rounds", "6", "--json", "out.json"),
               "bad to die (GNU 1) was ended by signal 11", "bad to leave (GNU 1) ended before its last turn",
               "bad to garble (GNU 1) violates the protocol: prints \"no JSON\"",
               "bad to err (GNU 1) computes 8, the serial code 7", "deaf (GNU 1) failed with exit code 3")
    rows = {row["runtime"]: row for row in json.loads((WORK / "out.json").read_text())["rows"]}
    for name in ("die", "leave", "garble", "err"):
        expect(turns_of(f"bad to {name}") == [1, 2, 3], f"{name}: no turn after its failure")
        expect("failure" in rows[f"bad to {name}"] and "ns" not in rows[f"bad to {name}"],
               f"no times of {name}: {rows}")
    for name, ratio in (("filch", 0.6), ("oneTBB", 0.7), ("std::execution::par", 0.8)):
        expect(rows[name]["ratios"] == [ratio] * 6, f"{name} has six rounds in {rows}")
    expect("; 6 rounds, in turns;" in out, f"the rounds in {out}")


def test_a_turn_beyond_the_limit_is_ended_and_left_out():
    turns_fakes()
    fake("slow", "slow", {1: 600}, takes_turns=True, in_turn={2: "hang"})
    fake("late", "late", {1: 600}, takes_turns=True, sleep_s=60)
    out, told = told_by(*IN_TURNS, "--limit", "2", "--rounds", "5")
    rows = rows_of(told)
    for name in ("slow", "late"):
        expect(rows["fib", name, "GNU 1", 1]["is_too_slow"], f"{name} is too slow in {rows}")
    expect(out.count("> limit") == 4 and turns_of("slow") == [1, 2] and turns_of("late") == [],
           f"both tables say so: {out}")
    expect(len(rows["fib", "filch", "GNU 1", 1]["ns"]) == 5, f"the others have all rounds: {rows}")


def test_least_times_and_medians_of_turns_are_right_and_shown_again():
    fake("serial", "serial", {0: [1000, 2000, 800, 1000, 1000], 2: 500}, takes_turns=True)
    fake("filch", "filch", {1: [1100, 2000, 960, 1200, 600], 2: [600, 600, 600, 600, 400]}, takes_turns=True)
    out, told = told_by("fib", "--threads", "1,2", "--programs", "programs", "--rounds", "5")
    rows = rows_of(told)
    one, two = rows["fib", "filch", "GNU 1", 1], rows["fib", "filch", "GNU 1", 2]
    expect(one["ns"] == [1100, 2000, 960, 1200, 600] and one["ratios"] == [1.1, 1, 1.2, 1.2, 0.6], f"by round: {one}")
    expect((one["ratio"], one["least_ratio"]) == (1.1, 0.75) and (two["ratio"], two["least_ratio"]) == (0.6, 0.5),
           f"{rows}")
    first, second = out.split("Least time as a ratio to the least of serial code")
    expect("1.10 / 0.60" in first and "0.75 / 0.50" in second and "1 / 0.62" in second, f"both tables in {out}")
    again = succeed("--from", "out.json")
    expect(again == out.replace("Wrote out.json.\n", ""), f"the same from the file: {again}")
    for row in told["rows"]:
        del row["least_ratio"]
    saved_as("old.json", told)
    old = succeed("--from", "old.json")
    expect("1.10 / 0.60" in old and "Least time" not in old, f"a file of an older version: {old}")


MUCH = 10**9  # ticks: too many for any turn


def test_ratios_with_turns_in_which_the_host_took_the_cpus_are_left_out_and_rounds_make_up_for_them():
    quiet = iter(range(600, 690, 10))
    times = [9000 if turn in (2, 3, 5) else next(quiet) for turn in range(1, 13)]
    fake("serial", "serial", {0: 1000}, takes_turns=True, taken={5: MUCH})
    fake("filch", "filch", {1: times}, takes_turns=True, taken={2: MUCH, 3: MUCH})
    fake("tbb", "oneTBB", {1: 500}, takes_turns=True)
    out, told = told_by(*IN_TURNS, "--rounds", "9", "--plot", "first.svg")
    own, peer = (rows_of(told)["fib", name, "GNU 1", 1] for name in ("filch", "oneTBB"))
    expect(own["disturbed"] == [turn in (2, 3, 5) for turn in range(1, 13)], f"rounds until nine are quiet: {own}")
    expect(peer["disturbed"] == [turn == 5 for turn in range(1, 13)], f"serial code counts, too: {peer}")
    expect(own["ns"] == times and len(own["ratios"]) == len(peer["ratios"]) == 12, f"every value is kept: {told}")
    expect((own["ratio"], own["ratio_least"], own["ratio_most"]) == (0.64, 0.6, 0.68), f"of nine rounds: {own}")
    expect((own["median_ns"], own["ratio_low"], own["ratio_high"]) == (640, 0.61, 0.67), f"likewise: {own}")
    for part in (" 0.64* ", "oneTBB 0.50 (500 ns) against 0.64 (640 ns; ", " 0.64 (0.61 to 0.67)\n"):
        expect(part in out, f"{part!r} in {out}")
    context = told["context"]
    expect(context["host_share"] > 0 and context["ratios_left_out"] == 4, f"the file says so: {context}")
    host = f"the host took {100 * context['host_share']:.1f} % of the CPUs; of 24 ratios 4 were left out because of it"
    expect(f"; 12 rounds, in turns; {host}; others used" in out, f"and the table: {out}")
    again = succeed("--from", "out.json", "--plot", "second.svg")
    expect(again.replace("second.svg", "first.svg") == out.replace("Wrote out.json.\n", ""),
           f"the same from the file: {again}")
    expect((WORK / "first.svg").read_text() == (WORK / "second.svg").read_text(), "the same picture")
    own["ratios"] = [5 if is_left_out else ratio for ratio, is_left_out in zip(own["ratios"], own["disturbed"])]
    saved_as("other.json", told)
    succeed("--from", "other.json", "--plot", "second.svg")
    expect((WORK / "first.svg").read_text() == (WORK / "second.svg").read_text(),
           "what was left out is not in the picture")
    own["disturbed"].pop()
    saved_as("bad.json", told)
    refuse(("--from", "bad.json"), "bad.json: fib, 1 thread: filch has 12 values, but marks 11", code=1)
    for row in told["rows"]:
        del row["disturbed"], row["ratio_low"], row["ratio_high"]
    del context["host_share"], context["ratios_left_out"]
    saved_as("old.json", told)
    old = succeed("--from", "old.json")
    expect(" (0.62 to 5.00)\n" in old and "the host" not in old, f"a file of an older version: {old}")


def test_there_are_at_most_twice_as_many_rounds_and_with_few_quiet_ones_all_count():
    fake("serial", "serial", {0: 1000}, takes_turns=True)
    fake("filch", "filch", {1: 600}, takes_turns=True, taken={turn: MUCH for turn in range(1, 100)})
    fake("tbb", "oneTBB", {1: [700] * 4 + [800] * 6}, takes_turns=True, taken={turn: MUCH for turn in (1, 2, 3, 4)})
    out, told = told_by(*IN_TURNS, "--rounds", "5")
    own, peer = (rows_of(told)["fib", name, "GNU 1", 1] for name in ("filch", "oneTBB"))
    expect(own["ratios"] == [0.6] * 10 and own["disturbed"] == [True] * 10, f"ten rounds: {own}")
    expect(peer["ratio"] == 0.8 and peer["ratio_least"] == 0.7, f"of ten with six quiet ones all count: {peer}")
    expect("; of 20 ratios 0 were left out because of it, and 14 kept where fewer than 7 others are;" in out, f"{out}")


def test_a_tick_in_a_long_turn_and_a_system_that_tells_nothing_disturb_nobody():
    fake("serial", "serial", {0: 1000}, takes_turns=True)
    fake("filch", "filch", {1: 600}, takes_turns=True, turn_s=0.6, taken={1: 1, 2: 1})
    out, told = told_by(*IN_TURNS, "--rounds", "2")
    expect(told["rows"][0]["disturbed"] == [False, False] and told["context"]["host_share"] > 0,
           f"10 of 600 ms: {told}")
    expect("; 2 rounds, in turns;" in out and "left out" not in out.split("\n")[0], f"no more rounds: {out}")
    fake("filch", "filch", {1: 600}, takes_turns=True)
    for text in ("cpu 1 2 3 4 5 6 7\n", ""):
        (WORK / "stat").write_text(text)
        out, told = told_by(*IN_TURNS, "--rounds", "2")
        expect("; 2 rounds, in turns; others used" in out and told["context"]["host_share"] == 0, f"{text!r}: {out}")
    del os.environ["FILCH_BENCH_STAT"]
    _, told = told_by(*IN_TURNS, "--rounds", "2")
    expect(told["context"]["host_share"] >= 0, f"what this system tells: {told}")


def test_the_third_table_has_filchs_medians_with_their_confidence_intervals():
    fake("serial", "serial", {0: 1000, 2: 500}, takes_turns=True)
    fake("filch", "filch", {1: list(range(1010, 1220, 10)), 2: [500] * 5 + [530] * 11 + [590] * 5}, takes_turns=True)
    fake("tbb", "oneTBB", {1: 1300, 2: 700}, takes_turns=True)
    words = ("fib", "--threads", "1,2", "--programs", "programs", "--peers")
    out, told = told_by(*words, "--rounds", "21")
    row = rows_of(told)["fib", "filch", "GNU 1", 1]
    expect((row["ratio"], row["ratio_low"], row["ratio_high"]) == (1.11, 1.06, 1.16), f"the 6th and the 16th: {row}")
    lines = out.split("Median and its 95 % confidence interval\n")[1].splitlines()
    expect([line.split() for line in lines[:2]] ==
           [["1", "/", "2", "threads", "filch"], "fib 1.11 (1.06 to 1.16) / 0.53 (0.53 to 0.53)".split()],
           f"filch alone: {lines}")
    expect(succeed("--from", "out.json") == out.replace("Wrote out.json.\n", ""), "the same from the file")
    out, told = told_by(*words, "--rounds", "5")
    expect("confidence" not in out and "ratio_low" not in told["rows"][0], f"five values are too few: {out}")


def test_a_signal_ends_all_that_take_turns_and_shows_what_is_known():
    turns_fakes()
    fake("slow", "slow", {1: 600}, workloads=["nqueens"], takes_turns=True, in_turn={3: "hang"})
    done = subprocess.Popen([str(COMMAND), "bench", "fib", "nqueens", *IN_TURNS[1:], "--rounds", "5", "--json",
                             "out.json"],
                            cwd=WORK, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for _ in range(1000):
        if (WORK / "log").exists() and turns_of("slow") == [1, 2, 3]:
            break
        time.sleep(0.05)
    children = pathlib.Path(f"/proc/{done.pid}/task/{done.pid}/children").read_text().split()
    states = sorted(pathlib.Path(f"/proc/{each}/stat").read_text().rsplit(")", 1)[1].split()[0] for each in children)
    done.send_signal(signal.SIGTERM)
    done.stdout, done.stderr = done.communicate(timeout=20)
    expect(done.returncode == 128 + signal.SIGTERM and len(children) == 5, f"the exit code of a signal; {children}",
           done)
    expect(states == ["S", "T", "T", "T", "T"], f"who does not have the turn is stopped: {states}")
    expect("signal 15" in done.stderr and "round 3: nqueens, slow, 1 thread" in done.stderr, "what ran", done)
    expect("2 to 5 rounds, in turns" in done.stdout and "0.60" in done.stdout, "the table", done)
    expect(not any(pathlib.Path(f"/proc/{each}").exists() for each in children), f"nothing of {children} is left", done)


def test_the_picture_has_a_chart_for_each_number_of_threads_and_all_runtimes():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600, 2: 300})
    fake("tbb", "oneTBB", {1: 700, 2: 350}, workloads=["fib", "nqueens", "join"])
    fake("par", "std::execution::par", {1: 700, 2: 350}, workloads=["for_each"])
    fake("bad", "bad", {1: 700, 2: 350}, workloads=["fib"], exit_code=3)
    out = fail(("fib", "nqueens", "for-each-1k", "join-tiny", "--threads", "1,2", "--programs", "programs", "--peers",
                "--rounds", "1", "--plot", "out.svg"))
    picture = (WORK / "out.svg").read_text()
    charts = picture.split("<svg")[2:]
    expect(picture.startswith("<svg") and len(charts) == 2, f"two charts in one picture: {picture[:300]}")
    for chart, title, bars in ((charts[0], ", 1 thread<", 4 + 3 + 1), (charts[1], ", 2 threads<", 4 + 3 + 1 + 4)):
        expect(title in chart and chart.count("<rect") == 1 + bars, f"a title and {bars} bars in {chart}")
        for part in ("oneTBB", "std::execution::par", "nqueens", "for-each-1k"):
            expect(part in chart, f"{part} in {chart}")
    for part in ("GNU 1: -O9", "CPU", "1 round", "others used", "No bar: "):
        expect(part in charts[1] and part not in charts[0], f"{part} below all bars")
    expect(out.count("Not in the picture") == 2 and "Not in the picture: fib, 1 thread: bad, GNU 1: failed" in out, out)


def test_a_saved_file_is_shown_and_drawn_again():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 1200, 2: 600})
    fake("tbb", "oneTBB", {1: 1100, 2: 700}, workloads=["fib"])
    fake("rayon", "rayon 9", {0: 500, 1: 1000, 2: 510}, language="Rust", compiler="rustc 3")
    measured, _ = told_by("fib", "join-tiny", "--threads", "1,2", "--programs", "programs", "--peers", "--rounds", "3",
                          "--plot", "first.svg")
    (WORK / "log").unlink()
    again = succeed("--from", "out.json", "--plot", "second.svg")
    expect([line for line in again.splitlines() if not line.startswith("Wrote")] ==
           [line for line in measured.splitlines() if not line.startswith("Wrote")], f"the same tables: {again}")
    expect((WORK / "first.svg").read_text() == (WORK / "second.svg").read_text(), "the same picture")
    expect(not (WORK / "log").exists(), "nothing is measured")
    refuse(("--from", "nowhere.json"), "nowhere.json cannot be read", code=1)
    (WORK / "bad.json").write_text('{"context": {}}')
    refuse(("--from", "bad.json"), "bad.json is not what filch bench --json has written", code=1)
    refuse(("--from", "out.json", "--json", "out2.json"), "--from")


def saved_as(name, told):
    (WORK / name).write_text(json.dumps(told))


def test_a_saved_file_of_the_other_kind_is_refused_even_where_both_have_the_name():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600})
    _, forks = told_by("fib", "--threads", "1", "--programs", "programs", "--rounds", "1")
    fake("filch", "filch", {1: 600}, workloads=ASYNC, checksum="144")
    _, shapes = told_by_async("--quick", "--only", "fib", "--threads", "1", "--programs", "programs", "--rounds", "1")
    for is_old in (False, True):
        for told, kind in ((forks, "workloads"), (shapes, "async")):
            expect(is_old or told["context"]["kind"] == kind, f"the file says what it is of: {told['context']}")
            if is_old:
                del told["context"]["kind"]
        saved_as("forks.json", forks)
        saved_as("shapes.json", shapes)
        expect("0.60" in succeed("--from", "forks.json"), "a file is shown by its own command")
        expect("fib" in succeed("async", "--from", "shapes.json"), "and the other by the other")
        refuse(("async", "--from", "forks.json"), "--from", "this file is for filch bench --from")
        refuse(("--from", "shapes.json"), "--from", "this file is for filch bench async --from")
    forks["context"]["kind"] = "poems"
    saved_as("poems.json", forks)
    refuse(("--from", "poems.json"), "poems.json: unknown kind of file", '"poems"', code=1)


def test_a_saved_row_whose_ratios_do_not_match_its_values_is_refused():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600})
    _, told = told_by("fib", "--threads", "1", "--programs", "programs", "--rounds", "3")
    told["rows"][0]["ratios"].pop()
    saved_as("bad.json", told)
    refuse(("--from", "bad.json"), "bad.json: fib, 1 thread: filch has 3 values, but 2 ratios", code=1)
    del told["rows"][0]["ratios"]
    saved_as("bad.json", told)
    refuse(("--from", "bad.json"), "bad.json: fib, 1 thread: filch has 3 values, but 0 ratios", code=1)


def test_names_and_threads_beside_a_saved_file_are_refused():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600})
    told_by("fib", "--threads", "1", "--programs", "programs", "--rounds", "1")
    refuse(("fib", "--from", "out.json"), '"fib" beside --from', "no names")
    refuse(("--from", "out.json", "--threads", "1"), "--threads beside --from")
    refuse(("async", "--from", "out.json", "--only", "fib"), "--only fib beside --from")


def test_a_saved_file_keeps_the_order_of_the_numbers_of_threads():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 1200, 2: 600, 3: 400})
    measured, told = told_by("fib", "--threads", "2,1,3", "--programs", "programs", "--rounds", "1", "--plot",
                             "first.svg")
    expect("0.60 / 1.20 / 0.40" in measured, f"the order that was asked for in {measured}")
    expect("0.60 / 1.20 / 0.40" in succeed("--from", "out.json", "--plot", "second.svg"), "the same from the file")
    expect((WORK / "first.svg").read_text() == (WORK / "second.svg").read_text(), "the same picture")
    del told["context"]["threads"]
    saved_as("old.json", told)
    expect("1.20 / 0.60 / 0.40" in succeed("--from", "old.json"), "a file that does not tell is sorted")


def test_peers_that_are_not_built_are_told_with_the_reason():
    for folder, compiler in (("gcc", "GNU 1"), ("clang", "Clang 2")):
        fake("serial", "serial", {0: 1000}, folder=folder, compiler=compiler)
        fake("filch", "filch", {1: 600}, folder=folder, compiler=compiler)
    fake("tbb", "oneTBB", {1: 700}, folder="gcc")
    fake("rayon", "rayon 9", {0: 500, 1: 1000}, folder="clang", language="Rust", compiler="rustc 3")
    (WORK / "gcc/goroutines.left_out").write_text("no go (Debian: golang-go)\n")
    words = ("fib", "--threads", "1", "--programs", "gcc", "--programs", "clang", "--rounds", "1")
    out, told = told_by(*words, "--peers")
    lines = {line for line in out.splitlines() if line.startswith("left out: ")}
    not_built = "was not built (Debian packages: "
    expect("left out: Go: no go (Debian: golang-go)" in lines, f"the build's reason in {lines}")
    expect(f"left out: Java: its program forkjoin {not_built}default-jdk-headless)" in lines, f"packages in {lines}")
    expect(f"left out: oneTBB in clang: its program tbb {not_built}libtbb-dev)" in lines, f"by compiler in {lines}")
    is_told = any("oneTBB in gcc" in line or "rayon" in line for line in lines)
    expect(not is_told and len(lines) == 7, f"nobody else in {lines}")
    expect(len(told["context"]["left_out"]) == 7, f"the file says so: {told['context']}")
    expect("left out" not in succeed(*words), "nobody is missed without --peers")
    async_fakes()
    out = succeed("async", "--quick", "--only", "spawn-many", "--threads", "1", "--programs", "programs", "--peers",
                  "--rounds", "1")
    expect(f"left out: Go: its program goroutines {not_built}golang-go)" in out,
           f"those of asynchronous shapes in {out}")
    expect("left out: tokio" not in out and "oneTBB" not in out, f"and no others in {out}")


def test_the_cpu_clock_can_be_chosen():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600})
    out, told = told_by("fib", "--threads", "1", "--programs", "programs", "--rounds", "1", "--clock", "cpu")
    expect(told["rows"][0]["median_ns"] == 1200 and "CPU time" in out, f"CPU time in {out}")
    fake("filch", "filch", {2: 600})
    out, told = told_by("fib", "--threads", "2", "--programs", "programs", "--rounds", "1", "--clock", "cpu")
    expect(len(told["rows"]) == 1 and "copies" not in out, f"the CPU time of copies says nothing: {out}")


def test_bad_words_are_refused():
    fake("serial", "serial", {0: 1000})
    fake("filch", "filch", {1: 600})
    refuse(("fbi", "--programs", "programs"), '"fbi"', 'did you mean "fib"', "tree-sum-1k")
    for option, text in (("threads", "0"), ("threads", "1,x"), ("threads", "1,1"), ("rounds", "0"),
                         ("repetitions", "x"), ("clock", "sun"), ("limit", "0"), ("json", "x.txt"), ("plot", "x.png")):
        refuse(("fib", f"--{option}={text}", "--programs", "programs"), f"--{option}", "allowed")
    refuse(("fib", "--programs", "nowhere"), "nowhere", "filch_workloads", code=1)
    (WORK / "empty").mkdir()
    refuse(("fib", "--programs", "empty"), "empty", "filch_workloads", code=1)
    refuse(("fib", "--threads", "1", "--rounds", "1", "--programs", "programs", "--frobnicate"), "--frobnicate")


def async_fakes():
    """filch, one peer of the same language that is slower, and one of another that is faster and lacks a shape."""
    fake("filch", "filch", {1: 2_000_000, 2: 1_000_000}, workloads=ASYNC, checksum="1000")
    fake("asio", "Asio", {1: 4_000_000, 2: 4_000_000}, workloads=ASYNC, checksum="1000")
    fake("tokio", "tokio 1", {1: 1_000_000, 2: 1_000_000}, workloads=["spawn_many"], language="Rust",
         compiler="rustc 3", checksum="1000")


def test_asynchronous_shapes_are_compared_with_each_peer_per_operation():
    async_fakes()
    words = ("async", "--quick", "--only", "spawn-many,sleepers-cpu,sleepers-memory", "--threads", "1,2", "--programs",
             "programs", "--rounds", "3", "--json", "out.json")
    out = succeed(*words, "--peers")
    told = json.loads((WORK / "out.json").read_text())
    rows = {(row["measurement"], row["runtime"], row["threads"]): row for row in told["rows"]}
    expect({key[0]: row["median"] for key, row in rows.items() if key[1:] == ("filch", 1)} ==
           {"spawn-many": 2000, "sleepers-cpu": 4000, "sleepers-memory": 6000}, f"values per operation in {rows}")
    expect(rows["sleepers-memory", "filch", 1]["unit"] == "bytes", f"memory in bytes: {rows}")
    ratios = {key[1:]: row["filch_to_this"] for key, row in rows.items() if key[0] == "spawn-many"}
    expect(ratios == {("filch", 1): 1, ("filch", 2): 1, ("Asio", 1): 0.5, ("Asio", 2): 0.25, ("tokio 1", 1): 2,
                      ("tokio 1", 2): 1}, f"filch to each in {ratios}")
    expect(all(len(row["values"]) == 3 for row in rows.values()), f"three rounds in {rows}")
    expect("2000 / 1000" in out and "0.50 / 0.25" in out and "2.00 / 1.00" in out, f"both tables in {out}")
    out = succeed(*words, "--plot", "out.svg")
    expect("Asio" not in out and "as a ratio" not in out, f"without --peers filch alone in {out}")
    picture = (WORK / "out.svg").read_text()
    expect(picture.startswith("<svg") and ", 1 thread<" in picture and ", 2 threads<" in picture, "a chart for each")
    expect("Not in the picture: sleepers-memory: it is not a time" in out, f"{out}")
    out = succeed("async", "--from", "out.json", "--plot", "again.svg")
    expect((WORK / "again.svg").read_text() == picture, f"the same from the file: {out}")


def test_asynchronous_shapes_must_compute_what_is_known():
    async_fakes()
    words = ("--quick", "--threads", "1", "--programs", "programs", "--peers", "--rounds", "1")
    fail(("async", "--only", "fib", *words), "fib, 1 thread: filch (GNU 1) computes 1000, right is 144")
    refuse(("async", "--only", "fbi", *words), '"fbi"', 'did you mean "fib"', "spawn-many")
    refuse(("async", "--threads", "0", *words[3:]), "--threads", "allowed")
    refuse(("async", "--programs", "nowhere"), "nowhere", "filch_async", code=1)
    expect("ping-pong" in succeed("async", "--help"), "the help lists the measurements")


def test_the_real_programs_of_asynchronous_shapes_compute_what_is_known():
    if not PROGRAMS:
        sys.exit("no folder of programs was given")
    folder = pathlib.Path(PROGRAMS).parent.parent / "async" / "programs"
    out = succeed("async", "--quick", "--rounds", "1", "--repetitions", "1", "--threads", "1,3", "--programs", folder)
    for name in ("spawn-many", "yield-many", "fib", "skynet", "wake-p99"):
        expect(name in out, f"{name} in {out}")


def test_the_real_programs_agree_with_their_serial_code():
    if not PROGRAMS:
        sys.exit("no folder of programs was given")
    out, told = told_by("--quick", "--rounds", "2", "--threads", "1,3", "--programs", PROGRAMS)
    measured = {row["measurement"] for row in told["rows"]}
    expect(len(measured) == 13 and len(told["rows"]) == 39,
           f"all measurements, and three serial copies of each, in {told}")
    expect(all(row["ratio"] > 0 and row["least_ratio"] > 0 for row in told["rows"]), f"ratios in {told}")
    expect({len(row["ns"]) for row in told["rows"]} == {2} and "; 2 rounds, in turns;" in out, f"two rounds in {told}")
    for name in measured:
        expect(name in out, f"{name} in {out}")


if __name__ == "__main__":
    COMMAND, PROGRAMS, WORK = pathlib.Path(sys.argv[1]), sys.argv[2], pathlib.Path(sys.argv[3])
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    os.environ["FILCH_BENCH_STAT"] = str(WORK / "stat")
    (WORK / "stat").write_text("cpu 0 0 0 0 0 0 0 0 0 0\n")
    globals()[f"test_{sys.argv[4]}"]()
