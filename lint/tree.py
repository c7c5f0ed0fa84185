"""What the lints share: findings, and which files the tree holds."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

CPP = {".hpp", ".cpp", ".h", ".cc"}
SKIP = {".git", "build", "__pycache__", ".cache"}


@dataclass(frozen=True, order=True)
class Finding:
    file: str
    line: int
    lint: str
    message: str

    def __str__(self):
        return f"{self.file}:{self.line}: [{self.lint}] {self.message}"


class Tree:
    """The files of the repository at `root`, as paths relative to it. A source is read once."""

    def __init__(self, root):
        self.root = Path(root).resolve()
        self._sources = {}
        self.files = self._list()

    def _list(self):
        names = self._list_by_git()
        if names is None:
            names = self._list_by_walking()
        return sorted(n for n in names if not SKIP & set(n.parts) and (self.root / n).is_file())

    def _list_by_git(self):
        """What git tracks or would track; None where this is no repository of its own or git does not answer."""
        if not (self.root / ".git").exists():
            return None
        command = ["git", "-C", str(self.root), "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        try:
            out = subprocess.run(command, capture_output=True, check=True).stdout
        except (OSError, subprocess.CalledProcessError):
            return None
        return [Path(name) for name in out.decode().split("\0") if name]

    def _list_by_walking(self):
        """What lies outside of builds, which are not entered: their folders come and go while one is under way."""
        names = []
        for folder, folders, files in os.walk(self.root):
            if "CMakeCache.txt" in files:
                folders[:] = []
                continue
            folders[:] = [name for name in folders if name not in SKIP]
            names += [(Path(folder) / name).relative_to(self.root) for name in files]
        return names

    def under(self, *folders, suffixes=CPP):
        return [f for f in self.files if f.parts[0] in folders and f.suffix in suffixes]

    def text(self, name):
        return (self.root / name).read_text(encoding="utf-8", errors="replace")

    def source(self, name):
        if name not in self._sources:
            import cpp
            self._sources[name] = cpp.Source(str(name), self.text(name))
        return self._sources[name]


def layer_of(name):
    """The layer of a file: include/filch/<layer>/… or src/<layer>/…; None for what lies beside the layers."""
    parts = name.parts
    if parts[:2] == ("include", "filch") and len(parts) > 3:
        return parts[2]
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    return None
