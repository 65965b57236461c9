"""Classes and confusions of a report's store as arrays."""

from __future__ import annotations

from typing import Any, Optional

from ._library import Error

_NORMALIZED = ("true", "pred", "all")


def _counts(store: "dict[str, Any]") -> "tuple[int, int]":
    """The number of items in the classes, and the sum of the correct predictions and the confusions."""
    classes = store.get("per_class") or []
    return (
        sum(c["accuracy"]["n"] for c in classes),
        sum(c["correct"] for c in classes) + sum(c["count"] for c in store.get("confusions") or []),
    )


def is_whole(store: "dict[str, Any]") -> bool:
    """Whether the JSON has every class and every confusion."""
    if "per_class" not in store or "confusions" not in store:
        return False
    items, explained = _counts(store)
    return items == explained


def confusion_matrix_of(store: "dict[str, Any]", normalize: Optional[str]) -> Any:
    """Labels x predictions. A prediction that maps to no class is not counted in any column."""
    import numpy

    if normalize is not None and normalize not in _NORMALIZED:
        raise Error(f"normalize={normalize!r}; allowed: {', '.join(map(repr, _NORMALIZED))}, or None for counts")
    classes = store["per_class"]
    number = {c["id"]: i for i, c in enumerate(classes)}
    matrix = numpy.zeros((len(classes), len(classes)), numpy.int64)
    for i, c in enumerate(classes):
        matrix[i, i] = c["correct"]
    for c in store["confusions"]:
        if c["predicted"] is not None:
            matrix[number[c["truth"]], number[c["predicted"]]] = c["count"]
    if normalize is None:
        return matrix
    sums = matrix.sum() if normalize == "all" else matrix.sum(axis=1 if normalize == "true" else 0, keepdims=True)
    return numpy.divide(matrix, sums, out=numpy.zeros(matrix.shape), where=sums != 0)


def per_class_of(store: "dict[str, Any]") -> "dict[str, Any]":
    """The results of each class (recall, precision, ...), as arrays by name."""
    import numpy

    matrix = confusion_matrix_of(store, None)
    hits = numpy.diag(matrix)
    items = numpy.array([c["accuracy"]["n"] for c in store["per_class"]], numpy.int64)
    predicted = matrix.sum(axis=0)

    def ratio(above: Any, below: Any) -> Any:
        return numpy.divide(above, below, out=numpy.full(len(items), numpy.nan), where=below != 0)

    return {
        "class": numpy.array([c["name"] for c in store["per_class"]], dtype=object),
        "n": items,
        "recall": ratio(hits, items),
        "precision": ratio(hits, predicted),
        "f1": ratio(2 * hits, items + predicted),
    }


__all__ = ["confusion_matrix_of", "is_whole", "per_class_of"]
