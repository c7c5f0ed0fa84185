#!/usr/bin/env python3
"""Builds and runs the micro-benchmarks of all implementations, interleaved, and prints one table.

    bench/run_micro.py --build build/bench-gcc --build build/bench-clang --json micro.json

Each --build is a build tree that `cmake` has configured, one per compiler. In every round each benchmark is run once
for every implementation, one right after the other, in an order that changes from round to round; a ratio is taken
inside a round and the median of the ratios is reported. One thread alone is measured by its CPU time. Several are
measured by real time, which others disturb: such a run waits for quiet, is repeated if it was disturbed, and is marked
if it stayed so.
"""

import argparse
import datetime
import json
import os
import platform
import re
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

# What each benchmark measures, in the order of the table; a name that is not here goes to the end.
TITLES = {
    "pair_empty": "owner: push + pop, deque empty (per pair)",
    "pair_deep": "owner: push + pop, 16 items below (per pair)",
    "fill_drain_64": "owner: push 64, pop 64 (per pair)",
    "fill_drain_1024": "owner: push 1024, pop 1024 (per pair)",
    "steal": "steal, owner at rest (per steal)",
    "steal_half": "steal half, at most 32, and pop them (per item)",
    "contended_pairs_1_thief": "owner push + pop against 1 thief (per item)",
    "contended_pairs_2_thieves": "owner push + pop against 2 thieves (per item)",
    "contended_bursts_1_thief": "owner push 64 + pop all against 1 thief (per item)",
    "contended_bursts_2_thieves": "owner push 64 + pop all against 2 thieves (per item)",
    "inject_pair": "injector: push + pop, one thread (per pair)",
    "inject_fill_drain_64": "injector: push 64, pop 64, one thread (per pair)",
    "inject_pop_nothing": "injector: pop when empty (per look)",
    "inject_2_push": "injector: 2 threads push (per push)",
    "inject_1_to_1": "injector: 1 producer, 1 consumer (per item)",
    "inject_2_to_1": "injector: 2 producers, 1 consumer (per item)",
    "inject_1_to_2": "injector: 1 producer, 2 consumers (per item)",
    "ping_pong": "park and wake: round trip of two threads",
    "notify_nobody": "notify when nobody sleeps",
    "fork_1_thread": "fib(22), a fork at every node, one thread (per fork)",
    "fork_2_threads": "fib(30), a fork at every node, two threads; serial: one (per fork)",
    "stack_switch": "from one stack to another (per switch)",
}
SEVERAL_THREADS = {name for name in TITLES
                   if name.startswith(("contended", "inject_1_", "inject_2_", "ping_pong", "fork_2_"))}
OURS = "filch"
SERIAL = "serial"  # the implementation that others are compared with beside ours, where there is one
# Implementations that filch_micro may lack, and why.
OPTIONAL = {"moodycamel": "no concurrentqueue.h (Debian: libconcurrentqueue-dev)",
            "boost_fiber": "Boost.Context not found (Debian: libboost-context-dev)",
            "chase_lev_membarrier": "the system has no membarrier(2)"}


# ---- the programs ----------------------------------------------------------------------------------------------------
class CppProgram:
    """filch_micro of one build tree."""

    def __init__(self, path, label):
        self.path, self.label = path, label
        listed = run_text([path, "--benchmark_list_tests=true"]).split()
        # "pair_deep/filch/16" is the benchmark pair_deep of the implementation filch.
        self.full_names = {tuple(name.split("/")[:2]): name for name in listed}
        # A short run tells the compiler.
        probe = self._run(("inject_pop_nothing", OURS), 0.001)["context"]
        self.compiler, self.flags = probe["compiler"], probe["flags"]

    def names(self):
        return list(self.full_names)

    def is_real_time(self, key):
        return key[0] in SEVERAL_THREADS

    def _run(self, key, min_time_s):
        return json.loads(run_text([
            self.path, f"--benchmark_filter=^{re.escape(self.full_names[key])}$", "--benchmark_format=json",
            f"--benchmark_min_time={min_time_s}"]))

    def run(self, key, min_time_s):
        result = self._run(key, min_time_s)["benchmarks"][0]
        if result.get("error_occurred"):
            raise SystemExit(f"{'/'.join(key)} [{self.label}]: {result['error_message']}")
        is_real = result["name"].endswith(("/manual_time", "/real_time"))
        return result["real_time" if is_real else "cpu_time"], result.get("stolen_share")


class RustProgram:
    """crossbeam_micro."""

    label = "rust"

    def __init__(self, path, compiler):
        self.path, self.compiler, self.flags = path, compiler, "opt-level=3 lto codegen-units=1"
        self._names = [tuple(line.split("/")) for line in run_text([path, "--list"]).split()]

    def names(self):
        return self._names

    def is_real_time(self, key):
        return key[0] in SEVERAL_THREADS

    def run(self, key, min_time_s):
        result = json.loads(run_text([self.path, "/".join(key), str(min_time_s)]))
        return result["ns"], result.get("stolen_share")


def run_text(command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} ended with {done.returncode}:\n{done.stderr}{done.stdout}")
    return done.stdout


def build(tree, target):
    done = subprocess.run(["cmake", "--build", str(tree), "--target", target], capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def find_programs(trees, wants_build):
    """(programs, what was left out and why)"""
    programs, left_out, rust = [], [], None
    for tree in trees:
        if not (tree / "CMakeCache.txt").is_file():
            raise SystemExit(f"--build {tree}: not a configured build tree; run "
                             f"cmake -S . -B {tree} -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_COMPILER=<compiler> first")
        if wants_build:
            ok, text = build(tree, "filch_micro")
            if not ok:
                raise SystemExit(f"--build {tree}: filch_micro does not build (is libbenchmark-dev installed?)\n{text}")
        name = compiler_name(tree)
        label = tree.name if [compiler_name(other) for other in trees].count(name) > 1 else name
        programs.append(CppProgram(tree / "bench/micro/filch_micro", label))
        there = {who for _, who in programs[-1].names()}
        left_out += [f"{who} in {tree.name}: {why}" for who, why in OPTIONAL.items() if who not in there]
    tree = trees[0]
    ok, text = build(tree, "crossbeam_micro") if wants_build else (True, "")
    path = tree / "bench/micro/crossbeam/target/release/crossbeam_micro"
    if ok and path.is_file():
        rust = RustProgram(path, run_text(["rustc", "--version"]).strip())
        programs.insert(1, rust)
    else:
        left_out.append("crossbeam: " + (text.strip().splitlines() or ["not built"])[-1])
    return programs, left_out


def compiler_name(tree):
    found = re.search(r"^CMAKE_CXX_COMPILER:\w+=(.*)$", (tree / "CMakeCache.txt").read_text(), re.M)
    return Path(found[1]).name if found else tree.name


# ---- quiet -----------------------------------------------------------------------------------------------------------
def busy_s():
    """CPU seconds used by everybody, the hypervisor's other guests included, and by our children and us."""
    fields = [int(f) for f in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
    user, nice, system, _idle, _iowait, irq, softirq, steal = fields
    everybody = (user + nice + system + irq + softirq + steal) / os.sysconf("SC_CLK_TCK")
    usages = map(resource.getrusage, (resource.RUSAGE_CHILDREN, resource.RUSAGE_SELF))
    ours = sum(usage.ru_utime + usage.ru_stime for usage in usages)
    return everybody, ours


class Watch:
    """How many CPUs' worth others used between two moments."""

    def __init__(self):
        self.at, (self.everybody, self.ours) = time.monotonic(), busy_s()

    def foreign(self):
        everybody, ours = busy_s()
        elapsed = time.monotonic() - self.at
        return max(0.0, (everybody - self.everybody) - (ours - self.ours)) / max(elapsed, 1e-3)


def wait_for_quiet(args):
    """Returns when others leave the CPUs alone, or when --patience is used up."""
    end = time.monotonic() + args.patience
    while time.monotonic() < end:
        watch = Watch()
        time.sleep(0.2)
        if watch.foreign() <= args.quiet:
            return


def run_quiet(program, key, args):
    """The run with the least disturbance out of at most 1 + --retries; stops at the first quiet one."""
    best = None
    for _ in range(args.retries + 1):
        if program.is_real_time(key):
            wait_for_quiet(args)
        watch = Watch()
        ns, share = program.run(key, args.min_time)
        run = {"ns": ns, "foreign_cpus": round(watch.foreign(), 3)}
        if share is not None:
            run["stolen_share"] = share
        if best is None or run["foreign_cpus"] < best["foreign_cpus"]:
            best = run
        run["is_disturbed"] = program.is_real_time(key) and run["foreign_cpus"] > args.quiet
        if not best["is_disturbed"]:
            break
    return best


# ---- rounds and statistics -------------------------------------------------------------------------------------------
def measure(programs, args):
    """{benchmark: {(implementation, label): [run of each round]}}"""
    wanted = re.compile(args.filter)
    jobs = {}
    for program in programs:
        for key in program.names():
            if wanted.search("/".join(key)):
                jobs.setdefault(key[0], []).append((program, key))
    order = sorted(jobs, key=lambda name: list(TITLES).index(name) if name in TITLES else len(TITLES))
    results = {name: {(key[1], program.label): [] for program, key in jobs[name]} for name in order}
    for number in range(args.rounds):
        for name in order:
            turn = number % len(jobs[name])
            sequence = jobs[name][turn:] + jobs[name][:turn]
            for program, key in sequence if number % 2 == 0 else reversed(sequence):
                results[name][key[1], program.label].append(run_quiet(program, key, args))
        print(f"round {number + 1} of {args.rounds}", file=sys.stderr)
    return results


def summarise(results, programs):
    """Rows for the table and the JSON: median, min, max, and the ratios to filch of each build."""
    labels = [p.label for p in programs if isinstance(p, CppProgram)]
    rows = []
    for name, by_who in results.items():
        for (who, label), runs in by_who.items():
            times = [run["ns"] for run in runs]
            ratios = {}
            for build_label in labels if label == RustProgram.label else [label]:
                base = by_who.get((OURS, build_label))
                if base and not (who == OURS and build_label == label):
                    ratios[build_label] = statistics.median(run["ns"] / b["ns"] for run, b in zip(runs, base))
            shares = [run["stolen_share"] for run in runs if "stolen_share" in run]
            row = {
                "benchmark": name, "implementation": who, "compiler": label, "median_ns": statistics.median(times),
                "min_ns": min(times), "max_ns": max(times), "ratio_to_filch": ratios,
                "stolen_share": statistics.median(shares) if shares else None, "runs": runs}
            if who != SERIAL and (serial := by_who.get((SERIAL, label))):
                row["ratio_to_serial"] = statistics.median(run["ns"] / s["ns"] for run, s in zip(runs, serial))
                row["added_ns"] = statistics.median(run["ns"] - s["ns"] for run, s in zip(runs, serial))
            rows.append(row)
    return rows, labels


def number(value):
    return f"{value:.2f}" if value < 100 else f"{value:.0f}"


def print_table(rows, labels):
    wide = max(len(f"{row['implementation']} [{row['compiler']}]") for row in rows) + 1
    columns = "".join(f"  {'÷ ' + label:>8}" for label in labels)
    has_serial = any("ratio_to_serial" in row for row in rows)
    to_serial = f"  {'÷ ' + SERIAL:>8}{'+ ns':>8}" if has_serial else ""
    print(f"{'':4}{'ns':{wide}}{'median':>9}{'min':>9}{'max':>9}{columns}{to_serial}  stolen")
    shown = None
    for row in rows:
        if row["benchmark"] != shown:
            shown = row["benchmark"]
            print(f"{shown}: {TITLES.get(shown, shown)}")
        who = f"{row['implementation']} [{row['compiler']}]"
        to_filch = row["ratio_to_filch"]
        cells = ((number(to_filch[label]) if label in to_filch else "", max(8, len(label) + 2)) for label in labels)
        ratios = "".join(f"  {text:>{width}}" for text, width in cells)
        if "ratio_to_serial" in row:
            ratios += f"  {number(row['ratio_to_serial']):>8}{number(row['added_ns']):>8}"
        elif has_serial:
            ratios += " " * len(to_serial)
        share = f"{row['stolen_share']:>8.1%}" if row["stolen_share"] is not None else ""
        loud = sum(run["is_disturbed"] for run in row["runs"])
        note = f"  ({loud} of {len(row['runs'])} disturbed)" if loud else ""
        print(f"{'':4}{who:{wide}}{number(row['median_ns']):>9}{number(row['min_ns']):>9}{number(row['max_ns']):>9}"
              f"{ratios}{share}{note}".rstrip())


def cpu_model():
    found = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    return found[1] if found else platform.processor() or platform.machine()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", action="append", type=Path, required=True, help="a configured tree; repeatable")
    parser.add_argument("--rounds", type=int, default=9, help="at least 7 for a result worth keeping (default 9)")
    parser.add_argument("--filter", default="", help="only benchmarks whose name/implementation matches it")
    parser.add_argument("--min-time", type=float, default=0.05, help="seconds for a benchmark of one thread")
    parser.add_argument("--run-ms", type=int, default=200, help="real time of a benchmark of several threads")
    parser.add_argument("--quiet", type=float, default=0.1, help="CPUs' worth that others may use during a run")
    parser.add_argument("--retries", type=int, default=3, help="how often a disturbed run is repeated")
    parser.add_argument("--patience", type=float, default=2, help="seconds to wait for quiet before a run")
    parser.add_argument("--no-build", action="store_true", help="run what is there")
    parser.add_argument("--json", type=Path, help="write everything, every run included, to this file")
    args = parser.parse_args()
    for option, value, least in (("--rounds", args.rounds, 1), ("--run-ms", args.run_ms, 1),
                                 ("--retries", args.retries, 0), ("--min-time", args.min_time, 0.001),
                                 ("--quiet", args.quiet, 0), ("--patience", args.patience, 0)):
        if value < least:
            parser.error(f"argument {option}: {value} is too small, at least {least} is allowed")
    os.environ["FILCH_BENCH_RUN_MS"] = str(args.run_ms)

    programs, left_out = find_programs(args.build, not args.no_build)
    context = {
        "date": datetime.date.today().isoformat(), "cpu": cpu_model(), "cpus": len(os.sched_getaffinity(0)),
        "kernel": platform.release(), "rounds": args.rounds, "min_time_s": args.min_time, "run_ms": args.run_ms,
        "compilers": {p.label: f"{p.compiler}, {p.flags}" for p in programs}, "left_out": left_out}
    watch = Watch()
    rows, labels = summarise(measure(programs, args), programs)
    context["foreign_cpus"] = round(watch.foreign(), 3)
    if not rows:
        raise SystemExit(f"--filter {args.filter}: no benchmark matches")

    print(f"{context['date']}, {context['cpu']}, {context['cpus']} CPUs, {args.rounds} rounds; others used "
          f"{context['foreign_cpus']:.2f} CPUs meanwhile")
    for label, text in context["compilers"].items():
        print(f"{label}: {text}")
    for text in left_out:
        print(f"left out: {text}")
    print("÷ X: median over the rounds of this time divided by that of filch compiled by X; above 1 filch is faster")
    if any("ratio_to_serial" in row for row in rows):
        print(f"÷ {SERIAL}, + ns: the same beside serial code, and what is added to it")
    print()
    print_table(rows, labels)
    if args.json:
        args.json.write_text(json.dumps({"context": context, "rows": rows}, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
