"""Weights from a file (.pth, .pt, .bin, .safetensors) into an architecture. Pickled code in a file is never run (weights_only=True)."""

from __future__ import annotations

import os
import struct
import zipfile
import zlib
from typing import Any, Optional

from .models import Model
from .objects import safe_name
from .wire import Refused

# Keys under which training programs save the state dict, the most specific first.
_PLACES = ("model_state_dict", "state_dict_ema", "model_ema", "state_dict", "model", "net", "module")
_PREFIXES = ("module.", "_orig_mod.", "model.", "net.")  # prefixes of DistributedDataParallel, torch.compile, Lightning
_SHOWN = 5
_PIECE = 1 << 22  # bytes


def read_state(path: str, notes: "list[str]") -> "dict[str, Any]":
    """The tensors of a checkpoint by name; notes: names the set that was used. Raises Refused if it is damaged, a pickled program, or has
    no state dict."""
    import torch

    if not os.path.isfile(path):
        raise Refused(f"no checkpoint {path}")
    if path.endswith(".safetensors"):
        from .hubs import package

        package("safetensors.torch", "torch safetensors")
        from safetensors.torch import load_file

        try:
            return dict(load_file(path))
        except Exception as error:
            raise Refused(f"{path} is damaged, or not a safetensors file: {_line(error)}")
    _check_checksums(path, notes)
    try:
        found = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:
        if "weights_only" in str(error) or "Unsupported" in str(error):
            raise Refused(
                f"{path} contains a pickled program, which Assay does not run. If you trust it, save its state_dict(), or load "
                f"it in a file of yours "
                f"(python:FILE.py:NAME). PyTorch says: {_line(error)}"
            )
        raise Refused(f"{path} is damaged, or not a PyTorch checkpoint: {_line(error)}")
    return _tensors_in(found, path, notes)


def _check_checksums(path: str, notes: "list[str]") -> None:
    """Checks the zip file's checksums, because torch.load() accepts changed weights silently. Raises Refused if an entry has changed.
    notes: says if there was nothing to compare."""
    try:
        if not zipfile.is_zipfile(path):
            return  # saved before PyTorch 1.6, or with _use_new_zipfile_serialization=False: without checksums
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            # PyTorch without checksums (torch.serialization.set_crc32_options(False)) records 0 for every entry.
            if not any(entry.CRC for entry in entries) and any(entry.filename.endswith("/.data/serialization_id") for entry in entries):
                notes.append(f"{path} was saved without checksums, so damage to its weights cannot be detected")
                return
            for entry in entries:
                with archive.open(entry) as file:
                    while file.read(_PIECE):  # zipfile compares the checksum at the end
                        pass
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, OSError, RuntimeError, ValueError) as error:
        raise Refused(f"{path} is damaged: {_line(error)}; copy or download it again")


def _line(error: Exception) -> str:
    return " ".join(str(error).split())[:300]


def _tensors_in(found: Any, path: str, notes: "list[str]") -> "dict[str, Any]":
    import torch

    for _ in range(3):
        if not isinstance(found, dict):
            break
        if found and all(isinstance(value, torch.Tensor) for value in found.values()):
            return found
        places = [place for place in _PLACES if isinstance(found.get(place), dict)]
        if not places:
            tensors = {key: value for key, value in found.items() if isinstance(value, torch.Tensor)}
            if len(tensors) > 1:
                return tensors
            break
        if len(places) > 1:
            notes.append(f"{path} has several sets of weights: using those in {places[0]}, not those in {' or '.join(places[1:])}")
        found = found[places[0]]
    keys = ", ".join(map(str, list(found)[:8])) if isinstance(found, dict) else type(found).__name__
    raise Refused(f"{path} has no state dict: it has {keys}; Assay looks at the top level and in {', '.join(_PLACES)}")


def fitted(state: "dict[str, Any]", wanted: "set[str]") -> "dict[str, Any]":
    """The names without the prefix of a wrapper, if more of them fit without it."""
    best, most = state, len(wanted & set(state))
    for prefix in _PREFIXES:
        shorter = {(key[len(prefix):] if key.startswith(prefix) else key): value for key, value in best.items()}
        fitting = len(wanted & set(shorter))
        if len(shorter) == len(best) and fitting > most:
            best, most = shorter, fitting
    return best


def _classes_in(state: "dict[str, Any]", head: str) -> Optional[int]:
    """How many classes the last layer has, by its name in the architecture."""
    for name in (head, *(prefix + head for prefix in _PREFIXES)):
        if head and name in state:
            return int(state[name].shape[0])
    return None


def _listed(names: "list[str]") -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more


def _misfit(module: Any, state: "dict[str, Any]") -> str:
    """Which keys of a state dict do not fit; "": all do."""
    wanted = module.state_dict()
    parts = []
    missing = [name for name in wanted if name not in state and not name.endswith("num_batches_tracked")]
    if missing:
        parts.append(f"{len(missing)} of its {len(wanted)} keys are missing in the file: {_listed(missing)}")
    unexpected = [name for name in state if name not in wanted]
    if unexpected:
        parts.append(f"{len(unexpected)} keys of the file are unknown to it: {_listed(unexpected)}")
    shapes = [
        f"{name} is {tuple(state[name].shape)} in the file, {tuple(wanted[name].shape)} in the architecture"
        for name in wanted if name in state and hasattr(wanted[name], "shape") and wanted[name].shape != state[name].shape
    ]
    if shapes:
        parts.append(f"{len(shapes)} tensors have another shape: {_listed(shapes)}")
    return "; ".join(parts)


def loaded(source: Any, path: str) -> Model:
    """The architecture of a source with all weights of a file. If the file has another number of classes, the head is built for it."""
    from .hubs import package

    package("torch")
    notes: "list[str]" = []
    state = read_state(path, notes)
    name = f"{source.prefix}:{source.name}"
    module = source.architecture(_classes_in(state, source.head()))
    if not hasattr(module, "load_state_dict"):
        raise Refused(f"{name} is not an nn.Module, so the weights of {path} cannot be loaded")
    state = fitted(state, set(module.state_dict()))
    if not source.head() and (count := _other_head(module, state)):
        module = source.architecture(count)
    misfit = _misfit(module, state)
    if misfit:
        raise Refused(f"{path} does not fit {name}: {misfit}")
    module.load_state_dict(state, strict=False)  # only counters of batch norms may be missing
    stem = os.path.splitext(os.path.basename(path))[0]
    model: Model = source.made(module, safe_name(stem))
    model.description.notes += notes
    return model


def _other_head(module: Any, state: "dict[str, Any]") -> Optional[int]:
    """The number of rows of the last matrix and its bias, if nothing else differs."""
    wanted = module.state_dict()
    differing = [key for key in wanted if key in state and wanted[key].shape != state[key].shape]
    sides = {(int(wanted[key].shape[0]), int(state[key].shape[0])) for key in differing if wanted[key].dim() and state[key].dim()}
    rest = all(wanted[key].shape[1:] == state[key].shape[1:] for key in differing)
    return next(iter(sides))[1] if len(sides) == 1 and rest and len(differing) <= 4 else None
