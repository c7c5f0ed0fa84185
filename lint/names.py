"""What documents and comments name in backticks exists.

A name in backticks is a path of the repository, an identifier that occurs in code (not merely in a comment), an option
that some code mentions, a word of C++ or std, or stands in names_allow.txt with a reason. Fenced code blocks are left
to the lint `docs`; documents about the past (decisions, investigations, the changelog) may name what is gone.
"""

import re
from pathlib import Path, PurePosixPath

from tree import CPP, Finding

NAME = "names"

CODE_ROOTS = {"include", "src", "tests", "tools", "bench", "examples", "lint", "cmake", "scenarios", "viewer",
              "CMakeLists.txt", "CMakePresets.json", "filch", ".ci"}
PAST = ("docs/decisions/", "docs/investigations/", "CHANGELOG")
CPP_WORDS = set("""
alignas alignof and asm auto bool break case catch char char8_t char16_t char32_t class concept const consteval
constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double dynamic_cast else
enum explicit export extern false final float for friend goto if import inline int long module mutable namespace new
noexcept not nullptr operator or override private protected public register reinterpret_cast requires return short
signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid
typename union unsigned using virtual void volatile wchar_t while xor include pragma define ifdef ifndef endif nodiscard
noreturn maybe_unused likely unlikely fallthrough deprecated no_unique_address
memory_order_relaxed memory_order_consume memory_order_acquire memory_order_release memory_order_acq_rel
memory_order_seq_cst relaxed consume acquire release acq_rel seq_cst
main size_t ptrdiff_t nullptr_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t int64_t vector string
unique_ptr shared_ptr optional variant exception bad_alloc
""".split())
QUOTED = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
OPTION = re.compile(r"--?[A-Za-z][A-Za-z0-9-]*")
IDENTIFIER = re.compile(r"^[*&~!.]*[A-Za-z_][\w]*(?:(?:::|\.|->)~?[A-Za-z_]\w*)*(?:<[^()]*>)?(?:\(.*\))?[*&]*(?:…)?$")
PATH = re.compile(r"^\.{0,2}/?[\w.@+-]+(?:/[\w.@+-]+)*/?(?::\d+)?$")
PLACEHOLDER = set("<>{}*…$|")
FILE_SUFFIXES = (".hpp", ".cpp", ".h", ".cc", ".md", ".py", ".txt", ".cmake", ".json", ".sh", ".toml", ".html", ".css",
                 ".js", ".yml", ".yaml", ".out", ".csv")


def read_allowed(folder):
    """names_allow.txt: one name and its reason per line."""
    allowed, problems = set(), []
    path = folder / "names_allow.txt"
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines() if path.exists() else [], 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, _, reason = line.strip().partition(" ")
        if not reason.strip():
            problems.append(Finding("lint/names_allow.txt", number, NAME, f"{name} is allowed without a reason"))
        allowed.add(name)
    return allowed, problems


class Vocabulary:
    """All words and options of the code, comments left out, and all paths of the tree."""

    def __init__(self, tree):
        self.words, self.options = set(), set()
        self.allowed, self.problems = read_allowed(tree.root / "lint")
        self.paths = {name.as_posix() for name in tree.files}
        self.paths |= {parent.as_posix() for name in tree.files for parent in name.parents}
        self.base_names = {PurePosixPath(path).name for path in self.paths}
        for name in tree.files:
            if name.parts[0] in CODE_ROOTS and name.suffix != ".md" and name.name != "names_allow.txt":
                self.add(tree, name)

    def add(self, tree, name):
        if name.suffix in CPP:
            source = tree.source(name)
            text = "\n".join(t.text for t in source.tokens)
            text += "\n".join(f"\n{directive} {rest}" for _, directive, rest in source.directives)
        else:
            text = re.sub(r"(?m)(?:^|\s)#.*$", "", tree.text(name))
        self.words.update(WORD.findall(text))
        self.options.update(OPTION.findall(text))

    def has_path(self, text, folder):
        text = re.sub(r":\d+$", "", text).rstrip("/")
        text = text[2:] if text.startswith("./") else text
        near = PurePosixPath(folder)
        return any(str(candidate) in self.paths for candidate in (
            PurePosixPath(text), near / text, PurePosixPath("include") / text, PurePosixPath("include/filch") / text,
            PurePosixPath("src") / text, PurePosixPath("tests") / text, PurePosixPath("docs") / text))

    def has_word(self, word):
        return word in self.words or word in CPP_WORDS or word in self.allowed

    def missing(self, quoted, folder):
        """What the quoted text names that does not exist; empty when all is well."""
        text = quoted.strip()
        if not text or text in self.allowed or text in CPP_WORDS or self.has_path(text, folder):
            return []
        if " " in text:
            return self.missing_in_phrase(text)
        if text.startswith("-") and OPTION.match(text):
            option = OPTION.match(text)[0]
            return [] if option in self.options or option in self.allowed else [option]
        if text.endswith(FILE_SUFFIXES) or ("/" in text and PATH.match(text)):
            if PLACEHOLDER & set(text) or not PATH.match(text) or ("/" not in text and text in self.base_names):
                return []
            return [text]
        if not IDENTIFIER.match(text) or text.startswith("std::"):
            return []
        name = re.sub(r"\(.*\)|<[^()]*>", "", text).strip("*&~!.…")
        last = re.split(r"::|\.|->", name)[-1].lstrip("~")
        return [] if self.has_word(last) else [last]

    def missing_in_phrase(self, text):
        """A phrase is code or a command: only what looks like a name of ours is looked up."""
        text = re.sub(r"std::\w+(?:::\w+)*|\"[^\"]*\"", " ", text)
        names = [m[0] for m in re.finditer(r"\b[A-Za-z]\w*_\w+\b|\b[A-Za-z]\w+(?=\()", text)]
        return [name for name in names if not self.has_word(name)]


def quoted_in_markdown(text):
    """(line, quoted text) outside fenced blocks and HTML comments."""
    fence = None
    for number, line in enumerate(text.splitlines(), 1):
        if mark := re.match(r"\s*(```+|~~~+)", line):
            if fence is None:
                fence = mark[1]
            elif line.strip().startswith(fence) and line.strip().strip(fence[0]) == "":
                fence = None
            continue
        if fence is None:
            yield from ((number, m[2]) for m in QUOTED.finditer(re.sub(r"<!--.*?-->", "", line)))


def quoted_in_comments(source):
    for comment in source.comments:
        for number, text in comment.lines:
            yield from ((number, m[2]) for m in QUOTED.finditer(text))


def check(tree):
    vocabulary = Vocabulary(tree)
    findings = list(vocabulary.problems)
    for name in tree.files:
        path = name.as_posix()
        if name.suffix == ".md" and not path.startswith(PAST):
            found = quoted_in_markdown(tree.text(name))
        elif name.suffix in CPP and name.parts[0] in CODE_ROOTS:
            found = quoted_in_comments(tree.source(name))
        else:
            continue
        for line, quoted in found:
            for missing in vocabulary.missing(quoted, Path(name).parent.as_posix()):
                findings.append(Finding(path, line, NAME, f"`{quoted}` names {missing}, which no code contains"))
    return sorted(findings)
