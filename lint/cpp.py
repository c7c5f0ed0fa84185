"""A small reader of C++: tokens, comments and statements, as far as the lints need them.

It does not parse. It knows comments, literals, brackets and where a statement begins and ends, and it takes both sides
of every #if. That suffices for rules about single statements and their comments.
"""

import re
from bisect import bisect_right
from dataclasses import dataclass, field

TOKEN = re.compile(
    r"""(?P<space>[ \t\r\f\v]+|\\\n)
      | (?P<newline>\n)
      | (?P<line_comment>//(?:\\\n|[^\n])*)
      | (?P<block_comment>/\*.*?\*/)
      | (?P<raw>(?:u8|[uUL])?R"(?P<tag>[^()\\\s]{0,16})\(.*?\)(?P=tag)")
      | (?P<string>(?:u8|[uUL])?"(?:\\.|[^"\\\n])*")
      | (?P<number>\.?[0-9](?:'?[0-9A-Za-z_.]|(?<=[eEpP])[+-])*)
      | (?P<char>(?:u8|[uUL])?'(?:\\.|[^'\\\n])+')
      | (?P<id>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<punct>->\*?|::|\+\+|--|<=>|&&|\|\||[-+*/%&|^!=]=|==|\.\.\.|.)""",
    re.VERBOSE | re.DOTALL,
)
DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(?P<name>[a-z_]+)(?P<rest>(?:\\\n|//[^\n]*|/\*.*?\*/|[^\n])*)", re.DOTALL)
INCLUDE = re.compile(r"\s*[<\"]([^>\"]+)[>\"]")
OPENING = {"(": ")", "[": "]", "{": "}"}
ACCESS = {"public", "private", "protected", "case", "default"}
# A brace after one of these opens a block, whatever stands in it.
BLOCK_BEFORE = {"else", "do", "try", "const", "noexcept", "override", "final", "mutable", "extern", "constexpr",
                "&", "&&"}
TYPE_WORDS = {"namespace", "struct", "class", "union", "enum", "concept"}


@dataclass
class Token:
    kind: str
    text: str
    line: int
    statement: "Statement" = None


@dataclass
class Comment:
    """One comment as a reader sees it: adjacent comment lines are one. `lines` holds (line number, text)."""

    first: int
    last: int
    column: int
    trailing: bool
    lines: list

    @property
    def text(self):
        return " ".join(text.strip() for _, text in self.lines)


@dataclass
class Statement:
    block: int
    first: int = 0
    last: int = 0
    start: int = -1
    before: "Statement" = None


@dataclass
class Source:
    path: str
    text: str
    tokens: list = field(default_factory=list)
    comments: list = field(default_factory=list)
    includes: list = field(default_factory=list)  # (line, name, is_quoted)
    directives: list = field(default_factory=list)  # (line, name, rest)
    partner: dict = field(default_factory=dict)  # index of a bracket → index of the matching one

    def __post_init__(self):
        self._read()
        self._match_brackets()
        self._find_statements()
        self.trailing = {c.first: c for c in self.comments if c.trailing}
        self.above = {c.last + 1: c for c in self.comments if not c.trailing}
        self.code_lines = {t.line for t in self.tokens} | {line for line, _, _ in self.directives}

    # ---- reading -----------------------------------------------------------------------------------------------------
    def _read(self):
        text, at, starts = self.text, 0, [0]
        starts += [i + 1 for i, c in enumerate(text) if c == "\n"]
        at_line_start = True
        while at < len(text):
            if at_line_start and (found := DIRECTIVE.match(text, at)):
                self._directive(found, bisect_right(starts, at))
                at = found.end()
                at_line_start = False
                continue
            found = TOKEN.match(text, at)
            kind = found.lastgroup if found.lastgroup != "tag" else "raw"
            line = bisect_right(starts, at)
            if kind.endswith("comment"):
                self._comment(found.group(), line, at - starts[line - 1])
            elif kind == "newline":
                at_line_start = True
            elif kind != "space":
                self.tokens.append(Token("string" if kind == "raw" else kind, found.group(), line))
            if kind not in ("newline", "space") and not kind.endswith("comment"):
                at_line_start = False
            at = found.end()

    def _directive(self, found, line):
        name, rest = found["name"], found["rest"]
        if "//" in rest and name != "include":
            body, _, comment = rest.partition("//")
            self._comment("//" + comment, line, found.start("rest"), trailing=True)
            rest = body
        self.directives.append((line, name, rest))
        if name == "include" and (what := INCLUDE.match(rest)):
            self.includes.append((line, what[1], '"' in rest.split("//")[0]))

    def _comment(self, raw, line, column, trailing=None):
        if trailing is None:
            trailing = bool(self.tokens) and self.tokens[-1].line == line
        if raw.startswith("//"):
            lines = [(line + i, re.sub(r"^\s*//[/!]?<?", "", part)) for i, part in enumerate(raw.split("\n"))]
        else:
            body = raw[2:-2].split("\n")
            lines = [(line + i, re.sub(r"^\s*\*", "", part) if i else part) for i, part in enumerate(body)]
        last = self.comments[-1] if self.comments else None
        if last and not trailing and last.last == line - 1 and (not last.trailing or last.column == column):
            last.lines += lines
            last.last = lines[-1][0]
        else:
            self.comments.append(Comment(line, lines[-1][0], column, trailing, lines))

    # ---- structure ---------------------------------------------------------------------------------------------------
    def _match_brackets(self):
        stack = []
        for i, token in enumerate(self.tokens):
            if token.kind != "punct":
                continue
            if token.text in OPENING:
                stack.append(i)
            elif token.text in OPENING.values():
                while stack and OPENING[self.tokens[stack[-1]].text] != token.text:
                    stack.pop()
                if stack:
                    self.partner[i] = stack[-1]
                    self.partner[stack.pop()] = i

    def is_initializer(self, i, statement_start):
        """Whether the brace at token i encloses values rather than statements."""
        if i not in self.partner:
            return False
        before = self.tokens[i - 1] if i else None
        if before is None or before.text in BLOCK_BEFORE or before.text in (")", ";", "}", ":", "]"):
            return False
        if any(t.text in TYPE_WORDS for t in self.tokens[statement_start:i]) and before.text not in ("=", "(", ","):
            return False
        depth = 0
        for token in self.tokens[i + 1 : self.partner[i]]:
            if token.text in OPENING:
                depth += 1
            elif token.text in OPENING.values():
                depth -= 1
            elif token.text == ";" and depth == 0:
                return False
        return True

    def _find_statements(self):
        blocks = 0
        current = Statement(block=0)
        stack = []  # (bracket text, what to continue after it)
        for i, token in enumerate(self.tokens):
            text = token.text if token.kind == "punct" else ""
            if text in OPENING.values() and stack:
                opener, outer = stack.pop()
                if opener == "block":
                    inside_expression = bool(stack) and stack[-1][0] != "block"
                    current = outer if inside_expression else Statement(block=outer.block, before=outer)
                    self._extend(current, i, token, begin=inside_expression)
                else:
                    self._extend(current, i, token)
                continue
            self._extend(current, i, token)
            if text == "{" and not self.is_initializer(i, max(current.start, 0)):
                blocks += 1
                stack.append(("block", current))
                current = Statement(block=blocks)
            elif text in OPENING:
                stack.append((text, None))
            elif not stack or stack[-1][0] == "block":
                if text == ";" or (text == ":" and self.tokens[current.start].text in ACCESS):
                    current = Statement(block=current.block, before=current)

    @staticmethod
    def _extend(statement, i, token, begin=True):
        token.statement = statement
        if not begin:  # a closing brace belongs to the header of its block, which it does not lengthen
            token.statement = statement.before
            return
        if statement.start < 0:
            statement.start, statement.first = i, token.line
        statement.last = token.line

    # ---- questions ---------------------------------------------------------------------------------------------------
    def callee(self, i):
        """The index of the name called by the '(' at token i, or None. Skips one list of template arguments."""
        i -= 1
        if i >= 0 and self.tokens[i].text == ">":
            depth = 0
            while i >= 0:
                depth += {">": 1, "<": -1}.get(self.tokens[i].text, 0)
                i -= 1
                if depth == 0:
                    break
        return i if i >= 0 and self.tokens[i].kind == "id" else None

    def expression_start(self, i):
        """The first token of the postfix expression whose last name is token i: `a.b[c]->name` starts at a."""
        while i > 0:
            before = self.tokens[i - 1].text
            if before not in (".", "->", "::"):
                return i
            i -= 1
            if before == "::" and self.tokens[i - 1].kind != "id" and self.tokens[i - 1].text != ">":
                return i
            i -= 1
            while i > 0 and self.tokens[i].text in (")", "]") and i in self.partner:
                i = self.partner[i] - 1
            if self.tokens[i].text == "template":
                i -= 1
            if self.tokens[i].kind != "id":
                return i + 1
        return i

    def comments_for(self, statement, first_line, last_line):
        """The comments that speak about an operation on the given lines of a statement, nearest first."""
        found = [self.trailing[line] for line in range(first_line, last_line + 1) if line in self.trailing]
        for line in (first_line, statement.first):
            if line in self.above and self.above[line] not in found:
                found.append(self.above[line])
        if statement.last in self.trailing and self.trailing[statement.last] not in found:
            found.append(self.trailing[statement.last])
        return found


def read(path):
    with open(path, encoding="utf-8") as file:
        return Source(str(path), file.read())
