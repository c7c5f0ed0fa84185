"""One word for one thing, and the field's word where there is one.

Three rules, for include and src: a word that names of many files are made of is common (lint/common_words.txt) or in
docs/architecture/glossary.md; a word that was replaced does not come back, in names of files, identifiers and comments;
and sentences have nouns as their subjects, in comments and in docs. Folders and documents that are not there yet are
exempt by name; one in which nothing is left to find is deleted from the list.

`lint/glossary.py --count` says how much there is in each that is exempt, `--words` prints the words of the names.
"""

import argparse
import re
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from tree import Finding, Tree, layer_of

NAME = "glossary"

GLOSSARY = "docs/architecture/glossary.md"
COMMON = "lint/common_words.txt"
LIST = "lint/glossary.py"
# A word that fewer files use rules nothing; its own file explains it.
FEWEST_FILES = 3

# A word that does not come back, and what stands in its place.
FORBIDDEN = {
    "alarm": "fork limit, slow path",
    "beat": "heartbeat",
    "calm": "clear requests",
    "desk": "share point",
    "gate": "join counter",
    "guest": "external thread",
    "hall": "external threads",
    "lane": "ready list",
    "lookout": "monitor thread",
    "loot": "stolen batch",
    "noted": "recorded",
    "owe": "defer",
    "pay": "flush what was deferred",
    "press": "interrupt",
    "ripe": "aged",
    "seat": "slot",
    "strand": "run of siblings",
    "tally": "counters",
    "unripe": "not aged",
    "wary": "throttled",
    "watch": "join limit",
}
# Words that only these layers may not use; elsewhere they are the field's.
ONLY_IN = {
    "lane": {"runtime", "share", "stack", "fork", "coro", "sync", "time"},
    "strand": {"runtime", "share", "stack"},
}
EXEMPT_UNTIL_RENAMED = {
    "algo", "runtime", "share", "sim", "trace",
}

# What a sentence says instead: which thread, task or caller it is, "is ready" or "resumes", "N".
IDIOMS = {
    r"\bwho\s+(?:asks|owes|lingers|waits|offers|holds|visits)\b": "name the thread or the task",
    r"\bwhoever\b": "name the thread or the task",
    r"\bsomebody\b": "name the thread or the task",
    r"\bone\s+who\b": "name the thread or the task",
    r"\bmay\s+go\s+on\b": "is ready, or resumes",
    # Not "there are so many", "so many that …".
    r"(?<!are\s)(?<!why\s)(?<!not\s)\bso[\s-]man(?:y|ieth)\b(?![^.;:]*\bthat\b)": "N, or the number's name",
}
IDIOM = re.compile("|".join(f"({pattern})" for pattern in IDIOMS), re.IGNORECASE)
# Layers, and documents by their path.
EXEMPT_UNTIL_REWRITTEN = {
    "algo", "base", "bridge", "policy", "sim", "topology",
    "docs/architecture/verification.md",
    "docs/decisions/0004-idle-protocol.md",
    "docs/decisions/0007-latent-frames.md",
    "docs/decisions/0009-lazy-splitting.md",
    "docs/decisions/0011-timers.md",
    "docs/decisions/0012-coroutine-forks.md",
    "docs/decisions/0014-ready-coroutines-stay-private.md",
    "docs/decisions/0015-lingering.md",
    "docs/decisions/0016-workers-keep-apart.md",
    "docs/decisions/0017-joins-answer.md",
    "docs/decisions/0018-tiny-children.md",
    "docs/decisions/0020-visits.md",
    "docs/decisions/0023-range-frames.md",
}

PART = re.compile(r"[A-Z]{2,}(?![a-z])|[A-Z]?[a-z]+")
PROSE_WORD = re.compile(r"[A-Za-z]+")
TYPE_WORDS = {"class", "struct", "union", "enum", "concept", "namespace"}
NO_TYPE = {"return", "co_return", "co_await", "co_yield", "throw", "else", "new", "delete", "case", "goto", "not"}


# ---- words -----------------------------------------------------------------------------------------------------------
def parts_of(name):
    """The words that a name is made of: `k_idleNow` → k, idle, now."""
    return [part.lower() for part in PART.findall(name)]


def bases(word):
    """The word and what it may be a form of: `unclaimed` → claim, `pinned` → pin, `parties` → party."""
    found = {word}
    if word.startswith("un") and len(word) > 4:
        found.add(word[2:])
    for form in list(found):
        for ending, instead in (("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ied", "y"), ("ing", ""),
                                ("ing", "e"), ("ly", "")):
            if form.endswith(ending) and len(form) - len(ending) >= 2:
                base = form[: -len(ending)] + instead
                found.add(base)
                if ending in ("ed", "ing") and not instead and len(base) > 2 and base[-1] == base[-2]:
                    found.add(base[:-1])
    return found


@dataclass
class Word:
    names: set = field(default_factory=set)
    files: set = field(default_factory=set)
    uses: int = 0
    defined_at: tuple = None  # (file, line) of the first type, file or function whose name contains it


def is_defined(tokens, i):
    """Whether the name at token i is that of a type, or of a function that is declared here."""
    before = tokens[i - 1] if i else None
    after = tokens[i + 1].text if i + 1 < len(tokens) else ""
    if before is None:
        return False
    if before.text in TYPE_WORDS or before.text == "using" and after == "=":
        return True
    is_after_type = before.text in ("*", "&", ">", "]") or before.kind == "id" and before.text not in NO_TYPE
    return after == "(" and is_after_type


def vocabulary(tree):
    """All words of identifiers and file names of the layers: word → Word."""
    words = defaultdict(Word)

    def add(name, file, line, defined):
        for part in set(parts_of(name)):
            word = words[part]
            word.names.add(name)
            word.files.add(file)
            word.uses += 1
            if defined and word.defined_at is None:
                word.defined_at = (file, line)

    for name in tree.under("include", "src"):
        file, tokens = name.as_posix(), tree.source(name).tokens
        add(name.stem, file, 1, True)
        for i, token in enumerate(tokens):
            if token.kind == "id":
                add(token.text, file, token.line, is_defined(tokens, i))
    return words


def common_words(tree):
    path = tree.root / COMMON
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return {word for line in lines if not line.startswith("#") for word in line.split()}


def glossary_words(tree):
    """The words of the first columns of its tables, and those in italics."""
    path = tree.root / GLOSSARY
    if not path.is_file():
        return set()
    found = set()
    for line in path.read_text(encoding="utf-8").splitlines():
        texts = re.findall(r"(?<!\*)\*([^*]+)\*(?!\*)", line)
        if line.startswith("|"):
            texts.append(line.split("|")[1])
        found.update(word.lower() for text in texts for word in PROSE_WORD.findall(text))
    return found


def rules(text, word):
    """Whether it is a word, of names that are defined here, and many files use it."""
    return len(text) > 1 and word.defined_at is not None and len(word.files) >= FEWEST_FILES


def coined(tree):
    """Words that names are made of in many files, and that nothing explains."""
    known = common_words(tree) | glossary_words(tree) | set(FORBIDDEN)
    return {text: word for text, word in vocabulary(tree).items()
            if rules(text, word) and not bases(text) & known}


def check_words(tree):
    for text, word in sorted(coined(tree).items()):
        names = sorted(word.names, key=lambda name: (len(name), name))[:3]
        yield Finding(*word.defined_at, NAME, f"the word {text} stands in names of {len(word.files)} files "
                      f"({word.uses} times, in {', '.join(names)}): take the field's word, or explain it in "
                      f"{GLOSSARY}; a common one goes into {COMMON}")


# ---- words that were replaced ----------------------------------------------------------------------------------------
def forbidden_in(word, layer):
    """What is forbidden about the word in a layer, or None."""
    found = bases(word) & FORBIDDEN.keys()
    return next((base for base in sorted(found) if layer in ONLY_IN.get(base, {layer})), None)


def forbidden_uses(tree):
    """(folder, finding) of each use."""
    for name in tree.under("include", "src"):
        layer, file, source = layer_of(name) or name.parts[0], name.as_posix(), tree.source(name)
        said = [(1, part, f"the file's name {name.name}") for part in parts_of(name.stem)]
        said += [(t.line, part, t.text) for t in source.tokens if t.kind == "id" for part in parts_of(t.text)]
        said += [(line, word.lower(), f"\"{word}\"") for comment in source.comments for line, text in comment.lines
                 for word in PROSE_WORD.findall(text)]
        for line, word, where in said:
            base = forbidden_in(word, layer)
            if base is not None:
                yield layer, Finding(file, line, NAME, f"{where}: not {word} but {FORBIDDEN[base]}")


# ---- sentences -------------------------------------------------------------------------------------------------------
def prose_of_document(text):
    """The text with blocks of code blanked, line for line."""
    fence, lines = None, []
    for line in text.split("\n"):
        mark = re.match(r"\s*(```+|~~~+)", line)
        lines.append("" if mark or fence else line)
        if mark:
            fence = None if fence else mark[1]
    return "\n".join(lines)


def idioms_in(text, first):
    """(line, what it says, what to write) of each; a sentence may go over several lines."""
    for found in IDIOM.finditer(text):
        advice = list(IDIOMS.values())[found.lastindex - 1]
        yield first + text.count("\n", 0, found.start()), re.sub(r"\s+", " ", found[0]), advice


def idiom_uses(tree):
    """(folder or document, finding) of each use."""
    for name in tree.under("include", "src"):
        for comment in tree.source(name).comments:
            numbers = [number for number, _ in comment.lines]
            for line, said, advice in idioms_in("\n".join(text for _, text in comment.lines), 0):
                yield layer_of(name) or name.parts[0], Finding(name.as_posix(), numbers[line], NAME,
                                                               f"\"{said}\": {advice}")
    for name in tree.under("docs", suffixes={".md"}):
        for line, said, advice in idioms_in(prose_of_document(tree.text(name)), 1):
            yield name.as_posix(), Finding(name.as_posix(), line, NAME, f"\"{said}\": {advice}")


# ---- all -------------------------------------------------------------------------------------------------------------
def line_of_entry(tree, entry):
    lines = tree.text(LIST).splitlines() if (tree.root / LIST).is_file() else []
    return next((i for i, line in enumerate(lines, 1) if f'"{entry}"' in line), 1)


def unless_exempt(tree, uses, exempt, list_name):
    left = set()
    for place, finding in uses:
        left.add(place)
        if place not in exempt:
            yield finding
    for place in sorted(exempt - left):
        yield Finding(LIST, line_of_entry(tree, place), NAME, f"{place} holds none of it any more: delete it from "
                                                              f"{list_name}")


def check(tree, renamed=None, rewritten=None):
    # The lists speak of the tree that holds them.
    own = (tree.root / LIST).is_file()
    renamed = (EXEMPT_UNTIL_RENAMED if own else set()) if renamed is None else renamed
    rewritten = (EXEMPT_UNTIL_REWRITTEN if own else set()) if rewritten is None else rewritten
    return sorted({*check_words(tree),
                   *unless_exempt(tree, forbidden_uses(tree), renamed, "EXEMPT_UNTIL_RENAMED"),
                   *unless_exempt(tree, idiom_uses(tree), rewritten, "EXEMPT_UNTIL_REWRITTEN")})


def counts(uses):
    """place → {what: how often}, the place with most first."""
    found = defaultdict(lambda: defaultdict(int))
    for place, finding in uses:
        found[place][finding.message] += 1
    return sorted(found.items(), key=lambda item: (-sum(item[1].values()), item[0]))


def print_counts(tree):
    for title, uses, exempt in (("words to be renamed", forbidden_uses(tree), EXEMPT_UNTIL_RENAMED),
                                ("sentences to be rewritten", idiom_uses(tree), EXEMPT_UNTIL_REWRITTEN)):
        print(f"{title}:")
        for place, said in counts(uses):
            by_word = defaultdict(int)
            for message, count in said.items():
                word = re.search(r"not (\w+) but|\"(.*?)\"", message)
                by_word[(word[1] or word[2]).lower()] += count
            most = sorted(by_word.items(), key=lambda item: (-item[1], item[0]))[:8]
            print(f"  {sum(said.values()):5} {place}{'' if place in exempt else ' (not exempt)'}: "
                  f"{', '.join(f'{word} {count}' for word, count in most)}")


def print_words(tree):
    common, explained = common_words(tree), glossary_words(tree)
    for text, word in sorted(vocabulary(tree).items(), key=lambda item: (-len(item[1].files), item[0])):
        if rules(text, word):
            what = ("forbidden" if bases(text) & FORBIDDEN.keys() else "in the glossary" if bases(text) & explained
                    else "common" if bases(text) & common else "coined")
            print(f"{len(word.files):4} files {word.uses:6} times  {text}: {what}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--count", action="store_true", help="what is left in each folder and document")
    parser.add_argument("--words", action="store_true", help="the words that names are made of")
    options = parser.parse_args(arguments)
    tree = Tree(options.root)
    if options.count:
        print_counts(tree)
    if options.words:
        print_words(tree)
    if options.count or options.words:
        return 0
    findings = check(tree)
    print("\n".join(map(str, findings)), end="\n" if findings else "")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
