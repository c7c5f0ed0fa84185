"""Subjects of commits read `layer: what changes` and have 72 columns at most.

Checked is what came after the commit that formatted the tree. Where git cannot tell (an archive, a shallow clone, a
history without that commit) nothing is checked.
"""

import re
import subprocess

import layers
from tree import Finding

NAME = "commits"

SINCE = "a46c6642f0ce4b28931012040f153e952a6b7875"
COLUMNS = 72
# What a subject may begin with: a layer, or one of these words.
WORDS = set(layers.ALLOWED) | {
    "analysis", "bench", "build", "changelog", "ci", "cmake", "command", "compile_fail", "decisions", "docs", "e2e",
    "examples", "fuzz", "glossary", "guide", "investigations", "kernels", "lint", "machines", "model", "names", "plot",
    "property", "readme", "report", "scenario", "scenarios", "simulate", "stress", "style", "tests", "tools", "viewer",
    "wrapper",
}
SUBJECT = re.compile(r"^([a-z_]+(?:, [a-z_]+)*): \S")


def git(tree, *arguments):
    """What git prints; None where it fails."""
    try:
        done = subprocess.run(["git", "-C", str(tree.root), *arguments], capture_output=True, text=True,
                              errors="replace")
    except OSError:
        return None
    return done.stdout if done.returncode == 0 else None


def check_subject(subject):
    """The messages about one subject."""
    if len(subject) > COLUMNS:
        yield f"has {len(subject)} columns; the limit is {COLUMNS}: the reason goes into the body"
    if not (parts := SUBJECT.match(subject)):
        yield "does not read `layer: what changes`"
    elif unknown := [word for word in parts[1].split(", ") if word not in WORDS]:
        yield f"begins with {unknown[0]}, which is neither a layer nor a word of lint/commits.py"
    if subject.endswith("."):
        yield "ends with a full stop"


def check(tree, since=SINCE):
    if not (tree.root / ".git").exists() or git(tree, "merge-base", "--is-ancestor", since, "HEAD") is None:
        return []
    log = git(tree, "log", "--no-merges", "--format=%h %s", f"{since}..HEAD") or ""
    findings = []
    for line in reversed(log.splitlines()):
        commit, _, subject = line.partition(" ")
        findings += [Finding(f"commit {commit}", 1, NAME, f"\"{subject}\" {message}")
                     for message in check_subject(subject)]
    return findings
