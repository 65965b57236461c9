#!/usr/bin/python3
"""Makes fixtures/*.pt2 and fixtures/pt2.json: models saved with torch.export, with PyTorch's scores.

Needs PyTorch 2.6. The input is that of make_models.py. `pt2_plain.pt2` is unchanged from torch.export.save. The others are
compressed and without the source locations that take most of their space.
"""
import collections
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
PROGRAM = "serialized_exported_program.json"
expected = {}


def images(n):
    k = np.arange(n * 3 * SIDE * SIDE, dtype=np.int64)
    x = ((k * 7919) % 1009).astype(np.float32) / np.float32(504.5) - np.float32(1)
    return torch.from_numpy(x.reshape(n, 3, SIDE, SIDE))


def rows(x):
    """Every number of the result counts, with a weight that depends on its position in the last dimension."""
    x = x.to(torch.float32)
    return (x * torch.arange(1, x.size(-1) + 1)).sum(-1).flatten(1)


class Cnn(nn.Module):
    def __init__(self, classes=5):
        super().__init__()
        torch.manual_seed(1)
        self.conv = nn.Conv2d(3, 6, 3, stride=2, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(6)
        self.depthwise = nn.Conv2d(6, 6, 3, padding="same", groups=6)
        self.drop = nn.Dropout(0.3)
        self.fc = nn.Linear(6, classes)
        self.norm.running_mean.normal_()
        self.norm.running_var.uniform_(0.5, 2)

    def features(self, x):
        x = F.relu6(self.norm(self.conv(x)), inplace=True)
        return F.hardswish(self.depthwise(x) + x)

    def forward(self, x):
        return self.fc(self.drop(F.adaptive_avg_pool2d(self.features(x), 1).flatten(1)))


class Vit(nn.Module):
    """Computations use the batch size, because the class token is expanded to it."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(2)
        self.patches = nn.Conv2d(3, 8, 4, stride=4)
        self.token = nn.Parameter(torch.randn(1, 1, 8))
        self.position = nn.Parameter(torch.randn(1, 17, 8))
        layer = nn.TransformerEncoderLayer(8, 2, 16, activation="gelu", batch_first=True, norm_first=True)
        self.layers = nn.ModuleList([layer])
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.head = nn.Linear(8, 5)

    def forward(self, x):
        n = x.shape[0]
        x = self.patches(x).reshape(n, 8, 16).permute(0, 2, 1)
        x = torch.cat([self.token.expand(n, -1, -1), x], 1) + self.position
        for layer in self.layers:
            x = layer(x)
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return self.head(x[:, 0])


class Arguments(nn.Module):
    """Has every kind of argument that an exporter writes for a classifier."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(3)
        self.register_buffer("order", torch.randperm(16))
        self.register_buffer("mask", torch.rand(16, 16) < 0.5)
        self.register_buffer("table", torch.randn(3, 16), persistent=False)
        self.weight = nn.Parameter(torch.randn(4, 3))

    def forward(self, x):
        n, _, h, w = x.shape
        a, b, c = x.chunk(3, 1)
        first, second = x.split([5, 11], 2)
        masked = x.masked_fill(self.mask, float("-inf")).softmax(-1).nan_to_num(0.0, None, 3.0)
        indexed = x[:, :, self.order][:, torch.tensor([2, 0]), :, 3:9]
        grid = torch.arange(h, dtype=torch.float32, device=x.device) / (h - 1)
        var, mean = torch.var_mean(x, [2, 3], correction=0, keepdim=True)
        top, where = x.flatten(2).topk(3, -1)
        parts = [a * 2 + 1, 1 - b, c ** 2, torch.cat([second, first], 2), masked, indexed, x * grid,
                 (x - mean) * torch.rsqrt(var + 1e-5), torch.einsum("nchw,kc->nkhw", x, self.weight), top,
                 where.to(torch.float16).to(x.dtype), F.pad(x, [1, 2, 0, 0], mode="reflect"),
                 F.interpolate(x, scale_factor=2.0, mode="bilinear"), F.interpolate(x, size=[7, 9], mode="nearest"),
                 F.interpolate(x, size=(5, 5), mode="bicubic", antialias=True),
                 x.clamp(-0.5, None), x.std(2), F.gelu(x, approximate="tanh"), torch.roll(x, (1, -2), (2, 3)),
                 F.avg_pool2d(x, 3, 2, ceil_mode=True), F.max_pool2d(x, 2), F.layer_norm(x, [h, w]), F.normalize(x),
                 torch.where(x > 0, x, 0.1 * x), x.new_full([n, 1, 2, 3], 0.25), torch.zeros_like(x), x.mean((2, 3)).unsqueeze(1).unsqueeze(1),
                 x + self.table[:, None, :], (x.reshape(n * 3, h * w) @ x.reshape(n * 3, h * w).t()).sum(1).reshape(n, 3, 1),
                 torch.full((n, 2, 2), n * 1.0), torch.ones(n, 1, 3, dtype=torch.bool), x.to(memory_format=torch.channels_last) * 1.5,
                 torch.stack(x.unbind(1), -1), F.one_hot(where, 256)[..., :7].flatten(1, 2).unsqueeze(1)]
        return torch.cat([rows(p) for p in parts], 1)


class Kernels(nn.Module):
    """Has operators of decomposed programs that PyTorch 1.13 does not have."""

    def forward(self, x):
        attention = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
        mask = torch.linspace(-1, 1, 256).reshape(16, 16)
        parts = [attention(x, x.flip(3), x * 2)[0], attention(x, x, x.flip(2), is_causal=True, scale=0.3)[0],
                 attention(x, x, x, attn_mask=mask)[0],
                 torch.ops.aten._unsafe_index(x, [None, None, torch.tensor([3, 1]), torch.tensor([[0], [5], [2]])]),
                 torch.ops.aten._prelu_kernel(x, torch.tensor([0.1, -0.5, 2.0]).reshape(1, 3, 1, 1))]
        return torch.cat([rows(p) for p in parts], 1)


class Sizes(nn.Module):
    """Does arithmetic on the batch size. Scores do not depend on it."""

    def forward(self, x):
        n = x.shape[0]
        y = x.reshape(n, -1)
        z = torch.cat([y, y])[: (n * 5 - n) // 4]
        return torch.cat([y[:, :3], z[:, 3:6], y.new_ones(n, 2) * (n * n) / (n + n), y[:, ::97]], 1)


class Named(Cnn):
    def forward(self, x):
        y = self.features(x)
        return {"features": y.mean([2, 3]), "logits": self.fc(y.mean([2, 3])), "more": (y.sum([1, 2, 3]), None)}


class Pair(Cnn):
    def forward(self, x):
        y = self.features(x).mean([2, 3])
        return y, self.fc(y)


Both = collections.namedtuple("Both", ["aux", "logits"])
torch.utils._pytree._register_namedtuple(Both, serialized_type_name="fixtures.Both")


class Struct(Cnn):
    def forward(self, x):
        y = self.features(x).mean([2, 3])
        return Both(y, self.fc(y))


class NoGrad(Cnn):
    def forward(self, x):
        with torch.no_grad():
            y = self.features(x)
            a, b = y.chunk(2, 1)
        with torch.autocast("cpu", enabled=False):
            y = torch.cat([b, a], 1).mean([2, 3])
        return self.fc(y)


class WithGrad(Cnn):
    """Computes the same scores as NoGrad, for the gradient, because Assay's gradient also passes through such regions."""

    def forward(self, x):
        a, b = self.features(x).chunk(2, 1)
        return self.fc(torch.cat([b, a], 1).mean([2, 3]))


class Autocast(Cnn):
    def forward(self, x):
        y = self.features(x).mean([2, 3])
        with torch.autocast("cpu", dtype=torch.bfloat16):
            y = self.fc(y)
        return y


class Counting(Cnn):
    """Has a buffer that each call changes in place, and a buffer that each call uses as temporary memory."""

    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(1))
        self.register_buffer("room", torch.ones(1, 5))

    def forward(self, x):
        self.calls.add_(1)
        self.room[:, 1:3] *= 2
        return self.fc(self.features(x).mean([2, 3])) * self.calls + self.room


class InPlace(Cnn):
    def forward(self, x):
        x.mul_(2).view(-1)[0:1].add_(0)
        return self.fc(self.features(x).mean([2, 3]))


class ThroughReshape(Cnn):
    """Writes to a reshape, which is only a view in the memory order of the example."""

    def forward(self, x):
        y = self.features(x)
        y.reshape(x.shape[0], -1)[:, ::5].mul_(3)
        z = y.flatten(1)
        y.add_(1)
        return self.fc(y.mean([2, 3])) + z[:, :5]


class Standardised(Cnn):
    """Has a batch norm in training mode over weights, as in weight standardization. It does not depend on the images."""

    def forward(self, x):
        w = self.conv.weight
        w = F.batch_norm(w.reshape(1, 6, -1), None, None, training=True, momentum=0.0, eps=1e-6).reshape_as(w)
        return self.fc(F.conv2d(x, w, stride=2).relu().mean([2, 3]))


class BatchStatistics(Cnn):
    def forward(self, x):
        x = F.batch_norm(self.conv(x), None, None, self.norm.weight, self.norm.bias, True)
        return self.fc(x.relu().mean([2, 3]))


class Random(Cnn):
    def forward(self, x):
        return self.fc(self.features(x).mean([2, 3])) + torch.rand(1)


class Fixed(Cnn):
    """Has arguments of forward() that were fixed when the model was exported."""

    def forward(self, x, double=False, extra=None, factor=1.5):
        y = self.fc(self.features(x).mean([2, 3])) * factor
        return y * 2 if double else y


class TwoInputs(Cnn):
    def forward(self, x, y):
        return self.fc(self.features(x + y).mean([2, 3]))


class Bytes(Cnn):
    def forward(self, x):
        x = (x.permute(0, 3, 1, 2) / 255.0 - 0.5) / 0.25
        return super().forward(x)


class Condition(Cnn):
    def forward(self, x):
        y = self.features(x).mean([2, 3])
        return torch.cond(y.sum() > 0, lambda v: self.fc(v), lambda v: self.fc(-v), (y,))


class Tied(nn.Module):
    """Has one storage with two names, and a view of a part of it."""

    def __init__(self):
        super().__init__()
        torch.manual_seed(4)
        self.a = nn.Linear(48, 48)
        self.b = nn.Linear(48, 48)
        self.b.weight = self.a.weight
        self.register_buffer("part", torch.randn(7, 9)[2:, 1::2].t()[:3])

    def forward(self, x):
        x = F.adaptive_avg_pool2d(x, 4).flatten(1)
        return self.b(self.a(x))[:, :5] + self.part.sum(0)


def slim(data, edit=None):
    """Compresses the archive, removes source locations, and applies `edit` to the program."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as archive, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for i in archive.infolist():
            content = archive.read(i)
            if i.filename == PROGRAM:
                program = json.loads(content)
                strip(program["graph_module"]["graph"])
                if edit:
                    edit(program)
                content = json.dumps(program).encode()
            if i.filename == "serialized_example_inputs.pt":
                continue
            new.writestr(zipfile.ZipInfo(i.filename), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def strip(graph):
    for node in graph["nodes"]:
        node["metadata"] = {}
        for given in node["inputs"]:
            if "as_graph" in given["arg"]:
                strip(given["arg"]["as_graph"]["graph"])


def save(name, model, given=None, batch="open", output=None, strict=True, decompose=False, edit=None, raw=False, train=False,
         sides=None, kwargs=None, least=1):
    model = model.train(train)
    x = images(4) if given is None else given
    given = x if isinstance(x, tuple) else (x,)
    shapes = None
    if batch == "open":
        first = {0: torch.export.Dim("n", min=least, max=512)}
        if sides:
            first.update({2: torch.export.Dim("h", min=sides[0], max=sides[1]), 3: torch.export.Dim("w", min=sides[0], max=sides[1])})
        shapes = tuple(dict(first) for _ in given) + (None,) * len(kwargs or {})
    program = torch.export.export(model, tuple(t.clone() for t in given), kwargs, dynamic_shapes=shapes, strict=strict)
    if decompose:
        program = program.run_decompositions()
    buffer = io.BytesIO()
    torch.export.save(program, buffer)
    with open(os.path.join(OUT, name), "wb") as file:
        file.write(buffer.getvalue() if raw else slim(buffer.getvalue(), edit))
    if edit or train:
        return
    with torch.no_grad():
        y = model(*(t.clone() for t in given), **(kwargs or {}))
    y = y[output] if output is not None else y
    expected[name] = [[float(f"{v:.8g}") for v in row] for row in y.float().tolist()]


def gradients(name, model):
    """The gradient of the sum of scores times their positions (from 1) with respect to every fifth pixel of the second image."""
    x = images(2).requires_grad_()
    y = model.eval()(x.clone())
    (y * torch.arange(1, y.size(1) + 1)).sum().backward()
    expected["gradient of " + name] = [float(f"{v:.8g}") for v in x.grad[1].flatten()[::5].tolist()]


def rename(program):
    program["graph_module"]["graph"]["nodes"][-1]["target"] = "torch.ops.acme.wobble.default"


def on_cuda(program):
    """Imitates an export on another device, which only changes the descriptions and the arguments."""
    def walk(x):
        if isinstance(x, dict):
            for key, value in x.items():
                if key in ("device", "as_device") and isinstance(value, dict):
                    value.update({"type": "cuda", "index": 0})
                walk(value)
        elif isinstance(x, list):
            for value in x:
                walk(value)
    walk(program)


def main():
    half = images(4).to(torch.float16)
    save("pt2_plain.pt2", Cnn(), raw=True)
    save("pt2_vit.pt2", Vit())
    save("pt2_decomposed.pt2", Vit(), decompose=True)
    save("pt2_decomposed_cnn.pt2", Cnn(), decompose=True)
    save("pt2_kernels.pt2", Kernels())
    save("pt2_arguments.pt2", Arguments())
    save("pt2_loose.pt2", Arguments(), strict=False)
    save("pt2_sizes.pt2", Sizes())
    save("pt2_dict.pt2", Named(), output="logits")
    save("pt2_tuple.pt2", Pair(), output=1)
    save("pt2_struct.pt2", Struct(), output=1)
    save("pt2_no_grad.pt2", NoGrad())
    save("pt2_autocast.pt2", Autocast())
    save("pt2_counting.pt2", Counting())
    save("pt2_in_place.pt2", InPlace())
    save("pt2_through_reshape.pt2", ThroughReshape())
    save("pt2_standardised.pt2", Standardised())
    save("pt2_tied.pt2", Tied())
    save("pt2_fixed_batch.pt2", Cnn(), batch=4)
    save("pt2_least_batch.pt2", Cnn(), least=3)
    save("pt2_fixed_arguments.pt2", Fixed(), kwargs={"double": True, "extra": None})
    save("pt2_open_sides.pt2", Cnn(), sides=(12, 40))
    save("pt2_half.pt2", Cnn().half(), half)
    save("pt2_bfloat16.pt2", Cnn().to(torch.bfloat16), images(4).to(torch.bfloat16))
    save("pt2_double.pt2", Cnn().double(), images(4).double())
    save("pt2_bytes.pt2", Bytes(), (torch.arange(4 * SIDE * SIDE * 3) * 37 % 256).to(torch.uint8).reshape(4, SIDE, SIDE, 3))
    # These files are refused, or are not run here:
    save("pt2_train.pt2", Cnn(), train=True)
    save("pt2_dropout.pt2", nn.Sequential(nn.Flatten(), nn.Dropout(0.3), nn.Linear(768, 5)), train=True)
    save("pt2_batch_statistics.pt2", BatchStatistics())
    save("pt2_random.pt2", Random())
    save("pt2_two_inputs.pt2", TwoInputs(), (images(4), images(4)))
    save("pt2_condition.pt2", Condition(), strict=False)
    save("pt2_foreign.pt2", Cnn(), edit=rename)
    save("pt2_cuda.pt2", Arguments(), edit=on_cuda)
    for name in ("pt2_batch_statistics.pt2", "pt2_random.pt2", "pt2_two_inputs.pt2", "pt2_condition.pt2"):
        expected.pop(name, None)
    gradients("pt2_plain.pt2", Cnn())
    gradients("pt2_vit.pt2", Vit())
    gradients("pt2_decomposed.pt2", Vit())
    gradients("pt2_no_grad.pt2", WithGrad())
    gradients("pt2_in_place.pt2", InPlace())
    with open(os.path.join(OUT, "pt2.json"), "w") as file:
        file.write("{\n" + ",\n".join(f"{json.dumps(k)}: {json.dumps(v, separators=(',', ':'))}" for k, v in expected.items()) + "\n}\n")


if __name__ == "__main__":
    main()
