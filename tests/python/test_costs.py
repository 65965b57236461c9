"""Costs of modules. Operators are counted as they run, and compared with closed forms and with Assay's count of the same networks as
files."""
import pathlib
import re
import sys
import tempfile
import unittest


try:
    import torch
    from torch import nn
except ImportError:
    torch = None

import assay
from assay._worker import costs
from assay._worker.objects import Given, model_of
from assay._worker.operator_kinds import ELEMENTWISE, KINDS, MOVEMENT, PRODUCT, UNKNOWN, kind_of
from assay._worker.wire import COST, Reader, cost_parts
from worker_peer import InThread

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
needs_torch = unittest.skipIf(torch is None, f"SKIPPED: {sys.executable} has no torch")
SETTINGS = {"input_size": [3, 32, 32], "mean": [0.5] * 3, "std": [0.5] * 3}


class Asked:
    """A cost request."""

    def __init__(self, batch=1, threads=1, warmup=1, runs=0):
        self.batch, self.threads, self.warmup, self.runs = batch, threads, warmup, runs


def cost_of(net, side=32, **asked):
    """The cost of a module, opened for this image size."""
    with model_of(net, given=Given({"settings": SETTINGS})) as model:
        peer = InThread(model)
        peer.described()
        peer.open(side)
        found = model.cost(Asked(**asked))
        peer.close()
    return found


def macs(found):
    return sum(one["macs"] for one in found["operators"])


def attention(found):
    return sum(one["activation_macs"] for one in found["operators"])


def unknown(found):
    return {one["name"]: one["calls"] for one in found["operators"] if one["kind"] == UNKNOWN}


class Tables(unittest.TestCase):
    def test_kinds_are_those_of_files(self):
        text = (ROOT / "src/model/torch/cost_rules.cpp").read_text()
        for name, kind in (("elementwise", 1), ("normalisation", 2), ("softmax", 3), ("pooling", 4), ("movement", 5)):
            block = re.search(rf"{name}_names\[\] = \{{(.*?)\n\}};", text, re.S)
            for operator in re.findall(r'"([^"]+)"', block.group(1)):
                self.assertEqual(KINDS.get(operator), kind, operator)
        products = re.findall(r'\{"(?:aten::)?([^"]+)", \w+_macs', text)
        self.assertGreater(len(products), 40)
        for operator in products:
            if "transpose" not in operator:  # PyTorch runs this layer as aten::convolution
                self.assertIn(operator, costs._PRODUCTS)

    def test_names_are_found_as_pytorch_spells_them(self):
        self.assertEqual([kind_of(name) for name in ("aten::relu_", "aten::view", "acme::wobble", "aten::__and__")], [1, MOVEMENT, UNKNOWN, 1])

    def test_a_cost_is_cut_into_messages(self):
        node = {"name": "n" * 600, "op": "o", "shape": "1", "macs": 1, "live_bytes": 2}
        cost = {
            "batch": 2, "parameters": 3, "buffers": 4, "bytes": 5, "operators": [], "nodes": [node] * 3000, "executed_nodes": 3000,
            "peak_bytes": 6, "peak_node": "p", "seconds": [0.5], "no_operators": "why",
        }
        parts = cost_parts(cost)
        self.assertGreater(len(parts), 10)
        self.assertEqual([part[:2] for part in parts], [bytes([COST, i == len(parts) - 1]) for i in range(len(parts))])
        fields = Reader(bytes([COST]) + b"".join(part[2:] for part in parts), COST)
        self.assertEqual([fields.number() for _ in range(6)], [2, 3, 4, 5, 0, 3000])
        self.assertEqual(len(fields.text()), 512)


@needs_torch
class Counts(unittest.TestCase):
    def test_closed_forms(self):
        for net, wanted in (
            (nn.Conv2d(3, 8, 3, padding=1), 32 * 32 * 8 * 27),
            (nn.Conv2d(3, 9, 3, groups=3, stride=2, padding=1), 16 * 16 * 9 * 9),
            (nn.ConvTranspose2d(3, 8, 2, stride=2), 32 * 32 * 3 * 8 * 4),
            (nn.Conv2d(3, 8, 3, dilation=2), 28 * 28 * 8 * 27),
        ):
            whole = nn.Sequential(net, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8 if net.out_channels == 8 else 9, 5))
            features = whole[3].in_features
            for batch in (1, 3):
                found = cost_of(whole, batch=batch)
                self.assertEqual(macs(found), batch * (wanted + 5 * features), whole)
                self.assertEqual((attention(found), unknown(found)), (0, {}))

    def test_attention_is_told_from_products_with_weights(self):
        class Attends(nn.Module):
            def __init__(self):
                super().__init__()
                self.project = nn.Linear(8, 24)
                self.head = nn.Linear(8, 4)

            def forward(self, x):
                tokens = nn.functional.avg_pool2d(x, 8).mean(1).flatten(1).unfold(1, 8, 2)  # the output is n x 5 x 8
                q, k, v = self.project(tokens).chunk(3, -1)
                return self.head(torch.softmax(q @ k.transpose(1, 2), -1) @ v).mean(1)

        found = cost_of(Attends(), batch=2)
        self.assertEqual(attention(found), 2 * 2 * 5 * 5 * 8)
        self.assertEqual(macs(found), 2 * (5 * 8 * 24 + 2 * 5 * 5 * 8 + 5 * 8 * 4))
        layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

        class Encodes(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = layer

            def forward(self, x):
                return self.layer(nn.functional.avg_pool2d(x, 8).mean(1).flatten(1).unfold(1, 8, 2)).mean(1)

        found = cost_of(Encodes())
        self.assertEqual((macs(found), attention(found)), (5 * 8 * (4 * 8 + 2 * 16) + 2 * 5 * 5 * 8, 2 * 5 * 5 * 8))

    def test_what_has_no_rule_is_named(self):
        class Transforms(nn.Module):
            def forward(self, x):
                return torch.fft.fft2(x).abs().mean((2, 3))

        self.assertEqual([name.split("::")[0] for name in unknown(cost_of(Transforms()))], ["aten"])

    def test_activations_live_to_their_last_use(self):
        class Chain(nn.Module):
            def forward(self, x):
                a = x + 1  # the input and a are alive, two tensors of 3 x 32 x 32
                b = a * 2  # a and b are alive
                return b.mean((2, 3))

        found = cost_of(Chain())
        self.assertEqual((found["peak_bytes"], found["executed_nodes"]), (2 * 4 * 3 * 32 * 32, 3))
        self.assertEqual(found["peak_node"], "node 1: aten::add (1 x 3 x 32 x 32)")

    def test_weights_are_counted_once(self):
        net = nn.Sequential(nn.Conv2d(3, 3, 1), nn.BatchNorm2d(3), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(3, 3))
        net.append(net[4])
        found = cost_of(net)
        self.assertEqual((found["parameters"], found["buffers"]), (12 + 6 + 12, 7))

    def test_functions_give_what_they_can(self):
        def free(x):
            return torch.relu(x).mean((2, 3))

        found = cost_of(free, runs=3)
        self.assertEqual((len(found["seconds"]), macs(found)), (3, 0))
        self.assertIn("nn.Module", found["no_weights"])
        self.assertNotIn("no_operators", found)
        found = cost_of(lambda x: x.mean((2, 3)), runs=2)  # a function of NumPy arrays is no module
        self.assertEqual((len(found["seconds"]), found["operators"]), (2, []))
        self.assertIn("NumPy", found["no_operators"])
        net = nn.Linear(3, 4)
        self.assertEqual(cost_of(lambda x: net(x.mean((2, 3))))["parameters"], 16)


def residual():
    class Block(nn.Module):
        def __init__(self, narrow, wide, stride):
            super().__init__()
            self.a = nn.Sequential(
                nn.Conv2d(narrow, wide, 3, stride, 1, bias=False), nn.BatchNorm2d(wide), nn.ReLU(), nn.Conv2d(wide, wide, 3, 1, 1, bias=False),
                nn.BatchNorm2d(wide),
            )
            self.b = nn.Sequential(nn.Conv2d(narrow, wide, 1, stride, bias=False), nn.BatchNorm2d(wide))

        def forward(self, x):
            return torch.relu(self.a(x) + self.b(x))

    return nn.Sequential(
        nn.Conv2d(3, 16, 7, 2, 3, bias=False), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(3, 2, 1), Block(16, 16, 1), Block(16, 32, 2),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10),
    )


def depthwise():
    layers = [nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.Hardswish()]
    for narrow, wide in ((8, 16), (16, 32)):
        layers += [
            nn.Conv2d(narrow, narrow, 3, 2, 1, groups=narrow, bias=False), nn.BatchNorm2d(narrow), nn.ReLU6(),
            nn.Conv2d(narrow, wide, 1, bias=False), nn.BatchNorm2d(wide), nn.Hardswish(),
        ]
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(32, 10))


def vision_transformer():
    class Attention(nn.Module):
        def __init__(self):
            super().__init__()
            self.norm, self.qkv, self.out = nn.LayerNorm(24), nn.Linear(24, 72), nn.Linear(24, 24)

        def forward(self, x):
            n, tokens, width = x.shape
            q, k, v = self.qkv(self.norm(x)).reshape(n, tokens, 3, 2, width // 2).permute(2, 0, 3, 1, 4).unbind(0)
            weights = torch.softmax(q @ k.transpose(-2, -1) / 3.5, -1)
            return x + self.out((weights @ v).transpose(1, 2).reshape(n, tokens, width))

    class Transformer(nn.Module):
        def __init__(self):
            super().__init__()
            self.patches = nn.Conv2d(3, 24, 8, 8)
            self.token = nn.Parameter(torch.zeros(1, 1, 24))
            self.blocks = nn.Sequential(*(Attention() for _ in range(2)))
            self.mlp = nn.Sequential(nn.LayerNorm(24), nn.Linear(24, 48), nn.GELU(), nn.Linear(48, 24))
            self.head = nn.Linear(24, 10)

        def forward(self, x):
            x = self.patches(x).flatten(2).transpose(1, 2)
            x = self.blocks(torch.cat([self.token.expand(x.shape[0], -1, -1), x], 1))
            return self.head((x + self.mlp(x))[:, 0])

    return Transformer()


@needs_torch
class Files(unittest.TestCase):
    """The same network as an object and as a TorchScript file."""

    def test_both_give_the_same_numbers(self):
        options = {"input_size": 32, "preset": "timm", "device": "cpu", "runs": 20}
        nets = {make.__name__: make().eval() for make in (residual, depthwise, vision_transformer)}
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for name, net in nets.items():
                files.append(f"{folder}/{name}.pt")
                torch.jit.trace(net, torch.zeros(1, 3, 32, 32)).save(files[-1])
            of_files = {one["model"]: one for one in assay.cost(files, **options)["models"]}
            of_objects = {one["model"]: one for one in assay.cost(nets, **options)["models"]}
        self.assertEqual(set(of_objects), set(nets))
        for name, there in of_files.items():
            here = of_objects[name]
            for key in ("parameters", "buffers", "weight_bytes", "macs", "attention_macs", "macs_per_image", "flops_per_image"):
                self.assertEqual(here[key], there[key], f"{name}: {key}")
            self.assertEqual(here["unknown"], {})
            self.assertGreater(here["macs"], 0)
            self.assertEqual(here["file_bytes"], 0)
            self.assertEqual(here["measured"]["runs"], 20)
            self.assertGreater(here["measured"]["latency_ms"]["min"], 0)
            # An in-place operation counts as one operator in the file and as two in the object, so the peaks may differ by one
            # activation.
            self.assertLess(abs(here["peak_activation_bytes"] / there["peak_activation_bytes"] - 1), 0.5, name)
        self.assertGreater(of_objects["vision_transformer"]["attention_macs"], 0)


if __name__ == "__main__":
    unittest.main()
