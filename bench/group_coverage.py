"""Coverage of the interval of the lowest true accuracy of groups, and of all differences to the other images together.

usage: python3 bench/group_coverage.py [draws]     (numpy, scipy; default: 200 draws of every world)

There are groups of equal and of spread accuracies. Images may be in clusters, and each cluster has its own accuracy, from a beta
distribution with the intraclass correlation `icc`. Clusters are within groups or cross them. Groups by two attributes overlap. This is another
implementation of src/evaluate/group_hits.cpp, with random draws of its own.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Tuple

import numpy as np
from scipy.stats import beta, norm, t as student

Z = norm.ppf(0.975)
BLOCKS, DRAWS = 128, 1000


def wilson(p: Any, n: Any, z: float = Z) -> "Tuple[Any, Any]":
    centre = (p + z * z / 2 / n) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / 4 / n**2)
    return centre - half, centre + half


def exact(p: Any, n: Any, tail: float) -> "Tuple[Any, Any]":
    """Clopper and Pearson's bounds, each with this tail probability."""

    def upper(x: Any) -> Any:
        return np.where(n - x < 1e-9, 1, beta.isf(tail, x + 1, np.maximum(n - x, 1e-9)))

    return 1 - upper(n * (1 - p)), upper(n * p)


def error(p: Any, n: Any) -> Any:
    return np.sqrt(p * (1 - p) / n + Z * Z / 4 / n**2) / (1 + Z * Z / n)


def size_of(hit: Any, cluster: Any) -> float:
    """The number of independent images with the same information."""
    _, of = np.unique(cluster, return_inverse=True)
    m, x = np.bincount(of), np.bincount(of, weights=hit)
    n, p, count = len(hit), hit.mean(), len(m)
    alike = (m * m).sum() / n
    found = ((x - m * p) ** 2).sum() * count / (count - 1) / (n * p * (1 - p)) if 0 < p < 1 else alike
    errors = min(hit.sum(), n - hit.sum())
    effect = min(alike, max(1.0, (errors * found + 3 * alike) / (errors + 3)))
    return n / effect * (Z / student.ppf(0.975, count - 1)) ** 2


def judge(hit: Any, columns: Any, cluster: Any, random: Any) -> "Tuple[float, float, Any, Any, Any]":
    """The interval of the lowest accuracy, then the low end, high end and group of each difference."""
    clustered = cluster is not None
    unit = cluster if clustered else np.arange(len(hit))
    block = random.permutation(unit.max() + 1)[unit] % BLOCKS
    groups = [(c, g) for c, column in enumerate(columns) for g in range(column.max() + 1)]
    p, n, size, influence, of_rest, rest, rest_size = [], [], [], [], [], [], []
    for c, g in groups:
        own = columns[c] == g
        p.append(hit[own].mean())
        n.append(own.sum())
        size.append(size_of(hit[own], cluster[own]) if clustered else own.sum())
        influence.append(np.bincount(block[own], weights=hit[own] - p[-1], minlength=BLOCKS) / own.sum())
        others = hit[~own]
        rest.append(others.mean())
        effect = len(hit) / size_of(hit, cluster) if clustered else 1
        rest_size.append(len(others) / effect)
        of_rest.append(influence[-1] - np.bincount(block[~own], weights=others - rest[-1], minlength=BLOCKS) / len(others))
    p, size, rest, rest_size = (np.array(x) for x in (p, size, rest, rest_size))
    s = error(p, size)

    def drawn(rows: Any, scale: Any) -> Any:
        rows = np.array(rows).T
        norms = np.sqrt((rows**2).sum(0))
        half = random.standard_normal((DRAWS // 2, BLOCKS)) @ np.where(norms > 0, rows / np.where(norms > 0, norms, 1), 0)
        half[:, norms == 0] = random.standard_normal((DRAWS // 2, int((norms == 0).sum())))
        return np.vstack([half, -half]) * scale

    tail = 0.05 / 2 / len(groups)
    if clustered or len(columns) > 1:
        largest = np.quantile((drawn(influence, s) / s).max(1), 0.975)
        tail = max(tail, norm.sf(largest))
    x = p * size
    high = np.where(p == 1, 1, beta.isf(tail, x + 1, np.maximum(size - x, 1e-9))).min()
    low = wilson(p, size)[0].min()
    both = np.hypot(s, error(rest, rest_size))
    q = max(Z, np.quantile(np.abs(drawn(of_rest, both) / both).max(1), 0.95))
    a, b = exact(p, size, norm.sf(q)), exact(rest, rest_size, norm.sf(q))
    d = p - rest
    return low, high, d - np.hypot(p - a[0], b[1] - rest), d + np.hypot(a[1] - p, rest - b[0]), groups


def world(name: str, random: Any) -> "Tuple[Any, Any, Any, Any]":
    """The hits, columns, clusters and true accuracy of each group."""
    kind, groups, clusters, images, accuracy, spread, icc = {
        "20 groups x 50, .8": ("plain", 20, 50, 1, 0.8, 0, 0),
        "8 groups x 30 clusters of 4, .9": ("within", 8, 30, 4, 0.9, 0, 0.3),
        "8 groups x 30 clusters of 4, .75 to .9": ("within", 8, 30, 4, 0.9, 0.15, 0.3),
        "20 groups x 8 clusters of 10, .8": ("within", 20, 8, 10, 0.8, 0, 0.5),
        "30 groups x 5 clusters of 6, .9": ("within", 30, 5, 6, 0.9, 0, 0.2),
        "10 groups crossed by 40 clusters, .8": ("crossed", 10, 40, 10, 0.8, 0, 0.3),
        "two attributes of 10 groups, 600 images, .8": ("overlap", 10, 600, 1, 0.8, 0, 0),
        "two attributes of 10 groups, 600 images, .97": ("overlap", 10, 600, 1, 0.97, 0, 0),
    }[name]
    truth = accuracy - spread * np.arange(groups) / max(groups - 1, 1)
    if kind == "plain":
        group = np.repeat(np.arange(groups), clusters)
        return (random.random(len(group)) < truth[group]).astype(float), [group], None, truth
    if kind == "overlap":
        columns = [random.permutation(np.arange(clusters) % groups) for _ in range(2)]
        return (random.random(clusters) < accuracy).astype(float), columns, None, np.full(2 * groups, accuracy)
    cluster = np.repeat(np.arange(groups * clusters if kind == "within" else clusters), images)
    group = cluster // clusters if kind == "within" else np.arange(len(cluster)) % groups
    mean = truth[group[:: images]] if kind == "within" else np.full(clusters, accuracy)
    own = random.beta(mean * (1 - icc) / icc, (1 - mean) * (1 - icc) / icc)
    return (random.random(len(cluster)) < own[cluster]).astype(float), [group], cluster, truth


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    start = time.time()
    for name in (
        "20 groups x 50, .8",
        "8 groups x 30 clusters of 4, .9",
        "8 groups x 30 clusters of 4, .75 to .9",
        "20 groups x 8 clusters of 10, .8",
        "30 groups x 5 clusters of 6, .9",
        "10 groups crossed by 40 clusters, .8",
        "two attributes of 10 groups, 600 images, .8",
        "two attributes of 10 groups, 600 images, .97",
    ):
        random = np.random.default_rng(3)
        held = together = own = width = 0.0
        for _ in range(draws):
            hit, columns, cluster, truth = world(name, random)
            low, high, lows, highs, groups = judge(hit, columns, cluster, random)
            least = truth.min()
            held += low <= least <= high
            width += high - low
            p = np.array([hit[columns[c] == g].mean() for c, g in groups])
            n = np.array([(columns[c] == g).sum() for c, g in groups])
            a, b = wilson(p[p.argmin()], n[p.argmin()])
            own += a <= least <= b
            true = np.array([truth[i] - (truth.sum() - truth[i]) / (len(truth) - 1) for i in range(len(truth))]) if len(columns) == 1 else np.zeros(len(groups))
            together += bool(((lows <= true) & (true <= highs)).all())
        print(f"{name}: held {held / draws:.3f} (width {width / draws:.3f}), Wilson of the observed lowest {own / draws:.3f}, all differences {together / draws:.3f}", flush=True)
    print(f"{time.time() - start:.0f} s")


if __name__ == "__main__":
    main()
