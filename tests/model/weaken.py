#!/usr/bin/env python3
"""Weakens every labelled memory order in turn and asks the models to notice.

For each label that the orderings lint lists in a checked header, each order is made one step weaker (seq_cst → acq_rel,
acq_rel → acquire and → release, acquire and release → relaxed), at run time, by FILCH_CHECK_WEAKEN. Some scenario of
the header's model must then fail; or the label says `unobservable:` and why, and then no scenario may fail.

  weaken.py --build DIR [--model deque] [--jobs 2]        prints a table; exit code 1 if an order is not accounted for
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODELS = {
    "include/filch/queue/deque.hpp": "deque",
    "include/filch/queue/mpsc.hpp": "injector",
    "include/filch/queue/injector.hpp": "injector",
    "include/filch/queue/inbox.hpp": "injector",
    "include/filch/park/idle.hpp": "park",
    "include/filch/park/parker.hpp": "park",
    "include/filch/trace/ring.hpp": "ring",
    "include/filch/park/event_count.hpp": "runtime",
    "include/filch/runtime/completion.hpp": "runtime",
    "include/filch/share/reference_count.hpp": "runtime",
    "src/runtime/task_counts.hpp": "runtime",
    "include/filch/share/claimed_range.hpp": "share",
    "include/filch/share/join_counter.hpp": "share",
    "include/filch/share/visit.hpp": "share",
    "src/share/lingering.hpp": "share",
    "src/share/transfer_cell.hpp": "share",
    "src/share/on_call.hpp": "share",
    "src/share/request_cell.hpp": "share",
    "include/filch/sync/fair_lock.hpp": "sync",
    "include/filch/sync/short_lock.hpp": "sync",
    "include/filch/coro/join_count.hpp": "coro",
    "src/coro/global_free_list.hpp": "coro",
    "include/filch/park/keeper.hpp": "time",
    "include/filch/coro/stop_tree.hpp": "coro",
    "include/filch/coro/join_state.hpp": "coro",
}
WEAKER = {
    "seq_cst": ["acq_rel"],
    "acq_rel": ["acquire", "release"],
    "acquire": ["relaxed"],
    "release": ["relaxed"],
}
PARTS = {"cas": ["success-", "failure-"]}


def sites(model):
    command = [sys.executable, str(ROOT / "lint/orderings.py"), "--list", "--json"]
    listed = json.loads(subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout)
    return [s for s in listed if MODELS.get(s["file"]) is not None and model in (None, MODELS[s["file"]])]


def variants(site):
    """The weakenings of one site, as FILCH_CHECK_WEAKEN spells them."""
    parts = PARTS.get(site["kind"], [""])
    for part, order in zip(parts, site["orders"]):
        for weaker in WEAKER.get(order, []):
            yield f"{part}{weaker}"


def survey(build, site, variant):
    program = build / "tests/model/kernels" / f"{MODELS[site['file']]}_model"
    name = pathlib.Path(site["file"]).name
    environment = dict(os.environ, FILCH_CHECK_WEAKEN=f"{name}:{site['line']}:{variant}")
    done = subprocess.run([str(program), "--survey"], env=environment, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return ["crashed", str(done.returncode), done.stderr.strip().splitlines()[-1] if done.stderr.strip() else "-"]
    return done.stdout.strip().splitlines()[-1].split("\t")


def verdict(site, outcome):
    """Is this outcome accounted for?"""
    if site["unobservable"]:
        return outcome == "survived"
    return outcome == "caught"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--model", choices=sorted(set(MODELS.values())))
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()

    work = [(site, variant) for site in sites(given.model) for variant in variants(site)]
    if not work:
        sys.exit("weaken.py: no labelled order found; is the model's header listed in MODELS?")
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(given.jobs) as pool:
        outcomes = pool.map(lambda pair: survey(given.build, *pair), work)
        for (site, variant), (outcome, scenario, kind) in zip(work, outcomes):
            good = verdict(site, outcome)
            failed += not good
            where = f"{pathlib.Path(site['file']).name}:{site['line']}"
            what = f"{outcome} by {scenario} ({kind})" if outcome == "caught" else outcome
            note = f"  unobservable: {site['unobservable']}" if site["unobservable"] else ""
            print(f"{'ok  ' if good else 'FAIL'}  {site['label']:4} {where:18} {site['operation']:16} "
                  f"→ {variant:16} {what}{note}", flush=True)
    print(f"{len(work) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
