"""Coverage of the 95 % intervals of weighted auroc, average_precision and ece, for the value of the population (docs/python.md,
weighted items).

usage: PYTHONPATH=python:tests/python python3 bench/weighted_coverage.py [SAMPLES [area|ece]]     default: 1000 of each world; needs NumPy alone

The simulations were defined before the intervals were tried. An item has u ~ N(0, 1). Its weight is exp(s u), or exp(s v) with
another v, where it is independent of the errors. The population has a million items; a sample draws n of them.
- areas: the score of the own class is skill * exp(0.3 u) above standard normal scores. There are two classes 9 : 1, or five of
equal size. The skills are 1 and 3.
- calibration: scores are N(0, 1.5 exp(0.3 u)), and labels are drawn from their softmax. Then scores are multiplied by 1 or 1.5
(overconfident)
"""
import itertools
import sys

import numpy as np

from weighted_peer import curves, values
from weighted_peer.influences import Items

POPULATION = 1_000_000


class Scores:
    """Logits with the interface of a store."""

    kind = "logits"

    def __init__(self, scores):
        self._scores = scores

    def scores(self):
        return self._scores


def items_of(scores, labels, weights):
    p = np.exp(scores - scores.max(1, keepdims=True))
    p /= p.sum(1, keepdims=True)
    confidence = p.max(1)
    return Items(weights / weights.sum(), labels, p.argmax(1), {"confidence": confidence, "confidence32": confidence.astype(np.float32)}, None,
                 scores.shape[1], None, curves.Ranking(Scores(scores), np.arange(len(labels))))


def population(kind, how, spread, related, random):
    u, v = random.normal(size=(2, POPULATION))
    weights = np.exp(spread * (u if related else v))
    if kind == "ece":
        true = random.normal(size=(POPULATION, 5)) * 1.5 * np.exp(0.3 * u)[:, None]
        labels = (true + random.gumbel(size=true.shape)).argmax(1)
        return true * how, labels, weights
    classes, skill = how
    prior = [0.9, 0.1] if classes == 2 else np.full(5, 0.2)
    labels = random.choice(classes, POPULATION, p=prior)
    scores = random.normal(size=(POPULATION, classes))
    scores[np.arange(POPULATION), labels] += skill * np.exp(0.3 * u)
    return scores, labels, weights


def covered(facts, people, truth, n, samples, random):
    """The proportion of existing intervals that hold the truth, and the number of samples without an interval."""
    inside, none = 0, 0
    for _ in range(samples):
        chosen = random.integers(0, POPULATION, n)
        items = items_of(*(part[chosen] for part in people))
        interval = values.estimate_of(facts, items, values.found_of(facts, items), 0.95).get("interval")
        if interval is None:
            none += 1
        else:
            inside += interval["low"] <= truth <= interval["high"]
    return inside / max(1, samples - none), none


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    random = np.random.default_rng(11)
    worlds = [("area", how) for how in itertools.product((2, 5), (1, 3))] + [("ece", times) for times in (1, 1.5)]
    worlds = [world for world in worlds if world[0] in (sys.argv[2:] or ("area", "ece"))]
    for (kind, how), spread, related in itertools.product(worlds, (0.5, 1), (False, True)):
        people = population(kind, how, spread, related, random)
        whole = items_of(*people)
        for metric in ("ece",) if kind == "ece" else ("auroc", "average_precision"):
            facts = {"metric": metric, "definition": ""}
            # Bins of a calibrated population have no gap. The gap in the million items is noise.
            truth = 0.0 if (kind, how) == ("ece", 1) else values.found_of(facts, whole).value
            for n in (300, 1000):
                share, none = covered(facts, people, truth, n, samples, random)
                print(f"{metric:18} {how!s:7} s={spread} {'related' if related else 'apart':8} n={n:5} truth {truth:.4f} "
                      f"covered {share:.3f}{f', no interval {none}' if none else ''}", flush=True)


if __name__ == "__main__":
    main()
