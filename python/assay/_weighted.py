"""The weights of sample_weight=, and the options that do not go with them. The library computes the metrics.

A weight says how much an item counts, such as one divided by the probability with which it was drawn. Only ratios of weights matter.
"""

from __future__ import annotations

from typing import Any

from ._labels import to_numpy
from ._library import Error

_TAKEN = (
    "k", "bins", "edges", "threads", "subgroups", "gates", "class_map", "hierarchy", "ordinal", "class_order", "threshold_file", "label_votes",
)
OF_COMPARE = (*_TAKEN, "plugin", "disagreements", "other_images")
_REASONS = {
    "weights": "both say how much items count: pass one of them",
    "reliability": "bins count items",
    "confusions": "confusions are counts: sklearn.metrics.confusion_matrix(y_true, y_pred, sample_weight=...) adds weights up",
    "per_class": "classes count items",
    "subgroup": "score each group by itself",
    "bootstrap": "intervals follow from each item's influence",
    "null": "labels are drawn for items that count the same",
    "seed": "intervals follow from each item's influence",
}


def weights_of(value: Any, items: int, all_may_be_zero: bool = False) -> Any:
    """One finite number of at least 0 for each item, as a new float64 array.

    all_may_be_zero: not an error, because these are only some of the items."""
    import numpy

    array = to_numpy(value, "sample_weight")
    try:
        weights = array.astype(numpy.float64)
    except (TypeError, ValueError) as error:
        raise Error(f"sample_weight: {error}; a number for each item is needed") from None
    if weights.shape != (items,):
        raise Error(f"sample_weight: an array of shape {weights.shape} for {items} items; a number for each item is needed", "bad_input")
    wrong = numpy.flatnonzero(~(numpy.isfinite(weights) & (weights >= 0)))
    if wrong.size:
        raise Error(f"sample_weight: {weights[wrong[0]]} at item {wrong[0]}; allowed: finite numbers from 0", "bad_input")
    if not (all_may_be_zero or weights.any()):
        raise Error("sample_weight: all are 0, and no item counts then", "bad_input")
    return weights


def check_options(given: "dict[str, Any]", taken: "tuple[str, ...]" = _TAKEN) -> None:
    for name, value in given.items():
        if value and name not in taken:
            raise Error(f"{name}= does not go with sample_weight=: {_REASONS.get(name, 'it is measured of items that count the same')}")


__all__ = ["OF_COMPARE", "check_options", "weights_of"]
