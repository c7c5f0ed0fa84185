"""Every header of include/ is compiled alone by the build: its list of generated sources equals that of the headers."""

from pathlib import Path

from tree import Finding

NAME = "headers"


def check(tree, generated=None):
    """`generated` is a file with one header per line, as the build compiles them; None checks the headers only."""
    headers = [name for name in tree.under("include", suffixes={".hpp"})]
    findings = []
    for name in headers:
        if "#pragma once" not in tree.text(name).splitlines():
            findings.append(Finding(name.as_posix(), 1, NAME, "no #pragma once"))
    if generated is None:
        return sorted(findings)
    listed = set(Path(generated).read_text(encoding="utf-8").split())
    present = {name.relative_to("include").as_posix() for name in headers}
    for name in sorted(present - listed):
        findings.append(Finding(f"include/{name}", 1, NAME, "the build does not compile this header alone: configure "
                                                            "again"))
    for name in sorted(listed - present):
        findings.append(Finding(f"include/{name}", 1, NAME, "the build compiles a header that is gone: configure "
                                                            "again"))
    return sorted(findings)
