"""Tests of `filch analyze` from the outside. Called with the command, the folder of the programs of examples/faults, a
work directory and one test's name.

The programs are recorded as users do it, with FILCH_TRACE. Their verdicts are shares of the run's own time, without
what other programs took, so they hold on a busy machine, which is told beside them; no test looks at times.
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys


def run(program, *arguments, **environment):
    env = {name: value for name, value in os.environ.items() if not name.startswith("FILCH_")} | environment
    return subprocess.run([str(program), *map(str, arguments)], cwd=WORK, env=env, text=True, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)


def expect(condition, what, done=None):
    if not condition:
        details = f"\nexit code {done.returncode}\nstdout:\n{done.stdout}\nstderr:\n{done.stderr}" if done else ""
        sys.exit(f"expected: {what}{details}")


def filch(*arguments):
    done = run(COMMAND, *arguments)
    expect(done.returncode == 0 and done.stderr == "", f"success and no complaint from {arguments}", done)
    return done.stdout


def recorded(name):
    """The recording of a program of examples/faults."""
    done = run(PROGRAMS / name, FILCH_TRACE=f"{name}.filch")
    expect(done.returncode == 0, f"success from {name}", done)
    expect((WORK / f"{name}.filch").exists(), f"a recording of {name}", done)
    return f"{name}.filch"


def verdicts_of(name):
    return json.loads(filch("analyze", recorded(name), "--json"))["verdicts"]


def expect_first(name, verdict, subject, whose="program"):
    found = verdicts_of(name)
    first = found[0]
    expect((first["id"], first["fault"]) == (verdict, whose) and subject in first["subject"],
           f"{verdict} in {subject} as the first verdict on {name}, not {json.dumps(found, indent=1)}")


def test_a_serial_phase_is_found():
    expect_first("serial_phase", "serial-phase", "load")


def test_fine_tasks_are_found():
    expect_first("fine_tasks", "fine-tasks", "tick")


def test_a_hot_lock_is_found():
    expect_first("hot_lock", "hot-lock", "mutex")


def test_an_oversized_task_is_found():
    expect_first("oversized_task", "oversized-task", "tile")


def test_a_blocking_call_is_found():
    expect_first("blocking_call", "blocking-call", "fetch")


def test_a_policy_that_starves_is_found():
    expect_first("starving_policy", "starving-policy", "random_probe", whose="scheduler")


def faults_of(found):
    """The verdicts that blame somebody: all but that of the machine, on which other tests run meanwhile."""
    return [each for each in found if each["fault"] in ("program", "scheduler")]


def test_a_healthy_program_has_no_fault():
    found = verdicts_of("healthy")
    expect(not faults_of(found), f"no fault, not {json.dumps(found, indent=1)}")
    expect([each["id"] for each in found] in (["ok"], ["busy-machine"]), f"one verdict, not {found}")


def test_a_sleep_in_the_kernel_is_found():
    expect_first("kernel_wait", "blocked-in-kernel", "fetch")


def test_a_lock_that_stops_threads_is_found():
    expect_first("kernel_lock", "blocked-in-kernel", "update")


def test_a_busy_machine_is_told_and_blames_no_task():
    """The program and twice as many others as it has workers share two processors."""
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(everywhere)[:2])
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(8)]
    try:
        found = verdicts_of("healthy")
    finally:
        for each in others:
            each.kill()
        for each in others:
            each.wait()
    expect([each["id"] for each in found] == ["busy-machine"],
           f"the busy machine and nothing else, not {json.dumps(found, indent=1)}")
    expect(found[0]["fault"] == "machine" and found[0]["share"] >= 0.1, f"the machine's share, not {found[0]}")


def test_what_nobody_looked_at_is_said():
    done = run(PROGRAMS / "kernel_wait", FILCH_TRACE="off.filch", FILCH_TRACE_THREADS="off")
    expect(done.returncode == 0, "success without a look at the threads", done)
    found = json.loads(filch("analyze", "off.filch", "--json"))
    expect([each["id"] for each in found["not_looked_at"]] == ["threads"] and found["threads"] is None,
           f"no word about the threads, not {found['not_looked_at']}, {found['threads']}")
    expect("Not looked at" in filch("analyze", "off.filch", "--report", "off.html"), "a list of what is not known")
    expect("Not looked at" in (WORK / "off.html").read_text(), "the same on the page")

    found = json.loads(filch("analyze", recorded("healthy"), "--json"))
    ids = [each["id"] for each in found["not_looked_at"]]
    expect("threads" not in ids and found["threads"]["tasks_ns"] > 0, f"a look at the threads, not {found['threads']}")
    expect("counters" in ids or found["threads"]["beside_many"]["instructions"] > 0
           or found["threads"]["beside_few"]["instructions"] > 0, f"counters, or that there are none: {found}")

    done = run(PROGRAMS / "healthy", FILCH_TRACE="bad.filch", FILCH_TRACE_THREADS="some")
    expect(done.returncode != 0 and 'FILCH_TRACE_THREADS = "some": allowed' in done.stderr, "a refusal", done)


def test_the_figures_add_up():
    found = json.loads(filch("analyze", recorded("serial_phase"), "--json"))
    use = {key: value for key, value in found["time"].items() if key != "policy_ns"}
    expect(sum(use.values()) == found["workers"] * found["makespan_ns"], f"all time of the workers, not {found}")
    expect(abs(sum(found["share"].values()) - 1) < 1e-9, f"shares of one whole, not {found['share']}")
    expect(found["span_ns"] <= found["makespan_ns"], "a span no longer than the run")
    expect(found["work_ns"] <= found["workers"] * found["makespan_ns"], "no more work than time")
    expect(sum(each["work_ns"] for each in found["names"]) == found["work_ns"], "the work of all names")
    expect(sum(each["path_ns"] for each in found["names"]) == found["span_ns"], "the critical path of all names")
    expect(sum(each["tasks"] for each in found["sizes"]) == found["tasks"] == 61, "all tasks by their size")


def test_the_text_says_what_the_json_says():
    file = recorded("starving_policy")
    text = filch("analyze", file)
    found = json.loads(filch("analyze", file, "--json"))
    for part in (found["verdicts"][0]["id"], found["verdicts"][0]["text"], "the scheduler's", "Figures",
                 "burdened span", "Time of the workers", "Tasks by name", "Sizes of the tasks"):
        expect(part in text, f"{part!r} in\n{text}")


def test_a_baseline_shows_how_the_work_has_grown():
    file = recorded("starving_policy")
    found = json.loads(filch("analyze", file, "--json", "--baseline", file))
    expect(found["baseline"]["factor"] == 1, f"the same work, not {found['baseline']}")
    expect("Work against the baseline" in filch("analyze", file, "--baseline", file), "a table of the work")


def test_a_page_holds_the_run_beside_the_same_tasks_simulated():
    file = recorded("oversized_task")
    text = filch("analyze", file, "--report", "run.html", "--picture", "run.svg")
    page = (WORK / "run.html").read_text()
    for part in ("recording_0", "recording_1", "measured", "simulated", "oversized-task"):
        expect(part in page, f"{part!r} in the page")
    expect("oversized-task" in text, f"the verdict as text, too, not {text}")
    picture = (WORK / "run.svg").read_text()
    expect(picture.startswith("<svg") and "worker 3" in picture and "tile" in picture,
           f"a picture, not {picture[:300]}")


def test_wrong_words_are_refused():
    file = recorded("starving_policy")
    for arguments, part in ((("analyze",), "recording is required"),
                            (("analyze", "no.filch"), "no.filch cannot be read"),
                            (("analyze", file, "--report", "a.pdf"), '--report = "a.pdf": allowed'),
                            (("analyze", file, "--picture", "a.png"), '--picture = "a.png": allowed')):
        done = run(COMMAND, *arguments)
        expect(done.returncode != 0 and part in done.stderr and done.stdout == "", f"{part!r} from {arguments}", done)


if __name__ == "__main__":
    COMMAND, PROGRAMS, WORK = map(pathlib.Path, sys.argv[1:4])
    COMMAND, PROGRAMS, WORK = COMMAND.resolve(), PROGRAMS.resolve(), WORK.resolve()
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    globals()[f"test_{sys.argv[4]}"]()
