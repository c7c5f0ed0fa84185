"""Which classes a file defines, and what their members are. Like cpp.py this reads and does not parse: it suffices for
declarations as clang-format leaves them."""

from dataclasses import dataclass, field

CLASS_WORDS = {"class", "struct", "union"}
# A parenthesis after one of these is not a list of parameters.
NO_CALLEE = {"requires", "noexcept", "alignas", "decltype", "explicit", "sizeof", "throw", "if", "__attribute__"}
IGNORED = {"using", "typedef", "friend", "static_assert"}
ACCESS = {"public", "private", "protected"}


@dataclass
class Class:
    name: str  # with the classes around it: outer::inner
    line: int
    functions: list = field(default_factory=list)  # names, an overload each
    data: list = field(default_factory=list)  # names

    @property
    def members(self):
        return len(self.functions) + len(self.data)


def skip_angles(tokens, i):
    """The index after the `<…>` that begins at i."""
    depth = 0
    while i < len(tokens):
        depth += {"<": 1, ">": -1}.get(tokens[i].text, 0)
        i += 1
        if depth == 0:
            return i
    return i


def head_of(source, i, end):
    """For `class` at token i: (last part of the name, index of its body's brace), or None where no body follows."""
    tokens, name = source.tokens, ""
    k = i + 1
    while k < end:
        text = tokens[k].text
        if text == "{":
            return name, k
        if text == ":":  # bases, up to the body
            while k < end and tokens[k].text not in ("{", ";"):
                k += 1
            continue
        if text in (";", ")", ",", ">", "=", "*", "&", "("):
            return None
        if text == "[" and k in source.partner:
            k = source.partner[k] + 1
        elif text == "alignas" and k + 1 in source.partner:
            k = source.partner[k + 1] + 1
        elif text == "<":
            k = skip_angles(tokens, k)
        else:
            if tokens[k].kind == "id" and text != "final":
                name = text
            k += 1
    return None


def without_head(source, declaration):
    """The declaration's token indices without template parameters, attributes and a leading requires clause."""
    tokens, at = source.tokens, 0
    while at < len(declaration):
        text = tokens[declaration[at]].text
        if text == "template" and at + 1 < len(declaration) and tokens[declaration[at + 1]].text == "<":
            depth = 0
            for at in range(at + 1, len(declaration)):
                depth += {"<": 1, ">": -1}.get(tokens[declaration[at]].text, 0)
                if depth == 0:
                    break
            at += 1
        elif text == "[" and declaration[at] in source.partner:
            close = source.partner[declaration[at]]
            at = declaration.index(close) + 1
        elif text == "requires" and at + 1 < len(declaration) and tokens[declaration[at + 1]].text == "(":
            at = declaration.index(source.partner[declaration[at + 1]]) + 1
        else:
            break
    return declaration[at:]


def parameters_of(source, declaration):
    """(callee's token index, index into the declaration) of the list of parameters, or None for no function."""
    tokens, angles, k = source.tokens, 0, 0
    while k < len(declaration):
        i = declaration[k]
        text = tokens[i].text
        if text == "operator":
            opening = k + 1
            if tokens[declaration[k + 1]].text == "(":  # operator()
                opening = k + 3
            while opening < len(declaration) and tokens[declaration[opening]].text != "(":
                opening += 1
            return (i, opening) if opening < len(declaration) else None
        if text == "<" and k and tokens[declaration[k - 1]].kind == "id":
            angles += 1
        elif text == ">" and angles:
            angles -= 1
        elif text in ("=", "{") and angles == 0:
            return None
        elif text == "(" and i in source.partner:
            before = tokens[declaration[k - 1]] if k else None
            after = tokens[i + 1].text
            if angles == 0 and before is not None and before.kind == "id" and before.text not in NO_CALLEE:
                if after in ("*", "&"):  # a pointer to a function
                    return None
                return declaration[k - 1], k
            while k + 1 < len(declaration) and declaration[k] < source.partner[i]:
                k += 1
        k += 1
    return None


def data_names(source, declaration):
    """The names of the variables of one declaration, which may have several."""
    tokens, names, last, angles, skipped_until, initial = source.tokens, [], None, 0, -1, False
    for i in declaration:
        text = tokens[i].text
        if i <= skipped_until:
            continue
        if text in "([{" and i in source.partner:
            if text == "(" and tokens[i + 1].text in ("*", "&") and tokens[i + 2].kind == "id" and not initial:
                last = tokens[i + 2].text
            skipped_until = source.partner[i]
            initial = initial or text == "{"
        elif text == "<" and tokens[i - 1].kind == "id" and not initial:
            angles += 1
        elif text == ">" and angles:
            angles -= 1
        elif angles == 0:
            if text == ",":
                names.append(last)
                initial = False
            elif text in ("=", ":"):
                initial = True
            elif tokens[i].kind == "id" and not initial:
                last = text
    return [name for name in [*names, last] if name is not None]


class Reader:
    def __init__(self, source):
        self.source = source
        self.classes = []

    def read_range(self, begin, end, outer):
        """Finds classes among the tokens between the two indices, bodies of functions included."""
        i = begin
        while i < end:
            token = self.source.tokens[i]
            if token.text in CLASS_WORDS and not (i and self.source.tokens[i - 1].text == "enum"):
                head = head_of(self.source, i, end)
                if head is not None and head[1] in self.source.partner:
                    self.read_class(i, *head, outer)
                    i = self.source.partner[head[1]]
            i += 1

    def read_class(self, i, name, opening, outer):
        name = "::".join([*outer, name or "(unnamed)"])
        found = Class(name, self.source.tokens[i].line)
        self.classes.append(found)
        for declaration, ending in self.declarations(opening, self.source.partner[opening]):
            self.classify(found, declaration, ending, name.split("::"))

    def declarations(self, opening, closing):
        """(token indices, what ends it: `;` or `}`) of each declaration of a class body."""
        tokens, partner = self.source.tokens, self.source.partner
        current, i = [], opening + 1
        while i < closing:
            text = tokens[i].text
            if text in ACCESS and not current and tokens[i + 1].text == ":":
                i += 2
                continue
            if text == ";":
                if current:
                    yield current, ";"
                current = []
            elif text in "([{" and i in partner:
                current += range(i, partner[i] + 1)
                is_body = text == "{" and self.opens_body(current[: current.index(i)])
                i = partner[i]
                if is_body and tokens[i + 1].text != ";" and self.ends_with_body(current):
                    yield current, "}"
                    current = []
            else:
                current.append(i)
            i += 1

    def ends_with_body(self, declaration):
        """A class with a body may be followed by a variable's name; a function is not."""
        rest = without_head(self.source, declaration)
        words = {self.source.tokens[i].text for i in rest[:2]}
        return not words & (CLASS_WORDS | {"enum"})

    def opens_body(self, before):
        """Whether a brace after these tokens is the body of a function or class, not an initializer."""
        tokens = self.source.tokens
        rest = without_head(self.source, before)
        if not rest:
            return True
        if tokens[rest[0]].text in CLASS_WORDS | {"enum"}:
            return True
        found = parameters_of(self.source, rest)
        if found is None:
            return False
        tail = rest[rest.index(self.source.partner[rest[found[1]]]) + 1 :]
        colon = next((k for k, i in enumerate(tail) if tokens[i].text == ":"), None)
        if colon is None:
            return True
        return tokens[tail[-1]].text in (")", "}")  # after the last initializer of a constructor

    def classify(self, found, declaration, ending, outer):
        tokens = self.source.tokens
        rest = without_head(self.source, declaration)
        if not rest or tokens[rest[0]].text in IGNORED:
            return
        words = [tokens[i].text for i in rest]
        if words[0] in CLASS_WORDS | {"enum"}:
            self.nested(found, rest, words, outer)
            return
        parameters = parameters_of(self.source, rest)
        if parameters is None:
            found.data += data_names(self.source, rest)
        else:
            self.function(found, rest, words, parameters, ending, outer[-1])
            self.read_range(rest[parameters[1]], rest[-1], [*outer, "(function)"])

    def nested(self, found, rest, words, outer):
        head = head_of(self.source, rest[0], rest[-1] + 1) if words[0] != "enum" else None
        if head is not None and head[1] in self.source.partner:
            self.read_class(rest[0], *head, outer)
            after = [i for i in rest if i > self.source.partner[head[1]]]
            found.data += data_names(self.source, after)
        elif words[0] != "enum" and "{" not in words and len(rest) > 2:  # `struct node* next_;`
            found.data += data_names(self.source, rest)

    def function(self, found, rest, words, parameters, ending, own_name):
        callee, opening = parameters
        tokens = self.source.tokens
        name = tokens[callee].text
        if name == "operator":
            name += "".join(tokens[i].text for i in rest[rest.index(callee) + 1 : opening])
        is_replaced = ending == ";" and words[-2:-1] == ["="] and words[-1] in ("default", "delete")
        if name != own_name and not is_replaced:  # a destructor has the name of its class, too
            found.functions.append(name)


def classes_of(source):
    """All classes with a body, those in classes and functions too, in the order of their lines."""
    reader = Reader(source)
    reader.read_range(0, len(source.tokens), [])
    return sorted(reader.classes, key=lambda c: c.line)
