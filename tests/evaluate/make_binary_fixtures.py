"""Writes fixtures/binary_scores.json: scikit-learn's values for random logits of the positive class.

Run it only to change the fixture that the tests read. A value is None if scikit-learn warns that the quotient is 0 / 0.
"""
import json
import random

import numpy
import sklearn
from sklearn import metrics


def ece(truth, probability, bins=15):
    place = numpy.minimum(numpy.floor(probability * bins).astype(int), bins - 1)
    total = 0.0
    for b in range(bins):
        inside = place == b
        if inside.any():
            total += inside.mean() * abs(truth[inside].mean() - probability[inside].mean())
    return total


def case(name, logits, labels):
    z, truth = numpy.array(logits), numpy.array(labels)
    predicted = (z > 0).astype(int)  # the first of several classes with equal scores
    probability = 1 / (1 + numpy.exp(-z))
    positives, negatives = truth.sum(), (1 - truth).sum()
    values = {
        "precision.binary": metrics.precision_score(truth, predicted, average="binary") if predicted.sum() else None,
        "recall.binary": metrics.recall_score(truth, predicted, average="binary") if positives else None,
        "specificity.binary": metrics.recall_score(truth, predicted, pos_label=0, average="binary") if negatives else None,
        "f1.binary": metrics.f1_score(truth, predicted, average="binary") if positives + predicted.sum() else None,
        "auroc.one_vs_rest.binary.log_odds": metrics.roc_auc_score(truth, z) if positives and negatives else None,
        "average_precision.one_vs_rest.binary.log_odds": metrics.average_precision_score(truth, z) if positives else None,
        "brier.binary": metrics.brier_score_loss(truth, probability, labels=[0, 1]),
        "ece.binary.l1.left_closed": ece(truth, probability),
    }
    return {"name": name, "logits": logits, "labels": labels, "values": values}


def drawn(seed, n, rate, skill, step=64):
    rng = random.Random(seed)
    labels = [int(rng.random() < rate) for _ in range(n)]
    logits = [round((rng.gauss(0, 1) + skill * (2 * y - 1)) * step) / step for y in labels]
    return logits, labels


cases = [
    case("even", *drawn(1, 200, 0.5, 1)),
    case("rare positives", *drawn(2, 300, 0.08, 0.5)),
    case("ties", *drawn(3, 120, 0.4, 0.7, step=2)),
    case("worse than chance", *drawn(4, 80, 0.5, -1)),
    case("perfect", [-2.0, -1.5, 1.0, 3.0], [0, 0, 1, 1]),
    case("all incorrect", [2.0, 1.5, -1.0, -3.0], [0, 0, 1, 1]),
    case("equal scores", [0.75] * 10, [0, 1] * 5),
    case("scores of 0", [0.0] * 6, [0, 1, 1, 0, 1, 0]),
    case("no positives", [-1.0, 0.5, -0.25], [0, 0, 0]),
    case("no negatives", [-1.0, 0.5, -0.25], [1, 1, 1]),
    case("no predicted positives", [-1.0, -0.5, -0.25, -3.0], [0, 1, 0, 1]),
    case("neither positives nor predictions of them", [-1.0, -0.5], [0, 0]),
]
with open("fixtures/binary_scores.json", "w") as out:
    out.write('{"scikit-learn": "%s", "cases": [\n' % sklearn.__version__)
    out.write(",\n".join(json.dumps(one) for one in cases))
    out.write("\n]}\n")
