"""The process of the program `assay`: how it is found, started and stopped, and its errors."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Mapping, Optional

from ._library import Error, candidates
from ._option_names import in_python, keywords_of


def program() -> str:
    """The path of the program: ASSAY_PROGRAM, next to the library, or on the PATH."""
    if chosen := os.environ.get("ASSAY_PROGRAM"):
        return chosen
    for library in candidates():
        if os.sep not in library:
            continue
        for place in (Path(library).parent, *list(Path(library).resolve().parents)[1:4]):
            for found in (place / "assay", place / "bin" / "assay"):
                if found.is_file() and os.access(found, os.X_OK):
                    return str(found)
    if found_on_path := shutil.which("assay"):
        return found_on_path
    raise Error("the program `assay` is neither next to the library nor on the PATH; set ASSAY_PROGRAM to it", "io")


class Finished:
    """The result of a command: `status` (0 success, 1 a gate failed, 3 partial), its output, its warnings."""

    def __init__(self, arguments: "list[str]", status: int, output: str, messages: str):
        self.arguments = arguments
        self.status = status
        self.output = output
        self.messages = messages

    @property
    def json(self) -> Any:
        return json.loads(self.output)

    @property
    def warnings(self) -> "list[str]":
        marks = ("assay: warning: ", "assay: note: ")
        return [line[len(mark):] for line in self.messages.splitlines() for mark in marks if line.startswith(mark)]

    def __repr__(self) -> str:
        return f"<assay {' '.join(self.arguments)}: status {self.status}>"


def run(*arguments: Any, progress: Optional[bool] = None, check: bool = True) -> Finished:
    """Runs `assay ARGUMENTS` and waits: run("score", "runs", "--json").json. Raises Error if it fails (status 2), unless
    `check` is False.

    progress: whether to show its progress line on stderr; None: only on a terminal.
    """
    return _run(list(arguments), progress, check)


def _run(arguments: "list[Any]", progress: Optional[bool], check: bool, served: Any = None, keywords: "Optional[Mapping[str, str]]" = None) -> Finished:
    """served: models of this process (_objects.Served), which the program reaches through descriptors.

    keywords: keywords_of() the command, if the calling function takes its options as keywords. Errors then name these.
    """
    words = [os.fspath(word) if isinstance(word, os.PathLike) else str(word) for word in arguments]
    report = _error_file()
    try:
        return _finished(words, report, progress, check, served, keywords)
    finally:
        os.close(report)


def _error_file() -> int:
    """A file in memory. The program accepts no standard descriptor, which the file gets if this process has closed it."""
    file = os.memfd_create("assay-error")
    if file > 2:
        return file
    try:
        return fcntl.fcntl(file, fcntl.F_DUPFD_CLOEXEC, 3)
    finally:
        os.close(file)


def _finished(
    words: "list[str]", report: int, progress: Optional[bool], check: bool, served: Any, keywords: "Optional[Mapping[str, str]]"
) -> Finished:
    """report: a descriptor for the error of the program, with its code."""
    show = sys.stderr.isatty() if progress is None else progress
    process = subprocess.Popen(
        [program(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=None if show else subprocess.PIPE,
        start_new_session=threading.current_thread() is threading.main_thread(), pass_fds=(report, *(served.descriptors if served else ())),
        # Models given by name are loaded with this Python, unless the environment names another Python.
        env={**({"ASSAY_PYTHON": sys.executable} if sys.executable else {}), **os.environ, "ASSAY_ERROR_FD": str(report)},
    )
    if served:
        served.release()
    try:
        output, messages = process.communicate()
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)  # the command saves its results so far
        try:
            process.communicate()
        except KeyboardInterrupt:  # asked twice
            process.kill()
            process.wait()
            raise
        raise
    said = (messages or b"").decode(errors="replace")
    done = Finished(words, process.returncode, output.decode(errors="replace"), said)
    if done.status == 130:
        raise KeyboardInterrupt
    if check and done.status not in (0, 1, 3):
        error = _error_of(done, report)
        error = served.named_error(error) if served else error
        if keywords is not None:
            error = Error(in_python(error.message, keywords), error.code, [in_python(note, keywords) for note in error.notes])
        raise error from (served.error if served else None)
    return done


def _error_of(done: Finished, report: int) -> Error:
    """The error that the program has written as JSON."""
    if written := os.pread(report, os.fstat(report).st_size, 0):
        facts = json.loads(written)
        return Error(facts["message"], facts["code"], facts["notes"])
    # A signal ended the command, or another MPI process ended all processes.
    said = f": {done.messages.strip()[-1000:]}" if done.messages.strip() else ""
    return Error(f"assay {' '.join(done.arguments)} exited with status {done.status}{said}", "internal")


def truth(value: Any) -> Any:
    """A Boolean as the command spells it, true or false; anything else unchanged."""
    return str(value).lower() if isinstance(value, bool) else value


def words(options: "Mapping[str, Any]") -> "list[str]":
    """Keyword arguments as options of the command: top_k=5 is --top-k 5; True is the option alone; a list gives the option several values.

    antialias takes true or false as a word.
    """
    out: list[str] = []
    for name, value in options.items():
        flag = "--" + name.rstrip("_").replace("_", "-")
        if name == "antialias":
            value = truth(value)
        if value is None or value is False:
            continue
        if value is True:
            out.append(flag)
        elif isinstance(value, (list, tuple)):
            for one in value:
                out += [flag, os.fspath(one) if isinstance(one, os.PathLike) else str(one)]
        else:
            out += [flag, os.fspath(value) if isinstance(value, os.PathLike) else str(value)]
    return out


def called(command: str, *arguments: Any, **options: Any) -> Any:
    """The JSON of a command, for the function whose keywords are its options: errors name these."""
    return _run([*command.split(), *arguments, *words(options), "--json"], None, True, None, keywords_of(command)).json
