"""Coverage of the 95 % intervals of `assay score --per-class` for several valid labels: recall, precision and average precision of
each class, and the proportions of images with several labels and with a missed label.

usage: python3 bench/valid_label_coverage.py [draws]      (default: 1000 draws; needs numpy and scipy)

Worlds have classes with label rates of .5, .15, .05 or .02 in 100, 300 or 1,000 images, which are independent. The score of a class
is normal noise, plus a skill of 1 or 3 if it is valid. Labels of one image are drawn together: an image that is crowded has three
times the rate. The truth is the value over 400,000 images. Images without a label do not count. This is another implementation of
src/evaluate/valid_labels.cpp and of ClassCurves::class_estimate(). A value or an interval that is undefined does not count; the
table says how many there are.
"""

from __future__ import annotations

import sys
from typing import Any, Dict, List, Tuple

import numpy as np
from scipy.stats import t as student

Z = 1.959963984540054
RATES = np.array([0.5, 0.15, 0.05, 0.02, 0.15, 0.05])


def wilson(p: float, n: float, z: float = Z) -> "Tuple[float, float]":
    centre = (p * n + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * np.sqrt(n * p * (1 - p) + z * z / 4)
    return max(0.0, centre - half), min(1.0, centre + half)


def draw(random: Any, items: int, skill: float) -> "Tuple[Any, Any]":
    crowded = random.random((items, 1)) < 0.3
    rates = np.where(crowded, np.minimum(0.9, 3 * RATES), RATES)
    labels = random.random((items, len(RATES))) < rates
    keep = labels.any(1)
    scores = random.normal(size=labels.shape) + skill * labels
    return labels[keep], scores[keep]


def area_and_parts(labels: Any, scores: Any) -> "Tuple[float, Any, float]":
    """The average precision, each image's influence, and the share of a positive's own score."""
    order = np.argsort(-scores)
    y = labels[order].astype(float)
    p, n = y.sum(), len(y)
    hits, all_ = np.cumsum(y), np.arange(1, n + 1)
    area = (y * hits / all_).sum() / p
    # One more image at x changes the precision at all positives at and below x.
    gain = np.cumsum((y / all_)[::-1])[::-1]
    loss = np.cumsum((y * hits / all_**2)[::-1])[::-1]
    few = np.sqrt(p / (p - 1)) if p > 1 else 1.0
    influence = np.where(y > 0, (hits / all_ - area + gain - loss) / p * few, -loss / p)
    others = np.where(all_ > 1, (hits - 1) / np.maximum(1, all_ - 1), 1)
    return area, (influence, y), (y * (hits / all_ - others)).sum() / p


def area_interval(labels: Any, scores: Any) -> "Tuple[float, float]":
    area, (influence, y), bias = area_and_parts(labels, scores)
    p, n = y.sum(), len(y)
    parts = (influence[y > 0] ** 2).sum(), (influence[y == 0] ** 2).sum()
    squares = parts[0] ** 2 / max(1, p - 1) + parts[1] ** 2 / max(1, n - p - 1)
    variance = sum(parts)
    degrees = max(1.0, variance**2 / squares) if squares > 0 else 0
    variance += bias**2 / 2
    centre = min(max(area - bias, 0), 1)
    spread = centre * (1 - centre)
    size = spread / (variance + 2 * spread / p**2) if variance > 0 and spread > 0 else p
    low, high = wilson(centre, size, student.ppf(0.975, degrees) if degrees > 0 else Z)
    return low, max(high, area)


def values(labels: Any, scores: Any, intervals: bool) -> "Dict[Tuple[str, str], Any]":
    """By name and rate: the value, or its interval; None if it is undefined."""
    g = labels.sum(1)
    ranks = np.argsort(np.argsort(-scores, axis=1), axis=1)
    best = ranks < g[:, None]
    found = best & labels
    missing, several = found.sum(1) < g, g > 1

    def proportion(hits: Any, of: Any) -> Any:
        n = of.sum()
        if n == 0:
            return None
        p = (hits & of).sum() / n
        return wilson(p, n) if intervals else p

    out = {("several labels", "all"): proportion(several, np.ones_like(several))}
    out["a label missed", "several"] = proportion(missing, several)
    for c in range(4):
        rate = f"{RATES[c]:g}"
        out["recall", rate] = proportion(best[:, c], labels[:, c])
        out["precision", rate] = proportion(labels[:, c], best[:, c])
        p = labels[:, c].sum()
        if intervals:
            out["average precision", rate] = None if p < 2 else area_interval(labels[:, c], scores[:, c])
        else:
            out["average precision", rate] = area_and_parts(labels[:, c], scores[:, c])[0]
    return out


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    totals: "Dict[str, List[int]]" = {}
    print("| value | rate | images | skill | coverage % | undefined | width |\n|---|---|---|---|---|---|---|")
    truths = {skill: values(*draw(np.random.default_rng(1), 400000, skill), False) for skill in (1.0, 3.0)}
    for items in (100, 300, 1000):
        for skill, truth in truths.items():
            tally: "Dict[Tuple[str, str], List[float]]" = {key: [0, 0, 0] for key in truth}
            for at in range(draws):
                for key, interval in values(*draw(np.random.default_rng([2, items, at]), items, skill), True).items():
                    if interval is None:
                        tally[key][1] += 1
                        continue
                    tally[key][0] += interval[0] <= truth[key] <= interval[1]
                    tally[key][2] += interval[1] - interval[0]
            for (name, rate), (held, absent, width) in tally.items():
                there = draws - int(absent)
                print(f"| {name} | {rate} | {items} | {skill:g} | {100 * held / max(1, there):.1f} | {int(absent)} | {width / max(1, there):.3f} |")
                total = totals.setdefault(name, [0, 0])
                total[0] += int(held)
                total[1] += there
    for name, (held, there) in totals.items():
        print(f"{name}: {100 * held / there:.1f} % of {there} intervals hold the truth")


if __name__ == "__main__":
    main()
