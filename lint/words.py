"""No word that ties the repository to one machine, and no unexplained gap in work or tests."""

import re

from tree import Finding

NAME = "words"

# Put together from pieces, so that this file does not contain what it forbids.
MACHINE_PATH = re.compile(r"(?<![\w.~$}/>-])/(?:(?:wo" + r"rk|ro" + r"ot|ho" + r"me)/|t" + r"mp/\w)")
REGISTRIES = ["regi" + r"stry\.[\w-]+\.\w+", "doc" + r"ker\.io", "gh" + r"cr\.io", "qu" + r"ay\.io", r"\bg" + r"cr\.io",
              r"dkr\.e" + r"cr\.", "artif" + "actory", r"(?:://|@)[\w.-]+\.(?:inter" + r"nal|co" + r"rp|l" + r"an)\b"]
REGISTRY = re.compile("|".join(REGISTRIES), re.IGNORECASE)
GAP = re.compile(r"\b(TO" + r"DO|FIX" + r"ME|X" + r"XX)\b(.*)")
DISABLED = re.compile(r"\bDISAB" + r"LED_\w*(.*)")
SKIP = re.compile(r"\bGTEST_SK" + r"IP\b(.*)")
WORDS = re.compile(r"[^\W\d_]{2,}")


def has_reason(text, words=3):
    return len(WORDS.findall(text)) >= words


def check_line(line):
    """The messages about one line."""
    if MACHINE_PATH.search(line):
        yield f"names a path of one machine ({MACHINE_PATH.search(line)[0]}…)"
    if found := REGISTRY.search(line):
        yield f"names a registry host ({found[0]})"
    if (found := GAP.search(line)) and not has_reason(found[2]):
        yield f"{found[1]} without a reason on its line"
    if (found := DISABLED.search(line)) and not has_reason(found[1].partition("//")[2]):
        yield "a disabled test without a reason in a comment on its line"
    if (found := SKIP.search(line)) and not has_reason(found[1]):
        yield "a skipped test without a reason on its line: write << \"why\""


def check(tree):
    findings = []
    for name in tree.files:
        data = (tree.root / name).read_bytes()
        if b"\0" in data[:8192]:
            continue
        for number, line in enumerate(data.decode(errors="replace").splitlines(), 1):
            findings += [Finding(name.as_posix(), number, NAME, message) for message in check_line(line)]
    return sorted(findings)
