"""Tests of the simulator's commands from the outside. Called with the command, the checkout, a work directory and one
test's name.

A simulation gives the same bytes everywhere, so whole outputs are compared with files.
"""

import csv
import difflib
import json
import pathlib
import re
import resource
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


# ---- scenarios -------------------------------------------------------------------------------------------------------


SCENARIOS = ("adaptive affinity backoff basic bursts grain granularity herd joining numa priorities share-nothing "
             "spawning steal-half").split()
# Whose work is shared on request: they are simulated only.
SHARED = "loops loops-of-main nested-loops phases tiny".split()
SIM_OPTIONS = ("--workers --victims --steal --order --idle --backoff --wake --placement --join --grain --machine "
               "--demand --seed --seeds --trace --report --gantt --log --json --lesson").split()


def sim_json(*arguments):
    return json.loads(succeed("sim", *arguments, "--json"))


def statistics_shape(out):
    """The statistics tables without their numbers: rows, columns and order."""
    lines = out[out.index("=== Statistics ==="):].splitlines()
    counts = [re.sub(r"\d+(\.\d+)?", "#", line) for line in lines[:lines.index("")]]
    table = lines[lines.index("") + 1:]
    return counts, table[1].split(), re.findall(r"^  (\w+) +\d+ ", "\n".join(table[2:]), re.M)


def test_every_scenario_prints_what_its_file_says():
    files = {path.stem for path in (base.SOURCE / "scenarios").glob("*.json")} - {"schema"}
    expect(files == {*SCENARIOS, *SHARED}, f"the scenarios that are tested are those that exist: {files}")
    for name in (*SCENARIOS, *SHARED):
        wanted = (base.SOURCE / "scenarios" / f"{name}.out").read_text(encoding="utf-8")
        done = succeed("sim", name)
        difference = "\n".join(difflib.unified_diff(wanted.splitlines(), done.splitlines(), f"{name}.out", "now"))
        expect(done == wanted, f"the output of {name} is that of its file:\n{difference}")


def test_phases_that_are_shared_on_request_add_up_in_json():
    for name in SHARED:
        told = sim_json(name, "--seeds", "2", "--workers", "8")
        run, shared = told["run"], told["run"]["sharing"]
        expect(told["complete"] and told["workers"] == 8, f"what ran in {told}")
        counts = shared["counts"]
        expect(counts["offers"] == counts["taken"] + counts["taken_back"], f"offers are taken or taken back: {counts}")
        expect(run["tasks"] == counts["taken"] + (name != "loops-of-main"), f"what was taken is a task: {run}")
        for row in shared["phases"]:
            expect(row["ended"] > 0 and row["median_ns"] > 0, f"all phases ended: {row}")
            expect(row["speed_up"] <= 9, f"eight workers, and main, are at most nine times as fast: {row}")
        expect(len(told["over_seeds"]) == 1 and told["over_seeds"][0]["runs"] == 2, f"two seeds in {told}")
    expect(len(sim_json("loops")["run"]["sharing"]["half_efficiency"]) == 3, "one for each pause")


def test_demand_changes_the_rules_of_sharing():
    def woken(*words):
        counts = sim_json("tiny", *words)["run"]["sharing"]["counts"]
        return counts["wakes_by_owner"] + counts["wakes_by_thief"] + counts["wakes_by_monitor"]

    expect(woken("--demand=throttle=off") > woken(), "without the throttle more sleepers are woken for tiny tasks")
    text = succeed("sim", "tiny", "--demand", "wake=15us,join_first=off")
    expect("demand: notify=5us,wake=15us,transfer=2us,migrate=300ns,throttle=on,join_first=off,one_place=on,searchers=1"
           in text, text)
    expect("notify=5us" in succeed("policies"), "filch policies shows the fields")
    refuse(("sim", "tiny", "--demand=wake=0ns"), "demand.wake_ns", "1 ns to 1 s")
    refuse(("sim", "tiny", "--demand=trottle=on"), "--demand field", 'did you mean "throttle"')
    refuse(("sim", "basic", "--demand=throttle=off"), "--demand", "loops", "basic")
    refuse(("run", "loops"), "loops", "simulated only")
    rows = json.loads(succeed("compare", "tiny", "--demand", "throttle=on", "--demand", "throttle=off", "--json",
                              "--seeds", "3"))["cases"]
    expect([row["name"] for row in rows] == ["throttle=on", "throttle=off"], f"both are compared: {rows}")


def test_a_scenario_file_is_the_scenario_of_its_name():
    for name in ("basic", "spawning", "joining"):
        from_file = succeed("sim", base.SOURCE / "scenarios" / f"{name}.json")
        expect(succeed("sim", name).startswith(from_file), f"{name}.json runs as {name} does")


def test_simulated_and_real_runs_print_the_same_statistics_table():
    for name in ("basic", "joining", "bursts"):
        file = base.SOURCE / "scenarios" / f"{name}.json"
        simulated = statistics_shape(succeed("sim", file))
        real = statistics_shape(succeed("run", file, *base.SMALL))
        expect(simulated == real, f"the same rows and columns: {simulated} and {real}")


def test_a_scenario_on_threads_adds_up_in_json_and_in_parallel():
    for name in SCENARIOS:
        words = (base.SOURCE / "scenarios" / f"{name}.json", "--json", "--time-scale", "0.0002", "--idle", "eco")
        told = json.loads(succeed("run", *words, "--workers", "4"))
        simulated = sim_json(base.SOURCE / "scenarios" / f"{name}.json", "--workers", "4")
        base.check_run(told["runs"][0], 4, lost_events_allowed=True)
        expect(told["runs"][0]["tasks"] == simulated["run"]["tasks"], f"as many tasks as simulated in {name}: {told}")


def test_a_scenario_runs_on_threads_by_its_name_too():
    told = json.loads(succeed("run", "joining", "--json", "--seed", "5", "--repeat", "2", *base.SMALL))
    simulated = sim_json("joining", "--seed", "5")
    expect(told["workload"] == "joining" and len(told["runs"]) == 2, f"two runs of joining in {told}")
    expect([run["tasks"] for run in told["runs"]] == 2 * [simulated["run"]["tasks"]], f"the same work: {told}")
    refuse(("run", "joining", "--size", "3"), "--size", "kernels")
    refuse(("run", "joining", "--time-scale", "0"), "--time-scale", "allowed")
    refuse(("run", "nowhere.json"), "nowhere.json", code=1)


def test_joins_on_threads_suspend_the_parent_and_end_on_any_number_of_workers():
    simulated = sim_json("joining", "--seed", "5")
    for workers in ("1", "2", "4"):
        words = ("run", "joining", "--join=continuation", "--seed", "5", "--workers", workers, *base.SMALL)
        told = json.loads(succeed(*words, "--json"))
        expect(told["join"] == "continuation" and told["runs"][0]["tasks"] == simulated["run"]["tasks"],
               f"the same work on {workers} workers: {told}")
    out = succeed("run", "joining", "--join=continuation", "--seed", "5", *base.SMALL)
    expect("join=continuation" in out and "Total tasks executed" in out, f"what ran in {out}")


def test_joins_on_threads_that_block_their_thread_deadlock_when_no_worker_is_left():
    done = base.filch("run", "joining", "--join=blocking", "--seed", "5", "--workers", "1", *base.SMALL)
    expect(done.returncode == 3, "exit code 3", done)
    expect("a deadlock of joins" in done.stderr and "unfinished task" in done.stderr, "the deadlock is named", done)
    expect(re.search(r"worker 0 sits in the join of T[\d.]+, which waits for T[\d.]+, which lies in a queue",
                     done.stderr),
           "who waits for whom", done)
    told = base.filch("run", "joining", "--join=blocking", "--seed", "5", "--workers", "1", "--json", *base.SMALL)
    expect(told.returncode == 3 and len(json.loads(told.stdout)["stuck"]) == 1, "one stuck worker in JSON", told)
    succeed("run", "joining", "--join=blocking", "--seed", "5", "--workers", "64", *base.SMALL)  # more than tasks


def test_joins_are_chosen_only_where_there_are_any():
    refuse(("run", "joining", "--join=helping"), "--join", "helping", "continuation or blocking", "filch sim")
    refuse(("run", "basic", "--join=blocking"), "--join", "blocking", "joining", "basic")
    refuse(("run", "bursts", "--join=blocking"), "--join", "bursts")
    expect("--join" in succeed("run", "--help"), "the help says so")


def test_simulated_runs_add_up_in_json():
    for name in SCENARIOS:
        told = sim_json(name, "--seeds", "3")
        run = told["run"]
        expect(told["complete"] and told["scenario"] == name and told["seeds"] == 3, f"what ran in {told}")
        base.check_run(run, told["workers"])
        busy, wall = sum(run["busy_s"]), run["wall_s"]
        expect(run["work_s"] <= busy + 1e-9 <= told["workers"] * wall + 2e-9,
               f"work within busy within all time: {run}")
        for row in told["over_seeds"]:
            expect(row["runs"] == 3 and row["time"]["mean"] > 0, f"means over three seeds in {row}")


def test_the_same_seed_gives_the_same_bytes_and_another_one_others():
    for name in ("basic", "spawning", "share-nothing"):
        words = ("sim", name, "--log", "--seeds", "1")
        expect(succeed(*words) == succeed(*words), f"two runs of {name} are the same")
        expect(succeed(*words, "--seed", "2") != succeed(*words), f"another seed is another run of {name}")


def test_the_log_of_a_simulated_run_tells_each_task_once():
    for name in ("basic", "spawning", "joining"):
        told = sim_json(name, "--log", "--seed", "5")["run"]
        times = [float(line[1:line.index("]")]) for line in told["log"]]
        expect(times == sorted(times), f"times ascend in {told['log']}")
        for verb in (r"Worker \d+: Executing", r"Worker \d+: Completed", r"(?:Submitted|Worker \d+: Spawned)"):
            names = [found[1] for line in told["log"] if (found := re.match(rf"\[[\d.]+\] {verb} (\S+)", line))]
            expect(len(names) == len(set(names)) == told["tasks"], f"{verb} once for each task in {told['log']}")


def test_every_policy_name_is_accepted_and_reported():
    policies = json.loads(succeed("policies", "--json"))
    for option in ("victims", "steal", "order", "idle", "wake", "placement"):
        for name in policies[option]["names"]:
            value = name.replace("fixed:N", "fixed:2").replace("given:WORKER", "given:1")
            told = sim_json("spawning", f"--{option}", value)
            expect(told["policy"][option] == value and told["complete"], f"--{option} {value} is what runs: {told}")
    expect(sim_json("basic", "--backoff", "latency")["policy"]["idle"] == "latency", "--backoff is --idle")


def test_workers_machine_and_grain_change_the_run():
    times = [sim_json("granularity", "--workers", n, "--seeds", "1")["run"]["wall_s"] for n in (1, 2, 4, 8)]
    expect(times == [50, 25, 12.5, 6.5], f"50 s of work on 1, 2, 4 and 8 workers: {times}")
    told = sim_json("granularity", "--grain", "1ms", "--machine", "two-socket-64", "--workers", "64")
    expect(told["run"]["tasks"] == 50_000 and told["machine"] == "two-socket-64", f"50000 tasks of 1 ms: {told}")
    expect(50 / 64 < told["run"]["wall_s"] < 1.1 * 50 / 64, f"nearly all of 64 workers' time is work: {told['run']}")
    (base.WORK / "own.json").write_text('{"name": "own", "workers": 2, "costs": {"spawn_ns": 5}}')
    expect(sim_json("basic", "--machine", "own.json")["machine"] == "own", "a machine from a file")


def test_a_deadlock_is_named_and_has_its_own_exit_code():
    done = base.filch("sim", "joining", "--join=blocking", "--seed", "5")
    expect(done.returncode == 3, "exit code 3", done)
    expect("deadlock" in done.stderr and "unfinished" in done.stderr, "the deadlock is named", done)
    for worker in range(4):
        expect(re.search(rf"worker {worker} sits in the join of T[\d.]+, which waits for T[\d.]+,", done.stderr),
               f"worker {worker} and whom it waits for", done)
    queues = [int(number) for number in re.findall(r"queue=(\d+)", done.stdout)]
    expect(sum(queues) > 0, "children that nobody runs lie in the queues", done)
    for how in ("continuation", "helping"):
        expect(sim_json("joining", f"--join={how}", "--seed", "5")["complete"], f"{how} joins end")
    told = base.filch("sim", "joining", "--join=blocking", "--seed", "5", "--json")
    expect(told.returncode == 3 and len(json.loads(told.stdout)["stuck"]) == 4, "four stuck workers in JSON", told)


def test_a_simulated_run_is_written_and_drawn():
    out = succeed("sim", "adaptive", "--trace", "run.filch", "--report", "run.html", "--gantt")
    expect("Wrote run.filch" in out and "Wrote run.html" in out, f"both are announced in {out}")
    expect(re.search(r"^worker 3 +\[T\d+", out, re.M) and re.search(r"^path ", out, re.M), f"a drawing in {out}")
    info = json.loads(succeed("trace", "info", "run.filch", "--json"))
    expect(info["kinds"]["start"] == info["kinds"]["end"] == 15 and info["about"]["workload"] == "adaptive", f"{info}")
    expect("<title>adaptive on 4 workers" in (base.WORK / "run.html").read_text(), "a page that says what ran")
    succeed("sim", "basic", "--trace", "run.json")
    names = {event.get("name") for event in json.loads((base.WORK / "run.json").read_text())["traceEvents"]}
    expect({f"T{i}" for i in range(1, 11)} <= names, f"every task's name in {names}")


def test_a_large_run_is_not_recorded():
    (base.WORK / "large.json").write_text(json.dumps({"workers": 64, "workload": {
        "kind": "tasks", "groups": [{"count": 1_000_000, "length": "1us"}]}}))
    out = succeed("sim", "large.json")
    expect("Total tasks executed: 1000000" in out and "Who did what" not in out, f"statistics alone: {out[:500]}")


def test_sim_refuses_what_it_cannot_do():
    refuse(("sim", "basik"), '"basik"', 'did you mean "basic"', *SCENARIOS, *SHARED, ".json")
    refuse(("sim", "no/such.json"), "no/such.json", code=1)
    (base.WORK / "bad.json").write_text('{"workload": {"kind": "tasks", "groups": [{"count": -3, "length": "1s"}]}}')
    refuse(("sim", "bad.json"), "bad.json:1", "groups[0].count", "-3", "allowed", code=1)
    for option, text in (("workers", "0"), ("workers", "x"), ("seed", "-1"), ("seeds", "0"), ("victims", "nearst"),
                         ("steal", "fixed:0"), ("idle", "lazy"), ("wake", "some"), ("placement", "given:9"),
                         ("join", "waiting"), ("grain", "0s"), ("grain", "fast"), ("machine", "laptop"),
                         ("trace", "run.txt"), ("report", "run.txt")):
        scenario = "joining" if option == "join" else "granularity"
        refuse(("sim", scenario, f"--{option}={text}"), option, text)
    refuse(("sim", "basic", "--join=helping"), "--join", "basic")
    refuse(("sim", "spawning", "--grain=1ms"), "--grain", "spawning")
    refuse(("sim", "basic", "--victms", "random"), '"--victms"', 'did you mean "--victims"',
           *(option for option in SIM_OPTIONS if option != "--backoff"))
    refuse(("sim", "basic", "extra"), '"extra"')
    refuse(("sim", "basic", "--lesson", "--workers", "4"), "--workers", "--lesson")
    refuse(("sim", "basic", "--lesson", "--json"), "--json", "--lesson")


def test_help_names_every_option_and_scenario_with_examples_that_work():
    top = succeed("--help")
    told = succeed("sim", "--help")
    for part in (*SIM_OPTIONS, *SCENARIOS, "Examples:", "two-socket-64", "Exit codes"):
        expect(part in told, f"{part!r} in {told}")
    for line in re.findall(r"^  filch (sim .*?)(?:  |$)", top + told, re.M):
        done = base.filch(*line.split())
        expect(done.returncode == (3 if "blocking" in line else 0), f"the example works: {line}", done)


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
        expect(row["ways"] > row["right"] and row["twice"] + row["lost"] >= row["ways"] - row["right"],
               f"faults in {row}")
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
    expect(len({(row["stolen"], row["makespan_s"]) for row in apart}) == 1,
           f"one loaded queue: no difference in {apart}")
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


# ---- many workers ----------------------------------------------------------------------------------------------------


def test_thousands_of_workers_take_memory_for_workers_and_not_for_their_pairs():
    told = json.loads(succeed("sim", "steal-half", "--workers", "20000", "--steal", "half", "--seeds", "1", "--json"))
    expect(told["complete"] and told["workers"] == 20000, "a complete run")
    run = told["run"]
    expect(sum(run["executed"]) == 4000 and run["stolen"] > 4000, f"the work spreads: {run['stolen']} stolen")
    expect("matrix" not in run, "no table of all pairs")
    most_kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    expect(most_kb < 600_000, f"{most_kb} KB; a list of all others for each would take 1.6 GB")


def test_pairs_of_many_workers_are_listed_and_add_up():
    told = json.loads(succeed("sim", "steal-half", "--workers", "300", "--steal", "half", "--seeds", "1", "--json"))
    run = told["run"]
    expect("matrix" not in run, "no table of all pairs")
    for thief, victim, tasks in run["stolen_pairs"]:
        expect(thief != victim and max(thief, victim) < 300 and tasks > 0, f"{thief} took {tasks} from {victim}")
    expect(sum(tasks for _, _, tasks in run["stolen_pairs"]) == run["stolen"], "the pairs are all thefts")
    out = succeed("sim", "steal-half", "--workers", "300", "--steal", "half", "--seeds", "1")
    for part in ("The most steals by thief and victim (", "Worker 63: ", "… and 236 workers more; --json shows all."):
        expect(part in out, f"{part!r} in {out}")
    expect("Worker 64: " not in out, "not everybody has a line")


def test_a_run_of_too_many_events_is_not_recorded_unless_asked():
    out = succeed("sim", "steal-half", "--workers", "1500", "--steal", "one", "--seeds", "1")
    expect("too large to be shown task by task" in out and "Who stole" not in out, f"no recording: {out[-300:]}")
    expect("4000 tasks with 40 ms of work took" in out, f"the outcome: {out[-300:]}")


# ---- runs that do not end, and waits that do not settle --------------------------------------------------------------


def branching(name, **fields):
    (base.WORK / name).write_text(json.dumps({"workers": 4, "workload": {"kind": "branching", **fields}}))
    return name


def test_a_branching_scenario_that_explodes_is_told_early_and_cut_off():
    file = branching("explode.json", probability=0.9, most_children=3)
    done = base.filch("sim", file)
    expect(done.returncode == 4, "exit code 4", done)
    told = done.stdout.index("Each task has 1.80 children on average")
    expect(told < done.stdout.index("Statistics"), "it is told before the run", done)
    for part in ("cut off", "allowed are 10000000 tasks", "workload.probability", "unfinished"):
        expect(part in done.stderr, f"{part!r} in the message", done)
    done = base.filch("sim", file, "--json")
    expect(done.returncode == 4 and done.stderr.startswith("filch: Each task has 1.80 children"), "told early", done)
    told = json.loads(done.stdout)
    expect(told["end"] == "task_limit" and told["complete"] is False and "1.80" in told["notes"][0], f"why: {told}")
    done = base.filch("compare", file, "--victims", "random,largest", "--seeds", "1")
    expect(done.returncode == 4 and "2 runs of 2 were cut off: allowed are 10000000 tasks" in done.stderr,
           "a comparison is cut off, too", done)
    refuse(("run", file), "10000000 tasks", "1.80 children on average")


def test_one_cut_off_run_among_many_seeds_is_told():
    file = branching("perhaps.json", roots=1, probability=0.6, most_children=3)
    told = base.filch("sim", file, "--seeds", "4", "--json")
    rows = json.loads(told.stdout)["over_seeds"]
    expect(rows[0]["cut_off"] == rows[0]["incomplete"] > 0, f"some runs are cut off: {rows}")
    expect(told.returncode == 4 and "cut off" in told.stderr, "exit code 4", told)


def test_a_branching_scenario_that_ends_says_nothing_of_limits():
    done = base.filch("sim", branching("ends.json", probability=0.4, most_children=3))
    expect(done.returncode == 0 and done.stderr == "" and "children on average" not in done.stdout, "an end", done)


def stream(name, **fields):
    (base.WORK / name).write_text(json.dumps({"workers": 4, "workload": {"kind": "tasks", "groups": [fields]}}))
    return name


def test_waits_of_arrivals_that_are_too_many_or_too_few_are_not_settled():
    length = {"pattern": "exponential", "mean": "1ms"}
    for name, count, gap, settled in (("calm.json", 20_000, "500us", True), ("short.json", 100, "280us", False),
                                      ("over.json", 2000, "200us", False)):  # 50 %, 89 %, 125 % busy
        file = stream(name, count=count, length=length, arrive={"pattern": "poisson", "gap": gap})
        told = sim_json(file)
        expect(told["settled"] is settled and (told["notes"] == []) is settled, f"settled or not: {told['notes']}")
        out = " ".join(succeed("sim", file).split())
        expect(("settled" in out) is not settled, f"the text says so: {out[-300:]}")
        expect(settled or told["notes"][0] in out, f"the same in text and JSON: {out[-300:]}")
        told = json.loads(succeed("compare", file, "--victims", "random,largest", "--seeds", "2", "--json"))
        expect([row["settled"] for row in told["cases"]] == [settled] * 2, f"comparisons say so: {told}")
    expect("125.0 % of the time, so waits grow" in out, f"too many arrivals: {out[-300:]}")
    expect(sim_json("basic")["settled"] is None, "nothing arrives there")
    out = succeed("sweep", "over.json", "--workers", "4,8", "--seeds", "2")
    expect("1 of 2 cases are not settled" in out and "4 workers" in out, f"with 8 workers it is: {out}")


def test_a_hundred_thousand_workers_are_simulated_and_not_recorded():
    words = ("sim", "steal-half", "--steal", "half", "--seeds", "1", "--workers", "100000")
    told = json.loads(succeed(*words, "--json"))
    expect(told["complete"] and told["workers"] == 100_000, "a complete run")
    expect(sum(told["run"]["executed"]) == 4000 and len(told["run"]["executed"]) == 100_000, "all tasks and workers")
    out = succeed(*words)
    expect("too large to be shown task by task" in out and "Who did what" not in out, f"no recording: {out[-300:]}")
    for option in ("--gantt", "--log", "--trace=run.filch", "--report=run.html"):
        refuse((*words, option), "--workers", "100000", option.partition("=")[0], "65534")
    most_kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    expect(most_kb < 1_000_000, f"{most_kb} KB for 100000 workers")
    refuse(("sim", "basic", "--workers", "100001"), "--workers", "100001", "100000")


# ---- queueing --------------------------------------------------------------------------------------------------------


def queueing(*arguments):
    return json.loads(succeed("sim", "queueing", "--json", *arguments))


def test_queueing_agrees_with_the_theory_of_many_servers():
    for words, wanted in ((("--load", "0.5"), 1.6180), (("--load", "0.9"), 3.5414),
                          (("--load", "0.5", "--steal", "half"), 1.5875),
                          (("--load", "0.9", "--steal", "half"), 2.8356),
                          (("--load", "0.8", "--probe-rate", "2"), (1 + 2 * 0.2) / (0.2 * 3))):
        told = queueing("--servers", "128", *words)
        near(told["theory"], wanted, 0.0005 * wanted, f"the theory of {words}")
        near(told["mean_sojourn"], wanted, 0.02 * wanted + told["half_width"], f"the simulated time of {words}")
        expect(told["one_queue_for_all"] < told["mean_sojourn"] < told["without_stealing"],
               f"between the bounds: {told}")
        expect(0 < told["half_width"] < 0.1, f"an interval in {told}")


def test_queueing_takes_as_many_tasks_as_its_servers_need_to_settle():
    told = queueing("--servers", "100000")
    near(told["mean_sojourn"], 3.5414, 0.03 * 3.5414, "the simulated time of 100000 servers")
    expect(told["settled"] and told["tasks"] > 10_000_000 < told["warm_up_tasks"], f"as many as it takes: {told}")
    expect(told["warm_up_time"] >= told["settling_time"] * 0.999999, f"it settles before it counts: {told}")
    most_kb = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    expect(most_kb < 200_000, f"{most_kb} KB for 100000 servers")


def test_queueing_says_when_it_has_not_settled():
    words = ("--servers", "20000", "--tasks", "200000", "--warm-up", "2")
    told = queueing(*words)
    expect(told["settled"] is False and told["theory_in_interval"] is False, f"it is not settled: {told}")
    out = " ".join(succeed("sim", "queueing", *words).split())
    for part in ("Not settled: the servers are empty at the beginning", "--warm-up", "--tasks",
                 "Not settled: tasks were counted for 11.1 mean service times",
                 "The theory lies outside the interval", "20000 that have not settled"):
        expect(part in out, f"{part!r} in {out}")
        expect(any(part in note for note in told["notes"]), f"{part!r} in {told['notes']}")
    told = queueing("--tasks", "1000000")
    expect(told["settled"] is True and told["theory_in_interval"] is True and told["notes"] == [], f"settled: {told}")
    expect("settled" not in succeed("sim", "queueing"), "no doubt where there is none")
    told = queueing("--servers", "2", "--load", "0.9")
    expect(told["settled"] and not told["theory_in_interval"], f"two are not many: {told}")
    expect("not for 2." in " ".join(told["notes"]), f"it is said that two are not many: {told['notes']}")


def test_queueing_says_what_it_did_and_refuses_bad_options():
    told = queueing("--servers", "16", "--load", "0.7", "--threshold", "3", "--tasks", "20000", "--seed", "9")
    for name, wanted in (("servers", 16), ("load", 0.7), ("threshold", 3), ("tasks", 20000), ("seed", 9),
                         ("steal", "one"), ("probe_rate", 0)):
        expect(told[name] == wanted, f"{name} is {wanted} in {told}")
    expect(told == queueing("--servers", "16", "--load", "0.7", "--threshold", "3", "--tasks", "20000", "--seed", "9"),
           "the same options give the same numbers")
    out = succeed("sim", "queueing", "--tasks", "20000")
    for part in ("128 servers", "simulated", "theory", "without stealing", "one queue for all"):
        expect(part in out, f"{part!r} in {out}")
    for option, text in (("servers", "1"), ("load", "0"), ("load", "1"), ("load", "nan"), ("steal", "all"),
                         ("threshold", "1"), ("probe-rate", "-1"), ("tasks", "10"), ("warm-up", "-1"),
                         ("seed", "x")):
        refuse(("sim", "queueing", f"--{option}={text}"), f"--{option}", text)
    refuse(("sim", "queueing", "--server", "4"), '"--server"', 'did you mean "--servers"')


# ---- compare and sweep -----------------------------------------------------------------------------------------------


def test_compare_names_a_winner_only_when_there_is_one():
    told = json.loads(succeed("compare", "steal-half", "--steal", "one,half", "--seeds", "10", "--json"))
    one, half = told["cases"]
    expect(half["standing"] == "winner" and one["standing"] == "beaten", f"half wins in {told}")
    expect(one["behind_best"] > one["behind_best_half_width"] > 0, f"by a clear difference in {told}")
    told = json.loads(succeed("compare", "adaptive", "--victims", "random,largest", "--seeds", "50", "--json"))
    expect([row["standing"] for row in told["cases"]] == 2 * ["among_best"], f"nobody wins in {told}")
    told = json.loads(succeed("compare", "adaptive", "--victims", "random,largest", "--metric", "stolen", "--json"))
    expect([row["standing"] for row in told["cases"]] == ["beaten", "winner"], f"the longest queue needs fewer: {told}")
    out = succeed("compare", "steal-half", "--steal", "one,half", "--seeds", "10")
    expect(re.search(r"^  \* half ", out, re.M) and re.search(r"^    one ", out, re.M),
           f"the winner is marked in {out}")


def test_compare_tries_all_victims_without_a_list_and_runs_in_parallel():
    told = json.loads(succeed("compare", "basic", "--seeds", "20", "--json"))
    names = [row["name"] for row in told["cases"]]
    expect(names == list(json.loads(succeed("policies", "--json"))["victims"]["names"]), f"every way in {names}")
    again = json.loads(succeed("compare", "basic", "--seeds", "20", "--json", FILCH_WORKERS="1"))
    expect(told == again, "the numbers do not depend on how many threads compute them")


def test_sweep_covers_policies_workers_and_grains():
    told = json.loads(succeed("sweep", "granularity", "--workers", "2,4", "--grain", "100ms,1s", "--steal", "one,half",
                              "--seeds", "5", "--json"))
    seen = {(row["workers"], row["grain_ns"], row["name"]) for row in told["cases"]}
    wanted = {(w, g, s) for w in (2, 4) for g in (100_000_000, 1_000_000_000) for s in ("one", "half")}
    expect(seen == wanted and len(told["cases"]) == 8, f"each combination once in {seen}")
    for row in told["cases"]:
        expect(row["time"]["mean"] >= 50 / row["workers"], f"no faster than the work allows: {row}")
    lines = succeed("sweep", "granularity", "--grain", "1s,2s", "--seeds", "5", "--csv").splitlines()
    table = list(csv.DictReader(lines))
    expect([row["grain_ns"] for row in table] == ["1000000000", "2000000000"], f"two rows in {lines}")
    expect(float(table[1]["time"]) == 14.0 and float(table[1]["time_hw"]) == 0.0, f"25 tasks of 2 s take 14 s: {lines}")


def test_a_machine_with_costs_has_a_best_grain():
    told = json.loads(succeed("sweep", "grain", "--grain", "50ns,5us,500us", "--seeds", "3", "--json"))
    fine, middle, coarse = (row["time"]["mean"] for row in told["cases"])
    expect(middle < fine and middle < coarse, f"neither the finest nor the coarsest: {told}")


def test_comparisons_are_drawn():
    expect("Wrote bars.svg" in succeed("compare", "adaptive", "--seeds", "5", "--plot", "bars.svg"), "bars.svg")
    succeed("sweep", "steal-half", "--steal", "one,half", "--workers", "2,8", "--seeds", "3", "--plot", "lines.svg")
    bars, lines = ((base.WORK / name).read_text() for name in ("bars.svg", "lines.svg"))
    expect(bars.count("<rect x=") == 7 and "best_of_two" in bars, "a bar for each policy")
    expect(lines.count("<polyline") == 2 and lines.count("<polygon") == 2, "a line with a band for each policy")


def test_comparisons_show_their_progress_on_a_terminal_only():
    out = base.filch("compare", "numa", "--seeds", "30")
    expect(out.returncode == 0 and out.stderr == "", "no progress without a terminal", out)


def test_comparisons_leave_deadlocks_out_and_say_so():
    out = succeed("compare", "joining", "--join", "continuation,blocking", "--seeds", "40")
    expect(re.search(r"\d+ runs did not complete", out), f"stuck runs are counted in {out}")


def test_compare_and_sweep_refuse_what_they_cannot_do():
    for command in ("compare", "sweep"):
        refuse((command,), "scenario", *SCENARIOS)
        refuse((command, "basik"), '"basik"', 'did you mean "basic"')
        for option, text in (("victims", "random,nearst"), ("steal", "fixed:0"), ("seeds", "0"), ("metric", "speed"),
                             ("plot", "x.png"), ("machine", "laptop"), ("workers", "0"), ("grain", "never")):
            refuse((command, "granularity", f"--{option}={text}"), f"--{option}", text.rpartition(",")[2])
        refuse((command, "basic", "--victims=random,largest", "--csv", "--json"), "--csv", "--json")
        told = succeed(command, "--help")
        for part in ("--victims", "--steal", "--idle", "--workers", "--grain", "--metric", "--plot", "--csv", "--json",
                     "--seeds", "Examples:"):
            expect(part in told, f"{part!r} in {told}")
        for line in re.findall(rf"^  filch ({command} .*?)$", told, re.M):
            expect(base.filch(*line.split()).returncode == 0, f"the example works: {line}")
    refuse(("compare", "basic", "--victims", "random"), "two policies")
    refuse(("compare", "basic", "--workers", "2", "--workers", "4"), "sweep")


if __name__ == "__main__":
    base.COMMAND, base.SOURCE, base.WORK = (pathlib.Path(word) for word in sys.argv[1:4])
    shutil.rmtree(base.WORK, ignore_errors=True)
    base.WORK.mkdir(parents=True)
    globals()[f"test_{sys.argv[4]}"]()
