"""Passes soft labels from memory to the library, which reads a file, and checks them first, so that messages name the argument."""

from __future__ import annotations

import contextlib
import os
import tempfile
from typing import TYPE_CHECKING, Any, Iterator, Optional, Sequence

from ._labels import to_numpy
from ._library import Error

if TYPE_CHECKING:
    from .store import Store

_NAME = "soft_labels"


def _checked(value: Any, votes: bool, stores: "Sequence[Store]", classes: "Optional[int]") -> Any:
    """The rows in float64. classes: the number of columns; None if a class map chooses it."""
    import numpy

    matrix = to_numpy(value, _NAME)
    try:
        matrix = matrix.astype(float)
    except (TypeError, ValueError) as error:
        raise Error(f"{_NAME}: {error}; allowed: one row of numbers per item") from None
    if matrix.ndim != 2:
        raise Error(f"{_NAME}: an array of {matrix.ndim} dimensions; allowed: one row per item with one column per class")
    for store in stores:
        if len(matrix) != len(store):
            raise Error(f"{_NAME}: {len(matrix)} rows for {len(store)} items; one row per item is needed", "bad_input")
    if classes is not None and matrix.shape[1] != classes:
        raise Error(f"{_NAME}: {matrix.shape[1]} columns for {classes} classes; one column per class is needed", "bad_input")
    wrong = numpy.argwhere(~(numpy.isfinite(matrix) & (matrix >= 0)))
    if len(wrong):
        row, column = wrong[0]
        raise Error(f"{_NAME}: {matrix[row, column]} at row {row}, class {column}; allowed: finite numbers from 0", "bad_input")
    sums = matrix.sum(axis=1)
    others = numpy.flatnonzero((abs(sums - 1) > 0.01) & (sums != 0))
    if others.size and not votes:
        raise Error(f"{_NAME}: row {others[0]} sums to {sums[others[0]]:.6g}, not to 1; for counts of votes, pass label_votes=True")
    return matrix


@contextlib.contextmanager
def soft_label_file(value: Any, options: "dict[str, Any]", stores: "Sequence[Store]") -> "Iterator[dict[str, Any]]":
    """The options of score() with the soft labels of these stores in a temporary file. It exists as long as the context."""
    if value is None:
        yield options
        return
    if options.get("labels") is not None:
        raise Error("soft_labels and a file of labels exclude each other: pass one of them")
    import numpy

    matrix = _checked(value, bool(options.get("label_votes")), stores, None if options.get("class_map") else stores[0].classes)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "soft_labels.npy")
        numpy.save(path, matrix)
        try:
            # Without label_votes, rows with a single class of weight 1 would be read as label sets.
            yield {**options, "labels": path, "label_votes": True}
        except Error as error:  # the library knows only the file
            if folder not in str(error):
                raise
            notes = [note.replace(path, _NAME) for note in error.notes]
            raise Error(error.message.replace(path, _NAME), error.code, notes) from None


__all__ = ["soft_label_file"]
