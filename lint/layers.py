"""Include arrows go only from right to left, and each layer keeps to what it may use.

The graph of docs/architecture is the data below. Layers of one row do not include each other; every layer may use all
rows to its left. sim stands aside: it shares the decisions and the trace with the runtime, and nothing else.
"""

from pathlib import PurePosixPath

from tree import Finding, layer_of

NAME = "layers"

ROWS = [
    ["base"],
    ["topology", "policy", "queue", "trace", "stack"],
    ["park"],
    ["share"],
    ["runtime"],
    ["fork", "coro"],
    ["sync", "time", "io", "algo"],
    ["dist", "bridge"],
]
ALLOWED = {layer: {l for left in ROWS[:i] for l in left} | {layer} for i, row in enumerate(ROWS) for layer in row}
ALLOWED["sim"] = {"base", "topology", "policy", "trace", "sim"}
UMBRELLA = "filch/filch.hpp"

# policy/ decides; it does not touch threads, time, memory or chance other than filch's own random stream.
POLICY_INCLUDES = {
    "atomic", "thread", "mutex", "shared_mutex", "condition_variable", "future", "semaphore", "latch", "barrier",
    "stop_token", "chrono", "ctime", "time.h", "random", "memory", "memory_resource", "pthread.h", "unistd.h",
    "filch/base/atomics.hpp",
}
POLICY_TOKENS = {
    "thread_local": "a thread-local", "new": "allocation", "malloc": "allocation", "calloc": "allocation",
    "realloc": "allocation", "make_unique": "allocation", "make_shared": "allocation", "std_atomics": "an atomic",
    "memory_order": "an atomic", "chrono": "a clock", "steady_clock": "a clock", "system_clock": "a clock",
    "clock_gettime": "a clock", "monotonic_now_ns": "a clock", "mt19937": "a generator of std", "mt19937_64":
    "a generator of std", "random_device": "a generator of std", "rand": "a generator of std",
}
POLICY_STD = {"atomic": "an atomic", "thread": "a thread", "jthread": "a thread", "this_thread": "a thread",
              "mutex": "a lock", "condition_variable": "a lock", "shuffle": "a distribution of std",
              "sample": "a distribution of std"}

# A kernel runs under the model checker too, so it sees shared memory only through the atomics policy of base.
KERNEL_MARK = " kernel:"
KERNEL_INCLUDES = {"atomic", "cstdint", "cstddef", "new", "bit", "optional", "coroutine", "type_traits", "utility"}

# Put together from pieces, so that this file does not contain what it forbids.
SUPPRESSIONS = ["no_" + "sanitize", "__tsan_" + "ignore", "__tsan_default_" + "suppressions", "suppressions" + "=",
                "disable_sanitizer_" + "instrumentation", "ANNOTATE_" + "IGNORE", "AnnotateIgnore" + "Reads",
                "fno-sanitize" + "="]
SUPPRESSION_ROOTS = {"include", "src", "tests", "tools", "bench", "examples", "cmake", "CMakeLists.txt",
                     "CMakePresets.json", "filch"}


def target_layer(name, include, quoted):
    """The layer of an included file: (layer, None), (None, None) outside filch, or (None, message)."""
    parts = PurePosixPath(include).parts
    if ".." in parts:
        return None, f"the include \"{include}\" climbs out of its folder: name it from include/ or src/"
    if parts[0] == "filch" and not quoted or (parts[0] == "filch" and len(parts) > 1):
        if len(parts) == 2:
            return ("umbrella", None) if include == UMBRELLA else (None, f"<{include}> belongs to no layer")
        return parts[1], None
    if quoted:
        return (parts[0] if len(parts) > 1 and parts[0] in ALLOWED else layer_of(name)), None
    return None, None


def check_arrows(name, source, report):
    layer = layer_of(name)
    if layer is None:
        if name.as_posix() != "include/" + UMBRELLA:
            report(1, f"the file lies in no layer; only include/{UMBRELLA} may stand above the layers")
        return
    if layer not in ALLOWED:
        report(1, f"{layer} is not a layer; the layers are: {' '.join(ALLOWED)}")
        return
    for line, include, quoted in source.includes:
        target, problem = target_layer(name, include, quoted)
        if problem:
            report(line, problem)
        elif target == "umbrella":
            report(line, f"{layer} includes the umbrella header, and so every layer")
        elif target and target not in ALLOWED:
            report(line, f"{target} is not a layer; the layers are: {' '.join(ALLOWED)}")
        elif target and target not in ALLOWED[layer]:
            report(line, f"{layer} must not include {target}; it may include: {' '.join(sorted(ALLOWED[layer]))}")
        elif target and target != layer and "detail" in PurePosixPath(include).parts:
            report(line, f"{layer} includes a detail header of {target}; only {target} may")


def check_policy(name, source, report):
    for line, include, _ in source.includes:
        if include in POLICY_INCLUDES:
            report(line, f"policy must not include <{include}>: decisions are pure values")
    tokens = source.tokens
    for i, token in enumerate(tokens):
        if token.kind != "id":
            continue
        in_std = i >= 2 and tokens[i - 1].text == "::" and tokens[i - 2].text == "std"
        what = POLICY_TOKENS.get(token.text) or (in_std and POLICY_STD.get(token.text))
        if in_std and token.text.endswith("_distribution"):
            what = "a distribution of std"
        if token.text.startswith(("memory_order_", "atomic_")):
            what = "an atomic"
        if what:
            report(token.line, f"policy must not mention {token.text} ({what}): decisions are pure values")


def is_kernel(source):
    first_code = min([t.line for t in source.tokens[:1]], default=1 << 30)
    head = [text for c in source.comments if c.first < first_code for _, text in c.lines]
    return any(text.startswith(KERNEL_MARK) for text in head)


def check_kernel(tree, name, source, report):
    """A kernel includes light headers, base, and other kernels, so that everything reachable is held to the rule."""
    if not is_kernel(source):
        return
    for line, include, quoted in source.includes:
        folders = [PurePosixPath("include")] + ([name.parent, PurePosixPath("src")] if quoted else [])
        if any(f / include in tree.files and is_kernel(tree.source(f / include)) for f in folders):
            continue
        if include not in KERNEL_INCLUDES and not include.startswith("filch/base/"):
            report(line, f"a kernel must not include <{include}>; it may include filch/base/ and "
                         f"{' '.join(sorted(KERNEL_INCLUDES))}")


def check_suppressions(tree, findings):
    for name in tree.files:
        if name.parts[0] not in SUPPRESSION_ROOTS or name.parts[:2] == ("tests", "lint") or name.suffix == ".md":
            continue
        if name.suffix == ".supp":
            findings.append(Finding(name.as_posix(), 1, NAME, "a list of suppressions: a sanitizer is never silenced"))
        for number, line in enumerate(tree.text(name).splitlines(), 1):
            for word in SUPPRESSIONS:
                if word in line:
                    findings.append(Finding(name.as_posix(), number, NAME,
                                            f"{word}: a sanitizer is never silenced; make the access atomic"))


def check(tree):
    findings = []
    for name in tree.under("include", "src"):
        source = tree.source(name)
        report = lambda line, message: findings.append(Finding(name.as_posix(), line, NAME, message))
        check_arrows(name, source, report)
        if layer_of(name) == "policy":
            check_policy(name, source, report)
        check_kernel(tree, name, source, report)
    check_suppressions(tree, findings)
    return sorted(findings)
