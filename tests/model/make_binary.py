"""Writes fixtures/binary*: models with one score per image and models of one channel, and PyTorch's scores for images().

Run it only to change the fixtures that the tests read. Needs PyTorch 1.13.
"""
import json
import pathlib
import zipfile

import torch

FIXTURES = pathlib.Path(__file__).resolve().parent / "fixtures"
SIDE = 16


def images(n):
    """The same numbers as images() of images.h."""
    k = torch.arange(n * 3 * SIDE * SIDE)
    return ((k * 7919) % 1009).float().div(504.5).sub(1).view(n, 3, SIDE, SIDE)


class Net(torch.nn.Module):
    def __init__(self, channels, scores, flat=False, sigmoid=False):
        super().__init__()
        self.conv, self.out = torch.nn.Conv2d(channels, 4, 5, stride=3), torch.nn.Linear(4, scores)
        self.flat, self.sigmoid = flat, sigmoid

    def forward(self, x):
        y = self.out(torch.relu(self.conv(x)).mean((2, 3))) * 3
        y = y.sigmoid() if self.sigmoid else y
        return y.squeeze() if self.flat else y


def slim(path):
    """Removes the source locations from an archive."""
    with zipfile.ZipFile(path) as archive:
        entries = [(i.filename, archive.read(i), i.compress_type) for i in archive.infolist() if not i.filename.endswith(".debug_pkl")]
    with zipfile.ZipFile(path, "w") as archive:
        for name, data, kind in entries:
            archive.writestr(zipfile.ZipInfo(name), data, kind)


expected = {}
for name, settings in {
    "binary": {"channels": 3, "scores": 1}, "binary_flat": {"channels": 3, "scores": 1, "flat": True},
    "binary_sigmoid": {"channels": 3, "scores": 1, "sigmoid": True}, "binary_gray": {"channels": 1, "scores": 3},
}.items():
    torch.manual_seed(7)
    net = Net(**settings).eval()
    x = images(3)[:, :settings["channels"]].contiguous()
    with torch.no_grad():
        expected[name] = net(x).view(3, -1).tolist()
        torch.jit.trace(net, x[:2]).save(FIXTURES / f"{name}.pt")
        slim(FIXTURES / f"{name}.pt")
        torch.onnx.export(net, x[:2], FIXTURES / f"{name}.onnx", input_names=["x"], output_names=["y"],
                          dynamic_axes={"x": {0: "n"}, "y": {0: "n"}}, opset_version=13)
(FIXTURES / "expected_binary.json").write_text(json.dumps(expected) + "\n")
