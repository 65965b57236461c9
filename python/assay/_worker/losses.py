"""Losses that attacks make larger, in double precision: src/model/loss.cpp over a batch, with the same formulas.

Inputs: scores (n x classes), labels and targets (n). Results: losses (n) and their derivatives by the scores (n x classes). The kinds are those of include/assay/model/loss.h, in its order.
"""

from __future__ import annotations

from typing import Any

from .wire import Refused

NAMES = ("cross-entropy", "margin", "difference", "dlr", "targeted dlr")
LEAST_CLASSES = (2, 2, 2, 3, 4)
TINY = 1e-12  # avoids a division by zero if all scores are equal


def check_loss(kind: int, classes: int) -> None:
    """Raises Refused for an unknown kind or too few classes. One score means two classes, whose loss the program computes."""
    if kind >= len(NAMES):
        raise Refused(f"unknown loss {kind}; allowed: 0 to {len(NAMES) - 1}", "internal")
    if classes != 1 and classes < LEAST_CLASSES[kind]:
        raise Refused(f"the loss {NAMES[kind]} needs at least {LEAST_CLASSES[kind]} classes, but the model has {classes}")


def check_labels(classes: int, *lists: Any) -> None:
    """Raises Refused if a number of an array or a tensor is not a class."""
    for numbers in lists:
        if len(numbers) and not 0 <= int(numbers.min()) <= int(numbers.max()) < classes:
            raise Refused("a label is outside the model's classes", "internal")


def loss_of(kind: int, scores: Any, labels: Any, targets: Any) -> "tuple[Any, Any]":
    """Losses (n, float64) and derivatives (n x classes, float32) of float32 scores. Raises Refused if there are too few classes."""
    import torch

    check_loss(kind, scores.shape[1])
    if scores.shape[1] == 1:
        return scores.detach().double().squeeze(1), torch.ones_like(scores, dtype=torch.float32)
    z = scores.detach().double()
    label = labels.long().unsqueeze(1)
    if kind == 0:
        return _cross_entropy(z, label)
    derivative = torch.zeros_like(z)
    of_label = z.gather(1, label)
    if kind == 2:
        target = targets.long().unsqueeze(1)
        _add(derivative, target, 1.0)
        _add(derivative, label, -1.0)
        return (z.gather(1, target) - of_label).squeeze(1), derivative.float()
    # For equal scores, the first is the largest.
    values, places = z.sort(dim=1, descending=True, stable=True)
    if kind == 4:
        rival = targets.long().unsqueeze(1)
        below = values[:, 0:1] - (values[:, 2:3] + values[:, 3:4]) / 2 + TINY
        parts = [(places[:, 0:1], 1.0), (places[:, 2:3], -0.5), (places[:, 3:4], -0.5)]
    else:
        first = places[:, 0:1]
        rival = torch.where(first == label, places[:, 1:2], first)
        if kind == 1:
            _add(derivative, rival, 1.0)
            _add(derivative, label, -1.0)
            return (z.gather(1, rival) - of_label).squeeze(1), derivative.float()
        below = values[:, 0:1] - values[:, 2:3] + TINY
        parts = [(first, 1.0), (places[:, 2:3], -1.0)]
    above = z.gather(1, rival) - of_label
    squared = below * below
    _add(derivative, rival, below / squared)
    _add(derivative, label, -below / squared)
    for place, factor in parts:
        _add(derivative, place, -above * factor / squared)
    most = torch.finfo(torch.float32).max
    return (above / below).squeeze(1), derivative.clamp(-most, most).float()


def _add(derivative: Any, place: Any, value: Any) -> None:
    """Adds parts, several of which may belong to the same score."""
    import torch

    if not isinstance(value, torch.Tensor):
        value = torch.full(place.shape, value, dtype=derivative.dtype, device=derivative.device)
    derivative.scatter_add_(1, place, value)


def _cross_entropy(z: Any, label: Any) -> "tuple[Any, Any]":
    import torch

    largest = z.max(dim=1, keepdim=True).values
    exponentials = (z - largest).exp()
    total = exponentials.sum(dim=1, keepdim=True)
    # 1 - p of the label as a sum, because the difference would be inexact for p near 1.
    others = exponentials.scatter(1, label, 0.0).sum(dim=1, keepdim=True)
    derivative = (exponentials / total).scatter(1, label, -others / total)
    gap = largest - z.gather(1, label)
    loss = torch.where(gap == 0, torch.log1p(others), total.log() + gap)
    return loss.squeeze(1), derivative.float()
