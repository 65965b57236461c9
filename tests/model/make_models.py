#!/usr/bin/python3
"""Makes the tiny models in fixtures/ and the scores that PyTorch gives for them (fixtures/expected.json).

Needs PyTorch 1.13 (its exporter writes ONNX without the onnx package). The fixtures are committed with this script;
a new run gives the same weights (fixed seed) but not the same bytes.
"""
import json
import os
import warnings
import zipfile
from typing import Dict, NamedTuple, Optional, Tuple

import numpy as np
import torch
from torch import nn

warnings.filterwarnings("ignore")
OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
SIDE = 16
CLASSES = 5
expected = {}


def images(n, side=SIDE):
    """The tests' input. It has the same arithmetic as images() in images.h, which is exact in float32."""
    k = np.arange(n * 3 * side * side, dtype=np.int64)
    x = ((k * 7919) % 1009).astype(np.float32) / np.float32(504.5) - np.float32(1)
    return torch.from_numpy(x.reshape(n, 3, side, side))


class Cnn(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(3, 6, 3, stride=2, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(6)
        self.conv2 = nn.Conv2d(6, 6, 3, padding=1, groups=6)
        self.bn2 = nn.BatchNorm2d(6)
        self.fc = nn.Linear(6, CLASSES)

    def features(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        x = nn.functional.relu6(self.bn2(self.conv2(x)))
        return x.mean([2, 3])

    def forward(self, x):
        return self.fc(self.features(x))


class TupleOut(Cnn):
    def forward(self, x) -> Tuple[torch.Tensor, torch.Tensor]:
        f = self.features(x)
        return f, self.fc(f)


class DictOut(Cnn):
    def forward(self, x) -> Dict[str, torch.Tensor]:
        f = self.features(x)
        return {"features": f, "logits": self.fc(f)}


class NanOut(Cnn):
    """The scores of the second class are 0/0 for every image."""

    def forward(self, x):
        y = self.fc(self.features(x))
        zero = y[:, 1:2] * 0
        return torch.cat([y[:, :1], zero / zero, y[:, 2:]], 1)


class ConvOut(Cnn):
    def forward(self, x):
        f = self.features(x)
        return self.fc(f).reshape(-1, 5, 1, 1)


class ArgMax(Cnn):
    def forward(self, x):
        return self.fc(self.features(x)).argmax(1, keepdim=True)


class View(Cnn):
    """The model regroups channels with view(), so it refuses channels-last memory."""

    def forward(self, x):
        x = torch.relu(self.bn1(self.conv1(x)))
        x = x.view(x.shape[0], 6 * 8 * 8).view(-1, 6, 8, 8)
        return self.fc(x.mean([2, 3]))


class InPlace(Cnn):
    """The model writes into its input."""

    def forward(self, x):
        return self.fc(self.features(x.mul_(0.5)))


class FixedBatch(Cnn):
    def forward(self, x):
        return self.fc(self.features(x).view(4, 6))


class FixedSize(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(3 * 8 * 8, CLASSES)

    def forward(self, x):
        return self.fc(nn.functional.max_pool2d(x, 2).flatten(1))


class HalfInside(Cnn):
    """The model's code contains the name of half precision."""

    def __init__(self):
        super().__init__()
        self.scale = nn.Parameter(torch.tensor(2.0))

    def forward(self, x):
        y = self.fc(self.features(x.to(torch.float16)))
        return y * torch.ones(5, dtype=torch.float16) * self.scale


class WithAuxiliary(NamedTuple):
    logits: torch.Tensor
    aux: Optional[torch.Tensor]


class Auxiliary(Cnn):
    """As in scripts of GoogLeNet and Inception, the output of the auxiliary classifier is empty after eval()."""

    def forward(self, x) -> WithAuxiliary:
        aux: Optional[torch.Tensor] = None
        f = self.features(x)
        y = self.fc(f)
        if self.training:
            aux = f
        return WithAuxiliary(y, aux)


class AuxiliaryToo(Cnn):
    def forward(self, x) -> WithAuxiliary:
        f = self.features(x)
        return WithAuxiliary(self.fc(f), f)


class OneTuple(Cnn):
    def forward(self, x) -> Tuple[torch.Tensor, Optional[torch.Tensor]]:
        aux: Optional[torch.Tensor] = None
        return self.fc(self.features(x)), aux


class OneDict(Cnn):
    def forward(self, x) -> Dict[str, torch.Tensor]:
        return {"out": self.fc(self.features(x))}


class Bytes(Cnn):
    """The model takes bytes with the channels last, and normalizes them itself."""

    def forward(self, x):
        if x.dtype != torch.uint8:
            raise RuntimeError("bytes are wanted")
        if x.shape[3] != 3:
            raise RuntimeError("channels last are wanted")
        x = (x.permute(0, 3, 1, 2).to(torch.float32) / 255 - 0.5) / 0.25
        return self.fc(self.features(x))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(self.norm1(x)).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        a = (q @ k.transpose(-2, -1) * (c // self.heads) ** -0.5).softmax(-1)
        x = x + self.proj((a @ v).transpose(1, 2).reshape(b, n, c))
        return x + self.mlp(self.norm2(x))


class Vit(nn.Module):
    def __init__(self):
        super().__init__()
        self.patch = nn.Conv2d(3, 8, 4, stride=4)
        self.cls = nn.Parameter(torch.randn(1, 1, 8))
        self.pos = nn.Parameter(torch.randn(1, 17, 8))
        self.block = Block(8, 2)
        self.norm = nn.LayerNorm(8)
        self.fc = nn.Linear(8, CLASSES)

    def forward(self, x):
        x = self.patch(x).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], 1) + self.pos
        return self.fc(self.norm(self.block(x))[:, 0])


def made(kind):
    torch.manual_seed(7)
    model = kind()
    for module in model.modules():
        if isinstance(module, nn.BatchNorm2d):
            module.running_mean.normal_(0, 0.3)
            module.running_var.uniform_(0.5, 2)
            module.weight.data.uniform_(0.5, 2)
            module.bias.data.normal_(0, 0.3)
    return model.eval()


def pick(y, part):
    return y if part is None else y[part]


def note(name, model, n=4, part=None, **facts):
    with torch.no_grad():
        y = pick(model(images(n)), part)
    rows = [[None if v != v else v for v in row] for row in y.reshape(n, -1).double().tolist()]
    expected[name] = {"scores": rows, "parameters": sum(p.numel() for p in model.parameters()), **facts}


def slim(path):
    """Compresses the archive and drops the source locations, which take most of its space."""
    with zipfile.ZipFile(path) as archive:
        entries = [(i.filename, archive.read(i)) for i in archive.infolist() if not i.filename.endswith(".debug_pkl")]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in entries:
            archive.writestr(zipfile.ZipInfo(name), data, zipfile.ZIP_DEFLATED)


def save_script(name, kind, trace=False, freeze=False, double=False, n=4, part=None, **facts):
    model = made(kind).double() if double else made(kind)
    script = torch.jit.trace(model, images(n)) if trace else torch.jit.script(model)
    if freeze:
        script = torch.jit.freeze(script)
    script.save(os.path.join(OUT, name))
    slim(os.path.join(OUT, name))
    note(name, model.float(), n, part, **facts)


def save_half(name, kind, dtype):
    """Rounds the weights to `dtype`. The scores are those of single precision with these weights."""
    model = made(kind).to(dtype)
    torch.jit.script(model).save(os.path.join(OUT, name))
    slim(os.path.join(OUT, name))
    if kind is HalfInside:
        single = Cnn().eval()
        single.load_state_dict({k: v.float() for k, v in model.state_dict().items() if k != "scale"})
        with torch.no_grad():
            y = single(images(4)) * 2
        expected[name] = {"scores": y.double().tolist(), "parameters": sum(p.numel() for p in model.parameters())}
    else:
        note(name, model.float())


def save_onnx(name, kind, opset, dynamic=True, n=4, **facts):
    model = made(kind)
    axes = {"x": {0: "n"}, "y": {0: "n"}} if dynamic else None
    torch.onnx.export(model, images(n), os.path.join(OUT, name), opset_version=opset, input_names=["x"],
                      output_names=["y"], dynamic_axes=axes)
    note(name, model, n, **facts)


class Fancy(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def symbolic(g, x):
        return g.op("acme::Wobble", g.op("acme::Fancy", x))


class Unknown(Cnn):
    def forward(self, x):
        return Fancy.apply(self.fc(self.features(x)))


class Spectrum(nn.Module):
    """The model's Fourier transform is an operator whose cost is not counted."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 2, 1, bias=False)
        self.fc = nn.Linear(2 * 16 * 9, 5)

    def forward(self, x):
        return self.fc(torch.abs(torch.fft.rfft2(self.conv(x))).flatten(1))


class Quantised(nn.Module):
    """Static quantization of torch.ao packs the weights in special objects."""

    def __init__(self):
        super().__init__()
        self.inside = torch.ao.quantization.QuantStub()
        self.conv = nn.Conv2d(3, 4, 3, stride=2, padding=1)
        self.fc = nn.Linear(4 * 8 * 8, 5)
        self.outside = torch.ao.quantization.DeQuantStub()

    def forward(self, x):
        return self.outside(self.fc(torch.relu(self.conv(self.inside(x))).flatten(1)))


def save_quantised(name):
    torch.backends.quantized.engine = "qnnpack"
    model = made(Quantised)
    model.qconfig = torch.ao.quantization.get_default_qconfig("qnnpack")
    torch.ao.quantization.prepare(model, inplace=True)
    model(images(4))
    torch.ao.quantization.convert(model, inplace=True)
    torch.jit.trace(model, images(1)).save(os.path.join(OUT, name))
    slim(os.path.join(OUT, name))


def main():
    os.makedirs(OUT, exist_ok=True)
    save_script("cnn.pt", Cnn)
    save_script("frozen.pt", Cnn, freeze=True)
    save_script("vit.pt", Vit)
    save_script("double.pt", Cnn, double=True)
    save_script("tuple.pt", TupleOut, part=1)
    save_script("dict.pt", DictOut, part="logits")
    save_script("nan.pt", NanOut)
    save_script("conv_out.pt", ConvOut)
    save_script("view.pt", View)
    save_script("in_place.pt", InPlace)
    save_script("argmax.pt", ArgMax)
    save_script("fixed_batch.pt", FixedBatch, trace=True, fixed_batch=4)
    save_script("fixed_size.pt", FixedSize)
    save_script("auxiliary.pt", Auxiliary, part=0)
    save_script("auxiliary_too.pt", AuxiliaryToo, part=0)
    save_script("one_tuple.pt", OneTuple, part=0)
    save_script("one_dict.pt", OneDict, part="out")
    save_half("half.pt", Cnn, torch.float16)
    save_half("half_inside.pt", HalfInside, torch.float16)
    save_half("bfloat16.pt", Cnn, torch.bfloat16)
    torch.jit.script(made(Bytes)).save(os.path.join(OUT, "bytes.pt"))
    slim(os.path.join(OUT, "bytes.pt"))
    torch.jit.script(made(Spectrum)).save(os.path.join(OUT, "spectrum.pt"))
    slim(os.path.join(OUT, "spectrum.pt"))
    save_quantised("quantised_packed.pt")
    torch.save(made(Cnn).state_dict(), os.path.join(OUT, "state_dict.pt"))

    save_onnx("cnn_opset11.onnx", Cnn, 11)
    save_onnx("cnn_opset13.onnx", Cnn, 13)
    save_onnx("vit_opset11.onnx", Vit, 11)
    save_onnx("vit_opset13.onnx", Vit, 13)
    save_onnx("fixed_batch.onnx", Cnn, 13, dynamic=False, n=2, fixed_batch=2)
    save_onnx("fixed_size.onnx", FixedSize, 13)
    save_onnx("conv_out.onnx", ConvOut, 13)
    save_onnx("nan.onnx", NanOut, 13)
    torch.onnx.export(made(Unknown), images(1), os.path.join(OUT, "unknown_operator.onnx"), opset_version=13,
                      custom_opsets={"acme": 1})

    with open(os.path.join(OUT, "expected.json"), "w") as f:
        json.dump(expected, f, indent=1)
        f.write("\n")


if __name__ == "__main__":
    main()
