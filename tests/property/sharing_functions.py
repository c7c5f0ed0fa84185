"""Every function that may run in parallel has a row in the table of sharing_test.cpp, which calls it.

`sharing_functions.py SOURCE_DIR` compares the functions and function objects that the headers of the layers algo and
fork declare for users with the rows, and exits 1 with one line for each that is missing, that no header declares, or
that its row does not call.
"""

import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lint"))
import cpp

TABLE = "tests/property/sharing_test.cpp"
ROW = "row"
# Functions that share no work themselves.
LEFT_OUT = {
    "serial": "makes a stage of a pipeline",
    "parallel": "makes a stage of a pipeline",
    "run_scope": "is what scope() calls",
}
NOT_NAMES = {"requires", "decltype", "sizeof", "alignof", "noexcept", "explicit", "alignas"}
NO_FUNCTION = {"class", "struct", "union", "enum", "concept", "using", "static_assert", "typedef", "extern"}
NO_OBJECT = {"bool", "char", "int", "unsigned", "long", "short", "double", "float", "size_t", "ptrdiff_t", "uint32_t",
             "uint64_t", "int32_t", "int64_t"}
PAIRS = {"(": ")", "[": "]", "{": "}"}


class Header:
    """Goes through a header, and collects what it declares in namespaces of filch that are for users."""

    def __init__(self, text):
        self.tokens = [token.text for token in cpp.Source("header", text).tokens]
        self.at = 0
        self.names = set()
        self.namespaces = []

    def group_end(self, at):
        """Behind the bracket that closes the one at `at`."""
        opening, depth = self.tokens[at], 0
        for place in range(at, len(self.tokens)):
            if self.tokens[place] == opening:
                depth += 1
            elif self.tokens[place] == PAIRS[opening]:
                depth -= 1
                if depth == 0:
                    return place + 1
        raise ValueError(f"no {PAIRS[opening]} for the {opening} in: {' '.join(self.tokens[at:at + 12])}")

    def skip_parameters(self):
        """Of a template."""
        self.at += 1
        depth = 0
        while True:
            token = self.tokens[self.at]
            if token in PAIRS:
                self.at = self.group_end(self.at)
                continue
            depth += token == "<"
            depth -= token.count(">") if set(token) == {">"} else 0
            self.at += 1
            if depth == 0:
                return

    def declared(self):
        while self.at < len(self.tokens):
            token = self.tokens[self.at]
            if token == "namespace" or (token == "inline" and self.tokens[self.at + 1] == "namespace"):
                self.enter_namespace()
            elif token == "}":
                self.namespaces.pop()
                self.at += 1
            else:
                self.declaration()
        return self.names

    def enter_namespace(self):
        begin = self.at
        while self.tokens[self.at] not in ("{", ";", "="):
            self.at += 1
        parts = [token for token in self.tokens[begin:self.at] if token not in ("inline", "namespace", "::")]
        if self.tokens[self.at] != "{":  # an alias
            self.at = self.tokens.index(";", self.at) + 1
            return
        path = [part for names in self.namespaces for part in names] + parts
        if path[:1] == ["filch"] and parts and "detail" not in parts:
            self.namespaces.append(parts)
            self.at += 1
        else:
            self.at = self.group_end(self.at)

    def declaration(self):
        """Up to a semicolon, or behind the body."""
        tokens, begin = self.tokens, self.at
        name, is_declared = None, True
        while self.at < len(tokens) and tokens[self.at] != ";":
            token = tokens[self.at]
            if token == "template" and tokens[self.at + 1] == "<":
                self.skip_parameters()
                continue
            if token in NO_FUNCTION and name is None:
                is_declared = False
            before = tokens[self.at - 1]
            is_name = before.isidentifier() and before not in NOT_NAMES
            if token in ("=", "{") and name is None and is_name and "constexpr" in tokens[begin:self.at]:
                if is_declared and not before.startswith("k_") and not NO_OBJECT & set(tokens[begin:self.at]):
                    self.names.add(before)
                is_declared = False
            if token == "(" and name is None and is_name:
                name = before
            if token == "}":  # of the namespace
                break
            if token in PAIRS:
                self.at = self.group_end(self.at)
                if token == "{" and name is not None and is_declared:
                    break
            else:
                self.at += 1
        if name is not None and is_declared:
            self.names.add(name)
        if self.at < len(tokens) and tokens[self.at] == ";":
            self.at += 1


def declared(text):
    """The functions and function objects that a header declares for users."""
    return Header(text).declared()


def rows(text):
    """The names in `{"name", …` of the table, and those of them whose row has no call of filch::name."""
    tokens = [token.text for token in cpp.Source("table", text).tokens]
    begin = tokens.index("functions")
    assert tokens[begin - 1] == ">" and tokens[begin - 2] == ROW, "the table is not where it was"
    found, without_call, depth = set(), set(), 0
    for i in range(begin + 1, len(tokens)):
        if tokens[i] == "{":
            depth += 1
            if depth == 2:
                row = i
        elif tokens[i] == "}":
            depth -= 1
            if depth == 1:
                name = tokens[row + 1].strip('"')
                found.add(name)
                calls = [tokens[at:at + 4] for at in range(row, i)]
                if ["filch", "::", name, "("] not in calls:
                    without_call.add(name)
            if depth == 0:
                break
    return found, without_call


def check_itself():
    header = """namespace filch::inline v0 {
    namespace detail { template <class F> void hidden(F f) { f(); } inline constexpr hider hides{}; }
    namespace algo::detail { void hidden_too(); }
    template <class T> concept some = requires(T t) { t(); };
    template <class T, class U = std::less<std::vector<T>>>
      requires(sizeof(T) > 1) && some<T>
    [[nodiscard]] std::pair<T, U> first(T one, U other = {}) { return inner(one); }
    class handle { void member() { outer(); } };
    void second(int count);
    template <class T>
    auto third(T t) -> decltype(t()) { return t(); }
    inline constexpr int k_few = 3;
    template <class T>
    inline constexpr bool is_some = requires(T t) { t(); };
    inline constexpr auto fourth = [](auto x) { return inner(x); };
    inline constexpr fifth_function fifth{};
    namespace views { void sixth(); }
    }
    namespace filch { inline namespace v0 { void seventh(); } void eighth(); }
    namespace filch::v0 { void ninth(); }
    namespace other { void tenth(); }
    namespace { void eleventh(); }
    namespace short_name = filch::v0;
    """
    found = declared(header)
    wanted = {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"}
    assert found == wanted, found ^ wanted
    table = 'const std::vector<row> functions{ {"a", "", [] { filch::a({1}); }}, {"b", "_few", g}, };'
    assert rows(table) == ({"a", "b"}, {"b"}), rows(table)


def main():
    check_itself()
    source = Path(sys.argv[1])
    names = set()
    for layer in ("algo", "fork"):
        for header in sorted((source / "include/filch" / layer).rglob("*.hpp")):
            names |= declared(header.read_text(encoding="utf-8"))
    listed, without_call = rows((source / TABLE).read_text(encoding="utf-8"))
    problems = [f"filch::{name} has no row in {TABLE}" for name in sorted(names - listed - set(LEFT_OUT))]
    problems += [f"{TABLE} has a row for {name}, which no header of algo and fork declares"
                 for name in sorted(listed - names)]
    problems += [f"{TABLE} has a row for {name} that does not call filch::{name}" for name in sorted(without_call)]
    problems += [f"{name} is left out, and no header of algo and fork declares it"
                 for name in sorted(set(LEFT_OUT) - names)]
    print("\n".join(problems) or f"{len(listed)} functions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
