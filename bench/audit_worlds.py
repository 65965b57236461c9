"""Data sets with planted label errors, on which `assay audit` is measured. They were defined before its score was chosen.

A world is a row of WORLDS: a source of scores, a proportion of wrong labels, and a kind of error. Planting number i of a world
is drawn with the seed [crc32(name), i], so that every method sees the same plantings.

The kind `uniform` draws the wrong label from all other classes. The kind `confusable` draws it from the five best classes of a
judge that no method sees (except the true class). Sources:

- `two`: MobileNet v1 0.75 and v2 1.00 on 700 photographs that they may have learned with their true labels. Judge: SqueezeNet.
- `four`: all four MobileNets on the same photographs.
- `weak`: MobileNet v1 0.25 alone, which predicts less than half of them.
- `learned`: `two`, and a copy of MobileNet v1 0.50 that has learned the given labels, including wrong ones.
- `crossed`: three classifiers of 1,797 handwritten digits, cross-validated in five folds on the labels in question. The judge is a
  nearest-neighbor classifier of the true labels.
- `crossed-learned`: the same, but one of the three, a forest, was trained on all labels in question.
- `simulated`: two models of 2,000 images with 50 classes, five of which are similar at a time. No score was chosen on it: it tests
  what was chosen on the others.
- `simulated-weak`: a third, less accurate model of these images alone.

Held-out worlds (HELD_OUT) were defined before later changes of the score. No change is chosen on them: they are run once, to test
what was chosen on the others. They have other seeds, other combinations of models or other simulated images, and the proportions
of wrong labels in HELD_OUT_RATES. They also have a third kind of error. `pairs` gives all wrong labels of a class to one other class, which is similar by the judge's mean score.
If class a gets the label b, then b does not get a. Sources:

- `other`: SqueezeNet and MobileNet v1 0.50 on the photographs. Judge: MobileNet v2.
- `three`: MobileNet v1 0.25, 0.50 and 0.75. Judge: MobileNet v2.
- `middle`: MobileNet v1 0.75 alone. Judge: SqueezeNet.
- `few`: three simulated models of 400 images with 200 classes, about two images for each.
- `simulated-four`: four simulated models of 1,500 images with 20 classes. One is much better than the others.
- `simulated-middle`: the second of these models alone.

People check some of the labels that are suspect (CHECKS): the first ones, some at random (so many, or so many percent), or the
first 20 and some at even distances among the others. They answer correctly, or err in 5 % of the answers (PEOPLE). A probability
that a label is wrong is tested on the suspect labels that nobody checked. In each tenth of the claimed probabilities, the mean
claim is compared with the proportion of wrong labels. An interval of the number of wrong labels is tested on all suspect labels.

    python3 bench/audit_worlds.py RUNS       # lists the worlds
"""

from __future__ import annotations

import csv
import functools
import itertools
import pathlib
import sys
import zlib
from dataclasses import dataclass

import numpy as np

RATES = (0.01, 0.05, 0.2)
KINDS = ("uniform", "confusable")
SOURCES = ("two", "four", "weak", "learned", "crossed", "crossed-learned")
SIMULATED = ("simulated", "simulated-weak")
HELD_OUT = ("other", "three", "middle", "few", "simulated-four", "simulated-middle")
HELD_OUT_RATES = (0.03, 0.1, 0.2)
HELD_OUT_KINDS = ("uniform", "confusable", "pairs")
PLANTINGS = 20
CHECKS = (("first", 20), ("first", 50), ("first", 100), ("random", 50), ("spread", 20), ("spread", 30), ("spread", 80),
          ("percent", 75), ("percent", 95))
PEOPLE = (0.0, 0.05)
NETS = ("mobilenet_v1_0.25_128", "mobilenet_v1_0.50_160", "mobilenet_v1_0.75_192", "mobilenet_v2_1.00_224")
JUDGE = "squeezenet_1.0_227"
OTHER_JUDGE = NETS[3]  # of sources with SqueezeNet, and of `three`


@dataclass
class Planted:
    """Logits of each model (images, classes), the given labels, and which of them are wrong."""

    models: list[np.ndarray]
    given: np.ndarray
    wrong: np.ndarray


@functools.cache
def stored_scores(folder: pathlib.Path) -> np.ndarray:
    """Reads all rows of a store of full scores."""
    return np.concatenate([np.load(shard) for shard in sorted(folder.glob("shards/*.npy"))]).astype(float)


class Photographs:
    def __init__(self, runs: pathlib.Path, judge: str = JUDGE):
        self.scores = {name: stored_scores(runs / name) for name in (*NETS, JUDGE)}
        with open(runs / "items.csv", newline="") as file:
            self.truth = np.array([int(row["labels"]) for row in csv.DictReader(file)])
        self.judge = self.scores[judge]

    def models(self, source, given):
        nets = [self.scores[name] for name in NETS]
        if source == "other":
            return [self.scores[JUDGE], nets[1]]
        if source == "three":
            return nets[:3]
        if source == "middle":
            return nets[2:3]
        if source == "four":
            return nets
        if source == "weak":
            return nets[:1]
        if source == "two":
            return nets[2:]
        learned = nets[1].copy()
        learned[np.arange(len(given)), given] = learned.max(1) + 6
        return [*nets[2:], learned]


class Digits:
    def __init__(self):
        from sklearn.datasets import load_digits
        from sklearn.model_selection import cross_val_predict
        from sklearn.neighbors import KNeighborsClassifier

        data = load_digits()
        self.pixels, self.truth = data.data / 16, data.target
        self.judge = cross_val_predict(KNeighborsClassifier(25), self.pixels, self.truth, cv=5, method="predict_proba")
        self.judge = self.judge + 1e-6 * np.random.default_rng(0).random(self.judge.shape)

    def models(self, source, given):
        from sklearn.ensemble import RandomForestClassifier
        from sklearn.linear_model import LogisticRegression
        from sklearn.model_selection import StratifiedKFold, cross_val_predict
        from sklearn.naive_bayes import GaussianNB

        folds = StratifiedKFold(5, shuffle=True, random_state=0)
        forest = RandomForestClassifier(60, random_state=0)
        out = []
        for one in (LogisticRegression(max_iter=300), GaussianNB(var_smoothing=1e-2), forest):
            if one is forest and source == "crossed-learned":
                chances = one.fit(self.pixels, given).predict_proba(self.pixels)
            else:
                chances = cross_val_predict(one, self.pixels, given, cv=folds, method="predict_proba")
            out.append(np.log(np.maximum(chances, 1e-9)))
        return out


class Simulated:
    """Images have a difficulty, and resemble a class of their group. All models see both, each with noise of its own.

    The last noise is that of the judge. The scores of the models are too sharp by different factors.
    """

    def __init__(self, seed: int = 8, n: int = 2000, classes: int = 50, noises=(0.7, 0.9, 2.0, 0.9), sharpness=(1.5, 2.5, 1.2)):
        random = np.random.default_rng(seed)
        group = 5
        self.truth = random.integers(0, classes, n)
        rows = np.arange(n)
        like = self.truth // group * group + (self.truth + random.integers(1, group, n)) % group
        common = 0.7 * random.normal(size=(n, classes))
        for member in range(group):
            common[rows, self.truth // group * group + member] += 2
        common[rows, self.truth] += 2 + random.gamma(3, 1.2, n)
        common[rows, like] += random.gamma(2, 1.2, n)
        *noisy, self.judge = [common + noise * random.normal(size=(n, classes)) for noise in noises]
        self.scores = [s * one for s, one in zip(sharpness, noisy)]

    def models(self, source, given):
        places = {"simulated": [0, 1], "simulated-weak": [2], "simulated-middle": [1]}
        return [self.scores[m] for m in places.get(source, range(len(self.scores)))]


def spread(rows: np.ndarray, number: int) -> np.ndarray:
    """So many of the rows at even distances, the last one among them."""
    number = min(number, len(rows))
    return rows[[(i + 1) * len(rows) // number - 1 for i in range(number)]]


def checked_labels(order: np.ndarray, how: str, number: int, wrong: np.ndarray, errors: float, world: str, planting: int):
    """Rows that are checked, and the answer about each: whether its label is wrong. `order`: suspect rows, the first one first.

    The name of the world is part of the seed. Otherwise the same places would have false answers in all worlds.
    """
    rng = np.random.default_rng([zlib.crc32(f"{world}-{how}-{number}-{errors}".encode()), planting])
    if how == "percent":
        number = len(order) * number // 100
    rows = rng.permutation(order)[:number] if how in ("random", "percent") else order[:number]
    if how == "spread":
        rows = np.concatenate([order[:20], spread(order[20:], number)])
    return rows, wrong[rows] ^ (rng.random(len(rows)) < errors)


@functools.cache
def source_of(source: str, runs: pathlib.Path):
    """What plant() takes for this source."""
    if source.startswith("crossed"):
        return Digits()
    if source in SIMULATED:
        return Simulated()
    if source == "few":
        return Simulated(31, 400, 200, (0.8, 1.0, 1.3, 0.9), (2.0, 1.0, 1.6))
    if source in ("simulated-four", "simulated-middle"):
        return Simulated(32, 1500, 20, (0.6, 1.6, 1.8, 2.0, 0.9), (1.2, 2.0, 1.5, 0.8))
    return Photographs(runs, OTHER_JUDGE if source in ("other", "three") else JUDGE)


def similar_classes(judge: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """By class: the most similar other one, by the judge's mean score, that does not have this class as its own."""
    classes = judge.shape[1]
    out = np.full(classes, -1)
    for c in range(classes):
        if not (truth == c).any():
            continue
        mean = judge[truth == c].mean(0)
        mean[(out == c) | (np.arange(classes) == c)] = -np.inf
        out[c] = mean.argmax()
    return out


def plant(source_of, source: str, rate: float, kind: str, number: int) -> Planted:
    """Planting `number` of a world. `source_of`: Photographs, Digits or Simulated."""
    rng = np.random.default_rng([zlib.crc32(f"{source}-{rate}-{kind}".encode()), number])
    truth = source_of.truth
    n, classes = source_of.judge.shape
    chosen = rng.choice(n, max(1, round(rate * n)), replace=False)
    given = truth.copy()
    if kind == "pairs":
        given[chosen] = similar_classes(source_of.judge, truth)[truth[chosen]]
        return Planted(source_of.models(source, given), given, given != truth)
    for i in chosen:
        if kind == "uniform":
            others = np.delete(np.arange(classes), truth[i])
        else:
            best = np.argsort(-source_of.judge[i], kind="stable")[:5]
            others = best[best != truth[i]]
        given[i] = rng.choice(others)
    return Planted(source_of.models(source, given), given, given != truth)


def worlds(held_out: bool = False):
    """(source, rate, kind) of each world."""
    if held_out:
        return list(itertools.product(HELD_OUT, HELD_OUT_RATES, HELD_OUT_KINDS))
    return list(itertools.product((*SOURCES, *SIMULATED), RATES, KINDS))


def main() -> None:
    photographs = Photographs(pathlib.Path(sys.argv[1]))
    print(f"{len(photographs.truth)} photographs")
    for source, rate, kind in (*worlds(), *worlds(held_out=True)):
        print(f"{source}-{rate}-{kind}")


if __name__ == "__main__":
    main()
