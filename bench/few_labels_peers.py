#!/usr/bin/env python3
"""Compares `assay estimate` with prediction-powered inference and active testing on the same pool of images.

    python3 -m venv peers && peers/bin/pip install ppi-python==0.2.3
    peers/bin/python bench/few_labels_peers.py build/bin/assay runs/imagenet_sample [--draws 200] [--labels 50 100 200]

RUNS is a data set with labels and the stores of several classifiers. Each method sees the predictions of all images and the labels
of its own sample. A draw is one sample of each method. A line has the means over draws and classifiers:

- `covers`: proportion of 95 % intervals that contain the accuracy on all images, and that of the worst classifier. The intervals
  of one draw share their labels, so the standard error is near that of a single classifier.
- `half`: half of the interval, in points.
- `rmse`: root of the mean square error, in points.
- `saves`: mean square error of a simple random sample of the same size (in closed form) divided by that of the method. Its
  standard error is from resampled draws.

Prediction-powered inference is `ppi_py`'s mean with its own choice of the power (Angelopoulos, Duchi and Zrnic 2023) from a simple
random sample, once with the confidence of the classifier as the prediction, once with the mean confidence of all classifiers in its
label. Active testing is LURE (Farquhar, Gal and Rainforth 2021; Kossen et al. 2021): images are drawn one after another without
replacement, with probabilities proportional to the expected errors of all classifiers by the mean of their probabilities. It has no
interval.
"""

from __future__ import annotations

import argparse
import csv
import json
import pathlib
import subprocess
import tempfile

import numpy as np


def run(*command) -> None:
    subprocess.run([str(part) for part in command], check=True, capture_output=True)


class Pool:
    """Predictions and labels of all images; arrays are (classifiers, images)."""

    def __init__(self, program: str, runs: pathlib.Path, folder: pathlib.Path):
        self.program, self.runs, self.labels = program, runs, folder / "labels.csv"
        self.models = sorted(store.parent.name for store in runs.glob("*/manifest.json"))
        if not self.models:
            raise SystemExit(f"{runs} has no store: name a data set's folder in RUNS, for example runs/val")
        rows, probabilities = [], []
        for model in self.models:
            table, matrix = folder / "items.csv", folder / "probabilities.npy"
            run(program, "export", runs / model, "--top", 0, "-o", table, "--probabilities", matrix)
            with open(table, newline="") as file:
                rows.append(list(csv.DictReader(file)))
            probabilities.append(np.load(matrix))
        with open(self.labels, "w", newline="") as file:
            csv.writer(file).writerows([("item", "label"), *((row["id"], row["label"]) for row in rows[0])])
        predicted = np.array([[int(row["predicted"]) for row in of] for of in rows])
        truth = np.array([int(row["label"]) for row in rows[0]])
        images = np.arange(truth.size)
        self.correct = (predicted == truth).astype(float)
        self.confidence = np.array([[float(row["confidence"]) for row in of] for of in rows])
        agree = predicted[:, None] == predicted[None]
        self.consensus = (agree * self.confidence[None]).mean(axis=1)
        expected = np.mean(probabilities, axis=0)
        self.expected_errors = sum(1 - expected[images, of] for of in predicted)
        self.accuracy = self.correct.mean(axis=1)


def assay(pool: Pool, labels: int, seed: int, folder: pathlib.Path) -> np.ndarray:
    study = folder / f"study-{labels}-{seed}"
    run(pool.program, "estimate", "select", study, pool.runs, "--draw", labels, "--seed", seed, "-j", 1)
    out = folder / "estimate.json"
    run(pool.program, "estimate", "show", study, "--labels", pool.labels, "-j", 1, "-o", out)
    found = {one["classifier"]: one["accuracy"] for one in json.loads(out.read_text())["classifiers"]}
    return np.array([(found[m]["value"], found[m]["interval"]["low"], found[m]["interval"]["high"]) for m in pool.models])


def random_sample(pool: Pool, labels: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    order = np.random.default_rng((seed, labels)).permutation(pool.correct.shape[1])
    return order[:labels], order[labels:]


def simple(pool: Pool, labels: int, seed: int) -> np.ndarray:
    """Mean and Wilson's interval."""
    from statsmodels.stats.proportion import proportion_confint

    some, _ = random_sample(pool, labels, seed)
    hits = pool.correct[:, some].sum(axis=1)
    return np.array([(h / labels, *proportion_confint(h, labels, method="wilson")) for h in hits])


def powered(pool: Pool, prediction: np.ndarray, labels: int, seed: int) -> np.ndarray:
    from ppi_py import ppi_mean_ci, ppi_mean_pointestimate

    some, others = random_sample(pool, labels, seed)
    out = []
    for correct, said in zip(pool.correct, prediction):
        data = correct[some], said[some], said[others]
        low, high = ppi_mean_ci(*data, alpha=0.05)
        out.append((np.ravel(ppi_mean_pointestimate(*data))[0], np.ravel(low)[0], np.ravel(high)[0]))
    return np.array(out)


def lure(pool: Pool, labels: int, seed: int) -> np.ndarray:
    random = np.random.default_rng((seed, labels, 1))
    images = pool.correct.shape[1]
    left, weights, drawn = pool.expected_errors.copy(), [], []
    for m in range(1, labels + 1):
        chances = left / left.sum()
        one = random.choice(images, p=chances)
        weights.append(1 + (images - labels) / (images - m) * (1 / ((images - m + 1) * chances[one]) - 1))
        drawn.append(one)
        left[one] = 0
    # The errors are weighted, not the correct predictions: images are drawn in proportion to them.
    value = 1 - ((1 - pool.correct[:, drawn]) * weights).mean(axis=1)
    return np.stack([value, np.full_like(value, np.nan), np.full_like(value, np.nan)], axis=1)


def line_of(pool: Pool, labels: int, results: np.ndarray) -> str:
    """`results`: (draws, classifiers, 3), the value and the limits."""
    truth, images = pool.accuracy, pool.correct.shape[1]
    square = (results[:, :, 0] - truth) ** 2
    # The sample is drawn without replacement.
    of_random = (truth * (1 - truth) / labels * (images - labels) / (images - 1)).mean()
    by_draw = square.mean(axis=1)
    random = np.random.default_rng(1)
    again = [of_random / random.choice(by_draw, by_draw.size).mean() for _ in range(1000)]
    error = f"{100 * np.sqrt(square.mean()):5.2f}  {of_random / square.mean():5.2f} ({np.std(again):.2f})"
    if np.isnan(results[:, :, 1]).any():
        return f"{'':22}  {error}"
    covers = ((results[:, :, 1] <= truth + 1e-9) & (truth - 1e-9 <= results[:, :, 2])).mean(axis=0)
    half = 100 * (results[:, :, 2] - results[:, :, 1]).mean() / 2
    return f"{covers.mean():.3f} ({covers.min():.3f})  {half:6.2f}  {error}"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("program")
    options.add_argument("runs", type=pathlib.Path)
    options.add_argument("--draws", type=int, default=200)
    options.add_argument("--labels", type=int, nargs="+", default=[50, 100, 200])
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        pool = Pool(given.program, given.runs, folder)
        methods = {
            "assay": lambda labels, seed: assay(pool, labels, seed, folder),
            "ppi, consensus": lambda labels, seed: powered(pool, pool.consensus, labels, seed),
            "ppi, confidence": lambda labels, seed: powered(pool, pool.confidence, labels, seed),
            "lure": lambda labels, seed: lure(pool, labels, seed),
            "random sample": lambda labels, seed: simple(pool, labels, seed),
        }
        accuracies = ", ".join(f"{model} {100 * value:.1f}" for model, value in zip(pool.models, pool.accuracy))
        print(f"{pool.correct.shape[1]} images; {accuracies} %; {given.draws} draws")
        print("labels  method           covers (worst)    half   rmse  saves (standard error)")
        for labels in given.labels:
            for name, method in methods.items():
                results = np.array([method(labels, seed) for seed in range(given.draws)])
                print(f"{labels:6}  {name:15}  {line_of(pool, labels, results)}", flush=True)


if __name__ == "__main__":
    main()
