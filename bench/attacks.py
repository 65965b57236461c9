#!/usr/bin/python3
"""Compares assay attack with PyTorch loops of the same steps. Both have the same images, model, batch and budget, on one thread, in
turn.

usage: attacks.py ASSAY MODEL.pt FOLDER IMAGES EPS [assay's options of the model ...]
       attacks.py build/release/bin/assay demo/models/robust.pt demo/images/v1 200 4/255
       attacks.py build/release/bin/assay mobilenet_v1_0.25_128.pt imagenet_sample 50 1/255 --preset mobilenet-128

CPU seconds (user and system) are of the attack alone. A run of assay without attack (noise of size 0, with startup, decoding and
storing) is subtracted, and the loops are measured without reading images. Assay only attacks images that are classified correctly,
and so do the loops. PyTorch's own work is the model in TorchScript, frozen for inference but with gradients with respect to the input. Assay
runs the model in its own process here, so that its time is counted.
"""
import csv
import fractions
import json
import pathlib
import resource
import subprocess
import sys
import tempfile
import time

import numpy as np
import torch
from torch.nn import functional

BATCH = 8


def spent(who):
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime


def run(assay, *words):
    cpu, wall = spent(resource.RUSAGE_CHILDREN), time.time()
    out = subprocess.run([assay, *map(str, words)], capture_output=True, text=True)
    if out.returncode not in (0, 3):
        sys.exit(out.stderr)
    return json.loads(out.stdout), spent(resource.RUSAGE_CHILDREN) - cpu, time.time() - wall


def losses(name, z, y, t=None):
    if name == "ce":
        return functional.cross_entropy(z, y, reduction="none")
    ordered = z.sort(dim=1, descending=True).values
    own, other = z.gather(1, y[:, None])[:, 0], z.gather(1, t[:, None])[:, 0]
    return -(own - other) / (ordered[:, 0] - .5 * (ordered[:, 2] + ordered[:, 3]) + 1e-12)


class Steps:
    """The number of images in backward passes since a loop began."""
    taken = 0


def slopes(net, x, y, name, t=None):
    Steps.taken += len(x)
    x = x.detach().requires_grad_()
    z = net(x)
    value = losses(name, z, y, t)
    return value.detach(), z.detach(), torch.autograd.grad(value.sum(), x)[0]


def pgd(net, x, y, eps, steps=10):
    z = (x + eps * (2 * torch.rand_like(x) - 1)).clamp(0, 1)
    for _ in range(steps):
        z = z + eps / 4 * slopes(net, z, y, "ce")[2].sign()
        z = torch.min(torch.max(z, x - eps), x + eps).clamp(0, 1)
    with torch.no_grad():
        return net(z).argmax(1) != y


def apgd(net, x, y, eps, name, t=None, steps=100):
    """Algorithm 1 of Croce and Hein, ICML 2020. All images of a batch take all steps, as in the authors' program."""
    def ball(z):
        return torch.min(torch.max(z, x - eps), x + eps).clamp(0, 1)

    def of(v):
        return v[:, None, None, None]

    start = 2 * torch.rand_like(x) - 1
    now = ball(x + eps * start / of(start.abs().flatten(1).max(1).values))
    value, z, grad = slopes(net, now, y, name, t)
    fooled = z.argmax(1) != y
    best, best_value, best_grad = now, value, grad
    step = torch.full_like(value, 2 * eps)
    before, last, checked = now, value, value
    rises, halved = torch.zeros_like(value), torch.ones_like(value, dtype=torch.bool)
    window, length, since = int(.22 * steps), int(.22 * steps), 0
    for k in range(steps):
        moved = ball(now + of(step) * grad.sign())
        if k:
            moved = ball(now + .75 * (moved - now) + .25 * (now - before))
        before, now = now, moved
        value, z, grad = slopes(net, now, y, name, t)
        fooled |= z.argmax(1) != y
        rises += value > last
        last = value
        better = value > best_value
        best, best_value = torch.where(of(better), now, best), torch.where(better, value, best_value)
        best_grad = torch.where(of(better), grad, best_grad)
        since += 1
        if since == length:
            halved = (rises <= .75 * length) | (~halved & (checked >= best_value))
            step = torch.where(halved, step / 2, step)
            now, grad = torch.where(of(halved), best, now), torch.where(of(halved), best_grad, grad)
            checked, rises, since = best_value, torch.zeros_like(value), 0
            length = max(length - int(.03 * steps), int(.06 * steps))
    return fooled


def in_batches(attack, x, y):
    return torch.cat([attack(x[i:i + BATCH], y[i:i + BATCH]) for i in range(0, len(x), BATCH)]) if len(x) else torch.zeros(0, dtype=torch.bool)


def targeted(net, x, y, eps):
    """Nine targets. Each is tried on the images that the previous ones did not change."""
    with torch.no_grad():
        order = net(x).sort(dim=1, descending=True).indices
    left = torch.ones(len(x), dtype=torch.bool)
    for t in range(1, 10):
        target = order[:, t]
        if left.any():
            one, two, three = x[left], y[left], target[left]
            fooled = torch.cat([apgd(net, one[i:i + BATCH], two[i:i + BATCH], eps, "dlr", three[i:i + BATCH])
                                for i in range(0, len(one), BATCH)])
            left[left.nonzero()[:, 0][fooled]] = False
    return ~left


def timed(body):
    Steps.taken = 0
    cpu, wall = time.process_time(), time.time()
    out = body()
    return out, time.process_time() - cpu, time.time() - wall


def main():
    assay, model, folder, count, eps = sys.argv[1:6]
    options = sys.argv[6:]
    torch.set_num_threads(1)
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as scratch:
        compare(assay, model, folder, count, eps, options, pathlib.Path(scratch))


def compare(assay, model, folder, count, eps, options, scratch):
    common = ["-m", model, "-d", folder, "--limit", count, "-j", 1, "-b", BATCH, "--shard-rows", 4096, "-q", "--json", "--isolate", "off", *options]
    plain, start, _ = run(assay, "attack", *common, "--attack", "noise", "--eps", 0, "--out", scratch / "plain")
    run(assay, "attack", *common, "--attack", "noise", "--eps", 0, "--out", scratch / "plain", "--save-images", scratch / "images")
    images = next(p for p in (scratch / "images").iterdir() if p.is_dir())
    # The normalization, and the label of each row, are read from the stores.
    store = pathlib.Path(plain["models"][0]["attacks"][0]["store"])
    said = json.loads((store / "manifest.json").read_text())
    settings = said["provenance"]["scored_by"]["preprocess"]
    shape = (1, 3, 1, 1)
    mean, std = (torch.tensor(settings[k], dtype=torch.float32).reshape(shape) for k in ("mean", "std"))
    scale = 255 * settings["scale"]
    body = torch.jit.freeze(torch.jit.load(model).eval())

    def net(x):
        return body((x * scale - mean) / std)

    with open(store.parent / "items.csv") as table:
        rows = list(csv.DictReader(table))
    x = torch.stack([torch.from_numpy(np.load(images / pathlib.Path(r["path"] if r.get("path") else r["id"]).with_suffix(".npy"))) for r in rows])
    x = x.permute(0, 3, 1, 2)
    if settings["channel_order"] == "bgr":  # the files have the channels in the order red, green, blue
        x = x.flip(1)
    x = x.contiguous()
    y = torch.tensor([int(r["labels"]) for r in rows])
    with torch.no_grad():
        correct = torch.cat([net(x[i:i + BATCH]).argmax(1) for i in range(0, len(x), BATCH)]) == y
    x, y = x[correct], y[correct]
    number = float(fractions.Fraction(eps))  # eps is 4/255
    print(f"{pathlib.Path(model).stem}: {len(rows)} images, {len(x)} correct, eps {eps}; PyTorch {torch.__version__}, one thread each; CPU s (wall s), fooled")
    loops = {"pgd": lambda: in_batches(lambda a, b: pgd(net, a, b, number), x, y),
             "apgd-ce": lambda: in_batches(lambda a, b: apgd(net, a, b, number, "ce"), x, y),
             "apgd-t": lambda: targeted(net, x, y, number)}
    for attack in ("pgd", "apgd-ce", "apgd-t", "autoattack"):
        made, cpu, wall = run(assay, "attack", *common, "--attack", attack, "--eps", eps, "--out", scratch / attack)
        cell = made["models"][0]["attacks"][-1]
        passes = cell["backward"]
        if attack == "pgd":  # as a control, ten times as many steps on the first 16 of those images
            passes += 100 * cell["repeated"]
        line = f"{attack:11} assay {cpu - start:8.2f} ({wall:.1f}) {len(x) - cell['robust']:4}  {cell['forward']:6} forward, {passes:6} backward"
        if attack in loops:
            fooled, cpu_of_loop, wall_of_loop = timed(loops[attack])
            line += f"   PyTorch {cpu_of_loop:8.2f} ({wall_of_loop:.1f}) {int(fooled.sum()):4}, {Steps.taken:6} backward"
            line += f"   a pass: {1000 * (cpu - start) / passes:.2f} and {1000 * cpu_of_loop / Steps.taken:.2f} ms"
        print(line, flush=True)


if __name__ == "__main__":
    main()
