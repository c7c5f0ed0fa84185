"""Tests of the filch command from the outside. Called with the command, the checkout, a work directory and one test's
name.

Every run uses a small time scale: what is tested is what the command says, not how fast the machine is.
"""

import json
import os
import pathlib
import pty
import re
import shutil
import subprocess
import sys

KERNELS = {"fib": (20, 6765), "nqueens": (6, 4), "skynet": (1000, 499500), "mergesort": (5000, None),
           "matmul": (70, None), "uts": (5, None), "mandelbrot": (16, None), "tree-sum": (999, 999 * 500)}
WORKLOADS = ("basic", "spawning", "adaptive", "granularity", "demo", "counter", *KERNELS)
PLANNED = ("basic", "spawning", "adaptive", "demo")
RUN_OPTIONS = ("--workers --victims --steal --order --idle --wake --placement --deques --pin --seed --repeat "
               "--time-scale --size --tree --trace --report --gantt --log --json --round-robin").split()
SMALL = ("--time-scale", "0.0005")


def filch(*arguments, **environment):
    """Runs the command in the work directory, without a terminal."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("FILCH_")} | environment
    return subprocess.run([str(COMMAND), *map(str, arguments)], cwd=WORK, env=env, text=True, errors="replace",
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)


def expect(condition, what, done=None):
    if not condition:
        details = f"\nexit code {done.returncode}\nstdout:\n{done.stdout}\nstderr:\n{done.stderr}" if done else ""
        sys.exit(f"expected: {what}{details}")


def succeed(*arguments, **environment):
    done = filch(*arguments, **environment)
    expect(done.returncode == 0 and done.stderr == "", f"success and no complaint from {arguments}", done)
    return done.stdout


def refuse(arguments, *parts, code=2):
    """The command fails with this code, prints nothing to standard output, and its complaint has all the parts."""
    done = filch(*arguments)
    expect(done.returncode == code, f"exit code {code} from {arguments}", done)
    expect(done.stdout == "", f"nothing on standard output from {arguments}", done)
    expect(done.stderr.startswith("filch: "), f"a complaint from {arguments}", done)
    for part in parts:
        expect(part in done.stderr, f"{part!r} in the complaint about {arguments}", done)


def run_json(workload, *arguments):
    scale = () if workload == "counter" or workload in KERNELS else SMALL
    return json.loads(succeed("run", workload, "--json", *scale, *arguments))


def check_run(run, workers, lost_events_allowed=False):
    """The numbers of one run of a plan add up."""
    total = run["statistics"]["total"]
    expect(run["workers"] == workers and len(run["executed"]) == workers, f"{workers} workers in {run}")
    expect(sum(run["executed"]) == run["tasks"], f"every task was executed once: {run}")
    expect(total["executed"] == run["tasks"] + run["loaders"], f"the runtime counts the same: {run}")
    for name in ("executed", "stolen_by_me", "stolen_from_me", "steal_attempts"):
        expect(sum(each[name] for each in run["statistics"]["workers"]) == total[name], f"{name} add up: {run}")
    expect(total["stolen_by_me"] == total["stolen_from_me"] == run["stolen"], f"thieves and victims agree: {run}")
    expect(abs(run["steal_rate"] - run["stolen"] / run["tasks"]) < 1e-9, f"the steal rate: {run}")
    expect(abs(run["speedup"] * run["wall_s"] - run["work_s"]) < 1e-6, f"the speed-up: {run}")
    if run["lost_events"] == 0:
        for thief, row in enumerate(run["matrix"]):
            expect(row[thief] == 0, f"nobody robs himself: {run}")
            expect(sum(row) == run["statistics"]["workers"][thief]["stolen_by_me"], f"rows of the matrix: {run}")
        for victim in range(workers):
            expect(sum(row[victim] for row in run["matrix"]) == run["statistics"]["workers"][victim]["stolen_from_me"],
                   f"columns of the matrix: {run}")
    else:
        expect(lost_events_allowed, f"no event was lost: {run}")


# ---- the commands ----------------------------------------------------------------------------------------------------


def test_the_tour_runs_a_program_names_what_limits_it_and_predicts_more_workers():
    out = succeed()
    for part in ("2000000 numbers are loaded", "Who stole from whom", "what limits it", "serial-phase", "load",
                 "the same on a larger machine", "What would help most there", "Wrote report.html", "Wrote tour.filch",
                 "What to try next"):
        expect(part in out, f"{part!r} in {out}")
    line = re.search(r"^  filch  +(the tour: .*)", succeed("--help"), re.M)
    expect(line and line[1] == "the tour: a program with a fault, its analysis, and a prediction",
           f"the help describes this tour: {line}")
    predicted = re.findall(r"^ +(\d+) +\S+ \S+ +([0-9.]+) +([0-9.]+)  ", out, re.M)
    expect([int(row[0]) for row in predicted] == [1, 2, 4, 8, 16, 64], f"a row for each number of workers in {out}")
    for workers, speed_up, best in predicted:
        expect(float(speed_up) <= float(best) + 0.01 <= int(workers) + 0.02,
               f"speed-up within its bounds: {workers} in {out}")
    for line in re.findall(r"^  filch (.*?)(?:  |$)", out, re.M):
        is_short = line.startswith("run") and not line.endswith(("counter", "fib"))
        done = filch(*line.split(), *(SMALL if is_short else ()))
        expect(done.returncode == 0, f"what the tour suggests works: {line}", done)


def test_version():
    version = re.search(r"^project\(filch VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text(), re.M)[1]
    expect(succeed("--version") == f"filch {version}\n", f"version {version}")


def test_help_names_every_command_and_option_with_examples():
    top = succeed("--help")
    for part in ("run", "topology", "policies", "trace", "--version", "Examples:", "Exit codes"):
        expect(part in top, f"{part!r} in {top}")
    expect(succeed("help") == top, "help and --help say the same")
    run = succeed("run", "--help")
    for part in (*RUN_OPTIONS, *WORKLOADS, "imbalanced", "nearest", "fixed:N", "least_loaded", "locked", "Examples:"):
        expect(part in run, f"{part!r} in {run}")
    for words in (("topology",), ("policies",), ("trace",), ("trace", "convert"), ("trace", "info"),
                  ("trace", "gantt")):
        expect(f"Examples:\n  filch {' '.join(words)}" in succeed(*words, "--help"), f"examples of {words}")


def test_the_examples_of_the_help_are_accepted():
    names = [line for words in ((), ("run",)) for line in
             re.findall(r"^  filch (run .*?)(?:  |$)", succeed(*words, "--help"), re.M)]
    expect(len(names) >= 10, f"many examples, not {names}")
    for line in names:
        words = line.replace("--time-scale 1", "").split()
        done = filch(*words, *(() if "counter" in words or words[1] in KERNELS else SMALL))
        expected = 3 if "--join=blocking" in words else 0  # a deadlock is what that one shows
        expect(done.returncode == expected, f"the example works: {line}", done)


def test_topology_tells_the_machine_and_the_usable_cpus():
    out = succeed("topology")
    for part in ("CPU", "This process may use", "Cores", "affinity mask"):
        expect(part in out, f"{part!r} in {out}")
    told = json.loads(succeed("topology", "--json"))
    expect(told["usable"]["cpus"] == sorted(os.sched_getaffinity(0)), f"the affinity mask's CPUs in {told['usable']}")
    expect(1 <= told["usable"]["workers"] <= len(told["usable"]["cpus"]), f"workers in {told['usable']}")
    expect(told["usable"]["reasons"], "a reason")


def test_topology_reads_back_a_machine_from_a_file():
    machine = json.loads(succeed("topology", "--json"))["machine"]
    (WORK / "machine.json").write_text(json.dumps(machine))
    again = json.loads(succeed("topology", "--json", "--file", "machine.json"))
    expect(again["machine"] == machine, f"the same machine, not {again}")
    expect("usable" not in again, "nothing is said about the usable CPUs of another machine")
    expect("machine.json" in succeed("topology", "--file", "machine.json"), "the file is named")
    refuse(("topology", "--file", "no-such-file.json"), "no-such-file.json", code=1)
    (WORK / "bad.json").write_text("{}")
    refuse(("topology", "--file", "bad.json"), "bad.json", code=1)


def test_policies_lists_every_name_that_the_options_take():
    told = json.loads(succeed("policies", "--json"))
    text = succeed("policies")
    for option, family in told.items():
        expect(family["default"] in family["names"], f"the default of {option} is one of its names")
        for name, about in family["names"].items():
            expect(name in text and about and about in text, f"{name} with a line about it")
            value = name.replace("fixed:N", "fixed:2").replace("given:WORKER", "given:1")
            given = f"--{option}={value}"
            run = run_json("demo", given)
            expect(run["policy"][option] == value, f"{given} is what runs: {run['policy']}")
            check_run(run["runs"][0], 4)


# ---- the workloads ---------------------------------------------------------------------------------------------------


def test_every_planned_workload_reports_to_people():
    for name in PLANNED:
        out = succeed("run", name, *SMALL)
        for part in (f"{name}:", "seed 1", "=== Statistics ===", "Total tasks executed: ", "Total tasks stolen: ",
                     "Steal rate: ", "Worker 0: executed=", "worker 0 ", "What the workers did", "speed-up"):
            expect(part in out, f"{part!r} in {out}")
        total = int(re.search(r"Total tasks executed: (\d+)", out)[1])
        stolen = int(re.search(r"Total tasks stolen: (\d+)", out)[1])
        rows = re.findall(r"^Worker \d+: executed=(\d+), stolen=(\d+), queue=(\d+)$", out, re.M)
        expect(sum(int(row[0]) for row in rows) == total, f"executed tasks add up in {out}")
        expect(sum(int(row[1]) for row in rows) == stolen, f"stolen tasks add up in {out}")
        expect(all(row[2] == "0" for row in rows), f"all queues are empty in {out}")
        expect(f"Steal rate: {100 * stolen / total:.1f}%" in out, f"the steal rate in {out}")


def test_every_planned_workload_adds_up_in_json():
    for name, workers, tasks in (("basic", 3, 10), ("spawning", 4, None), ("adaptive", 4, 15), ("imbalanced", 4, 15),
                                 ("demo", 4, 20)):
        told = run_json(name, "--repeat", "3")
        expect(len(told["runs"]) == 3 and told["seed"] == 1, f"three runs of seed 1 in {told}")
        for run in told["runs"]:
            check_run(run, workers)
            expect(tasks in (None, run["tasks"]), f"{tasks} tasks in {run}")


def test_granularity_measures_three_grains():
    told = run_json("granularity")
    grains = told["runs"][0]["grains"]
    expect([(each["grain_s"], each["tasks"]) for each in grains] == [(0.1, 500), (0.5, 100), (2.0, 25)], f"{grains}")
    for each in grains:
        check_run(each, 4)
    out = succeed("run", "granularity", *SMALL)
    expect(out.count("=== Performance Analysis ===") == 3, f"three analyses in {out}")
    for part in ("Granularity: 0.5s", "Total work: 50.0s", "Wall time: ", "Speedup: ", "Efficiency: ", "Side by side"):
        expect(part in out, f"{part!r} in {out}")


def test_counter_counts_every_task_with_both_deques():
    told = run_json("counter", "--workers", "2")
    rows = told["runs"][0]["rows"]
    labels = {row["label"] for row in rows}
    expect({row["tasks"] for row in rows} == {10_000, 1_000_000}, f"ten thousand and a million in {rows}")
    for part in ("one thread", "pool of 1", "pool of 2", "lock-free", "locked", "inside", "outside"):
        expect(any(part in label for label in labels), f"{part!r} in {labels}")
    expect(all(row["tasks_per_s"] > 0 and row["ratio"] > 0 for row in rows), f"positive rates in {rows}")
    out = succeed("run", "counter", "--deques", "locked")
    expect("locked" in out and "pool of 4, lock-free" not in out, f"only locked deques in {out}")


def test_every_kernel_computes_what_its_serial_code_does():
    for name, (size, result) in KERNELS.items():
        told = run_json(name, "--size", size, "--workers", "3", "--repeat", "2")
        for run in told["runs"]:
            check_run(run, 3, lost_events_allowed=True)
            expect(run["kernel"]["result"] == (result or run["kernel"]["result"]), f"{result} in {run}")
            expect(run["kernel"]["serial_cpu_s"] > 0 and run["kernel"]["cpu_s"] > 0, f"times in {run}")
        out = succeed("run", name, "--size", size)
        for part in (f"{name}:", "as the serial code says", "speed-up", "=== Statistics ===", "What the workers did"):
            expect(part in out, f"{part!r} in {out}")
    results = {run_json(name, "--size", size)["runs"][0]["kernel"]["result"]
               for name, size in (("fib", 21), ("fib", 22))}
    expect(results == {10946, 17711}, f"the size decides: {results}")


def test_uts_counts_the_published_nodes_of_both_trees():
    for words, nodes in (((), 4130071), (("--tree", "T1"), 4130071), (("--tree", "T3"), 4112897)):
        kernel = run_json("uts", *words)["runs"][0]["kernel"]
        expect(kernel["result"] == nodes, f"{nodes} in {kernel}")
    expect("as published" in succeed("run", "uts", "--tree=T3"), "people are told")


def test_a_kernel_is_recorded_like_a_scenario():
    out = succeed("run", "fib", "--size", "24", "--trace", "fib.filch", "--report", "fib.html", "--log")
    expect("Wrote fib.filch" in out and "Wrote fib.html" in out and "Executing fib" in out, f"files and a log in {out}")
    info = json.loads(succeed("trace", "info", "fib.filch", "--json"))
    expect(info["about"]["workload"] == "fib" and info["kinds"]["start"] >= 1, f"what was recorded in {info}")


def test_the_imbalanced_load_begins_on_worker_0_and_is_stolen_from_it():
    # 20 ms a task: long enough for a sleeping worker to wake up before worker 0 has done all by itself.
    told = json.loads(succeed("run", "adaptive", "--json", "--time-scale", "0.02"))
    run = told["runs"][0]
    check_run(run, 4)
    expect(told["policy"]["victims"] == "largest", "thieves go to the longest queue")
    expect(sum(run["initial_load"]) == 15 and run["initial_load"][0] >= 12, f"the load of {run}")
    expect(sum(row[0] for row in run["matrix"]) > 0, f"somebody robbed worker 0: {run}")
    expect(sum(map(sum, run["matrix"])) >= run["tasks"] - run["executed"][0] - sum(run["initial_load"][1:]),
           f"what worker 0 did not do was stolen: {run}")
    out = succeed("run", "adaptive", *SMALL)
    expect(re.search(r"Initial load distribution:\nWorker 0: 1[2-5] tasks\nWorker 1: \d tasks\n", out), out)


def test_dealt_out_jobs_are_put_to_every_worker():
    out = succeed("run", "demo", "--round-robin", "--log", *SMALL)
    for worker in range(4):
        expect(len(re.findall(rf"Submitted job \d+ to Worker {worker}$", out, re.M)) == 5,
               f"five for {worker} in {out}")
    out = succeed("run", "demo", "--log", *SMALL)
    expect(len(re.findall(r"Submitted job \d+ to Worker 0$", out, re.M)) == 20, f"all for worker 0 in {out}")


def test_a_given_placement_replaces_the_scenario_s():
    out = succeed("run", "adaptive", "--placement", "given:3", "--log", *SMALL)
    expect(len(re.findall(r"Submitted T\d+ to Worker 3$", out, re.M)) == 15, f"all to worker 3 in {out}")
    out = succeed("run", "basic", "--placement", "injector", "--log", *SMALL)
    expect(len(re.findall(r"Submitted T\d+$", out, re.M)) == 10, f"all into the injector in {out}")


def test_the_seed_decides_the_work():
    one, again, other = (run_json("spawning", "--seed", seed)["runs"][0] for seed in ("7", "7", "8"))
    expect((one["tasks"], one["work_s"]) == (again["tasks"], again["work_s"]), "the same seed does the same work")
    expect(one["work_s"] != other["work_s"], "another seed does other work")


def test_the_log_tells_each_task_once_and_in_order():
    for name in ("basic", "spawning", "adaptive"):
        told = run_json(name, "--log", "--seed", "3")["runs"][0]
        times = [float(line[1:line.index("]")]) for line in told["log"]]
        expect(times == sorted(times), f"times ascend in {told['log']}")
        stolen = sum(1 + int((re.search(r" and (\d+) more from", line) or [0, 0])[1])
                     for line in told["log"] if ": Stole " in line)
        expect(stolen == told["stolen"], f"{told['stolen']} stolen tasks in {told['log']}")
        for verb in (r"Worker \d+: Executing", r"Worker \d+: Completed", r"(?:Submitted|Worker \d+: Spawned)"):
            names = [found[1] for line in told["log"] if (found := re.match(rf"\[[\d.]+\] {verb} (\S+)", line))]
            expect(len(names) == len(set(names)) == told["tasks"], f"{verb} once for each task in {told['log']}")


def test_repetitions_show_their_spread():
    out = succeed("run", "demo", "--repeat", "4", *SMALL)
    expect("over 4 runs" in out and out.count("=== Statistics ===") == 1, f"one report and a spread in {out}")


def test_a_worker_that_never_sleeps_does_its_work_too():
    told = run_json("demo", "--idle", "cycles=forever,initial=1us", "--workers", "2")
    check_run(told["runs"][0], 2, lost_events_allowed=True)


def test_a_long_run_shows_its_progress_on_a_terminal_only():
    words = [str(COMMAND), "run", "demo", "--time-scale", "0.15"]
    ours, theirs = pty.openpty()
    with subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=theirs, text=True) as started:
        os.close(theirs)
        out = started.stdout.read()
        shown = b""
        try:
            while part := os.read(ours, 4096):
                shown += part
        except OSError:  # the terminal's other end is closed
            pass
    os.close(ours)
    expect(started.returncode == 0 and "20 tasks" in out, f"success, not {out}")
    expect(re.search(rb"\d+ of 20 tasks done after \d+\.\d s", shown), f"progress in {shown}")
    expect(shown.endswith(b"\r\x1b[K"), f"a clean line at the end of {shown}")
    expect("done after" not in out, f"no progress on standard output: {out}")


# ---- recordings ------------------------------------------------------------------------------------------------------


def test_traces_are_written_in_three_formats():
    for name in ("run.json", "run.filch", "run.pftrace"):
        expect(f"Wrote {name}" in succeed("run", "demo", "--trace", name, *SMALL), f"{name} is announced")
        expect((WORK / name).stat().st_size > 100, f"{name} is not empty")
    events = json.loads((WORK / "run.json").read_text())["traceEvents"]
    names = {event.get("name") for event in events}
    expect({f"job {i}" for i in range(1, 21)} <= names, f"every job's name in {names}")
    expect((WORK / "run.pftrace").read_bytes()[0] == 0x0A, "a protobuf that begins with a packet")
    expect("job 7" in (WORK / "run.pftrace").read_bytes().decode("latin-1"), "a job's name in the protobuf")


def test_a_recording_is_described_and_converted():
    run = run_json("adaptive", "--trace", "run.filch")["runs"][0]
    info = json.loads(succeed("trace", "info", "run.filch", "--json"))
    tasks = run["tasks"] + run["loaders"]
    expect(info["kinds"]["start"] == info["kinds"]["end"] == info["kinds"]["spawn"] == tasks,
           f"{tasks} tasks in {info}")
    expect(info["about"]["workload"] == "adaptive" and info["workers"] == 4, f"what was recorded in {info}")
    expect(info["events"] == sum(info["events_by_worker"]) + info["events_outside"] == sum(info["kinds"].values()),
           f"events add up in {info}")
    text = succeed("trace", "info", "run.filch")
    expect("adaptive" in text and "steal_attempt" in text, f"the same for people in {text}")
    succeed("trace", "convert", "run.filch", "new.json")
    expect(json.loads((WORK / "new.json").read_text())["traceEvents"], "events in the converted file")
    succeed("trace", "convert", "run.filch", "new.pftrace", "--failed-steals")
    expect((WORK / "new.pftrace").stat().st_size > 100, "a converted file for Perfetto")
    succeed("trace", "convert", "run.filch", "new.filch")
    expect((WORK / "new.filch").read_bytes() == (WORK / "run.filch").read_bytes(), "a copy has the same bytes")


def test_a_report_is_one_page_with_the_run_in_it():
    out = succeed("run", "demo", "--report", "run.html", "--trace", "run.filch", *SMALL)
    expect("Wrote run.html" in out, f"run.html is announced in {out}")
    expect("Wrote again.html" in succeed("report", "run.filch", "again.html"), "again.html is announced")
    page = (WORK / "run.html").read_text()
    expect(page.startswith("<!doctype html>") and page.endswith("</html>\n"), "one whole page")
    expect("<title>demo on " in page, "a title that says what ran")
    expect((WORK / "again.html").read_text() == page, "the same page from the recording")
    run = run_json("granularity", "--report", "all.html")["runs"][0]
    for grain in run["grains"]:
        expect((WORK / grain["report_file"]).stat().st_size > 10000, f"a page for {grain}")
    succeed("run", "adaptive", "--trace", "second.filch", *SMALL)
    expect("of two runs" in succeed("report", "run.filch", "both.html", "--beside", "second.filch"),
           "both are announced")
    both = (WORK / "both.html").read_text()
    expect('id="recording_1"' in both and '"label":"second.filch"' in both, "a page with both runs")
    refuse(("report", "run.filch", "both.html", "--beside", "missing.filch"), "missing.filch", code=1)
    refuse(("report", "run.filch", "run.txt"), "page", "run.txt", ".html")
    refuse(("report", "missing.filch", "run.html"), "missing.filch", code=1)
    refuse(("trace", "convert", "run.filch", "run.html"), "output", "run.html", ".pftrace")
    refuse(("run", "demo", "--report", "run.txt"), "--report", "run.txt", ".html")
    refuse(("run", "counter", "--report", "run.html"), "--report", "counter")


def test_a_gantt_chart_is_drawn_in_plain_characters_where_there_is_no_terminal():
    out = succeed("run", "adaptive", "--gantt", "--trace", "run.filch", *SMALL)
    chart = out[out.index("worker 0  "):]
    expect("critical path" in chart and "\x1b" not in out, f"a plain chart in {out}")
    drawn = succeed("trace", "gantt", "run.filch")
    expect(drawn in out, f"the same from the recording: {drawn}")
    narrow = succeed("trace", "gantt", "run.filch", "--width", "60")
    rows = [line for line in narrow.splitlines() if line.startswith("worker ")]
    expect(len(rows) == 4 and all(len(line) <= 60 for line in rows), f"four rows of 60 columns: {narrow}")
    refuse(("trace", "gantt", "run.filch", "--width", "5"), "--width", "5", "40")
    refuse(("trace", "gantt", "missing.filch"), "missing.filch", code=1)
    refuse(("run", "counter", "--gantt"), "--gantt", "counter")


def record(*arguments, code=0):
    """Runs filch record; returns what it says itself."""
    done = filch("record", *arguments)
    expect(done.returncode == code, f"exit code {code} from record {arguments}", done)
    return done.stderr


def test_a_program_is_recorded_and_its_exit_code_passed_on():
    said = record("--", COMMAND, "run", "fib", "--size", "20", "--workers", "2", "--json")
    expect("recorded run.filch" in said and "nothing was dropped" in said, f"what was recorded: {said}")
    expect("filch analyze run.filch" in said, f"what to do next: {said}")
    info = json.loads(succeed("trace", "info", "run.filch", "--json"))
    expect(info["kinds"]["start"] >= 1 and info["kinds"]["start"] == info["kinds"]["end"], f"whole tasks: {info}")
    expect("run fib" in info["about"]["program"], f"the command line: {info}")
    said = record("-o", "every.filch", "--detail", "every", "--", COMMAND, "run", "fib", "--size", "5", "--workers",
                  "1")
    info = json.loads(succeed("trace", "info", "every.filch", "--json"))
    expect(info["kinds"]["join"] >= 7, f"every fork of fib(5) is there: {info}")
    said = record("-o", "bad.filch", "--", COMMAND, "run", "fib", "--size", "many", code=2)
    expect("nothing was recorded" in said, f"no runtime, no recording: {said}")


def test_a_recording_of_a_killed_program_is_readable():
    script = f"{COMMAND} run basic --time-scale 0.2 & sleep 0.7; kill -9 $!; wait"
    env = {name: value for name, value in os.environ.items() if not name.startswith("FILCH_")}
    subprocess.run(["sh", "-c", script], cwd=WORK, env=env | {"FILCH_TRACE": "killed.%p.filch"}, timeout=60,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    files = list(WORK.glob("killed.*.filch"))
    for file in files:
        done = filch("trace", "info", file.name)
        expect(done.returncode == 0, "the recording is readable", done)


def test_bad_calls_of_record_are_refused():
    refuse(("record",), "record", "--")
    refuse(("record", "--detail", "all", "--", "true"), "--detail", "all", "every")
    refuse(("record", "--beat", "0", "--", "true"), "--beat")
    refuse(("record", "--", "./no_such_program"), "no_such_program", code=1)


def test_bad_recordings_are_refused():
    (WORK / "foreign.filch").write_text("this is no recording\n")
    refuse(("trace", "info", "foreign.filch"), "foreign.filch", code=1)
    refuse(("trace", "info", "missing.filch"), "missing.filch", code=1)
    refuse(("trace", "convert", "foreign.filch", "out.json"), "foreign.filch", code=1)
    refuse(("trace", "convert", "foreign.filch", "out.txt"), "output", "out.txt", ".pftrace")
    succeed("run", "demo", "--trace", "run.filch", *SMALL)
    refuse(("trace", "convert", "run.filch", "no-such-folder/out.json"), "no-such-folder/out.json", code=1)


# ---- wrong usage -----------------------------------------------------------------------------------------------------


def test_unknown_names_list_the_valid_ones_and_the_nearest():
    refuse(("rnu",), '"rnu"', 'did you mean "run"', "topology", "policies", "trace")
    refuse(("run", "adptive"), '"adptive"', 'did you mean "adaptive"', *WORKLOADS)
    refuse(("trace", "infos"), '"infos"', 'did you mean "info"', "convert")
    refuse(("run", "demo", "--victms", "random"), '"--victms"', 'did you mean "--victims"', *RUN_OPTIONS)
    for option, text, nearest in (("victims", "nearst", "nearest"), ("steal", "hlf", "half"), ("order", "lfo", "lifo"),
                                  ("idle", "balance", "balanced"), ("wake", "al", "all"),
                                  ("placement", "roundrobin", "round_robin"), ("deques", "lock", "locked"),
                                  ("pin", "spred", "spread")):
        refuse(("run", "demo", f"--{option}={text}"), f'--{option} = "{text}"', f'did you mean "{nearest}"')


def test_bad_values_are_named_with_what_is_allowed():
    for option, text in (("workers", "0"), ("workers", "x"), ("workers", "65536"), ("workers", "-1"),
                         ("workers", "2.5"),
                         ("seed", "-1"), ("seed", "1x"), ("repeat", "0"), ("time-scale", "0"), ("time-scale", "nan"),
                         ("time-scale", "-1"), ("time-scale", "fast"), ("steal", "fixed:0"), ("placement", "given:4"),
                         ("trace", "run.txt")):
        refuse(("run", "demo", f"--{option}={text}"), option.partition("-")[0], text, "allowed")
    refuse(("run", "basic", "--round-robin"), "--round-robin", "demo")
    refuse(("run", "counter", "--log"), "--log", "counter")
    refuse(("run", "counter", "--trace", "x.json"), "--trace", "counter")
    refuse(("run", "counter", "--time-scale", "1"), "--time-scale", "counter")
    refuse(("run", "fib", "--time-scale", "1"), "--time-scale", "fib")
    for name, size in (("fib", "51"), ("fib", "many"), ("nqueens", "0"), ("skynet", "12"), ("uts", "14")):
        refuse(("run", name, "--size", size), "--size", size, "allowed")
    refuse(("run", "demo", "--size", "3"), "--size", "demo")
    refuse(("run", "uts", "--tree", "T2"), "--tree", "T2", "T1", "T3")
    refuse(("run", "fib", "--tree", "T1"), "--tree", "uts")
    refuse(("run", "demo", "--victims", ""), "--victims", "random")


def test_missing_and_superfluous_words_are_refused():
    refuse(("run",), "workload", *WORKLOADS)
    refuse(("trace",), "convert", "info")
    refuse(("trace", "info"), "recording")
    refuse(("trace", "convert", "run.filch"), "output")
    refuse(("run", "demo", "--workers"), "--workers")
    refuse(("run", "demo", "basic"), '"basic"')
    refuse(("topology", "here"), '"here"')
    refuse(("--bogus",), "--bogus", "--help")


def test_output_that_cannot_be_written_is_a_failure():
    with open("/dev/full", "w") as full:
        done = subprocess.run([str(COMMAND), "policies"], stdout=full, stderr=subprocess.PIPE, text=True)
    expect(done.returncode == 1 and "standard output" in done.stderr, f"a failure, not {done}")


if __name__ == "__main__":
    COMMAND, SOURCE, WORK = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    globals()[f"test_{sys.argv[4]}"]()
