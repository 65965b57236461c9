"""Writes fixtures/class_scores.json: scikit-learn's values for random labels and predictions.

Run it only to change the fixture that the tests read.
"""
import json
import random
import warnings

import sklearn
from sklearn import metrics

warnings.simplefilter("ignore")  # 0 / 0 is defined as 0, as requested


def case(name, classes, truth, predicted):
    values = {}
    for average in ("macro", "weighted"):
        p, r, f, _ = metrics.precision_recall_fscore_support(
            truth, predicted, average=average, zero_division=0)
        values[f"precision.{average}"] = p
        values[f"recall.{average}"] = r
        values[f"f1.{average}"] = f
    values["matthews.multiclass"] = metrics.matthews_corrcoef(truth, predicted)
    kappa = metrics.cohen_kappa_score(truth, predicted)
    values["kappa.unweighted"] = None if kappa != kappa else kappa
    return {"name": name, "classes": classes, "truth": truth, "predicted": predicted,
            "values": values}


def drawn(seed, n, classes, skill, labels=None):
    rng = random.Random(seed)
    truth = [rng.randrange(labels or classes) for _ in range(n)]
    predicted = [t if rng.random() < skill else rng.randrange(classes) for t in truth]
    return truth, predicted


cases = [
    case("three classes", 3, [0, 1, 2, 2, 1, 0, 0], [0, 2, 2, 2, 1, 0, 1]),
    case("predictions of classes without items", 6, *drawn(1, 40, 6, 0.5, labels=3)),
    case("classes that do not occur", 30, *drawn(2, 25, 30, 0.6)),
    case("many items", 10, *drawn(3, 500, 10, 0.7)),
    case("one label", 3, [1, 1, 1, 1], [1, 0, 1, 2]),
    case("one prediction", 3, [0, 1, 2, 1], [1, 1, 1, 1]),
    case("all correct", 3, [0, 1, 2, 1], [0, 1, 2, 1]),
    case("all incorrect", 2, [0, 1, 0, 1], [1, 0, 1, 0]),
    case("one class", 2, [0, 0], [0, 0]),
]
with open("fixtures/class_scores.json", "w") as out:
    out.write('{"scikit-learn": "%s", "cases": [\n' % sklearn.__version__)
    out.write(",\n".join(json.dumps(one) for one in cases))
    out.write("\n]}\n")
