#!/usr/bin/env python3
"""Writes tests/data/fixtures/torch_resize.tsv and torch_resize.bin: small images, and the results of PyTorch's resize.

    tests/image/make_torch_fixtures.py [FOLDER]

Needs torch and torchvision (written with 2.14.1 and 0.29.1) on a processor with AVX2. A line has the filter, width, height, and
the width and height after the resize. It ends with the offset of the R, G, B bytes in torch_resize.bin, and the offset of those of
the result. The resize is that of torchvision's v2 Resize on a tensor of bytes, with antialias; `nearest` is nearest-exact.
"""
import pathlib
import sys

import numpy as np
import torch
import torchvision.transforms.v2.functional as F
from torchvision.transforms import InterpolationMode

FILTERS = {
    "nearest": InterpolationMode.NEAREST_EXACT,
    "bilinear": InterpolationMode.BILINEAR,
    "bicubic": InterpolationMode.BICUBIC,
    "lanczos": InterpolationMode.LANCZOS,
}
# (width, height) and the sizes after the resize: smaller, larger, one side only, unchanged, huge ratios, one pixel wide.
SIZES = {
    (25, 17): [(12, 11), (25, 8), (8, 17), (25, 17), (33, 23), (50, 34), (3, 2), (1, 1), (60, 5)],
    (1, 40): [(1, 17), (3, 20), (7, 55)],
    (40, 1): [(17, 1), (55, 6)],
    (200, 3): [(3, 2), (5, 9)],
}


def images():
    rng = np.random.default_rng(20261126)
    for width, height in SIZES:
        yield rng.integers(0, 256, (height, width, 3), dtype=np.uint8)  # noise makes every rounding visible
    # In a checkerboard of black, white and gray, overshoots are clipped at 0 and 255.
    y, x = np.mgrid[0:17, 0:25]
    yield np.repeat((255 * ((x // 3 + y // 2) % 2)).astype(np.uint8)[:, :, None], 3, axis=2)


def main():
    if torch.backends.cpu.get_cpu_capability() not in ("AVX2", "AVX512"):
        sys.exit("this processor has no AVX2: PyTorch would resize with floats")
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "data/fixtures")
    blob, lines = bytearray(), []
    for image in images():
        height, width = image.shape[:2]
        at = len(blob)
        blob += image.tobytes()
        tensor = torch.from_numpy(image).permute(2, 0, 1)  # the channels are last, or torch 2.14 could not resize to 1 x 1
        for name, mode in FILTERS.items():
            for to_width, to_height in SIZES[width, height]:
                result = F.resize(tensor, [to_height, to_width], interpolation=mode, antialias=True)
                lines.append((name, width, height, to_width, to_height, at, len(blob)))
                blob += result.permute(1, 2, 0).contiguous().numpy().tobytes()
    (folder / "torch_resize.bin").write_bytes(blob)
    text = "".join("\t".join(str(field) for field in line) + "\n" for line in lines)
    (folder / "torch_resize.tsv").write_text(f"# by tests/image/make_torch_fixtures.py, torch {torch.__version__.split('+')[0]}\n" + text)


if __name__ == "__main__":
    main()
