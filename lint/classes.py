"""A class has one subject: at most 25 members.

Counted are member functions, each overload, and variables, static ones too. Not counted are constructors, destructors,
what is defaulted or deleted, nested types (which are counted on their own), using declarations and friends. The list
says which classes have more, how many, and why; it is a ceiling. A class in it that keeps to the limit is a finding.

`lint/classes.py` prints the largest classes.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cpp_classes import classes_of
from tree import Finding, Tree, layer_of

NAME = "classes"

MEMBERS = 25
LIST = "lint/classes.py"

# <layer>/<class>: (members at most, why it has so many).
LISTED = {
    "algo/pace": (29, "the measurements of one call site and the decisions made from them"),
    "park/idle": (28, "one protocol: its words, and a function for each step that park/README.md names"),
    "policy/demand": (27, "the rules that need no state: a function each, and what they cost"),
    "policy/search": (33, "one state machine, a function for each of its states"),
    "policy/victim_order": (37, "all orders of victims share one state: a sweep may change from one to another"),
    "runtime/crew": (26, "one member more than the limit"),
    "runtime/monitor": (31, "a thread that starts when it is needed: its start, its rests and its looks"),
    "runtime/options": (28, "each member is a choice that a user can make"),
    "runtime/runtime": (26, "the interface: each form of submitting and waiting is a member"),
    "runtime/worker": (28, "plain state: the queues, the share point, the counts, and what each module remembers"),
    "runtime/worker_trace": (28, "fork_recorder has nine functions, and a recording as many facts"),
    "share/range_frame": (26, "one member more than the limit"),
    "sim/model": (102, "many subjects: the clock, the search, the tasks, what is counted"),
    "sim/reader": (36, "one pass over a recording, a function for each kind of event"),
    "sim/sharing_run": (135, "many subjects: the clock, stacks, requests, the search, sleep, the monitor thread"),
    "sim/world": (31, "the state machine of a lesson, a function for each step"),
    "sync/channel_core": (28, "two ends with their own words each, and what they do to each other"),
    "trace/reader": (29, "one file format, a function for each of its parts"),
    "trace/recorder": (29, "a verb for each kind of event"),
    "trace/session": (47, "the recorders, the clocks, the thread that empties rings, and the file"),
}


def all_classes(tree):
    """(layer/class, path, class) of each class of include and src."""
    for name in tree.under("include", "src"):
        for found in classes_of(tree.source(name)):
            yield f"{layer_of(name) or name.parts[0]}/{found.name}", name.as_posix(), found


def parts(found):
    return f"{found.members} members ({len(found.functions)} functions, {len(found.data)} variables)"


def line_of_entry(tree, key):
    lines = tree.text(LIST).splitlines() if (tree.root / LIST).is_file() else []
    return next((i for i, line in enumerate(lines, 1) if f'"{key}"' in line), 1)


def check(tree, listed=None):
    # The list speaks of the tree that holds it.
    if listed is None:
        listed = LISTED if (tree.root / LIST).is_file() else {}
    findings, large = [], set()
    for key, file, found in all_classes(tree):
        if found.members <= MEMBERS:
            continue
        large.add(key)
        limit = listed[key][0] if key in listed else MEMBERS
        if found.members > limit:
            findings.append(Finding(file, found.line, NAME, f"{key} has {parts(found)}; the limit is {limit}: divide "
                                                            "it by subject"))
    for key, (members, reason) in listed.items():
        at_list = lambda message: findings.append(Finding(LIST, line_of_entry(tree, key), NAME, message))
        if key not in large:
            at_list(f"no class {key} has more than {MEMBERS} members: delete it from the list")
        if not reason.strip():
            at_list(f"{key} may have {members} members without a reason")
    return sorted(findings)


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--top", type=int, default=30, help="how many classes are printed (30)")
    options = parser.parse_args(arguments)
    for key, file, found in sorted(all_classes(Tree(options.root)), key=lambda c: -c[2].members)[: options.top]:
        print(f"{parts(found):46} {key}  {file}:{found.line}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
