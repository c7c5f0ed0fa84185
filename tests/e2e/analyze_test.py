"""Tests of `filch analyze` from the outside. Called with the command, the folder of the programs of examples/faults, a
work directory and one test's name.

The programs are recorded as users do it, with FILCH_TRACE. Their verdicts are shares of the run's own time, so they
hold on a busy machine; no test looks at times.
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


def test_a_healthy_program_is_ok():
    found = verdicts_of("healthy")
    expect([each["id"] for each in found] == ["ok"], f"no fault, not {json.dumps(found, indent=1)}")


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
