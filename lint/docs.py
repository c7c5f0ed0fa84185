#!/usr/bin/env python3
"""Every C++ block of README.md and docs/ is compiled, linked and run by a test.

Markers are HTML comments directly before a block:
  <!-- fragment -->                compiled inside a namespace, not run
  <!-- not compiled: reason -->    left alone, but listed
  <!-- output -->                  before a text block: what the program or script above prints
  <!-- run -->                     before a sh block: a test runs it
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
from tree import Finding, Tree

NAME = "docs"

FENCE = re.compile(r"^(\s*)(```+|~~~+)\s*([^\s`]*)\s*(.*)$")
MARKER = re.compile(r"^\s*<!--\s*(fragment|run|output|not compiled(?::\s*(.*?))?)\s*-->\s*$")
CPP_NAMES = {"c++", "cxx", "hpp", "cc", "C++", "CPP"}
INCLUDE = re.compile(r"^\s*#\s*include\b")
MAIN = re.compile(r"\bint\s+main\s*\(")


@dataclass
class Block:
    file: str
    line: int  # of its first line of content
    language: str
    text: str
    marker: str = ""
    reason: str = ""
    output: str = None
    number: int = 0

    @property
    def slug(self):
        return re.sub(r"\W+", "_", self.file.removesuffix(".md"))

    @property
    def test(self):
        name = self.file.removeprefix("docs/").removesuffix(".md").replace("/", ".")
        return f"docs.{name}.{self.number}"


def documents(tree):
    return [n for n in tree.files if n.suffix == ".md" and (n.as_posix() == "README.md" or n.parts[0] == "docs")]


def blocks_of(name, text, problems):
    """The fenced blocks of one document, in order, with their markers."""
    found, marker, fence = [], None, None
    for number, line in enumerate(text.splitlines(), 1):
        mark = FENCE.match(line)
        if fence:
            if mark and mark[2].startswith(fence[1]) and not mark[3]:
                fence = None
            else:
                found[-1].text += line.removeprefix(fence[0]) + "\n"
        elif mark:
            word, reason = marker[1:] if marker else ("", "")
            found.append(Block(name, number + 1, mark[3], "", word, reason))
            marker, fence = None, (mark[1], mark[2])
        elif note := MARKER.match(line):
            marker = (number, note[1].partition(":")[0], note[2] or "")
        elif line.strip() and marker:
            problems.append((marker[0], f"<!-- {marker[1]} --> does not stand before a block"))
            marker = None
    if fence:
        problems.append((found[-1].line - 1, "the block is never closed"))
    return found


def read(tree, findings):
    """All blocks that a test takes up, numbered within their document."""
    taken = []
    for name in documents(tree):
        problems, last, number = [], None, 0
        for block in blocks_of(name.as_posix(), tree.text(name), problems):
            at = block.line - 1
            if block.language in CPP_NAMES:
                problems.append((at, f"a block is called {block.language}; write cpp, so that it is compiled"))
            if block.marker == "not compiled" and not block.reason:
                problems.append((at, "<!-- not compiled --> needs a reason: <!-- not compiled: why -->"))
            if block.marker == "output":
                if last is None or last.output is not None or last.marker in ("fragment", "not compiled"):
                    problems.append((at, "<!-- output --> has no program or script before it that is run"))
                else:
                    last.output = block.text
            elif block.language == "cpp" or (block.language in ("sh", "bash") and block.marker == "run"):
                number += 1
                block.number, last = number, block
                if block.language == "cpp" and block.text.lstrip().startswith("// fragment"):
                    block.marker = "fragment"
                taken.append(block)
            elif block.marker in ("run", "fragment"):
                language = block.language or "no language"
                problems.append((at, f"<!-- {block.marker} --> does not fit a block of {language}"))
        findings += [Finding(name.as_posix(), line, NAME, message) for line, message in problems]
    return taken


def check(tree):
    findings = []
    read(tree, findings)
    return sorted(findings)


# ---- turning blocks into programs ------------------------------------------------------------------------------------
def program(block, umbrella):
    """The source of a block: as it is with a main of its own, else inside one; fragments inside a namespace."""
    place = f'#line {block.line} "{block.file}"\n'
    if MAIN.search(block.text) and block.marker != "fragment":
        return place + block.text
    lines = block.text.splitlines()
    includes = [line for line in lines if INCLUDE.match(line)]
    rest = "\n".join("" if INCLUDE.match(line) else line for line in lines)
    if not includes and umbrella:
        includes = ["#include <filch/filch.hpp>"]
    if block.marker == "fragment":
        opening = f"namespace {block.slug.lower()}_{block.number} {{"
    else:
        opening = "int main() {"
    return "\n".join([*includes, opening, place + rest, "}", ""])


def write_if_changed(path, text):
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def extract(tree, out):
    """Writes one source per block and blocks.cmake, which tells CMake of them."""
    out.mkdir(parents=True, exist_ok=True)
    umbrella = (tree.root / "include/filch/filch.hpp").exists()
    calls, written = [], {"blocks.cmake"}
    for block in read(tree, []):
        stem = f"{block.slug}_{block.number}"
        if block.marker == "not compiled":
            calls.append(f'filch_doc_listed({block.test} "{block.file}:{block.line}" [==[{block.reason}]==])')
            continue
        is_cpp = block.language == "cpp"
        source = stem + (".cpp" if is_cpp else ".sh")
        write_if_changed(out / source, program(block, umbrella) if is_cpp else "set -eu\n" + block.text)
        written.add(source)
        expected = "-"
        if block.output is not None:
            expected = stem + ".expected"
            write_if_changed(out / expected, block.output)
            written.add(expected)
        kind = ("fragment" if block.marker == "fragment" else "program") if is_cpp else "script"
        calls.append(f"filch_doc_{kind}({block.test} {source} {expected})")
    write_if_changed(out / "blocks.cmake", "".join(call + "\n" for call in calls))
    for old in out.iterdir():
        if old.is_file() and old.name not in written:
            old.unlink()


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Extracts the code blocks of the documents.")
    parser.add_argument("--root", default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--out", help="the folder for the programs and blocks.cmake")
    parser.add_argument("--list", action="store_true", help="list the blocks instead")
    options = parser.parse_args(arguments)
    tree = Tree(options.root)
    if options.list:
        for block in read(tree, []):
            what = f"not compiled: {block.reason}" if block.marker == "not compiled" else block.marker or "run"
            print(f"{block.file}:{block.line}: {block.test} {block.language} {what}")
    elif options.out:
        extract(tree, Path(options.out))
    else:
        parser.error("either --out DIR or --list is needed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
