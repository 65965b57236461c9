"""How often `assay slices --cluster` finds planted slices, and how often it finds one where there is none.

usage: python3 bench/slice_cluster_worlds.py none|planted [draws]     (numpy; default: 100 draws of every world)

The worlds, written down before the method was run on them:
  clusters: even: 10 images each. uneven: 1 to 100 images each, sizes uniform on a logarithmic scale. few: 50 images each.
  accuracy: of each cluster, from a beta distribution. Each image of the cluster is correct with that chance. So the correlation of two images of
    one cluster is that of the distribution, .05, .3 or .9, and images of different clusters are independent.
  facets: the ten attributes of slice_worlds.py. Those at even places (the first, the third) have one value for each cluster; the others have a
    value for each image.
  none: nothing is planted: 2,000 images with means .2, .8 and .97, all clusters and all correlations; 10,000 images with mean .8.
  slopes: nothing is planted, but images with value 1 of the fourth attribute are less accurate in some clusters and more in others, by a normal
    difference with a standard deviation of 20 points and mean 0 for each cluster. Mean .8, correlation .3, 2,000 and 10,000 images, all clusters.
  unequal: nothing is planted, but clusters with value 1 of the third attribute have the correlation .9, and the others .05. Otherwise as slopes.
  planted: mean .8, correlation .3, 2,000 and 10,000 images, even and uneven clusters. All images of the slice are 10, 20 or 30 points lower than
    their cluster's accuracy, but not below 0.
    of clusters: value 1 of the third attribute, a third of the clusters.
    of images: value 1 of the fourth attribute, a third of the images.
    small: value 1 of the eighth attribute, 2 of 21 images.
    pair: value 1 of the third and value 2 of the fourth attribute, 1 in 6 images.

Wanted: where nothing is planted, nothing is found in at least 95 of 100 draws of each world. Elsewhere, recall is the proportion of draws in which
the planted slice itself is found, and precision the proportion of found slices that are the planted one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import slice_worlds

CORRELATIONS, MEANS, KINDS = (0.05, 0.3, 0.9), (0.2, 0.8, 0.97), ("even", "uneven", "few")
PLANTED = (("of clusters", ((2, 1),)), ("of images", ((3, 1),)), ("small", ((7, 1),)), ("pair", ((2, 1), (3, 2))))


def clusters(kind: str, n: int, random: Any) -> Any:
    """The cluster of each image."""
    if kind == "uneven":
        sizes = np.exp(random.uniform(0, np.log(100), n)).astype(int)
    else:
        sizes = np.full(n, 10 if kind == "even" else 50)
    return np.repeat(np.arange(n), sizes)[:n]


def drawn(n: int, kind: str, mean: float, correlation: float, planted: Any, drop: float, random: Any, world: str = "") -> Any:
    """The facets, which predictions are correct, and the clusters. world: "slopes", "unequal"."""
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
