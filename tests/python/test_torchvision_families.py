"""Tests that tests/model/torchvision_table.py runs a model of each family of torchvision's classifiers."""
import importlib.util
import pathlib
import sys
import unittest

TABLE = pathlib.Path(__file__).resolve().parents[1] / "model" / "torchvision_table.py"


def table():
    spec = importlib.util.spec_from_file_location("torchvision_table", TABLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@unittest.skipUnless(importlib.util.find_spec("torchvision"), f"SKIPPED: {sys.executable} has no torchvision")
class Families(unittest.TestCase):
    def test_every_family_has_a_model_in_the_table(self):
        from torchvision import models

        names = models.list_models(module=models)
        self.assertGreater(len(names), 50)
        self.assertEqual(table().missing_families(names), [])
        self.assertLessEqual({name for name in table().FAMILIES}, set(names))

    def test_families(self):
        family = table().family_of
        for name, expected in (
            ("efficientnet_b7", "efficientnet"), ("efficientnet_v2_s", "efficientnet_v2"), ("regnet_y_1_6gf", "regnet_y"), ("vgg19_bn", "vgg_bn"),
            ("resnext101_64x4d", "resnext"), ("wide_resnet50_2", "wide_resnet"), ("vit_h_14", "vit"), ("mobilenet_v3_small", "mobilenet_v3"),
            ("swin_v2_b", "swin_v2"), ("mnasnet0_75", "mnasnet"), ("inception_v3", "inception_v3"),
        ):
            self.assertEqual(family(name), expected)
        self.assertEqual(table().missing_families(["resnet18", "hornet_t"]), ["hornet"])


if __name__ == "__main__":
    unittest.main()
