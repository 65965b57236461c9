"""Writes fixtures/curves.json: scikit-learn's values for random scores, in units of 1/64.

Run it only to change the fixture that the tests read.
"""
import json
import random

import numpy as np
import sklearn
from sklearn.metrics import average_precision_score, roc_auc_score


def case(name, classes, scores, sets):
    """`sets` has the valid classes of each item."""
    score = np.array(scores, float).reshape(len(sets), classes) / 64
    truth = np.zeros((len(sets), classes), int)
    for i, labels in enumerate(sets):
        truth[i, labels] = 1
    counts = truth.sum(axis=0)
    values = {}
    for curve, function in (("roc", roc_auc_score), ("precision_recall", average_precision_score)):
        there = [c for c in range(classes)
                 if counts[c] > 0 and (curve != "roc" or counts[c] < len(sets))]
        areas = [function(truth[:, c], score[:, c]) for c in there]
        values[curve] = {"macro": float(np.mean(areas)),
                         "weighted": float(np.average(areas, weights=counts[there])),
                         "classes": len(there)}
        if len(there) == classes and classes > 1:
            # A single call, as users write it, gives the same result.
            for average in ("macro", "weighted"):
                assert abs(function(truth, score, average=average) - values[curve][average]) < 1e-12
    return {"name": name, "classes": classes, "scores": [int(x) for x in scores], "sets": sets,
            "values": values}


def drawn(seed, n, classes, steps, skill, most=1, labels=None):
    rng = random.Random(seed)
    sets = [sorted(rng.sample(range(labels or classes), rng.randint(1, most))) for _ in range(n)]
    scores = []
    for labels_of in sets:
        for c in range(classes):
            x = rng.random() + (skill if c in labels_of else 0)
            scores.append(min(64, int(x / (1 + skill) * steps) * (64 // steps)))
    return classes, scores, sets


cases = [
    case("two classes", 2, [10, 54, 40, 24, 40, 24, 60, 4], [[1], [0], [1], [0]]),
    case("fine scores", *drawn(1, 60, 4, 64, 1)),
    case("coarse scores", *drawn(2, 80, 5, 4, 0.5)),
    case("two steps", *drawn(3, 50, 3, 2, 0.3)),
    case("all equal", 2, [32, 32] * 6, [[0], [1]] * 3),
    case("perfect", 3, [60, 2, 2, 1, 60, 2, 1, 1, 61, 62, 0, 0], [[0], [1], [2], [0]]),
    case("classes without items", *drawn(4, 40, 12, 32, 1, labels=5)),
    case("one item each", *drawn(5, 12, 12, 64, 1)),
    case("label sets", *drawn(6, 70, 6, 64, 1, most=4)),
    case("label sets, coarse", *drawn(7, 90, 8, 8, 0.5, most=5)),
    case("a class that is true of all", 3, [9, 50, 3, 8, 40, 20, 1, 60, 9], [[0, 1], [1], [1, 2]]),
]
with open("fixtures/curves.json", "w") as out:
    out.write('{"scikit-learn": "%s", "cases": [\n' % sklearn.__version__)
    out.write(",\n".join(json.dumps(one) for one in cases))
    out.write("\n]}\n")
