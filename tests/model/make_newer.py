#!/usr/bin/python3
"""Makes fixtures/newer_*.pt and fixtures/newer.json. These are TorchScript files written by PyTorch 2. They call operators
that PyTorch 1.13 does not have. The JSON file has the scores from PyTorch 2.

    make_newer.py [newer_resize.pt ...] # only these; the others do not change

Needs PyTorch 2.14 (those before newer_resize.pt were made with 2.6). The input is that of make_models.py.
"""
import io
import json
import os
import sys
import warnings
import zipfile

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

warnings.filterwarnings("ignore")
OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
SIDE = 16
with open(os.path.join(OUT, "newer.json")) as file:
    expected = json.load(file)


def images(n):
    k = np.arange(n * 3 * SIDE * SIDE, dtype=np.int64)
    x = ((k * 7919) % 1009).astype(np.float32) / np.float32(504.5) - np.float32(1)
    return torch.from_numpy(x.reshape(n, 3, SIDE, SIDE))


def rows(x):
    """Every number of the result counts, with a weight that depends on its position in the last dimension."""
    x = x.to(torch.float32)
    return (x * torch.arange(1, x.size(-1) + 1)).sum(-1).flatten(1)


class Attention(nn.Module):
    """The heads are the channels, the positions are rows of the image, and the width is the columns."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(5)
        self.register_buffer("bias", torch.randn(3, 16, 10))
        allowed = torch.rand(16, 10) < 0.6
        allowed[4] = False  # a query for which all positions are masked
        self.register_buffer("allowed", allowed)

    def forward(self, x):
        q, k, v = x * 3, x.flip(3)[:, :, :10] * 2, x.flip(2)[:, :, :10, :7]
        parts = [F.scaled_dot_product_attention(q, k, v),
                 F.scaled_dot_product_attention(q, k, v, self.bias),
                 F.scaled_dot_product_attention(q, k, v, self.allowed),
                 F.scaled_dot_product_attention(q, k, v, is_causal=True),
                 F.scaled_dot_product_attention(q, k, v, scale=0.7),
                 F.scaled_dot_product_attention(torch.cat([q, q.flip(1)], 1), k, v, enable_gqa=True),
                 F.scaled_dot_product_attention(q[:, 0], k[:, 1], v[:, 2]).unsqueeze(1)]
        return torch.cat([rows(p) for p in parts], 1)


class Others(nn.Module):
    def __init__(self):
        super().__init__()
        torch.manual_seed(6)
        self.weight = nn.Parameter(torch.randn(16, 16))

    def forward(self, x):
        parts = [F.rms_norm(x, [16, 16], self.weight),
                 F.rms_norm(x * 1e-3, [16]),
                 F.rms_norm(x, [16], None, 0.1),
                 torch.squeeze(x[:, :1, :, :1], [1, -1]).unsqueeze(1),
                 torch.squeeze(x[:, :1], (1, 2)).unsqueeze(1),
                 torch.all(x > -0.99, [1, 2]).unsqueeze(1),
                 torch.any(x > 0.99, [1, 2]).unsqueeze(1),
                 torch.all(x > -0.99, [2, 3], keepdim=True),
                 torch.var(x, [2, 3], correction=0, keepdim=True),
                 torch.var(x, [3], correction=2),
                 torch.std(x, [2], correction=1),
                 torch.var_mean(x, [3], correction=0)[0],
                 torch.var_mean(x, [3], correction=0)[1],
                 torch.std_mean(x, [1], correction=1)[0]]
        return torch.cat([rows(p) for p in parts], 1)


class Defaults(nn.Module):
    """Omits arguments that PyTorch 1.13 requires. Only scripts omit them."""

    def forward(self, x):
        each = [torch.stack([torch.var(i, correction=1), torch.std(i, correction=0)]) for i in x]
        return torch.cat([torch.stack(each), x.mean([2, 3])], 1)


class Resize(nn.Module):
    """Scripts of interpolate contain all of its modes, although they use one."""

    def forward(self, x):
        narrow = x[:, :, :, :6]
        parts = [F.interpolate(narrow, size=[7, 11], mode="lanczos", antialias=True),
                 F.interpolate(x, size=[1, 9], mode="lanczos", antialias=True),
                 F.interpolate(narrow, scale_factor=[0.4, 1.7], mode="lanczos", antialias=True),
                 F.interpolate(narrow, scale_factor=[0.4, 1.7], mode="lanczos", antialias=True, recompute_scale_factor=True),
                 F.interpolate(narrow, size=[7, 11], mode="bilinear", align_corners=True)]
        return torch.cat([rows(p) for p in parts], 1)


class SafeSoftmax(nn.Module):
    def forward(self, x):
        return torch._safe_softmax(x.mean([2, 3]), -1)


def slim(data, old=b"", new_code=b""):
    """Compresses the archive, removes the source locations, which take most of its space, and replaces `old` in its code."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for i in archive.infolist():
            if not i.filename.endswith(".debug_pkl"):
                text = archive.read(i).replace(old, new_code) if old and i.filename.endswith(".py") else archive.read(i)
                new.writestr(zipfile.ZipInfo(i.filename), text, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def save(name, model, trace=False, old=b"", new=b""):
    if sys.argv[1:] and name not in sys.argv[1:]:
        return
    model = model.eval()
    script = torch.jit.trace(model, images(4)) if trace else torch.jit.script(model)
    buffer = io.BytesIO()
    torch.jit.save(script, buffer)
    with open(os.path.join(OUT, name), "wb") as file:
        file.write(slim(buffer.getvalue(), old, new))
    if old:
        return
    with torch.no_grad():
        expected[name] = [[float(f"{v:.7g}") for v in row] for row in model(images(4)).tolist()]


save("newer_attention.pt", Attention())
save("newer_attention_trace.pt", Attention(), trace=True)
save("newer_others.pt", Others())
save("newer_others_trace.pt", Others(), trace=True)
save("newer_defaults.pt", Defaults())
save("newer_resize.pt", Resize())
save("newer_resize_trace.pt", Resize(), trace=True)
save("newer_missing.pt", SafeSoftmax())
save("newer_foreign.pt", SafeSoftmax(), old=b"torch._safe_softmax(", new=b"ops.acme.wobble(")
save("newer_argument.pt", SafeSoftmax(), old=b"torch._safe_softmax(", new=b"torch.softmax(7, ")
with open(os.path.join(OUT, "newer.json"), "w") as file:
    file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in expected.items()) + "\n}\n")
