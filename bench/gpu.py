"""Compares assay predict and assay.predict(net) on a CUDA device with PyTorch and a DataLoader. It measures images per second, load
of the device, and bits of the scores.

usage: ASSAY_PROGRAM=... ASSAY_LIBRARY=... PYTHONPATH=python python3 bench/gpu.py FOLDER [COPIES [MODEL ...]]
Needs torch with CUDA, torchvision and nvidia-ml-py, and for the first row a plug-in for that torch (`assay torch --build`).
FOLDER: photographs. COPIES: how many times each is read, under different names (default 10).
Networks have random weights. Each way computes full float32 products (no TF32).
"""
import os
import pathlib
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pynvml
import torch
import torchvision
from PIL import Image

import assay

BATCH = 64
CORES = len(os.sched_getaffinity(0))
PROGRAM = os.environ.get("ASSAY_PROGRAM", "assay")


class Busy:
    """The proportion of time in which the device computes, sampled while the block runs."""

    def __enter__(self):
        self._samples, self._stop = [], threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        self._start = time.perf_counter()
        return self

    def _watch(self):
        pynvml.nvmlInit()
        device = pynvml.nvmlDeviceGetHandleByIndex(0)
        while not self._stop.wait(0.05):
            self._samples.append(pynvml.nvmlDeviceGetUtilizationRates(device).gpu)

    def __exit__(self, *_):
        self.seconds = time.perf_counter() - self._start
        self._stop.set()
        self._thread.join()
        self.share = float(np.mean(self._samples)) if self._samples else float("nan")


class Photographs(torch.utils.data.Dataset):
    def __init__(self, paths, transform):
        self.paths, self.transform = paths, transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return self.transform(Image.open(self.paths[i]).convert("RGB"))


def by_loader(net, paths, transform, workers):
    loader = torch.utils.data.DataLoader(Photographs(paths, transform), BATCH, num_workers=workers, pin_memory=True)
    with Busy() as busy, torch.inference_mode():
        scores = torch.cat([net(batch.cuda(non_blocking=True)) for batch in loader]).cpu()
    return busy, scores.numpy()


def by_object(net, folder, runs, **options):
    with Busy() as busy:
        (store,) = assay.predict(net, folder, runs, preset="torchvision", batch=BATCH, **options)
    return busy, store


def by_file(path, folder, runs, *options):
    words = [PROGRAM, "predict", "-m", path, "-d", folder, "--out", runs, "--preset", "torchvision", "--batch", str(BATCH), "--dataset-name", "d"]
    with Busy() as busy:
        subprocess.run([*words, *options], check=True, stdout=subprocess.DEVNULL, stderr=sys.stderr)
    return busy, assay.stores(runs)[0]


def rows_of(store, folder, paths):
    order = {name: i for i, name in enumerate(store.paths if hasattr(store, "paths") else store.ids)}
    return np.asarray(store.scores())[[order[str(p.relative_to(folder))] for p in paths]]


def said(way, busy, count, scores, reference):
    apart = np.abs(scores - reference).max()
    same = (scores.argmax(1) == reference.argmax(1)).mean()
    print(f"  {way}: {count / busy.seconds:.0f} images/s, device busy {busy.share:.0f} %, "
          f"largest difference from the loader's {apart:.1e}, same top-1 {same:.4f}", flush=True)


def network(name, folder, scratch):
    torch.manual_seed(0)
    net = getattr(torchvision.models, name)(weights=None).eval()
    transform = torchvision.transforms.Compose([
        torchvision.transforms.Resize(256), torchvision.transforms.CenterCrop(224), torchvision.transforms.ToTensor(),
        torchvision.transforms.Normalize((0.485, 0.456, 0.406), (0.229, 0.224, 0.225))])
    paths = sorted(path for path in pathlib.Path(folder).rglob("*") if path.suffix.lower() in (".jpeg", ".jpg", ".png"))
    print(f"{name}: {len(paths)} photographs, batch {BATCH}, {CORES} cores, {torch.cuda.get_device_name()}", flush=True)
    file = f"{scratch}/{name}.pt"
    torch.jit.trace(net, torch.randn(2, 3, 224, 224)).save(file)
    net = net.cuda()
    with torch.inference_mode():
        net(torch.zeros(BATCH, 3, 224, 224, device="cuda"))
    timings = {workers: by_loader(net, paths, transform, workers) for workers in {CORES // 2, CORES}}
    best = min(timings, key=lambda workers: timings[workers][0].seconds)
    reference = timings[best][1]
    said(f"PyTorch {torch.__version__}, {best} workers", timings[best][0], len(paths), reference, reference)
    busy, store = by_object(net, folder, f"{scratch}/{name}-object")
    scores = rows_of(store, folder, paths)
    said("assay.predict(net)", busy, len(paths), scores, reference)
    busy, store = by_object(net, folder, f"{scratch}/{name}-one", threads=1)
    print(f"  assay.predict(net, threads=1): {len(paths) / busy.seconds:.0f} images/s, "
          f"{'the same bits' if np.array_equal(rows_of(store, folder, paths), scores) else 'OTHER BITS'}", flush=True)
    for precision in ("fp32", "tf32", "bf16"):
        try:
            busy, store = by_file(file, folder, f"{scratch}/{name}-{precision}", "--device", "cuda", "--precision", precision)
            said(f"assay predict, TorchScript, {precision}", busy, len(paths), rows_of(store, folder, paths), reference)
        except subprocess.CalledProcessError as error:
            print(f"  assay predict, {precision}: status {error.returncode}", flush=True)


def main(folder, copies=10, *names):
    torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = False
    with tempfile.TemporaryDirectory() as scratch:
        many = pathlib.Path(scratch) / "photographs"
        for path in sorted(p for p in pathlib.Path(folder).rglob("*") if p.suffix.lower() in (".jpeg", ".jpg", ".png")):
            for i in range(int(copies)):
                to = many / path.parent.name / f"{path.stem}-{i}{path.suffix}"
                to.parent.mkdir(parents=True, exist_ok=True)
                os.symlink(path.resolve(), to)
        for name in names or ("resnet50", "mobilenet_v3_large"):
            network(name, many, scratch)


if __name__ == "__main__":
    main(*sys.argv[1:])
