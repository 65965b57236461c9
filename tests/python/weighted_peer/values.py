"""Metrics of weighted items, their intervals and differences, computed independently of the library.

Each metric is a function of the weighted distribution of the items. Item i has the proportion w_i of all weight. Its influence on the value
is z_i, whose weighted mean is 0 (Deville 1999, Survey Methodology 25). Without it, a mean changes by -w_i z_i / (1 - w_i). So the variance of
the value is V = (n - 1) / n * sum (w_i z_i / (1 - w_i))^2, the jackknife's of a mean. The interval of a proportion p is Wilson's of
p (1 - p) / V items (Korn and Graubard 1998). If V is 0, they are Kish's effective number, (sum w)^2 / sum w^2. Other intervals are the value and
its standard error. All use Student's quantile, with Satterthwaite's degrees of freedom of V.
"""


from __future__ import annotations

from typing import Any, Callable, Optional

from assay import Error

from . import curves
from .influences import Found, Items, Spread, Undefined, dot, spread_of, student, tail

FEW = 50  # below this effective number of items there is no interval
_ROUNDING = 1e-12  # relative: a narrower interval is the rounding of sums
_ROWS = 4096  # rows of scores at a time


def items_of(store: Any, weights: Any, most: int) -> Items:
    """most: how many of the best classes of each row to keep, for top-k."""
    import numpy

    columns = store.columns(top=max(1, min(most, store.classes, 100)))
    labels = columns["label"].astype(numpy.int64)
    known = (labels >= 0) & (columns["status"] == "ok") & (weights > 0)
    if not known.any():
        raise Error("sample_weight: no item that counts has a label and scores", "bad_input")
    chosen = weights[known] / weights[known].max()  # at most 1, so that no sum overflows
    values: "dict[str, Any]" = {}
    ranking = None
    if store.kind != "labels" and store.storage.startswith("full"):
        values = _of_probabilities(store, labels)
        ranking = curves.Ranking(store, numpy.flatnonzero(known))
    elif store.kind != "labels":  # the store has only the best classes
        values = {"nll": columns["loss"], "confidence": columns["confidence"].astype(numpy.float64)}
    if store.kind != "labels":
        values["confidence32"] = columns["confidence"]
    names = [f"top{k}" for k in range(1, 101) if f"top{k}" in columns]
    return Items(
        chosen / chosen.sum(), labels[known], columns["predicted"][known].astype(numpy.int64),
        {name: value[known] for name, value in values.items()}, numpy.stack([columns[name][known] for name in names], 1) if names else None,
        store.classes, numpy.flatnonzero(known), ranking,
    )


def _of_probabilities(store: Any, labels: Any) -> "dict[str, Any]":
    """Loss, Brier score and confidence of each item, in float64."""
    import numpy

    scores = numpy.asarray(store.scores())
    out = {name: numpy.full(len(labels), numpy.nan) for name in ("nll", "brier", "confidence")}
    for begin in range(0, len(labels), _ROWS):
        rows = slice(begin, begin + _ROWS)
        part, of = scores[rows].astype(numpy.float64), numpy.maximum(labels[rows], 0)
        with numpy.errstate(all="ignore"):
            if store.kind == "probabilities":
                part = numpy.log(part)
            part = part - part.max(1, keepdims=True)
            logs = part - numpy.log(numpy.exp(part).sum(1, keepdims=True))
            p = numpy.exp(logs)
            own = numpy.arange(len(of)), of
            out["nll"][rows] = -logs[own]
            out["brier"][rows] = (p**2).sum(1) - 2 * p[own] + 1
            out["confidence"][rows] = p.max(1)
    return out


def _mean(items: Items, values: Any) -> Found:
    # Differences from the first value are averaged. So equal values have exactly that mean, and rounding adds no spread.
    value = float(values[0]) + dot(items.weights, values - values[0])
    return Found(value, values - value)


def _topk(items: Items, parameters: "dict[str, str]") -> Found:
    hits = (items.ranked[:, :int(parameters.get("k", "1"))] == items.labels[:, None]).any(1)
    return _mean(items, hits.astype(float))


def _column(name: str) -> "Callable[[Items, dict[str, str]], Found]":
    return lambda items, _: _mean(items, items.columns[name])


def _overconfidence(items: Items, _: "dict[str, str]") -> Found:
    return _mean(items, items.columns["confidence"] - (items.predicted == items.labels))


def _binary_brier(items: Items, _: "dict[str, str]") -> Found:
    return _mean(items, items.columns["brier"] / 2)  # both classes have the same square


def _of_classes(items: Items, value_of: "Callable[[Any, Any, Any], tuple[float, Any, Any, Any]]") -> Found:
    """A function of each class's weight of hits, labels and predictions, which returns its derivatives after the value."""
    import numpy

    def sums(classes: Any, of: Any) -> Any:
        return numpy.bincount(classes[of], items.weights[of], items.classes)

    hit, mapped = items.predicted == items.labels, items.predicted >= 0
    value, of_hits, of_labels, of_predictions = value_of(
        sums(items.labels, hit), sums(items.labels, slice(None)), sums(items.predicted, mapped))
    moved = hit * of_hits[items.labels] + of_labels[items.labels] + numpy.where(mapped, of_predictions[items.predicted], 0)
    return Found(float(value), moved - dot(items.weights, moved))


def _ratio(above: Any, below: Any) -> Any:
    import numpy

    return numpy.divide(above, below, out=numpy.zeros(len(below)), where=below > 0)


def _averaged(kind: str) -> "Callable[[Items, dict[str, str]], Found]":
    """Precision, recall, F1 and balanced accuracy: the average over classes of hits divided by labels, by predictions, or by the
    mean of both."""

    def found(items: Items, parameters: "dict[str, str]") -> Found:
        import numpy

        average = parameters.get("average", "macro")
        if average == "binary" and items.classes != 2:
            raise Error(f"{kind}:average=binary has {items.classes} classes; two are needed")

        def value_of(hits: Any, labels: Any, predictions: Any) -> "tuple[float, Any, Any, Any]":
            times = 2 if kind == "f1" else 1
            below = {"precision": predictions, "f1": labels + predictions}.get(kind, labels)
            present = labels > 0 if kind == "balanced" else (labels > 0) | (predictions > 0)
            share = {"macro": present / max(present.sum(), 1), "weighted": labels, "binary": (numpy.arange(items.classes) == 1) * 1.0}[average]
            each = _ratio(times * hits, below)
            of_below = -share * _ratio(each, below)
            of_labels = of_below if kind != "precision" else numpy.zeros(items.classes)
            of_predictions = of_below if kind in ("precision", "f1") else numpy.zeros(items.classes)
            return dot(share, each), _ratio(times * share, below), of_labels + (each if average == "weighted" else 0), of_predictions

        return _of_classes(items, value_of)

    return found


def _kappa(items: Items, _: "dict[str, str]") -> Found:
    import numpy

    def value_of(hits: Any, labels: Any, predictions: Any) -> "tuple[float, Any, Any, Any]":
        agreed, chance = hits.sum(), dot(labels, predictions)
        if chance >= 1:
            raise Undefined("all labels and predictions are one class")
        of_chance = (agreed - 1) / (1 - chance) ** 2
        return (agreed - chance) / (1 - chance), numpy.full(items.classes, 1 / (1 - chance)), predictions * of_chance, labels * of_chance

    return _of_classes(items, value_of)


def _matthews(items: Items, _: "dict[str, str]") -> Found:
    import numpy

    def value_of(hits: Any, labels: Any, predictions: Any) -> "tuple[float, Any, Any, Any]":
        of_labels, of_predictions = 1 - dot(labels, labels), 1 - dot(predictions, predictions)
        if min(of_labels, of_predictions) <= 1e-15:
            nothing = numpy.zeros(items.classes)
            return 0.0, nothing, nothing, nothing
        covariance, below = hits.sum() - dot(labels, predictions), (of_labels * of_predictions) ** 0.5
        value = covariance / below
        return (
            value, numpy.full(items.classes, 1 / below), -predictions / below + value * labels / of_labels,
            -labels / below + value * predictions / of_predictions,
        )

    return _of_classes(items, value_of)


_METRICS: "dict[str, Callable[[Items, dict[str, str]], Found]]" = {
    "topk": _topk, "nll": _column("nll"), "brier": _column("brier"), "confidence": _column("confidence"), "overconfidence": _overconfidence,
    "balanced": _averaged("balanced"), "precision": _averaged("precision"), "recall": _averaged("recall"), "f1": _averaged("f1"),
    "matthews": _matthews, "kappa": _kappa, "binary_brier": _binary_brier, "ece": curves.ece,
    "auroc": lambda items, parameters: curves.area(items, parameters, True),
    "average_precision": lambda items, parameters: curves.area(items, parameters, False),
}
_RANGES = {"nll": (0.0, None), "brier": (0.0, 2.0), "overconfidence": (-1.0, 1.0), "matthews": (-1.0, 1.0), "kappa": (-1.0, 1.0)}


def _row(metric: str) -> str:
    """top1 and top5 are names of topk."""
    return "topk" if metric.startswith("top") and metric[3:].isdigit() else metric


def found_of(facts: "dict[str, Any]", items: Items) -> Found:
    """The weighted value of a metric that the library measured without weights. Raises Undefined."""
    return _METRICS[_row(facts["metric"])](items, facts.get("parameters", {}))


def estimate_of(facts: "dict[str, Any]", items: Items, found: Optional[Found], level: float, why: str = "") -> "dict[str, Any]":
    """The same metric with the weighted value, interval and parameters."""
    out = {name: value for name, value in facts.items() if name not in ("interval", "note", "standard_error", "undefined")}
    effective = 1 / dot(items.weights, items.weights)
    out.update(
        value=None if found is None else found.value, n=len(items.weights), parameters={**facts.get("parameters", {}), "sample_weight": "given"},
        effective_items=effective,
    )
    if found is None:
        out["undefined"] = why
    elif effective < FEW:
        out["note"] = f"no interval: the weights leave {effective:.1f} effective items, and {FEW} are needed"
    elif found.note:
        out["note"] = found.note
    else:
        spread = spread_of(items, found)
        low, high, method = _interval(_row(facts["metric"]), found, spread, effective, level)
        out["standard_error"] = spread.error
        if found.noise > 0:
            out["note"] = f"noise alone adds about {found.noise:.2g} with these weights, so the interval extends down by as much"
        if high - low > _ROUNDING * abs(found.value):
            out["interval"] = {"low": float(low), "high": float(high), "level": level, "method": method}
        else:
            out["note"] = "no interval: the value is the same without any of the items"
    return out


def _interval(metric: str, found: Found, spread: Spread, effective: float, level: float) -> "tuple[float, float, str]":
    value, t = found.value, student((1 + level) / 2, spread.degrees)
    if found.few is not None:
        # Adds two positives with the largest possible variance, because a few positives that all rank first prove little. The
        # uncertainty of the bias is about as large as the bias.
        middle, bias, positives = value - found.few.bias, found.few.bias, found.few.positives
        most, variance = middle * (1 - middle), spread.error**2 + bias**2 / 2
        low, high = _wilson(middle, most / (variance + 2 * most / positives**2) if variance > 0 and most > 0 else positives, t)
        return low, max(high, value), "wilson.influence"
    if metric in ("topk", "binary_brier"):
        return *_wilson(value, effective if spread.error == 0 else value * (1 - value) / spread.error**2, t), "wilson.influence"
    least, greatest = _RANGES.get(metric, (0.0, 1.0))
    low, high = value - t * spread.error - found.noise, value + t * spread.error
    return max(low, least), high if greatest is None else min(high, greatest), "influence.t.noise" if found.noise > 0 else "influence.t"


def _wilson(value: float, n: float, t: float) -> "tuple[float, float]":
    middle, below = value + t**2 / (2 * n), 1 + t**2 / n
    half = t * (max(value * (1 - value), 0.0) / n + t**2 / (4 * n**2)) ** 0.5
    # At 0 and 1, rounding may move an end of the interval to the wrong side of the value.
    return max(min((middle - half) / below, value), 0.0), min(max((middle + half) / below, value), 1.0)


def difference_of(facts: "dict[str, Any]", first: Items, second: Items, level: float) -> "dict[str, Any]":
    """The second value minus the first, of the same items: value, standard_error, low, high and p."""
    a, b = found_of(facts, first), found_of(facts, second)
    spread, value = spread_of(first, a, b), b.value - a.value
    half = student((1 + level) / 2, spread.degrees) * spread.error
    # Each value may be too high because of noise.
    beyond = max(value - b.noise, 0.0) if value > 0 else min(value + a.noise, 0.0)
    return {
        "value": value, "standard_error": spread.error, "low": value - half - b.noise, "high": value + half + a.noise,
        "p": tail(beyond / spread.error, spread.degrees),
    }
