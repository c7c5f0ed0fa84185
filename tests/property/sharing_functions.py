"""Every function that may run in parallel has a row in the table of sharing_test.cpp.

`sharing_functions.py SOURCE_DIR` compares the functions that the headers of the layers algo and fork declare for users
with the rows, and exits 1 with one line for each that is missing or that no header declares.
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
NO_FUNCTION = {"class", "struct", "union", "enum", "concept", "using", "namespace", "static_assert", "typedef",
               "extern"}


def declared(text):
    """The functions that a header declares directly in the namespace of filch."""
    tokens = [token.text for token in cpp.Source("header", text).tokens]
    names, i = set(), 0

    def group_end(at):
        """Behind the bracket that closes the one at `at`."""
        pairs = {"(": ")", "[": "]", "{": "}"}
        closing, depth = pairs[tokens[at]], 0
        for place in range(at, len(tokens)):
            if tokens[place] == tokens[at]:
                depth += 1
            elif tokens[place] == closing:
                depth -= 1
                if depth == 0:
                    return place + 1
        raise ValueError(f"no {closing} for the {tokens[at]} in: {' '.join(tokens[at:at + 12])}")

    while i < len(tokens):
        if tokens[i] == "namespace":
            end = i + 1
            while tokens[end] not in ("{", ";"):
                end += 1
            is_ours = tokens[i + 1:end] == ["filch", "::", "inline", "v0"]
            i = end + 1 if is_ours or tokens[end] == ";" else group_end(end)
            continue
        # One declaration: up to a semicolon, or behind the body.
        name, is_function = None, True
        while i < len(tokens) and tokens[i] != ";":
            if tokens[i] in NO_FUNCTION and name is None and tokens[i - 1] not in ("<", ","):
                is_function = False
            if tokens[i] in ("(", "["):
                if tokens[i] == "(" and name is None and tokens[i - 1].isidentifier() \
                        and tokens[i - 1] not in NOT_NAMES:
                    name = tokens[i - 1]
                i = group_end(i)
            elif tokens[i] == "{":
                i = group_end(i)
                if name is not None and is_function:
                    break
            elif tokens[i] == "}":  # of the namespace
                break
            else:
                i += 1
        if name is not None and is_function:
            names.add(name)
        if i < len(tokens) and tokens[i] in (";", "}"):
            i += 1
    return names


def rows(text):
    """The names in `{"name", …` of the table."""
    tokens = [token.text for token in cpp.Source("table", text).tokens]
    begin = tokens.index("functions")
    assert tokens[begin - 1] == ">" and tokens[begin - 2] == ROW, "the table is not where it was"
    found, depth = set(), 0
    for i in range(begin + 1, len(tokens)):
        if tokens[i] == "{":
            depth += 1
            if depth == 2:
                found.add(tokens[i + 1].strip('"'))
        elif tokens[i] == "}":
            depth -= 1
            if depth == 0:
                break
    return found


def check_itself():
    header = """namespace filch::inline v0 {
    namespace detail { template <class F> void hidden(F f) { f(); } }
    template <class T> concept some = requires(T t) { t(); };
    template <class T, class U = std::less<>>
      requires(sizeof(T) > 1) && some<T>
    [[nodiscard]] std::pair<T, U> first(T one, U other = {}) { return inner(one); }
    class handle { void member() { outer(); } };
    void second(int count);
    template <class T>
    auto third(T t) -> decltype(t()) { return t(); }
    inline constexpr int k_few = 3;
    }"""
    found = declared(header)
    assert found == {"first", "second", "third"}, found
    assert rows('const std::vector<row> functions{ {"a", "", [] { f({1}); }}, {"b", "_few", g}, };') == {"a", "b"}


def main():
    check_itself()
    source = Path(sys.argv[1])
    names = set()
    for layer in ("algo", "fork"):
        for header in sorted((source / "include/filch" / layer).glob("*.hpp")):
            names |= declared(header.read_text(encoding="utf-8"))
    listed = rows((source / TABLE).read_text(encoding="utf-8"))
    problems = [f"filch::{name} has no row in {TABLE}" for name in sorted(names - listed - set(LEFT_OUT))]
    problems += [f"{TABLE} has a row for {name}, which no header of algo and fork declares"
                 for name in sorted(listed - names)]
    problems += [f"{name} is left out, and no header of algo and fork declares it"
                 for name in sorted(set(LEFT_OUT) - names)]
    print("\n".join(problems) or f"{len(listed)} functions")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
