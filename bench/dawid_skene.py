#!/usr/bin/env python3
"""One EM pass of Dawid-Skene over ReaL's votes in vectorised NumPy, as the baseline for bench_label's `em`.

    /usr/bin/python3 bench/dawid_skene.py [raters.npz] [passes]

Two latent classes, a start from the proportion of votes with a maybe worth half, and smoothing 0.01, as in `assay labels aggregate`
. Only the passes are timed; reading the archive is not. Prints the processor time of a pass (best and median) and
the posteriors' checksum, to compare with the command's --posteriors.
"""
import sys
import time

import numpy as np


def answers(path):
    """The annotator, question and answer of every vote."""
    with np.load(path) as archive:
        annotator, question, answer = np.nonzero(archive["tensor"])
        shape = archive["tensor"].shape
    return annotator, question, answer, shape


def em_pass(code, question, posterior, sizes, smoothing):
    annotators, questions, kinds = sizes
    tables = []
    for weight in (1 - posterior, posterior):
        counts = np.bincount(code, weight[question], annotators * kinds).reshape(annotators, kinds) + smoothing
        tables.append(np.log(counts / counts.sum(axis=1, keepdims=True)).ravel())
    prior = (posterior.sum() + smoothing) / (questions + 2 * smoothing)
    no = np.log1p(-prior) + np.bincount(question, tables[0][code], questions)
    yes = np.log(prior) + np.bincount(question, tables[1][code], questions)
    return 1 / (1 + np.exp(no - yes)), np.logaddexp(no, yes).sum()


def main():
    path = sys.argv[1] if len(sys.argv) > 1 else "../shared/data/real/raters.npz"
    passes = int(sys.argv[2]) if len(sys.argv) > 2 else 15
    annotator, question, answer, sizes = answers(path)
    code = annotator * sizes[2] + answer
    posterior = np.bincount(question, answer / (sizes[2] - 1), sizes[1]) / np.bincount(question, minlength=sizes[1])
    times, likelihood = [], 0.0
    for _ in range(passes):
        begin = time.process_time()
        posterior, likelihood = em_pass(code, question, posterior, sizes, 0.01)
        times.append(time.process_time() - begin)
    print(f"{len(code)} answers, {passes} passes: best {1000 * min(times):.1f} ms, "
          f"median {1000 * np.median(times):.1f} ms a pass (processor time)")
    print(f"log-likelihood an answer {likelihood / len(code):.9f}; {int((posterior >= 0.8).sum())} posteriors >= 0.8")


if __name__ == "__main__":
    main()
