"""Runs the commands of README.md and docs/, except the tutorials, on small made-up files with the names that the pages use.

usage: guides.py PROGRAM IMAGES SOURCE [PAGE ...]      IMAGES: a folder from the tool shape_images; PAGE: default all

A command is a line of a block that begins with `assay`, or with a word of OTHERS. A line that ends in a backslash continues on the next line.
The commands of a page run from top to bottom in one folder, with a new one for a chapter about other data. All must end with status 0,
except those of FAILS. guide_worlds.py makes the files that a page assumes, and no file that one of its commands makes. A server
gets one set of answers from each annotator, and is interrupted. tutorials.py runs the tutorials.
NOT_RUN lists the commands that cannot run on one machine, each with the reason. The test Hints.TheManualsTypeOptionsThatExist checks
the options of these, too.
Status 0: all commands have run; 1: one has failed, or an entry of a list is not needed; 77: this Python has no NumPy.
"""
import concurrent.futures
import fnmatch
import importlib.util
import pathlib
import re
import subprocess
import sys
import tempfile

if importlib.util.find_spec("numpy") is None:
    print("skipped: no NumPy")
    sys.exit(77)
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import guide_answers  # noqa: E402
import guide_files  # noqa: E402
import guide_label_worlds  # noqa: E402
import guide_worlds  # noqa: E402, F401
import servers  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]
OTHERS = ("for", "cc", "mpirun", "srun", "sbatch", "python", "python3", "pip", "apt", "sudo", "tar", "cmake")
HUB = "downloads a network"
INSTALL = "installs Assay; tools/test-packages and tools/test-wheel do"
CLUSTER = "needs a cluster; tests/cli/clusters.sh runs the script with a stand-in"
# Maps (page, pattern of the command) to the reason why it is not run.
NOT_RUN = {
    ("*", "* timm:*"): HUB,
    ("models.md", "* \"timm:*"): HUB,
    ("models.md", "* \"torchvision:*"): HUB,
    ("models.md", "* open_clip:*"): HUB,
    ("models.md", "*--runtime onnxruntime"): "needs the package onnxruntime; tests/cli/python_models_test.cpp runs it with a stand-in",
    ("archives.md", "*s3://*"): "needs a bucket; tests/containers/remote reads from a server",
    ("clusters.md", "mpirun *"): "needs MPI; tests/cli/mpi.sh runs it",
    ("clusters.md", "srun *"): CLUSTER,
    ("clusters.md", "sbatch *"): CLUSTER,
    ("clusters.md", "python ray_parts.py *"): "needs Ray; tests/python/test_ray.py runs it",
    ("*", "*pip install *"): INSTALL,
    ("packages.md", "apt install *"): INSTALL,
    ("packages.md", "tar *"): INSTALL,
    ("packages.md", "cmake *"): INSTALL,
    ("packages.md", "sudo tools/test-packages"): "installs packages into a bare system, as root",
    ("benchmarks.md", "*python3 bench/*"): "measures for minutes, with packages of others",
    ("robustness.md", "* --clean test_batch"): "needs 10,000 images of each severity; tests/robustness/severity_stack_test.cpp has them",
    ("tools.md", "python3 -c *"): "needs PyTorch; tests/cli/tools.py runs it",
    ("packages.md", "assay torch --*"): "compiles a plug-in; tests/cli/torch_build.sh runs it",
    ("quality.md", "assay demo *"): "trains networks; its files are made up here, and tests/cli/demo_test.cpp runs it",
}
# Maps (page, command) to the status of a command that shows an error.
FAILS = {("commands.md", "ASSAY_ERROR_FD=3 assay score runs/none 3> error.json"): 2}


def is_command(line):
    """Whether a line is typed. It may begin with variables: NAME=value assay score runs."""
    words = re.sub(r"^(?:[A-Za-z_]\w*=\S* +)+", "", line)
    return words.split(" ", 1)[0] in ("assay", *OTHERS) and " " in words


def blocks_of(text):
    """Yields (line number, lines) of each block that is fenced as shell or without a language, or indented by four blanks."""
    lines, found, at = text.splitlines(), [], 0
    while at < len(lines):
        fence = re.match(r" *```(\w*)$", lines[at])
        if fence:
            end = next(i for i in range(at + 1, len(lines)) if lines[i].strip() == "```")
            if fence[1] in ("", "sh", "bash", "console"):
                found.append((at + 2, [line.strip() for line in lines[at + 1:end]]))
            at = end + 1
        elif lines[at].startswith("    ") and not lines[at - 1].strip():
            end = at
            while end < len(lines) and (lines[end].startswith("    ") or not lines[end].strip()):
                end += 1
            found.append((at + 1, [line.strip() for line in lines[at:end]]))
            at = end
        else:
            at += 1
    return found


def commands_of(text):
    """Yields (line number, command) of each command of a page, in order."""
    found = []
    for first, lines in blocks_of(text):
        typed = any(line.startswith("$ ") for line in lines)  # the other lines are what the commands print
        going_on = False
        for number, line in enumerate(lines, first):
            if going_on:
                found[-1] = (found[-1][0], f"{found[-1][1]} {line.removesuffix(chr(92)).strip()}")
                going_on = line.endswith("\\")
                continue
            line = line[2:] if line.startswith("$ ") else "" if typed else line
            if is_command(line):
                found.append((number, line.removesuffix("\\").strip()))
                going_on = line.endswith("\\")
    return [(number, re.sub(r" +#.*", "", command)) for number, command in found]


def chapters_of(page, text):
    """Yields (name in WORLDS, commands) of a page, and of each chapter that has its own files."""
    starts = [(0, page)]
    for number, line in enumerate(text.splitlines(), 1):
        title = re.match(r"#{2,3} (.*)", line)
        if title and f"{page}#{title[1]}" in guide_files.WORLDS:
            starts.append((number, f"{page}#{title[1]}"))
    ends = [start for start, _ in starts[1:]] + [len(text)]
    commands = commands_of(text)
    return [(name, [one for one in commands if start <= one[0] < end]) for (start, name), end in zip(starts, ends)]


def reason_of(page, command):
    """The entry of NOT_RUN for a command, or None."""
    return next((entry for entry in NOT_RUN if fnmatch.fnmatchcase(page, entry[0]) and fnmatch.fnmatchcase(command, entry[1])), None)


def run_chapter(name, commands, program, images, source):
    """Returns (problems, used entries of NOT_RUN, number of commands that ran)."""
    problems, skipped, ran, page = [], set(), 0, name.split("#")[0]
    with tempfile.TemporaryDirectory(prefix="assay-guide-") as scratch:
        folder = pathlib.Path(scratch).resolve()
        world = guide_files.World(folder / "work", folder / "bin", program, images, source)
        try:
            guide_files.WORLDS.get(name, lambda _: None)(world)
        except (RuntimeError, OSError) as error:
            return [f"{name}: its files could not be made: {error}"], skipped, 0
        for number, command in commands:
            entry = reason_of(page, command)
            if entry:
                skipped.add(entry)
                continue
            ran += 1
            guide_label_worlds.BEFORE.get((page, command), lambda _: None)(world)
            if command.startswith("assay serve "):
                out, said, status = servers.serve(command, world.folder, world.environment, guide_answers.answer_all)
                said = out + said
            else:
                done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=world.folder, env=world.environment,
                                      capture_output=True, text=True)
                status, said = done.returncode, done.stdout[-2000:] + done.stderr[-2000:]
            if status != FAILS.get((page, command), 0):
                problems.append(f"{page}:{number}: `{command}`: status {status}\n{said.strip()}")
    return problems, skipped, ran


def main(arguments):
    if len(arguments) < 3:
        print(__doc__, file=sys.stderr)
        return 2
    program, images, source = (pathlib.Path(argument).resolve() for argument in arguments[:3])
    pages = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").glob("*.md") if not path.name.startswith("tutorial-"))]
    pages = [path for path in pages if not arguments[3:] or path.name in arguments[3:]]
    chapters = [chapter for path in pages for chapter in chapters_of(path.name, path.read_text()) if chapter[1]]
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        results = list(pool.map(lambda chapter: run_chapter(*chapter, program, images, source), chapters))
    problems = [problem for result in results for problem in result[0]]
    if not arguments[3:]:
        commands = {(name.split("#")[0], command) for name, found in chapters for _, command in found}
        needed = set().union(*(result[1] for result in results))
        problems += [f"NOT_RUN: no command of {page} is like `{pattern}`" for page, pattern in NOT_RUN.keys() - needed]
        problems += [f"{name}: {page} has no command `{command}`" for name, table in (("BEFORE", guide_label_worlds.BEFORE), ("FAILS", FAILS))
                     for page, command in table.keys() - commands]
        problems += [f"WORLDS: {name} has no commands, or no such title" for name in guide_files.WORLDS.keys() - {name for name, _ in chapters}]
    for problem in problems:
        print(problem)
    print(f"{len(chapters)} chapters, {sum(result[2] for result in results)} commands ran, {len(problems)} problems")
    return 1 if problems or not chapters else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
