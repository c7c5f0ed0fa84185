"""Modules know each other in one direction.

A module is a header and its sources of the same stem, in include/filch/<layer> and src/<layer>. A source without a
header of its own, `worker_idle.cpp`, belongs to `worker` if it defines members of a class of worker.hpp. An include in
any file of a module is an arrow from it. Modules that reach each other in a circle can only be understood together: a
circle is a finding unless it is in the list, with a reason, and has four modules at most.

lint/module_graph.py prints the graph.
"""

from dataclasses import dataclass, field
from pathlib import PurePosixPath

from cpp_classes import classes_of
from tree import Finding, layer_of

NAME = "modules"

LARGEST_CYCLE = 4
LIST = "lint/modules.py"

# (modules, why they cannot be told apart). Names as lint/module_graph.py prints them.
ALLOWED_CYCLES = [
    ({"runtime/core", "runtime/reports"}, "the watchdog of the core prints what the reports make of the core"),
    ({"sim/environment", "sim/event"}, "a process waits for events, and an event resumes processes of its environment"),
    ({"sync/countdown", "sync/detail/countdown_target"}, "the kernel's source also holds the awaiter's functions"),
    ({"sync/detail/permit_target", "sync/permits"}, "the kernel's source also holds the awaiter's functions"),
    ({"topology/coordinates", "topology/machine"}, "a machine looks its CPUs up in a table that is made from it"),
    ({"trace/session", "trace/spill"}, "a session writes the file, whose summary is a part of the session's interface"),
]

# Larger circles that are being cut: exactly these modules, so that none comes in and each that leaves is noticed.
KNOTS = [
    ({"sim/model", "sim/model_clock", "sim/model_search", "sim/model_stuck", "sim/model_tasks", "sim/worker_model"},
     "the model is one class whose functions lie in several headers"),
]


@dataclass
class Module:
    name: str  # <layer>/[<folder>/]<stem>
    files: list = field(default_factory=list)
    lines: int = 0
    arrows: dict = field(default_factory=dict)  # module → [(file, line)]

    @property
    def layer(self):
        return self.name.partition("/")[0]


def in_layer(path):
    """The path below include/filch or src: what the files of one module have in common but for the suffix."""
    parts = path.parts
    return PurePosixPath(*parts[2:] if parts[:2] == ("include", "filch") else parts[1:])


def stem_of(path):
    return in_layer(path).with_suffix("").as_posix()


def outside_of_bodies(source):
    """The indices of the tokens that stand in namespaces alone."""
    tokens, i = source.tokens, 0
    while i < len(tokens):
        yield i
        if tokens[i].text == "{" and i in source.partner and tokens[i].statement is not None:
            if tokens[tokens[i].statement.start].text not in ("namespace", "inline", "extern"):
                i = source.partner[i]
        i += 1


def defines_members_of(source, classes):
    """Whether a function `name::member(…)` is defined for one of the names."""
    tokens = source.tokens
    for i in outside_of_bodies(source):
        if tokens[i].text in classes and tokens[i].statement is not None and i + 3 < len(tokens):
            after = [t.text for t in tokens[i + 1 : i + 4]]
            before = {t.text for t in tokens[tokens[i].statement.start : i]}
            is_function = after[0] == "::" and (after[1] in ("~", "operator") or after[2] == "(")
            if is_function and not {"=", "("} & before:
                return True
    return False


def home_of(tree, name, headers):
    """The stem of the module that the file belongs to."""
    stem = stem_of(name)
    if stem in headers or name.suffix == ".hpp":
        return stem
    below = [header for header in headers if PurePosixPath(header).parts[0] == PurePosixPath(stem).parts[0]
             and PurePosixPath(header).name == PurePosixPath(stem).name]
    if len(below) == 1:  # the header lies in detail
        return below[0]
    shorter = PurePosixPath(stem).name
    while "_" in shorter:
        shorter = shorter.rpartition("_")[0]
        other = PurePosixPath(stem).with_name(shorter).as_posix()
        if other in headers:
            classes = {found.name for header in headers[other] for found in classes_of(tree.source(header))}
            return other if defines_members_of(tree.source(name), classes) else stem
    return stem


def resolve(tree_files, name, include, quoted):
    """The file of include or src that an include names, or None."""
    candidates = [PurePosixPath("include") / include]
    if quoted:
        candidates = [PurePosixPath(name.as_posix()).parent / include, PurePosixPath("src") / include, *candidates]
    return next((c for c in candidates if c in tree_files), None)


def load(tree):
    """All modules of the layers, by name."""
    files = [name for name in tree.under("include", "src") if layer_of(name)]
    headers = {}
    for name in files:
        if name.suffix in (".hpp", ".h"):
            headers.setdefault(stem_of(name), []).append(name)
    home = {PurePosixPath(name): home_of(tree, name, headers) for name in files}
    modules = {stem: Module(stem) for stem in home.values()}
    for name in files:
        module = modules[home[PurePosixPath(name)]]
        module.files.append(name.as_posix())
        module.lines += len(tree.text(name).splitlines())
        for line, include, quoted in tree.source(name).includes:
            target = resolve(home, name, include, quoted)
            if target is not None and home[target] != module.name:
                module.arrows.setdefault(home[target], []).append((name.as_posix(), line))
    return modules


def components(arrows):
    """Tarjan's strongly connected components of {node: targets}, those with more than one node, largest first."""
    index, low, stack, on_stack, found = {}, {}, [], set(), []
    for root in sorted(arrows):
        work = [(root, None)]
        while work:
            node, targets = work.pop()
            if targets is None:
                if node in index:
                    continue
                index[node] = low[node] = len(index)
                stack.append(node)
                on_stack.add(node)
                targets = iter(sorted(arrows[node]))
            for target in targets:
                if target not in index:
                    work += [(node, targets), (target, None)]
                    break
                if target in on_stack:
                    low[node] = min(low[node], low[target])
            else:
                if low[node] == index[node]:
                    component = set()
                    while node not in component:
                        component.add(stack.pop())
                    on_stack -= component
                    found.append(frozenset(component))
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
    return sorted((c for c in found if len(c) > 1), key=lambda c: (-len(c), sorted(c)))


def shortest_circle(arrows, component):
    """The modules of a shortest circle within the component, in the order of its arrows."""
    best = None
    for start in sorted(component):
        paths, queue = {start: [start]}, [start]
        for node in queue:
            for target in sorted(set(arrows[node]) & component):
                if target == start and (best is None or len(paths[node]) < len(best)):
                    best = paths[node]
                if target not in paths:
                    paths[target] = [*paths[node], target]
                    queue.append(target)
    return best


def as_entry(component):
    return "{" + ", ".join(f'"{name}"' for name in sorted(component)) + "}"


def check_component(modules, component, allowed, knots, report):
    if len(component) <= LARGEST_CYCLE and component in allowed or component in knots:
        return
    arrows = {name: modules[name].arrows for name in modules}
    circle = shortest_circle(arrows, component)
    file, line = modules[circle[0]].arrows[circle[1]][0]
    what = f"{len(component)} modules know each other in a circle"
    advice = f"cut it, for instance at {' → '.join([*circle, circle[0]])}"
    if len(component) > LARGEST_CYCLE:
        advice += f"; a circle in the list may have {LARGEST_CYCLE}"
    report(file, line, f"{what}: {as_entry(component)}; {advice}")


def check_entry(listed, reason, present, report):
    if not reason.strip():
        report(listed, f"{as_entry(listed)} is allowed without a reason")
    if listed not in present:
        report(listed, f"no circle is made of exactly {as_entry(listed)}: correct the list, or delete the entry")


def line_of_entry(tree, modules):
    """The line of the list where the first of the modules is named."""
    lines = tree.text(LIST).splitlines() if (tree.root / LIST).is_file() else []
    return next((i for i, line in enumerate(lines, 1) if f'"{min(modules)}"' in line), 1)


def check(tree, allowed=None, knots=None):
    # The lists speak of the tree that holds them.
    own = (tree.root / LIST).is_file()
    allowed = (ALLOWED_CYCLES if own else []) if allowed is None else allowed
    knots = (KNOTS if own else []) if knots is None else knots
    modules, findings = load(tree), []
    present = components({name: module.arrows for name, module in modules.items()})
    for component in present:
        check_component(modules, component, [frozenset(m) for m, _ in allowed], [frozenset(m) for m, _ in knots],
                        lambda file, line, message: findings.append(Finding(file, line, NAME, message)))
    at_list = lambda listed, message: findings.append(Finding(LIST, line_of_entry(tree, listed), NAME, message))
    for listed, reason in [*allowed, *knots]:
        check_entry(frozenset(listed), reason, present, at_list)
    for listed, _ in allowed:
        if len(listed) > LARGEST_CYCLE:
            at_list(listed, f"{as_entry(listed)} has {len(listed)} modules; {LARGEST_CYCLE} are allowed")
    for listed, _ in knots:
        if len(listed) <= LARGEST_CYCLE:
            at_list(listed, f"{as_entry(listed)} is no knot any more: move it to ALLOWED_CYCLES, or cut it")
    return sorted(findings)
