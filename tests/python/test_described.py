"""Descriptions of models in Python, with their identities, their preprocessing, and the Python that loads them."""
import functools
import os
import pathlib
import sys
import tempfile
import threading
import unittest
from unittest import mock

from assay import command
from assay._worker import wire
from assay._worker.objects import Given, model_of, safe_name
from assay._worker.wire import Refused
from test_worker import needs_torch, network, torch


@needs_torch
class Identity(unittest.TestCase):
    def of(self, value, **given):
        model = model_of(value, given=Given(given))
        model.identify()
        return model.description.identity

    def test_of_modules(self):
        self.assertEqual(self.of(network()), self.of(network()))
        self.assertEqual(self.of(network().train()), self.of(network().eval().to(memory_format=torch.channels_last)))
        others = [network(1), network().half(), torch.nn.Sequential(*network(), torch.nn.Softmax(1))]
        changed = network()
        changed[2] = torch.nn.GELU()
        others.append(changed)
        moved = network()
        moved[1].running_mean[0] += 1e-3
        others.append(moved)
        found = [self.of(one) for one in [network(), *others]]
        self.assertEqual(len(set(found)), len(found))

    def test_of_functions(self):
        net, offset = network(), 1.0

        def first(x):
            return net(x) + offset

        def second(x):
            return net(x) - offset

        def opaque(x):
            return lock and x

        lock = threading.Lock()
        self.assertNotEqual(self.of(first), self.of(second))
        before = self.of(first)
        self.assertEqual(before, self.of(first))
        offset = 2.0
        self.assertNotEqual(before, self.of(first))
        self.assertEqual(self.of(opaque), "")
        self.assertNotEqual(self.of(opaque, identity="v1"), self.of(opaque, identity="v2"))
        self.assertEqual(len(self.of(opaque, identity="v1")), 32)

    def test_of_code_and_attributes(self):
        def of_class(factor):
            names = {"torch": torch, "__name__": "users_net"}
            exec(f"class Net(torch.nn.Module):\n    def forward(self, x):\n        return x.mean((2, 3)) * {factor}", names)
            return names["Net"]()

        self.assertEqual(self.of(of_class(2)), self.of(of_class(2)))
        self.assertNotEqual(self.of(of_class(2)), self.of(of_class(3)))
        found = [self.of(of_class(2))]
        for key, value in (("temperature", 1.0), ("temperature", 2.0), ("scale", torch.ones(2)), ("scale", torch.zeros(2))):
            net = of_class(2)
            setattr(net, key, value)
            found.append(self.of(net))
        self.assertEqual(len(set(found)), len(found))
        torch.jit.script(network())
        self.assertEqual(self.of(torch.jit.script(network())), self.of(torch.jit.script(network())))

    def test_of_what_functions_refer_to(self):
        a, b = [1], [2]
        self.assertNotEqual(self.of(functools.partial(max, [a, b, a])), self.of(functools.partial(max, [a, b, b])))

        def of_object(body):
            names = {"__name__": "users_object"}
            exec(f"class Call:\n    def __call__(self, x):\n        return self.part(x)\n    def part(self, x):\n        return {body}", names)
            return self.of(names["Call"]())

        self.assertEqual(of_object("x"), of_object("x"))
        self.assertNotEqual(of_object("x"), of_object("-x"))

        import worker_peer

        def of_user_code(x):
            return worker_peer.number(x)

        def before_it_is_set(x):
            return later(x)

        self.assertEqual(self.of(of_user_code), "")
        self.assertEqual(len(self.of(before_it_is_set)), 32)
        later = max  # noqa: F841


class Resize:
    size, interpolation = 40, "bilinear"


class Lanczos(Resize):
    interpolation = "lanczos"


Lanczos.__name__ = "Resize"


class Normalize:
    mean, std = (0.5, 0.5, 0.5), (0.5, 0.5, 0.5)


class CenterCrop:
    size = 32


class ToTensor:
    pass


class PILToTensor:
    pass


class ResizeKeepRatio:
    size, interpolation = (32, 40), "bilinear"


class Compose:
    def __init__(self, *transforms):
        self.transforms = transforms


class Said(unittest.TestCase):
    """The preprocessing in the description of a model."""

    def settings(self, **given):
        def net(x):
            return x

        net.assay_settings = {"input_size": [3, 24, 24], "test_input_size": [3, 28, 28], "crop_pct": 0.9, "label_names": ["a"]}
        return model_of(net, given=Given(given)).description.settings

    def test_what_is_said_replaces_what_says_the_same(self):
        self.assertEqual(self.settings(settings={"input_size": 22}), {"input_size": 22, "crop_pct": 0.9, "label_names": ["a"]})
        self.assertNotIn("crop_pct", self.settings(settings={"resize_size": 30}))
        found = self.settings(transform=Compose(Resize(), CenterCrop(), ToTensor()))
        self.assertEqual((found["input_size"], found["resize_size"], found["label_names"]), ([3, 32, 32], 40, ["a"]))
        self.assertFalse({"crop_pct", "test_input_size"} & set(found))
        processor = mock.Mock(image_processor=mock.Mock(to_dict=lambda: {"size": {"height": 32, "width": 32}}))
        self.assertEqual(self.settings(processor=processor), {"label_names": ["a"]})

    def test_transforms_without_a_counterpart(self):
        for steps, text in (
            ((Resize(), CenterCrop(), PILToTensor()), "returns bytes"), ((ToTensor(), Normalize(), Resize(), CenterCrop()), "the output of Normalize"),
            ((ToTensor(), Lanczos(), CenterCrop()), "resizes a tensor of floats by lanczos"),
            ((ResizeKeepRatio(), CenterCrop(), ToTensor()), "unequal sides"),
        ):
            with self.assertRaisesRegex(Refused, text):
                self.settings(transform=Compose(*steps))

    def test_texts_fit_their_messages(self):
        self.assertEqual(safe_name("é" * 150), "é" * 100)
        self.assertEqual(len(wire.said("x" * 5000)), 1 + 8 + wire.LONGEST_NOTE)


class Program(unittest.TestCase):
    def test_models_by_name_are_loaded_by_this_python(self):
        with tempfile.TemporaryDirectory(prefix="assay-test-") as folder:
            program = pathlib.Path(folder) / "assay"
            program.write_text('#!/bin/sh\necho "$ASSAY_PYTHON"\n')
            program.chmod(0o755)
            with mock.patch.dict(os.environ, {"ASSAY_PROGRAM": str(program)}):
                os.environ.pop("ASSAY_PYTHON", None)
                self.assertEqual(command.run().output, f"{sys.executable}\n")
                os.environ["ASSAY_PYTHON"] = "/another"
                self.assertEqual(command.run().output, "/another\n")


if __name__ == "__main__":
    unittest.main()
