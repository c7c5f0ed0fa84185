"""A header calls its helpers by a qualified name.

In a template an unqualified call whose arguments depend on the template's also finds functions of the same name beside
the arguments' types: argument-dependent lookup. So a user's own `call` beside his lambda would take part in what filch
calls, and make it ambiguous. clang lists such calls: in a template it leaves them unresolved, marked (ADL).

Not seen are calls in noexcept specifications and requires clauses of functions.
"""

import re
import shutil
import subprocess

from tree import Finding

NAME = "calls"

PROGRAM = "clang++-19"
PACKAGE = "clang-19"
# What users are meant to add overloads of, each with its reason.
ALLOWED = {
    "operator co_await": "the language looks it up that way: a type of the user's becomes awaitable by it",
}
NEEDS = {"filch/bridge/asio.hpp": "asio.hpp"}  # left out where that header is not installed

QUOTED = re.compile(r"'[^']*'")
PLACE = r"(?:line:\d+:\d+|col:\d+|<invalid sloc>|(?:<[^<>]*>|[^<>,]+?):\d+:\d+)"
PLACES = re.compile(rf"<({PLACE})(?:, ({PLACE}))?>(?: ({PLACE}))?")
CALL = re.compile(r"UnresolvedLookupExpr .*\(ADL\) = '([^']*)'")


def umbrella(headers):
    """A source that includes them all."""
    lines = []
    for header in headers:
        line = f"#include <{header}>"
        lines += [f"#if __has_include(<{NEEDS[header]}>)", line, "#endif"] if header in NEEDS else [line]
    return "\n".join(lines) + "\n"


def unqualified_calls(dump):
    """(file, line, name) of each. The dump leaves out of a place what is as in the place printed before it."""
    file, line = "", 0
    for text in dump:
        begin = None
        for match in PLACES.finditer(QUOTED.sub("''", text)):
            for place in filter(None, match.groups()):
                if place.startswith("line:"):
                    line = int(place.split(":")[1])
                elif not place.startswith("col:") and place != "<invalid sloc>":
                    file, number, _ = place.rsplit(":", 2)
                    line = int(number)
                begin = begin or (file, line)
        call = CALL.search(text)
        if call and begin:
            yield (*begin, call[1])


def check(tree):
    headers = [name.relative_to("include").as_posix() for name in tree.under("include", suffixes={".hpp"})]
    if not headers:
        return []
    first = f"include/{headers[0]}"
    if shutil.which(PROGRAM) is None:
        return [Finding(first, 1, NAME, f"{len(headers)} headers were not checked, because there is no program "
                                        f"{PROGRAM}: install the Debian package {PACKAGE}")]
    done = subprocess.run([PROGRAM, "-std=c++20", "-I", "include", "-fsyntax-only", "-w", "-Xclang", "-ast-dump",
                           "-Xclang", "-ast-dump-filter=filch", "-x", "c++", "-"], cwd=tree.root,
                          input=umbrella(headers), capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        said = next((line for line in done.stderr.splitlines() if "error" in line), "nothing")
        return [Finding(first, 1, NAME, f"{PROGRAM} failed with exit code {done.returncode} and said: {said}")]
    found = {call for call in unqualified_calls(done.stdout.splitlines()) if call[0].startswith("include/")}
    return sorted(Finding(file, line, NAME, f"`{name}` is called without its namespace, so a user's function of that "
                                            "name may be called or make the call ambiguous: qualify it")
                  for file, line, name in found if name not in ALLOWED)
