"""Areas under the curves of one class against the rest, and calibration errors, of items that do not count the same.

Areas have the conventions of scikit-learn: an item counts with its weight among the positives of its class and the negatives of all others.
An item's influence on the mean adds up over the classes, as in DeLong, DeLong and Clarke-Pearson (1988) for one class. Corrections for few
positives are those of items that count the same, with Kish's effective number instead of the number.
"""

from __future__ import annotations

import math
from typing import Any

from assay import Error

from .influences import Few, Found, Items, Undefined, dot

_ROWS = 4096  # number of rows of scores at a time
_CLASSES = 64  # number of columns (classes) at a time
_STEP = 2.0**-24  # distance of 32-bit numbers just below 1


class Ranking:
    """The numbers by which the chosen rows are ranked for a class. For logits the number is ln p, or the log-odds above one half,
    because they keep more bits. For probabilities it is p, or the log-odds just below 1."""

    def __init__(self, store: Any, rows: Any) -> None:
        import numpy

        # The scores are read once, because each read would copy those of a store with several shards.
        self._scores, self._rows, self._logits = numpy.asarray(store.scores()), rows, store.kind != "probabilities"
        self._prepared: Any = None
        self._block: "tuple[int, bool, Any]" = (-1, False, None)

    def of(self, cls: int, stored: bool) -> Any:
        """One float64 number for each row. stored: the scores of these rows as they are stored."""
        first = cls - cls % _CLASSES
        if self._block[:2] != (first, stored):
            self._block = (first, stored, self._columns(first, stored))
        return self._block[2][cls - first]

    def _columns(self, first: int, stored: bool) -> Any:
        import numpy

        out = numpy.array(self._scores[:, first:first + _CLASSES][self._rows].T, numpy.float64, order="C")
        if stored:
            return out
        if self._prepared is None:
            self._prepared = self._rows_prepared()
        largest, half, best, odds, exact = self._prepared
        if self._logits:
            out = (out - largest) - half
        else:
            sure = out >= 1 - 16 * _STEP
            with numpy.errstate(all="ignore"):
                out[sure] = numpy.log(out[sure]) - numpy.log(numpy.maximum(0, 1 - out[sure]))
        mine = numpy.flatnonzero(exact & (best >= first) & (best < first + len(out)))
        out[best[mine] - first, mine] = odds[mine]
        return out

    def _rows_prepared(self) -> Any:
        """For each row: the two numbers to subtract from its logits, its best class, the log-odds of that class, and whether
        they replace its number."""
        import numpy

        n = len(self._rows)
        largest, half, best, odds, exact = numpy.zeros(n), numpy.zeros(n), numpy.zeros(n, int), numpy.zeros(n), numpy.zeros(n, bool)
        for begin in range(0, n, _ROWS):
            part = slice(begin, begin + _ROWS)
            x = self._scores[self._rows[part]].astype(numpy.float64)
            at = numpy.arange(len(x)), x.argmax(1)
            top = x[at]
            with numpy.errstate(all="ignore"):
                if self._logits:
                    x[at] = -numpy.inf
                    second = x.max(1)
                    gap = numpy.where(second > -numpy.inf, top - second, numpy.inf)
                    odds[part] = numpy.where(gap < numpy.inf, gap - numpy.log(_sums(numpy.exp(x - second[:, None]))), numpy.inf)
                    largest[part], half[part] = top, numpy.log1p(numpy.exp(-odds[part])) - numpy.log(2)
                    exact[part] = odds[part] >= 0
                else:
                    x[at] = 0
                    others, own = _sums(numpy.maximum(x, 0)), numpy.maximum(0, 1 - top)
                    # If p is so near 1 that 1 - p has few bits left, the sum over the other classes is more exact.
                    exact[part] = (own <= 16 * _STEP) & (others <= 64 * _STEP) & (others + 2 * _STEP >= own)
                    odds[part] = numpy.log(top) - numpy.log(others)
            best[part] = at[1]
        return largest, half, best, odds, exact


def _sums(rows: Any) -> Any:
    """Sums of the rows, as integers in units of the greatest number. So rows with the same numbers in another order are ties."""
    import numpy

    unit, largest = 2.0 ** min(50, 62 - rows.shape[1].bit_length()), rows.max(1)
    parts = numpy.nan_to_num(rows / largest[:, None])
    return numpy.rint(parts * unit).astype(numpy.int64).sum(1) / unit * largest


def _in_order(keys: Any, weights: Any, hit: Any) -> "tuple[Any, Any, Any]":
    """The group of equal keys that each item is in, the lowest first, and each group's weight of positives and of negatives."""
    import numpy

    order = numpy.argsort(keys, kind="stable")
    steps = numpy.concatenate([[False], keys[order][1:] != keys[order][:-1]])
    group = numpy.empty(len(keys), int)
    group[order] = numpy.cumsum(steps)
    groups = int(group[order[-1]]) + 1
    return group, numpy.bincount(group[hit], weights[hit], groups), numpy.bincount(group[~hit], weights[~hit], groups)


def _roc(ours: Any, theirs: Any) -> "tuple[float, Any, Any, Any]":
    """The area, the influences of a positive and of a negative of each group, and None, because it has no bias."""
    import numpy

    all_ours, all_theirs = ours.sum(), theirs.sum()
    below, above = numpy.cumsum(theirs) - theirs / 2, all_ours - numpy.cumsum(ours) + ours / 2
    area = dot(ours, below) / float(all_ours * all_theirs)
    return area, (below / all_theirs - area) / all_ours, (above / all_ours - area) / all_theirs, None


def _precision_recall(ours: Any, theirs: Any) -> "tuple[float, Any, Any, Any]":
    """The same for average precision, and the weight of positives and of all items that reach each group."""
    import numpy

    all_ours = ours.sum()
    hits, every = (numpy.cumsum(part[::-1])[::-1] for part in (ours, ours + theirs))
    precision = _ratio(hits, every)
    area = dot(ours, precision) / float(all_ours)
    gain, loss = numpy.cumsum(_ratio(ours, every)), numpy.cumsum(_ratio(ours * precision, every))
    return area, (precision - area + gain - loss) / all_ours, -loss / all_ours, (hits, every)


def _ratio(above: Any, below: Any) -> Any:
    import numpy

    return numpy.divide(above, below, out=numpy.zeros(len(below)), where=below > 0)


def area(items: Items, parameters: "dict[str, str]", roc: bool) -> Found:
    """AUROC or average precision: the mean over the classes."""
    import numpy

    w, labels, n = items.weights, items.labels, len(items.weights)
    average = parameters.get("average", "macro")
    if items.ranking is None:
        raise Undefined("the store does not keep every class's score")
    if average == "binary" and items.classes != 2:
        raise Undefined(f"{items.classes} classes; two are needed")
    size, squares = numpy.bincount(labels, w, items.classes), numpy.bincount(labels, w * w, items.classes)
    used = [c for c in ([1] if average == "binary" else range(items.classes)) if size[c] > 0 and not (roc and (labels == c).all())]
    if not used:
        raise Undefined("all items that count belong to one class, so there is no other class to compare with")
    share = size[used] / size[used].sum() if average == "weighted" else numpy.full(len(used), 1 / len(used))
    influence, drawn = numpy.zeros(n), numpy.zeros(n)
    areas, bias = numpy.zeros(len(used)), 0.0
    # Kish's effective numbers of positives and of negatives.
    effective = size[used] ** 2 / squares[used]
    others = _ratio((size.sum() - size[used]) ** 2, squares.sum() - squares[used])
    for place, c in enumerate(used):
        hit = labels == c
        group, ours, theirs = _in_order(items.ranking.of(c, parameters.get("scores") == "stored"), w, hit)
        areas[place], positive, negative, reached = (_roc if roc else _precision_recall)(ours, theirs)
        each = share[place] * numpy.where(hit, positive[group], negative[group])
        influence += each
        drawn += each * numpy.where(hit, _few(effective[place]), _few(others[place]) if roc else 1)
        if reached is not None:  # a positive counts itself among the items that reach its score
            hits, every, own = reached[0][group[hit]], reached[1][group[hit]], w[hit]
            without = numpy.where(every - own > 1e-12 * every, _ratio(hits - own, every - own), 1)
            bias += share[place] * dot(own, hits / every - without) / own.sum()
    value = min(1.0, dot(share, areas))
    if average == "weighted":
        moved = numpy.zeros(items.classes)
        moved[used] = (areas - value) / size[used].sum()
        influence, drawn = influence + moved[labels], drawn + moved[labels]
    rare = int(effective.argmin())
    note = f"no interval: class {used[rare]} has {effective[rare]:.1f} effective items, and 2 are needed" if effective[rare] < 2 else ""
    few = Few(1 / float((share**2 / effective).sum()), _degrees(items, drawn, size, squares), float(bias))
    return Found(value, influence, drawn, few, note=note)


def _few(effective: float) -> float:
    """A factor for the spread, because the spread around the mean of a few values is smaller than that around the true value."""
    few = max(effective, 1.5)
    return math.sqrt(few / (few - 1))


def _degrees(items: Items, drawn: Any, size: Any, squares: Any) -> float:
    """The degrees of freedom of the variance, from the class of each item.

    size, squares: sums of the weights and of their squares in each class."""
    import numpy

    of_class = numpy.bincount(items.labels, (items.weights * drawn) ** 2, items.classes)
    draws = numpy.maximum(1, _ratio(size**2, squares) - 1)
    uncertain = float((of_class**2 / draws).sum())
    return max(1.0, float(of_class.sum()) ** 2 / uncertain) if uncertain > 0 else numpy.inf


def ece(items: Items, parameters: "dict[str, str]") -> Found:
    """The mean over bins of |weighted accuracy - weighted confidence|, each bin with its weight; or the root of the mean square."""
    import numpy

    norm = parameters.get("norm", "l1")
    if norm == "max":
        raise Error("ece:norm=max is not measured with weights: no interval of a greatest gap is known; norm=l1 and norm=l2 are")
    confidence, w = items.columns["confidence"], items.weights
    hit = (items.predicted == items.labels).astype(float)
    bins = _bins(items.columns["confidence32"], int(parameters.get("bins", 15)), parameters.get("edges", "left_closed"))
    count = int(bins.max()) + 1
    weight, gap = numpy.bincount(bins, w, count), numpy.bincount(bins, w * (confidence - hit), count)
    # The variance of a bin's gap under calibration, or the variance from the bin's own hits if larger.
    accuracy = _ratio(numpy.bincount(bins, w * hit, count), weight)
    variance = numpy.maximum(
        numpy.bincount(bins, w**2 * confidence * (1 - confidence), count), numpy.bincount(bins, w**2, count) * accuracy * (1 - accuracy))
    if norm == "l1":
        value = float(abs(gap).sum())
        influence = numpy.sign(gap)[bins] * (confidence - hit) - value
        noise = float(((2 * variance / numpy.pi) ** 0.5).sum())
    else:
        mean = _ratio(gap, weight)
        square = dot(gap, mean)
        value = square**0.5
        influence = (2 * mean[bins] * (confidence - hit) - mean[bins] ** 2 - square) / (2 * value) if value > 0 else numpy.zeros(len(w))
        noise = float(_ratio(variance, weight).sum()) ** 0.5
    return Found(min(1.0, value), influence, noise=noise)


def _bins(confidence: Any, bins: int, edges: str) -> Any:
    """The bin of each 32-bit confidence, with the edges of torch.linspace and the rule for a confidence on an edge."""
    import numpy

    step, one = numpy.float32(1) / numpy.float32(bins), numpy.float32(1)
    # Values are computed from both ends towards the middle, as in torch.
    every = [step * numpy.float32(i) if i < (bins + 1) // 2 else one - step * numpy.float32(bins - i) for i in range(bins + 1)]
    bounds = numpy.array(every, numpy.float32)
    reached = numpy.searchsorted(bounds, confidence, side="left" if edges == "right_closed" else "right")
    return numpy.clip(reached - 1, 0, bins if edges == "left_closed" else bins - 1)
