"""Tests of the ./filch wrapper in a fake checkout. Called with the real checkout, a work directory and one test's name.

The package tests run the wrapper with a PATH that holds nothing but the programs every Debian has, and stand-ins for
those that would change the machine: dpkg-query, apt-get, sudo and id, as well as cmake and ninja. Each stand-in writes
its call to calls.txt. The tests of `./filch test` use the real cmake and ctest on a project without any language.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import time

# What the wrapper may rely on before it has installed anything.
ESSENTIAL = ("sh awk cat cut date du env find grep head mkdir mkfifo nice printf readlink rm sed setarch sort tail "
             "touch tr uname").split()

RUN_PACKAGES = "g++ cmake ninja-build pkg-config libhwloc-dev libcli11-dev nlohmann-json3-dev".split()
TEST_PACKAGES = ("git python3 shellcheck ccache libgtest-dev libbenchmark-dev libconcurrentqueue-dev libasio-dev "
                 "clang-format-19 chromium nodejs npm").split()
ALL_PACKAGES = "clang-19 libclang-rt-19-dev spin".split()
AARCH64_PACKAGES = "g++-aarch64-linux-gnu qemu-user googletest".split()
PEER_PACKAGES = "libtbb-dev libomp-19-dev clang-19 cargo librust-rayon-dev golang-go default-jdk-headless".split()


class Checkout:
    """A directory that looks like filch's checkout to the wrapper, and a PATH of its own."""

    def __init__(self):
        shutil.rmtree(WORK, ignore_errors=True)
        self.root = WORK / "check out"  # the wrapper must bear a space
        self.bin = WORK / "bin"
        self.bin.mkdir(parents=True)
        (self.root / "include/filch/base").mkdir(parents=True)
        shutil.copy(SOURCE / "filch", self.root / "filch")
        self.write("CMakePresets.json", "{}")
        self.write("CMakeLists.txt", "project(filch VERSION 1.2.3 LANGUAGES CXX\n")
        for name in ESSENTIAL:
            os.symlink(shutil.which(name), self.bin / name)
        self.calls_file = WORK / "calls.txt"
        self.calls_file.touch()

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def stub(self, name, script):
        """A program on the PATH that records its call, then runs the script."""
        path = self.bin / name
        path.write_text(f'#!/bin/sh\necho "{name} $*" >>"{self.calls_file}"\n{script}\n')
        path.chmod(0o755)

    def debian(self, installed, uid=0):
        """Stand-ins for a Debian on which only these packages are installed; apt-get installs what it is told to."""
        database = WORK / "installed.txt"
        database.write_text("".join(f"{name} install ok installed\n" for name in installed) +
                            "cmake-removed deinstall ok config-files\n")
        # dpkg-query is asked for several names at once and fails when one of them is unknown.
        self.stub("dpkg-query", f'''
            shift 2; status=0
            for name; do grep -e "^$name " "{database}" || status=1; done
            exit $status''')
        self.stub("apt-get", f'''
            case " $* " in *" update "*) exit 0 ;; esac
            while [ "$1" != install ]; do shift; done; shift
            for name; do echo "$name install ok installed" >>"{database}"; done''')
        self.stub("id", f"echo {uid}")

    def toolchain(self):
        """Stand-ins for cmake and ninja: a configured directory, and a library after the first build."""
        self.stub("cmake", '''
            mkdir -p "build/$2"; echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"build/$2/CMakeCache.txt"
            : >"build/$2/build.ninja"''')
        self.stub("ninja", '''
            case $* in
              *-n) if [ -e "$2/libfilch.a" ]; then echo "ninja: no work to do."; else echo "[1/1] work"; fi ;;
              *) : >"$2/libfilch.a" ;;
            esac''')

    def real_tools(self, cmake_lists):
        """The real cmake, ninja and ctest on a project that defines tests but compiles nothing."""
        for name in ("cmake", "ninja", "ctest", "true", "false"):
            os.symlink(shutil.which(name), self.bin / name)
        self.write("CMakeLists.txt",
                   "cmake_minimum_required(VERSION 3.25)\nproject(filch VERSION 1.2.3 LANGUAGES NONE)\n"
                   "enable_testing()\n" + cmake_lists)
        presets = ",".join(f'{{"name": "{name}", "generator": "Ninja", "binaryDir": "${{sourceDir}}/build/{name}", '
                           f'"cacheVariables": {{"STAGE": "{name}"}}}}'
                           for name in ("test", "asan-ubsan", "tsan", "clang", "mutants", "aarch64"))
        self.write("CMakePresets.json", f'{{"version": 6, "configurePresets": [{presets}]}}')

    def run(self, *arguments, program=None, cwd=None, **environment):
        """Runs the wrapper with an otherwise empty environment and no standard input."""
        env = {"PATH": str(self.bin), "HOME": str(WORK), **environment}
        return subprocess.run([str(program or self.root / "filch"), *arguments], env=env, cwd=cwd or WORK, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def calls(self, of):
        return [line for line in self.calls_file.read_text().splitlines() if line.split()[0] == of]


def expect(condition, what, done=None):
    if not condition:
        details = f"\nexit code {done.returncode}\nstdout:\n{done.stdout}\nstderr:\n{done.stderr}" if done else ""
        sys.exit(f"expected: {what}{details}")


def installed_by(checkout):
    """The packages of the one call of `apt-get install`."""
    calls = [call for call in checkout.calls("apt-get") if " install " in call]
    expect(len(calls) == 1, f"one apt-get install, not {calls}")
    return calls[0].split(" install ")[1].split()


# ---- packages --------------------------------------------------------------------------------------------------------


def test_exactly_the_missing_packages_are_installed():
    checkout = Checkout()
    checkout.debian([name for name in RUN_PACKAGES if name not in ("g++", "libcli11-dev")])
    checkout.toolchain()
    done = checkout.run()
    expect(done.returncode == 0, "success", done)
    expect(installed_by(checkout) == ["g++", "libcli11-dev"], "exactly the two missing packages", done)
    expect(len([call for call in checkout.calls("apt-get") if " update" in call]) == 1, "one update", done)


def test_everything_is_installed_on_a_fresh_system():
    checkout = Checkout()
    checkout.debian([])
    checkout.toolchain()
    done = checkout.run()
    expect(done.returncode == 0, "success", done)
    expect(installed_by(checkout) == RUN_PACKAGES, "all packages of a run, none of the tests", done)


def test_a_second_call_neither_installs_nor_configures_nor_builds():
    checkout = Checkout()
    checkout.debian([])
    checkout.toolchain()
    checkout.run()
    checkout.calls_file.write_text("")
    done = checkout.run()
    expect(done.returncode == 0, "success", done)
    for name in ("apt-get", "cmake", "sudo"):
        expect(not checkout.calls(name), f"no call of {name}", done)
    expect(all(call.endswith(" -n") for call in checkout.calls("ninja")), "ninja only asked", done)
    expect(done.stderr == "", "nothing to tell", done)


def test_a_removed_package_counts_as_missing():
    checkout = Checkout()
    checkout.debian([name for name in RUN_PACKAGES if name != "cmake"])
    with (WORK / "installed.txt").open("a") as database:
        database.write("cmake deinstall ok config-files\n")
    checkout.toolchain()
    checkout.run()
    expect(installed_by(checkout) == ["cmake"], "cmake is installed again")


def test_sudo_is_used_when_not_root():
    checkout = Checkout()
    checkout.debian([name for name in RUN_PACKAGES if name != "cmake"], uid=1000)
    checkout.toolchain()
    checkout.stub("sudo", 'if [ "$1" = -n ]; then shift; fi; if [ "$1" = true ]; then exit 0; fi; exec "$@"')
    done = checkout.run()
    expect(done.returncode == 0, "success", done)
    expect(installed_by(checkout) == ["cmake"], "cmake is installed", done)
    expect(any("apt-get" in call and "DEBIAN_FRONTEND=noninteractive" in call for call in checkout.calls("sudo")),
           "apt-get goes through sudo, without questions", done)


def refused_without_root(checkout):
    done = checkout.run()
    expect(done.returncode != 0, "a failure", done)
    expect("apt-get install g++ libcli11-dev" in done.stderr and "sudo" in done.stderr, "the packages named", done)
    expect(not checkout.calls("apt-get") and not checkout.calls("cmake"), "nothing started", done)


def test_without_root_and_sudo_the_packages_are_named():
    checkout = Checkout()
    checkout.debian([name for name in RUN_PACKAGES if name not in ("g++", "libcli11-dev")], uid=1000)
    checkout.toolchain()
    refused_without_root(checkout)


def test_a_sudo_that_refuses_is_no_sudo():
    checkout = Checkout()
    checkout.debian([name for name in RUN_PACKAGES if name not in ("g++", "libcli11-dev")], uid=1000)
    checkout.toolchain()
    checkout.stub("sudo", "exit 1")
    refused_without_root(checkout)


def test_without_dpkg_and_apt_the_packages_are_named():
    checkout = Checkout()
    checkout.toolchain()
    done = checkout.run()
    expect(done.returncode != 0, "a failure", done)
    expect(all(name in done.stderr for name in ["dpkg", "FILCH_NO_INSTALL=1", *RUN_PACKAGES]), "a way out", done)
    expect(checkout.run(FILCH_NO_INSTALL="1").returncode == 0, "FILCH_NO_INSTALL=1 goes on")


def test_an_apt_failure_is_shown_and_ends_the_run():
    checkout = Checkout()
    checkout.debian([])
    checkout.toolchain()
    checkout.stub("apt-get", 'echo "E: Unable to locate package g++"; exit 100')
    done = checkout.run()
    expect(done.returncode == 1, "a failure", done)
    expect("E: Unable to locate package g++" in done.stderr and "could not install" in done.stderr, "apt's words", done)
    expect(not checkout.calls("cmake"), "no build", done)


# ---- building and handing over ---------------------------------------------------------------------------------------


def built_checkout():
    checkout = Checkout()
    checkout.debian(RUN_PACKAGES + TEST_PACKAGES)
    checkout.toolchain()
    return checkout


def test_without_the_command_a_summary_is_printed():
    checkout = built_checkout()
    done = checkout.run()
    expect(done.returncode == 0 and "filch 1.2.3" in done.stdout and "libfilch.a" in done.stdout, "a summary", done)


def test_without_the_command_other_arguments_are_refused():
    checkout = built_checkout()
    done = checkout.run("sim")
    expect(done.returncode == 2 and "'sim'" in done.stderr and "--help" in done.stderr, "a refusal with names", done)
    done = checkout.run("--help")
    expect(done.returncode == 0 and done.stdout.startswith("usage: ./filch"), "the usage", done)
    expect(not checkout.calls("ninja"), "no build for a text", done)


def test_the_command_gets_arguments_directory_and_clean_output():
    checkout = built_checkout()
    checkout.write("tools/filch/CMakeLists.txt", "")
    command = checkout.root / "build/release/tools/filch/filch"
    command.parent.mkdir(parents=True)
    command.write_text('#!/bin/sh\necho "$PWD"; for word; do echo "<$word>"; done; exit 7\n')
    command.chmod(0o755)
    elsewhere = WORK / "elsewhere"
    elsewhere.mkdir()
    link = WORK / "link to filch"
    link.symlink_to(os.path.relpath(checkout.root / "filch", WORK))
    for program in (checkout.root / "filch", link):
        done = checkout.run("sim", "a b", "--help", program=program, cwd=elsewhere)
        expect(done.returncode == 7, "the command's exit code", done)
        expect(done.stdout == f"{elsewhere}\n<sim>\n<a b>\n<--help>\n", "arguments and directory kept", done)


def test_a_missing_command_is_an_error_once_its_source_exists():
    checkout = built_checkout()
    checkout.write("tools/filch/CMakeLists.txt", "")
    done = checkout.run()
    expect(done.returncode == 1 and "build/release/tools/filch/filch" in done.stderr, "a failure", done)


def test_a_failing_build_shows_the_compiler_and_fails():
    checkout = built_checkout()
    checkout.stub("ninja", 'echo "[1/2] Building"; echo "x.cpp:1: error: no"; exit 1')
    done = checkout.run()
    expect(done.returncode == 1 and "x.cpp:1: error: no" in done.stderr, "the error", done)
    expect(done.stdout == "", "nothing on standard output", done)


def test_changed_presets_and_a_moved_checkout_are_configured_again():
    checkout = built_checkout()
    checkout.run()
    stamp = (checkout.root / "build/release/.configured").stat().st_mtime
    os.utime(checkout.root / "CMakePresets.json", (stamp + 5, stamp + 5))
    checkout.run()
    expect(len(checkout.calls("cmake")) == 2, "a second configuration after a change of the presets")
    os.utime(checkout.root / "CMakePresets.json", (stamp - 5, stamp - 5))
    checkout.root = checkout.root.rename(WORK / "moved")
    checkout.run()
    expect(checkout.calls("cmake")[2:] == ["cmake --preset release --fresh -DCMAKE_CXX_COMPILER_LAUNCHER="],
           "a fresh configuration after a move")


def test_ccache_is_used_when_present_and_given_up_when_gone():
    checkout = built_checkout()
    checkout.stub("cmake", '''
        mkdir -p "build/$2"; : >"build/$2/build.ninja"
        for word; do
          case $word in -DCMAKE*) echo "${word#-D}" | sed "s/=/:UNINITIALIZED=/" >"build/$2/CMakeCache.txt" ;; esac
        done
        echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >>"build/$2/CMakeCache.txt"''')
    checkout.stub("ccache", "exit 0")
    checkout.run()
    checkout.run()
    (checkout.bin / "ccache").unlink()
    checkout.run()
    checkout.stub("ccache", "exit 0")  # coming back is no reason to build everything again
    checkout.run()
    expect(checkout.calls("cmake") == ["cmake --preset release -DCMAKE_CXX_COMPILER_LAUNCHER=ccache",
                                       "cmake --preset release -DCMAKE_CXX_COMPILER_LAUNCHER="], "two configurations")


# ---- ./filch bench ---------------------------------------------------------------------------------------------------


def bench_checkout(installed, *, unknown=(), uid=0):
    """A checkout whose command prints its arguments; apt-get does not know some packages, and then installs nothing."""
    checkout = Checkout()
    checkout.debian(installed, uid)
    checkout.toolchain()
    if unknown:
        known = (checkout.bin / "apt-get").read_text()
        first = "".join(f'case " $* " in *" {name} "*) echo "E: Unable to locate package {name}"; exit 100 ;; esac\n'
                        for name in unknown)
        (checkout.bin / "apt-get").write_text(known.replace("while [", first + "while [", 1))
    command = checkout.root / "build/bench/tools/filch/filch"
    command.parent.mkdir(parents=True)
    command.write_text('#!/bin/sh\nfor word; do echo "<$word>"; done\n')
    command.chmod(0o755)
    return checkout


def folders_in(done):
    """The folders of programs that the command was given."""
    words = done.stdout.splitlines()
    return [pathlib.Path(word[1:-1]).parts[-4] for before, word in zip(words, words[1:]) if before == "<--programs>"]


def test_a_benchmark_with_peers_installs_their_packages_and_looks_for_them_again():
    checkout = bench_checkout(RUN_PACKAGES)
    checkout.stub("clang++-19", "exit 0")
    done = checkout.run("bench", "fib")
    expect(done.returncode == 0 and folders_in(done) == ["bench"], "the benchmarks of one compiler", done)
    expect(not checkout.calls("apt-get"), "no packages of peers without --peers", done)
    done = checkout.run("bench", "fib", "--peers")
    expect(done.returncode == 0 and folders_in(done) == ["bench", "bench-clang"], "those of both compilers", done)
    expect(installed_by(checkout) == PEER_PACKAGES, "the packages of the peers", done)
    expect([call.split()[2] for call in checkout.calls("cmake")] == ["bench", "bench", "bench-clang"],
           "configured again when something was installed", done)
    expect(any("-k 0 filch_peers" in call for call in checkout.calls("ninja")), "one broken peer stops no other", done)
    checkout.calls_file.write_text("")
    done = checkout.run("bench", "--peers")
    expect(not checkout.calls("apt-get") and not checkout.calls("cmake"), "and not when nothing was", done)


def test_a_peer_installed_by_hand_is_looked_for_again():
    for kind, words in (("workloads", ["--peers"]), ("async", ["async", "--peers"])):
        for tree in ("bench", "bench-clang"):
            checkout = bench_checkout(RUN_PACKAGES)
            checkout.stub("clang++-19", "exit 0")
            checkout.run("bench", *words, FILCH_NO_INSTALL="1")
            checkout.write(f"build/{tree}/bench/{kind}/programs/a_peer.left_out", "not found")
            checkout.calls_file.write_text("")
            done = checkout.run("bench", *words[:-1], FILCH_NO_INSTALL="1")
            expect(done.returncode == 0 and not checkout.calls("cmake"), "nobody is looked for without --peers", done)
            done = checkout.run("bench", *words, FILCH_NO_INSTALL="1")
            expect([call.split()[2] for call in checkout.calls("cmake")] == ["bench", "bench-clang"], "both again",
                   done)


def test_packages_of_peers_that_cannot_be_had_are_named_and_done_without():
    checkout = bench_checkout(RUN_PACKAGES, unknown=("clang-19", "golang-go"))
    done = checkout.run("bench", "--peers")
    expect(done.returncode == 0 and folders_in(done) == ["bench"], "the benchmarks without clang's", done)
    for part in ("without clang-19, which apt-get could not install: E: Unable to locate package clang-19",
                 "without golang-go, which apt-get could not install", "there is no clang++-19"):
        expect(part in done.stderr, part, done)
    installed = (WORK / "installed.txt").read_text()
    for name in PEER_PACKAGES:
        is_there = f"{name} install ok installed" in installed
        expect(is_there == (name not in ("clang-19", "golang-go")), f"all but two are installed; {name}", done)


def test_without_root_the_packages_of_peers_are_named_and_done_without():
    checkout = bench_checkout(RUN_PACKAGES, uid=1000)
    done = checkout.run("bench", "--peers")
    expect(done.returncode == 0 and folders_in(done) == ["bench"], "the benchmarks", done)
    expect(" ".join(PEER_PACKAGES) in done.stderr and "sudo" in done.stderr, "what is missing", done)
    expect(not checkout.calls("apt-get"), "nothing installed", done)


def test_a_peer_that_does_not_build_is_told_and_done_without_but_not_filch_itself():
    checkout = bench_checkout(RUN_PACKAGES + PEER_PACKAGES)
    checkout.stub("ninja", 'case $* in *filch_peers*) echo "FAILED: rayon"; exit 1 ;; esac')
    done = checkout.run("bench", "--peers")
    expect(done.returncode == 0 and folders_in(done) == ["bench"], "the benchmarks", done)
    expect("FAILED: rayon" in done.stderr and "build/logs/bench-peers.log" in done.stderr, "what failed", done)
    checkout.stub("ninja", 'echo "x.cpp:1: error: no"; exit 1')
    done = checkout.run("bench", "--peers")
    expect(done.returncode == 1 and "x.cpp:1: error: no" in done.stderr and done.stdout == "", "a failure", done)


def test_an_old_program_of_a_peer_that_does_not_build_is_not_measured():
    checkout = bench_checkout(RUN_PACKAGES + PEER_PACKAGES)
    folder = checkout.root / "build/bench/bench/workloads/programs"
    for name in ("filch", "serial", "tbb", "rayon", "goroutines.left_out"):
        checkout.write(f"build/bench/bench/workloads/programs/{name}", "old")
    # Of the peers only tbb can be built, and is when it is not there.
    checkout.stub("ninja", f'''
        case $* in
          *" -n "*) echo "[1/1] work" ;;
          *filch_peers*)
            [ -e "{folder}/tbb" ] || echo new >"{folder}/tbb"
            echo "FAILED: rayon"; exit 1 ;;
        esac''')
    done = checkout.run("bench", "--peers")
    expect(done.returncode == 0 and "FAILED: rayon" in done.stderr, "success, and what failed", done)
    there = {path.name: path.read_text().strip() for path in folder.iterdir()}
    expect(there == {"filch": "old", "serial": "old", "tbb": "new", "goroutines.left_out": "old"},
           f"the program that cannot be made is gone, not {there}", done)


def test_a_saved_benchmark_is_shown_without_building_benchmarks():
    checkout = bench_checkout(RUN_PACKAGES)
    checkout.write("tools/filch/CMakeLists.txt", "")
    command = checkout.root / "build/release/tools/filch/filch"
    command.parent.mkdir(parents=True)
    shutil.copy(checkout.root / "build/bench/tools/filch/filch", command)
    done = checkout.run("bench", "--from", "x.json", "--peers")
    expect(done.stdout == "<bench>\n<--from>\n<x.json>\n<--peers>\n", "the command gets the words as they are", done)
    expect([call.split()[2] for call in checkout.calls("cmake")] == ["release"], "no benchmarks are built", done)


# ---- ./filch test ----------------------------------------------------------------------------------------------------


def test_the_tests_install_their_packages_too():
    checkout = Checkout()
    checkout.debian([])
    checkout.toolchain()
    checkout.stub("ctest", "exit 1")
    done = checkout.run("test")
    expect(installed_by(checkout) == RUN_PACKAGES + TEST_PACKAGES, "run and test packages", done)
    checkout.calls_file.write_text("")
    done = checkout.run("test", "--all")
    expect(installed_by(checkout) == ALL_PACKAGES, "the packages of the other stages", done)
    checkout.calls_file.write_text("")
    done = checkout.run("test", "--all", "--aarch64")
    expect(installed_by(checkout) == AARCH64_PACKAGES, "the packages of one stage more", done)


def test_the_tests_for_aarch64_alone_install_what_they_need():
    checkout = Checkout()
    checkout.debian([])
    checkout.toolchain()
    checkout.stub("ctest", "exit 1")
    done = checkout.run("test", "--aarch64")
    expect(installed_by(checkout) == RUN_PACKAGES + AARCH64_PACKAGES, "nothing of the other stages", done)


def test_node_and_npm_from_elsewhere_are_used():
    checkout = Checkout()
    checkout.debian([])
    checkout.toolchain()
    for name in ("node", "npm"):
        checkout.stub(name, "exit 0")
    checkout.stub("ctest", "exit 1")
    done = checkout.run("test")
    wanted = [name for name in RUN_PACKAGES + TEST_PACKAGES if name not in ("nodejs", "npm")]
    expect(installed_by(checkout) == wanted, "all but those that would conflict", done)


def test_an_unknown_test_option_is_refused():
    done = built_checkout().run("test", "--fast")
    expect(done.returncode == 2 and "'--fast'" in done.stderr and "--all" in done.stderr, "a refusal", done)


def summary_of(checkout, *arguments):
    done = checkout.run("test", *arguments, FILCH_NO_INSTALL="1")
    return done, done.stdout.splitlines()[-1]


def test_one_stage_or_all_are_summed_up():
    checkout = Checkout()
    checkout.real_tools('''
        add_test(NAME one COMMAND true)
        set_tests_properties(one PROPERTIES LABELS "unit;mutant")
        add_test(NAME two COMMAND true)
        set_tests_properties(two PROPERTIES LABELS unit_of_another_kind)''')
    done, last = summary_of(checkout)
    expect(done.returncode == 0 and last == "2 passed, 0 failed", "the Release build only", done)
    expect(not (checkout.root / "build/tsan").exists(), "nothing of the other stages is configured", done)
    done, last = summary_of(checkout, "--all")
    expect(done.returncode == 0 and last == "9 passed, 0 failed", "two of four stages, one of the last", done)
    expect([line[:2] for line in done.stdout.splitlines()].count("==") == 5, "five stages", done)
    expect((checkout.root / "build/test-logs/tsan-tests.log").is_file(), "a log of each stage", done)
    done, last = summary_of(checkout, "--all", "--aarch64")
    expect(done.returncode == 0 and last == "11 passed, 0 failed", "two of a stage more", done)


def test_the_tests_for_aarch64_run_alone():
    checkout = Checkout()
    checkout.real_tools("add_test(NAME one COMMAND true)")
    done, last = summary_of(checkout, "--aarch64")
    expect(done.returncode == 0 and last == "1 passed, 0 failed", "one stage", done)
    expect((checkout.root / "build/aarch64").exists() and not (checkout.root / "build/test").exists(),
           "nothing of the other stages is configured", done)


def test_a_stage_is_built_while_the_tests_of_the_former_run():
    checkout = Checkout()
    mark = WORK / "mark"
    wait = WORK / "wait.sh"
    wait.write_text(f"for i in $(seq 600); do [ ! -e '{mark}' ] || exit 0; sleep 0.1; done; exit 1\n")
    for name in ("seq", "sleep"):
        os.symlink(shutil.which(name), checkout.bin / name)
    checkout.real_tools(f'''
        if(STAGE STREQUAL "test")
          add_test(NAME waits COMMAND sh "{wait}")
        else()
          add_custom_target(mark ALL COMMAND touch "{mark}" VERBATIM)
          add_test(NAME one COMMAND true)
          set_tests_properties(one PROPERTIES LABELS mutant)
        endif()''')
    done, last = summary_of(checkout, "--all")
    expect(done.returncode == 0 and last == "5 passed, 0 failed", "the first stage's test sees the second's build",
           done)


def knowing_the_builder(checkout, then):
    """The real cmake. Before the second stage's a shell knows the builder's id as $builder and does `then`."""
    (checkout.bin / "cmake").unlink()
    # The parent is the left side of the wrapper's pipeline, and the builder is its parent.
    checkout.stub("cmake", f'''
        if [ "$2" = asan-ubsan ]; then read -r _ _ _ builder _ <"/proc/$PPID/stat"; {then}; fi
        exec "{shutil.which("cmake")}" "$@"''')


def wait_until(happened):
    """Returns after a minute, too: what is expected next then fails."""
    for _ in range(600):
        if happened():
            return
        time.sleep(0.1)


def is_running(process):
    try:
        return pathlib.Path(f"/proc/{process}/stat").read_text().split()[2] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_a_killed_main_shell_leaves_no_builder_that_begins_further_stages():
    checkout = Checkout()
    tests_run, second_built, end_build, end_test = (WORK / name for name in ("run", "built", "end_build", "end_test"))
    wait = WORK / "wait.sh"
    wait.write_text('touch "$1"; for i in $(seq 900); do [ ! -e "$2" ] || exit 0; sleep 0.1; done; exit 1\n')
    for name in ("seq", "sleep"):
        os.symlink(shutil.which(name), checkout.bin / name)
    checkout.real_tools(f'''
        file(TOUCH "{WORK}/begun-${{STAGE}}")
        if(STAGE STREQUAL "asan-ubsan")
          add_custom_target(waits ALL COMMAND sh "{wait}" "{second_built}" "{end_build}" VERBATIM)
        endif()
        add_test(NAME waits COMMAND sh "{wait}" "{tests_run}" "{end_test}")''')
    knowing_the_builder(checkout, f"echo $builder >'{WORK}/builder'")
    env = {"PATH": str(checkout.bin), "HOME": str(WORK), "FILCH_NO_INSTALL": "1"}
    done = subprocess.Popen([str(checkout.root / "filch"), "test", "--all"], env=env, cwd=WORK, text=True,
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    wait_until(lambda: tests_run.exists() and second_built.exists())
    done.terminate()
    done.wait()
    end_build.touch()
    builder = (WORK / "builder").read_text().strip()
    wait_until(lambda: not is_running(builder))
    is_left = is_running(builder)
    end_test.touch()
    done.stdout, done.stderr = done.communicate()  # the end of both: nothing runs any more
    expect(tests_run.exists() and second_built.exists(), "the first stage's test and the second's build had begun",
           done)
    begun = sorted(path.name for path in WORK.glob("begun-*"))
    expect(begun == ["begun-asan-ubsan", "begun-test"], f"no further stage, not {begun}", done)
    expect(not is_left, "an end of the builder before that of the test", done)


def test_a_builder_that_ends_early_is_told_as_that():
    checkout = Checkout()
    checkout.real_tools("add_test(NAME one COMMAND true)")
    knowing_the_builder(checkout, 'kill -9 "$builder"; exit 1')
    done, last = summary_of(checkout, "--all")
    expect(done.returncode == 1 and last == "1 passed, 4 failed", "1 passed, 4 failed", done)
    expect("   asan-ubsan: the builder ended early\n   tsan: the builder ended early\n" in done.stdout, "the reason",
           done)
    expect("build failed" not in done.stdout and "No such file" not in done.stderr, "nothing about a log", done)


def test_each_outcome_of_ctest_is_counted_as_what_it_is():
    checkout = Checkout()
    checkout.real_tools('''
        add_test(NAME good COMMAND true)
        add_test(NAME "bad <&> one" COMMAND false)
        add_test(NAME skipped COMMAND sh -c "exit 7")
        set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 7)
        add_test(NAME skipped_by_text COMMAND sh -c "printf SKIPPED")
        set_tests_properties(skipped_by_text PROPERTIES SKIP_REGULAR_EXPRESSION SKIPPED)
        add_test(NAME disabled COMMAND true)
        set_tests_properties(disabled PROPERTIES DISABLED ON)
        add_test(NAME no_program COMMAND no_such_program)
        add_test(NAME crash COMMAND sh -c "echo last words; kill -SEGV $$")
        add_test(NAME quotes_xml COMMAND sh -c "printf '<testcase name=\\"x\\" status=\\"fail\\">'")
        add_test(NAME broken_setup COMMAND false)
        set_tests_properties(broken_setup PROPERTIES FIXTURES_SETUP setup)
        add_test(NAME after_broken_setup COMMAND true)
        set_tests_properties(after_broken_setup PROPERTIES FIXTURES_REQUIRED setup)''')
    done, last = summary_of(checkout)
    expect(last == "2 passed, 5 failed, 3 skipped", "2 passed, 5 failed, 3 skipped", done)
    expect(done.returncode == 1, "a failure", done)
    listed = done.stdout.rpartition("\nfailed:\n")[2].splitlines()[:-1]
    names = ("bad <&> one", "no_program", "crash", "broken_setup", "after_broken_setup")
    expect(sorted(listed) == sorted(f"   test: {name}" for name in names), "the failed tests repeated at the end", done)
    expect("last words" in done.stdout, "the output of a failed test", done)


def test_a_stage_that_does_not_configure_or_build_is_one_failure():
    checkout = Checkout()
    checkout.real_tools('''
        if(STAGE STREQUAL "asan-ubsan")
          message(FATAL_ERROR "no such sanitizer")
        elseif(STAGE STREQUAL "tsan")
          add_custom_target(broken ALL COMMAND sh -c "echo the compiler says no; exit 1")
        endif()
        add_test(NAME one COMMAND true)
        set_tests_properties(one PROPERTIES LABELS mutant)''')
    done, last = summary_of(checkout, "--all")
    expect(done.returncode == 1 and last == "3 passed, 2 failed", "3 passed, 2 failed", done)
    expect("no such sanitizer" in done.stdout and "the compiler says no" in done.stdout, "both reasons", done)


def test_a_stage_without_tests_is_a_failure():
    checkout = Checkout()
    checkout.real_tools("")
    done, last = summary_of(checkout)
    expect(done.returncode == 1 and last == "0 passed, 1 failed", "0 passed, 1 failed", done)


def test_a_stage_in_which_all_is_skipped_is_a_failure():
    checkout = Checkout()
    checkout.real_tools('''
        add_test(NAME skipped COMMAND sh -c "exit 7")
        set_tests_properties(skipped PROPERTIES SKIP_RETURN_CODE 7)''')
    done, last = summary_of(checkout)
    expect(done.returncode == 1 and last == "0 passed, 1 failed, 1 skipped", "0 passed, 1 failed, 1 skipped", done)


SOURCE, WORK = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
globals()["test_" + sys.argv[3]]()
