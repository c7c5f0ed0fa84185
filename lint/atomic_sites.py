"""Finds the atomic operations of a C++ source and the label comments that speak about them.

An operation is a call one of whose arguments names a memory order. A label is defined where a comment begins with it:
`// [Q1] release store: publishes the slot → [Q4] in steal().` A further line of the comment that begins with a label
defines it too if the line before ends a sentence; elsewhere a label is a reference.
"""

import re
from dataclasses import dataclass, field

ORDERS = {"relaxed", "consume", "acquire", "release", "acq_rel", "seq_cst"}
KINDS = {
    "load": "load", "test": "load", "wait": "load", "atomic_load_explicit": "load",
    "store": "store", "clear": "store", "atomic_store_explicit": "store",
    "exchange": "rmw", "fetch_add": "rmw", "fetch_sub": "rmw", "fetch_or": "rmw", "fetch_and": "rmw",
    "fetch_xor": "rmw", "test_and_set": "rmw",
    "compare_exchange": "cas", "compare_exchange_weak": "cas", "compare_exchange_strong": "cas",
    "fence": "fence", "atomic_thread_fence": "fence", "atomic_signal_fence": "fence",
    "light_fence": "fence", "heavy_fence": "fence",
}
# What orders memory without naming an order; a label may stand on it.
UNORDERED_KINDS = {"futex_wait": "futex", "futex_wake": "futex", "lock": "lock", "try_lock": "lock", "unlock": "lock"}

LABEL = r"\[([A-Z]+[0-9]+[a-z]?)\]"
DEFINITION = re.compile(r"^ " + LABEL + r"(?!\S)")
REFERENCE = re.compile(r"(?<!\[)" + LABEL + r"(?!\])")
LABEL_LIST = r"(L(?:(?:\s*,\s*and\s+|\s*,\s*|\s+and\s+|\s+or\s+|\s*/\s*)L)*)".replace("L", r"\[[A-Z]+[0-9]+[a-z]?\]")
PARTNERS = re.compile(r"[→←↔]\s*" + LABEL_LIST)
EXCUSE = re.compile(r"\b(kept|unobservable):\s*(\S.*)")
# The closed list of reasons for a relaxed order.
REASONS = "owner-only · before publication · ordered by [X] · revalidated by [X] · hint · statistic"
REASON = re.compile(r"\b[Oo]wner-only\b|\b[Bb]efore publication\b|\b[Hh]int\b(?=[,.:;]|\s*$)|\b[Ss]tatistic\b"
                    r"|\b(?:[Oo]rdered|[Rr]evalidated) by " + LABEL_LIST)


@dataclass
class Operation:
    kind: str
    name: str
    line: int  # of the name that is called: what std::source_location reports under g++
    begin_line: int  # of the whole expression's first token: what it reports under clang
    end_line: int
    statement: object
    at: int  # the token of the name
    orders: list = field(default_factory=list)  # (order, line)
    labels: list = field(default_factory=list)

    @property
    def is_relaxed(self):
        return all(order == "relaxed" for order, _ in self.orders)


@dataclass
class Definition:
    label: str
    line: int
    text: str
    comment: object
    operations: list = field(default_factory=list)

    @property
    def partners(self):
        return {label for group in PARTNERS.findall(self.text) for label in REFERENCE.findall(group)}

    def excuse(self, word):
        found = EXCUSE.search(self.text)
        return found[2].strip() if found and found[1] == word else None


def definitions(comment):
    """The labels that a comment defines, each with the text up to the next definition."""
    found, previous = [], None
    for line, text in comment.lines:
        starts = DEFINITION.match(text)
        if starts and (previous is None or previous.rstrip().endswith((".", ";", ":"))):
            found.append(Definition(starts[1], line, text.strip(), comment))
        elif found:
            found[-1].text += " " + text.strip()
        previous = text
    return found


def order_tokens(source):
    """(index, order) of every memory order that is written out; order is None for the bare type."""
    tokens = source.tokens
    for i, token in enumerate(tokens):
        if token.kind != "id" or not token.text.startswith("memory_order"):
            continue
        name = token.text[len("memory_order_"):]
        if token.text == "memory_order" and tokens[i + 1 : i + 2] and tokens[i + 1].text == "::":
            name = tokens[i + 2].text
        yield i, name if name in ORDERS else None


def enclosing_call(source, i):
    """The index of the '(' of the innermost call around token i, or None."""
    while i > 0:
        i -= 1
        text = source.tokens[i].text
        if text in (")", "]", "}") and i in source.partner:
            i = source.partner[i]
        elif text == "(" and source.callee(i) is not None:
            return i
        elif text in ("{", ";"):
            return None
    return None


def operations(source):
    """(operations, stray): the atomic operations, and the order tokens (index, order) that belong to none."""
    calls, stray = {}, []
    for i, order in order_tokens(source):
        opening = enclosing_call(source, i) if order else None
        name = source.callee(opening) if opening is not None else None
        around = source.tokens[max(i - 3, 0) : i] + source.tokens[i + 1 : i + 2]  # `order == std::memory_order_x`
        compared = any(t.text in ("==", "!=") for t in around)
        if name is None or compared or source.tokens[name].text not in KINDS:
            stray.append((i, order, compared))
            continue
        calls.setdefault(opening, []).append((order, source.tokens[i].line))
    for i, token in enumerate(source.tokens):
        if token.text == "(" and (name := source.callee(i)) and source.tokens[name].text in UNORDERED_KINDS:
            calls.setdefault(i, [])
    found = []
    for opening, orders in sorted(calls.items()):
        name = source.callee(opening)
        token = source.tokens[name]
        start = source.tokens[source.expression_start(name)]
        end = source.tokens[source.partner.get(opening, opening)].line
        kind = KINDS.get(token.text) or UNORDERED_KINDS[token.text]
        found.append(Operation(kind, token.text, token.line, start.line, end, token.statement, name, orders))
    return found, stray


def attach(source, found):
    """Gives each operation its labels. Returns (definitions, problems); a problem is (line, message)."""
    defined = {id(c): definitions(c) for c in source.comments}
    by_statement, problems = {}, []
    for op in found:
        own = [source.trailing[line] for line in range(op.begin_line, op.end_line + 1) if line in source.trailing]
        if op.begin_line != op.statement.first and op.begin_line in source.above:
            own.append(source.above[op.begin_line])
        op.labels = [d for comment in own for d in defined[id(comment)]]
        by_statement.setdefault(id(op.statement), []).append(op)
    for ops in by_statement.values():
        shared = [d for c in source.comments_for(ops[0].statement, ops[0].statement.first, ops[0].statement.first)
                  for d in defined[id(c)]]
        claimed = {id(d) for op in ops for d in op.labels}
        problems += share(ops, [d for d in shared if id(d) not in claimed])
    for op in found:
        for definition in op.labels:
            definition.operations.append(op)
    return [d for ds in defined.values() for d in ds], problems


def share(ops, labels):
    """Deals the labels of a statement's comment out to its operations that have none of their own."""
    if not labels:
        return []
    free = [op for op in ops if not op.labels]
    strong = [op for op in free if op.orders and not op.is_relaxed]
    for candidates in (strong, [op for op in free if op.orders], free):
        if candidates and (len(labels) == 1 or len(candidates) == 1):
            for op in candidates:
                op.labels = list(labels)
            return []
        if len(candidates) == len(labels):
            for op, label in zip(candidates, labels):
                op.labels = [label]
            return []
    names = " ".join(f"[{d.label}]" for d in labels)
    return [(labels[0].line, f"{names} stand over a statement with {len(free)} unlabelled operations: "
                             "write each label on the line of its operation")]
