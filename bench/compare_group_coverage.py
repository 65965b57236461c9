"""Coverage of the intervals of `assay compare --by`: of all groups' differences together, and of the lowest true difference.

usage: python3 bench/compare_group_coverage.py [draws]     (numpy, scipy; default: 4000 draws of every world, 3 s)

The groups are those of the worlds in docs/groups.md: G groups of n images, with one accuracy of the baseline. The candidate's accuracy is the same in
every group, or lower by 0 to 10 points. `shared` says how often both models err on the same images: 0 is by chance alone, and 1 is as often as possible.
This is another implementation of src/evaluate/compare_groups.cpp.
"""

from __future__ import annotations

import sys
from typing import Any, Tuple

import numpy as np
from scipy.stats import norm

WORLDS = [(1, 100, 0.8), (5, 60, 0.9), (50, 100, 0.8), (50, 30, 0.95), (20, 10, 0.5), (8, 200, 0.99)]


def wilson(hits: Any, n: Any, z: float) -> "Tuple[Any, Any]":
    p = hits / n
    centre, half = p + z * z / 2 / n, z * np.sqrt(p * (1 - p) / n + z * z / 4 / n**2)
    return (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)


def paired(counts: Any, level: float) -> "Tuple[Any, Any, Any]":
    """Newcombe's (1998) method 10 for counts [..., 4]: both correct, only the candidate, only the baseline, neither."""
    both, candidate, baseline, neither = np.moveaxis(counts.astype(float), -1, 0)
    z, n = norm.ppf(0.5 + level / 2), counts.sum(-1)
    (l1, u1), (l2, u2) = wilson(both + candidate, n, z), wilson(both + baseline, n, z)
    p1, p2 = (both + candidate) / n, (both + baseline) / n
    margins = (both + candidate) * (baseline + neither) * (both + baseline) * (candidate + neither)
    cross = both * neither - candidate * baseline
    cross = np.where(cross > n / 2, cross - n / 2, np.minimum(cross, 0))
    phi = np.where(margins > 0, cross / np.sqrt(np.maximum(margins, 1)), 0)
    l1, u1, l2, u2 = p1 - l1, u1 - p1, p2 - l2, u2 - p2
    down = np.sqrt(np.maximum(0, l1**2 - 2 * phi * l1 * u2 + u2**2))
    up = np.sqrt(np.maximum(0, u1**2 - 2 * phi * u1 * l2 + l2**2))
    difference = (candidate - baseline) / n
    return difference, np.maximum(-1, difference - down), np.minimum(1, difference + up)


def main() -> None:
    draws, random = int(sys.argv[1]) if len(sys.argv) > 1 else 4000, np.random.default_rng(1)
    print("groups x images, accuracy; shared; candidate   all hold   lowest: covered, width in points   own interval of the lowest")
    for groups, n, accuracy in WORLDS:
        for shared in (0, 0.7, 0.95):
            for name, lower in (("equal", np.zeros(groups)), ("lower", np.linspace(0, 0.1, groups))):
                if groups == 1 and name == "lower":
                    continue
                first, second = np.full(groups, accuracy), accuracy - lower
                chance = first * second
                both = chance + shared * (np.minimum(first, second) - chance)
                cells = np.stack([both, second - both, first - both, 1 - first - second + both], -1)
                counts = np.stack([random.multinomial(n, cells[g], draws) for g in range(groups)], 1)
                truth = second - first
                _, low, high = paired(counts, 0.95 ** (1 / groups))
                together = ((low <= truth) & (truth <= high)).all(1).mean()
                observed, low, high = paired(counts, 0.95)
                _, _, above = paired(counts, 1 - 0.05 / groups)
                bottom, top = low.min(1), above.min(1)
                covered = ((bottom <= truth.min()) & (truth.min() <= top)).mean()
                at = np.arange(draws), observed.argmin(1)
                own = ((low[at] <= truth.min()) & (truth.min() <= high[at])).mean()
                print(f"{groups:3d} x {n:3d}, {accuracy}; {shared:4.2f}; {name}   {together:.3f}   {covered:.3f}, {100 * (top - bottom).mean():.1f}   {own:.3f}")


if __name__ == "__main__":
    main()
