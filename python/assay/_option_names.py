"""Options of the command that messages name, as the keyword arguments of the function that was called."""

from __future__ import annotations

import functools
import re
from typing import Mapping, Optional

from . import _command_options

# Arguments of functions that the command has as options, by command.
_ARGUMENTS: "dict[str, dict[str, str]]" = {
    **{command: {"model": "model", "data": "data", "out": "runs"} for command in ("predict", "attack", "certify", "check", "eval", "cost")},
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

# Words that messages name as values. A value with a digit, a sign inside it or quotes needs no entry.
_RESIZES = ("pillow", "torch", "opencv")
_VALUES: "dict[str, tuple[str, ...]]" = {
    "antialias": ("true", "false"), "arch": ("timm", "torchvision"), "ask": ("information", "random", "shared"),
    "attack": ("fgsm", "pgd", "autoattack", "apgd-ce", "apgd-t", "fab-t", "square", "fmn", "ddn"), "box-format": ("auto", "voc", "solution", "coco", "csv"),
    "cap-mode": ("side", "first", "shared", "official", "none"), "channel-order": ("rgb", "bgr", "gray"), "corners": ("edges",),
    "crop-mode": ("center", "squash", "border", "none"), "device": ("auto", "cpu", "cuda"),
    "distance": ("zero-one", "tree-path", "ancestor-min", "ancestor-max", "graph-closure-min", "graph-closure-max"),
    "easy-annotators": ("others",), "empty-bins": ("renormalise", "zero"), "for": ("accuracies", "differences", "both"),
    "format": ("json", "csv", "text", "env"),
    "hashed-ties": ("pair", "image"), "interpolation": ("nearest", "box", "bilinear", "hamming", "bicubic", "lanczos"), "isolate": ("auto", "on", "off"),
    "kind": ("logits", "probabilities", "log_probabilities", "percent"), "label-column": ("none",), "layout": ("auto", "folders", "flat"),
    "method": ("temperature", "vector", "per-class", "dawid-skene", "majority", "weighted", "raps", "aps", "lac"),
    "methods": ("pl", "moments", "mixture", "npmle", "jackknife", "naive"), "minus-one": ("class", "unlabelled"), "norm": ("linf",),
    "of": ("logits", "probabilities"), "outputs": ("logits", "probabilities", "log_probabilities"),
    "output-type": ("prob",), "preset": ("timm", "torchvision", "mobilenet"),
    "repeats": ("first", "last", "all", "error"), "resize-as": _RESIZES, "corrupt-resize": _RESIZES,
    "results-format": ("json",), "rule": ("probability", "rank"),
    "runtime": ("libtorch", "onnxruntime"), "scale": ("points", "probit", "logit"), "storage": ("full", "label"), "subgroups": ("present",),
    "task": ("yes-no", "grid", "labels"), "templates": ("openai",), "ties": ("standard", "dense"), "to": ("list", "object", "csv"),
    "unit": ("auto", "percent", "proportion"), "units": ("class", "image"), "votes": ("majority", "dawid-skene"),
}
# Options of which messages repeat any word that the user wrote.
_ANY_WORD = frozenset(
    "arch by classes data dataset-name draw figures hierarchy ignore-columns image-column items label-column labels list model name out output-entry "
    "positive score-columns split templates weights where".split()
)
_ENDS_VALUE = re.compile(r"[:,;.)]|$| (?:is|has|makes) (?!`)")
_NEVER_VALUES = frozenset(("alone", "and", "given", "is", "made", "names", "needs", "or"))

# Commands to type, between backticks or up to the end of their clause or line, and options with the word behind them and alternatives to it.
_PIECE = re.compile(
    r"(?<![\w-])--(?P<name>[a-z][a-z0-9-]*)"
    r"(?: (?!assay )(?P<value>'[^']*'|\"[^\"]*\"|`[^`\s]*`|-?[./~]*[\w*]+(?:[/.,:x*+@=-]+[\w*]+)*)"
    r"(?P<more>(?:(?:, | or |, or )(?!assay )[a-z][\w-]*)*))?"
    r"|`[^`]*`|\bassay [a-z]+\b(?:\\\n|.)*?(?=[;)\n]|\. |$)"
)
_KIND = re.compile(r"(?<![\w-])--kind (\w+) --force(?!\w)")
_NUMBER = re.compile(r"-?\d*\.?\d+(e-?\d+)?")
_PLACEHOLDER = re.compile(r"[A-Z][A-Z_]*")


def _is_value(option: str, word: str, after: str) -> bool:
    """Whether the word behind an option is its value, not the next word of the sentence."""
    if re.search(r"[\d_=/.,:*`'\"]", word) or _PLACEHOLDER.fullmatch(word) or word in _VALUES.get(option, ()):
        return True
    return option in _ANY_WORD and word not in _NEVER_VALUES and _ENDS_VALUE.match(after) is not None


@functools.lru_cache(maxsize=None)
def keywords_of(command: str) -> "Mapping[str, str]":
    """{"batch-size": "batch_size=", "dry-run": "dry_run=True", "out": "runs"}: the options of a command that the function for it takes."""
    found = {}
    for name, kind in _command_options.COMMANDS[command].__annotations__.items():
        flag = getattr(kind, "__forward_arg__", kind) == "Flag"
        found[name.replace("_", "-")] = f"{name}=True" if flag else f"{name}="
    return {**found, **{name: keyword for name, keyword in _OTHER_NAMES.items() if name in found}, **_ARGUMENTS.get(command, {})}


def in_python(text: str, keywords: "Optional[Mapping[str, str]]" = None) -> str:
    """The text with keyword arguments in place of options: --class-map becomes class_map=. Commands to type are unchanged.
    keywords: of keywords_of(); other options then stay. None: those of the library's functions, each option as its keyword. There is no
    force=, because scores in memory are of the kind that the call names.

    >>> in_python("omit --gate, or add --other-images: `assay list --json`")
    'omit gates=, or add other_images=True: `assay list --json`'
    >>> in_python("--layout is for folders: pass --layout flat")
    'layout= is for folders: pass layout="flat"'
    >>> in_python("pass --kind probabilities --force")
    'pass kind="probabilities"'
    >>> in_python("--limit 40 needs --list FILE, or --sample: assay predict --list FILE", {"limit": "limit=", "list": "list="})
    'limit=40 needs list=FILE, or --sample: assay predict --list FILE'
    """
    def piece(found: "re.Match[str]") -> str:
        name, value = found["name"], found["value"]
        if name is None:
            return found[0]
        if keywords is None:
            known = {**_OTHER_NAMES, **_OF_LIBRARY}.get(name) or name.replace("-", "_") + ("=True" if name in _FLAGS else "=")
        elif name in keywords:
            known = keywords[name]
        else:
            return found[0]
        if value is None or not known.endswith("=") or not _is_value(name, value, text[found.end("value") :]):
            return known if value is None else f"{known} {value}{found['more']}"
        more = re.sub(r"[a-z][\w-]*", lambda one: f'"{one[0]}"' if one[0] in _VALUES.get(name, ()) else one[0], found["more"])
        return known + (value if _PLACEHOLDER.fullmatch(value) or _NUMBER.fullmatch(value) else '"' + value.strip("'\"`") + '"') + more

    if keywords is None:
        text = _KIND.sub(r"--kind \1", text)
    return _PIECE.sub(piece, text)


__all__ = ["in_python", "keywords_of"]
