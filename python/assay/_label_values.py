"""Labels of items as classes: whole numbers, names, vectors with a single 1."""

from __future__ import annotations

from typing import Any, Optional

from ._library import Error


def label_of(value: Any, classes: "Optional[list[str]]" = None) -> int:
    """The class of a label: a whole number, one with a fraction of zero, a class's name, or a vector with a single 1. -1: none."""
    if value is None:
        return -1
    if isinstance(value, str):
        if classes is None or value not in classes:
            raise Error(f"the label {value!r} is not one of the data set's classes" + ("" if classes else ", which have no names"), "bad_input")
        return classes.index(value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        if len(value) == 1:  # a column of labels
            return label_of(value[0], classes)
        ones = [i for i, one in enumerate(value) if one == 1]
        if len(ones) == 1 and all(one in (0, 1) for one in value):
            return ones[0]
        raise Error(
            f"a label is the vector {str(value)[:80]}: allowed: one class per image (a whole number, or a vector with a single 1)", "bad_input"
        )
    if isinstance(value, bool):
        return int(value)
    number = int(value) if isinstance(value, (int, float)) and value == value and abs(value) < 2**31 else None
    if number is None or number != value:
        raise Error(f"the label {value!r} is not a whole number", "bad_input")
    return number if number >= 0 else -1


def labels_of(values: Any, count: int, classes: "Optional[list[str]]" = None) -> "list[int]":
    """The labels of a batch."""
    if values is None:
        return [-1] * count
    listed = values.tolist() if hasattr(values, "tolist") else list(values)
    if not isinstance(listed, list) or len(listed) != count:
        raise Error(f"{len(listed) if isinstance(listed, list) else 1} labels for {count} images", "bad_input")
    return [label_of(one, classes) for one in listed]


__all__ = ["label_of", "labels_of"]
