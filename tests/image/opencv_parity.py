#!/usr/bin/env python3
"""Compares Assay's version of OpenCV's resize with cv2.resize, byte for byte, on real photographs.

    tests/image/opencv_parity.py PIXEL_TOOL FOLDER [--every N] [--default]

PIXEL_TOOL is the executable of pixel_tool.cpp, FOLDER holds images (any depth). Tests usual and odd sizes, whole fractions, and crops.
OpenCV for x86-64 uses Intel's library for INTER_CUBIC. The script switches it off. With --default, it is used and may differ.
Prints how many images differ and by how much. The status is 1 if one differs, and 77 (SKIPPED) without OpenCV.
"""
import argparse
import json
import pathlib
import platform
import sys

try:
    import cv2
    import numpy as np
    from PIL import Image
except ImportError as error:
    print(f"SKIPPED: {sys.executable} has no {error.name}")
    sys.exit(77)

from pillow_parity import Tool
from tally import Tally

FILTERS = {"nearest": cv2.INTER_NEAREST, "bilinear": cv2.INTER_LINEAR, "bicubic": cv2.INTER_CUBIC, "box": cv2.INTER_AREA}
SIZES = [(224, 224), (256, 256), (384, 384), (64, 64), (500, 333), (31, 190), (401, 17), (1, 7), (3, 300), (1024, 900), (1, 1)]


def compare(tool, tally, path, image):
    height, width = image.shape[:2]
    for name, filter_ in FILTERS.items():
        for to_width, to_height in [*SIZES, (2 * width, 2 * height), (width, 224), (3 * width + 1, max(1, height // 3))]:
            theirs = cv2.resize(image, (to_width, to_height), interpolation=filter_)
            ours = tool.ask("resize", path, name, to_width, to_height, 0, 0, to_width, to_height, "opencv")
            tally.add(f"{name}, {'224' if (to_width, to_height) == (224, 224) else 'other'}", path, ours, theirs)
        p = {"crop_mode": "squash", "resize_size": 256, "interpolation": name, "resize_as": "opencv"}
        theirs = np.ascontiguousarray(cv2.resize(image, (256, 256), interpolation=filter_)[16:240, 16:240])
        tally.add(f"{name}, 256 > 224", path, tool.ask("crop", path, json.dumps(p)), theirs)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tool")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="take every Nth image")
    parser.add_argument("--default", action="store_true", help="OpenCV as it is, with Intel's library")
    arguments = parser.parse_args()
    if platform.machine() != "x86_64":
        print("SKIPPED: OpenCV rounds INTER_CUBIC in another way on this processor")
        return 77
    cv2.ipp.setUseIPP(arguments.default)
    files = sorted(path for path in arguments.folder.rglob("*") if path.suffix.lower() in (".jpg", ".jpeg", ".png"))[::arguments.every]
    tool, tally = Tool(arguments.tool), Tally()
    for path in files:
        compare(tool, tally, path, np.asarray(Image.open(path).convert("RGB")))
    print(f"OpenCV {cv2.__version__}")
    tally.report()
    return tally.status()


if __name__ == "__main__":
    sys.exit(main())
