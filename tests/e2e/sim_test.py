"""Tests of the simulator's commands from the outside. Called with the command, the checkout, a work directory and one
test's name.

A simulation gives the same bytes everywhere, so whole outputs are compared with files.
"""

import json
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


# ---- the exercises ---------------------------------------------------------------------------------------------------
# The wanted figures were measured with another simulator, over 200 to 300 seeds. A tolerance is four standard errors of
# a mean over the seeds used here, and the same again for the figure itself where that was measured.


def exercise(number, seeds):
    told = json.loads(succeed("sim", "exercise", number, "--seeds", seeds, "--json"))
    expect(told["exercise"] == number and told["answer"], f"an answer in {told}")
    return told


def near(is_value, wanted, tolerance, what):
    expect(abs(is_value - wanted) <= tolerance, f"{what} to be {wanted} ± {tolerance}, not {is_value}")


def test_exercise_1_tells_when_more_workers_stop_helping():
    told = exercise(1, 200)
    rows = {row["workers"]: row for row in told["rows"]}
    rates = {2: 8.8, 3: 14.5, 4: 19.3, 5: 22.9, 6: 27.4, 7: 30.3, 8: 31.7, 12: 41.7, 16: 47.1, 20: 53.4, 32: 70}
    times = {2: 12.87, 3: 8.85, 4: 6.85, 5: 5.66, 6: 4.86, 7: 4.33, 8: 3.88, 12: 2.98, 16: 2.44, 20: 1.93, 32: 1.93}
    for workers, row in rows.items():
        error = 4 * 2 ** 0.5 / 200 ** 0.5
        near(row["steal_rate_percent"], rates[workers], error * row["steal_rate_sd"], f"steal rate of {workers}")
        near(row["makespan_s"], times[workers], error * row["makespan_sd"] + 0.005, f"time of {workers}")
    near(rows[2]["efficiency_percent"], 97, 2, "efficiency of 2 workers")
    near(rows[8]["efficiency_percent"], 81, 3, "efficiency of 8 workers")
    expect(told["stops_at"] == 20, f"more than 20 workers do not help: {told}")


def test_exercise_2_finds_doubled_and_lost_tasks():
    rows = {row["race"]: row for row in exercise(2, 1)["rows"]}
    for name, row in rows.items():
        expect(row["right"] == 2, f"only one after the other is right, in either order: {row}")
        expect(row["ways"] > row["right"] and row["twice"] + row["lost"] >= row["ways"] - row["right"], f"faults in {row}")
    expect(rows["push against steal, two tasks"]["lost"] > 0, f"a push is lost in {rows}")
    expect(rows["pop against steal, one task left"]["twice"] == 18, f"18 of 20 ways double the last task in {rows}")


def test_exercise_3_tells_how_joins_wait_and_get_stuck():
    told = exercise(3, 400)
    for row in told["stuck_percent"]:
        wanted = {1: 92.2, 2: 81.8, 4: 59.7, 8: 28.0, 16: 9.7}[row["workers"]]
        expect(row["continuation"] == row["helping"] == 0, f"only blocking joins get stuck: {row}")
        near(row["blocking"], wanted, 400 * (wanted / 100 * (1 - wanted / 100) * (1 / 400 + 1 / 1000)) ** 0.5,
             f"stuck runs of {row['workers']} workers")
    joins = {row["join"]: row for row in told["joins"]}
    for name, wanted in (("blocking", 6.05), ("helping", 4.95), ("continuation", 4.84)):
        row = joins[name]
        near(row["makespan_s"], wanted, 4 * 2 ** 0.5 * row["makespan_sd"] / row["runs"] ** 0.5, f"time of {name}")
    # Few tasks have very many descendants, so these means vary more than a standard error says.
    near(joins["continuation"]["child_span_s"], 1.76, 0.35, "the longest chain below a parent")
    near(joins["continuation"]["parent_wait_s"], 2.87, 0.9, "the wait of a parent")
    expect(joins["continuation"]["makespan_s"] < joins["helping"]["makespan_s"] < joins["blocking"]["makespan_s"],
           f"continuations are best in {joins}")


def test_exercise_4_tells_what_backing_off_saves_and_costs():
    told = exercise(4, 100)
    poll, backoff, sleep = told["rows"]
    for name in ("batch_makespan_s", "batch_idle_s"):
        expect(poll[name] == backoff[name] == sleep[name], f"the same {name} of all three: {told}")
    near(poll["batch_failed_sweeps"], 63.6, 8, "failed sweeps when looking every 0.1 s")
    near(backoff["batch_failed_sweeps"], 32.1, 3, "failed sweeps when backing off")
    near(poll["stream_wait_s"], 0.103, 0.02, "the wait of a task when looking every 0.1 s")
    near(backoff["stream_wait_s"], 0.196, 0.025, "the wait of a task when backing off")
    near(poll["stream_failed_sweeps_per_task"], 12.7, 0.8, "failed sweeps per task when looking every 0.1 s")
    near(backoff["stream_failed_sweeps_per_task"], 3.8, 0.5, "failed sweeps per task when backing off")
    expect(sleep["stream_wait_s"] < 0.8 * poll["stream_wait_s"], f"who is woken is there sooner: {told}")
    expect(sleep["stream_failed_sweeps_per_task"] < 0.5 * backoff["stream_failed_sweeps_per_task"],
           f"who sleeps does not look: {told}")


def test_exercise_5_tells_that_the_longest_queue_is_no_better_victim():
    told = exercise(5, 200)
    apart, together, costly = (told["rows"][i:i + 3] for i in (0, 3, 6))
    expect(len({(row["stolen"], row["makespan_s"]) for row in apart}) == 1, f"one loaded queue: no difference in {apart}")
    random, _, largest = together
    near(random["stolen"], 48.7, 1.2, "thefts from random victims")
    near(largest["stolen"], 44.6, 1.0, "thefts from the longest queue")
    expect(abs(largest["beyond_random_s"]) < 2 * largest["half_width"] + 0.01, f"the same time in {together}")
    near(costly[2]["beyond_random_s"], 1.12, 0.15, "what looking at all queues costs")
    near(costly[0]["makespan_s"], 15, 0.5, "the time with costly looks")


def test_exercises_are_repeatable_and_refuse_bad_numbers():
    for number in range(1, 6):
        expect(succeed("sim", "exercise", number, "--seeds", 20) == succeed("sim", "exercise", number, "--seeds", 20),
               f"exercise {number} gives the same bytes in parallel runs")
    refuse(("sim", "exercise"), "exercise", "1 to 5")
    refuse(("sim", "exercise", "6"), "exercise", '"6"', "1 to 5")
    refuse(("sim", "exercise", "1", "--seeds", "0"), "--seeds", '"0"', "allowed")
    refuse(("sim", "exercise", "1", "--plot", "x.png"), "--plot", "x.png", ".svg")
    refuse(("sim", "exercise", "2", "--plot", "x.svg"), "--plot", "nothing to draw")
    out = succeed("sim", "exercise", "1", "--seeds", "20", "--plot", "one.svg")
    expect("Wrote one.svg" in out, f"the picture is announced in {out}")
    expect((base.WORK / "one.svg").read_text().startswith("<svg"), "a picture")


if __name__ == "__main__":
    base.COMMAND, base.SOURCE, base.WORK = (pathlib.Path(word) for word in sys.argv[1:4])
    shutil.rmtree(base.WORK, ignore_errors=True)
    base.WORK.mkdir(parents=True)
    globals()[f"test_{sys.argv[4]}"]()
