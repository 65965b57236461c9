#!/usr/bin/env python3
"""The cost of `assay score` compared with numpy, on one core and one store of full float32 logits.

    score.py BENCH_SCORE STORE

BENCH_SCORE is the built program bench_score. Times are of the processor, not of the clock, so that a busy machine does not change
them. The Python side follows the wording of the published class-wise definition (docs/definitions.md: ace.class_wise).
"""
import glob
import json
import os
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np


def load(store):
    shards = [np.load(path) for path in sorted(glob.glob(os.path.join(store, "shards", "*.npy")))]
    rows = sum(len(s) for s in shards)
    scores = np.empty((rows, shards[0].shape[1]), np.float32)
    at = 0
    for s in shards:
        scores[at:at + len(s)] = s
        at += len(s)
    labels = []
    with open(os.path.join(os.path.dirname(store.rstrip("/")), "items.csv")) as items:
        header = next(items).rstrip("\n").split(",")
        column = header.index("labels")
        for line in items:
            labels.append(int(line.rstrip("\n").split(",")[column]))
    return scores, np.array(labels)


def softmax(scores):
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    e /= e.sum(axis=1, keepdims=True)
    return e


def class_wise(prob, labels, bins=15):
    """The published procedure: a sort and a digitize for every class, hits from a one-hot matrix."""
    n, classes = prob.shape
    hot = np.zeros((n, classes))
    hot[np.arange(n), labels] = 1
    total = 0.0
    for c in range(classes):
        p, y = prob[:, c], hot[:, c]
        keep = p > 0
        p, y = p[keep], y[keep]
        m = len(p)
        if m == 0:
            continue
        order = np.sort(p)
        places = np.minimum(np.round(np.arange(bins) * m / bins).astype(int), m - 1)
        upper = np.append(order[places][1:], 1.0)
        which = np.digitize(p, upper)
        confidence = np.bincount(which, weights=p, minlength=bins + 1)
        hits = np.bincount(which, weights=y, minlength=bins + 1)
        total += np.abs(hits - confidence).sum() / m
    return total / classes


def one_vs_rest(prob, labels):
    """Macro AUROC by scikit-learn, class by class as in roc_auc_score(multi_class="ovr"). None if it is not installed."""
    try:
        from sklearn.metrics import roc_auc_score
    except ImportError:
        return None
    return float(np.mean([roc_auc_score(labels == c, prob[:, c]) for c in np.unique(labels)]))


def main():
    program, store = sys.argv[1:3]
    scores, labels = load(store)
    prob = softmax(scores)
    del scores
    start = time.process_time()
    area = one_vs_rest(prob, labels)
    sklearn_auroc = time.process_time() - start
    start = time.process_time()
    value = class_wise(prob, labels)
    numpy_ace = time.process_time() - start
    found = json.loads(subprocess.run([program, store, "--benchmark_format=json", "--benchmark_repetitions=3"],
                                      check=True, capture_output=True, text=True).stdout)
    medians = [b for b in found["benchmarks"] if b["name"].endswith("_median")]
    ms = {b["name"].removesuffix("_median"): b["cpu_time"] for b in medians if "anonymous_mib" not in b}
    rows, classes = prob.shape
    print(f"{rows} x {classes} float32 logits, one core, processor time in ms (median of 3)")
    for name, t in ms.items():
        print(f"  {name:38s} {t:9.1f}")
    for b in medians:
        if "anonymous_mib" in b:
            print(f"  {b['name'].split('/iter')[0]:38s} {b['anonymous_mib']:9.1f} MiB beyond the mapped store")
    print(f"  {'numpy: ace alone, published procedure':38s} {numpy_ace * 1000:9.1f}")
    every = ms["score/every_metric"]
    print(f"every metric / (read + one std::exp a value) = {every / ms['read_and_std_exp']:.2f}")
    print(f"every metric / (read + one own exp a value)  = {every / ms['read_and_own_exp']:.2f}")
    print(f"numpy's ace / ace from the same probabilities = {numpy_ace * 1000 / ms['ace/ready_probabilities']:.0f}")
    print(f"numpy's ace / score with ace alone, from logits = {numpy_ace * 1000 / ms['score/ace']:.0f}")
    print(f"ace by numpy = {value:.10g}")
    if area is not None:
        print(f"scikit-learn's auroc from probabilities {sklearn_auroc * 1000:.1f} ms; / score with auroc alone, from "
              f"logits, with its interval = {sklearn_auroc * 1000 / ms['score/auroc']:.0f}")
        print(f"auroc by scikit-learn = {area:.10g}")


if __name__ == "__main__":
    main()
