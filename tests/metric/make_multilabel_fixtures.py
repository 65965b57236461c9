"""Writes fixtures/multilabel.json: scikit-learn's values for random label matrices and scores.

Run it only to change the fixture that the tests read.
"""
import json
import random
import warnings

import numpy as np
import sklearn
from sklearn import metrics

warnings.simplefilter("ignore")  # 0 / 0 is defined as 0, as requested


def case(name, percent, sets, scores):
    """`scores` has probabilities in steps of 1/64, which 32-bit numbers represent exactly."""
    scores = np.array(scores, dtype=float)
    truth = np.zeros(scores.shape, dtype=int)
    for row, classes in zip(truth, sets):
        row[classes] = 1
    reached = (scores >= percent / 100).astype(int)
    values = {}
    for average in ("micro", "macro", "samples", "weighted"):
        p, r, f, _ = metrics.precision_recall_fscore_support(
            truth, reached, average=average, zero_division=0)
        values[f"multilabel_precision.{average}"] = p
        values[f"multilabel_recall.{average}"] = r
        values[f"multilabel_f1.{average}"] = f
    p, r, f, _ = metrics.precision_recall_fscore_support(
        truth, reached, average=None, zero_division=0)
    values["exact_match.threshold"] = metrics.accuracy_score(truth, reached)
    values["hamming_loss.threshold"] = metrics.hamming_loss(truth, reached)
    values["coverage_error.last_of_ties"] = metrics.coverage_error(truth, scores)
    values["ranking_loss.ties_lose"] = metrics.label_ranking_loss(truth, scores)
    values["label_ranking_average_precision.last_of_ties"] = (
        metrics.label_ranking_average_precision_score(truth, scores))
    return {"name": name, "threshold": percent, "classes": scores.shape[1], "sets": sets,
            "scores": [[float(x) for x in row] for row in scores],
            "values": {key: float(value) for key, value in values.items()},
            "one_class": {"multilabel_precision": list(p), "multilabel_recall": list(r),
                          "multilabel_f1": list(f)}}


def drawn(seed, n, classes, chance, skill, steps=64, fewest=0):
    rng = random.Random(seed)
    sets, scores = [], []
    for _ in range(n):
        valid = [c for c in range(classes) if rng.random() < chance]
        while len(valid) < fewest:
            valid = sorted(set(valid) | {rng.randrange(classes)})
        sets.append(valid)
        row = [1 / (1 + np.exp(-rng.gauss(skill if c in valid else -1.5, 1.5)))
               for c in range(classes)]
        scores.append([round(x * steps) / steps for x in row])
    return sets, scores


cases = [
    case("three classes", 50, [[0], [1, 2], [0, 2]], [[.75, .5, .25], [.125, .625, .375],
                                                      [.875, .75, .75]]),
    case("every item has a label", 50, *drawn(1, 120, 6, .25, 1.5, fewest=1)),
    case("items without labels", 50, *drawn(2, 150, 6, .2, 1.5)),
    case("many ties", 50, *drawn(3, 100, 8, .3, 1, steps=4)),
    case("a low threshold", 25, *drawn(4, 60, 5, .3, 1)),
    case("rare classes", 50, *drawn(5, 40, 30, .04, 2)),
    case("all labels, and none", 50, [[0, 1, 2], [], [0, 1, 2], [1]],
         [[.75, .75, .25], [.5, .25, .25], [.875, .75, .75], [.25, .25, .25]]),
    case("a class without labels that is predicted", 50, [[0], [0], [1]],
         [[.75, .25, .75], [.25, .25, .25], [.25, .75, .5]]),
    case("a class that is nowhere", 50, [[0], [0], [1]],
         [[.75, .25, 0], [.25, .25, .25], [.25, .75, .125]]),
    case("all correct", 50, [[0, 1], [2]], [[.75, .875, .25], [.125, .25, .5]]),
    case("all incorrect", 50, [[0], [1]], [[.25, .875], [.75, .25]]),
]
with open("fixtures/multilabel.json", "w") as out:
    out.write('{"scikit-learn": "%s", "cases": [\n' % sklearn.__version__)
    out.write(",\n".join(json.dumps(one) for one in cases))
    out.write("\n]}\n")
