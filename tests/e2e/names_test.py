"""Names and paths that a terminal, a page, a picture or JSON would take for commands, through each command. Called with
the command, a program that records such names, the checkout, a work directory and one test's name."""

import html.parser
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

NAMES = ["\x1b[31mred\x1b]0;owned\a", "a\nfilch: all is well\r", "</script><script>alert(1)</script>",
         "\" ' \\ <&> {{data}}"]
HOSTILE = "\x1b[31mred\x1b]0;owned\a\n\x7f\u009b31m\u202etxt.exe"
PATH = b"\x1b[31mred\x07\xff\xc2\x9b31m\xe2\x80\xae"
# All but the end of a line; U+FEFF and the like would not be seen, either.
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff]")


def expect(condition, what, done=None):
    if not condition:
        details = f"\nexit code {done.returncode}\nstdout:\n{done.stdout!r}\nstderr:\n{done.stderr!r}" if done else ""
        sys.exit(f"expected: {what}{details}")


def filch(*arguments, code=0, **environment):
    """What it prints has no control character, whatever the exit code."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("FILCH_")}
    words = [word if isinstance(word, bytes) else str(word).encode() for word in arguments]
    done = subprocess.run([str(COMMAND).encode(), *words], cwd=WORK, env=env | environment, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
    expect(done.returncode == code, f"exit code {code} of {arguments}", done)
    for stream in (done.stdout, done.stderr):
        try:
            text = stream.decode()
        except UnicodeDecodeError:
            expect(False, f"UTF-8 from {arguments}", done)
        expect(not CONTROL.search(text), f"no control character from {arguments}", done)
    return done.stdout.decode()


def recorded():
    env = {name: value for name, value in os.environ.items() if not name.startswith("FILCH_")}
    subprocess.run([str(PROGRAM), "\x1b[31margument"], cwd=WORK, env=env | {"FILCH_TRACE": "run.filch"}, check=True,
                   timeout=100)
    return "run.filch"


def test_analyze_predict_and_trace_print_no_commands():
    run = recorded()
    text = filch("analyze", run)
    expect("␛[31mred␛]0;owned␇" in text and "a␊filch: all is well␍" in text, f"the names with pictures, not {text}")
    filch("predict", run, "--workers", "1..4")
    filch("trace", "info", run)
    filch("trace", "gantt", run)
    filch("predict", run, "--workers", "2", "--what-if", HOSTILE.split("\n")[0] + "*0.5", code=2)


def test_json_has_the_names_as_they_are():
    run = recorded()
    groups = json.loads(filch("analyze", run, "--json"))["names"]
    names = [group["name"] for group in groups]
    expect(all(name in names for name in NAMES), f"the names in {names}")
    json.loads(filch("predict", run, "--workers", "1..2", "--json"))
    expect("\x1b[31margument" in json.loads(filch("trace", "info", run, "--json"))["about"]["program"], "the program")
    filch("trace", "convert", run, "run.json")
    text = (WORK / "run.json").read_text()
    expect(not CONTROL.search(text), "no control character in Chrome's format")
    read = json.dumps(json.loads(text))
    expect(all(json.dumps(name)[1:-1] in read for name in NAMES), "the names in Chrome's format")


def test_pages_and_pictures_have_no_markup_of_others():
    run = recorded()
    filch("analyze", run, "--picture", "run.svg")
    xml.etree.ElementTree.parse(WORK / "run.svg")
    expect(not CONTROL.search((WORK / "run.svg").read_text()), "no control character in the picture")
    for command in (("report", run, "run.html"), ("analyze", run, "--report", "run.html")):
        filch(*command)
        page = (WORK / "run.html").read_text()
        expect(not CONTROL.search(page), "no control character in the page")
        expect("<script>alert" not in page, "no script of others")
        scripts = []

        class reader(html.parser.HTMLParser):
            def handle_starttag(self, tag, attributes):
                if tag == "script":
                    scripts.append(dict(attributes))

        reader().feed(page)
        expect(all(set(each) <= {"id", "type"} for each in scripts), f"filch's scripts only, not {scripts}")


def test_errors_show_paths_without_commands():
    for command in (("analyze",), ("trace", "info"), ("trace", "gantt")):
        filch(*command, PATH, code=1)
    for command in (("predict",), ("sim",), ("run",), ("compare",), ("sweep",), ("report",), ("trace", "convert")):
        filch(*command, PATH, code=2)
    filch(PATH, code=2)
    filch("run", b"--" + PATH, code=2)
    filch("run", "basic", "--victims", PATH, code=2)
    filch("bench", "--from", PATH, code=1)
    filch("topology", "--file", PATH, code=1)
    (WORK / "no_recording").write_bytes(PATH)
    filch("analyze", "no_recording", code=1)
    filch("record", "-o", "x.filch", "--", PATH, code=1)


def test_recordings_in_files_with_hostile_names():
    os.rename(WORK / recorded(), os.fsencode(WORK) + b"/" + PATH + b".filch")
    filch("analyze", PATH + b".filch")
    filch("trace", "info", PATH + b".filch")
    filch("report", PATH + b".filch", PATH + b".html")
    filch("trace", "convert", PATH + b".filch", PATH + b".json")


def test_scenarios_and_machines_with_hostile_names():
    scenario = json.loads((SOURCE / "scenarios" / "basic.json").read_text())
    machine = json.loads((SOURCE / "machines" / "laptop-8p16e.json").read_text())
    machine["name"] = machine["title"] = HOSTILE
    (WORK / "machine.json").write_text(json.dumps(machine))
    scenario["title"] = HOSTILE
    (WORK / "scenario.json").write_text(json.dumps(scenario))
    filch("sim", "scenario.json", "--seeds", "2")
    filch("sim", "scenario.json", "--seeds", "2", "--machine", "machine.json")
    json.loads(filch("sim", "scenario.json", "--seeds", "2", "--json"))
    filch("compare", "scenario.json", "--seeds", "2", "--steal", "one,half", "--csv")
    scenario["workload"][HOSTILE] = HOSTILE
    (WORK / "wrong.json").write_text(json.dumps(scenario))
    filch("sim", "wrong.json", code=1)
    (WORK / "broken.json").write_bytes(b'{"title": "' + PATH + b'"')
    filch("sim", "broken.json", code=1)


if __name__ == "__main__":
    COMMAND, PROGRAM, SOURCE, WORK = (pathlib.Path(word).resolve() for word in sys.argv[1:5])
    shutil.rmtree(WORK, ignore_errors=True)
    WORK.mkdir(parents=True)
    globals()[f"test_{sys.argv[5]}"]()
