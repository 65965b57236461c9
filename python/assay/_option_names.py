"""Options of the command that messages name, as the keyword arguments of the function that was called."""

from __future__ import annotations

import functools
import re
from typing import Mapping, Optional

from . import _command_options

# Arguments of functions that the command has as options, by command. "" has those that several functions share.
_ARGUMENTS: "dict[str, dict[str, str]]" = {
    **{command: {"model": "model", "data": "data", "out": "runs"} for command in ("predict", "attack", "check", "eval", "cost")},
    "corrupt": {"data": "data", "out": "out="},
    "robustness": {"clean": "clean="},
    "calibrate": {"layer": "layer="},
    "slices": {"data": "data="},
    "ensemble": {"name": "name="},
    "patchml": {"data": "data", "boxes": "boxes", "out": "out"},
    "replicate adjust": {"hits": "hits="},
    "replicate plan": {"hits": "hits="},
    "quality run": {"model": "models", "data": "data", "out": "runs", "plan": "plan=True"},
}
_OTHER_NAMES = {"gate": "gates=", "confusion": "confusions="}
_OF_LIBRARY = {"threshold": "thresholds="}
_FLAGS = ("label-votes", "ordinal", "other-images", "per-class", "reliability")  # of the library's functions

_OPTION = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*)(?: ('[^']*'|-?\d+(?:[.,/x-]\d+)*|[\w*]+=[\d.]*\d|[A-Z][A-Z_]*(?!\w)))?")
_KIND = re.compile(r"(?<![\w-])--kind (probabilities)(?: --force)?(?!\w)")
# A command to type, between backticks or up to the end of its clause.
_COMMAND = re.compile(r"`[^`]*`|\bassay [a-z]+\b.*?(?=[;)]|\. |$)")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")


@functools.lru_cache(maxsize=None)
def keywords_of(command: str) -> "Mapping[str, str]":
    """{"batch-size": "batch_size=", "dry-run": "dry_run=True", "out": "runs"}: the options of a command that the function for it takes."""
    found = {}
    for name, kind in _command_options.COMMANDS[command].__annotations__.items():
        flag = getattr(kind, "__forward_arg__", kind) == "Flag"
        found[name.replace("_", "-")] = f"{name}=True" if flag else f"{name}="
    return {**found, **{name: keyword for name, keyword in _OTHER_NAMES.items() if name in found}, **_ARGUMENTS.get(command, {})}


def in_python(text: str, keywords: "Optional[Mapping[str, str]]" = None) -> str:
    """The text with keyword arguments in place of options: --class-map becomes class_map=. Commands to type stay.
    keywords: of keywords_of(); other options then stay. None: those of the library's functions, each option as its keyword. There is no
    force=, because scores in memory are of the kind that the call names.

    >>> in_python("omit --gate, or add --other-images: `assay list --json`")
    'omit gates=, or add other_images=True: `assay list --json`'
    >>> in_python("pass --kind probabilities --force")
    'pass kind="probabilities"'
    >>> in_python("--limit 40 needs --list FILE, or --sample: assay predict --list FILE", {"limit": "limit=", "list": "list="})
    'limit=40 needs list=FILE, or --sample: assay predict --list FILE'
    """
    def keyword(found: "re.Match[str]") -> str:
        name, value = found[1], found[2]
        if keywords is None:
            known = {**_OTHER_NAMES, **_OF_LIBRARY}.get(name) or name.replace("-", "_") + ("=True" if name in _FLAGS else "=")
        elif name in keywords:
            known = keywords[name]
        else:
            return found[0]
        if value is None or not known.endswith("="):
            return known if value is None else f"{known} {value}"
        return known + (value if value.isupper() or _NUMBER.fullmatch(value) else '"' + value.strip("'") + '"')

    def outside(part: str) -> str:
        return _OPTION.sub(keyword, _KIND.sub(r'kind="\1"', part) if keywords is None else part)

    out, at = [], 0
    for command in _COMMAND.finditer(text):
        out += [outside(text[at : command.start()]), command[0]]
        at = command.end()
    return "".join([*out, outside(text[at:])])


__all__ = ["in_python", "keywords_of"]
