"""Prepares the browser tests: install.py --node NODE --npm NPM --chromium BROWSER --into DIRECTORY

Installs what package-lock.json names into DIRECTORY/node_modules, once per lock file. Whatever is missing is named, and
the exit code is 1: a test that cannot run has failed.
"""

import argparse
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def missing(what, remedy):
    sys.exit(f"browser tests: {what}\n  {remedy}\n  Without these tests: configure with -DFILCH_BROWSER_TESTS=OFF.")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--node", required=True)
    parser.add_argument("--npm", required=True)
    parser.add_argument("--chromium", required=True)
    parser.add_argument("--into", required=True, type=pathlib.Path)
    options = parser.parse_args()
    needed = ((options.chromium, "Chromium", "chromium"), (options.node, "node", "nodejs"), (options.npm, "npm", "npm"))
    for program, name, package in needed:
        if not program or program.endswith("-NOTFOUND") or not shutil.which(program):
            missing(f"{name} is not installed.", f"On Debian: apt-get install {package}")
    lock = (HERE / "package-lock.json").read_bytes()
    stamp = options.into / "node_modules/.installed-lock"
    if stamp.exists() and stamp.read_bytes() == lock:
        print(f"{options.into}/node_modules is as package-lock.json says")
        return
    options.into.mkdir(parents=True, exist_ok=True)
    for name in ("package.json", "package-lock.json"):
        shutil.copy(HERE / name, options.into / name)
    done = subprocess.run([options.npm, "ci", "--no-audit", "--no-fund", "--ignore-scripts"], cwd=options.into,
                          text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    print(done.stdout)
    if done.returncode != 0:
        missing("`npm ci` could not install playwright-core, which drives the browser; npm's output is above.",
                "It needs the network once, to the registry that npm is configured for.")
    stamp.write_bytes(lock)


if __name__ == "__main__":
    main()
