#!/usr/bin/env python3
"""Which files and functions of the library an operation goes through: `bench/walk/walk.py [walk…]`.

Builds the library with instrumented functions into build/walk and runs each walk of walk.cpp several times. Printed is
the median run by functions: the distinct files and functions that all threads entered between the walk's marks, and
how often two functions that one thread entered one after the other lay in different files. Functions of include/filch
and src count, those of base do not; an instance of a template is a function. Needs cmake, ninja, g++ and binutils.
"""

import argparse
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[2]
LEFT_OUT = "base"


def build(folder, jobs):
    configure = ["cmake", "-S", ROOT / "bench/walk", "-B", folder, "-G", "Ninja"]
    for command in (configure, ["cmake", "--build", folder, "--target", "walk", f"-j{jobs}"]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(done.stdout)
    return folder / "walk"


def record(program, name):
    """The addresses that each thread entered, in their order."""
    out = subprocess.run([program, name], stdout=subprocess.PIPE, check=True, text=True, timeout=60).stdout
    return [line.split() for line in out.splitlines()]


def short_name(name):
    """Without arguments of functions and templates: `detail::child_frame::join`."""
    name = name.replace("(anonymous namespace)::", "").replace("filch::v0::", "")
    name = re.sub(r"\{lambda\(.*?\)#\d+\}", "lambda", name)
    before = None
    while before != name:
        before, name = name, re.sub(r"<[^<>]*>|\([^()]*\)", "", name)
    return re.sub(r"^.*? (?=[\w~]+(?:::|$))", "", name).replace(" const", "").strip()


class Symbols:
    """The place of each address: (path in the repository, name), None for what does not count."""

    def __init__(self, program):
        self.program = program
        self.places = {}

    def look_up(self, addresses):
        new = sorted(set(addresses) - self.places.keys())
        if not new:
            return
        command = ["addr2line", "-e", self.program, "-f", "-C"]
        out = subprocess.run(command, input="\n".join(new), stdout=subprocess.PIPE, check=True, text=True).stdout
        lines = out.splitlines()
        for address, name, place in zip(new, lines[0::2], lines[1::2]):
            self.places[address] = self.place_of(name, place)

    @staticmethod
    def place_of(name, place):
        path = os.path.normpath(place.rpartition(":")[0])
        if not path.startswith(f"{ROOT}/"):
            return None
        path = PurePosixPath(path).relative_to(ROOT)
        if path.parts[0] not in ("include", "src") or layer_of(path) == LEFT_OUT:
            return None
        return path.as_posix(), short_name(name)


def layer_of(path):
    parts = PurePosixPath(path).parts
    return parts[2] if parts[0] == "include" else parts[1]


class Run:
    """What one run of a walk entered."""

    def __init__(self, threads, symbols):
        symbols.look_up([address for entered in threads for address in entered])
        self.threads = [[(address, *symbols.places[address]) for address in entered if symbols.places[address]]
                        for entered in threads]
        self.threads = [entered for entered in self.threads if entered]
        self.functions = {address for entered in self.threads for address, _, _ in entered}
        self.files = Counter()
        for path in {(address, path) for entered in self.threads for address, path, _ in entered}:
            self.files[path[1]] += 1

    def switches(self):
        """Per thread."""
        return [sum(a[1] != b[1] for a, b in zip(entered, entered[1:])) for entered in self.threads]

    def layers(self):
        return Counter(layer_of(path) for path in self.files)


def median_run(program, symbols, name, runs):
    found = [Run(record(program, name), symbols) for _ in range(runs)]
    return sorted(found, key=lambda run: (len(run.functions), len(run.files), sum(run.switches())))[runs // 2]


def show(name, run, options):
    layers = " ".join(f"{layer} {count}" for layer, count in run.layers().most_common())
    switches = " + ".join(map(str, run.switches()))
    print(f"{name:26}{len(run.files):6}{len(run.functions):11}  {switches:15} {layers}")
    if options.files:
        for path, functions in sorted(run.files.items()):
            print(f"  {path}  {functions}")
    if options.functions:
        for number, entered in enumerate(run.threads):
            print(f"  thread {number}")
            for _, path, function in entered:
                print(f"    {path}  {function}")


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=Path, default=ROOT / "build/walk", help="the build folder")
    parser.add_argument("--runs", type=int, default=9, help="of each walk (9)")
    parser.add_argument("--jobs", "-j", type=int, default=2, help="of the build (2)")
    parser.add_argument("--files", action="store_true", help="list the files, and the functions entered in each")
    parser.add_argument("--functions", action="store_true", help="list what each thread entered, in its order")
    parser.add_argument("walk", nargs="*", help="which walks; all of them without")
    options = parser.parse_args(arguments)
    program = build(options.build.resolve(), options.jobs)
    names = subprocess.run([program], stdout=subprocess.PIPE, check=True, text=True).stdout.split()
    for name in options.walk:
        if name not in names:
            parser.error(f"no walk is called {name}; there are: {' '.join(names)}")
    symbols = Symbols(program)
    print(f"{'walk':26}{'files':>6}{'functions':>11}  {'switches':15} files by layer")
    for name in options.walk or names:
        show(name, median_run(program, symbols, name, options.runs), options)


if __name__ == "__main__":
    main()
