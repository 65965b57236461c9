"""Coverage of the 95 % intervals of weighted differences between two models, for the difference in the population (docs/python.md, weighted
items).

usage: ASSAY_LIBRARY=... PYTHONPATH=python python3 bench/weighted_difference_coverage.py [SAMPLES]     default: 1000 of each world

The worlds were defined before the intervals were tried. An item has u ~ N(0, 1). Its weight is exp(s u), or exp(s v) with another v, where it
is independent of the errors. There are three classes. The first model's scores are standard normal, and that of the own class is 1 + 0.3 u
higher. The second model adds normal scores with a standard deviation of 0.7, and 0.2 to the own class. The population has 200,000 items; a
sample draws 100, 400 or 1,000 of them.
"""
import itertools
import sys

import numpy as np

import assay

POPULATION = 200_000
NAMES = "top1,nll,brier,balanced,f1,specificity,kappa,matthews,auroc,average_precision,ece,ece_debiased,classwise_ece"


def population(spread, related, random):
    """Scores of both models, labels and weights."""
    u, v = random.normal(size=(2, POPULATION))
    labels = random.integers(0, 3, POPULATION)
    own = np.arange(POPULATION), labels
    first = random.normal(size=(POPULATION, 3))
    first[own] += 1 + 0.3 * u
    second = first + 0.7 * random.normal(size=first.shape)
    second[own] += 0.2
    return first, second, labels, np.exp(spread * (u if related else v))


def main():
    samples = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    random = np.random.default_rng(17)
    for spread, related in itertools.product((0.5, 1), (False, True)):
        first, second, labels, weights = population(spread, related, random)
        truth = assay.compare(first, second, labels, NAMES, sample_weight=weights)
        for n in (100, 400, 1000):
            inside, none = {name: 0 for name in truth}, {name: 0 for name in truth}
            for _ in range(samples):
                rows = random.integers(0, POPULATION, n)
                found = assay.compare(first[rows], second[rows], labels[rows], NAMES, sample_weight=weights[rows], threads=1)
                for name in truth:
                    between = found[name].interval
                    none[name] += between is None
                    inside[name] += between is not None and between.low <= truth[name].value <= between.high
            shown = "  ".join(f"{name} {inside[name] / max(1, samples - none[name]):.3f}" for name in truth)
            print(f"s={spread} {'related' if related else 'apart':8} n={n:5} no interval {max(none.values())}: {shown}", flush=True)


if __name__ == "__main__":
    main()
