#!/usr/bin/env python3
"""Every memory order is written out and justified: non-relaxed by a label whose partner names it back, relaxed by one
reason out of a closed list. `orderings.py --list --json` lists the labelled sites."""

import argparse
import json
import re
import sys
from collections import defaultdict
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import atomic_sites
from atomic_sites import REASON, REASONS, REFERENCE
from tree import Finding, Tree, layer_of

NAME = "orderings"
FORWARD = re.compile(r"^ lint: orderings-forward\s*$")
ORDERED_CALLS = set(atomic_sites.KINDS) - {"fence"}
ALWAYS_ATOMIC = {n for n in ORDERED_CALLS if n.startswith(("fetch_", "compare_exchange", "test_and_set"))}
ATOMIC_TYPES = {"atomic", "atomic_flag", "atomic_bool", "atomic_int", "atomic_size_t", "atomic_ref"}


class File:
    """One source with its operations, labels and the findings that need no other file."""

    def __init__(self, name, source):
        self.name, self.source, self.layer = name, source, layer_of(name)
        self.findings = []
        self.forwards = any(FORWARD.match(text) for c in source.comments for _, text in c.lines)
        self.operations, self.stray = atomic_sites.operations(source)
        self.definitions, problems = atomic_sites.attach(source, self.operations)
        self.atomics, self.atomic_objects = atomic_names(source)
        for line, message in problems:
            self.report(line, message)

    def report(self, line, message):
        self.findings.append(Finding(self.name.as_posix(), line, NAME, message))


def atomic_names(source):
    """(all, objects): names declared with an atomic type or an alias of one; objects are no pointers or functions and
    no names that the file gives to plain variables as well."""
    names, objects, declared, aliases, tokens = set(), set(), set(), set(ATOMIC_TYPES), source.tokens
    for i, token in enumerate(tokens):
        if token.kind != "id" or token.text not in aliases or i + 1 == len(tokens):
            continue
        at = i + 1
        if tokens[at].text == "<":
            depth = 0
            while at < len(tokens):
                depth += {"<": 1, ">": -1}.get(tokens[at].text, 0)
                at += 1
                if depth == 0:
                    break
        elif token.text == "atomic":
            continue
        head = [t.text for t in tokens[token.statement.start : i]] if token.statement else []
        if len(head) >= 3 and head[0] == "using" and head[2] == "=":
            aliases.add(head[1])
            continue
        while at < len(tokens) and tokens[at].text in (">", "&", "*", "[", "]", "const"):
            at += 1
        if tokens[at : at + 1] and tokens[at].text == "," and tokens[at + 2 : at + 3] and tokens[at + 2].text == ">":
            at += 3  # std::array<std::atomic<T>, n>
        ends = at + 1 < len(tokens) and tokens[at + 1].text in (";", "{", "=", "(", "[", ",", ")")
        if ends and tokens[at].kind == "id":
            names.add(tokens[at].text)
            declared.add(at)
            if tokens[at - 1].text != "*" and tokens[at + 1].text not in ("(", "["):
                objects.add(tokens[at].text)
    for i, token in enumerate(tokens[1:-1], 1):
        before = tokens[i - 1]
        is_type = before.kind == "id" and before.text not in ("return", "co_return", "else", "case", "delete")
        if token.text in objects and i not in declared and (is_type or before.text in ("*", "&", ">")):
            if tokens[i + 1].text in ("=", ";", "{", ",", ")"):
                objects.discard(token.text)
    return names, objects


# ---- rules for one file ----------------------------------------------------------------------------------------------
def check_stray(file):
    if file.forwards and file.layer != "base":
        file.report(1, "the opt-out `lint: orderings-forward` is for base/ only")
    for i, order, compared in file.stray:
        if file.forwards and file.layer == "base" and (order is None or compared):
            continue
        token = file.source.tokens[i]
        what = f"memory_order_{order}" if order else "the type memory_order"
        file.report(token.line, f"{what} outside an atomic operation hides an order from its site: write the order out "
                                "in the call (only base/ forwards orders)")
    for line, _, rest in file.source.directives:
        if "memory_order" in rest:
            file.report(line, "a macro hides a memory order: write it out in the call")


def receiver(source, i):
    """The variable whose member token i is: `a.slots_[k].load` → slots_; None without one."""
    if i < 2 or source.tokens[i - 1].text not in (".", "->"):
        return None
    i -= 2
    while i > 0 and source.tokens[i].text in (")", "]") and i in source.partner:
        i = source.partner[i] - 1
    return source.tokens[i].text if source.tokens[i].kind == "id" else None


def check_implicit(file, known):
    if file.forwards and file.layer == "base":
        return
    tokens = file.source.tokens
    ordered = {(op.line, op.name) for op in file.operations if op.orders}
    for i, token in enumerate(tokens):
        if token.text == "(" and (name := file.source.callee(i)) is not None and tokens[name].text in ORDERED_CALLS:
            call = tokens[name]
            if (call.line, call.text) in ordered or tokens[name - 1].text not in (".", "->"):
                continue
            if call.text in ALWAYS_ATOMIC or receiver(file.source, name) in known:
                file.report(call.line, f"{call.text}() without a memory order is seq_cst: write the order out")
        elif token.kind == "id" and token.text in file.atomic_objects and i > 0 and i + 1 < len(tokens):
            before, after = tokens[i - 1].text, tokens[i + 1].text
            declared = tokens[i - 1].kind == "id" or before in (">", "&", "*")
            if before in ("++", "--") or after in ("++", "--", "+=", "-=", "|=", "&=", "^=") or (
                    after == "=" and not declared and before not in ("[", ",", "&")):
                file.report(token.line, f"an operator on the atomic {token.text} is seq_cst: call it by name, "
                                        "with its order")


def check_labels_present(file):
    for op in file.operations:
        if op.orders and not op.is_relaxed and not op.labels:
            orders = ", ".join(order for order, _ in op.orders)
            file.report(op.line, f"{op.name}({orders}) carries no label: begin the comment above it with "
                                 "`[X1] …` and name its partner")
    for definition in file.definitions:
        if not definition.operations:
            file.report(definition.line, f"[{definition.label}] is defined here, but no atomic operation stands on "
                                         "this line or directly beneath")


def relaxed_reason(file, op, with_relaxed):
    """The reason that covers a relaxed operation: its own comments, or those above a run of such statements."""
    comments = file.source.comments_for(op.statement, op.begin_line, op.end_line)
    if found := [m for c in comments for m in REASON.finditer(c.text)]:
        return found
    statement = op.statement
    while not (statement.first in file.source.above or any(c.trailing for c in comments)):
        above = statement.before
        if above is None or above.last < statement.first - 1 or id(above) not in with_relaxed:
            return []
        statement = above
        comments = [file.source.above[statement.first]] if statement.first in file.source.above else []
        if found := [m for c in comments for m in REASON.finditer(c.text)]:
            return found
    return []


def check_relaxed(file, exists):
    relaxed = [op for op in file.operations if any(order == "relaxed" for order, _ in op.orders)]
    with_relaxed = {id(op.statement) for op in relaxed}
    for op in relaxed:
        reasons = relaxed_reason(file, op, with_relaxed)
        if not reasons:
            file.report(op.line, f"relaxed {op.name}() without a reason; one of: {REASONS}")
        for label in {l for m in reasons for l in REFERENCE.findall(m[0])}:
            if not exists(file.layer, label):
                file.report(op.line, f"relaxed {op.name}(): its reason names [{label}], which is not defined")


# ---- rules across files ----------------------------------------------------------------------------------------------
class Labels:
    """All definitions. A label is looked up in its own layer first, then in the others."""

    def __init__(self, files):
        self.by_layer = defaultdict(lambda: defaultdict(list))
        for file in files:
            for definition in file.definitions:
                self.by_layer[file.layer][definition.label].append((file, definition))

    def find(self, layer, label):
        own = self.by_layer[layer].get(label)
        return own or [found for name, labels in list(self.by_layer.items()) if name != layer
                       for found in labels.get(label, [])]

    def prefixes(self, layer):
        return {re.match("[A-Z]+", label)[0] for label in self.by_layer[layer]}


def check_unique(labels):
    for layer, of_layer in labels.by_layer.items():
        for label, found in of_layer.items():
            first_file, first = found[0]
            for file, definition in found[1:]:
                file.report(definition.line, f"[{label}] is defined twice in layer {layer}: first at "
                                             f"{first_file.name.as_posix()}:{first.line}")


def check_partners(file, labels):
    for definition in file.definitions:
        excused = definition.excuse("kept") or definition.excuse("unobservable")
        if not definition.partners and not excused:
            file.report(definition.line, f"[{definition.label}] names no partner: write → [X], ← [X] or ↔ [X], or "
                                         "`kept:` or `unobservable:` with a reason")
        for partner in sorted(definition.partners):
            found = labels.find(file.layer, partner)
            if not found:
                file.report(definition.line, f"[{definition.label}] names [{partner}], which is not defined")
            elif not any(definition.label in other.partners for _, other in found):
                other_file, other = found[0]
                file.report(definition.line, f"[{definition.label}] names [{partner}], but [{partner}] at "
                                             f"{other_file.name.as_posix()}:{other.line} does not name it back")


def check_references(file, labels):
    """A `[Q7]` in prose must exist if the layer uses the letter Q for labels at all."""
    prefixes = labels.prefixes(file.layer)
    partners = {(d.line, p) for d in file.definitions for p in d.partners}
    for comment in file.source.comments:
        for line, text in comment.lines:
            for label in REFERENCE.findall(text):
                if re.match("[A-Z]+", label)[0] in prefixes and not labels.find(file.layer, label):
                    if not any(p == label for _, p in partners):
                        file.report(line, f"[{label}] is not defined in layer {file.layer}")


def load(tree):
    return [File(name, tree.source(name)) for name in tree.under("include", "src")]


def check(tree):
    files = load(tree)
    labels = Labels(files)
    known = {name for file in files for name in file.atomics}
    for file in files:
        check_stray(file)
        check_implicit(file, known)
        check_labels_present(file)
        check_relaxed(file, lambda layer, label: bool(labels.find(layer, label)))
        check_partners(file, labels)
        check_references(file, labels)
    check_unique(labels)
    return sorted(f for file in files for f in file.findings)


# ---- the list of sites -----------------------------------------------------------------------------------------------
def sites(tree):
    """One entry per label and operation. With one label per order of a CAS, each entry holds its own order."""
    found = []
    for file in load(tree):
        for definition in file.definitions:
            for op in definition.operations:
                indices = list(range(len(op.orders)))
                if len(op.labels) > 1 and len(op.labels) == len(op.orders):
                    indices = [op.labels.index(definition)]
                found.append({
                    "label": definition.label,
                    "file": file.name.as_posix(),
                    "layer": file.layer,
                    "line": op.line,
                    "begin_line": op.begin_line,
                    "end_line": op.end_line,
                    "order_lines": [op.orders[i][1] for i in indices],
                    "orders": [op.orders[i][0] for i in indices],
                    "order_indices": indices,
                    "kind": op.kind,
                    "operation": op.name,
                    "partners": sorted(definition.partners),
                    "unobservable": definition.excuse("unobservable"),
                    "kept": definition.excuse("kept"),
                })
    return sorted(found, key=lambda s: (s["file"], s["line"], s["label"]))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--root", default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--list", action="store_true", help="list the labelled sites instead of checking")
    parser.add_argument("--json", action="store_true", help="the list as JSON")
    options = parser.parse_args(arguments)
    tree = Tree(options.root)
    if options.list:
        found = sites(tree)
        if options.json:
            print(json.dumps(found, indent=1, ensure_ascii=False))
        else:
            for site in found:
                print(f"{site['file']}:{site['line']}: [{site['label']}] {site['kind']} {', '.join(site['orders'])}")
        return 0
    findings = check(tree)
    print("\n".join(map(str, findings)), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
