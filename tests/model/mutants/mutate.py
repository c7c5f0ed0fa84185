#!/usr/bin/env python3
"""Lists the mutants for the build, or writes one mutant's header.

  mutate.py --list                       id, model, kinds, header and defines of each mutant, one a line, by semicolons
  mutate.py ID --include DIR --out DIR   writes OUT/<header> with the mutant's changes
  mutate.py --table                      the list for a reader
"""

import argparse
import pathlib
import shutil
import sys

from catalogue import MUTANTS, NOT_MUTANTS


def changed_text(mutant, include):
    """The mutant's header; raises ValueError when the source no longer has what the mutant changes."""
    source = include / mutant.header
    if not source.exists():
        source = include.parent / "src" / mutant.header  # a kernel that is not for users
    text = source.read_text(encoding="utf-8")
    for old, new in mutant.changes:
        if text.count(old) != 1:
            raise ValueError(f"mutant {mutant.id}: this text occurs {text.count(old)} times in {mutant.header}, "
                             f"not once:\n{old}")
        text = text.replace(old, new)
    return text


def write(mutant, include, out):
    try:
        text = changed_text(mutant, include)
    except ValueError as error:
        sys.exit(str(error))
    # What an earlier form of the mutant changed must not be found first.
    shutil.rmtree(out, ignore_errors=True)
    target = out / mutant.header
    target.parent.mkdir(parents=True, exist_ok=True)
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("id", nargs="?")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--include", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path)
    given = parser.parse_args()
    if given.list:
        for m in MUTANTS:
            print(f"{m.id}|{m.model}|{m.kinds}|{m.header}|{' '.join(m.defines)}")
    elif given.table:
        for m in MUTANTS:
            print(f"{m.id:4}  {m.model + '_model':15}  {m.bug}")
        for name, reason in NOT_MUTANTS.items():
            print(f"{name:4}  {'-':15}  {reason}")
    else:
        chosen = [m for m in MUTANTS if m.id == given.id]
        if not chosen or given.include is None or given.out is None:
            sys.exit(f"mutate.py: unknown mutant {given.id!r}; known: {' '.join(m.id for m in MUTANTS)}")
        write(chosen[0], given.include, given.out)


if __name__ == "__main__":
    main()
