"""Writes fixtures/log_odds.json: data whose 32-bit probabilities tie, and ranking metrics of their scores, from log-odds with 60
digits and by comparing every pair of items.

Run it only to change the fixture that the tests read.
"""
import json
import math
import random
from decimal import Decimal, getcontext
from fractions import Fraction

import numpy as np

getcontext().prec = 60
INFINITE = Decimal("Infinity")


def log_odds(z, c):
    """Returns z_c minus the log-sum-exp of the others. Rows with the same differences in any order give equal results."""
    if z[c] == -math.inf:
        return -INFINITE
    differences = sorted(Decimal(x) - Decimal(z[c]) for j, x in enumerate(z) if j != c and x != -math.inf)
    return -sum(d.exp() for d in differences).ln() if differences else INFINITE


def log_odds_of_probability(p, c, step=Decimal(2) ** -24):
    """Returns ln(p / (1 - p)). If p is within 16 steps of 1 and the others of a row agree, 1 - p is their sum."""
    numbers = [Decimal(x) for x in p]
    rest = max(Decimal(0), 1 - numbers[c])
    others = sum(sorted(numbers[:c] + numbers[c + 1:]))
    if rest <= 16 * step and others <= 64 * step and others + 2 * step >= rest:
        rest = others
    if numbers[c] <= 0:
        return -INFINITE
    return (numbers[c] / rest).ln() if rest > 0 else INFINITE


def auroc(positives, negatives):
    twice = sum(2 if x > y else 1 if x == y else 0 for x in positives for y in negatives)
    return Fraction(twice, 2 * len(positives) * len(negatives))


def average_precision(positives, negatives):
    area, recall = Fraction(0), Fraction(0)
    for at in sorted(set(positives + negatives), reverse=True):
        hits = sum(x >= at for x in positives)
        found = hits + sum(x >= at for x in negatives)
        area += (Fraction(hits, len(positives)) - recall) * Fraction(hits, found)
        recall = Fraction(hits, len(positives))
    return area


def risks(confidences, correct):
    """Returns the error rates of the k most confident items for k = 1 to n. Equal confidences share their errors."""
    rates = []
    for k in range(1, len(confidences) + 1):
        at = sorted(confidences, reverse=True)[k - 1]
        errors = Fraction(sum(not y for x, y in zip(confidences, correct) if x > at))
        tied = [y for x, y in zip(confidences, correct) if x == at]
        above = sum(x > at for x in confidences)
        rates.append((errors + Fraction(sum(not y for y in tied), len(tied)) * (k - above)) / k)
    return rates


def measured(scores, labels, odds):
    rows = [(z, y) for z, y in zip(scores, labels) if not any(math.isnan(x) for x in z)]
    classes = len(scores[0])
    table = [[odds(z, c) for c in range(classes)] for z, _ in rows]
    areas, precisions = [], []
    for c in range(classes):
        positives = [o[c] for o, (_, y) in zip(table, rows) if y == c]
        negatives = [o[c] for o, (_, y) in zip(table, rows) if y != c]
        if positives and negatives:
            areas.append(auroc(positives, negatives))
        if positives:
            precisions.append(average_precision(positives, negatives))
    best = [max(range(classes), key=lambda c: (z[c], -c)) for z, _ in rows]
    # The predicted class is computed from float32.
    assert best == [max(range(classes), key=lambda c: (np.float32(z[c]), -c)) for z, _ in rows]
    rates = risks([o[b] for o, b in zip(table, best)], [b == y for b, (_, y) in zip(best, rows)])
    twenty = max(1, math.ceil(Fraction(len(rows), 5)))
    return {"auroc": float(sum(areas) / len(areas)) if areas else None,
            "average_precision": float(sum(precisions) / len(precisions)),
            "aurc": float(sum(rates) / len(rates)),
            "accuracy_at_20": float(1 - rates[twenty - 1])}


def world(name, scores, labels, kind="logits", double=False):
    type_of = np.float64 if double else np.float32
    scores = [[float(type_of(x)) for x in row] for row in scores]
    odds = log_odds if kind == "logits" else log_odds_of_probability
    values = measured(scores, labels, odds)
    text = [[None if math.isnan(x) else "-inf" if x == -math.inf else x for x in row] for row in scores]
    return {"name": name, "kind": kind, "double": double, "scores": text, "labels": labels, "values": values}


def drawn(seed, n, classes, margin, spread, noise, rare=None):
    """Margins between the label and the others are normal. Items with larger margins are more often correct."""
    rng = random.Random(seed)
    scores, labels = [], []
    for _ in range(n):
        label = rng.randrange(classes)
        if rare is not None and label == rare and rng.random() < 0.7:
            label = (rare + 1) % classes
        sure = max(0.5, rng.gauss(margin, spread))
        seen = label if rng.random() < 1 / (1 + math.exp(-sure * noise)) else rng.randrange(classes)
        row = [rng.gauss(0, 1) + (sure if c == seen else 0) for c in range(classes)]
        if rare is not None:
            row[rare] -= 1.6 * margin - (3 * spread if label == rare else 0)
        scores.append(row)
        labels.append(label)
    return scores, labels


def softmax(scores, type_of):
    z = np.array(scores, np.float64)
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return (e / e.sum(axis=1, keepdims=True)).astype(type_of).tolist()


sure = drawn(1, 70, 5, 20, 8, 0.08)
rare = drawn(2, 80, 3, 60, 12, 0.05, rare=2)
huge = drawn(3, 40, 4, 1500, 600, 0.001)
half = drawn(4, 60, 4, 2, 2, 0.7)
rng = random.Random(5)
ties = []
for _ in range(12):
    row = [rng.choice([0.125, 0.75, 3.25, 17.875]) for _ in range(4)]
    shifted = [x + 0.5 for x in np.float32(row).tolist()]
    for _ in range(3):
        rng.shuffle(row)
        ties.append(list(row))
    ties.append(shifted)
masked = [[x if rng.random() < 0.6 or c == y else -math.inf for c, x in enumerate(row)]
          for row, y in zip(*half)]
broken = [list(row) for row in sure[0]]
for i in (3, 17, 40):
    broken[i][i % 5] = math.nan
near = [[x * 0.05 + 4096 for x in row] for row in half[0]]  # float32 has steps of 0.0005 there
worlds = [
    world("a rare class", *rare),
    world("a sure network", *sure),
    world("margins beyond any exponent", *huge),
    world("no tie", *half),
    world("two classes with tiny probabilities", [[23.02585, 0], [200, 0], [200, 0]], [1, 0, 0]),
    world("all equal", [[2.5, 2.5, 2.5]] * 9, [0, 1, 2] * 3),
    world("all equal but for their level", [[x, x, x] for x in range(9)], [0, 1, 2] * 3),
    world("rows in another order tie", ties, [i % 4 for i in range(len(ties))]),
    world("one class", sure[0], [1] * 70),
    world("one item", [[1, 2]], [1]),
    world("impossible classes", masked, half[1]),
    world("items without numbers", broken, sure[1]),
    world("64-bit logits", near, half[1], double=True),
    world("32-bit probabilities of tiny rest", [[1, 1e-10], [1, 0], [1, 0]], [1, 0, 0], "probabilities"),
    world("32-bit probabilities of a sure network", softmax(sure[0], np.float32), sure[1], "probabilities"),
    world("32-bit probabilities", softmax(half[0], np.float32), half[1], "probabilities"),
    world("64-bit probabilities", softmax(sure[0], np.float64), sure[1], "probabilities", double=True),
    world("probabilities of few digits", [[1, 0, 0], [0.9999, 0.0001, 0], [0.9999, 0.00005, 0.00005], [1, 0.0001, 0],
                                          [0.9, 0.05, 0.05], [0.9, 0.06, 0.04]], [0, 1, 0, 2, 0, 1], "probabilities"),
]
with open("fixtures/log_odds.json", "w") as out:
    out.write('{"worlds": [\n')
    out.write(",\n".join(json.dumps(one) for one in worlds))
    out.write("\n]}\n")
