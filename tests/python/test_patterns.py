"""Which models a pattern stands for, with libraries of those names that the test makes."""
import fnmatch
import sys
import types
import unittest
from unittest import mock

from assay._worker import hubs, patterns
from assay._worker.wire import Refused


def module(name, **contents):
    made = types.ModuleType(name)
    made.__dict__.update(contents)
    return made


def fake_timm(classes):
    """classes: by name."""
    def get_pretrained_cfg(name, allow_unregistered):
        return types.SimpleNamespace(num_classes=classes[name])

    def list_models(pattern, pretrained):
        assert pretrained
        return fnmatch.filter(classes, pattern)

    models = module("timm.models", get_pretrained_cfg=get_pretrained_cfg)
    return {"timm": module("timm", __version__="1.0", list_models=list_models, models=models), "timm.models": models}


def fake_torchvision():
    def weights(**metrics):
        return [types.SimpleNamespace(name=tag, meta={"_metrics": {"ImageNet-1K": {"acc@1": value}}} if value else {}) for tag, value in metrics.items()]

    known = {"alexnet": weights(V1=56.5), "resnet18": weights(V1=69.8, V2=70.25), "plain": weights(V1=None)}
    models = module("torchvision.models", list_models=lambda module: list(known), get_model_weights=known.__getitem__)
    return {"torchvision": module("torchvision", __version__="0.9+cpu", models=models), "torchvision.models": models}


class Patterns(unittest.TestCase):
    def of(self, text, modules):
        with mock.patch.dict(sys.modules, modules):
            return patterns.matches_of(text)

    def test_timm(self):
        modules = fake_timm({"resnet50.b": 1000, "resnet18.a": 1000, "resnet18.large": 21841, "vit.dino": 0})
        self.assertEqual(self.of("timm:resnet*", modules), {"library": "timm 1.0", "left_out": 1, "names": [["timm:resnet18.a", None], ["timm:resnet50.b", None]]})
        self.assertEqual(self.of("timm:*.large", modules)["names"], [["timm:resnet18.large", None]])  # nothing else fits

    def test_torchvision_carries_accuracies(self):
        modules = fake_torchvision()
        found = self.of("torchvision:*", modules)
        self.assertEqual(found["library"], "torchvision 0.9")
        self.assertEqual(found["names"], [
            ["torchvision:alexnet.V1", 0.565], ["torchvision:plain.V1", None], ["torchvision:resnet18.V1", 0.698], ["torchvision:resnet18.V2", 0.7025]])
        self.assertEqual([name for name, _ in self.of("torchvision:resnet??", modules)["names"]], ["torchvision:resnet18.V1", "torchvision:resnet18.V2"])
        self.assertEqual([name for name, _ in self.of("torchvision:*.V2", modules)["names"]], ["torchvision:resnet18.V2"])

    def test_open_clip(self):
        library = module("open_clip", __version__="3", list_pretrained=lambda: [("ViT-B-32", "openai"), ("RN50", "cc12m")])
        self.assertEqual(self.of("open_clip:ViT-*", {"open_clip": library})["names"], [["open_clip:ViT-B-32/openai", None]])

    def test_a_pattern_is_no_model(self):
        with self.assertRaises(Refused) as caught:
            hubs.open_source("timm:resnet*", None, print)
        self.assertIn("--draw-models N", caught.exception.message)

    def test_what_has_no_list_is_refused(self):
        for text, modules, said in (
            ("timm:nothing*", fake_timm({"resnet18.a": 1000}), "timm 1.0 has no model with weights that nothing* matches"),
            ("hf:*", {}, "no list says which models hf: has"),
        ):
            with self.assertRaises(Refused) as caught:
                self.of(text, modules)
            self.assertIn(said, caught.exception.message)


if __name__ == "__main__":
    unittest.main()
