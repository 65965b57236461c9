"""Writes fixtures/given_truth.json: values of NumPy, SciPy and scikit-learn for soft labels, classes in a tree and grades.

Run it only to change the fixture that the tests read.
"""
import json

import numpy as np
import scipy
import sklearn
from scipy.special import log_softmax, rel_entr
from sklearn.metrics import cohen_kappa_score

# There are three levels, and `whale` is less deep than the others.
PARENTS = {"whale": "animal", "cat": "pet", "dog": "pet", "wolf": "wild", "pet": "land",
           "wild": "land", "land": "animal", "animal": "root", "car": "vehicle",
           "truck": "vehicle", "vehicle": "thing", "thing": "root"}
CLASSES = ["whale", "cat", "dog", "wolf", "car", "truck"]


def way(name):
    ways = [name]
    while ways[-1] != "root":
        ways.append(PARENTS[ways[-1]])
    return ways[::-1]


def height(node):
    """Returns the number of edges down to the deepest class below."""
    return max(len(way(c)) - 1 - way(c).index(node) for c in CLASSES if node in way(c))


def lowest(a, b):
    return [x for x, y in zip(way(a), way(b)) if x == y][-1]


def case(name, seed, n, votes, skill):
    rng = np.random.default_rng(seed)
    k = len(CLASSES)
    label = rng.integers(0, k, n)
    scores = np.round(rng.normal(0, 2, (n, k)) * 64) / 64
    scores[np.arange(n), label] += skill
    spread = rng.dirichlet(np.full(k, .3), n) + 2 * np.eye(k)[label]
    spread /= spread.sum(1, keepdims=True)
    counts = np.array([rng.multinomial(votes, row) for row in spread])
    soft = counts / votes
    logs = log_softmax(scores, axis=1)
    p = np.exp(logs)
    found = scores.argmax(1)
    values = {
        "soft_accuracy.expected": soft[np.arange(n), found].mean(),
        "soft_top1.any_mode": (soft[np.arange(n), found] == soft.max(1)).mean(),
        "soft_cross_entropy.natural": -(soft * logs).sum(1).mean(),
        "soft_divergence.kullback_leibler": rel_entr(soft, p).sum(1).mean(),
        "soft_brier.sum": ((p - soft) ** 2).sum(1).mean(),
    }
    names = [(CLASSES[a], CLASSES[b]) for a, b in zip(label, found)]
    for level in (1, 2, 3):
        values[f"level_accuracy:level={level}"] = np.mean(
            [way(a)[:level + 1][-1] == way(b)[:level + 1][-1] for a, b in names])
    heights = np.array([0 if a == b else height(lowest(a, b)) for a, b in names])
    edges = np.array([len(way(a)) + len(way(b)) - 2 * len(way(lowest(a, b))) for a, b in names])
    wrong = label != found
    values["ancestor_height.all"] = heights.mean()
    values["ancestor_height.mistakes"] = heights[wrong].mean()
    values["tree_distance.all"] = edges.mean()
    values["tree_distance.mistakes"] = edges[wrong].mean()
    order = [3, 0, 5, 1, 4, 2]  # the lowest grade comes first
    grade = np.argsort(order)
    a, b = grade[label], grade[found]
    values["ordinal_error.mean_absolute"] = np.abs(a - b).mean()
    values["within_one.grade"] = (np.abs(a - b) <= 1).mean()
    values["kappa.quadratic"] = cohen_kappa_score(a, b, weights="quadratic", labels=range(k))
    return {"name": name, "labels": label.tolist(), "scores": scores.tolist(),
            "counts": counts.tolist(), "order": order, "mistakes": int(wrong.sum()),
            "values": {key: float(value) for key, value in values.items()}}


cases = [case("few items", 1, 12, 7, 1), case("fifty votes", 2, 200, 51, 2),
         case("near-perfect", 3, 300, 20, 8), case("chance", 4, 100, 3, 0)]
with open("fixtures/given_truth.json", "w") as file:
    json.dump({"from": f"numpy {np.__version__}, scipy {scipy.__version__}, "
                       f"scikit-learn {sklearn.__version__}",
               "classes": CLASSES, "parents": PARENTS, "cases": cases}, file)
