"""No line of code, build files, scripts and documents is longer than 120 columns.

Left alone: what a program prints or reads as one line (suffixes outside the list below, and blocks of a document that
are `text`, or `json` or of no language); rows of a table in a document; and a line that only its last word, which is
an address or the target of a link, takes over the margin.
"""

import re

from tree import CPP, Finding

NAME = "lengths"

COLUMNS = 120
SUFFIXES = CPP | {".md", ".cmake", ".in", ".py", ".sh", ".js", ".mjs", ".css", ".html", ".go", ".rs", ".java", ".toml"}
NAMES = {"CMakeLists.txt", "filch", "run", ".clang-format", ".clang-tidy"}  # without a suffix that tells
FENCE = re.compile(r"^\s*(```+|~~~+)\s*([^\s`]*)")
OUTPUT = {"", "text"}
ADDRESS = re.compile(r"\]\(|://")


def is_checked(name):
    return name.suffix in SUFFIXES or (not name.suffix and name.name in NAMES) or name.name in NAMES


def only_an_address_is_over(line):
    before, space, last = line.rstrip().rpartition(" ")
    return len(before) <= COLUMNS and ADDRESS.search(last) is not None and (space != "" or line == last)


def lines_of_document(text):
    """(number, line) of what is prose or code in a document."""
    fence, language = None, ""
    for number, line in enumerate(text.splitlines(), 1):
        if mark := FENCE.match(line):
            if fence is None:
                fence, language = mark[1], mark[2]
            elif mark[1].startswith(fence) and not mark[2]:
                fence = None
        elif fence is not None and language in OUTPUT or fence is None and line.lstrip().startswith("|"):
            continue
        yield number, line


def check(tree):
    findings = []
    for name in filter(is_checked, tree.files):
        text = tree.text(name)
        lines = lines_of_document(text) if name.suffix == ".md" else enumerate(text.splitlines(), 1)
        for number, line in lines:
            if len(line) > COLUMNS and not only_an_address_is_over(line):
                findings.append(Finding(name.as_posix(), number, NAME,
                                        f"the line has {len(line)} columns; the limit is {COLUMNS}: wrap it"))
    return sorted(findings)
