"""The losses of losses.py with NumPy only, for functions of arrays, so that they work without PyTorch."""

from __future__ import annotations

from typing import Any

from .losses import TINY, check_loss


def loss_of(kind: int, scores: Any, labels: Any, targets: Any) -> "tuple[Any, Any]":
    """Losses (n, float64) and derivatives (n x classes, float32) of scores. Raises Refused if there are too few classes."""
    import numpy

    check_loss(kind, scores.shape[1])
    if scores.shape[1] == 1:
        return scores[:, 0].astype(numpy.float64), numpy.ones(scores.shape, numpy.float32)
    z = scores.astype(numpy.float64)
    rows = numpy.arange(len(z))
    if kind == 0:
        return _cross_entropy(z, rows, labels)
    derivative = numpy.zeros_like(z)
    places = numpy.argsort(-z, axis=1, kind="stable")  # equal scores keep their order
    rival = targets if kind in (2, 4) else numpy.where(places[:, 0] == labels, places[:, 1], places[:, 0])
    above = z[rows, rival] - z[rows, labels]
    if kind in (1, 2):
        numpy.add.at(derivative, (rows, rival), 1.0)
        numpy.add.at(derivative, (rows, labels), -1.0)
        return above, derivative.astype(numpy.float32)
    parts = [(places[:, 0], 1.0), (places[:, 2], -1.0)] if kind == 3 else [(places[:, 0], 1.0), (places[:, 2], -0.5), (places[:, 3], -0.5)]
    below = sum(factor * z[rows, place] for place, factor in parts) + TINY
    numpy.add.at(derivative, (rows, rival), 1 / below)
    numpy.add.at(derivative, (rows, labels), -1 / below)
    for place, factor in parts:
        numpy.add.at(derivative, (rows, place), -above * factor / (below * below))
    most = numpy.finfo(numpy.float32).max
    return above / below, derivative.clip(-most, most).astype(numpy.float32)


def _cross_entropy(z: Any, rows: Any, labels: Any) -> "tuple[Any, Any]":
    import numpy

    largest = z.max(axis=1, keepdims=True)
    exponentials = numpy.exp(z - largest)
    total = exponentials.sum(axis=1)
    # 1 - p of the label as a sum, because the difference would be inexact for p near 1.
    others = exponentials.copy()
    others[rows, labels] = 0
    others = others.sum(axis=1)
    derivative = exponentials / total[:, None]
    derivative[rows, labels] = -others / total
    gap = largest[:, 0] - z[rows, labels]
    return numpy.where(gap == 0, numpy.log1p(others), numpy.log(total) + gap), derivative.astype(numpy.float32)
