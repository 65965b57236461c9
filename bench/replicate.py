#!/usr/bin/env python3
"""The cost of a replication study compared with numpy, on one core: EM of the mixture, bootstrap of the moments, a study from its
files.

    replicate.py BENCH_REPLICATE ASSAY

BENCH_REPLICATE and ASSAY are the built programs. Times are of the processor, not of the clock, so that a busy machine does not
change them. The numpy EM works on the 41 counts, as Assay does. The published program works on 10,000 images.
"""
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
import numpy as np
from scipy.special import betaln, digamma, gammaln, logsumexp, polygamma


def em(counts, rounds):
    n = len(counts) - 1
    k = np.arange(n + 1)[:, None]
    choose = gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1)
    weight, a, b = np.array([.6, .3, .1]), np.array([11.16, 3.9, 1.2]), np.array([.84, 2.1, 2.8])
    for _ in range(rounds):
        terms = np.log(weight) + choose + betaln(a + k, b + n - k) - betaln(a, b)
        r = counts[:, None] * np.exp(terms - logsumexp(terms, axis=1, keepdims=True))
        size = r.sum(0)
        weight = size / size.sum()
        for _ in range(2):
            common = size * (digamma(a + b) - digamma(a + b + n))
            ga = a * ((r * digamma(a + k)).sum(0) - size * digamma(a) + common)
            gb = b * ((r * digamma(b + n - k)).sum(0) - size * digamma(b) + common)
            cross = size * (polygamma(1, a + b) - polygamma(1, a + b + n))
            haa = -(ga + a * a * ((r * polygamma(1, a + k)).sum(0) - size * polygamma(1, a) + cross))
            hbb = -(gb + b * b * ((r * polygamma(1, b + n - k)).sum(0) - size * polygamma(1, b) + cross))
            hab = -a * b * cross
            low = (haa + hbb) / 2 - np.hypot((haa - hbb) / 2, hab)
            shift = np.where(low > 0, 0, .1 * (np.abs(haa) + np.abs(hbb)) - low)
            haa, hbb = haa + shift, hbb + shift
            det = haa * hbb - hab * hab
            sa, sb = (hbb * ga - hab * gb) / det, (haa * gb - hab * ga) / det
            scale = np.maximum(1, np.maximum(np.abs(sa), np.abs(sb)))
            a, b = a * np.exp(sa / scale), b * np.exp(sb / scale)


def moments(k1, k2, hits, weights1, weights2, n, exponents=(0, 1, 2, 5, 12)):
    u = np.ones((n + 1, 2 * max(exponents) + 1))
    for e in range(1, u.shape[1]):
        u[:, e] = u[:, e - 1] * (np.arange(n + 1) - e + 1).clip(0) / (n - e + 1)
    q1 = np.bincount(k1, weights1, n + 1) / weights1.sum()
    q2 = np.bincount(k2, weights2, n + 1) / weights2.sum()
    e = np.array(exponents)
    gram = np.einsum("k,kij->ij", q2, u[:, e[:, None] + e])
    x = np.linalg.solve(gram, q1 @ u[:, e])
    return (weights2 * (u[:, e] @ x)[k2]) @ hits / weights2.sum()


def read(folder, name, n):
    k = {}
    with open(os.path.join(folder, name + ".csv")) as file:
        for row in csv.DictReader(file):
            k[row["image"]] = k.get(row["image"], 0) + int(row["selected"])
    with open(os.path.join(folder, name + "-hits.csv")) as file:
        rows = list(csv.reader(file))[1:]
    return np.array([k[r[0]] for r in rows]), np.array([[float(x) for x in r[1:]] for r in rows])


def processor(work):
    start = time.process_time()
    work()
    return time.process_time() - start


def child(arguments):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


bench, assay = sys.argv[1:3]
own = {b["name"]: b["cpu_time"] / 1000 for b in json.loads(subprocess.run(
    [bench, "--benchmark_format=json", "--benchmark_filter=em/200$|bootstrap/20"], check=True, capture_output=True).stdout)["benchmarks"]}
with tempfile.TemporaryDirectory() as folder:
    child([assay, "replicate", "simulate", "--out", folder])
    k1, hits1 = read(folder, "original", 40)
    k2, hits2 = read(folder, "replication", 40)
    rng = np.random.default_rng(1)

    def bootstrap(times):
        for _ in range(times):
            drawn = rng.multinomial(1000, np.full(1000, 1e-3)).astype(float)
            w = np.repeat(drawn, 10)
            moments(k1, k2, hits2, w, w, 40)

    files = processor(lambda: (read(folder, "original", 40), read(folder, "replication", 40)))
    estimate = processor(lambda: moments(k1, k2, hits2, np.ones(10000), np.ones(10000), 40))
    program = child([assay, "replicate", "adjust", folder + "/original.csv", folder + "/replication.csv", "--hits",
                     folder + "/original-hits.csv", folder + "/replication-hits.csv", "-j", "1", "-o", folder + "/out.txt"])
    print(f"{'processor seconds':<56}{'Assay':>10}{'numpy':>10}")
    print(f"{'EM, 3 parts, 40 annotators, 200 rounds':<56}{own['em/200']:>10.4f}{processor(lambda: em(np.bincount(k2, minlength=41), 200)):>10.4f}")
    print(f"{'bootstrap of moments, 1000 replicates x 20 classifiers':<56}{own['bootstrap/20']:>10.3f}{processor(lambda: bootstrap(100)) * 10:>10.3f}")
    print(f"{'a study from its csv files to adjusted accuracies':<56}{program:>10.3f}{files + estimate:>10.3f}   (numpy: one method, no intervals)")
