"""assay.quality.run: an assay.toml of models and data sets of this process, and `assay quality run` over it."""

from __future__ import annotations

import difflib
import json
import os
import tempfile
import warnings
from typing import Any, Optional

from ._class_files import with_class_file
from ._datasets import folder_of, is_words
from ._library import Error
from ._objects import HUBS, KEYS, LISTS, Served
from ._option_names import keywords_of

# Keys of assay.toml: at its top, in [quality] and in [[model]] (docs/assay.toml.md, docs/models.md). A test compares them with the
# program's.
RUN = (
    "storage", "batch", "shard_rows", "threads", "max_pixels", "image_memory", "no_trial", "retry_failed", "device", "isolate", "precision",
    "model_timeout", "offline", "templates", "runtime", "plugin",
)
QUALITY = (
    "corruptions", "corruption_limit", "frost", "corruption_seed", "corruption_resize", "corruption_crop", "corruption_jpeg", "corrupted_transform",
    "attacks", "attack_limit", "attack_eps", "attack_space", "checks", "own_class_sketch", "level",
)
MODEL = (
    "preset", "input_size", "interpolation", "crop_pct", "crop_mode", "resize_size", "resize_as", "antialias", "crop_start", "channel_order", "scale", "mean",
    "std", "fill", "num_classes", "outputs", "output", "classes", "train_size", "sidecar",
)
DRAW = ("draw_models", "draw_seed", "published")  # options of a pattern such as timm:resnet*
ROLES = ("val", "r", "sketch", "stylized", "edge", "silhouette", "mixed-same", "mixed-rand", "cue-conflict")
_PATHS = ("frost", "plugin", "sidecar", "published")


def _toml(value: Any) -> str:
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if hasattr(value, "tolist"):  # of NumPy
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, (bool, int, float)):
        return json.dumps(value)
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


def _lines(values: "dict[str, Any]") -> "list[str]":
    return [f"{key} = {_toml(value)}" for key, value in values.items() if value is not None]


def _whole(value: Any) -> Any:
    """Makes paths absolute, because paths in the file are relative to the file."""
    if isinstance(value, (list, tuple)):
        return [_whole(one) for one in value]
    path, colon, name = os.fspath(value).partition(":")  # plugin: FILE:NAME
    return os.path.abspath(path) + colon + name


def _whole_model(word: str) -> str:
    """A model's file, or the FILE.py of python:FILE.py:NAME, with its whole path."""
    kind, colon, rest = word.partition(":")
    if kind == "python" and ":" in rest:
        file, _, name = rest.rpartition(":")
        return f"python:{os.path.abspath(file)}:{name}"
    return word if colon and kind in ("process", *HUBS) else os.path.abspath(word)


def _refuse_unknown(options: "dict[str, Any]") -> None:
    known = sorted({*RUN, *QUALITY, *MODEL, *DRAW, *KEYS})
    for key in options:
        if key not in known:
            near = difflib.get_close_matches(key, known, 1)
            what = f"did you mean {near[0]}=?" if near else "see docs/assay.toml.md, and docs/models.md for options of models"
            raise Error(f"assay.quality.run has no option {key}=; {what}", "usage")


def _folder(role: str, value: Any) -> "tuple[str, Any]":
    """The path of a role's images, and the transform of an ImageFolder."""
    if is_words(value) and isinstance(value, (str, os.PathLike)):
        return os.path.abspath(os.fspath(value)), None
    folder = folder_of(value) if hasattr(value, "samples") else None
    if folder is None:
        raise Error(f"data of the role {role} is a {type(value).__name__}; assay.quality.run reads files: pass the folder's path, or an ImageFolder")
    return os.path.abspath(folder.path), folder.transform


def _roles_of(data: Any) -> "dict[str, tuple[str, Any]]":
    if not isinstance(data, dict):
        data = {"val": data}
    found: "dict[str, tuple[str, Any]]" = {}
    for key, value in data.items():
        role = str(key).replace("_", "-")
        if role not in ROLES:
            near = difflib.get_close_matches(role, ROLES, 1)
            raise Error(f"unknown role {key!r}{f'; did you mean {near[0]}?' if near else ''} ({', '.join(ROLES)})", "usage")
        if role in found:
            raise Error(f"data= has the role {role} twice", "usage")
        if value is not None:
            found[role] = _folder(role, value)
    if "val" not in found:
        raise Error("data= needs the role val, the clean images: {\"val\": \"imagenet/val\", ...}", "usage")
    return found


def _use_transforms(roles: "dict[str, tuple[str, Any]]", options: "dict[str, Any]", progress: Optional[bool]) -> None:
    """The preprocessing of all data sets: the transform of a data set, unless options replace it."""
    from .command import _settings_of

    transforms = {role: transform for role, (_, transform) in roles.items() if transform is not None}
    if not transforms:
        return
    texts = {role: repr(transform) for role, transform in transforms.items()}
    first = next(iter(texts))
    for role, text in texts.items():
        if text != texts[first]:
            raise Error(
                f"the transforms of {first} and {role} differ, but models must see all data sets alike: pass paths and the preprocessing "
                "(weights=, transform=, preset=)", "usage"
            )
    if not _settings_of(transforms[first], options, progress):
        raise Error(f"the transform of {first} cannot be read as settings: pass paths and the preprocessing (transform=, preset=)", "usage")


def _listed(value: Any) -> Any:
    """Formats a list for the command: "0.5,0.5,0.5"."""
    if not isinstance(value, str):
        return value
    try:
        return [float(part) if "." in part or "e" in part.lower() else int(part) for part in value.split(",")]
    except ValueError:
        return value


def _run_toml(file: str, runs: Any, progress: Optional[bool], options: "dict[str, Any]") -> Any:
    from .command import _run, words

    out = [] if runs is None else ["--out", runs]
    return _run(["quality", "run", file, *out, *words(options), "--json"], progress, True, None, keywords_of("quality run"))


def _finished(done: Any, frames: int) -> Any:
    """Returns the JSON of a finished command. Warnings name the line that calls quality.run(). frames: the number of calls between."""
    if done.status == 3:
        found = "; ".join(done.json.get("warnings", [])[:3]) or "see its warnings"
        warnings.warn(f"the result is partial: {found}", RuntimeWarning, stacklevel=frames)
    return done.json


def run(models: Any, data: Any, runs: Any, plan: bool, progress: Optional[bool], options: "dict[str, Any]") -> Any:
    if data is None:
        if not isinstance(models, (str, os.PathLike)) or not os.fspath(models).endswith(".toml"):
            raise Error("data= is missing: {\"val\": \"imagenet/val\", \"sketch\": ...}; or pass only the path of an assay.toml", "usage")
        return _finished(_run_toml(os.fspath(models), runs, progress, {**options, "plan": plan}), 4)
    _refuse_unknown(options)
    roles = _roles_of(data)
    _use_transforms(roles, options, progress)
    options = {key: value for key, value in options.items() if value is not None}
    for key in _PATHS:
        if key in options:
            options[key] = _whole(options[key])
    if isinstance(options.get("classes"), (str, os.PathLike)) and options["classes"] != "imagenet":
        options["classes"] = os.path.abspath(os.fspath(options["classes"]))
    with with_class_file(options) as given:
        return _run_with(models, roles, runs, plan, progress, dict(given))


def _run_with(
    models: Any, roles: "dict[str, tuple[str, Any]]", runs: Any, plan: bool, progress: Optional[bool], options: "dict[str, Any]"
) -> Any:
    of_models = {key: options.pop(key) for key in (*MODEL, *DRAW) if key in options}
    of_models = {key: _listed(value) if key in LISTS else value for key, value in of_models.items()}
    of_quality = {key.replace("_", "-"): options.pop(key) for key in QUALITY if key in options}
    with Served(models, options) as served, tempfile.TemporaryDirectory(prefix="assay-") as folder:
        top = {"out": os.path.abspath(os.fspath("runs" if runs is None else runs)), **options}
        text = _lines(top)
        for i, word in enumerate(served.models_as_words):
            text += ["[[model]]", *_lines({"path": _whole_model(word), **_of_one(served, i, of_models)})]
        text += ["[quality]", *_lines({**of_quality, **{role: path for role, (path, _) in roles.items()}})]
        file = os.path.join(folder, "assay.toml")
        with open(file, "w", encoding="utf-8", errors="surrogateescape") as out:
            out.write("\n".join(text) + "\n")
        return _finished(_started(file, served, plan, progress), 5)


def _of_one(served: Served, i: int, of_models: "dict[str, Any]") -> "dict[str, Any]":
    """Keys of one [[model]]."""
    pattern = served.texts[i] is not None and served.is_pattern(i)
    if served.names is not None and pattern:
        raise Error(f"{served.texts[i]} matches several models: omit its name and pass a list", "usage")
    name = {} if served.names is None else {"name": served.names[i]}
    return {**name, **{key: value for key, value in of_models.items() if pattern or key not in DRAW}}


def _started(file: str, served: Served, plan: bool, progress: Optional[bool]) -> Any:
    from .command import _run

    try:
        return _run(["quality", "run", file, *(["--plan"] if plan else []), "--json"], progress, True, served, keywords_of("quality run"))
    except Error as error:  # the temporary file no longer exists, so messages must not name it
        notes = [note for note in error.notes if file not in note]
        raise Error(error.message.replace(f"`{file}`", "the run"), error.code, notes) from error.__cause__


__all__ = ["run"]
