#!/usr/bin/env python3
"""Five metrics of one array by Assay, torchmetrics and scikit-learn, on one thread: seconds, memory, and whether values agree.

    PYTHONPATH=python ASSAY_LIBRARY=.../libassay.so.0.1 bench/python_peers.py [ITEMS] [CLASSES] [ROUNDS]

The metrics are those that all three have: accuracy, top-5 accuracy, balanced accuracy, macro F1 and Cohen's kappa. Assay computes their
intervals, too. Each library runs in a process of its own. Prints the processor time and the wall-clock time of the fastest round of each
library. Also prints how much the peak of the resident memory grew beyond the array and the import. A library that is not installed is skipped.
"""
import json
import os
import resource
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

NAMES = ("accuracy", "top-5", "balanced", "macro F1", "kappa")


def made_up(items, classes):
    import numpy as np

    random = np.random.default_rng(7)
    scores = random.standard_normal((items, classes), dtype=np.float32)
    labels = random.integers(0, classes, items)
    scores[np.arange(items), labels] += 3
    return scores, labels


def by_assay(scores, labels):
    import assay

    def work():
        report = assay.score(scores, labels, "top1,top5,balanced,f1,kappa", threads=1)
        return [float(report[name]) for name in ("top1", "top5", "balanced", "f1", "kappa")]

    return work


def by_torchmetrics(scores, labels):
    import torch
    from torchmetrics import MetricCollection
    from torchmetrics.classification import MulticlassAccuracy, MulticlassCohenKappa, MulticlassF1Score

    torch.set_num_threads(1)
    tensor, target, classes = torch.from_numpy(scores), torch.from_numpy(labels), scores.shape[1]

    def work():
        found = MetricCollection({
            "a": MulticlassAccuracy(classes, average="micro"), "b": MulticlassAccuracy(classes, top_k=5, average="micro"),
            "c": MulticlassAccuracy(classes, average="macro"), "d": MulticlassF1Score(classes, average="macro"),
            "e": MulticlassCohenKappa(classes)})(tensor, target)
        return [found[name].item() for name in "abcde"]

    return work


def by_sklearn(scores, labels):
    import numpy as np
    from sklearn import metrics

    def work():
        predicted = scores.argmax(1)
        return [metrics.accuracy_score(labels, predicted), metrics.top_k_accuracy_score(labels, scores, k=5, labels=np.arange(scores.shape[1])),
                metrics.balanced_accuracy_score(labels, predicted), metrics.f1_score(labels, predicted, average="macro"),
                metrics.cohen_kappa_score(labels, predicted)]

    return work


LIBRARIES = {"assay": by_assay, "torchmetrics": by_torchmetrics, "sklearn": by_sklearn}


def measured(library, items, classes, rounds):
    scores, labels = made_up(items, classes)
    work = LIBRARIES[library](scores, labels)
    LIBRARIES[library](scores[:500], labels[:500])()  # loads what the first call would load
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    walls, times, values = [], [], []
    for _ in range(rounds):
        wall, used = time.perf_counter(), time.process_time()
        values = work()
        walls.append(time.perf_counter() - wall)
        times.append(time.process_time() - used)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"processor": min(times), "wall": min(walls), "grown": grown / 1024, "values": values}


def main():
    items, classes, rounds = (int(given) for given in [*sys.argv[1:4], *("50000", "1000", "3")[len(sys.argv) - 1:]])
    results = {}
    for library in LIBRARIES:
        done = subprocess.run([sys.executable, __file__, "--one", library, str(items), str(classes), str(rounds)], capture_output=True, text=True)
        if done.returncode != 0:
            print(f"{library}: {done.stderr.strip().splitlines()[-1]}")
            continue
        results[library] = json.loads(done.stdout)
    print(f"{', '.join(NAMES)} of {items} x {classes} float32, one thread, best of {rounds}")
    for library, found in results.items():
        times = found["processor"] / results["assay"]["processor"]
        print(f"{library:13} {found['processor']:7.2f} s of processor, {found['wall']:7.2f} s, {found['grown']:7.0f} MB more, {times:6.1f} times")
        for name, value, own in zip(NAMES, found["values"], results["assay"]["values"]):
            assert abs(value - own) < 1e-5, f"{name}: {value} by {library}, {own} by assay"


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measured(sys.argv[2], *map(int, sys.argv[3:]))))
    else:
        main()
