"""Times whole `assay predict` runs against a PyTorch script with a DataLoader, in turn, on the same images and models.

usage: predict.py ASSAY MODELS_FOLDER IMAGES [ROUNDS]
       predict.py build/release/bin/assay ../shared/data/models ../shared/data/imagenet_sample
Prints images per second (images / wall time of the whole process, start-up included) and the ratio, median of the rounds, and
how far the scores are apart. The PyTorch script gets the best of three settings of workers and threads, found first.
"""
import pathlib
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


def run(command):
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start


def main():
    assay, models, images = sys.argv[1:4]
    rounds = int(sys.argv[4]) if len(sys.argv) > 4 else 3
    count = sum(1 for p in pathlib.Path(images).rglob("*") if p.suffix.lower() in {".jpeg", ".jpg", ".png"})
    with tempfile.TemporaryDirectory() as scratch:
        for name, (preset, size, resize, interpolation, mean, std, batch) in MODELS.items():
            model = f"{models}/{name}.pt"
            out = f"{scratch}/{name}.npy"

            def pytorch(workers, threads):
                return run(["/usr/bin/python3", str(HERE / "pytorch_predict.py"), model, images, out, str(size), str(resize),
                            interpolation, str(mean), str(std), str(batch), str(workers), str(threads)])

            def ours():
                shutil.rmtree(f"{scratch}/runs", ignore_errors=True)
                return run([assay, "predict", "--model", model, "--preset", preset, "--data",
                            images, "--out", f"{scratch}/runs", "--dataset-name", "d", "--quiet"])

            settings = [(2, 1), (2, 2), (1, 1)]
            times = {s: pytorch(*s) for s in settings}
            best = min(times, key=times.get)
            pairs = [(pytorch(*best), ours()) for _ in range(rounds)]
            theirs, mine = (statistics.median(p[i] for p in pairs) for i in (0, 1))
            ratio = statistics.median(a / b for a, b in pairs)
            a = np.load(out)
            b = np.concatenate([np.load(p) for p in sorted(pathlib.Path(f"{scratch}/runs/d/{name}/shards").glob("*.npy"))])
            print(f"{name}: PyTorch + DataLoader ({best[0]} workers, {best[1]} threads) {count / theirs:.0f} images/s, "
                  f"assay {count / mine:.0f} images/s, ratio {ratio:.2f}; largest score difference {np.abs(a - b).max():.2g}, "
                  f"same top-1 {(a.argmax(1) == b.argmax(1)).mean():.4f}", flush=True)


if __name__ == "__main__":
    main()
