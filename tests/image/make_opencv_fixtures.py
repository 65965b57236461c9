#!/usr/bin/env python3
"""Writes tests/data/fixtures/opencv_resize.tsv and opencv_resize.bin: small images, and the results of cv2.resize.

    tests/image/make_opencv_fixtures.py [FOLDER]

Needs OpenCV for Python on x86-64 (written with opencv-python-headless 5.0.0; 4.12.0 gives the same bytes). A line has the filter,
width, height, and the width and height after the resize. It ends with the offset of the R, G, B bytes in opencv_resize.bin, and
the offset of those of the result. Intel's library, which replaces INTER_CUBIC, is switched off.
"""
import pathlib
import sys

import cv2
import numpy as np

FILTERS = {"nearest": cv2.INTER_NEAREST, "box": cv2.INTER_AREA, "bilinear": cv2.INTER_LINEAR, "bicubic": cv2.INTER_CUBIC}
# (width, height) and the sizes after the resize: smaller, larger, one side only, unchanged, integer fractions, huge ratios, one
# pixel wide.
SIZES = {
    (24, 18): [(12, 11), (24, 8), (8, 18), (24, 18), (33, 23), (48, 36), (12, 9), (8, 6), (6, 9), (3, 2), (1, 1), (60, 5), (5, 60)],
    (1, 40): [(1, 17), (3, 20), (7, 55), (1, 20)],
    (40, 1): [(17, 1), (55, 6), (20, 1)],
    (200, 3): [(3, 2), (5, 9)],
    (25, 17): [(11, 9), (51, 19), (13, 40), (7, 8), (24, 16), (26, 18), (50, 34), (9, 17), (25, 3)],
}


def main():
    cv2.ipp.setUseIPP(False)
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "data/fixtures")
    rng = np.random.default_rng(20261126)
    blob, lines = bytearray(), []
    for (width, height), sizes in SIZES.items():
        image = rng.integers(0, 256, (height, width, 3), dtype=np.uint8)  # noise makes every rounding visible
        if (width, height) == (25, 17):  # black and white pixels, so overshoots are clipped at 0 and 255
            y, x = np.mgrid[0:height, 0:width]
            image = np.repeat((255 * ((x // 3 + y // 2) % 2)).astype(np.uint8)[:, :, None], 3, axis=2)
        at = len(blob)
        blob += image.tobytes()
        for name, filter_ in FILTERS.items():
            for size in sizes:
                lines.append((name, width, height, *size, at, len(blob)))
                blob += cv2.resize(image, size, interpolation=filter_).tobytes()
    (folder / "opencv_resize.bin").write_bytes(blob)
    text = "".join("\t".join(str(field) for field in line) + "\n" for line in lines)
    (folder / "opencv_resize.tsv").write_text(f"# by tests/image/make_opencv_fixtures.py, OpenCV {cv2.__version__}\n" + text)


if __name__ == "__main__":
    main()
