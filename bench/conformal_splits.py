#!/usr/bin/env python3
"""Coverage and size of conformal sets over 1,000 splits of the scores of one store.

    python bench/conformal_splits.py runs/imagenet_sample/mobilenet_v2_1.00_224

The rules are those of `assay conformal`, written again in NumPy: half of the images calibrate, the others are
measured. Prints the mean and the standard deviation of the coverage over the splits, and the mean size over 20 of
them. The store must have logits of all classes (--storage full) and one label per image.
"""
import csv
import pathlib
import sys

import numpy as np

SPLITS, PENALTY, FREE = 1000, 0.01, 5


def read(store):
    logits = np.concatenate([np.load(file) for file in sorted((store / "shards").glob("*.npy"))]).astype(float)
    rows = csv.DictReader((store.parent / "items.csv").read_text().splitlines())
    odds = np.exp(logits - logits.max(1, keepdims=True))
    return odds / odds.sum(1, keepdims=True), np.array([int(row["labels"]) for row in rows])


def scores(probability, total, rank, draw):
    """The scores of classes with this probability, this sum of probabilities up to the class, and this rank (from 1)."""
    random = total - draw * probability
    return {"lac": 1 - probability, "aps": random, "raps": random + PENALTY * np.maximum(0, rank - FREE), "aps, deterministic": total}


def main():
    probabilities, labels = read(pathlib.Path(sys.argv[1]))
    images, classes = probabilities.shape
    order = np.argsort(-probabilities, axis=1, kind="stable")
    probabilities = np.take_along_axis(probabilities, order, 1)
    totals = probabilities.cumsum(1)
    place, every = (order == labels[:, None]).argmax(1), np.arange(images)
    rng = np.random.default_rng(1)
    for alpha in (0.1, 0.05):
        coverage, size = {}, {}
        for split in range(SPLITS):
            calibration, draw = rng.random(images) < 0.5, rng.random(images)
            true = scores(probabilities[every, place], totals[every, place], place + 1, draw)
            whole = scores(probabilities, totals, np.arange(1, classes + 1), draw[:, None]) if split % 50 == 0 else {}
            for method, score in true.items():
                found = np.sort(score[calibration])
                threshold = found[int(np.ceil((len(found) + 1) * (1 - alpha) - 1e-9)) - 1]
                coverage.setdefault(method, []).append((score[~calibration] <= threshold).mean())
                if whole:
                    size.setdefault(method, []).append((whole[method][~calibration] <= threshold).sum(1).mean())
        for method in coverage:
            print(f"alpha {alpha:4}  {method:20} coverage {np.mean(coverage[method]):.4f} (SD {np.std(coverage[method]):.4f})"
                  f"  size {np.mean(size[method]):.2f}")


if __name__ == "__main__":
    main()
