"""Writes python/assay/_command_options.py, which has the options of the commands behind the Python functions as types. They are read from --help-all.

ASSAY_WRITE=1 python3 tests/python/run.py test_types writes it; otherwise the test compares.
"""
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILE = ROOT / "python/assay/_command_options.py"
# Options that the functions set themselves (output, model and data).
OWN = {"help", "help_all", "quiet", "format", "json", "csv", "output", "also", "model", "data", "out"}
# The name of the type, the arguments of the command, and the parameters of the function that are options of the command.
TYPES = {
    "Predict": ("predict", ()), "Attack": ("attack", ()), "Certify": ("certify", ()), "Check": ("check", ()), "Corrupt": ("corrupt", ()), "Cost": ("cost", ()), "Eval": ("eval", ()),
    "Robustness": ("robustness", ("clean",)), "Calibrate": ("calibrate", ("layer",)), "Audit": ("audit", ()), "Slices": ("slices", ()),
    "Ensemble": ("ensemble", ("name",)),
    "Aggregate": ("labels aggregate", ()), "Propose": ("labels propose", ()), "Compose": ("patchml", ("boxes",)),
    "Adjust": ("replicate adjust", ("hits",)), "Match": ("replicate match", ()), "Plan": ("replicate plan", ("hits",)),
    "QualityRun": ("quality run", ("plan",)), "Measure": ("quality measure", ()), "QualityScore": ("quality score", ()),
    "Correlate": ("quality correlate", ()), "Choose": ("quality choose", ()),
    "MadInit": ("mad init", ()), "MadSelect": ("mad select", ()), "MadQuestions": ("mad questions", ()), "MadAnswers": ("mad answers", ()),
    "MadRank": ("mad rank", ()), "MadStatus": ("mad status", ()), "MadAdd": ("mad add", ()),
}
HEAD = '''"""Keywords of functions that run a command: its options, as `--help-all` lists them. tests/python/command_options.py writes this file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, TypedDict, Union

Flag = Optional[bool]
Value = Union[None, str, int, float, "os.PathLike[str]", "Sequence[Any]", "Mapping[str, Any]"]
'''
_OPTION = re.compile(r"^ {2,6}(?:-\w,)?(--[\w-]+(?:,--[\w-]+)*)(.*)$")


def options_of(program, words):
    """Returns options as {name: whether it is a flag}, in the order of the help."""
    done = subprocess.run([program, *words.split(), "--help-all"], capture_output=True, text=True, env={**os.environ, "COLUMNS": "100"})
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        option = _OPTION.match(line)
        if option is None:
            continue
        names, rest = option.groups()
        flag = not rest.strip() or rest.startswith("  ") or re.match(r" (Excludes|Needs|REQUIRED)\b", rest) is not None
        for name in names.split(","):
            found[name[2:].replace("-", "_")] = flag
    return found


def text(program):
    parts = [HEAD]
    for name, (words, parameters) in TYPES.items():
        lines = [f"\n\nclass {name}Options(TypedDict, total=False):\n    # assay {words}\n"]
        for option, flag in options_of(program, words).items():
            if option not in OWN and option not in parameters:
                lines.append(f"    {option}: {'Flag' if flag else 'Value'}\n")
        if len(lines) == 1:
            lines.append("    pass\n")
        parts.append("".join(lines))
    listed = "".join(f'    "{words}": {name}Options,\n' for name, (words, _) in TYPES.items())
    parts.append(f'\n\nCOMMANDS: "dict[str, Any]" = {{  # by the words of the command\n{listed}}}\n')
    return "".join(parts)
