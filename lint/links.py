"""Links between files of this repository lead somewhere.

In documents: every relative link or picture names a file or folder of the tree, and an anchor names a heading of the
document it leads to. Everywhere else: a path of a document, written out in a comment, exists.
"""

import posixpath
import re
import urllib.parse

from tree import Finding

NAME = "links"

LINK = re.compile(r"\]\(\s*<?([^()\s<>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s+<?([^\s<>]+)>?")
TAG = re.compile(r"<(?:a|img)\b[^>]*?\b(?:href|src)=\"([^\"]+)\"")
FENCE = re.compile(r"^\s*(```+|~~~+)\s*([^\s`]*)")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
PLACE = re.compile(r"<a\b[^>]*?\b(?:id|name)=\"([^\"]+)\"")
SCHEME = re.compile(r"^[a-z][a-z0-9+.-]*:|^//", re.IGNORECASE)
# A path of a document in code; `docs/x.md` inside quotation marks may be a file that a test makes.
MENTION = re.compile(r"(?<![\w./\"'{$-])((?:docs|include|src|tests|bench|tools)/[\w./-]+\.md)\b")
NO_TREE = ("tests/lint/", "lint/")  # they speak of trees that do not exist


def prose(text):
    """(number, line) outside fenced blocks, without inline code."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        if mark := FENCE.match(line):
            if fence is None:
                fence = mark[1]
            elif mark[1].startswith(fence) and not mark[2]:
                fence = None
        elif fence is None:
            yield number, line


def anchor_of(heading):
    """The anchor that GitHub makes of a heading."""
    heading = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "").lower()
    return re.sub(r"[^\w\- ]", "", heading).replace(" ", "-")


def anchors(text):
    found = set()
    for _, line in prose(text):
        found.update(PLACE.findall(line))
        if heading := HEADING.match(line):
            anchor, number = anchor_of(heading[1]), 1
            first = anchor
            while anchor in found:
                anchor, number = f"{first}-{number}", number + 1
            found.add(anchor)
    return found


class Paths:
    def __init__(self, tree):
        self.tree, self.cache = tree, {}
        self.files = {name.as_posix() for name in tree.files}
        self.all = self.files | {parent.as_posix() for name in tree.files for parent in name.parents}

    def anchors_of(self, path):
        if path not in self.cache:
            self.cache[path] = anchors(self.tree.text(path))
        return self.cache[path]

    def fault(self, document, target):
        """What is wrong with a link, None when it leads somewhere."""
        if SCHEME.match(target):
            return None
        path, _, anchor = urllib.parse.unquote(target).partition("#")
        folder = posixpath.dirname(document)
        path = document if not path else posixpath.normpath(posixpath.join(folder, path))
        if path.startswith(("..", "/")):
            return f"the link {target} leads out of the repository"
        if path not in self.all:
            return f"the link {target} leads to {path}, which does not exist"
        if anchor and (not path.endswith(".md") or anchor not in self.anchors_of(path)):
            return f"the link {target} leads to no heading of {path}"
        return None


def targets(line):
    line = re.sub(r"(`+)(?!`).*?(?<!`)\1(?!`)", "``", line)
    yield from LINK.findall(line)
    yield from DEFINITION.findall(line)
    yield from TAG.findall(line)


def check(tree):
    paths, findings = Paths(tree), []
    for name in tree.files:
        path = name.as_posix()
        if name.suffix == ".md":
            for number, line in prose(tree.text(name)):
                for target in targets(line):
                    if fault := paths.fault(path, target):
                        findings.append(Finding(path, number, NAME, fault))
        elif not path.startswith(NO_TREE) and ".md" in (text := tree.text(name)):
            for number, line in enumerate(text.splitlines(), 1):
                for target in MENTION.findall(line):
                    if target not in paths.all:
                        findings.append(Finding(path, number, NAME, f"{target} does not exist"))
    return sorted(findings)
