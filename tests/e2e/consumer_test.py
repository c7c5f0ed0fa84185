"""Installs filch and uses it the ways its users do. One call runs one step; tests/e2e/CMakeLists.txt orders them.

Steps that take a KIND (static or shared) use the prefix which `install KIND` filled; each prefix is made once and used
by all. Everything is written below the work directory given on the command line, and nothing needs a network.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys

EXPECTED_OUTPUT = "filch consumer: die 1, wait 0.476, fib 55\n"


def run(*command, env=None):
    """Runs a command and returns what it printed; a failure ends the step with all of its output."""
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          stdin=subprocess.DEVNULL, env=env)
    if done.returncode != 0:
        sys.exit(f"exit code {done.returncode} from: {' '.join(map(str, command))}\n{done.stdout}")
    return done.stdout


def check(condition, message):
    if not condition:
        sys.exit(message)


class Steps:
    def __init__(self, options):
        self.source = pathlib.Path(options.source)
        self.build = pathlib.Path(options.build)
        self.work = pathlib.Path(options.work)
        self.options = options

    # ---- helpers ----

    def prefix(self, kind):
        return self.work / f"prefix-{kind}"

    def libdir(self, kind):
        found = sorted(self.prefix(kind).rglob("libfilch.a" if kind == "static" else "libfilch.so"))
        check(len(found) == 1, f"expected one {kind} library below {self.prefix(kind)}, found {found}")
        return found[0].parent

    def configure(self, source, build, *definitions):
        """Configures with the compiler and the flags of the main build, so that a compiler cache can help. Several of
        the library's sources are compiled as one: that each compiles alone is seen in the main build."""
        shutil.rmtree(build, ignore_errors=True)
        launcher = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={self.options.launcher}"] if self.options.launcher else []
        return run("cmake", "-S", source, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                   f"-DCMAKE_CXX_COMPILER={self.options.compiler}", f"-DFILCH_WERROR={self.options.werror}",
                   "-DFILCH_UNITY=ON", *launcher, *definitions)

    def expect_output(self, program, env=None):
        output = run(program, env=env)
        check(output == EXPECTED_OUTPUT, f"{program} printed {output!r}, expected {EXPECTED_OUTPUT!r}")

    def build_consumer(self, name, *definitions):
        build = self.work / name
        self.configure(self.source / "tests/e2e" / name.partition("-")[0], build, *definitions)
        run("cmake", "--build", build)
        self.expect_output(build / "consumer")
        return build

    # ---- steps ----

    def install(self, kind):
        """Fills the prefix: from the main build when it is of this kind, else from a build of its own."""
        build = self.build
        if kind != self.options.main_kind:
            build = self.work / f"build-{kind}"
            self.configure(self.source, build, f"-DBUILD_SHARED_LIBS={'ON' if kind == 'shared' else 'OFF'}",
                           "-DFILCH_BUILD_TESTS=OFF", "-DFILCH_BUILD_BENCH=OFF", "-DFILCH_BUILD_TOOLS=OFF")
            run("cmake", "--build", build)
        shutil.rmtree(self.prefix(kind), ignore_errors=True)
        run("cmake", "--install", build, "--prefix", self.prefix(kind))

    def layout(self, kind):
        """The installed headers are exactly the public ones, and the package files and the licence are there."""
        prefix, libdir = self.prefix(kind), self.libdir(kind)
        public = {str(path.relative_to(self.source / "include")) for path in (self.source / "include").rglob("*.hpp")}
        installed = {str(path.relative_to(prefix / "include")) for path in (prefix / "include").rglob("*")
                     if path.is_file()}
        check(public == installed, f"headers differ from include/: {sorted(public ^ installed)}")
        for name in ("filchConfig.cmake", "filchConfigVersion.cmake", "filchTargets.cmake"):
            check((libdir / "cmake/filch" / name).is_file(), f"{name} is not installed")
        check((libdir / "pkgconfig/filch.pc").is_file(), "filch.pc is not installed")
        licence = prefix / "share/licenses/filch/LICENSE"
        check(licence.is_file() and licence.read_bytes() == (self.source / "LICENSE").read_bytes(), "no LICENSE")
        for path in list((libdir / "cmake").rglob("*.cmake")) + [libdir / "pkgconfig/filch.pc"]:
            for place in (self.source, self.build, self.work):
                check(str(place) not in path.read_text(), f"{path.name} names a directory of the build: {place}")

    def find_package(self, kind):
        """A moved copy of the prefix is used, so that nothing depends on where it was installed."""
        moved = self.work / f"moved-{kind}"
        shutil.rmtree(moved, ignore_errors=True)
        shutil.copytree(self.prefix(kind), moved, symlinks=True)
        self.build_consumer(f"consumer_find_package-{kind}", f"-DCMAKE_PREFIX_PATH={moved}")

    def wrong_version(self, kind):
        """The package of another minor version is refused while filch is below 1.0."""
        source = self.work / "wrong_version"
        source.mkdir(parents=True, exist_ok=True)
        (source / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(consumer LANGUAGES NONE)\n"
            "set(CMAKE_SIZEOF_VOID_P 8)\nfind_package(filch 0.0 CONFIG)\n"
            'if(filch_FOUND)\n  message(FATAL_ERROR "version 0.0 was accepted")\nendif()\n'
            'message(STATUS "considered: ${filch_CONSIDERED_VERSIONS}")\n')
        output = self.configure(source, source / "build", f"-DCMAKE_PREFIX_PATH={self.prefix(kind)}")
        check(re.search(r"considered: \d+\.\d+\.\d+", output), f"the installed package was not even seen:\n{output}")

    # Both compile the library once more: what matters is how it comes into its user's project.
    quickly = "-DCMAKE_CXX_FLAGS_RELEASE=-O1"

    def fetch_content(self):
        self.build_consumer("consumer_fetch_content", f"-DFETCHCONTENT_SOURCE_DIR_FILCH={self.source}",
                            "-DFETCHCONTENT_FULLY_DISCONNECTED=ON", self.quickly)

    def add_subdirectory(self):
        build = self.build_consumer("consumer_add_subdirectory", f"-DFILCH_SOURCE_DIR={self.source}",
                                    self.quickly)
        prefix = self.work / "prefix-of-consumer"
        shutil.rmtree(prefix, ignore_errors=True)
        run("cmake", "--install", build, "--prefix", prefix)
        check(not prefix.exists() or not any(path.is_file() for path in prefix.rglob("*")),
              "filch as a subproject installs files with its user's project")

    def pkg_config(self, kind):
        libdir = self.libdir(kind)
        env = dict(os.environ, PKG_CONFIG_PATH=str(libdir / "pkgconfig"))
        extra = ["--static"] if kind == "static" else []
        for name, flags in (("plain", []), ("asked", extra)):
            words = run("pkg-config", *flags, "--cflags", "--libs", "filch", env=env).split()
            program = self.work / f"pkg_config-{kind}-{name}"
            run(self.options.compiler, "-std=c++20", "-O1", self.source / "tests/e2e/consumer_main.cpp", *words, "-o",
                program)
            linked = run("ldd", program)
            check(("libfilch.so" in linked) == (kind == "shared"), f"not linked as a {kind} library:\n{linked}")
            self.expect_output(program, env=dict(os.environ, LD_LIBRARY_PATH=str(libdir)))

    def symbols(self, kind):
        """What the library defines for others lies in filch::v0; a name without a namespace starts with filch_v0_."""
        library = self.libdir(kind) / ("libfilch.a" if kind == "static" else "libfilch.so")
        dynamic = ["--dynamic"] if kind == "shared" else []
        listing = run("nm", "-C", "--defined-only", "--extern-only", *dynamic, library)
        symbols = re.findall(r"^[0-9a-f]+ ([A-Za-z]) (.+)$", listing, re.MULTILINE)
        ours = [name for _, name in symbols if "filch::v0::" in name]
        check(len(ours) > 3, f"nm found hardly any symbol of filch:\n{listing}")
        outside = [name for _, name in symbols if re.search(r"\bfilch::(?!v0::)", name)]
        # Weak symbols are templates and inline functions of the standard library that were instantiated here.
        foreign = [name for letter, name in symbols if letter not in "WVu" and "filch::v0::" not in name
                   and not name.startswith("filch_v0_")]
        check(not outside and not foreign, f"outside of filch::v0: {outside + foreign}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("source", "build", "work", "compiler", "werror", "main-kind"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--launcher", default="")
    parser.add_argument("step")
    parser.add_argument("kind", nargs="?", choices=("static", "shared"))
    options = parser.parse_args()
    os.makedirs(options.work, exist_ok=True)
    getattr(Steps(options), options.step)(*([options.kind] if options.kind else []))


main()
