#!/usr/bin/python3
"""Images per second and core, with Assay, Pillow and OpenCV, on the same bytes, in one run. Also PyTorch's resize of floats if there
is a PyTorch.

    bench/pixels.py BENCH_PIXELS [FOLDER]

BENCH_PIXELS is the executable of bench/pixels.cpp. All times are processor time of one thread, so that a busy machine
changes them little. The work: decode, resize the short side to 256, cut 224 x 224 from the centre. OpenCV's pixels differ
from those that classifiers were trained on (see the docs); only its speed is compared.
"""
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import time

import numpy as np
from PIL import Image

try:
    import cv2

    cv2.setNumThreads(1)
except ImportError:
    cv2 = None

try:
    import torch

    torch.set_num_threads(1)
except ImportError:
    torch = None

MOST_IMAGES = 200


def per_second(work, items, rounds=3):
    """The best of `rounds` by processor time."""
    best = math.inf
    for _ in range(rounds):
        start = time.process_time()
        for item in items:
            work(item)
        best = min(best, time.process_time() - start)
    return len(items) / best


def target(width, height, size=224, short=256):
    new = (short, int(short * height / width)) if width <= height else (int(short * width / height), short)
    left, top = (int(round((side - size) / 2.0)) for side in new)
    return new, left, top, size


def pillow_decode(data):
    np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def pillow_crop(image):
    new, left, top, size = target(*image.size)
    return np.asarray(image.resize(new, Image.BICUBIC).crop((left, top, left + size, top + size)))


def pillow_whole(data):
    pillow_crop(Image.open(io.BytesIO(data)).convert("RGB"))


def opencv_decode(data):
    return cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR | cv2.IMREAD_IGNORE_ORIENTATION)


def opencv_crop(pixels, interpolation):
    new, left, top, size = target(pixels.shape[1], pixels.shape[0])
    return np.ascontiguousarray(cv2.resize(pixels, new, interpolation=interpolation)[top : top + size, left : left + size])


def torch_input(pixels, mode, antialias):
    """From bytes to normalized floats: ToTensor, Resize, CenterCrop, Normalize."""
    tensor = torch.from_numpy(pixels).permute(2, 0, 1).contiguous().float().div(255)[None]
    new, left, top, size = target(pixels.shape[1], pixels.shape[0])
    tensor = torch.nn.functional.interpolate(tensor, new[::-1], mode=mode, align_corners=False, antialias=antialias)
    mean, std = (torch.tensor(three).view(-1, 1, 1) for three in ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]))
    return tensor[0, :, top : top + size, left : left + size].sub(mean).div_(std)


def assay(program, folder):
    environment = dict(os.environ, ASSAY_IMAGES=str(folder))
    command = [program, "--benchmark_format=json", "--benchmark_repetitions=3", "--benchmark_min_time=0.3"]
    out = subprocess.run(command, env=environment, capture_output=True, check=True).stdout
    best = {}
    for row in json.loads(out)["benchmarks"]:
        if row.get("run_type") == "iteration":
            name = row["name"]
            if row.get("label"):
                name = f"{name.split('/')[0]}/{row['label']}"
            best[name] = max(best.get(name, 0), row["items_per_second"])
    return best


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    here = pathlib.Path(__file__).resolve().parent
    folder = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else here.parent.parent / "shared/data/imagenet_sample"
    files = sorted(p for p in folder.rglob("*") if p.is_file())[:MOST_IMAGES]
    if not files:
        sys.exit(f"no images under {folder}")
    data = [p.read_bytes() for p in files]
    ours = assay(sys.argv[1], folder)

    noise = np.random.default_rng(0).integers(0, 256, (375, 500, 3), np.uint8)
    image = Image.fromarray(noise)
    repeated = [None] * 100
    rows = [
        ("decode", ours["decode"], "Pillow", per_second(pillow_decode, data)),
        ("decode, resize, crop 224", ours["decode_and_crop/224"], "Pillow bicubic", per_second(pillow_whole, data)),
        ("500 x 375 to crop 224", ours["crop_500x375/bicubic"], "Pillow bicubic", per_second(lambda _: pillow_crop(image), repeated)),
        ("500 x 375 to crop 224", ours["crop_500x375/bilinear"], "Pillow bilinear",
         per_second(lambda _: image.resize((341, 256), Image.BILINEAR).crop((58, 16, 282, 240)), repeated)),
    ]
    if cv2 is not None:
        rows.insert(1, ("decode", ours["decode"], "OpenCV", per_second(opencv_decode, data)))
        for name, how, filter in [
            ("area", cv2.INTER_AREA, "bicubic"),
            ("cubic", cv2.INTER_CUBIC, "bicubic"),
            ("linear", cv2.INTER_LINEAR, "bilinear"),
        ]:
            whole = per_second(lambda d: opencv_crop(opencv_decode(d), how), data)
            rows.append(("decode, resize, crop 224", ours["decode_and_crop/224"], f"OpenCV {name}", whole))
            alone = per_second(lambda _: opencv_crop(noise, how), repeated)
            rows.append(("500 x 375 to crop 224", ours[f"crop_500x375/{filter}"], f"OpenCV {name}", alone))

    if torch is not None:
        for mode in ("bilinear", "bicubic"):
            for antialias, sharp in ((True, ""), (False, " sharp")):
                each = per_second(lambda _: torch_input(noise, mode, antialias), repeated)
                rows.append(("500 x 375 to float input 224", ours[f"float_input_500x375/{mode}{sharp}"], f"torch {mode}{sharp}", each))

    print("OpenCV's linear and cubic do not blur before they shrink, so they do less work; its pixels are others.")
    print(f"{len(data)} images; items per second of processor time, one thread, best of 3\n")
    print(f"{'work':<30}{'Assay':>10}  {'other':<22}{'per second':>11}{'ratio':>8}")
    for work, mine, other, theirs in rows:
        print(f"{work:<30}{mine:>10,.0f}  {other:<22}{theirs:>11,.0f}{mine / theirs:>7.2f}x")
    five = ours["decode_and_crop_five"]
    print(f"\none decode and the windows of five models: {five:,.0f} images per second")
    print(f"decode to normalised floats: {ours['decode_to_floats']:,.0f}; floats of a 224 window alone: {ours['normalise']:,.0f}")


if __name__ == "__main__":
    main()
