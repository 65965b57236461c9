#!/usr/bin/env python3
"""The cost of the Python package compared with the program, NumPy and PyTorch, on one core.

    PYTHONPATH=python ASSAY_LIBRARY=.../libassay.so.0.1 ASSAY_PROGRAM=.../assay bench/python.py [ITEMS] [CLASSES]

Prints how long `import assay` takes, and how long a call of score() on a few items takes. Compares score() of scores in
memory with `assay score` of the same numbers in a store. Compares a batch of 256 in a loop with the time of NumPy, PyTorch and
torchmetrics (if installed) for the same four metrics. Times are medians; those that are compared are taken
in turn.
"""
import os
import statistics
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np

import assay
from assay.command import program

ITEMS = int(sys.argv[1]) if len(sys.argv) > 1 else 50_000
CLASSES = int(sys.argv[2]) if len(sys.argv) > 2 else 1000
BATCH = 256


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def in_turn(rounds, **works):
    """The median time of each function. Each function runs once in every round."""
    times = {name: [] for name in works}
    for _ in range(rounds):
        for name, work in works.items():
            times[name].append(seconds(work))
    return {name: statistics.median(taken) for name, taken in times.items()}


def python(code):
    return lambda: subprocess.run([sys.executable, "-c", code], check=True)


def made_up(items, classes):
    random = np.random.default_rng(7)
    scores = random.standard_normal((items, classes), dtype=np.float32)
    labels = random.integers(0, classes, items)
    scores[np.arange(items), labels] += 3
    return scores, labels


def start():
    taken = in_turn(15, nothing=python("pass"), assay=python("import assay"), numpy=python("import numpy"))
    for name in ("assay", "numpy"):
        print(f"import {name:8} {1e3 * (taken[name] - taken['nothing']):8.1f} ms")


def small_call():
    scores, labels = made_up(10, 3)
    taken = in_turn(200, call=lambda: assay.score(scores, labels, metrics="top1"))
    print(f"score() of 10 x 3, top1 {1e3 * taken['call']:8.2f} ms")


def whole():
    scores, labels = made_up(ITEMS, CLASSES)
    with tempfile.TemporaryDirectory() as folder:
        with assay.StoreWriter(folder, dataset="made", model="up", labels=labels, identity="made up",
                               classes=[f"c{c}" for c in range(CLASSES)],
                               ids=[f"{i:08}" for i in range(ITEMS)]) as writer:
            for begin, end in writer.batches(4096):
                writer.write(begin, scores[begin:end])
        taken = in_turn(
            5,
            memory=lambda: assay.score(scores, labels, kind="logits", threads=1),
            store=lambda: assay.score(folder, threads=1),
            program=lambda: subprocess.run([program(), "score", folder, "--threads", "1", "--json"], check=True,
                                           stdout=subprocess.DEVNULL))
    for name, what in (("memory", "score(array)"), ("store", "score(store)"), ("program", "assay score")):
        print(f"{what:13} of {ITEMS} x {CLASSES}, all metrics {taken[name]:8.2f} s"
              f"  {taken[name] / taken['program']:5.2f} of the program's")


class InNumPy:
    """top1, top5, nll and ece as scripts usually compute them."""

    def __init__(self):
        self.n = self.top1 = self.top5 = self.nll = 0
        self.bins = np.zeros((3, 15))

    def update(self, scores, labels):
        rows = np.arange(len(labels))
        shifted = scores - scores.max(axis=1, keepdims=True)
        power = np.exp(shifted)
        total = power.sum(axis=1)
        best = scores.argmax(axis=1)
        top = np.argpartition(scores, -5, axis=1)[:, -5:]
        self.n += len(labels)
        self.top1 += (best == labels).sum()
        self.top5 += (top == labels[:, None]).any(axis=1).sum()
        self.nll += (np.log(total) - shifted[rows, labels]).sum(dtype=np.float64)
        confidence = power[rows, best] / total
        which = np.minimum((confidence * 15).astype(int), 14)
        for k, add in enumerate((np.ones(len(labels)), confidence, best == labels)):
            self.bins[k] += np.bincount(which, add, 15)


class InTorch:
    def __init__(self, torch):
        self.torch = torch
        torch.set_num_threads(1)
        self.n = self.top1 = self.top5 = self.nll = 0
        self.bins = torch.zeros(3, 15, dtype=torch.float64)

    def update(self, scores, labels):
        torch = self.torch
        hits = scores.topk(5, dim=1).indices == labels[:, None]
        self.n += len(labels)
        self.top1 += hits[:, 0].sum().item()
        self.top5 += hits.any(dim=1).sum().item()
        self.nll += torch.nn.functional.cross_entropy(scores, labels, reduction="sum").item()
        confidence = torch.softmax(scores, dim=1).amax(dim=1).double()
        which = (confidence * 15).long().clamp(max=14)
        for k, add in enumerate((torch.ones_like(confidence), confidence, hits[:, 0].double())):
            self.bins[k].index_add_(0, which, add)


def loop():
    scores, labels = made_up(BATCH, CLASSES)
    metrics = assay.Metrics("top1,top5,nll,ece")
    in_numpy = InNumPy()
    works = {"assay": lambda: metrics.update(scores, labels), "numpy": lambda: in_numpy.update(scores, labels)}
    try:
        import torch
    except ImportError:
        pass
    else:
        tensor, target = torch.from_numpy(scores), torch.from_numpy(labels)
        in_torch = InTorch(torch)
        works["torch"] = lambda: in_torch.update(tensor, target)
        try:
            from torchmetrics import MetricCollection
            from torchmetrics.classification import MulticlassAccuracy, MulticlassCalibrationError
        except ImportError:
            pass
        else:
            collection = MetricCollection({
                "top1": MulticlassAccuracy(CLASSES, average="micro"),
                "top5": MulticlassAccuracy(CLASSES, top_k=5, average="micro"),
                "ece": MulticlassCalibrationError(CLASSES)})
            works["torchmetrics"] = lambda: collection.update(tensor, target)
    taken = in_turn(200, **works)
    for name, time_taken in taken.items():
        note = " (without nll)" if name == "torchmetrics" else ""
        print(f"update() of {BATCH} x {CLASSES} by {name:12} {1e6 * time_taken:8.0f} us"
              f"  {time_taken / taken['assay']:6.1f} times{note}")


if __name__ == "__main__":
    start()
    small_call()
    whole()
    loop()
