"""Ensembles of arrays: several predictions of each item, by several models or of changed images (test-time augmentation)."""

from __future__ import annotations

import hashlib
import os
import tempfile
from collections.abc import Mapping
from typing import Any, Optional, Sequence

from ._arrays import held
from ._inputs import shape_of
from ._labels import to_numpy, to_plain
from ._library import Error


def is_array(value: Any) -> bool:
    """Numbers in memory, and no stores: items x members x classes, or a list or dictionary of items x classes."""
    if isinstance(value, Mapping):
        return True
    if isinstance(value, (list, tuple)) and value and all(len(shape_of(one) or ()) == 2 for one in value):
        return True
    return not isinstance(value, (str, os.PathLike)) and len(shape_of(value) or ()) > 0 and not _are_stores(value)


def _are_stores(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(one, (str, os.PathLike)) or hasattr(one, "path") for one in value)


def _matrix_of(scores: Any, what: str) -> Any:
    """Scores as an array of NumPy. Refuses what score() refuses."""
    held(to_plain(scores), what)
    return to_numpy(scores, what)


def members_of(value: Any, name: str) -> "dict[str, Any]":
    """{member: items x classes}."""
    if isinstance(value, Mapping):
        found = {str(member): _matrix_of(scores, f"scores of `{member}`") for member, scores in value.items()}
    elif isinstance(value, (list, tuple)) and value and len(getattr(value[0], "shape", ())) == 2:
        found = {f"{name}-member{i + 1}": _matrix_of(scores, f"scores of member {i + 1}") for i, scores in enumerate(value)}
    else:
        array = to_numpy(value, "scores")
        if array.ndim != 3:
            raise Error(f"scores: an array of {array.ndim} dimensions; items x members x classes are needed (N x T x C)", "bad_input")
        found = {f"{name}-view{t + 1}": array[:, t] for t in range(array.shape[1])}
    for member, scores in found.items():
        if scores.ndim != 2 or scores.dtype.kind != "f":
            raise Error(f"scores of `{member}`: an array of {scores.dtype} of shape {scores.shape}; floats of items x classes are needed", "bad_input")
    shapes = {scores.shape for scores in found.values()}
    if len(shapes) > 1:
        raise Error(f"scores: members of shapes {', '.join(map(str, sorted(shapes)))}; one shape is needed", "bad_input")
    if len(found) < 2:
        raise Error(f"scores: {len(found)} member; an ensemble has two or more", "bad_input")
    return found


def ensemble_of(
    value: Any, labels: Any, name: str, runs: "str | os.PathLike[str] | None", dataset: str, ids: "Optional[Sequence[Any]]", classes: Any,
    kind: Optional[str], options: "dict[str, Any]",
) -> Any:
    """Stores the members, and their mean next to them."""
    import numpy

    from .command import called
    from .store import Store, StoreWriter

    members = members_of(value, name)
    if kind is None:
        kinds = {Store.of(scores).kind for scores in members.values()}
        kind = kinds.pop() if len(kinds) == 1 else "logits"
    items, count = next(iter(members.values())).shape
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        where = folder if runs is None else os.fspath(runs)
        paths = []
        for member, scores in members.items():
            scores = numpy.ascontiguousarray(scores)
            with StoreWriter(
                where, dataset=dataset, model=member, ids=list(map(str, range(items))) if ids is None else ids, labels=labels, classes=classes,
                num_classes=count, kind=kind, identity=hashlib.sha256(scores.tobytes() + str(scores.dtype).encode()).hexdigest(),
            ) as writer:
                for begin, end in writer.batches(4096):
                    writer.write(begin, scores[begin:end])
            paths.append(writer.path)
        found = called("ensemble", *paths, "--name", name, **options)
        found["scores"] = numpy.array(Store(found["store"]).scores())
        if runs is None:
            for facts in (found, *found["members"]):
                del facts["store"]
    return found


__all__ = ["ensemble_of", "is_array", "members_of"]
