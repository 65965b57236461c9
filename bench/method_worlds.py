#!/usr/bin/env python3
"""Coverage of the intervals of `assay compare --method`, in the simulations that are defined here.

Needs NumPy and SciPy. Prints a row for each world: how often each interval contains its true value, and
half of its mean width in points.

A world has two methods, `runs` training runs of each, and `images` images. Run r of a method is correct on
image i if

    skill + I(i) + M(method, i) / 2 + seed_sd S(method, r) + noise(method, r, i) > 0

with standard normal I, M and S, and normal noise of variance 3/4. `paired` worlds correlate S of equal seeds
by one half. The skills give the accuracies `accuracy` and `accuracy - gap` over all runs and images, so the truth
is exact. The column "next" is about the difference of one new run of each on as many new images.

    two-way    what `assay compare --method` prints: sqrt(z^2 images + t^2 runs), with a t for each method if
               these have unequal numbers of runs
    satterth.  the same variances with Satterthwaite's degrees of freedom
    images     for the given runs alone, as `assay compare` of two stores
    next       the interval of prediction
    accuracy   the two-way interval of one method
"""
import sys

import numpy as np
from scipy.stats import norm, t

Z = norm.ppf(0.975)
# runs of the baseline, runs of the candidate, and whether seeds are paired
RUNS = [(2, 2, True), (2, 2, False), (2, 3, False), (3, 3, True), (5, 5, True), (5, 5, False), (10, 10, True),
        (2, 10, False), (3, 20, False)]
# images, accuracy, gap
DATA = [(100, 0.97, 0.02), (500, 0.75, 0.03), (200, 0.99, 0.0)]
SEED_SD = [0, 0.05, 0.2]


def parts(table):
    """Means of the images, the variance of the runs' means, and the mean square of the interaction."""
    runs, images = table.shape
    by_image, by_run, mean = table.mean(0), table.mean(1), table.mean()
    rest = table - by_image[None] - by_run[:, None] + mean
    return by_image, by_run.var(ddof=1), (rest**2).sum() / ((runs - 1) * (images - 1))


def image_variance(by_image, more):
    """Center and variance with pseudo-images: their number, sum and sum of squares."""
    n = len(by_image) + more[0]
    centre = (by_image.sum() + more[1]) / n
    return centre, ((by_image**2).sum() + more[2] - n * centre**2) / (n - 1) / n


def half_widths(images, interaction, groups):
    """`groups` has (variance of the runs' means, number of runs) for each independent group."""
    pure = max(0, images - interaction)
    part = np.array([v / s for v, s in groups])
    squares = sum((v / s) ** 2 / (s - 1) for v, s in groups)
    runs, least = part.sum(), Z * Z * images
    if len({s for _, s in groups}) == 1:
        quantiles = np.full(len(groups), t.ppf(0.975, runs**2 / squares) if runs > 0 else 0)
    else:
        quantiles = np.array([t.ppf(0.975, s - 1) for _, s in groups])
    two_way = np.sqrt(max(Z * Z * pure + (quantiles**2 * part).sum(), least))
    both = runs + pure
    satterthwaite = np.sqrt(max(t.ppf(0.975, both**2 / squares) ** 2 * both if runs > 0 else 0, least))
    new = part + np.array([v for v, _ in groups])
    return two_way, satterthwaite, np.sqrt(max(2 * Z * Z * pure + (quantiles**2 * new).sum(), 2 * least))


def draw(rng, runs, images, skills, seed_sd, paired):
    shared, common = rng.normal(size=images), rng.normal(size=max(runs))
    out = []
    for count, skill in zip(runs, skills):
        own = rng.normal(size=count)
        seeds = np.sqrt(0.5) * (common[:count] + own) if paired else own
        easy = shared + 0.5 * rng.normal(size=images)
        noise = np.sqrt(0.75) * rng.normal(size=(count, images))
        out.append((skill + easy[None] + seed_sd * seeds[:, None] + noise > 0).astype(float))
    return out


def world(rng, runs, paired, images, accuracy, gap, seed_sd, repeats):
    scale = np.sqrt(2 + seed_sd**2)
    skills = [scale * norm.ppf(accuracy - gap), scale * norm.ppf(accuracy)]
    names = ("two-way", "satterth.", "images", "next", "accuracy")
    held, width = dict.fromkeys(names, 0), dict.fromkeys(names, 0.0)

    def note(name, low, high, truth, half):
        held[name] += low <= truth <= high
        width[name] += half

    for _ in range(repeats):
        a, b = draw(rng, runs, images, skills, seed_sd, paired)
        new_a, new_b = draw(rng, (1, 1), images, skills, seed_sd, paired)
        if paired:
            by_image, variance, rest = parts(b - a)
            groups, interaction = [(variance, runs[0])], rest / (images * runs[0])
        else:
            (ia, va, ra), (ib, vb, rb) = parts(a), parts(b)
            by_image, groups = ib - ia, [(va, runs[0]), (vb, runs[1])]
            interaction = ra / (images * runs[0]) + rb / (images * runs[1])
        centre, spread = image_variance(by_image, (2, 0, 1))
        two_way, satterthwaite, following = half_widths(spread, interaction, groups)
        mean = by_image.mean()
        for name, half in (("two-way", two_way), ("satterth.", satterthwaite), ("images", Z * np.sqrt(spread))):
            note(name, min(centre - half, mean), max(centre + half, mean), gap, half)
        note("next", centre - following, centre + following, new_b.mean() - new_a.mean(), following)
        by_image, variance, rest = parts(b)
        centre, spread = image_variance(by_image, (4, 2, 2))
        half = half_widths(spread, rest / (images * runs[1]), [(variance, runs[1])])[0]
        note("accuracy", centre - half, min(1, max(centre + half, by_image.mean())), accuracy, half)
    return {name: (held[name] / repeats, 100 * width[name] / repeats) for name in names}


def main():
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rng = np.random.default_rng(1)
    least = 1.0
    print("runs   paired images accuracy  gap seed_sd | " + " ".join(f"{n:>13}" for n in ("two-way", "satterth.", "images", "next", "accuracy")))
    for first, second, paired in RUNS:
        for images, accuracy, gap in DATA:
            for seed_sd in SEED_SD:
                found = world(rng, (first, second), paired, images, accuracy, gap, seed_sd, repeats)
                least = min(least, found["two-way"][0], found["next"][0], found["accuracy"][0])
                cells = " ".join(f"{held:.3f} ±{half:6.2f}" for held, half in found.values())
                print(f"{first:2}, {second:2} {'yes' if paired else 'no':>6} {images:6} {accuracy:8} {gap:4} {seed_sd:7} | {cells}", flush=True)
    print(f"least coverage of two-way, next and accuracy: {least:.3f}")


if __name__ == "__main__":
    main()
