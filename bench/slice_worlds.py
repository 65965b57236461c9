"""How often `assay slices` finds planted slices, and how often it finds one if there is none.

usage: python3 bench/slice_worlds.py [draws]     (numpy; default: 100 draws of every world)

The worlds, which were defined before the method was run on them:
  images: 2,000 or 10,000; accuracy .8. Images are independent.
  facets: ten attributes, independent of one another, with 2, 2, 3, 3, 4, 4, 5, 6, 8 and 50 values. Value v of L values, v from 0, has the weight
    1 + v.
  none: nothing is planted.
  single: value 1 of the third attribute (a third of the images) is 10, 20 or 30 points lower.
  small single: value 1 of the eighth attribute (2 of 21 images) is lower.
  pair: images with value 1 of the third and value 2 of the fifth attribute (1 in 10 images) are lower.
  classes: nothing is planted, but ten classes have accuracies from .5 to .95, and wrong predictions go to the next two classes. The label and the
    predicted class are facets, too. Slices by the label or the predicted class are truly lower. Slices with an attribute are not lower than the
    other images of that class, and none should be found.

Goal: if nothing is planted, nothing is found in at least 95 of 100 draws (in the world of classes, no slice with an attribute). Elsewhere,
recall is the proportion of draws in which the planted slice itself is found. Precision is the proportion of found slices that are the planted
one. The next column is the proportion of found slices that hold a part of the planted one. Such a slice counts if its true accuracy is lower
than that of the other images.

This is another implementation of src/slices, which the test test_slices.py compares with the command. It has no rule like `of_label` there: an
attribute that is a function of the label makes pairs with the predicted class here.
"""

from __future__ import annotations

import itertools
import sys
from typing import Any

import numpy as np

FEWEST = 20
SCREEN, LEVEL, BEYOND = 0.1, 0.05, 0.05


FACTORIAL = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, 100001)))])  # logarithms of factorials


def lower(hits: int, images: int, rest_hits: int, rest_images: int) -> float:
    """Fisher's exact test, one-sided: the probability of as few hits or fewer if the slice is like the rest. 1 if the slice is not lower."""
    if hits * rest_images >= rest_hits * images:
        return 1.0
    correct, whole = hits + rest_hits, images + rest_images
    x = np.arange(max(0, correct - rest_images), hits + 1)
    ways = FACTORIAL[correct] - FACTORIAL[x] - FACTORIAL[correct - x] + FACTORIAL[whole - correct]
    ways = ways - FACTORIAL[images - x] - FACTORIAL[whole - correct - images + x]
    return float(min(1.0, np.exp(ways - (FACTORIAL[whole] - FACTORIAL[images] - FACTORIAL[rest_images])).sum()))


def benjamini_hochberg(p: Any, m: int) -> Any:
    order = np.argsort(p, kind="stable")
    adjusted = np.minimum.accumulate((p[order] * m / np.arange(1, len(p) + 1))[::-1])[::-1]
    out = np.empty(len(p))
    out[order] = np.minimum(adjusted, 1)
    return out


def holm(p: Any) -> Any:
    order = np.argsort(p, kind="stable")
    adjusted = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    out = np.empty(len(p))
    out[order] = np.minimum(adjusted, 1)
    return out


class Slice:
    """conditions: (facet, value), one or two. counts[half] = (hits, images) of the slice, of all, and of each condition alone."""

    def __init__(self, conditions: Any, counts: Any) -> None:
        self.conditions, self.counts = conditions, counts

    def p(self, half: int) -> float:
        """Tests against all other images. A pair is also tested against the other images of each of its conditions."""
        (h, n), *wider = self.counts[half]
        return max(lower(h, n, H - h, N - n) for H, N in wider)

    def large(self) -> bool:
        return all(n >= FEWEST and all(N - n >= FEWEST for _, N in wider) for (_, n), *wider in self.counts)


def candidates(facets: Any, source: Any, hit: Any, half: Any) -> "list[Slice]":
    """`facets` has the items' values, or -1 for none. Facets with one source, or with an excluded pair of sources, make no pairs."""
    whole = [(int(hit[half == s].sum()), int((half == s).sum())) for s in (0, 1)]
    singles, out = [], []
    for f, of in enumerate(facets):
        count = []
        for s in (0, 1):
            inside = (half == s) & (of >= 0)
            count.append((np.bincount(of[inside], weights=hit[inside], minlength=of.max() + 1).astype(int), np.bincount(of[inside], minlength=of.max() + 1)))
        singles.append(count)
        for v in range(of.max() + 1):
            one = Slice(((f, v),), [[(int(count[s][0][v]), int(count[s][1][v])), whole[s]] for s in (0, 1)])
            if one.large():
                out.append(one)
    for f, g in itertools.combinations(range(len(facets)), 2):
        if source[f] == source[g] or {source[f], source[g]} == {"label", "predicted"}:
            continue
        a, b = facets[f], facets[g]
        width = b.max() + 1
        count = []
        for s in (0, 1):
            inside = (half == s) & (a >= 0) & (b >= 0)
            cell = a[inside] * width + b[inside]
            size = (a.max() + 1) * width
            count.append((np.bincount(cell, weights=hit[inside], minlength=size).astype(int), np.bincount(cell, minlength=size)))
        for cell in np.flatnonzero((count[0][1] >= FEWEST) & (count[1][1] >= FEWEST)):
            v, w = divmod(int(cell), int(width))
            counts = [[(int(count[s][0][cell]), int(count[s][1][cell])), whole[s]]
                      + [(int(singles[k][s][0][x]), int(singles[k][s][1][x])) for k, x in ((f, v), (g, w))] for s in (0, 1)]
            pair = Slice(((f, v), (g, w)), counts)
            if pair.large():
                out.append(pair)
    return out


def find(facets: Any, source: Any, hit: Any, half: Any) -> Any:
    """The found slices with their corrected p-values, and the numbers of tested and of selected slices."""
    tested = candidates(facets, source, hit, half)
    if not tested:
        return [], 0, 0
    p = np.array([one.p(0) for one in tested])
    selected = [one for one, q in zip(tested, benjamini_hochberg(p, len(p))) if q <= SCREEN]
    # A single condition adds nothing to a selected pair if it is not lower without the pair's images.
    kept = []
    for one in selected:
        if len(one.conditions) == 1:
            (h, n), (H, N) = one.counts[0]
            beyond = []
            for pair in selected:
                if len(pair.conditions) == 2 and one.conditions[0] in pair.conditions:
                    ph, pn = pair.counts[0][0]
                    beyond.append(lower(h - ph, n - pn, H - h, N - n))
            if beyond and max(beyond) > BEYOND:
                continue
        kept.append(one)
    if not kept:
        return [], len(tested), 0
    adjusted = holm(np.array([one.p(1) for one in kept]))
    return [(one, q) for one, q in zip(kept, adjusted) if q <= LEVEL], len(tested), len(kept)


VALUES = (2, 2, 3, 3, 4, 4, 5, 6, 8, 50)


def drawn(n: int, planted: Any, drop: float, random: Any) -> Any:
    facets = []
    for count in VALUES:
        weight = 1 + np.arange(count)
        facets.append(random.choice(count, size=n, p=weight / weight.sum()))
    inside = np.zeros(n, bool)
    if planted:
        inside = np.all([facets[f] == v for f, v in planted], axis=0)
    accuracy = np.where(inside, 0.8 - drop, 0.8)
    return facets, random.random(n) < accuracy, accuracy


def classes(n: int, random: Any) -> Any:
    """Returns the facets with label and predicted class, their sources, and the correct predictions."""
    facets, _, _ = drawn(n, (), 0, random)
    label = random.integers(0, 10, n)
    hit = random.random(n) < np.linspace(0.5, 0.95, 10)[label]
    predicted = np.where(hit, label, (label + random.integers(1, 3, n)) % 10)
    return [*facets, label, predicted], [*range(len(facets)), "label", "predicted"], hit


def is_lower(one: Slice, facets: Any, accuracy: Any) -> bool:
    inside = np.all([facets[f] == v for f, v in one.conditions], axis=0)
    return bool(accuracy[inside].mean() < accuracy[~inside].mean() - 1e-9 and any(accuracy[inside] < 0.8))


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    worlds = [("none", (), 0.0)]
    for name, planted in (("single", ((2, 1),)), ("small single", ((7, 1),)), ("pair", ((2, 1), (4, 2)))):
        worlds += [(name, planted, drop) for drop in (0.1, 0.2, 0.3)]
    print("images  planted       drop  nothing found  recall  found  precision  holds a part of it  tested")
    for n in (2000, 10000):
        for name, planted, drop in worlds:
            random = np.random.default_rng([n, int(100 * drop), len(name)])
            nothing = recall = found = exact = true = tested = 0
            for _ in range(draws):
                facets, hit, accuracy = drawn(n, planted, drop, random)
                slices, count, _ = find(facets, range(len(facets)), hit, random.integers(0, 2, n))
                nothing += not slices
                recall += any(set(one.conditions) == set(planted) for one, _ in slices)
                found += len(slices)
                exact += sum(set(one.conditions) == set(planted) for one, _ in slices)
                true += sum(is_lower(one, facets, accuracy) for one, _ in slices)
                tested += count
            rate = f"{exact / found:9.2f}  {true / found:18.2f}" if found else f"{'-':>9}  {'-':>18}"
            print(f"{n:6d}  {name:12s}  {drop:4.1f}  {nothing / draws:13.2f}  {recall / draws:6.2f}  {found / draws:5.2f}  {rate}  {tested // draws:6d}", flush=True)
    for n in (2000, 10000):
        random = np.random.default_rng([n, 1])
        false = found = 0
        for _ in range(draws):
            facets, source, hit = classes(n, random)
            slices, _, _ = find(facets, source, hit, random.integers(0, 2, n))
            found += len(slices)
            false += any(f < len(VALUES) for one, _ in slices for f, _ in one.conditions)
        print(f"{n:6d}  classes: {found / draws:.2f} slices found; none with an attribute in {1 - false / draws:.2f}", flush=True)


if __name__ == "__main__":
    main()
