"""Coverage of the intervals of `assay compare --by ... --cluster ...`: of all groups' differences together, and of the lowest true difference.

usage: python3 bench/compare_cluster_coverage.py [draws]     (numpy, scipy; default: 1000 draws of every world)

A model is correct on an image if a normal number is below a threshold. This number is a sum of four parts: one that the images of a cluster share
for both models (`hard`), one that they share for this model alone (`own`), one that both models share on this image (.3), and noise. `own` makes
the differences of a cluster's images alike. Clusters lie within groups, or cross all of them. `uneven` clusters have 1 to 4 times as many images as
the smallest. The candidate's accuracy is the same in every group, or lower by 0 to 10 points. This is another implementation of
src/evaluate/compare_groups.cpp.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Tuple

import numpy as np
from scipy.stats import binom, norm, t as student

#         groups, clusters of each group, images, accuracy, kind
WORLDS = [
    (1, 30, 5, 0.9, "within"),
    (1, 5, 20, 0.8, "within"),
    (5, 12, 8, 0.8, "within"),
    (8, 30, 4, 0.9, "within"),
    (20, 8, 10, 0.8, "within"),
    (30, 5, 6, 0.9, "within"),
    (20, 5, 20, 0.95, "within"),
    (8, 40, 5, 0.99, "within"),
    (50, 20, 5, 0.8, "within"),
    (10, 12, 4, 0.8, "uneven"),
    (10, 40, 2, 0.8, "crossed"),
    (10, 40, 1, 0.9, "crossed"),
]
#             the columns are hard and own
STRUCTURES = [(0.0, 0.0), (0.4, 0.0), (0.2, 0.2), (0.1, 0.6)]
SHARED = 0.3


def drawn(world: Any, hard: float, own: float, lower: Any, draws: int, random: Any) -> Any:
    """Images of each cluster in each group, [4, draws, groups, clusters]: both correct, only the candidate, only the baseline, neither."""
    groups, clusters, images, accuracy, kind = world
    most = 4 * images if kind == "uneven" else images
    of_cluster = (draws, 1 if kind == "crossed" else groups, clusters, 1)
    of_image = (draws, groups, clusters, most)
    shared = np.sqrt(hard) * random.standard_normal(of_cluster) + np.sqrt(SHARED) * random.standard_normal(of_image)
    truths = np.full(groups, accuracy), accuracy - lower
    correct = []
    for truth in truths:
        number = shared + np.sqrt(own) * random.standard_normal(of_cluster)
        number = number + np.sqrt(max(0, 1 - hard - own - SHARED)) * random.standard_normal(of_image)
        scale = np.sqrt(max(1, hard + own + SHARED))
        correct.append(number / scale < norm.ppf(truth)[:, None, None])
    first, second = correct
    counted = np.arange(most) < images * (1 + np.arange(clusters) % 4)[:, None] if kind == "uneven" else np.ones((clusters, most), bool)
    cells = first & second, ~first & second, first & ~second, ~first & ~second
    return np.stack([(cell & counted).sum(-1) for cell in cells]).astype(float)


def wilson(p: Any, n: Any, z: float) -> "Tuple[Any, Any]":
    centre, half = p + z * z / 2 / n, z * np.sqrt(p * (1 - p) / n + z * z / 4 / n**2)
    return (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)


def newcombe(shares: Any, n: Any, z: float) -> "Tuple[Any, Any]":
    """Newcombe's (1998) method 10 for proportions [4, ...] of n images."""
    both, candidate, baseline, neither = shares * n
    p1, p2 = shares[0] + shares[1], shares[0] + shares[2]
    (l1, u1), (l2, u2) = wilson(p1, n, z), wilson(p2, n, z)
    margins = (both + candidate) * (baseline + neither) * (both + baseline) * (candidate + neither)
    cross = both * neither - candidate * baseline
    cross = np.where(cross > n / 2, cross - n / 2, np.minimum(cross, 0))
    phi = np.where(margins > 0, cross / np.sqrt(np.where(margins > 0, margins, 1)), 0)
    l1, u1, l2, u2 = p1 - l1, u1 - p1, p2 - l2, u2 - p2
    down = np.sqrt(np.maximum(0, l1**2 - 2 * phi * l1 * u2 + u2**2))
    up = np.sqrt(np.maximum(0, u1**2 - 2 * phi * u1 * l2 + l2**2))
    return np.maximum(-1, p1 - p2 - down), np.minimum(1, p1 - p2 + up)


class Groups:
    """Differences of the groups, from the counts of their clusters."""

    def __init__(self, counts: Any) -> None:
        sizes = counts.sum(0)
        self.clusters = counts.shape[-1]
        self.n = sizes.sum(-1)
        self.shares = counts.sum(-1) / self.n
        each = counts[1] - counts[2]
        self.difference = each.sum(-1) / self.n
        residuals = ((each - self.difference[..., None] * sizes) ** 2).sum(-1) * self.clusters / (self.clusters - 1)
        self.alike = (sizes**2).sum(-1) / self.n
        self.error = np.sqrt(residuals) / self.n
        self.floor = self.alike / self.n
        self.only = counts[1].sum(-1), counts[2].sum(-1)

    def independent(self, level: float) -> "Tuple[Any, Any]":
        return newcombe(self.shares, self.n, norm.ppf(0.5 + level / 2))

    def jackknife(self, level: float) -> "Tuple[Any, Any]":
        """The interval of `assay compare --cluster` without --by."""
        half = student.ppf(0.5 + level / 2, self.clusters - 1) * np.maximum(self.error, self.floor)
        return np.maximum(-1, self.difference - half), np.minimum(1, self.difference + half)

    def clustered(self, level: float) -> "Tuple[Any, Any]":
        """The jackknife's interval, widened to include that of independent images."""
        a, b = self.independent(level), self.jackknife(level)
        return np.minimum(a[0], b[0]), np.maximum(a[1], b[1])

    def p(self) -> Any:
        """Student's interval, at least as wide as McNemar's."""
        t = 2 * student.sf(np.abs(self.difference) / np.maximum(self.error, self.floor), self.clusters - 1)
        first, second = self.only
        return np.maximum(t, np.minimum(1, 2 * binom.cdf(np.minimum(first, second), first + second, 0.5)))


def main() -> None:
    draws, random, start = int(sys.argv[1]) if len(sys.argv) > 1 else 1000, np.random.default_rng(5), time.time()
    print("all groups hold, lowest held (width in points); any p below .05 / groups where the models are equal")
    for world in WORLDS:
        groups = world[0]
        for hard, own in STRUCTURES:
            for name, lower in (("equal", np.zeros(groups)), ("lower", np.linspace(0, 0.1, groups))):
                if groups == 1 and name == "lower":
                    continue
                truth = -lower
                found = Groups(drawn(world, hard, own, lower, draws, random))
                text = f"{world[0]:2d} x {world[1]:2d} x {world[2]:2d} {world[4]:7s} {world[3]:.2f}  hard {hard} own {own} {name}"
                for method in (found.independent, found.clustered):
                    low, high = method(0.95 ** (1 / groups))
                    together = ((low <= truth) & (truth <= high)).all(1).mean()
                    bottom, top = method(0.95)[0].min(1), method(1 - 0.05 / groups)[1].min(1)
                    held = ((bottom <= truth.min()) & (truth.min() <= top)).mean()
                    text += f"   {method.__name__} {together:.3f} {held:.3f} ({100 * (top - bottom).mean():.1f})"
                if name == "equal":
                    text += f"   p {(found.p() < 0.05 / groups).any(1).mean():.3f}"
                print(text, flush=True)
    print(f"{time.time() - start:.0f} s")


if __name__ == "__main__":
    main()
