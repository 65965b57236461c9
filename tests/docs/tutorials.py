"""Runs the commands of docs/tutorial-*.md, and compares their output with the pages.

usage: tutorials.py PROGRAM DEMO [PAGE ...]      DEMO: the folder that `assay demo` has made; PAGE: default all tutorials

The commands are those of ```console blocks, after `$ `. They run in one folder for each page, which holds DEMO as `assay-demo`. The
numbers on the pages are from networks that were trained on another machine, so numbers, names of classes and files of images count
as equal. A line `...` stands for any lines. A command that fails is followed by `echo $?` on the page. A server is started,
interrupted after it has printed its links, and must exit by itself.
Status 0: all pages are as shown; 1: a page differs, and each place is printed.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import servers  # noqa: E402

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
CLASSES = ("airplane balloon bird boat butterfly car castle cat cup fish flower guitar hammer house key leaf mushroom tree turtle "
           "umbrella").split()


def commands_of(text):
    """Yields (line, command, lines shown below it) for each command of a page."""
    found, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```console"
        elif inside and line.startswith("$ "):
            found.append((number, line[2:], []))
        elif inside:
            found[-1][2].append(line)
    return found


def plain(line):
    """A line without the parts that depend on the machine: numbers, names of classes, widths of columns, links."""
    line = re.sub(r"http://127\.0\.0\.1\S+", "LINK", line)
    line = re.sub(r"\b(?:%s)(/\w+\.png)?\b" % "|".join(CLASSES), "NAME", line)
    line = re.sub(r"NAME(?: NAME)+", "NAME", line)
    line = re.sub(r"(?:< )?[-+±]?\d[\d,.]*(?:e-?\d+)?", "#", line)
    line = re.sub(r"# \(# – #\)", "# #", line)  # a column has ± or both ends, depending on the numbers
    line = re.sub(r"(?:overfit-scaled|overfit|standard|shape)(?: (?:overfit-scaled|overfit|standard|shape))+", "MODELS", line)
    line = re.sub("[█▉▊▋▌▍▎▏]+|✓", "", line)
    line = re.sub("─+", "─", line)
    return " ".join(line.split())


def differs(shown, printed):
    """The first shown line that is not printed in its place, or None. `...` matches any lines, and a blank line is ignored."""
    printed = [text for text in map(plain, printed) if text]
    shown = [text for text in map(plain, shown) if text]
    at, loose = 0, False
    for line in shown:
        if line == "...":
            loose = True
            continue
        places = range(at, len(printed)) if loose else range(at, min(at + 1, len(printed)))
        place = next((i for i in places if printed[i] == line), None)
        if place is None:
            return line
        at, loose = place + 1, False
    return None if loose or at == len(printed) or not shown else f"nothing, but `{printed[at]}` is printed"


def run(page, program, demo):
    """Returns the problems of one page, each with its line."""
    problems, status = [], 0
    commands = commands_of(page.read_text())
    with tempfile.TemporaryDirectory(prefix="assay-tutorial-") as scratch:
        folder = pathlib.Path(scratch).resolve()
        (folder / "bin").mkdir()
        (folder / "bin/assay").symlink_to(program)
        (folder / "assay-demo").symlink_to(demo)
        environment = {**os.environ, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
        for i, (line, command, shown) in enumerate(commands):
            if command == "assay demo":
                continue  # DEMO is the result of this command
            if command.startswith("assay serve "):
                out, said, status = servers.serve(command, folder, environment)
            else:
                done = subprocess.run(["bash", "-c", f"(exit {status}); {command}"], cwd=folder, env=environment, capture_output=True, text=True)
                out, said, status = done.stdout, done.stderr, done.returncode
            followed = i + 1 < len(commands) and commands[i + 1][1] == "echo $?"
            if status and not followed:
                problems.append(f"{page.name}:{line}: `{command}`: status {status}: {said.strip()}")
                break
            wrong = differs(shown, out.splitlines())
            if wrong is not None:
                problems.append(f"{page.name}:{line}: `{command}`: the page shows {wrong}\n{out}")
            if command == "echo $?" and shown != out.splitlines():
                problems.append(f"{page.name}:{line}: the page shows status {' '.join(shown)}, and it is {out.strip()}")
    print(f"{page.name}: {len(commands)} commands, {len(problems)} problems")
    return problems if commands else [f"{page.name}: no commands"]


def readme(program, demo):
    """Returns the problems of the README's first block. Its headings are compared with those of `assay eval` on another
    model."""
    text = (DOCS.parent / "README.md").read_text()
    shown = re.search(r"^```\n\$ assay eval [^\n]+\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL)[1].splitlines()
    headings = [plain(line) for line in shown if line and not re.match(r"mobilenet|n\d+/", line)]
    with tempfile.TemporaryDirectory(prefix="assay-tutorial-") as folder:
        done = subprocess.run([program, "eval", demo / "models/standard.pt", demo / "images/v1"], cwd=folder, capture_output=True, text=True)
    printed = {plain(line) for line in done.stdout.splitlines()}
    print(f"README.md: {len(headings)} lines of the screen")
    return [f"README.md: `{line}` is not a line of `assay eval`\n{done.stdout}{done.stderr}" for line in headings if line not in printed]


def main(arguments):
    if len(arguments) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    program, demo = (pathlib.Path(argument).resolve() for argument in arguments[:2])
    pages = [DOCS / name for name in arguments[2:]] or sorted(DOCS.glob("tutorial-*.md"))
    problems = [problem for page in pages for problem in run(page, program, demo)]
    if len(arguments) == 2:
        problems += readme(program, demo)
    for problem in problems:
        print(problem)
    return 1 if problems or not pages else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
