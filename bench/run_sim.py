#!/usr/bin/env python3
"""Simulated tasks per CPU second: filch beside SimPy and plain Python, measured in turn.

    bench/run_sim.py --build build/bench --json sim.json

--build is a build tree that `cmake` has configured. In every round each case is run once by each engine, one right
after the other, in an order that changes from round to round; a ratio is taken inside a round, and the median of the
ratios is reported. CPU time counts from making the tasks to the end of the last; the start of the interpreter does not.
SimPy is Debian's python3-simpy3; without it that column is left out.
"""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from run_micro import build, cpu_model, run_text

SCRIPT = Path(__file__).resolve().parent / "sim/python/lesson_like.py"
RUNS = 5  # with different seeds in one process
CASES = {
    "100000 tasks spread over 64 workers": (100_000, 64, "spread"),
    "20000 tasks, all in one of 64 queues": (20_000, 64, "one"),
    "10000 tasks spread over 4 workers": (10_000, 4, "spread"),
}


def engines(program, python):
    found = {"filch": lambda tasks, workers, start, seed: [program, tasks, workers, start, seed, RUNS]}
    names = ["plain"]
    if subprocess.run([python, "-c", "import simpy"], stderr=subprocess.DEVNULL, check=False).returncode == 0:
        names.insert(0, "simpy")
    for name in names:
        found[name] = lambda tasks, workers, start, seed, name=name: [
            python, SCRIPT, "--engine", name, "--tasks", tasks, "--workers", workers, "--start", start, "--seed", seed,
            "--runs", RUNS]
    return found


def measure(commands, rounds):
    """rate[case][engine] → tasks per CPU second in each round; and how long the simulated runs were."""
    rates = {case: {name: [] for name in commands} for case in CASES}
    makespans = {case: {name: [] for name in commands} for case in CASES}
    for number in range(rounds):
        for case, (tasks, workers, start) in CASES.items():
            order = list(commands)
            for name in order[number % len(order):] + order[:number % len(order)]:
                told = json.loads(run_text([str(word) for word in commands[name](tasks, workers, start,
                                                                                 number * RUNS + 1)]))
                rates[case][name].append(told["tasks"] / told["cpu_s"])
                makespans[case][name].append(told["makespan_s"])
    return rates, makespans


def summarise(rates, makespans):
    out = []
    for case, of_case in rates.items():
        row = {"case": case}
        for name, values in of_case.items():
            ratios = [own / other for own, other in zip(of_case["filch"], values)]
            row[name] = {"tasks_per_cpu_s": statistics.median(values), "filch_is_faster_by": statistics.median(ratios),
                         "least_ratio": min(ratios), "simulated_s": statistics.mean(makespans[case][name])}
        out.append(row)
    return out


def show(rows, names):
    print(f"{'':40}" + "".join(f"{name + ' tasks/s':>18}" for name in names)
          + "".join(f"{'filch / ' + name:>16}" for name in names if name != "filch"))
    for row in rows:
        print(f"{row['case']:40}" + "".join(f"{row[name]['tasks_per_cpu_s']:18,.0f}" for name in names)
              + "".join(f"{row[name]['filch_is_faster_by']:15.0f}×" for name in names if name != "filch"))
        print(f"{'  simulated time, mean over rounds':40}"
              + "".join(f"{row[name]['simulated_s']:16.1f} s" for name in names))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="a configured build tree")
    parser.add_argument("--no-build", action="store_true", help="use the program as it is")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--python", default="/usr/bin/python3", help="the interpreter that has SimPy")
    parser.add_argument("--json", type=Path, help="write everything to this file, too")
    given = parser.parse_args()
    if given.rounds < 1:
        parser.error("--rounds: allowed is a number from 1 on")
    if not given.no_build:
        ok, text = build(given.build, "filch_lesson_like")
        if not ok:
            raise SystemExit(f"--build {given.build}: filch_lesson_like does not build\n{text}")
    commands = engines(given.build / "bench/sim/filch_lesson_like", given.python)
    rates, makespans = measure(commands, given.rounds)
    rows = summarise(rates, makespans)
    about = {"cpu": cpu_model(), "cpus": os.cpu_count(), "load": os.getloadavg()[0],
             "python": run_text([given.python, "--version"]).strip(), "system": platform.platform(),
             "rounds": given.rounds}
    print(f"{about['cpu']}, {about['cpus']} CPUs, load {about['load']:.1f}; {about['python']}; medians of "
          f"{given.rounds} rounds")
    show(rows, list(commands))
    if "simpy" not in commands:
        print(f"SimPy is left out: {given.python} does not have it (Debian: python3-simpy3)")
    if given.json:
        given.json.write_text(json.dumps({"about": about, "rows": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
