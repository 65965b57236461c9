"""Tests the probability that a suspect label is wrong, as `assay audit --confirm` estimates it from people's answers.

`curves` and `probabilities` are an independent version of that estimate in NumPy, on a plain grid; tests/python/test_audit.py
compares the two. On the worlds of bench/audit_worlds.py, this prints for each way of checking how often the 95 % interval of the
number of wrong labels among all suspect ones held, as the program prints it. It also prints, for each tenth of the claimed
probabilities of unchecked labels, the mean claim and the proportion of wrong labels. A standard error is over the plantings.

With `scores`, it prints the same for two probabilities that need no answers. One is 1 - P(label). The other is the posterior
probability under the fitted proportion of labels that are drawn from all classes.

    python3 bench/audit_checked.py RUNS/imagenet_sample [scores] [SOURCE ...]
"""

from __future__ import annotations

import math
import pathlib
import sys
from collections import defaultdict

import audit_peers
import audit_worlds
import numpy as np

PLANTINGS = 5  # of each world
POWER = 1.5
UNCOVERED = 0.05
ANSWER_ERRORS = ((0, 0.25), (0.02, 0.25), (0.05, 0.25), (0.1, 0.25))  # with prior weights
A, B = (g.ravel() for g in np.meshgrid(np.linspace(-16, 10, 66), np.linspace(0, 14, 71)))
normal_cdf = np.vectorize(lambda x: 0.5 * math.erfc(-x / math.sqrt(2)))


def distances(scores):
    x = np.maximum(-scores, 0) ** POWER
    return x / np.sort(x)[len(x) // 2]


def curves(x, wrong):
    """Points of the posterior distribution of logit P(wrong) = a + b x: a, b, the part of false answers, and weights."""
    agreed = 1 / (1 + np.exp(-np.where(wrong, 1, -1) * (A[:, None] + B[:, None] * x)))
    prior = -(((A + 4) / 2) ** 2 + (B / 3) ** 2) / 2
    logs = [prior + np.log(w) + np.log(np.maximum(e + (1 - 2 * e) * agreed, 1e-300)).sum(1) for e, w in ANSWER_ERRORS]
    weight = np.exp(np.array(logs) - np.max(logs))
    keep = weight > 1e-5
    a, b = np.broadcast_to(A, keep.shape)[keep], np.broadcast_to(B, keep.shape)[keep]
    errors = np.broadcast_to([[e] for e, _ in ANSWER_ERRORS], keep.shape)[keep]
    return a, b, errors, weight[keep] / weight[keep].sum()


def probabilities(points, x):
    """By curve and label."""
    a, b = points[:2]
    return 1 / (1 + np.exp(-(a[:, None] + b[:, None] * x)))


def judged_probabilities(points, x, wrong):
    """By curve and label, after an answer about the label, which may be false."""
    p, errors = probabilities(points, x), points[2][:, None]
    yes, no = np.where(wrong, 1 - errors, errors) * p, np.where(wrong, errors, 1 - errors) * (1 - p)
    return yes / np.maximum(yes + no, 1e-300)


def number_interval(points, by_curve, level=0.95):
    mean, deviation = by_curve.sum(1), np.sqrt(np.maximum((by_curve * (1 - by_curve)).sum(1), 1e-12))

    def lowest_with(part):
        low, high = 0, by_curve.shape[1]
        while low < high:
            middle = (low + high) // 2
            if (points[-1] * normal_cdf((middle + 0.5 - mean) / deviation)).sum() >= part:
                high = middle
            else:
                low = middle + 1
        return low

    return [lowest_with((1 - level) / 2), lowest_with((1 + level) / 2)]


def audited(world):
    """Scores, which labels are suspect, and two claims that need no answers."""
    score, temperatures, weights = audit_peers.audit_scores(world.models, world.given)
    rows, classes = np.arange(len(world.given)), world.models[0].shape[1]
    mean = sum(w * audit_peers.with_chance(z, t) for z, t, w in zip(world.models, temperatures, weights))
    combined = np.exp(mean) / np.exp(mean).sum(1, keepdims=True)
    own = combined[rows, world.given]
    combined[rows, world.given] = -1
    drawn = audit_peers.drawn_part(own, 1 / classes)
    posterior = drawn / classes / ((1 - drawn) * own + drawn / classes)
    return score, own < combined.max(1), {"1 - P(label)": 1 - own, "drawn from all classes": posterior}


class Reliability:
    """Claims and truths by tenth of the claims and planting."""

    def __init__(self):
        self.sums = defaultdict(lambda: np.zeros(3))
        self.held, self.width, self.number = [], [], 0

    def add(self, planting, claims, wrong):
        for tenth, claim, truth in zip(np.minimum((claims * 10).astype(int), 9), claims, wrong):
            self.sums[int(tenth), planting] += [1, claim, truth]

    def show(self, name):
        held = f"held {np.mean(self.held):.3f} of {len(self.held)}, width {np.mean(self.width):.1f}" if self.held else ""
        print(name, held)
        for tenth in sorted({t for t, _ in self.sums}):
            parts = np.array([v for (t, _), v in self.sums.items() if t == tenth])
            n, claim, truth = parts.sum(0)
            rest = parts[:, 2] - parts[:, 0] * truth / n
            error = np.sqrt((rest**2).sum()) / n
            print(f"    claimed {claim / n:.3f}  wrong {truth / n:.3f} ±{error:.3f}  of {n:.0f}")
        sys.stdout.flush()


def check(world, score, suspect, how, number, errors, planting, out):
    order = np.array([i for i in np.argsort(score, kind="stable") if suspect[i]])
    if len(order) < (25 if how == "percent" else number + (25 if how == "spread" else 5)):
        return
    x = np.full(len(score), np.nan)
    x[order] = distances(score[order])
    name = "-".join(map(str, planting[:-1]))
    rows, answers = audit_worlds.checked_labels(order, how, number, world.wrong, errors, name, planting[-1])
    points = curves(x[rows], answers)
    place = np.full(len(score), -1)
    place[order] = np.arange(len(order))
    slack = UNCOVERED * np.ptp(place[rows])
    rest = np.setdiff1d(order, rows)
    near = (place[rest] >= place[rows].min() - slack) & (place[rest] <= place[rows].max() + slack)
    by_curve = probabilities(points, x[rest[near]])
    out.add(planting, points[-1] @ by_curve, world.wrong[rest[near]])
    if near.all():
        low, high = number_interval(points, np.hstack([by_curve, judged_probabilities(points, x[rows], answers)]))
        out.held.append(low <= world.wrong[order].sum() <= high)
        out.width.append(high - low)


def main() -> None:
    words = sys.argv[2:]
    from_scores = "scores" in words
    sources = [w for w in words if w != "scores"] or (*audit_worlds.SOURCES, *audit_worlds.SIMULATED)
    all_worlds = defaultdict(Reliability)
    for source in sources:
        source_of = audit_worlds.source_of(source, pathlib.Path(sys.argv[1]))
        for rate in audit_worlds.RATES:
            for kind in audit_worlds.KINDS:
                own = defaultdict(Reliability)
                for number in range(PLANTINGS):
                    world = audit_worlds.plant(source_of, source, rate, kind, number)
                    planting = (source, rate, kind, number)
                    score, suspect, claims = audited(world)
                    for name, claim in claims.items() if from_scores else ():
                        for where in (all_worlds[name], own[f"{source} {rate} {kind}: {name}"]):
                            where.add(planting, claim[suspect], world.wrong[suspect])
                    for how, many in () if from_scores else audit_worlds.CHECKS:
                        for errors in audit_worlds.PEOPLE:
                            check(world, score, suspect, how, many, errors, planting, all_worlds[how, many, errors])
                for name, one in own.items():
                    one.show(name)
    for name, one in all_worlds.items():
        one.show(name)


if __name__ == "__main__":
    main()
