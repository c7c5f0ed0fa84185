#!/usr/bin/env python3
"""Runs a program or script of a document and compares what it prints: docs_run.py EXPECTED|- COMMAND…"""

import difflib
import subprocess
import sys
from pathlib import Path


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    expected, command = arguments[0], arguments[1:]
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    except OSError as error:
        print(f"{command[0]} cannot be run: {error.strerror}; is it built?", file=sys.stderr)
        return 1
    print(done.stdout, end="")
    if done.returncode != 0:
        print(f"exit code {done.returncode}, expected 0", file=sys.stderr)
        return 1
    if expected == "-":
        return 0
    wanted = Path(expected).read_text(encoding="utf-8")
    difference = list(difflib.unified_diff(wanted.splitlines(), done.stdout.splitlines(), "document", "program",
                                           lineterm=""))
    print("\n".join(difference), end="\n" if difference else "", file=sys.stderr)
    return 1 if difference else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
