#!/usr/bin/env python3
"""Makes fixtures/pt2_quantised.pt2, a small network that PyTorch's pt2e has quantized to int8, and writes its scores
to fixtures/pt2.json. Needs PyTorch 2.10 and torchao, which the other fixtures (make_pt2.py) do not need."""
import json
import os
import zipfile

import numpy as np
import torch
from torch import nn
from torchao.quantization.pt2e import quantize_pt2e
from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
NAME = "pt2_quantised.pt2"


def images(n, side=16):
    k = np.arange(n * 3 * side * side, dtype=np.int64)
    x = ((k * 7919) % 1009).astype(np.float32) / np.float32(504.5) - np.float32(1)
    return torch.from_numpy(x.reshape(n, 3, side, side))


torch.manual_seed(2)
model = nn.Sequential(
    nn.Conv2d(3, 8, 3, stride=2), nn.ReLU(), nn.Conv2d(8, 8, 3, groups=2), nn.Hardswish(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 5),
).eval()
x = images(4)
dynamic = ({0: torch.export.Dim("n", min=1, max=64)},)
quantizer = x86.X86InductorQuantizer().set_global(x86.get_default_x86_inductor_quantization_config())
prepared = quantize_pt2e.prepare_pt2e(torch.export.export(model, (x,), dynamic_shapes=dynamic).module(), quantizer)
with torch.no_grad():
    prepared(x)
    converted = quantize_pt2e.convert_pt2e(prepared)
    scores = converted(x).tolist()
    path = os.path.join(OUT, NAME)
    torch.export.save(torch.export.export(converted, (x,), dynamic_shapes=dynamic), path)
# The archive is compressed and has no example of an input, so it is as small as the others.
with zipfile.ZipFile(path) as saved:
    entries = {name: saved.read(name) for name in saved.namelist() if "sample_inputs" not in name}
with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as small:
    for name, data in entries.items():
        small.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), data, zipfile.ZIP_DEFLATED)
table = os.path.join(OUT, "pt2.json")
with open(table) as file:
    expected = json.load(file)
expected[NAME] = [[float(f"{v:.8g}") for v in row] for row in scores]
with open(table, "w") as file:
    file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in expected.items()) + "\n}\n")
print(NAME, os.path.getsize(path), "bytes")
