#!/usr/bin/env python3
"""Compares `assay score` with torchmetrics and scikit-learn: five metrics of 50,000 x 1,000 scores, on one thread, in processor
time.

usage: bench/peers.py ASSAY FOLDER      FOLDER gets 0.5 GB, which is removed at the end
Needs numpy, torch, torchmetrics and scikit-learn. Assay's time is of the whole command, which reads the stored scores and computes
intervals. The time of the others begins with the scores in memory, and they compute no intervals. The fastest of three runs counts.
"""
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import sklearn.metrics as sk
import torch
import torchmetrics.functional.classification as tm

ITEMS, CLASSES = 50_000, 1_000


def made():
    random = np.random.default_rng(1)
    scores = random.standard_normal((ITEMS, CLASSES), dtype=np.float32) * 2
    labels = random.integers(0, CLASSES, ITEMS)
    scores[np.arange(ITEMS), labels] += 6
    return scores, labels


def stored(assay, folder, scores, labels):
    np.save(folder / "scores.npy", scores)
    (folder / "items.csv").write_text("id,label\n" + "".join(f"{i},{label}\n" for i, label in enumerate(labels)))
    subprocess.run([assay, "import", folder / "scores.npy", "--items", folder / "items.csv", "--dataset-name", "data", "--name", "model",
                    "--out", folder / "runs", "-q"], check=True, stdout=subprocess.DEVNULL)
    return folder / "runs"


def of_command(words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def of_call(call):
    before = time.process_time()
    call()
    return time.process_time() - before


def with_torchmetrics(scores, labels):
    p = scores.softmax(1)
    return [tm.multiclass_accuracy(p, labels, CLASSES, average="micro"), tm.multiclass_accuracy(p, labels, CLASSES, average="micro", top_k=5),
            torch.nn.functional.cross_entropy(scores, labels), tm.multiclass_calibration_error(p, labels, CLASSES),
            tm.multiclass_f1_score(p, labels, CLASSES)]


def with_sklearn(scores, labels):  # torchmetrics 1.x has no such calibration error
    p = scores.softmax(1).numpy()
    predicted, classes = p.argmax(1), np.arange(CLASSES)
    return [sk.accuracy_score(labels, predicted), sk.top_k_accuracy_score(labels, p, k=5, labels=classes),
            sk.log_loss(labels, p, labels=classes), sk.f1_score(labels, predicted, average="macro")]


def main():
    assay = sys.argv[1]
    torch.set_num_threads(1)
    scores, labels = made()
    with tempfile.TemporaryDirectory(dir=sys.argv[2]) as folder:
        runs = stored(assay, pathlib.Path(folder), scores, labels)
        command = [assay, "score", runs, "--metrics", "top1,topk:k=5,nll,ece,f1", "--threads", "1", "--json"]
        print(f"assay score                    {min(of_command(command) for _ in range(3)):.2f} s")
    scores, target = torch.from_numpy(scores), torch.from_numpy(labels)
    print(f"torchmetrics                   {min(of_call(lambda: with_torchmetrics(scores, target)) for _ in range(3)):.2f} s")
    print(f"scikit-learn, four of the five {min(of_call(lambda: with_sklearn(scores, labels)) for _ in range(3)):.2f} s")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: bench/peers.py ASSAY FOLDER")
    main()
