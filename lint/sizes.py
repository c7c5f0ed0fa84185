"""No file and no function grows beyond what one can keep in mind."""

from tree import Finding

NAME = "sizes"

FILE_LINES = 800
TEST_FILE_LINES = 1000
FUNCTION_LINES = 70
TEST_LINES = 100
# The worker loop must fit on a few screens.
SPECIAL_LINES = {
    "src/runtime/worker.cpp": 400, "src/runtime/worker.hpp": 400, "include/filch/runtime/worker.hpp": 400,
}
FOLDERS = ("include", "src", "tools", "tests", "bench", "examples", "lint")
TEST_MACROS = {"TEST", "TEST_F", "TEST_P", "TYPED_TEST", "TYPED_TEST_P"}
NO_FUNCTION = {"if", "for", "while", "switch", "do", "else", "try", "catch", "namespace", "class", "struct", "enum",
               "union", "extern", "export"}


def functions(source):
    """(name, first line, lines, is_test) of every function definition outside other functions."""
    tokens, end = source.tokens, -1
    for i, token in enumerate(tokens):
        if token.text != "{" or i <= end or i not in source.partner or token.statement is None:
            continue
        statement = token.statement
        header = tokens[statement.start : i]
        if not header or header[0].text in NO_FUNCTION or any(t.text in NO_FUNCTION - {"class"} for t in header):
            continue
        if "class" in (t.text for t in header) and header[0].text != "template":
            continue
        opening = next((k for k in range(statement.start, i) if tokens[k].text == "(" and source.callee(k) is not None
                        and tokens[source.callee(k)].text not in ("requires", "noexcept", "alignas", "decltype")), None)
        if opening is None or source.is_initializer(i, statement.start):
            continue
        name = tokens[source.callee(opening)].text
        end = source.partner[i]
        yield name, statement.first, tokens[end].line - statement.first + 1, name in TEST_MACROS


def check(tree):
    findings = []
    for name in tree.under(*FOLDERS, suffixes={".hpp", ".cpp", ".py"}):
        path, is_test = name.as_posix(), name.parts[0] == "tests"
        lines = len(tree.text(name).splitlines())
        limit = SPECIAL_LINES.get(path, TEST_FILE_LINES if is_test else FILE_LINES)
        if lines > limit:
            findings.append(Finding(path, limit + 1, NAME, f"the file has {lines} lines; the limit is {limit}: "
                                                             "split it"))
        if name.suffix == ".py":
            continue
        for function, line, length, is_case in functions(tree.source(name)):
            limit = TEST_LINES if is_case else FUNCTION_LINES
            if length > limit:
                findings.append(Finding(path, line, NAME, f"{function} has {length} lines; the limit is {limit}: "
                                                          "split it"))
    return sorted(findings)
