"""Times whole `assay predict` runs and a PyTorch script with a DataLoader, in turn, on the same images and models.

usage: predict.py ASSAY MODELS_FOLDER IMAGES [ROUNDS]
       predict.py build/release/bin/assay ../shared/data/models ../shared/data/imagenet_sample
       predict.py --all ASSAY FOLDER IMAGES [ROUNDS [NAME,NAME...]]     needs torch, torchvision, onnx, onnxscript and onnxruntime

Prints images per second (images / wall time of the whole process, start-up included) and the ratio, as medians of the rounds.
Also prints the largest difference of the scores. The script gets the best of three settings of workers and threads, which are searched for first.

--all: ten networks of torchvision with random weights, exported to FOLDER if they do not exist. It prints a row for each network. The row
has Assay with the ONNX file, the torch.export archive and the TorchScript file, and ONNX Runtime and PyTorch (eager) with the DataLoader. It also
has the ratios of Assay's ONNX to both, with their ranges, and the processor time of each. With 700 photographs, two idle cores and
3 rounds it takes about 90 minutes and a further 10 for the first export. Processor times (ratio in brackets) change less if the machine has
other work.
"""
import os
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import numpy as np

HERE = pathlib.Path(__file__).parent
# name: preset, size, resize, filter, mean, std, batch
MODELS = {
    "mobilenet_v2_1.00_224": ("mobilenet", 224, 256, "bicubic", 0.5, 0.5, 10),
    "mobilenet_v1_0.25_128": ("mobilenet-128", 128, 146, "bicubic", 0.5, 0.5, 20),
    "mobilenet_v1_0.50_160": ("mobilenet-160", 160, 182, "bicubic", 0.5, 0.5, 20),
    "mobilenet_v1_0.75_192": ("mobilenet-192", 192, 219, "bicubic", 0.5, 0.5, 10),
    "squeezenet_1.0_227": ("squeezenet-227", 227, 256, "bilinear", 0.0, 1.0, 10),
}
TEN = ["resnet18", "resnet50", "mobilenet_v2", "mobilenet_v3_large", "efficientnet_b0", "regnet_y_800mf", "densenet121", "convnext_tiny", "vit_b_16",
       "swin_t"]
# The mean and standard deviation of the preset `torchvision`.
MEAN, STD = "0.485,0.456,0.406", "0.229,0.224,0.225"
SETTINGS = [(2, 1), (2, 2), (1, 1)]


def run(command):
    """Returns (seconds, seconds of processor time)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    seconds = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def photographs(images):
    return sum(1 for p in pathlib.Path(images).rglob("*") if p.suffix.lower() in {".jpeg", ".jpg", ".png"})


def script(python, model, images, out, settings, workers, threads):
    return run([python, str(HERE / "pytorch_predict.py"), model, images, out, *map(str, settings), str(workers), str(threads)])


def assay_predict(assay, model, preset, images, runs):
    shutil.rmtree(runs, ignore_errors=True)
    return run([assay, "predict", "--model", model, "--preset", preset, "--data", images, "--out", runs, "--dataset-name", "d", "--quiet"])


def scores_in(runs):
    return np.concatenate([np.load(p) for p in sorted(pathlib.Path(f"{runs}/d").glob("*/shards/*.npy"))])


def apart(a, b):
    return f"largest score difference {np.abs(a - b).max():.2g}, same top-1 {(a.argmax(1) == b.argmax(1)).mean():.4f}"


def export(name, folder):
    """Writes NAME.pth, .pt, .pt2 and .onnx, if they do not exist. Statistics of batch norms are random, too, so that an error in
    folding them is visible."""
    paths = {ending: folder / f"{name}.{ending}" for ending in ("pth", "pt", "pt2", "onnx")}
    if all(path.exists() for path in paths.values()):
        return
    import torch
    import torchvision

    torch.manual_seed(0)
    net = getattr(torchvision.models, name)(weights=None).eval()
    with torch.no_grad():
        for part in net.modules():
            if isinstance(part, torch.nn.BatchNorm2d):
                part.running_mean.normal_(0, 0.1)
                part.running_var.uniform_(0.5, 1.5)
    images = torch.randn(2, 3, 224, 224)
    batch = {0: torch.export.Dim("n", min=1, max=1024)}
    torch.save(net.state_dict(), paths["pth"])
    torch.jit.trace(net, images).save(str(paths["pt"]))
    torch.export.save(torch.export.export(net, (images,), dynamic_shapes=(batch,)), paths["pt2"])
    torch.onnx.export(net, (images,), str(paths["onnx"]), dynamo=True, external_data=False, dynamic_shapes=(batch,), verbose=False)


def row(name, assay, folder, images, rounds, scratch):
    export(name, folder)
    count = photographs(images)
    settings = (224, 256, "bilinear", MEAN, STD, 8)
    rivals = {"onnxruntime": f"{folder}/{name}.onnx", "pytorch": f"{name}={folder}/{name}.pth"}
    best = {}
    for rival, model in rivals.items():
        times = {s: script(sys.executable, model, images, f"{scratch}/{rival}.npy", settings, *s)[0] for s in SETTINGS}
        best[rival] = min(times, key=times.get)
    taken = {way: [] for way in ("onnx", "pt2", "pt", *rivals)}
    for _ in range(rounds):
        for ending in ("onnx", "pt2", "pt"):
            taken[ending].append(assay_predict(assay, f"{folder}/{name}.{ending}", "torchvision", images, f"{scratch}/{ending}"))
        for rival, model in rivals.items():
            taken[rival].append(script(sys.executable, model, images, f"{scratch}/{rival}.npy", settings, *best[rival]))
    rates = "; ".join(f"{way} {count / statistics.median(t for t, _ in times):.1f} images/s ({statistics.median(c for _, c in times):.1f} s of processors)"
                      for way, times in taken.items())
    ratios = []
    for rival in rivals:
        wall, used = ([b[i] / a[i] for a, b in zip(taken["onnx"], taken[rival])] for i in (0, 1))
        ratios.append(f"{rival} {statistics.median(wall):.2f} ({min(wall):.2f}-{max(wall):.2f}) [{statistics.median(used):.2f}]")
    print(f"{name}: {rates}; ratios of the ONNX file: {', '.join(ratios)}; "
          f"{apart(scores_in(f'{scratch}/onnx'), np.load(f'{scratch}/onnxruntime.npy'))}", flush=True)


def all_rows(assay, folder, images, rounds=3, names=""):
    print(f"{photographs(images)} images, {len(os.sched_getaffinity(0))} cores, load {os.getloadavg()[0]:.1f}, {rounds} rounds", flush=True)
    pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        for name in names.split(",") if names else TEN:
            row(name, assay, pathlib.Path(folder), images, int(rounds), scratch)


def main():
    if sys.argv[1] == "--all":
        return all_rows(*sys.argv[2:])
    assay, models, images = sys.argv[1:4]
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    count = photographs(images)
    with tempfile.TemporaryDirectory() as scratch:
        for name, (preset, *settings) in MODELS.items():
            model, out, runs = f"{models}/{name}.pt", f"{scratch}/{name}.npy", f"{scratch}/runs"
            times = {s: script("/usr/bin/python3", model, images, out, settings, *s)[0] for s in SETTINGS}
            best = min(times, key=times.get)
            pairs = [(script("/usr/bin/python3", model, images, out, settings, *best)[0], assay_predict(assay, model, preset, images, runs)[0])
                     for _ in range(rounds)]
            theirs, mine = (statistics.median(p[i] for p in pairs) for i in (0, 1))
            ratio = statistics.median(a / b for a, b in pairs)
            print(f"{name}: PyTorch + DataLoader ({best[0]} workers, {best[1]} threads) {count / theirs:.0f} images/s, "
                  f"assay {count / mine:.0f} images/s, ratio {ratio:.2f}; {apart(np.load(out), scores_in(runs))}", flush=True)


if __name__ == "__main__":
    main()
