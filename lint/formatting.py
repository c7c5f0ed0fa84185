"""All C++ is formatted as .clang-format says, by one version of clang-format: another one would format differently."""

import os
import re
import shutil
import subprocess
from concurrent.futures import ThreadPoolExecutor

from tree import CPP, Finding

NAME = "format"

PROGRAM = "clang-format-19"  # also the name of its Debian package
STYLE = ".clang-format"
AT_ONCE = 32  # files per process: each process reads the style again
VIOLATION = re.compile(r"^(.+?):(\d+):\d+: error: code should be clang-formatted", re.MULTILINE)


def check_some(root, names):
    """Findings about these files: the first place of each."""
    done = subprocess.run([PROGRAM, "--dry-run", "--Werror", "--style=file", "--fallback-style=none", *names], cwd=root,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    places = {}
    for name, line in VIOLATION.findall(done.stderr):
        places.setdefault(name, int(line))
    if done.returncode != 0 and not places:
        said = (done.stderr.strip().splitlines() or ["nothing"])[0]
        return [Finding(names[0], 1, NAME, f"{PROGRAM} failed with exit code {done.returncode} and said: {said}")]
    return [Finding(name, line, NAME, f"is not formatted: {PROGRAM} -i {name}") for name, line in places.items()]


def check(tree):
    names = [name.as_posix() for name in tree.files if name.suffix in CPP]
    if not names:
        return []
    if not (tree.root / STYLE).is_file():
        return [Finding(STYLE, 1, NAME, "is missing: nothing says how C++ is formatted here")]
    if shutil.which(PROGRAM) is None:
        return [Finding(STYLE, 1, NAME, f"{len(names)} files were not checked, because there is no program {PROGRAM}: "
                                        f"install the Debian package {PROGRAM}")]
    parts = [names[i:i + AT_ONCE] for i in range(0, len(names), AT_ONCE)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return sorted(finding for found in pool.map(lambda part: check_some(tree.root, part), parts)
                      for finding in found)
