"""Coverage of the 95 % intervals of weighted macro precision, recall and F1, of Cohen's kappa and of Matthews' correlation.

usage: PYTHONPATH=python:tests/python python3 bench/weighted_class_coverage.py [SAMPLES]     (default: 300 of each world; needs NumPy alone)

The worlds were defined before a method was tried on them. They have 2 or 10 classes, and 150, 300 or 1,000 items. The first class
is 1 or 50 times as frequent as the last. A class is recognised with probability p = .7 or .95 on average. An item has u ~ N(0, 1), and
the logit of its probability is that of p plus u / 2. Half of the errors are predictions of the next class, and half are spread evenly.
Weights are exp(v), with another normal v, or exp(u), so that they are related to the errors. The truth of a macro mean is the mean of the
population's values over some classes: those with items (recall, F1) or predictions (precision) in the sample. The population has
a million items.

Three methods are compared:
- t: the value and its standard error from the influences of the items, with Student's quantile;
- wilson: Wilson's interval with the number of items that has the same variance;
- kish: the interval without weights (bench/class_score_coverage.py) of each class's weighted counts, scaled to Kish's effective
  number of the class's items
"""

import itertools
import sys

import numpy as np
from class_score_coverage import corrected_interval, f1_interval, mean_interval

from weighted_peer import values
from weighted_peer.influences import Items, dot, spread_of, student

POPULATION = 1_000_000
NAMES = ("precision", "recall", "f1", "kappa", "matthews")


def population(classes, imbalance, p, related, random):
    share = np.geomspace(1, 1 / imbalance, classes)
    labels = random.choice(classes, POPULATION, p=share / share.sum())
    u, v = random.normal(size=(2, POPULATION))
    correct = random.random(POPULATION) < 1 / (1 + np.exp(-np.log(p / (1 - p)) - u / 2))
    other = np.where(random.random(POPULATION) < 0.5, 1, random.integers(1, classes, POPULATION))
    return labels, np.where(correct, labels, (labels + other) % classes), np.exp(u if related else v)


def sums(labels, predicted, weights, classes):
    """Weighted items, predictions and hits of each class. Also the factors to Kish's numbers: of items, predictions, both, and all."""
    hit = labels == predicted
    n, m = np.bincount(labels, weights, classes), np.bincount(predicted, weights, classes)
    t, squares = np.bincount(labels[hit], weights[hit], classes), weights**2
    n2, m2 = np.bincount(labels, squares, classes), np.bincount(predicted, squares, classes)
    t2 = np.bincount(labels[hit], squares[hit], classes)
    with np.errstate(all="ignore"):
        factors = [np.nan_to_num(a / b) for a, b in ((n, n2), (m, m2), (n + m - t, n2 + m2 - t2))]
    return n, m, t, [*factors, weights.sum() / squares.sum()]


def truths(whole, there):
    n, m, t = whole
    labelled, predicted = there
    value = {
        "precision": (t / m)[predicted].mean(), "recall": (t / n)[labelled].mean(), "f1": (2 * t / (n + m))[labelled].mean(),
    }
    a, b, agreed = n / n.sum(), m / n.sum(), t.sum() / n.sum()
    value["kappa"] = (agreed - a @ b) / (1 - a @ b)
    value["matthews"] = (agreed - a @ b) / np.sqrt((1 - a @ a) * (1 - b @ b))
    return value


def kish(n, m, t, factors):
    of_items, of_predictions, of_both, of_all = factors
    out = {"precision": mean_interval(m * of_predictions, t * of_predictions), "recall": mean_interval(n * of_items, t * of_items)}
    u = of_both * np.ones_like(n)
    out["f1"] = f1_whole(n * u, m * u, t * u)
    for name in ("kappa", "matthews"):
        out[name] = corrected_interval(n * of_all, m * of_all, t * of_all, name == "kappa")
    return out


def f1_whole(n, m, t):
    """f1_interval(), whose bias needs whole numbers of items. Other numbers are rounded, and their ratios are kept."""
    united = n + m - t
    with np.errstate(all="ignore"):
        scale = np.where(united > 0, np.maximum(1, np.rint(united)) / united, 0)
    scaled = [part * scale for part in (n, m, t)]
    scaled[2] = np.where(united > 0, scaled[0] + scaled[1] - np.rint(united * scale), 0)
    return f1_interval(*scaled)


def by_influence(name, items):
    found = values.found_of({"metric": name, "definition": ""}, items)
    spread = spread_of(items, found)
    half = student(0.975, spread.degrees) * spread.error
    low, high = found.value - half, found.value + half
    t, one = half / spread.error if spread.error > 0 else 1.96, (found.value + 1) / 2 if name in ("kappa", "matthews") else found.value
    scale = 2 if name in ("kappa", "matthews") else 1
    effective = 1 / dot(items.weights, items.weights)
    size = one * (1 - one) / (spread.error / scale) ** 2 if spread.error > 0 and 0 < one < 1 else effective
    ends = values._wilson(one, min(size, effective), t)
    return (low, high), tuple(end * scale - (scale - 1) for end in ends)


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    random = np.random.default_rng(12)
    for classes, imbalance, p, related in itertools.product((2, 10), (1, 50), (0.7, 0.95), (False, True)):
        labels, predicted, weights = population(classes, imbalance, p, related, random)
        whole = sums(labels, predicted, weights, classes)[:3]
        for size in (150, 300, 1000):
            inside, width = ({(name, how): 0.0 for name in NAMES for how in ("t", "wilson", "kish")} for _ in range(2))
            drawn = 0
            for _ in range(samples):
                chosen = random.integers(0, POPULATION, size)
                y, q, w = labels[chosen], predicted[chosen], weights[chosen] / weights[chosen].sum()
                if 1 / dot(w, w) < values.FEW:
                    continue
                drawn += 1
                n, m, t, factors = sums(y, q, w, classes)
                truth, scores = truths(whole, (n > 0, m > 0)), kish(n, m, t, factors)
                items = Items(w, y, q, {}, None, classes)
                for name in NAMES:
                    plain, wilson = by_influence(name, items)
                    for how, (low, high) in (("t", plain), ("wilson", wilson), ("kish", scores[name])):
                        inside[name, how] += low <= truth[name] <= high
                        width[name, how] += high - low
            print(f"classes={classes:2} {imbalance:2}:1 p={p} {'related' if related else 'apart':7} n={size:4} drawn {drawn:3}", end="")
            for name in NAMES:
                cells = [f"{inside[name, how] / max(drawn, 1):.3f}/{width[name, how] / max(drawn, 1):.2f}" for how in ("t", "wilson", "kish")]
                print(f"  {name} {' '.join(cells)}", end="")
            print(flush=True)


if __name__ == "__main__":
    main()
