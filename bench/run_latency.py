#!/usr/bin/env python3
"""Builds and runs the latency, idle, throughput and tracing measurements of all runtimes, interleaved, and prints one
table.

    bench/run_latency.py --build build/bench --json latency.json

--build is a build tree that `cmake` has configured. In every round each measurement is run once for every runtime, one
right after the other, in an order that changes from round to round; a ratio is taken inside a round and the median of
the ratios is reported. Other processes disturb these measurements: a run waits for quiet, is repeated if it was
disturbed, and is marked if it stayed so. The idle measurement takes CPU time only, so all runtimes idle together.
"""

import argparse
import concurrent.futures
import datetime
import json
import os
import platform
import re
import statistics
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from run_micro import Watch, build, cpu_model, run_text, wait_for_quiet


class Section:
    """Measurements that are shown together. `columns`: heading → metric; the first is the one that matters most."""

    def __init__(self, title, amount, unit, divisor, columns, base="filch"):
        self.title, self.amount, self.unit, self.divisor, self.base = title, amount, unit, divisor, base
        self.columns = columns


LATE = {"median": "median_ns", "p99": "p99_ns", "CPU each": "cpu_ns"}
EACH = {"real": "median_ns", "CPU": "cpu_ns"}
SECTIONS = {
    "submit_to_start": Section("an outside thread submits to 2 idle workers, once per ms: until the task starts",
                               "submissions", "µs", 1e3, LATE),
    "spawn_to_start": Section("a task submits and ends or sleeps, once per ms: until the new task starts",
                              "submissions", "µs", 1e3, LATE),
    "idle": Section("CPU time of 2 workers without work", "idle_seconds", "ms", 1e6, {"CPU": "cpu_ns"}),
    "spawn_inside_1": Section("a task makes many, 1 worker (per task)", "tasks", "ns", 1, EACH),
    "spawn_inside_2": Section("a task makes many, 2 workers (per task)", "tasks", "ns", 1, EACH),
    "submit_outside_1": Section("an outside thread makes many, 1 worker (per task)", "tasks", "ns", 1, EACH),
    "submit_outside_2": Section("an outside thread makes many, 2 workers (per task)", "tasks", "ns", 1, EACH),
    "trace_1": Section("fib by submit and get, no cut-off, 1 worker (per task): cost of tracing", "fib", "ns", 1,
                       {"CPU": "cpu_ns", "real": "median_ns"}, base="absent"),
    "trace_2": Section("fib by submit and get, no cut-off, 2 workers (per task): cost of tracing", "fib", "ns", 1,
                       EACH, base="absent"),
}


# ---- the programs ----------------------------------------------------------------------------------------------------
class Program:
    def __init__(self, path, described):
        self.path, self.described = path, described
        self.names = run_text([path, "--list"]).split()

    def run(self, name, amount):
        return json.loads(run_text([self.path, name, str(amount)]))


def find_programs(tree, wants_build):
    """(programs, what was left out and why)"""
    if not (tree / "CMakeCache.txt").is_file():
        raise SystemExit(f"--build {tree}: not a configured build tree; run "
                         f"cmake -S . -B {tree} -DCMAKE_BUILD_TYPE=Release -DFILCH_BUILD_BENCH=ON first")
    folder = tree / "bench/latency"
    if wants_build:
        ok, text = build(tree, "filch_latency")
        if not ok:
            raise SystemExit(f"--build {tree}: filch_latency does not build\n{text}")
    about = json.loads(run_text([folder / "filch_latency", "--about"]))
    programs, left_out = [Program(folder / "filch_latency", f"filch: {about['compiler']}, {about['flags']}")], []
    for target, path, describe in (
            ("tokio_latency", folder / "tokio/target/release/tokio_latency", describe_tokio),
            ("go_latency", folder / "go_latency", describe_go)):
        ok, text = build(tree, target) if wants_build else (True, "")
        if ok and path.is_file():
            programs.append(Program(path, describe(path)))
        else:
            left_out.append((text.strip().splitlines() or [f"{target} is not built"])[-1])
    return programs, left_out


def describe_tokio(path):
    about = json.loads(run_text([path, "--about"]))
    locked = re.search(r'name = "tokio"\nversion = "([^"]*)"', (path.parents[2] / "Cargo.lock").read_text())
    version = locked[1] if locked else "of unknown version"
    return f"tokio {version}: {run_text(['rustc', '--version']).strip()}, {about['flags']}"


def describe_go(path):
    return f"go: {json.loads(run_text([path, '--about']))['compiler']}"


# ---- rounds ----------------------------------------------------------------------------------------------------------
def run_quiet(program, name, amount, args):
    """The run with the least disturbance out of at most 1 + --retries; stops at the first quiet one."""
    best = None
    for _ in range(args.retries + 1):
        wait_for_quiet(args)
        watch = Watch()
        run = program.run(name, amount)
        run["foreign_cpus"] = round(watch.foreign(), 3)
        run["is_disturbed"] = run["foreign_cpus"] > args.quiet
        if best is None or run["foreign_cpus"] < best["foreign_cpus"]:
            best = run
        if not best["is_disturbed"]:
            break
    return best


def run_together(jobs, amount):
    """All at once: for what only takes CPU time."""
    with concurrent.futures.ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(lambda job: {**job[0].run(job[1], amount), "is_disturbed": False}, jobs))


def measure(programs, args):
    """{section: {runtime: [run of each round]}}"""
    wanted = re.compile(args.filter)
    jobs = {section: [] for section in SECTIONS}
    for program in programs:
        for name in program.names:
            if wanted.search(name):
                jobs[name.split("/")[0]].append((program, name))
    results = {section: {name.split("/")[1]: [] for _, name in jobs[section]} for section in SECTIONS if jobs[section]}
    for number in range(args.rounds):
        for section, by_who in results.items():
            amount = getattr(args, SECTIONS[section].amount)
            if section == "idle":
                for (_, name), run in zip(jobs[section], run_together(jobs[section], amount)):
                    by_who[name.split("/")[1]].append(run)
                continue
            turn = number % len(jobs[section])
            sequence = jobs[section][turn:] + jobs[section][:turn]
            for program, name in sequence if number % 2 == 0 else reversed(sequence):
                by_who[name.split("/")[1]].append(run_quiet(program, name, amount, args))
        print(f"round {number + 1} of {args.rounds}", file=sys.stderr)
    return results


# ---- the table -------------------------------------------------------------------------------------------------------
def summarise(results):
    rows = []
    for section, by_who in results.items():
        base = by_who.get(SECTIONS[section].base)
        for who, runs in by_who.items():
            row = {"section": section, "runtime": who, "metrics": {}, "ratios": {}, "runs": runs}
            for metric in [key for key in runs[0] if key not in ("foreign_cpus", "is_disturbed")]:
                row["metrics"][metric] = statistics.median(run[metric] for run in runs)
                if base and by_who[who] is not base and all(b[metric] > 0 for b in base):
                    row["ratios"][metric] = statistics.median(r[metric] / b[metric] for r, b in zip(runs, base))
            rows.append(row)
    return rows


def number(value):
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def print_table(rows, args):
    wide = max(len(row["runtime"]) for row in rows) + 1
    shown = None
    for row in rows:
        section = SECTIONS[row["section"]]
        columns = section.columns.items()
        if row["section"] != shown:
            shown = row["section"]
            headings = "".join(f"{heading:>10}" for heading in section.columns)
            ratios = "".join(f"  {'÷ ' + section.base + ' ' + heading:>16}" for heading in section.columns)
            seconds = f" in {args.idle_seconds} s" if shown == "idle" else ""
            print(f"\n{shown}: {section.title}{seconds}\n{'':4}{section.unit:{wide}}{headings}{ratios}")
        cells = "".join(f"{number(row['metrics'][key] / section.divisor):>10}" for _, key in columns)
        ratios = "".join(f"  {number(row['ratios'][key]) if key in row['ratios'] else '':>16}" for _, key in columns)
        loud = sum(run["is_disturbed"] for run in row["runs"])
        notes = [f"{loud} of {len(row['runs'])} disturbed"] if loud else []
        if row["metrics"].get("dropped"):
            notes.append("events were dropped: too large an argument of fib")
        note = f"  ({'; '.join(notes)})" if notes else ""
        print(f"{'':4}{row['runtime']:{wide}}{cells}{ratios}{note}".rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, required=True, help="a configured build tree")
    parser.add_argument("--rounds", type=int, default=7, help="at least 7 for a result worth keeping (default 7)")
    parser.add_argument("--filter", default="", help="only measurements whose name/runtime matches it")
    parser.add_argument("--submissions", type=int, default=2000, help="per latency run, one each ms (default 2000)")
    parser.add_argument("--idle-seconds", type=int, default=10, help="how long an idle run lasts (default 10)")
    parser.add_argument("--tasks", type=int, default=100_000, help="per throughput repetition (default 100000)")
    parser.add_argument("--fib", type=int, default=22, help="argument of fib in the tracing runs (default 22)")
    parser.add_argument("--quiet", type=float, default=0.1, help="CPUs' worth that others may use during a run")
    parser.add_argument("--retries", type=int, default=2, help="how often a disturbed run is repeated")
    parser.add_argument("--patience", type=float, default=2, help="seconds to wait for quiet before a run")
    parser.add_argument("--no-build", action="store_true", help="run what is there")
    parser.add_argument("--json", type=Path, help="write everything, every run included, to this file")
    args = parser.parse_args()
    for option, value, least, most in (
            ("--rounds", args.rounds, 1, 1000), ("--submissions", args.submissions, 100, 1_000_000),
            ("--idle-seconds", args.idle_seconds, 1, 3600), ("--tasks", args.tasks, 1000, 100_000_000),
            ("--fib", args.fib, 10, 24), ("--retries", args.retries, 0, 100), ("--quiet", args.quiet, 0, 1024),
            ("--patience", args.patience, 0, 3600)):
        if not least <= value <= most:
            parser.error(f"argument {option}: {value} is not allowed, it must be from {least} to {most}")

    programs, left_out = find_programs(args.build, not args.no_build)
    watch = Watch()
    rows = summarise(measure(programs, args))
    if not rows:
        raise SystemExit(f"--filter {args.filter}: no measurement matches")
    context = {
        "date": datetime.date.today().isoformat(), "cpu": cpu_model(), "cpus": len(os.sched_getaffinity(0)),
        "kernel": platform.release(), "rounds": args.rounds, "submissions": args.submissions, "tasks": args.tasks,
        "idle_seconds": args.idle_seconds, "fib": args.fib, "programs": [p.described for p in programs],
        "left_out": left_out, "foreign_cpus": round(watch.foreign(), 3)}

    print(f"{context['date']}, {context['cpu']}, {context['cpus']} CPUs, Linux {context['kernel']}, {args.rounds} "
          f"rounds; others used {context['foreign_cpus']:.2f} CPUs meanwhile")
    for text in context["programs"]:
        print(text)
    for text in left_out:
        print(f"left out: {text}")
    print("÷ X: median over the rounds of this value divided by X's in the same round; above 1 X is better")
    print_table(rows, args)
    if args.json:
        args.json.write_text(json.dumps({"context": context, "rows": rows}, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
