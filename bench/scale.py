#!/usr/bin/env python3
"""Measures wall time, processor time and peak memory of commands with many rows and many shards.

    bench/scale.py build/release/bin/assay FOLDER [ROWS] [SHARDS]

FOLDER gets the files, and the next run reuses them: about 60 bytes a row, and two small files a shard. Prints `score` of ROWS
predicted classes (100 million) and of a tenth of them. Then it prints the cost of opening a store with a hundredth of SHARDS (a million), with
a tenth and with all.
"""
import os
import pathlib
import subprocess
import sys
import time

import numpy as np

CLASSES = 1000


def measured(*words):
    """Wall seconds, processor seconds, and peak memory in megabytes of a command."""
    start = time.perf_counter()
    process = subprocess.Popen([str(word) for word in words], stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    if status != 0:
        raise SystemExit(f"{' '.join(map(str, words))}: status {os.waitstatus_to_exitcode(status)}")
    return time.perf_counter() - start, used.ru_utime + used.ru_stime, used.ru_maxrss / 1e3


def made(folder, rows):
    """Files of predicted classes, three quarters of them correct, and of labels."""
    files = folder / f"predicted{rows}.npy", folder / f"labels{rows}.npy"
    if not all(file.exists() for file in files):
        random = np.random.default_rng(1)
        labels = random.integers(0, CLASSES, rows, dtype=np.int32)
        predicted = np.where(random.random(rows, dtype=np.float32) < 0.75, labels, random.integers(0, CLASSES, rows, dtype=np.int32))
        np.save(files[0], predicted.astype(np.int32))
        np.save(files[1], labels)
    return files


def store_of(assay, folder, rows, *options):
    runs = folder / f"rows{rows}{''.join(map(str, options))}"
    if not runs.exists():
        predicted, labels = made(folder, rows)
        times = measured(assay, "import", predicted, "--labels", labels, "--dataset-name", "data", "--name", "model", "--class-count", CLASSES,
                         "--storage", "label", "--out", runs, "-q", *options)
        print(f"import of {rows:,} rows: {times[0]:.1f} s, {times[1]:.1f} s of processors, {times[2]:.0f} MB")
    return runs / "data/model"


def main():
    assay, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    rows = int(sys.argv[3]) if len(sys.argv) > 3 else 100_000_000
    shards = int(sys.argv[4]) if len(sys.argv) > 4 else 1_000_000
    folder.mkdir(parents=True, exist_ok=True)
    for some in (rows // 10, rows):
        store = store_of(assay, folder, some)
        for command in (("score", store), ("score", store, "--per-class")):
            times = min(measured(assay, *command, "--json") for _ in range(3))
            print(f"{' '.join(map(str, command[:1] + command[2:]))} of {some:,} rows: {times[0]:.2f} s, {times[1]:.2f} s of processors, {times[2]:.0f} MB")
    for some in (shards // 100, shards // 10, shards):
        store = store_of(assay, folder, some, "--shard-rows", 1)
        times = min(measured(assay, "list", store, "--json") for _ in range(3))
        print(f"opening {some:,} shards: {times[0]:.2f} s, {times[1]:.2f} s of processors, {times[2]:.0f} MB")


main()
