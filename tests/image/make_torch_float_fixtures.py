#!/usr/bin/env python3
"""Writes tests/data/fixtures/torch_floats.tsv and .bin: small images, and the results of PyTorch's resizes of floats, and of resizes without
antialias.

    tests/image/make_torch_float_fixtures.py [FOLDER]

Needs torch and torchvision (written with 2.14.1 and 0.29.1) on a processor with AVX2. A line has the rule (resize_as), the filter,
antialias (1 or 0), and the channels (3, or 1 of a gray image). Then come the width, the height, and both after the resize, and the
offset of the R, G, B bytes in torch_floats.bin. The last field is the offset of the result: float32 of one channel after the other for
torch_float, otherwise R, G, B bytes.
"""
import pathlib
import sys

import numpy as np
import torch
import torchvision.transforms.functional as v1
import torchvision.transforms.v2.functional as v2
from torchvision.transforms import InterpolationMode

FILTERS = {"bilinear": InterpolationMode.BILINEAR, "bicubic": InterpolationMode.BICUBIC}
# (width, height) and the sizes after the resize: smaller, larger, one side only, huge ratios, one pixel, and large enough for
# PyTorch's other kernel.
SIZES = {
    (25, 17): [(12, 11), (25, 8), (8, 17), (25, 17), (33, 23), (3, 2), (1, 1), (60, 5), (130, 3)],
    (1, 40): [(3, 20), (7, 55)],
    (40, 1): [(17, 1), (55, 6)],
    (200, 3): [(3, 2), (5, 9), (131, 3)],
}


def result_of(rule, tensor, size, mode, antialias):
    if rule == "torch_float":
        return v2.resize(tensor.float().div(255), size, interpolation=mode, antialias=antialias)
    if rule == "torch_rounded":
        return v1.resize(tensor, size, interpolation=mode, antialias=antialias)
    return v2.resize(tensor.contiguous(memory_format=torch.channels_last), size, interpolation=mode, antialias=antialias)


def cases():
    for size, after in SIZES.items():
        for filter_ in FILTERS:
            for to in after:
                for antialias in (1, 0):
                    yield "torch_float", filter_, antialias, 3, size, to
                    if size == (25, 17) or to[0] > 100:
                        yield "torch_float", filter_, antialias, 1, size, to
                    yield "torch_rounded", filter_, antialias, 3, size, to
                if to != (1, 1):
                    yield "torch", filter_, 0, 3, size, to


def main():
    if torch.backends.cpu.get_cpu_capability() not in ("AVX2", "AVX512"):
        sys.exit("this processor has no AVX2: PyTorch would add in another order")
    # With several threads, PyTorch sums in another order in bilinear resizes of three channels without antialias. Loaders use one
    # thread.
    torch.set_num_threads(1)
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent / "data/fixtures")
    rng = np.random.default_rng(20261126)
    images, blob, lines = {}, bytearray(), []
    for rule, filter_, antialias, channels, size, to in cases():
        if (size, channels) not in images:
            shape = (size[1], size[0], channels)
            # There are steps of 0 and 255 among the noise, so bicubic overshoots.
            noise = np.where(rng.random(shape) < 0.3, 255 * rng.integers(0, 2, shape), rng.integers(0, 256, shape)).astype(np.uint8)
            image = np.repeat(noise, 3, axis=2) if channels == 1 else noise
            images[size, channels] = (image, len(blob))
            blob += image.tobytes()
        image, at = images[size, channels]
        tensor = torch.from_numpy(image).permute(2, 0, 1)[:channels][None]
        result = result_of(rule, tensor, [to[1], to[0]], FILTERS[filter_], bool(antialias))[0]
        lines.append((rule, filter_, antialias, channels, *size, *to, at, len(blob)))
        blob += (result if rule == "torch_float" else result.permute(1, 2, 0)).contiguous().numpy().tobytes()
    (folder / "torch_floats.bin").write_bytes(blob)
    text = "".join("\t".join(str(field) for field in line) + "\n" for line in lines)
    (folder / "torch_floats.tsv").write_text(f"# by tests/image/make_torch_float_fixtures.py, torch {torch.__version__.split('+')[0]}\n" + text)


if __name__ == "__main__":
    main()
