#!/usr/bin/env python3
"""Compares ReaL accuracy and ASMA of one store with numpy, on one core each.

    multilabel.py ASSAY BENCH_MULTILABEL STORE LABELS.json

Times are of the processor (user and system), so a busy machine changes them little. Each time is the best of three.
For "in memory", scores and labels are loaded, and two numbers are computed without intervals. For "whole", the time is
from starting the program to its end. The script then imports numpy, reads the shards and the labels, and does the
same.
"""
import glob
import json
import os
import resource
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"


def load(store, labels):
    import numpy as np
    shards = [np.load(path) for path in sorted(glob.glob(os.path.join(store, "shards", "*.npy")))]
    with open(labels) as file:
        return np.concatenate(shards), json.load(file)


def measure(order, labels):
    """`order` has the classes of each image, the best first, at least as many as the image has labels."""
    in_set, agreement = [], {g: [] for g in range(1, 6)}
    for row, valid in zip(order, labels):
        if not valid:
            continue
        valid = set(valid)
        in_set.append(row[0] in valid)
        if len(valid) <= 5:
            agreement[len(valid)].append(len(valid.intersection(row[:len(valid)].tolist())) / len(valid))
    mean = lambda x: sum(x) / len(x)
    return mean(in_set), mean([mean(a) for a in agreement.values()])


def by_argsort(scores, labels):
    import numpy as np
    return measure(np.argsort(-scores, axis=1), labels)


def by_argpartition(scores, labels):
    import numpy as np
    most = max(map(len, labels))
    best = np.argpartition(-scores, most, axis=1)[:, :most]
    inside = np.argsort(-np.take_along_axis(scores, best, axis=1), axis=1)
    return measure(np.take_along_axis(best, inside, axis=1), labels)


METHODS = {"argsort": by_argsort, "argpartition": by_argpartition}


def child_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, out


def main():
    if sys.argv[1] == "--whole":  # runs this script like the whole command of a Python user
        method, store, labels = sys.argv[2:5]
        print(METHODS[method](*load(store, labels)))
        return
    assay, bench, store, label_file = sys.argv[1:5]
    scores, labels = load(store, label_file)
    numpy_memory, values = {}, {}
    for name, method in METHODS.items():
        times = []
        for _ in range(3):
            start = time.process_time()
            values[name] = method(scores, labels)
            times.append(time.process_time() - start)
        numpy_memory[name] = 1000 * min(times)
    del scores
    found = json.loads(subprocess.run([bench, store, label_file, "--benchmark_format=json", "--benchmark_repetitions=3"],
                                      check=True, capture_output=True, text=True).stdout)["benchmarks"]
    ms = {}
    for b in found:
        if b["run_type"] == "iteration":
            ms[b["run_name"]] = min(b["cpu_time"], ms.get(b["run_name"], 1e9))
    ours = next(b for b in found if b["run_name"] == "in_memory/real_and_asma")
    for name, (real, asma) in values.items():
        if abs(real - ours["real"]) > 1e-12 or abs(asma - ours["asma"]) > 1e-12:
            print(f"numpy {name}: real {real}, asma {asma}; assay {ours['real']}, {ours['asma']}: ties?")
    command = [assay, "score", store, "--labels", label_file, "--metrics", "real,asma", "--json", "-j", "1"]
    whole = {"assay": min(1000 * child_seconds(command)[0] for _ in range(3))}
    result = json.loads(child_seconds(command)[1])["measurements"]
    for name in METHODS:
        words = [sys.executable, sys.argv[0], "--whole", name, store, label_file]
        whole[name] = min(1000 * child_seconds(words)[0] for _ in range(3))

    print(f"ReaL {100 * result[0]['value']:.3f} %, ASMA {100 * result[1]['value']:.3f} % of {result[0]['n']} labelled images")
    print("processor time in ms, best of 3         in memory       whole")
    print(f"  assay, two numbers                  {ms['in_memory/real_and_asma']:11.1f}")
    print(f"  assay, the report with intervals    {ms['score_store/real_and_asma']:11.1f} {whole['assay']:11.1f}")
    for name in METHODS:
        print(f"  numpy, {name:28s} {numpy_memory[name]:11.1f} {whole[name]:11.1f}")
    for name in METHODS:
        print(f"numpy {name} / assay: in memory {numpy_memory[name] / ms['in_memory/real_and_asma']:.0f} (two numbers), "
              f"{numpy_memory[name] / ms['score_store/real_and_asma']:.0f} (report); whole {whole[name] / whole['assay']:.1f}")
    base = ms["hits_of_1000_rows/labels/0"]
    print("a row's hits in nanoseconds, beside its arg-max: " +
          ", ".join(f"{g} labels {ms[f'hits_of_1000_rows/labels/{g}'] - base:.0f}" for g in (2, 4, 9)))


if __name__ == "__main__":
    main()
