"""What the metrics of weighted items are made of: a value, the influence of each item on it, and the spread that follows (values.py)."""

from __future__ import annotations

from typing import Any, NamedTuple, Optional


class Items(NamedTuple):
    """The values that metrics are computed from, for the items with a single label and finite scores."""

    weights: Any  # the weights sum to 1
    labels: Any
    predicted: Any
    columns: "dict[str, Any]"  # loss and other values per item, from probabilities
    ranked: Any  # the classes of the highest scores, best first, items x k
    classes: int
    rows: Any = None  # row numbers in the store
    ranking: Any = None  # sorts the items by the score of a class (curves.Ranking); None unless the store has the scores of all classes


class Found(NamedTuple):
    value: float
    influence: Any  # one per item; their weighted mean is 0
    drawn: Any = None  # the influence for the spread, corrected for classes with few items; None: `influence`
    few: "Optional[Few]" = None  # set only for an area under a curve
    noise: float = 0  # the amount that noise alone adds to the value
    note: str = ""  # reason for a missing interval


class Few(NamedTuple):
    """What few positives mean for the interval of an area."""

    positives: float  # the effective number of independent positives
    degrees: float  # degrees of freedom, from the rarest classes
    bias: float  # bias of the area


def dot(a: Any, b: Any) -> float:
    """The sum of products: the same bits for any number of threads of the linear algebra that NumPy uses."""
    return float((a * b).sum())


class Undefined(Exception):
    """Why a metric has no value."""


class Spread(NamedTuple):
    error: float  # standard error
    degrees: float  # degrees of freedom of the squared bias


def spread_of(items: Items, *found: Found) -> Spread:
    """The spread of a value, or of the second value minus the first."""
    import numpy

    drawn = [one.influence if one.drawn is None else one.drawn for one in found]
    influence = drawn[0] if len(drawn) == 1 else drawn[1] - drawn[0]

    n = len(items.weights)
    if n < 2 or items.weights.max() >= 1:
        return Spread(float("nan"), 0)
    parts = (items.weights * influence / (1 - items.weights)) ** 2
    variance = float((n - 1) / n * parts.sum())
    if variance == 0:
        return Spread(0.0, n - 1)
    # Satterthwaite 1946: 2 / degrees is the squared coefficient of variation of a sum of n such parts.
    uneven = float(dot(parts, parts) / parts.sum() ** 2 - 1 / n)
    rarest = [one.few.degrees for one in found if one.few is not None]
    return Spread(variance**0.5, min([n - 1, 2 / uneven if uneven > 0 else numpy.inf, *rarest]))


def tail(t: float, degrees: float) -> float:
    """P(|T| > |t|) of Student's t: the regularised incomplete beta function by its continued fraction (DLMF 8.17.22)."""
    from math import exp, lgamma, log

    a, b, x = degrees / 2, 0.5, degrees / (degrees + t * t)
    if x >= 1:
        return 1.0
    if x <= 0:
        return 0.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log(1 - x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """By Lentz's method."""
    tiny = 1e-300
    c, d = 1.0, 1 / max(1 - (a + b) * x / (a + 1), tiny)
    out = d
    for m in range(1, 1000):
        for step in (m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)), -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))):
            d = 1 + step * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + step / (c if abs(c) > tiny else tiny)
            out *= c * d
        if abs(c * d - 1) < 1e-15:
            break
    return out


def student(p: float, degrees: float) -> float:
    """Quantile of Student's t, for p from 0.5."""
    low, high = 0.0, 1.0
    while tail(high, degrees) > 2 * (1 - p):
        high *= 2
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if tail(middle, degrees) > 2 * (1 - p) else (low, middle)
    return high
