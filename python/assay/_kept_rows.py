"""Rows that metrics keep, because some of them need a second pass over all rows."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional, Sequence

from ._arrays import Held, HeldSets
from ._library import Error

_DTYPES = {"f2": "float16", "f4": "float32", "f8": "float64"}


def array_of(numbers: Held) -> Any:
    """A copy of the numbers as a NumPy array of the same values. bfloat16 becomes float32."""
    import numpy

    kind = numbers.kind
    size = int(kind[-1])
    shape, strides = numbers.shape, tuple(numbers.array.strides[: len(numbers.shape)])
    if 0 in shape:
        return numpy.zeros(shape, _DTYPES.get(kind, "float32") if "f" in kind else kind)
    # Strides may be negative, so the memory reaches from the lowest address of any element to the highest.
    first = numbers.array.data + sum(min(0, stride * (count - 1)) for stride, count in zip(strides, shape))
    last = numbers.array.data + sum(max(0, stride * (count - 1)) for stride, count in zip(strides, shape)) + size
    import ctypes

    memory = (ctypes.c_char * (last - first)).from_address(first)
    view: Any = numpy.ndarray(shape, "u2" if kind == "bf2" else kind, memory, numbers.array.data - first, strides)
    if kind == "bf2":
        return (view.astype("u4") << 16).view("f4")
    return view.copy()


class _Plain(NamedTuple):
    """An array in a pickle, without NumPy: pickled arrays of NumPy 2 cannot be read by NumPy 1."""

    kind: str
    shape: "tuple[int, ...]"
    data: bytes


def _plain_of(value: Any) -> Any:
    return _Plain(value.dtype.str, value.shape, value.tobytes()) if hasattr(value, "dtype") else value


def _array_of_plain(value: Any) -> Any:
    import numpy

    return numpy.frombuffer(value.data, value.kind).reshape(value.shape).copy() if isinstance(value, _Plain) else value


class KeptRows:
    """Copies of the batches: scores, targets, label sets, the rows' numbers and the items' weights. They need as much memory as the
    scores."""

    def __init__(self) -> None:
        self.batches: "list[tuple[Any, ...]]" = []  # scores, targets, label sets, row numbers, weights

    def __getstate__(self) -> "dict[str, Any]":
        return {"batches": [tuple(map(_plain_of, batch)) for batch in self.batches]}

    def __setstate__(self, state: "dict[str, Any]") -> None:
        self.batches = [tuple(map(_array_of_plain, batch)) for batch in state["batches"]]

    def check_weights(self, weights: Any) -> None:
        """Raises an error if only some batches have weights, before anything of a batch is kept."""
        if self.batches and (self.batches[0][4] is None) != (weights is None):
            raise Error("sample_weight: some batches have weights and some have none; pass weights of 1 for these")

    def add(self, scores: Held, targets: Optional[Held], sets: Optional[HeldSets], rows: "Optional[Sequence[int]]", weights: Any = None) -> None:
        self.batches.append((
            array_of(scores), None if targets is None else array_of(targets).astype("i8"), None if sets is None else sets.lists(),
            None if rows is None else list(rows), weights,
        ))

    def copied(self) -> "KeptRows":
        """A copy that later batches do not change."""
        other = KeptRows()
        other.batches = list(self.batches)
        return other

    def measured(self, options: "dict[str, Any]", classes: Any) -> Any:
        """The report of score() for all rows, in the order of their numbers if they have any."""
        import numpy

        from ._score import score

        if not self.batches:
            raise Error("there was no batch yet")
        scores, targets, sets, rows, weights = zip(*self.batches)
        all_scores = numpy.concatenate(scores)
        all_targets = None if targets[0] is None else numpy.concatenate(targets)
        all_sets = None if sets[0] is None else [members for batch in sets for members in batch]
        all_weights = None if weights[0] is None else numpy.concatenate(weights)
        if rows[0] is not None:
            order = numpy.argsort(numpy.array([row for batch in rows for row in batch], dtype="u8"), kind="stable")
            all_scores = all_scores[order]
            all_targets = None if all_targets is None else all_targets[order]
            all_sets = None if all_sets is None else [all_sets[i] for i in order]
            all_weights = None if all_weights is None else all_weights[order]
        given = {name: value for name, value in options.items() if name not in ("metrics", "classes", "kind")}
        return score(
            all_scores, all_targets, options["metrics"] or None, label_sets=all_sets, classes=classes, kind=options["kind"] or None,
            sample_weight=all_weights, **given,
        )


__all__ = ["KeptRows", "array_of"]
