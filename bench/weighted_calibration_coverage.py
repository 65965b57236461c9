"""Coverage of the 95 % intervals of weighted classwise_ece, ece_debiased, the class balances and quadratic_kappa.

usage: PYTHONPATH=python:tests/python python3 bench/weighted_calibration_coverage.py [SAMPLES [classes|grades]]    default: 500 of each world; needs NumPy alone

The worlds were defined before the intervals were tried. An item has u ~ N(0, 1). Its weight is exp(s u), or exp(s v) with another v, where
it is independent of the errors; s is .5 or 1. The population has 300,000 items; a sample draws 300 or 1,000 of them.
- classes: five classes have the scores N(0, 1.5 exp(.3 u)), plus .5 times the number of the class in uneven worlds. Labels are drawn from
their softmax; then the scores are multiplied by 1, or by 1.5 (overconfident).
- grades: five or ten grades, uniform, or most of the items in the lowest ones (a geometric series with the quotient .6). The prediction is
the grade + N(0, d exp(.3 u)), rounded and limited to the grades; d is .3 (near-perfect) or 1.2.

Intervals are those of the program: the spread of influences, or of the values without each item (balances). Influences alone
contained the mean of class_confidence_balance in 87 % in one world. The interval of quadratic_kappa is on the scale of Fisher's z, with room
for one more item like the worst; without it, 90 % in one world.

The truth is the value of the population. It is 0 for calibration errors without overconfidence. Noise raises the spread between classes,
so balances are compared with the estimator's own mean over the samples, too. The formulas are written here again, from the
definitions in docs/definitions.md. No code of the program is run: Student's quantile and the spread of influences are the tests' own.
"""

import itertools
import math
import sys

import numpy as np

from weighted_peer.influences import Found, Items, spread_of, student

POPULATION = 300_000
SIZES = (300, 1000)
FEW = 50  # effective items below which there is no interval
BINS = 15


def softmax(scores):
    p = np.exp(scores - scores.max(1, keepdims=True))
    return p / p.sum(1, keepdims=True)


def bins_of(p):
    """Bins of equal width that hold their left edge; 1 belongs to the last one."""
    return np.minimum((p.astype(np.float32) * np.float32(BINS)).astype(int), BINS - 1)


def sums(bins, *parts):
    return [np.bincount(bins, part, BINS) for part in parts]


def ratio(above, below):
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)


def classwise_ece(w, y, p):
    value, noise, influence, classes = 0.0, 0.0, np.zeros(len(w)), p.shape[1]
    for c in range(classes):
        q, hit = p[:, c], (y == c).astype(float)
        bins = bins_of(q)
        gap, hits, weight, squares, variance = sums(bins, w * (q - hit), w * hit, w, w * w, w * w * q * (1 - q))
        accuracy = ratio(hits, weight)
        value += np.abs(gap).sum() / classes
        noise += np.sqrt(2 / math.pi * np.maximum(variance, squares * accuracy * (1 - accuracy))).sum() / classes
        influence += np.sign(gap)[bins] * (q - hit) / classes
    return Found(value, influence - value, noise=noise)


def ece_debiased(w, y, p):
    q, hit = p.max(1), (p.argmax(1) == y).astype(float)
    bins = bins_of(q)
    gap, hits, weight, squares = sums(bins, w * (q - hit), w * hit, w, w * w)
    single = weight * weight - squares <= 1e-12 * squares
    gap, accuracy = ratio(gap, weight), ratio(hits, weight)
    excess = np.where(single, 0, ratio(squares, np.where(single, 1, weight * weight - squares)))
    value = (np.where(single, 0, weight) * (gap * gap - accuracy * (1 - accuracy) * excess)).sum()
    g, a, e = gap[bins], accuracy[bins], excess[bins]
    moved = g * g + 2 * g * (q - hit - g) - e * (a * (1 - a) + (1 - 2 * a) * (hit - a))
    moved = np.where(single[bins], 0, moved)
    return Found(value, moved - (w * moved).sum())


def evenness(numbers, lost):
    """1 - the standard deviation with the divisor n - `lost`, and its slopes."""
    deviation = numbers.std(ddof=lost)
    slopes = -(numbers - numbers.mean()) / ((len(numbers) - lost) * deviation) if deviation > 0 else np.zeros(len(numbers))
    return 1 - deviation, slopes


def evenness_without(numbers, place, others, lost):
    """The evenness if the number of each image's class were another one."""
    n, mean = len(numbers), numbers.mean()
    squares = ((numbers - mean) ** 2).sum() - (numbers[place] - mean) ** 2 + (others - mean) ** 2 - (others - numbers[place]) ** 2 / n
    return 1 - np.sqrt(np.maximum(0, squares) / (n - lost))


def exactly(w, value, influence, without):
    """The spread comes from the values without each item."""
    return Found(value, influence, drawn=(value - without) * (1 - w) / w)


def balances(w, y, p):
    """Of accuracies with the standard deviation of a sample; of confidences, between classes and within them; of both."""
    present = np.unique(y)
    place, n = np.searchsorted(present, y), len(present)
    hit, target = (p.argmax(1) == y).astype(float), p[np.arange(len(y)), y]
    weight, hits, one, two = (np.bincount(place, part, n) for part in (w, w * hit, w * target, w * target**2))
    accuracy, mean = hits / weight, one / weight
    deviation = np.sqrt(np.maximum(0, two / weight - mean**2))
    rest = weight[place] - w
    several = rest > 1e-12 * weight[place]  # a class of one item keeps its numbers
    rest = np.where(several, rest, 1)
    accuracy_of, mean_of = (np.where(several, (a[place] - w * b) / rest, (a / weight)[place]) for a, b in ((hits, hit), (one, target)))
    deviation_of = np.where(several, np.sqrt(np.maximum(0, (two[place] - w * target**2) / rest - mean_of**2)), deviation[place])
    value, slopes = evenness(accuracy, 1)
    accuracies = exactly(w, value, slopes[place] * (hit - accuracy[place]) / weight[place], evenness_without(accuracy, place, accuracy_of, 1))
    value, slopes = evenness(mean, 0)
    between = exactly(w, value, slopes[place] * (target - mean[place]) / weight[place], evenness_without(mean, place, mean_of, 0))
    moved = -((target - mean[place]) ** 2 - deviation[place] ** 2) / (2 * np.where(deviation > 0, deviation, np.inf)[place] * n)
    value = 1 - deviation.mean()
    inside = value - (deviation_of - deviation[place]) / n
    within = exactly(w, value, moved / weight[place], inside)
    both = math.sqrt(max(0, accuracies.value) * max(0, value))
    moved = accuracies.influence * value + within.influence * accuracies.value
    without = np.sqrt(np.maximum(0, evenness_without(accuracy, place, accuracy_of, 1)) * np.maximum(0, inside))
    return {
        "class_accuracy_balance": accuracies, "class_confidence_balance:between": between, "class_confidence_balance:within": within,
        "class_balance": exactly(w, both, moved / (2 * both) if both > 0 else 0 * moved, without),
    }


def quadratic_kappa(w, a, b):
    error, label, predicted, squares = ((w * part).sum() for part in ((a - b) ** 2, a, b, a * a + b * b))
    expected = squares - 2 * label * predicted
    part = error / expected
    moved = -((a - b) ** 2 - part * (a * a + b * b - 2 * (a * predicted + b * label))) / expected
    return Found(1 - part, moved - (w * moved).sum(), note="every prediction is the label" if part == 0 else "")


def interval(name, found, w):
    if found.note or 1 / (w * w).sum() < FEW:
        return None
    spread = spread_of(Items(w, None, None, {}, None, 0), found)
    half = student(0.975, spread.degrees) * spread.error
    if half == 0:
        return None
    if name == "quadratic_kappa":
        middle, scale = math.atanh(found.value), 1 - found.value**2
        worst = max(0, (-w * found.influence / (1 - w)).max())  # room for one more item like the worst
        return math.tanh(middle - (half + worst) / scale), math.tanh(middle + half / scale)
    return found.value - half - found.noise, found.value + half


def of_classes(uneven, times, spread, related, random):
    u, v = random.normal(size=(2, POPULATION))
    scores = random.normal(size=(POPULATION, 5)) * 1.5 * np.exp(0.3 * u)[:, None] + uneven * 0.5 * np.arange(5)
    labels = (scores + random.gumbel(size=scores.shape)).argmax(1)
    return np.exp(spread * (u if related else v)), labels, softmax(scores * times)


def of_grades(grades, uniform, deviation, spread, related, random):
    u, v = random.normal(size=(2, POPULATION))
    share = np.ones(grades) if uniform else 0.6 ** np.arange(grades)
    label = random.choice(grades, POPULATION, p=share / share.sum()).astype(float)
    predicted = np.clip(np.rint(label + random.normal(size=POPULATION) * deviation * np.exp(0.3 * u)), 0, grades - 1)
    return np.exp(spread * (u if related else v)), label, predicted


def measured(kind, parts):
    if kind == "grades":
        return {"quadratic_kappa": quadratic_kappa(*parts)}
    return {"classwise_ece": classwise_ece(*parts), "ece_debiased": ece_debiased(*parts), **balances(*parts)}


def weighed(parts):
    return (parts[0] / parts[0].sum(), *parts[1:])


def try_world(kind, how, people, samples, random):
    truth = {name: found.value for name, found in measured(kind, weighed(people)).items()}
    if kind == "classes" and how[1] == 1:
        truth["classwise_ece"] = truth["ece_debiased"] = 0.0
    for n in SIZES:
        values, intervals = {name: [] for name in truth}, {name: [] for name in truth}
        for _ in range(samples):
            chosen = random.integers(0, POPULATION, n)
            parts = weighed([part[chosen] for part in people])
            for name, found in measured(kind, parts).items():
                values[name].append(found.value)
                intervals[name].append(interval(name, found, parts[0]))
        for name, ends in intervals.items():
            there = np.array([pair for pair in ends if pair is not None])
            own = np.mean(values[name])
            inside = [np.mean((there[:, 0] <= value) & (value <= there[:, 1])) if len(there) else math.nan for value in (truth[name], own)]
            yield n, name, truth[name], own, inside, samples - len(there)


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    random = np.random.default_rng(14)
    worlds = [("classes", how) for how in itertools.product((0, 1), (1, 1.5))]
    worlds += [("grades", how) for how in itertools.product((5, 10), (True, False), (0.3, 1.2))]
    for (kind, how), spread, related in itertools.product(worlds, (0.5, 1), (False, True)):
        if kind not in (sys.argv[2:] or ("classes", "grades")):
            continue
        people = (of_classes if kind == "classes" else of_grades)(*how, spread, related, random)
        for n, name, truth, own, inside, none in try_world(kind, how, people, samples, random):
            print(f"{name:32} {how!s:18} s={spread} {'related' if related else 'apart':7} n={n:4} truth {truth:.4f} mean {own:.4f} "
                  f"covered {inside[0]:.3f}, the mean {inside[1]:.3f}{f', no interval {none}' if none else ''}", flush=True)


if __name__ == "__main__":
    main()
