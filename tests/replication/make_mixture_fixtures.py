#!/usr/bin/env python3
"""Writes fixtures/mixture_maxima.json: readings of simulated studies with 40 annotators, and the largest log-likelihood of three betas
that scipy finds for them. It runs L-BFGS-B from 600 random starts (half of them with a narrow part). The best five then run by
truncated Newton and L-BFGS-B by turns until neither gains 1e-9 nats. Takes about ten minutes."""
import json
import pathlib

import numpy as np
import scipy
from scipy.optimize import minimize

ANNOTATORS = 40
LIMITS = (1e-3, 1e4)  # limits of a and b, as in the library
# Readings k = 0 to 40 of five simulated sets: two whose best fit has a narrow component, two with several maxima, and an easy one.
COUNTS = [
    [39,36,39,43,38,61,51,62,50,58,55,63,69,65,64,94,90,88,93,88,99,94,90,84,94,81,95,97,102,92,110,100,102,124,127,136,185,284,527,1192,4939],
    [18,25,25,31,35,37,27,38,31,40,28,36,50,50,35,49,57,53,57,62,56,54,76,61,79,83,100,112,130,167,194,211,299,297,396,511,612,818,1012,1306,2642],
    [70,91,136,152,163,187,175,192,219,183,202,200,184,180,179,175,155,127,144,134,137,116,127,124,111,95,87,114,120,111,142,170,234,288,371,482,554,701,841,937,890],
    [65,92,121,130,140,188,127,137,140,151,138,127,122,122,123,103,121,85,81,70,66,90,49,60,43,52,30,47,51,48,67,87,117,210,268,401,579,835,1150,1545,1822],
    [19,22,38,33,43,43,44,44,38,41,58,57,66,59,59,52,81,56,68,82,88,95,114,116,133,153,184,185,206,260,244,304,347,387,438,577,637,820,924,1115,1670],
]


def rising(x, power):
    """Sums over i < m of log(x + i) (power 0) or 1 / (x + i), for m = 0 to ANNOTATORS."""
    i = np.arange(ANNOTATORS)
    terms = np.log(x + i) if power == 0 else 1 / (x + i)
    return np.concatenate([[0], np.cumsum(terms)])


def objective(parameters, counts, log_choose):
    """Returns minus the log-likelihood, and its gradient with respect to (logits of weights, log a, log b)."""
    logits, la, lb = parameters.reshape(3, -1)
    weight = np.exp(logits - logits.max())
    weight /= weight.sum()
    k = np.arange(ANNOTATORS + 1)
    logs, by_a, by_b = [], [], []
    for w, a, b in zip(weight, np.exp(la), np.exp(lb)):
        all_a = rising(a + b, 1)[-1]
        logs.append(np.log(max(w, 1e-300)) + log_choose + rising(a, 0)[k] + rising(b, 0)[ANNOTATORS - k] - rising(a + b, 0)[-1])
        by_a.append(a * (rising(a, 1)[k] - all_a))
        by_b.append(b * (rising(b, 1)[ANNOTATORS - k] - all_a))
    logs = np.array(logs)
    top = logs.max(axis=0)
    total = np.exp(logs - top).sum(axis=0)
    share = np.exp(logs - top) / total * counts
    value = (counts * (top + np.log(total))).sum()
    gradient = np.concatenate([share.sum(axis=1) - counts.sum() * weight, (share * by_a).sum(axis=1), (share * by_b).sum(axis=1)])
    return -value, -gradient


def largest(counts, parts=3):
    counts = np.array(counts, float)
    k = np.arange(ANNOTATORS + 1)
    log_choose = scipy.special.gammaln(ANNOTATORS + 1) - scipy.special.gammaln(k + 1) - scipy.special.gammaln(ANNOTATORS - k + 1)
    random = np.random.default_rng(0)
    bounds = [(-30, 30)] * parts + [(np.log(LIMITS[0]), np.log(LIMITS[1]))] * (2 * parts)
    found = []
    for start in range(600):
        mean, size = random.uniform(.02, .99, parts), np.exp(random.uniform(0, 4, parts))
        if start % 2:
            size[0] = np.exp(random.uniform(4, 8))
        x = np.concatenate([np.log(random.dirichlet(np.ones(parts)) + 1e-3), np.log(mean * size), np.log((1 - mean) * size)])
        fit = minimize(objective, x, (counts, log_choose), method="L-BFGS-B", jac=True, bounds=bounds,
                       options={"maxiter": 400, "maxcor": 20, "ftol": 1e-13, "gtol": 1e-5})
        found.append((fit.fun, fit.x))
    found.sort(key=lambda f: f[0])
    best = np.inf
    for value, x in found[:5]:
        while True:
            last = value
            for method, options in (("TNC", {"maxfun": 5000, "ftol": 1e-15, "gtol": 1e-10}),
                                    ("L-BFGS-B", {"maxiter": 5000, "maxcor": 30, "ftol": 1e-16, "gtol": 1e-9})):
                fit = minimize(objective, x, (counts, log_choose), method=method, jac=True, bounds=bounds, options=options)
                if fit.fun < value:
                    value, x = fit.fun, fit.x
            if last - value < 1e-9:
                break
        best = min(best, value)
    return -best


if __name__ == "__main__":
    studies = [{"readings": counts, "log_likelihood": largest(counts)} for counts in COUNTS]
    path = pathlib.Path(__file__).parent / "fixtures" / "mixture_maxima.json"
    rows = ",\n".join("  " + json.dumps(study) for study in studies)
    path.write_text(f'{{"made_by": "make_mixture_fixtures.py, scipy {scipy.__version__}", "studies": [\n{rows}]}}\n')
