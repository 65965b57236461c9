"""Coverage of the intervals of `assay gap --by`: of all groups' gaps together, and of the largest true gap.

usage: python3 bench/gap_group_coverage.py [draws]     (numpy, scipy; default: 4000 draws of every world)

There are G groups of n images on the first data set and of m on the second. The gap is the same in every group (0, or 10 points), or rises from 0 to
10 points. This is another implementation of src/evaluate/gap/gap_groups.cpp.
"""

from __future__ import annotations

import sys
from typing import Any, Tuple

import numpy as np
from scipy.stats import norm

#         groups, n, m, accuracy on the first data set
WORLDS = [(1, 100, 100, 0.8), (5, 60, 60, 0.9), (5, 200, 20, 0.9), (50, 100, 100, 0.8), (50, 30, 30, 0.95), (20, 10, 10, 0.5), (8, 200, 200, 0.99), (8, 30, 300, 0.99)]


def wilson(p: Any, n: Any, z: float) -> "Tuple[Any, Any]":
    centre, half = p + z * z / 2 / n, z * np.sqrt(p * (1 - p) / n + z * z / 4 / n**2)
    return (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)


def gap(p: Any, n: int, q: Any, m: int, level: float) -> "Tuple[Any, Any]":
    """Newcombe's (1998) method 10 for p - q, the difference of two independent proportions."""
    z = norm.ppf(0.5 + level / 2)
    (l1, u1), (l2, u2) = wilson(p, n, z), wilson(q, m, z)
    return p - q - np.hypot(p - l1, u2 - q), p - q + np.hypot(u1 - p, q - l2)


def main() -> None:
    draws, random = int(sys.argv[1]) if len(sys.argv) > 1 else 4000, np.random.default_rng(1)
    print("groups x images, accuracy; gaps   all hold   largest: covered, width in points   own interval of the largest observed")
    for groups, n, m, accuracy in WORLDS:
        for name, truth in (("0", np.zeros(groups)), ("10", np.full(groups, 0.1)), ("0 to 10", np.linspace(0, 0.1, groups))):
            if groups == 1 and name == "0 to 10":
                continue
            p = random.binomial(n, accuracy, (draws, groups)) / n
            q = random.binomial(m, accuracy - truth, (draws, groups)) / m
            low, high = gap(p, n, q, m, 0.95 ** (1 / groups))
            together = ((low <= truth) & (truth <= high)).all(1).mean()
            low, high = gap(p, n, q, m, 0.95)
            bottom, top = gap(p, n, q, m, 1 - 0.05 / groups)[0].max(1), high.max(1)
            largest = truth.max()
            at = np.arange(draws), (p - q).argmax(1)
            own = ((low[at] <= largest) & (largest <= high[at])).mean()
            covered = ((bottom <= largest) & (largest <= top)).mean()
            print(f"{groups:3d} x {n:3d} and {m:3d}, {accuracy}; {name:7s}   {together:.3f}   {covered:.3f}, {100 * (top - bottom).mean():.1f}   {own:.3f}")


if __name__ == "__main__":
    main()
