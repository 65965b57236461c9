"""Scores in the forms that users pass, and how to distinguish two positional arrays."""

from __future__ import annotations

import os
import warnings
from typing import Any, NamedTuple, Optional

from ._labels import class_names, is_float, is_plain_list, labels_of, to_numpy, to_plain
from ._library import Error


_ROWS = 1000  # number of rows at a time


class Scores(NamedTuple):
    """Items x classes, or a predicted class per item, and what follows from the form."""

    array: Any
    kind: Optional[str]
    num_classes: int
    classes: Any


def shape_of(value: Any) -> "Optional[tuple[int, ...]]":
    """The shape of arrays and nested lists; None for anything else."""
    if isinstance(value, (list, tuple)):
        first = value[0] if value else None
        inner = None if isinstance(first, (str, bytes)) or first is None else shape_of(first)
        return (len(value), *(inner or ()))
    try:
        found = getattr(value, "shape", None)
    except RuntimeError:  # a nested tensor of PyTorch has no shape
        return None
    if found is None and type(value).__module__.startswith("pyarrow"):
        return (len(value),)
    try:
        return None if found is None else tuple(int(n) for n in found)
    except (TypeError, ValueError):
        return None


def _is_fractional(value: Any) -> bool:
    """Whether some float is not a whole number, so the array cannot be labels. A missing value (nan) does not count."""
    array = to_numpy(value, "scores", masked=True)
    if not is_float(array):
        return False
    return any(bool(((part != part.round()) & (part == part)).any()) for part in (array[at:at + _ROWS] for at in range(0, len(array), _ROWS)))


def in_order(scores: Any, labels: Any, known_classes: bool) -> "tuple[Any, Any]":
    """Returns two positional arguments as (scores, labels). scikit-learn's order, labels first, is understood if it is certain.

    Certain: the first has one whole number, truth value or name for each item, and the second has fractions. Two arrays of classes are
    assumed to be (predicted, labels). A warning says so, unless num_classes= or classes= shows that the call was written for Assay.
    """
    one, two = shape_of(scores), shape_of(labels)
    if one is None or two is None or len(one) != 1:
        return scores, labels
    first = scores if is_plain_list(scores) else to_numpy(scores, "scores", masked=True)
    whole = is_plain_list(first) or first.dtype.kind in "biuUSO" or not _is_fractional(first)
    if whole and _is_fractional(labels):
        return labels, scores
    if whole and len(two) == 1 and not known_classes:
        warnings.warn(
            "two arrays of classes: assuming that the first has the predictions. To be sure, name them: assay.score(y_true=..., "
            "y_pred=...) or (preds=..., target=...)", UserWarning, stacklevel=4,
        )
    return scores, labels


def _of_positive(array: Any, kind: Optional[str]) -> "tuple[Any, str]":
    """Two columns of one number for each item: the probability of class 1, or its logit."""
    import numpy

    p = array.astype(numpy.float64)
    known = p[numpy.isfinite(p)]
    if kind is None:
        kind = "probabilities" if ((known >= 0) & (known <= 1)).all() else "logits"
    if kind not in ("probabilities", "logits"):
        raise Error(f"scores: one number for each item is a probability or a logit of class 1, not {kind}: pass a column for each class")
    return numpy.column_stack([1 - p if kind == "probabilities" else numpy.where(numpy.isfinite(p), 0.0, p), p]), kind


def _predicted(array: Any, labels: Any, classes: Any, num_classes: int) -> Scores:
    """Predicted classes, as numbers or names."""
    import numpy

    names = class_names(classes)
    texts = array.dtype.kind in "USO"
    known = None if labels is None else to_numpy(labels, "labels", masked=True)
    if texts and names is None and known is not None:
        # Without a list, the order of classes does not matter: no score belongs to a column.
        names = sorted({str(value) for value in [*array.tolist(), *known.tolist()] if value is not None})
        classes = names
    numbers = labels_of(array, names, what="scores").single
    if names is None and not num_classes and not isinstance(classes, (str, os.PathLike)):
        of_labels = labels_of(labels, names).single if labels is not None else None
        most = [int(numpy.max(one)) for one in (numbers, of_labels) if one is not None and len(one)]
        num_classes = max(most, default=0) + 1
    return Scores(numbers, None, num_classes, classes)


def scores_of(scores: Any, labels: Any, kind: Optional[str], classes: Any, num_classes: int, hard: Optional[bool] = None) -> Scores:
    """Scores in the library's form.

    One float for each item is the probability of class 1 (all between 0 and 1) or its logit. Whole numbers, truth values and names are
    predicted classes. If `num_classes` is missing, it is one more than the greatest class that occurs.
    hard: floats are classes (y_pred=) or are not; None: they are if all are whole.
    """
    if not hasattr(num_classes, "__index__") or num_classes < 0:
        raise Error(f"num_classes={num_classes!r}; allowed: a whole number")
    if classes is None and len(shape_of(scores) or ()) == 2:
        columns = getattr(scores, "column_names", getattr(scores, "columns", None))
        if columns is not None and len(columns) > 1 and all(isinstance(name, str) for name in columns):
            classes = list(columns)
    scores = to_plain(scores)
    shape = shape_of(scores)
    if shape is not None and len(shape) == 2 and num_classes and shape[1] != num_classes:
        raise Error(f"num_classes={num_classes}, and the scores have {shape[1]} columns: omit num_classes", "bad_input")
    if shape is None or shape[-1:] == (0,):
        return Scores(scores, kind, num_classes, classes)
    if len(shape) != 1 and (len(shape) != 2 or shape[1] != 1):
        return Scores(scores, kind, num_classes, classes)
    array = to_numpy(scores, "scores")
    if array.ndim == 2 and (array.dtype.kind in "biu" or is_float(array)):
        array = array[:, 0]
    if array.ndim != 1 or not (array.dtype.kind in "biuUSO" or is_float(array)) or not array.dtype.isnative:
        return Scores(scores, kind, num_classes, classes)
    if is_float(array) and not hard and (hard is False or _is_fractional(array) or not _is_whole(array)):
        if num_classes not in (0, 2) or len(class_names(classes) or (0, 1)) != 2:
            count = num_classes or len(class_names(classes) or ())
            raise Error(f"scores: one number per item is for two classes, but there are {count}: pass a column for each class", "bad_input")
        of_labels = None if labels is None else labels_of(labels, classes).single
        if of_labels is not None and len(of_labels) and int(max(of_labels)) > 1:
            raise Error(
                f"scores: one number per item is for two classes, but a label is {int(max(of_labels))}: pass a column for each class", "bad_input"
            )
        both, kind = _of_positive(array, kind)
        return Scores(both, kind, 0, classes)
    return _predicted(array, labels, classes, num_classes)


def shared_classes(arrays: "list[Any]", labels: Any, classes: Any, num_classes: int, hard: Optional[bool] = None) -> "tuple[Any, int]":
    """`classes` and `num_classes` for several models: for predicted classes, those that occur in any of them; for scores, as given."""
    if classes is not None or num_classes or labels is None:
        return classes, num_classes
    found = [scores_of(one, labels, None, None, 0, hard) for one in arrays if len(shape_of(to_plain(one)) or ()) == 1]
    if len(found) < 2 or len(found) < len(arrays):
        return classes, num_classes
    names = {name for one in found for name in one.classes or []}
    return (sorted(names), 0) if names else (None, max(one.num_classes for one in found))


def _is_whole(array: Any) -> bool:
    import numpy

    return bool(numpy.isfinite(array).all() and (array == numpy.floor(array)).all())


def batch_of(scores: Any, kind: Optional[str], classes: Any, num_classes: int) -> "tuple[Any, Optional[str]]":
    """A batch of a stream: items x classes or whole numbers, and the kind that one float for each item has.

    Floats are the probability of class 1 or its logit, and classes if they are whole and there are more than two of them. Names and
    truth values are predicted classes. kind: that of the batches before; None: not known yet.
    """
    scores = to_plain(scores)
    shape = shape_of(scores) or ()
    if 0 in shape or len(shape) not in (1, 2) or (len(shape) == 2 and shape[1] != 1):
        return scores, kind
    array = to_numpy(scores, "scores")
    if array.ndim == 2:
        array = array[:, 0]
    names = class_names(classes)
    count = num_classes or len(names or ())
    if array.dtype.kind in "bUSO":
        return labels_of(array, names, what="scores").single, kind
    if not is_float(array) or not array.dtype.isnative:
        return array, kind
    whole = _is_whole(array)
    if count > 2:
        if not whole:
            raise Error(f"scores: one number per item is for two classes, but there are {count}: pass a column for each class", "bad_input")
        return array.astype("int64"), kind
    if kind is None and whole and ((array == 0) | (array == 1)).all():
        raise Error(
            "scores: each float of the first batch is 0 or 1, a class or a probability of class 1. Pass whole numbers as predicted classes, or "
            "assay.Metrics(..., kind=\"probabilities\")"
        )
    wide = array.astype("float64")
    outside = ((wide < 0) | (wide > 1)).nonzero()[0] if kind == "probabilities" else ()
    if len(outside):
        raise Error(
            f"scores: {wide[outside[0]]:g} at item {outside[0]} is no probability, but these metrics have probabilities, from kind= or the first "
            "batch: for logits, pass assay.Metrics(..., kind=\"logits\")", "bad_input"
        )
    return _of_positive(wide, kind)


def kind_of_sigmoids(scores: Any) -> Optional[str]:
    """"probabilities" if scores are certainly sigmoids: all from 0 to 1, in rows that do not sum to 1."""
    array = to_numpy(scores, "scores")
    if array.ndim != 2 or array.dtype.kind != "f" or not ((array >= 0) & (array <= 1)).all():
        return None
    return "probabilities" if (abs(array.sum(axis=1) - 1) > 0.01).any() else None


__all__ = ["batch_of", "in_order", "kind_of_sigmoids", "scores_of", "shape_of", "shared_classes"]
