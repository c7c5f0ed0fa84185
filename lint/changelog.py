"""The changelog has one form: versions, the groups of a version in their order, and one sentence per entry."""

import re

from tree import Finding

NAME = "changelog"

FILE = "CHANGELOG.md"
GROUPS = ["Added", "Changed", "Deprecated", "Removed", "Fixed", "Performance"]
WORDS = 40
VERSION = re.compile(r"Unreleased|\d+\.\d+\.\d+ \(\d{4}-\d\d-\d\d\)")
# A full stop inside a sentence stands in code, in a number, or in one of these.
CODE = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
ABBREVIATION = re.compile(r"\b(?:e\.g|i\.e|etc|vs)\.")
ANOTHER_SENTENCE = re.compile(r"[.!?:;]\s+[A-Z]|[.!?]\s")


def entries(lines):
    """(number, text) of the entries in the lines; (number, None) for a line that belongs to none."""
    found = []
    for number, line in lines:
        if line.startswith("- "):
            found.append((number, line[2:].strip()))
        elif line.startswith("  ") and found and found[-1][1] is not None:
            found[-1] = (found[-1][0], f"{found[-1][1]} {line.strip()}")
        elif line.strip():
            found.append((number, None))
    return found


def check_entry(text):
    """The messages about one entry."""
    plain = ABBREVIATION.sub("x", CODE.sub("`x`", text))
    if not plain.endswith("."):
        yield "the entry does not end with a full stop"
    if ANOTHER_SENTENCE.search(plain.rstrip(".")):
        yield "the entry has more than one sentence"
    if plain[0].islower():
        yield "the entry begins with a small letter"
    if (count := len(plain.split())) > WORDS:
        yield f"the entry has {count} words; the limit is {WORDS}: say only what a user notices"


def sections(lines, mark):
    """(number, title, lines) for each heading of that depth; what stands before the first has no title."""
    found = [(0, None, [])]
    for number, line in lines:
        if line.startswith(mark + " "):
            found.append((number, line[len(mark) + 1 :].strip(), []))
        else:
            found[-1][2].append((number, line))
    return found


def check_group(number, title, lines):
    if title not in GROUPS:
        yield number, f"no group is called {title}; there are: {', '.join(GROUPS)}"
    all_entries = entries(lines)
    if not all_entries:
        yield number, f"the group {title} is empty: delete it"
    for line, text in all_entries:
        if text is None:
            yield line, "neither an entry (`- …`) nor a line of one (two spaces)"
        else:
            yield from ((line, message) for message in check_entry(text))


def check_version(number, title, lines):
    if not VERSION.fullmatch(title):
        yield number, f"the version {title} reads neither Unreleased nor 1.2.3 (2026-01-31)"
    (_, _, before), *groups = sections(lines, "###")
    yield from ((line, "an entry outside of the groups") for line, text in before if text.strip())
    titles = [each[1] for each in groups if each[1] in GROUPS]
    if titles != sorted(set(titles), key=GROUPS.index):
        yield number, f"the groups of {title} stand once each in the order {', '.join(GROUPS)}"
    for group in groups:
        yield from check_group(*group)


def check(tree):
    if not (tree.root / FILE).exists():
        return []
    lines = list(enumerate(tree.text(FILE).splitlines(), 1))
    _, *versions = sections(lines, "##")
    problems = [problem for version in versions for problem in check_version(*version)]
    if not versions or versions[0][1] != "Unreleased":
        problems.append((1, "the first version is not Unreleased"))
    return sorted(Finding(FILE, number, NAME, message) for number, message in problems)
