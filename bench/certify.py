#!/usr/bin/python3
"""Compares assay certify with the procedure of Cohen et al. (ICML 2019) in plain PyTorch. Both have the same images, model, sigma and
number of copies, on one thread, in turn. The noise differs, so counts differ at most like two runs of the same procedure.

usage: certify.py ASSAY MODEL.pt FOLDER IMAGES SIGMA COPIES [assay's options of the model ...]
       certify.py build/release/bin/assay mobilenet_v1_0.25_128.pt imagenet_sample 20 0.05 1000 --preset mobilenet-128

CPU seconds (user and system). A run of assay with few copies is subtracted, so startup and decoding do not count. The rest is scaled
to all copies, which PyTorch computes.
"""
import csv
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
from scipy.stats import beta, norm

BATCH = 8
ALPHA = .001
SELECTION = 100
FEW = 16, 1  # samples and selection of the run that is subtracted; fewer samples certify nothing at this alpha


def run(assay, *words):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    out = subprocess.run([assay, *map(str, words)], capture_output=True, text=True)
    if out.returncode:
        sys.exit(out.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return json.loads(out.stdout), after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def counted(net, x, sigma, copies):
    """sample_under_noise() of the paper: the number of copies by predicted class."""
    counts = 0
    with torch.no_grad():
        for done in range(0, copies, BATCH):
            scores = net(x + sigma * torch.randn(min(BATCH, copies - done), *x.shape[1:]))
            counts = counts + np.bincount(scores.argmax(1).numpy(), minlength=scores.shape[1])
    return counts


def certified(net, x, sigma, copies):
    """certify() of the paper: the class, its hits and the radius, or None where it abstains."""
    chosen = counted(net, x, sigma, SELECTION).argmax()
    hits = int(counted(net, x, sigma, copies)[chosen])
    bound = beta.ppf(ALPHA, hits, copies - hits + 1) if hits else 0
    return chosen, hits, sigma * norm.ppf(bound) if bound > .5 else None


def main():
    assay, model, folder, count, sigma, copies = sys.argv[1:7]
    torch.set_num_threads(1)
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as scratch:
        compare(assay, model, folder, count, float(sigma), int(copies), sys.argv[7:], pathlib.Path(scratch))


def compare(assay, model, folder, count, sigma, copies, options, scratch):
    common = ["-m", model, "-d", folder, "--limit", count, "-j", 1, "-b", BATCH, "-q", "--json", "--isolate", "off", "--out", scratch / "runs",
              *options]
    smoothing = ["--sigma", sigma, "--alpha", ALPHA]
    run(assay, "attack", *common, "--attack", "noise", "--eps", 0, "--no-control", "--save-images", scratch / "images")
    _, start = run(assay, "certify", *common, *smoothing, "--samples", FEW[0], "--selection", FEW[1], "--seed", 1)
    made, cpu = run(assay, "certify", *common, *smoothing, "--samples", copies, "--selection", SELECTION)
    every = copies + SELECTION
    cpu = (cpu - start) * every / (every - sum(FEW))
    result = made["models"][0]
    store = pathlib.Path(result["store"])
    settings = json.loads((store / "manifest.json").read_text())["provenance"]["scored_by"]["preprocess"]
    mean, std = (torch.tensor(settings[k], dtype=torch.float32).reshape(1, 3, 1, 1) for k in ("mean", "std"))
    body = torch.jit.freeze(torch.jit.load(model).eval())

    def net(x):
        return body((x * 255 * settings["scale"] - mean) / std)

    images = next(p for p in (scratch / "images").iterdir() if p.is_dir())
    rows = list(csv.DictReader(open(result["table"])))
    items = list(csv.DictReader(open(store.parent / "items.csv")))
    spent, same, both, far, largest = time.process_time(), 0, 0, 0, 0.
    for item, row in zip(items, rows):
        x = torch.from_numpy(np.load(images / pathlib.Path(item.get("path") or item["id"]).with_suffix(".npy"))).permute(2, 0, 1)[None]
        x = x.flip(1) if settings["channel_order"] == "bgr" else x
        chosen, hits, radius = certified(net, x.contiguous(), sigma, copies)
        if (radius is None) == (not row["radius"]):
            same += 1
        if radius is not None and row["radius"] and int(row["predicted"]) == chosen:
            both += 1
            share = (hits + int(row["hits"])) / (2 * copies)
            z = abs(hits - int(row["hits"])) / max((2 * copies * share * (1 - share)) ** .5, 1e-9) if 0 < share < 1 else 0.
            largest = max(largest, z)
            far += z > 1.96
    spent = time.process_time() - spent
    print(f"{pathlib.Path(model).stem}: {len(rows)} images, sigma {sigma}, {copies} copies; one thread each, CPU s per image: "
          f"assay {cpu / len(rows):.2f}, PyTorch {torch.__version__} {spent / len(rows):.2f}")
    print(f"both certify or abstain: {same} of {len(rows)}; the same class certified: {both}, of these {far} with hits that differ by more than "
          f"1.96 standard errors (largest {largest:.2f}); mean radius {result['mean_radius']['value']:.4f}")


if __name__ == "__main__":
    main()
