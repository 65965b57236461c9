"""Coverage of the 95 % intervals of macro precision, recall and F1, of Cohen's kappa and of Matthews' correlation.

usage: python3 bench/class_score_coverage.py [draws] [classes/images/accuracy/imbalance ...]     (default: 100 draws; needs numpy)

Worlds have 2, 10 or 100 classes, 30, 200 or 2,000 images, and accuracies of .5, .9, .99 or 1. The first class is 1 or 50 times as
frequent as the last. The accuracy of a class is p + .6 (1 - p) s with s from -1 to 1 over the classes, in random order. Half of
the errors are predictions of the next class, and half are spread evenly. The truth of a macro mean is the mean of the population's
values over the classes that have items (recall, F1) or predictions (precision). This is another implementation of
src/metric/class_score_intervals.cpp.
"""

from __future__ import annotations

import sys
import time
from math import lgamma
from typing import Any, Dict, List, Optional, Tuple

import numpy as np

Z = 1.959963984540054
NAMES = ("precision", "recall", "f1", "kappa", "matthews")
_LOG = [np.array([lgamma(u + 1) - lgamma(x + 1) - lgamma(u - x + 1) for x in range(u + 1)]) for u in range(61)]


def _end(weight: Any, n: Any, x: Any, found: float, sign: float) -> float:
    low, high, end = -6.0, 7.0, found
    for step in range(26):
        log = high if step == 25 else (low + high) / 2
        pull = sign * 10**log * weight
        root = np.sqrt(np.maximum(0, (pull + n) ** 2 - 4 * pull * x))
        with np.errstate(all="ignore"):
            p = np.clip(np.where(pull + n >= 0, 2 * x / (pull + n + root), (pull + n - root) / (2 * pull)), 0, 1)
        total, variance = (weight * p).sum(), (weight * weight * p * (1 - p) / np.maximum(n - 1, 1)).sum()
        if (found - total) ** 2 <= Z * Z * variance + 1e-24:
            low = log
        else:
            high = log
        end = total
    return float(end)


def _joined(n: Any, x: Any) -> "Tuple[Any, Any, Any, List[List[int]]]":
    cells: "List[List[int]]" = []
    current: "List[int]" = []
    for c in range(len(n)):
        current.append(c)
        if n[current].sum() >= 5:
            cells.append(current)
            current = []
    if current:
        cells = cells[:-1] + [cells[-1] + current] if cells else [current]
    size = np.array([len(k) ** 2 / (1 / n[k]).sum() for k in cells])
    return np.array([len(k) / len(n) for k in cells]), size, np.array([(x[k] / n[k]).mean() for k in cells]) * size, cells


def _cells(weight: Any, n: Any, x: Any) -> "Tuple[float, float]":
    found = min(float((weight * x / n).sum()), 1.0)
    low = 0.0 if found < 1e-12 else _end(weight, n, x, found, 1)
    high = 1.0 if found > 1 - 1e-12 else _end(weight, n, x, found, -1)
    return max(0.0, min(low, found)), min(1.0, max(high, found))


def mean_interval(images: Any, hits: Any) -> "Tuple[float, float]":
    there = images > 0
    return _cells(*_joined(images[there], hits[there])[:3])


def _bias(u: float, jaccard: float) -> float:
    if u > 60:
        return -2 * jaccard * (1 - jaccard) / ((1 + jaccard) ** 3 * u)
    x = np.arange(int(u) + 1)
    return float((np.exp(_LOG[int(u)] + x * np.log(jaccard) + (u - x) * np.log(1 - jaccard)) * 2 * x / (u + x)).sum() - 2 * jaccard / (1 + jaccard))


def f1_interval(n: Any, m: Any, t: Any) -> "Tuple[float, float]":
    there = n > 0
    weight, size, hits, cells = _joined((n + m)[there] / 2, t[there])
    united, of = (n + m - t)[there], t[there]
    for i, cell in enumerate(cells):
        jaccard = of[cell].sum() / united[cell].sum()
        if 0 < jaccard < 1:
            sizes, counts = np.unique(united[cell], return_counts=True)
            bias = sum(k * _bias(u, jaccard) for u, k in zip(sizes, counts)) / counts.sum()
            hits[i] = min(size[i], hits[i] - bias * size[i])
    return _cells(weight, size, hits)


def corrected_interval(n: Any, m: Any, t: Any, kappa: bool) -> "Tuple[float, float]":
    images = n.sum()
    a0, b0 = n / images, m / images
    chance, accuracy = (a0 * b0).sum(), t.sum() / images
    scale = 1 - chance if kappa else np.sqrt((1 - (a0 * a0).sum()) * (1 - (b0 * b0).sum()))
    if scale <= 1e-12:
        return -1.0, 1.0
    a, b, h = (n + a0) / (images + 1), (m + b0) / (images + 1), (t + a0 * b0) / (images + 1)
    if kappa:
        smooth = 1 - (a * b).sum()
        value = (h.sum() - (a * b).sum()) / smooth
        label, prediction = -(1 - value) / smooth * b, -(1 - value) / smooth * a
    else:
        of_a, of_b = 1 - (a * a).sum(), 1 - (b * b).sum()
        smooth = np.sqrt(of_a * of_b)
        value = (h.sum() - (a * b).sum()) / smooth
        label, prediction = -b / smooth + value * a / of_a, -a / smooth + value * b / of_b
    hit, missed, wrong = 1 / smooth + label + prediction, a - h, b - h
    mean = (h * hit).sum() + (missed * label).sum() + (wrong * prediction).sum()
    squares = (h * hit * hit).sum()
    if missed.sum() > 0:
        squares += (missed * label**2).sum() + 2 * (missed * label).sum() * (wrong * prediction).sum() / missed.sum() + (wrong * prediction**2).sum()
    variance = max(0.0, squares - mean * mean) / images
    size = images if variance <= 0 else min(max(1.0, h.sum() * (1 - h.sum()) / (smooth**2 * variance)), images)
    centre = (accuracy + Z * Z / 2 / size) / (1 + Z * Z / size)
    half = Z / (1 + Z * Z / size) * np.sqrt(accuracy * (1 - accuracy) / size + Z * Z / 4 / size**2)
    return max(-1.0, (centre - half - chance) / scale), min(1.0, (centre + half - chance) / scale)


def values(n: Any, m: Any, t: Any) -> "Dict[str, Optional[float]]":
    occurs, images = (n + m) > 0, n.sum()
    chance, accuracy = (n * m).sum() / images**2, t.sum() / images
    scale = np.sqrt(max(0.0, 1 - (n * n).sum() / images**2) * max(0.0, 1 - (m * m).sum() / images**2))
    with np.errstate(all="ignore"):
        return {
            "precision": np.where(m > 0, t / m, 0)[occurs].mean(),
            "recall": np.where(n > 0, t / n, 0)[occurs].mean(),
            "f1": np.where(occurs, 2 * t / (n + m), 0)[occurs].mean(),
            "kappa": (accuracy - chance) / (1 - chance) if chance < 1 else None,
            "matthews": (accuracy - chance) / scale if scale > 0 else 0.0,
        }


def coverage(classes: int, images: int, p: float, imbalance: int, draws: int) -> "Dict[str, Tuple[float, float, float, int]]":
    """Returns for each metric the covered draws, the mean width, the smallest width, and the draws without a value."""
    share = np.geomspace(1, 1 / imbalance, classes)
    share /= share.sum()
    order = np.random.default_rng(classes).permutation(classes)
    accuracy = np.clip(p + (1 - p) * 0.6 * np.linspace(-1, 1, classes)[order], 0, 1)
    rows = np.zeros((classes, classes))
    for i in range(classes):
        rows[i] = 0.5 / (classes - 1) * (1 - accuracy[i])
        rows[i, (i + 1) % classes] += 0.5 * (1 - accuracy[i])
        rows[i, i] = accuracy[i]
    table = share[:, None] * rows
    predicted, hits = table.sum(0), np.diag(table)
    population = values(share, predicted, hits)
    of_class = {"precision": hits / predicted, "recall": hits / share, "f1": 2 * hits / (share + predicted)}
    random = np.random.default_rng(7)
    found = {name: [0.0, 0.0, 9.0, 0.0] for name in NAMES}
    for _ in range(draws):
        counts = random.multinomial(images, table.ravel()).reshape(classes, classes).astype(float)
        n, m, t = counts.sum(1), counts.sum(0), np.diag(counts)
        seen = values(n, m, t)
        intervals = {
            "precision": mean_interval(m, t),
            "recall": mean_interval(n, t),
            "f1": f1_interval(n, m, t),
            "kappa": corrected_interval(n, m, t, True),
            "matthews": corrected_interval(n, m, t, False),
        }
        for name, (low, high) in intervals.items():
            value, own = seen[name], found[name]
            if value is None:
                own[3] += 1
                continue
            low, high = min(low, value), max(high, value)
            enters = m > 0 if name == "precision" else n > 0
            truth = of_class[name][enters].mean() if name in of_class else population[name]
            own[0] += low - 1e-9 <= truth <= high + 1e-9
            own[1] += high - low
            own[2] = min(own[2], high - low)
    return {name: (a / max(1, draws - d), b / max(1, draws - d), c, int(d)) for name, (a, b, c, d) in found.items()}


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    worlds = [(c, n, p, i) for c in (2, 10, 100) for n in (30, 200, 2000) for p in (0.5, 0.9, 0.99, 1.0) for i in (1, 50)]
    if len(sys.argv) > 2:
        worlds = [(int(c), int(n), float(p), int(i)) for c, n, p, i in (text.split("/") for text in sys.argv[2:])]
    start = time.time()
    lowest = {name: (2.0, "") for name in NAMES}
    narrowest = 9.0
    for classes, images, p, imbalance in worlds:
        result = coverage(classes, images, p, imbalance, draws)
        world = f"{classes} classes, {images} images, accuracy {p}, imbalance {imbalance}"
        print(world, " ".join(f"{name} {held:.3f} (width {width:.3f})" for name, (held, width, _, _) in result.items()), flush=True)
        for name, (held, _, width, _) in result.items():
            lowest[name] = min(lowest[name], (held, world))
            narrowest = min(narrowest, width)
    for name, (held, world) in lowest.items():
        print(f"lowest: {name} {held:.3f} ({world})")
    print(f"narrowest interval {narrowest:.5f}; {time.time() - start:.0f} s")


if __name__ == "__main__":
    main()
