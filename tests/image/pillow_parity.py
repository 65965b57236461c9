#!/usr/bin/env python3
"""Compares Assay's pixels with Pillow's, byte for byte, on real photographs.

    tests/image/pillow_parity.py PIXEL_TOOL FOLDER [--every N] [--quick]

PIXEL_TOOL is the executable of tests/data/pixel_tool.cpp. FOLDER holds images (any depth). For every image, compares
the decoded pixels, and resizes with the six filters. The resizes are eight crop windows as classifiers use them, and
plain resizes up, down and with odd aspect ratios. With torch, also compares the floats of preprocess_into with ToTensor and
Normalize. Prints what was compared and how many bytes differ. The status is 1 if any does.
"""
import argparse
import json
import math
import pathlib
import struct
import subprocess
import sys

import numpy as np
from PIL import Image

FILTERS = {
    "nearest": Image.NEAREST,
    "box": Image.BOX,
    "bilinear": Image.BILINEAR,
    "hamming": Image.HAMMING,
    "bicubic": Image.BICUBIC,
    "lanczos": Image.LANCZOS,
}
WINDOWS = [128, 160, 192, 224, 227, 256, 299, 384]
SIZES = [(64, 64), (500, 333), (31, 190), (401, 17), (1, 1), (3, 300)]


class Tool:
    def __init__(self, path):
        self.process = subprocess.Popen([path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def ask(self, *fields):
        self.process.stdin.write(("\t".join(str(f) for f in fields) + "\n").encode())
        self.process.stdin.flush()
        out = self.process.stdout
        ok, a, b = struct.unpack("<BII", out.read(9))
        if not ok:
            raise RuntimeError(out.read(a).decode())
        if fields[0] == "input":
            return np.frombuffer(out.read(12 * a * b), np.float32).reshape(3, b, a)
        return np.frombuffer(out.read(3 * a * b), np.uint8).reshape(b, a, 3)


class Tally:
    def __init__(self):
        self.rows = {}

    def add(self, what, image, ours, theirs):
        row = self.rows.setdefault(what, [0, 0, 0, None])
        row[0] += 1
        row[1] += theirs.size
        if ours.shape != theirs.shape:
            row[2] += theirs.size
            row[3] = row[3] or f"{image}: shape {ours.shape}, Pillow {theirs.shape}"
            return
        different = int(np.count_nonzero(ours.view(np.uint8) != theirs.view(np.uint8)))
        row[2] += different
        if different and not row[3]:
            row[3] = str(image)

    def report(self):
        print(f"{'':<20}{'images':>10}{'values':>16}{'differing':>12}")
        for what, (images, values, different, where) in self.rows.items():
            print(f"{what:<20}{images:>10,}{values:>16,}{different:>12,}" + (f"  first: {where}" if where else ""))
        images, values, different = (sum(row[i] for row in self.rows.values()) for i in range(3))
        print(f"{'all':<20}{images:>10,}{values:>16,}{different:>12,}")
        return different


def centre_crop(image, size, resample):
    """The evaluation transform of timm and torchvision, with crop_pct 0.875."""
    width, height = image.size
    short = math.floor(size / 0.875)
    if width <= height:
        new = (short, int(short * height / width))
    else:
        new = (int(short * width / height), short)
    left = int(round((new[0] - size) / 2.0))
    top = int(round((new[1] - size) / 2.0))
    return image.resize(new, resample).crop((left, top, left + size, top + size))


def compare_floats(tool, tally, path, image):
    import torch

    mean, std = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]
    window = np.asarray(centre_crop(image, 224, Image.BICUBIC))
    x = torch.from_numpy(window.transpose(2, 0, 1).copy()).contiguous().to(torch.float32).div(255)
    x.sub_(torch.tensor(mean)[:, None, None]).div_(torch.tensor(std)[:, None, None])
    p = {"mean": mean, "std": std}
    tally.add("floats", path, tool.ask("input", path, json.dumps(p)), x.numpy())
    p["channel_order"] = "bgr"
    bgr = torch.from_numpy(window[:, :, ::-1].transpose(2, 0, 1).copy()).to(torch.float32).div(255)
    bgr.sub_(torch.tensor(mean)[:, None, None]).div_(torch.tensor(std)[:, None, None])
    tally.add("floats, BGR", path, tool.ask("input", path, json.dumps(p)), bgr.numpy())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="take every Nth image")
    parser.add_argument("--floats", action="store_true", help="compare floats with torch too")
    options = parser.parse_args()
    tool, tally = Tool(options.tool), Tally()
    suffixes = {".jpeg", ".jpg", ".png", ".webp", ".bmp", ".tif", ".tiff"}
    paths = sorted(p for p in options.folder.rglob("*") if p.suffix.lower() in suffixes)[:: options.every]
    if not paths:
        sys.exit(f"no images under {options.folder}")
    for path in paths:
        image = Image.open(path).convert("RGB")
        tally.add("decode", path, tool.ask("decode", path), np.asarray(image))
        for name, resample in FILTERS.items():
            for size in WINDOWS:
                p = {"height": size, "width": size, "interpolation": name}
                theirs = np.asarray(centre_crop(image, size, resample))
                tally.add(f"{name} crop", path, tool.ask("crop", path, json.dumps(p)), theirs)
            for width, height in SIZES:
                theirs = np.asarray(image.resize((width, height), resample))
                ours = tool.ask("resize", path, name, width, height, 0, 0, width, height)
                tally.add(f"{name} resize", path, ours, theirs)
        if options.floats:
            compare_floats(tool, tally, path, image)
    sys.exit(1 if tally.report() else 0)


if __name__ == "__main__":
    main()
