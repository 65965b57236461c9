"""How often `assay slices --cluster` finds planted slices, and how often it finds one if there is none.

usage: python3 bench/slice_cluster_worlds.py none|planted [images] [draws]     (numpy; default: 2000 images, 100 draws of every world)

The worlds, which were defined before the method was run on them:
  clusters: even: 10 images each. uneven: 1 to 100 images each, sizes uniform on a logarithmic scale. few: 50 images each.
  accuracy: of each cluster, from a beta distribution. Each image of the cluster is correct with that chance. So the correlation of two images of
    one cluster is that of the distribution, .05, .3 or .9, and images of different clusters are independent.
  facets: the ten attributes of slice_worlds.py. Every second one, from the first on, has one value for each cluster; the others have a
    value for each image.
  none: nothing is planted. 2,000 images with means .2, .8 and .97, all clusters and all correlations; 10,000 images with mean .8.
  slopes: nothing is planted, but images with value 1 of the fourth attribute are less accurate in some clusters and more in others, by a normal
    difference with a standard deviation of 20 points and mean 0 for each cluster. Mean .8, correlation .3, 2,000 and 10,000 images, all clusters.
  unequal: nothing is planted, but clusters with value 1 of the third attribute have the correlation .9, and the others .05. Otherwise as slopes.
  planted: mean .8, correlation .3, 2,000 and 10,000 images, even and uneven clusters. All images of the slice are 10, 20 or 30 points lower than
    their cluster's accuracy, but not below 0.
    slice of clusters: value 1 of the third attribute, a third of the clusters.
    slice of images: value 1 of the fourth attribute, a third of the images.
    small: value 1 of the eighth attribute, 2 of 21 images.
    pair: value 1 of the third and value 2 of the fourth attribute, 1 in 6 images.

Goal: if nothing is planted, nothing is found in at least 95 of 100 draws of each world. Elsewhere, recall is the proportion of draws in which
the planted slice itself is found, and precision the proportion of found slices that are the planted one.

This is another implementation of src/slices, which the test test_slices.py compares with the command.
"""

from __future__ import annotations

import sys
from math import exp, lgamma
from typing import Any

import numpy as np

import slice_worlds

CORRELATIONS, MEANS, KINDS = (0.05, 0.3, 0.9), (0.2, 0.8, 0.97), ("even", "uneven", "few")
PLANTED = (("of clusters", ((2, 1),)), ("of images", ((3, 1),)), ("small", ((7, 1),)), ("pair", ((2, 1), (3, 2))))


def clusters(kind: str, n: int, random: Any) -> Any:
    """Returns the cluster of each image."""
    if kind == "uneven":
        sizes = np.exp(random.uniform(0, np.log(100), n)).astype(int)
    else:
        sizes = np.full(n, 10 if kind == "even" else 50)
    return np.repeat(np.arange(n), sizes)[:n]


def drawn(n: int, kind: str, mean: float, correlation: float, planted: Any, drop: float, random: Any, world: str = "") -> Any:
    """Returns the facets, the correct predictions, and the clusters. `world` is "slopes", "unequal" or another name."""
    cluster = clusters(kind, n, random)
    many = cluster.max() + 1
    facets = []
    for f, count in enumerate(slice_worlds.VALUES):
        weight = (1 + np.arange(count)) / (1 + np.arange(count)).sum()
        facets.append(random.choice(count, size=many, p=weight)[cluster] if f % 2 == 0 else random.choice(count, size=n, p=weight))
    correlations = np.full(many, correlation)
    if world == "unequal":
        correlations[:] = 0.05
        correlations[cluster[facets[2] == 1]] = 0.9
    spread = 1 / correlations - 1
    accuracy = random.beta(mean * spread, (1 - mean) * spread)[cluster]
    if world == "slopes":
        accuracy = np.clip(accuracy + np.where(facets[3] == 1, random.normal(0, 0.2, many)[cluster], 0), 0, 1)
        # The limits 0 and 1 make the mean of these images lower.
        accuracy[facets[3] != 1] += accuracy[facets[3] == 1].mean() - accuracy[facets[3] != 1].mean()
        accuracy = np.clip(accuracy, 0, 1)
    if planted:
        inside = np.all([facets[f] == v for f, v in planted], axis=0)
        accuracy = np.where(inside, np.maximum(0, accuracy - drop), accuracy)
    return facets, random.random(n) < accuracy, cluster


FEWEST_CLUSTERS = 5
FEW_ERRORS = 3  # the weight of pairs of images that are taken as identical


def lower(hits: float, images: float, all_hits: float, all_images: float) -> float:
    """slice_worlds.lower() with numbers that may be fractions: binomial coefficients by the gamma function."""

    def choose(a: float, b: float) -> float:
        return lgamma(a + 1) - lgamma(b + 1) - lgamma(a - b + 1)

    misses = all_images - all_hits
    total, x = 0.0, hits
    while x >= 0 and images - x <= misses:
        total += exp(choose(all_hits, x) + choose(misses, images - x) - choose(all_images, images))
        x -= 1
    return min(1.0, total)


def design_effect(n: Any, h: Any, W: Any, H: Any) -> float:
    """Variance of the difference of two accuracies, divided by that of independent images; at least 1. Each cluster has images of the slice, hits
    among them, images and hits of all."""
    m, k = W - n, H - h
    S, R, N = n.sum(), m.sum(), W.sum()
    p = H.sum() / N
    spread, independent = p * (1 - p), 1 / S + 1 / R
    # The correlation of two images of one cluster.
    pairs = (W * (W - 1)).sum()
    found = (((H - p * W) ** 2).sum() - N * spread) / (spread * pairs) if pairs > 0 else 0.0
    errors = min(H.sum(), N - H.sum())
    alike = min(1.0, max(0.0, (errors * found + FEW_ERRORS) / (errors + FEW_ERRORS)))
    by_pairs = 1 + alike * ((n * (n - 1)).sum() / S**2 + (m * (m - 1)).sum() / R**2 - 2 * (n * m).sum() / (S * R)) / independent
    # The estimate from the residuals of the slice's own clusters, in case these are more alike than others.
    u = (h - h.sum() / S * n) / S - (k - k.sum() / R * m) / R
    return float(max(1.0, by_pairs, (u * u).sum() / (spread * independent)))


def compare(part: Any, whole: Any) -> float:
    """Fisher's exact test, with all counts divided by the design effect. The result is at least p of the original counts."""
    (n, h), (W, H) = part, whole
    counts = [int(x.sum()) for x in (h, n, H - h, W - n)]
    p = slice_worlds.lower(*counts)
    if p == 1:
        return p
    effect = design_effect(n, h, W, H)
    return p if effect == 1 else max(p, lower(h.sum() / effect, n.sum() / effect, H.sum() / effect, W.sum() / effect))


class Counted:
    """Returns the images and hits of each cluster, for any conditions, in each half."""

    def __init__(self, facets: Any, hit: Any, cluster: Any, half: Any) -> None:
        self.facets, self.hit, self.cluster, self.half = facets, hit.astype(float), cluster, half
        self.known: dict[Any, Any] = {}

    def of(self, conditions: Any, s: int) -> Any:
        if (conditions, s) not in self.known:
            inside = self.half == s
            for f, v in conditions:
                inside = inside & (self.facets[f] == v)
            many = self.cluster.max() + 1
            own = self.cluster[inside]
            self.known[conditions, s] = (np.bincount(own, minlength=many).astype(float), np.bincount(own, weights=self.hit[inside], minlength=many))
        return self.known[conditions, s]

    @staticmethod
    def wholes(one: Any) -> Any:
        return [(), *((c,) for c in one.conditions if len(one.conditions) == 2)]

    def large(self, one: Any) -> bool:
        for s in (0, 1):
            n = self.of(one.conditions, s)[0]
            others = [(self.of(whole, s)[0] > n).sum() for whole in self.wholes(one)]
            if min((n > 0).sum(), *others) < FEWEST_CLUSTERS:
                return False
        return True

    def p(self, one: Any, s: int) -> float:
        worst = 0.0
        for whole in self.wholes(one):
            worst = max(worst, compare(self.of(one.conditions, s), self.of(whole, s)))
            if s == 0 and worst > slice_worlds.SCREEN:
                break
        return worst


def find(facets: Any, source: Any, hit: Any, cluster: Any, half: Any) -> Any:
    """Like slice_worlds.find(), with tests for images in clusters."""
    counted = Counted(facets, hit, cluster, half)
    tested = [one for one in slice_worlds.candidates(facets, source, hit, half) if counted.large(one)]
    if not tested:
        return [], 0, 0
    p = np.array([counted.p(one, 0) for one in tested])
    selected = [one for one, q in zip(tested, slice_worlds.benjamini_hochberg(p, len(p))) if q <= slice_worlds.SCREEN]
    kept = []
    for one in selected:
        beyond = []
        for pair in selected:
            if len(one.conditions) == 1 and len(pair.conditions) == 2 and one.conditions[0] in pair.conditions:
                (n, h), (a, b), (W, H) = (counted.of(x, 0) for x in (one.conditions, pair.conditions, ()))
                beyond.append(compare((n - a, h - b), (W - a, H - b)))
        if not beyond or max(beyond) <= slice_worlds.BEYOND:
            kept.append(one)
    if not kept:
        return [], len(tested), 0
    adjusted = slice_worlds.holm(np.array([counted.p(one, 1) for one in kept]))
    return [(one, q) for one, q in zip(kept, adjusted) if q <= slice_worlds.LEVEL], len(tested), len(kept)


def report(name: str, draws: int, world: Any, planted: Any = ()) -> None:
    nothing = plain = recall = found = exact = tested = 0
    for _ in range(draws):
        facets, hit, cluster, random = world()
        half = random.integers(0, 2, cluster.max() + 1)[cluster]
        slices, count, _ = find(facets, range(len(facets)), hit, cluster, half)
        own = sum(set(one.conditions) == set(planted) for one, _ in slices)
        nothing, recall, found, exact, tested = nothing + (not slices), recall + (own > 0), found + len(slices), exact + own, tested + count
        if not planted:
            plain += not slice_worlds.find(facets, range(len(facets)), hit, random.integers(0, 2, len(hit)))[0]
    if planted:
        print(f"{name}: recall {recall / draws:.2f}, precision {exact / max(1, found):.2f}, {tested // draws} tested", flush=True)
    else:
        print(f"{name}: nothing found in {nothing / draws:.2f}, {plain / draws:.2f} without clusters; {tested // draws} tested", flush=True)


def main() -> None:
    which, n, draws = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 2000, int(sys.argv[3]) if len(sys.argv) > 3 else 100

    def one(kind: str, mean: float, correlation: float, planted: Any = (), drop: float = 0.0, world: str = "") -> None:
        random = np.random.default_rng([n, KINDS.index(kind), int(100 * mean), int(100 * correlation), int(100 * drop), len(planted), len(world)])
        name = f"{n} images, {kind} clusters, mean {mean}, correlation {correlation}, {world or (planted and f'{planted} {drop} lower') or 'none'}"
        report(name, draws, lambda: (*drawn(n, kind, mean, correlation, planted, drop, random, world), random), planted)

    if which == "none":
        for kind in KINDS:
            for mean in MEANS if n == 2000 else (0.8,):
                for correlation in CORRELATIONS:
                    one(kind, mean, correlation)
            for world in ("slopes", "unequal"):
                one(kind, 0.8, 0.3, world=world)
    else:
        for kind in KINDS[:2]:
            for _, planted in PLANTED:
                for drop in (0.1, 0.2, 0.3):
                    one(kind, 0.8, 0.3, planted, drop)


if __name__ == "__main__":
    main()
