#!/usr/bin/env python3
"""The proof in one command: puts every classic bug back and weakens every order, and says which check notices.

  verify.py --build DIR              runs all mutants and all weakened orders, prints the tables; exit code 1 if one
                                     survives
  verify.py --build DIR --document   … and writes the tables into docs/architecture/verification.md
  verify.py --check-document         is the document's list complete, and does the source still have what each mutant
                                     changes? (builds and runs nothing)
"""

import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))
sys.path.insert(0, str(HERE / "mutants"))
import weaken
from catalogue import MUTANTS, NOT_MUTANTS
from mutate import changed_text

DOCUMENT = weaken.ROOT / "docs/architecture/verification.md"


def run_mutant(build, mutant):
    program = build / "tests/model/mutants" / f"mutant_{mutant.id}"
    done = subprocess.run([str(program), "--catch", mutant.kinds], capture_output=True, text=True, check=False)
    found = re.match(r"caught by (\w+): (\w+):", done.stdout)
    check = f"{mutant.model}_model {found[1]} ({found[2]})" if found else done.stdout.strip() or "did not run"
    return done.returncode == 0, check


def mutant_rows(build, jobs):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for mutant, (good, check) in zip(MUTANTS, pool.map(lambda m: run_mutant(build, m), MUTANTS)):
            yield good, (mutant.id, mutant.bug, check if good else f"NOT CAUGHT: {check}")
    for name, reason in NOT_MUTANTS.items():
        yield True, (name, "not a mutant", reason)


def order_rows(build, jobs):
    work = [(site, variant) for site in weaken.sites(None) for variant in weaken.variants(site)]
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        outcomes = pool.map(lambda pair: weaken.survey(build, *pair), work)
        for (site, variant), (outcome, scenario, kind) in zip(work, outcomes):
            file = pathlib.Path(site["file"]).name
            if site["unobservable"]:
                check = f"unobservable: {site['unobservable']}"
            else:
                check = f"{weaken.MODELS[site['file']]}_model {scenario} ({kind})"
            good = weaken.verdict(site, outcome)
            yield good, (site["label"], f"{file}: {site['operation']} → {variant}",
                         check if good else f"FAIL: {outcome}")


def table(head, rows):
    yield "| " + " | ".join(head) + " |"
    yield "|" + "---|" * len(head)
    for row in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"


def replace_between(text, name, lines):
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    first, last = text.index(begin) + len(begin), text.index(end)
    return text[:first] + "\n" + "\n".join(lines) + "\n" + text[last:]


def section(text, name):
    return text[text.index(f"<!-- {name}: begin -->"):text.index(f"<!-- {name}: end -->")]


def check_document():
    text = DOCUMENT.read_text(encoding="utf-8")
    wanted = {"mutants": [m.id for m in MUTANTS] + list(NOT_MUTANTS),
              "orders": [s["label"] for s in weaken.sites(None) if list(weaken.variants(s))]}
    good = True
    for name, expected in wanted.items():
        listed = re.findall(r"^\| ([A-Z]+\d+[a-z]?) \|", section(text, name), re.MULTILINE)
        missing = [each for each in expected if each not in listed]
        stale = [each for each in listed if each not in expected]
        for what, names in (("missing", missing), ("stale", stale)):
            if names:
                good = False
                print(f"docs/architecture/verification.md, {name}: {what}: {' '.join(names)}; run verify.py --document")
    for mutant in MUTANTS:
        if not mutant.header:
            continue
        try:
            changed_text(mutant, weaken.ROOT / "include")
        except ValueError as error:
            good = False
            print(error)
    sys.exit(0 if good else 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--document", action="store_true")
    parser.add_argument("--check-document", action="store_true")
    given = parser.parse_args()
    if given.check_document:
        check_document()
    if given.build is None:
        parser.error("--build DIR is needed: where the models and mutants were built")
    failed, documents = 0, {}
    for name, head, rows in (
            ("mutants", ("id", "bug that was put back", "noticed by"), mutant_rows(given.build, given.jobs)),
            ("orders", ("label", "order that was weakened", "noticed by"), order_rows(given.build, given.jobs))):
        kept = []
        for good, row in rows:
            failed += not good
            kept.append(row)
            print("  ".join(f"{cell:{width}}" for cell, width in zip(row, (5, 74, 0))), flush=True)
        documents[name] = list(table(head, kept))
        print()
    if given.document:
        text = DOCUMENT.read_text(encoding="utf-8")
        for name, lines in documents.items():
            text = replace_between(text, name, lines)
        DOCUMENT.write_text(text, encoding="utf-8")
    print("every mutant and every weakened order is accounted for" if failed == 0 else f"{failed} NOT accounted for")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
