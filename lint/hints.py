"""Every relaxed read that is excused as a hint or a statistic has a row in the document that says what it decides and
why a stale value is harmless, or that it decides nothing. A row names the file and the variable."""

import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import orderings
from tree import Finding

NAME = "hints"
DOCUMENT = Path("docs/architecture/verification.md")
# Still to be renamed: these are being rewritten.
STATISTICS = re.compile(r"include/filch/algo/|(include/filch|src)/runtime/(monitor|external|worker)|"
                        r"(include/filch|src)/share/|src/coro/context")
BEGIN, END = "<!-- hints: begin -->", "<!-- hints: end -->"
WORDS = {"hint", "statistic"}
CODE = re.compile(r"`([^`]+)`")


def module_of(name):
    """A header and its source are one place: a read may move between them."""
    return Path(name).with_suffix("").as_posix()


def is_read(file, op):
    """Does somebody use the value? That of a fetch_add or compare_exchange which is a statement of its own is not."""
    if op.kind == "store":
        return False
    if op.kind == "load":
        return True
    before = file.source.tokens[file.source.expression_start(op.at) - 1]
    return before.text not in (";", "{", "}", ")", "else")


def reads(tree):
    """(file, line, module, variable, is it called a hint) of every such read."""
    found = []
    for file in orderings.load(tree):
        relaxed = [op for op in file.operations if any(order == "relaxed" for order, _ in op.orders)]
        with_relaxed = {id(op.statement) for op in relaxed}
        for op in relaxed:
            reasons = orderings.relaxed_reason(file, op, with_relaxed)
            words = {m[0].lower() for m in reasons} & WORDS
            if words and is_read(file, op):
                variable = orderings.receiver(file.source, op.at)
                found.append((file.name, op.line, module_of(file.name), variable, "hint" in words))
    return found


def rows(tree):
    """{(module, variable): (line, does it decide something)} and the findings.

    A row that decides something has four cells, any other has two."""
    listed, findings, inside = {}, [], False
    if DOCUMENT not in tree.files:
        return listed, findings
    for line, text in enumerate(tree.text(DOCUMENT).split("\n"), 1):
        inside = text.strip() == BEGIN or (inside and text.strip() != END)
        cells = [cell.strip() for cell in text.strip().strip("|").split("|")]
        if not inside or not text.startswith("|") or not CODE.search(cells[0]):
            continue
        if len(cells) not in (2, 4) or not all(cells):
            findings.append(Finding(DOCUMENT.as_posix(), line, NAME,
                                    "a row is: file, variables, what they decide, why a stale value is harmless; or "
                                    "file and variables only, where they decide nothing"))
            continue
        for name in CODE.findall(cells[0]):
            for variable in CODE.findall(cells[1]):
                if (module_of(name), variable) in listed:
                    findings.append(Finding(DOCUMENT.as_posix(), line, NAME, f"`{variable}` of {name} is listed twice"))
                listed[module_of(name), variable] = line, len(cells) == 4
    return listed, findings


def check(tree):
    listed, findings = rows(tree)
    used = set()
    for name, line, module, variable, is_hint in reads(tree):
        used.add((module, variable))
        row = listed.get((module, variable))
        if row is None:
            message = (f"`{variable}` is read as a hint or a statistic, and {DOCUMENT.as_posix()} has no row for it: "
                       "say there what it decides and why a stale value is harmless, or give the read another reason")
        elif row[1] and not is_hint and not STATISTICS.match(name.as_posix()):
            message = f"`{variable}` decides something: call it a hint"
        elif is_hint and not row[1]:
            message = f"`{variable}` is called a hint, and its row does not say what it decides"
        else:
            continue
        findings.append(Finding(name.as_posix(), line, NAME, message))
    for (module, variable), (line, _) in listed.items():
        if (module, variable) not in used:
            findings.append(Finding(DOCUMENT.as_posix(), line, NAME,
                                    f"no relaxed read of `{variable}` in {module} is a hint or a statistic any more: "
                                    "delete the row"))
    return sorted(findings)
