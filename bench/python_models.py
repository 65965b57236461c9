"""Compares assay.predict(net) with PyTorch and a DataLoader: the same network of timm (random weights), the same photographs, the
same cores.

usage: ASSAY_PROGRAM=... ASSAY_LIBRARY=... PYTHONPATH=python python3 bench/python_models.py FOLDER [MODEL ...]     needs torch and
timm

For each model, prints the seconds of both whole pipelines, and the best number of loader workers. Also prints the share
of processor time that the network takes, and the largest difference between the scores.
"""
import os
import pathlib
import sys
import tempfile
import time

import numpy as np
import timm
import torch
from PIL import Image
from timm.data import create_transform, resolve_data_config

import assay

BATCH = 32
CORES = len(os.sched_getaffinity(0))


class Photographs(torch.utils.data.Dataset):
    def __init__(self, paths, transform):
        self.paths = paths
        self.transform = transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return self.transform(Image.open(self.paths[i]).convert("RGB"))


def by_loader(net, photographs, workers):
    """Returns (seconds, scores)."""
    start = time.perf_counter()
    loader = torch.utils.data.DataLoader(photographs, BATCH, num_workers=workers)
    with torch.inference_mode():
        scores = torch.cat([net(batch) for batch in loader])
    return time.perf_counter() - start, scores.numpy()


def network_seconds(net, photographs):
    """Processor seconds of the network alone for all photographs."""
    batch = torch.stack([photographs[i] for i in range(BATCH)])
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with torch.inference_mode():
        net(batch)
        start = time.process_time()
        net(batch)
    torch.set_num_threads(threads)
    return (time.process_time() - start) / BATCH * len(photographs)


def main(folder, names):
    paths = sorted(path for path in pathlib.Path(folder).rglob("*") if path.suffix.lower() in (".jpeg", ".jpg", ".png"))
    for name in names or ["resnet18", "mobilenetv3_large_100"]:
        torch.manual_seed(0)
        net = timm.create_model(name).eval()
        config = resolve_data_config(model=net, use_test_size=True)
        photographs = Photographs(paths, create_transform(**config))
        timings = {workers: by_loader(net, photographs, workers) for workers in (0, 1, 2)}
        best = min(timings, key=lambda workers: timings[workers][0])
        alone = network_seconds(net, photographs)
        for tuned in (False, True):
            with tempfile.TemporaryDirectory() as runs:
                start, used = time.perf_counter(), sum(os.times()[:4])
                (store,) = assay.predict(net, folder, runs, batch=BATCH, tune_allocator=tuned)
                seconds, used = time.perf_counter() - start, sum(os.times()[:4]) - used
                order = {path: i for i, path in enumerate(store.paths if hasattr(store, "paths") else store.ids)}
                rows = [order[str(path.relative_to(folder))] for path in paths]
                difference = np.abs(np.asarray(store.scores())[rows] - timings[best][1]).max()
            print(
                f"{name}{' (tuned allocator)' if tuned else ''}: {len(paths)} photographs, {CORES} cores, load {os.getloadavg()[0]:.1f}: "
                f"assay.predict {seconds:.1f} s, DataLoader {timings[best][0]:.1f} s ({best} workers), {timings[best][0] / seconds:.2f} x; "
                f"processor time {used:.1f} s, of which the network {alone / used:.0%}; largest difference {difference:.1e}", flush=True,
            )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
