#!/usr/bin/env python3
"""expect_failure.py SOURCE COMPILER [FLAG…]: compiling SOURCE must fail with every text of its `// expect: …` lines.

The same source with -DFILCH_VALID must compile: so a failure is not for another reason than the one that is meant.
"""

import re
import subprocess
import sys


def compile_it(command, source):
    return subprocess.run([*command, "-fsyntax-only", source], capture_output=True, text=True, check=False)


def main():
    source, *command = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        expected = re.findall(r"// expect: (.+)", file.read())
    if not expected:
        sys.exit(f"{source} has no line `// expect: …`")
    valid = compile_it([*command, "-DFILCH_VALID"], source)
    if valid.returncode != 0:
        sys.exit(f"with FILCH_VALID it must compile, and did not:\n{valid.stderr}")
    broken = compile_it(command, source)
    if broken.returncode == 0:
        sys.exit("it compiled")
    missing = [text for text in expected if text not in broken.stderr]
    if missing:
        sys.exit(f"the compiler did not say {missing}; it said:\n{broken.stderr}")


if __name__ == "__main__":
    main()
