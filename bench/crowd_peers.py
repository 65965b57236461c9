#!/usr/bin/env python3
"""Compares `assay labels aggregate` with published aggregators of which-class votes, on the crowds of crowd_worlds.py.

    python3 -m venv peers && peers/bin/pip install crowd-kit==1.4.2 cleanlab==2.9.0
    peers/bin/python bench/crowd_peers.py build/bin/assay [--crowds 100] [--peers 20] [WORLD ...]

Every aggregator sees the same crowds. The table has the proportion of images with the correct class (the mean over crowds) and the
seconds per crowd. `assay` and the majority are run on --crowds crowds, the others on the first --peers of them. The reason is
that GLAD and MACE take seconds a crowd (--of omits them). `assay` and the majority are printed for these, too. A tie of n
classes counts 1/n if one of them is correct, for the majority and `assay`; the others choose by their own rule. `ece`: expected
calibration error of assay's highest posterior in ten bins; `worst`: the largest loss of the mean over crowds against the majority.
"""

from __future__ import annotations

import argparse
import csv
import pathlib
import subprocess
import tempfile
import time
import warnings

import crowd_worlds
import numpy as np


def majority(crowd) -> np.ndarray:
    """Proportion of the votes, [image, class]."""
    votes = np.zeros((crowd.truth.size, crowd.classes))
    np.add.at(votes, (crowd.image, crowd.said), 1)
    return votes / np.maximum(1, votes.sum(axis=1, keepdims=True))


def right(values: np.ndarray, truth: np.ndarray) -> np.ndarray:
    best = values >= values.max(axis=1, keepdims=True) - 1e-9
    return best[np.arange(truth.size), truth] / best.sum(axis=1)


def run_assay(program: str, crowd, folder: pathlib.Path) -> tuple[np.ndarray, float]:
    votes, posteriors = folder / "votes.csv", folder / "posteriors.csv"
    votes.write_text(crowd_worlds.csv_of(crowd))
    begin = time.perf_counter()
    subprocess.run([program, "labels", "aggregate", votes, "--posteriors", posteriors], check=True, capture_output=True)
    seconds = time.perf_counter() - begin
    values = np.zeros((crowd.truth.size, crowd.classes))
    with open(posteriors, newline="") as file:
        for row in csv.DictReader(file):
            values[int(row["item"][1:6]), int(row["label"][1:])] = float(row["posterior"])
    return values, seconds


def peers() -> dict:
    from crowdkit.aggregation import GLAD, MACE, DawidSkene, OneCoinDawidSkene

    return {
        "one-coin": lambda: OneCoinDawidSkene(n_iter=100),
        "dawid-skene": lambda: DawidSkene(n_iter=100),
        "glad": lambda: GLAD(n_iter=30),
        "mace": lambda: MACE(n_restarts=2, n_iter=30, random_state=1),
    }


def peer_accuracy(make, crowd) -> tuple[float, float]:
    import pandas

    frame = pandas.DataFrame({"task": crowd.image, "worker": crowd.annotator, "label": crowd.said})
    begin = time.perf_counter()
    labels = make().fit_predict(frame)
    seconds = time.perf_counter() - begin
    return float(np.mean([labels.get(i, -1) == t for i, t in enumerate(crowd.truth)])), seconds


def calibration(values: list[np.ndarray], hits: list[np.ndarray]) -> float:
    confidence, hit = np.concatenate([v.max(axis=1) for v in values]), np.concatenate(hits)
    place = np.minimum((confidence * 10).astype(int), 9)
    return sum(abs((confidence - hit)[place == b].sum()) for b in range(10)) / len(hit)


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("program")
    options.add_argument("worlds", nargs="*")
    options.add_argument("--crowds", type=int, default=100)
    options.add_argument("--peers", type=int, default=20)
    options.add_argument("--of", default="one-coin,dawid-skene,glad,mace", help="which of the others")
    arguments = options.parse_args()
    warnings.simplefilter("ignore")
    others = {name: make for name, make in peers().items() if name in arguments.of.split(",")} if arguments.peers else {}
    print(f"{'world':17} crowds assay majority   ece seconds | peers' crowds: assay majority " + " ".join(others))
    for world in crowd_worlds.WORLDS:
        if arguments.worlds and world.name not in arguments.worlds:
            continue
        hits, votes, values, seconds = [], [], [], []
        for number in range(arguments.crowds):
            crowd = world.crowd(number)
            with tempfile.TemporaryDirectory() as folder:
                found, taken = run_assay(arguments.program, crowd, pathlib.Path(folder))
            values.append(found)
            seconds.append(taken)
            hits.append(right(found, crowd.truth))
            votes.append(right(majority(crowd), crowd.truth))
        of_assay, of_votes = [h.mean() for h in hits], [v.mean() for v in votes]
        line = (f"{world.name:17} {arguments.crowds:6} {np.mean(of_assay):.4f}   {np.mean(of_votes):.4f} "
                f"{calibration(values, hits):.3f} {np.median(seconds):7.3f} |")
        some = min(arguments.peers, arguments.crowds)
        if some:
            line += f" {np.mean(of_assay[:some]):.4f} {np.mean(of_votes[:some]):.4f}"
        for make in others.values():
            results = np.array([peer_accuracy(make, world.crowd(number)) for number in range(some)])
            line += f" {results[:, 0].mean():.4f} ({np.median(results[:, 1]):.2f} s)"
        print(line, flush=True)


if __name__ == "__main__":
    main()
