#!/usr/bin/env python3
"""Loops that threads have run beside the same loops simulated: which cells of a table agree.

    bench/compare_loops.py --filch build/release/tools/filch/filch
    bench/compare_loops.py --filch … --table other.json --costs '{"wake_ns": 30000}' --demand searchers=4

The table is a file as bench/sim/loops_measured.json: serial lengths, and for each caller ("worker" or "outside") and
each pause in microseconds the times with all workers. --costs changes costs of the machine, --demand and --idle rules.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WITHIN = 0.25  # so near a simulated time is one that agrees


def scenario(table, caller, pauses, costs):
    machine = json.loads((ROOT / "machines" / f"{table['machine']}.json").read_text())
    machine["costs"].update(costs)
    phases = [{"name": str(length), "pauses": [f"{pause}us" if pause != "0" else 0 for pause in pauses], "times": 21,
               "what": {"part": "loop", "count": table["elements"], "work": f"{length}us"}}
              for length in table["serial_us"]]
    return {"machine": machine, "workers": table["workers"],
            "workload": {"kind": "sharing", "called_from": caller, "phases": phases}}


def simulated_us(filch, what, words):
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "loops.json"
        file.write_text(json.dumps(what))
        done = subprocess.run([filch, "sim", file, "--json", *words], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    rows = json.loads(done.stdout)["run"]["sharing"]["phases"]
    return {(row["name"], row["pause_ns"] // 1000): row["median_ns"] / 1000 for row in rows}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--filch", required=True, help="the command")
    parser.add_argument("--table", type=Path, default=ROOT / "bench/sim/loops_measured.json")
    parser.add_argument("--costs", type=json.loads, default={}, help="of the machine, as a JSON object")
    parser.add_argument("--demand", help="rules of sharing, as filch sim takes them")
    parser.add_argument("--idle", help="how long workers look for work, as filch sim takes it")
    given = parser.parse_args()
    words = [f"--{name}={value}" for name, value in (("demand", given.demand), ("idle", given.idle)) if value]
    table = json.loads(given.table.read_text())
    print(table["about"])
    agree = cells = 0
    for caller, by_pause in table["measured_us"].items():
        found = simulated_us(given.filch, scenario(table, caller, list(by_pause), given.costs), words)
        print(f"called from {caller}: threads, simulated, difference")
        for pause, row in by_pause.items():
            texts = []
            for length, measured in zip(table["serial_us"], row):
                simulated = found[str(length), int(pause)]
                error = simulated / measured - 1
                agree += abs(error) <= WITHIN
                cells += 1
                texts.append(f"{measured:5} {simulated:5.0f} {100 * error:+4.0f} %")
            print(f"  behind {pause:>4} µs  " + "   ".join(texts))
    print(f"{agree} of {cells} agree within {100 * WITHIN:.0f} %")


if __name__ == "__main__":
    main()
