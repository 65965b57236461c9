"""Compares `assay audit`'s score of labels with cleanlab's, on the planted errors of bench/audit_worlds.py.

`audit_scores` is an independent version of the score in NumPy; tests/python/test_audit.py compares the two. Prints a line for
each world and method. A line has means over the plantings, with standard errors, of three measures of finding the wrong labels.
These are the precision at 20, the AUROC and the average precision. Of cleanlab, only the best case is shown: the score and the
model with the highest average precision in the world.

The line of cleanlab ends with the difference to it, planting by planting, with its standard error. `held-out` takes the held-out
worlds instead.

    python3 bench/audit_peers.py RUNS/imagenet_sample [held-out] [SOURCE ...]     # needs cleanlab and scikit-learn
"""

from __future__ import annotations

import pathlib
import sys

import audit_worlds
import numpy as np

CHANCE = 0.02
FEW_DRAWN, MANY_DRAWN = 0.02, 0.04
HIGHEST_FLOOR, LOWEST_FLOOR = 0.01, 1e-5
FEW_FAR, MANY_FAR = 0.035, 0.05
OWN_FLOOR, OTHER_FLOOR = 1e-9, 3
CLASSES_FOR_FAR = 10
LOSS_POWER = 2


def log_softmax(logits):
    shifted = logits - logits.max(1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(1, keepdims=True))


def drawn_part(given, uniform):
    """The likeliest proportion of labels that are drawn from all classes."""
    error = 0.05
    for _ in range(100):
        error = (error * uniform / ((1 - error) * given + error * uniform)).mean()
    return error


def between(few, many, part):
    return np.exp((1 - part) * np.log(few) + part * np.log(many))


def far_part(logits, labels):
    """The proportion of uniformly drawn labels, by how many are among the less likely half of the classes, with all ties."""
    classes = logits.shape[1]
    own = logits[np.arange(len(labels)), labels][:, None]
    far = 2 * (logits <= own).sum(1) <= classes
    return far.mean() * classes / (classes // 2)


def floors_of(drawn, far, missed, classes):
    """What is added to the probabilities of the label and of the other class."""
    floor = CHANCE / classes if classes < CLASSES_FOR_FAR else min(CHANCE / classes, LOWEST_FLOOR)
    if missed == 0:
        return floor, floor
    if floor < HIGHEST_FLOOR:
        floor = between(HIGHEST_FLOOR, floor, np.clip((drawn / missed - FEW_DRAWN) / (MANY_DRAWN - FEW_DRAWN), 0, 1))
    if classes < CLASSES_FOR_FAR:
        return floor, floor
    many = np.clip((far / missed - FEW_FAR) / (MANY_FAR - FEW_FAR), 0, 1)
    return between(floor, OWN_FLOOR, many), between(floor, OTHER_FLOOR, many)


def with_chance(logits, temperature):
    return np.log((1 - CHANCE) * np.exp(log_softmax(logits / temperature)) + CHANCE / logits.shape[1])


def loss_with_errors(given, uniform):
    """Minus the log-likelihood of the labels. The proportion of random labels from all classes is the most likely one."""
    error = drawn_part(given, uniform)
    return -np.log(np.maximum(1e-300, (1 - error) * given + error * uniform)).sum()


_sums: dict = {}  # Photographs have the same logits in all plantings. Keeping the arrays prevents a reuse of their ids.


def log_sums(logits, sharpness):
    """The log-sum-exp of each row of sharpness * logits."""
    key = (id(logits), sharpness)
    if key not in _sums:
        scaled = logits * sharpness
        most = scaled.max(1)
        _sums[key] = logits, most + np.log(np.exp(scaled - most[:, None]).sum(1))
    return _sums[key][1]


def fit_model(logits, labels):
    """The temperature, and the mean loss of the likeliest three quarters of the labels."""
    rows, uniform = np.arange(len(labels)), 1 / logits.shape[1]

    def fit(step):
        sharpness = np.exp(step / 100)
        return loss_with_errors(np.exp(sharpness * logits[rows, labels] - log_sums(logits, sharpness)), uniform)

    middle = round(-100 * np.log(np.median(logits.std(1))))
    # The loss may have a second minimum at much sharper logits, so a grid finds the lowest one.
    lowest = min(range(middle - 600, middle + 601, 50), key=fit)
    low, high = max(lowest - 50, middle - 600), min(lowest + 50, middle + 600)
    while high - low > 2:
        left, right = low + (high - low) // 3, high - (high - low) // 3
        if fit(left) <= fit(right):
            high = right
        else:
            low = left
    best = min(range(low, high + 1), key=fit) / 100
    losses = np.sort(-with_chance(logits, np.exp(-best))[rows, labels])
    return np.exp(-best), losses[: max(1, int(0.75 * len(losses)))].mean()


def has_learned(probabilities, labels, model):
    """Whether a model repeats labels where all others agree on another class, more often than their own errors explain."""
    if len(probabilities) < 3:
        return False
    predicted = np.stack([p.argmax(1) for p in probabilities])
    others = np.delete(predicted, model, 0)
    sure = np.stack([p.max(1) for m, p in enumerate(probabilities) if m != model])
    agree = (others == others[0]).all(0) & (sure.min(0) >= 0.9)
    opposed = agree & (others[0] != labels)
    # the others' common errors are at most as frequent as those of the most certain model
    excess = opposed.sum() - (1 - sure.max(0))[agree].sum()
    return excess >= 5 and (opposed & (predicted[model] != labels)).sum() <= 0.1 * excess


def combined_score(models, labels, temperatures, weights):
    rows, classes = np.arange(len(labels)), models[0].shape[1]
    chances = [np.exp(log_softmax(z / t)) for z, t in zip(models, temperatures)]
    drawn = sum(w * drawn_part(p[rows, labels], 1 / classes) for p, w in zip(chances, weights))
    missed = sum(w * (p.argmax(1) != labels).mean() for p, w in zip(chances, weights))
    far = sum(w * far_part(z, labels) for z, w in zip(models, weights) if w > 0)
    own_floor, other_floor = floors_of(drawn, far, missed, classes)
    mean = sum(w * with_chance(z, t) for z, t, w in zip(models, temperatures, weights))
    mean[rows, labels] = -np.inf
    other = mean.argmax(1)
    own = [(1 - CHANCE) * p[rows, labels] + own_floor for p in chances]
    others = [(1 - CHANCE) * p[rows, other] + other_floor for p in chances]
    return sum(w * np.log(p / q) for p, q, w in zip(own, others, weights))


def audit_scores(models, labels):
    """Returns a score for each label (the lowest is the most suspicious), the temperatures, and the weights."""
    fits = [fit_model(z, labels) for z in models]
    probabilities = [np.exp(log_softmax(z / t)) for z, (t, _) in zip(models, fits)]
    learned = np.array([has_learned(probabilities, labels, m) for m in range(len(models))])
    votes = ~learned if not learned.all() else np.ones(len(models), bool)
    weights = votes * np.array([loss for _, loss in fits]) ** -float(LOSS_POWER)
    weights /= weights.sum()
    temperatures = [t for t, _ in fits]
    return combined_score(models, labels, temperatures, weights), temperatures, weights


def measures(suspicion, wrong):
    from sklearn.metrics import average_precision_score, roc_auc_score

    order = np.argsort(-suspicion, kind="stable")
    return wrong[order[:20]].mean(), roc_auc_score(wrong, suspicion), average_precision_score(wrong, suspicion)


def measured(source_of, world):
    """Measures by method, a row for each planting."""
    from cleanlab.rank import get_label_quality_scores

    found: dict[str, list] = {}
    for number in range(audit_worlds.PLANTINGS):
        planted = audit_worlds.plant(source_of, *world, number)
        score, _, _ = audit_scores(planted.models, planted.given)
        found.setdefault("assay", []).append(measures(-score, planted.wrong))
        chances = [np.exp(log_softmax(z)) for z in planted.models]
        for method in ("self_confidence", "normalized_margin"):
            for m, p in enumerate(chances):
                quality = get_label_quality_scores(planted.given, p, method=method)
                found.setdefault(f"cleanlab {method} {m}", []).append(measures(-quality, planted.wrong))
    return {name: np.array(rows) for name, rows in found.items()}


def mean_text(rows, sign=""):
    means, errors = rows.mean(0), rows.std(0, ddof=1) / np.sqrt(len(rows))
    return "  ".join(f"{m:{sign}.3f} ±{e:.3f}" for m, e in zip(means, errors))


def main() -> None:
    held_out = "held-out" in sys.argv[2:]
    sources = [word for word in sys.argv[2:] if word != "held-out"]
    if unknown := set(sources) - {source for source, _, _ in audit_worlds.worlds(held_out)}:
        sys.exit(f"no such sources: {', '.join(sorted(unknown))}")
    for world in audit_worlds.worlds(held_out):
        source, rate, kind = world
        if sources and source not in sources:
            continue
        found = measured(audit_worlds.source_of(source, pathlib.Path(sys.argv[1])), world)
        ours = found.pop("assay")
        best = max((rows.mean(0)[2], name) for name, rows in found.items())[1]
        start = f"{source:16} {rate:<5} {kind:11}"
        print(f"{start} {'assay':30} {mean_text(ours)}")
        print(f"{start} {best:30} {mean_text(found[best])}  difference {mean_text(ours - found[best], '+')}", flush=True)


if __name__ == "__main__":
    main()
