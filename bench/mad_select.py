#!/usr/bin/env python3
"""Compares the cost of `assay mad select` with that of numpy and a table of distances, on one competition.

    mad_select.py ASSAY COMPETITION [PAIRS]

COMPETITION is one of bench_make_competition, with no selection yet. A copy of its database is restored at the end. The
command selects for all pairs, and the Python side for the first PAIRS (3). Both have the same filter, a look-up of each
survivor's distance, the order by distance, confidence and number, and the caps. Both must select the same images. Times are of the
processor, in nanoseconds per image and pair; the wall time and the peak memory are printed, too.
"""
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np


def distances(database):
    """tree_path in units of 2^-20: the cheapest pair of paths from the root. An edge l edges below the root weighs 2^-l."""
    nodes = dict(database.execute("SELECT number, id FROM node"))
    parents = {n: [] for n in nodes}
    for child, parent in database.execute("SELECT child, parent FROM edge ORDER BY id"):
        parents[child].append(parent)

    def ways(node):
        return [way + (node,) for above in parents[node] for way in ways(above)] if parents[node] else [(node,)]

    of_id = {v: k for k, v in nodes.items()}
    classes = [ways(of_id[i]) for i, in database.execute("SELECT id FROM class ORDER BY number")]
    depth = max(len(w) for c in classes for w in c)
    table = np.zeros((len(classes), len(classes)), np.int64)
    table[:] = 1 << 40
    flat = [(c, w) for c, all_ways in enumerate(classes) for w in all_ways]
    padded = np.full((len(flat), depth), -1)
    for i, (_, w) in enumerate(flat):
        padded[i, :len(w)] = w
    owner = np.array([c for c, _ in flat])
    length = np.array([len(w) for _, w in flat])
    down = (1 << 22) >> length  # edges from the root to the end: 2 - 2^(2-length)
    for i, (c, w) in enumerate(flat):
        common = np.cumprod((padded == padded[i]) & (padded >= 0), axis=1).sum(axis=1)
        units = 2 * ((1 << 22) >> common) - down[i] - down
        np.minimum.at(table[c], owner, units)
    np.fill_diagonal(table, 0)
    return table.astype(np.uint32)


def select(a, b, table, k, cap):
    (la, ca, ta), (lb, cb, tb) = a, b
    rows = np.nonzero((la != lb) & (ca >= ta) & (cb >= tb) & (la != 65535) & (lb != 65535))[0]
    units = table[la[rows], lb[rows]]
    # A few thousand at the top are nearly always enough for the caps. Otherwise more are sorted.
    for top in (20000, len(rows)):
        top = min(top, len(rows))
        least = np.partition(units, len(units) - top)[len(units) - top] if top else 0
        some = rows[units >= least]
        u = table[la[some], lb[some]].astype(np.int64)
        order = np.lexsort((some, -np.minimum(ca[some], cb[some]).astype(np.int64), -u))
        first, second, chosen = {}, {}, []
        for x in some[order]:
            p, q = la[x], lb[x]
            if first.get(p, 0) >= cap or second.get(q, 0) >= cap:
                continue
            first[p], second[q] = first.get(p, 0) + 1, second.get(q, 0) + 1
            chosen.append(int(x))
            if len(chosen) == k:
                return chosen
    return chosen


def main():
    program, folder = sys.argv[1:3]
    most = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    file = os.path.join(folder, "competition.sqlite")
    shutil.copyfile(file, file + ".before")
    try:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run([program, "mad", "select", folder, "-j", "2", "--json"], check=True, stdout=subprocess.DEVNULL)
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

        database = sqlite3.connect(file)
        setting = dict(database.execute("SELECT name, value FROM setting ORDER BY id"))
        classifiers = database.execute("SELECT number, name, threshold FROM classifier WHERE active = 1 ORDER BY number").fetchall()
        images, k, cap = (int(setting[name]) for name in ("images", "k", "cap"))
        pairs = [(i, j) for i in range(len(classifiers)) for j in range(i + 1, len(classifiers))]
        scale = 1e9 / images / len(pairs)
        print(f"{images} images x {len(classifiers)} classifiers, {len(pairs)} pairs")
        print(f"assay mad select -j 2   {cpu * scale:6.3f} ns of processor per image and pair, {wall * scale:6.3f} by the clock; "
              f"{wall:.2f} s, {cpu:.2f} s of processor, {after.ru_maxrss / 1024:.0f} MiB")

        table = distances(database)
        columns = []
        for _, name, threshold in classifiers:
            stem = os.path.join(folder, "predictions", name)
            columns.append((np.load(stem + ".labels.npy"), np.load(stem + ".confidences.npy"), threshold))
        pairs = pairs[:most]
        start = time.process_time()
        chosen = [select(columns[i], columns[j], table, k, cap) for i, j in pairs]
        cpu = time.process_time() - start
        print(f"numpy with a table      {cpu / images / len(pairs) * 1e9:6.3f} ns of processor per image and pair "
              f"({len(pairs)} pairs)")
        for (i, j), mine in zip(pairs, chosen):
            theirs = [x for x, in database.execute(
                "SELECT image FROM selected JOIN pair ON pair.id = pair WHERE first = ? AND second = ? AND state = 'accepted' "
                "ORDER BY place", (classifiers[i][0], classifiers[j][0]))]
            if mine != theirs:
                sys.exit(f"not the same images for pair {i}, {j}: {mine} and {theirs}")
        print("the same images")
        database.close()
    finally:
        for end in ("-wal", "-shm"):
            if os.path.exists(file + end):
                os.remove(file + end)
        os.replace(file + ".before", file)


if __name__ == "__main__":
    main()
