#!/usr/bin/env python3
"""Runs filch's lints: `lint/run.py [--root DIR] [name…]`, all of them without a name.

Prints findings as `file:line: [lint] message` and exits 1 when there are any, 2 when called wrongly.
"""

import argparse
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import calls
import changelog
import classes
import commits
import docs
import formatting
import glossary
import headers
import hints
import layers
import lengths
import links
import modules
import names
import orderings
import sizes
import words
from tree import Tree

LINTS = {lint.NAME: lint for lint in (layers, orderings, hints, names, sizes, headers, docs, words, formatting, lengths,
                                      links, commits, changelog, calls, modules, classes, glossary)}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=Path(__file__).resolve().parent.parent, help="the tree to check")
    parser.add_argument("--headers-list", help="for headers: the list of headers that the build compiles alone")
    parser.add_argument("name", nargs="*", help=f"which lints: {' '.join(LINTS)}")
    options = parser.parse_args(arguments)
    for name in options.name:
        if name not in LINTS:
            parser.error(f"no lint is called {name}; there are: {' '.join(LINTS)}")
    if not Path(options.root).is_dir():
        parser.error(f"--root {options.root}: no such folder")
    tree = Tree(options.root)
    findings = []
    for name in options.name or LINTS:
        extra = {"generated": options.headers_list} if name == "headers" else {}
        findings += LINTS[name].check(tree, **extra)
    for finding in findings:
        print(finding)
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
