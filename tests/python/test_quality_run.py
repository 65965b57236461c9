"""assay.quality.run with functions gives the command's result, can be resumed, and never reports a dimension that was not
measured."""
import importlib.util
import json
import os
import pathlib
import re
import sys
import unittest
import warnings

import numpy as np

import assay
from assay import _quality_run
from common import InFolder, command, photos

SIDE, CLASSES, COUNT = 8, 3, 24
SETTINGS = {"input_size": [3, SIDE, SIDE], "crop_mode": "none", "mean": [0.5] * 3, "std": [0.25] * 3}
WEIGHTS = np.random.default_rng(1).normal(0, 0.1, (3 * SIDE * SIDE, CLASSES)).astype(np.float32)
FEW = {"corruptions": ["contrast"], "corruption_resize": 0, "corruption_crop": 0, "checks": False, "threads": 2, "settings": SETTINGS}
ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def linear(batch):
    return batch.reshape(len(batch), -1) @ WEIGHTS


def twice(batch):
    return 2 * linear(batch)


def gradient(batch, weights):
    return (weights @ WEIGHTS.T).reshape(batch.shape)


def cells_of(found, model):
    return next(one["dimensions"] for one in found["models"] if one["name"] == model)


@unittest.skipUnless(importlib.util.find_spec("PIL"), f"SKIPPED: {sys.executable} has no Pillow")
class Runs(InFolder):
    def setUp(self):
        super().setUp()
        photos(self.folder / "data", COUNT, CLASSES, lambda i: (SIDE + i % 3, SIDE), {})
        self.classes = self.folder / "classes.txt"
        self.classes.write_text("".join(f"c{c}\n" for c in range(CLASSES)))

    def run_quality(self, models, runs="runs", data=None, **options):
        return assay.quality.run(
            models, data or {"val": self.folder / "data"}, self.folder / runs, progress=False, **{**FEW, "classes": self.classes, **options}
        )

    def test_the_whole_chain_and_again(self):
        models, given = {"a": linear, "b": twice}, {"gradient": {"a": gradient}}
        plan = self.run_quality(models, plan=True, **given)
        self.assertTrue(plan["steps"])
        self.assertFalse((self.folder / "runs").exists())
        found = self.run_quality(models, **given)
        self.assertEqual(found, json.loads((self.folder / "runs/quality.json").read_text()))
        a, b = (cells_of(found, name) for name in "ab")
        self.assertIsNotNone(a["accuracy"]["value"])
        self.assertIsNotNone(a["adversarial_robustness"]["value"])
        # A model without a gradient has a reason instead of a value.
        self.assertIsNone(b["adversarial_robustness"]["value"])
        self.assertIn("Pass gradient=", b["adversarial_robustness"]["undefined"])
        self.assertFalse([path.name for path in (self.folder / "runs/val").iterdir() if path.name.startswith("b@")])
        # A second run computes nothing and gives the same bytes. Other code is another model and is refused.
        def counted(batch):
            return linear(batch) + 0

        self.assertEqual(self.run_quality(models, **given), found)
        self.refused(lambda: self.run_quality({"a": counted, "b": twice}, **given), "bad_input", "runs/val/a", "was begun differently")
        text = (self.folder / "runs/quality.csv").read_text()
        self.assertIn("\na,", text)
        self.assertIn("\nb,", text)

    def test_it_is_the_commands_own(self):
        """Gives the same results for models in a file: python:FILE.py:NAME."""
        code = self.folder / "models.py"
        np.save(self.folder / "weights.npy", WEIGHTS)
        code.write_text(
            f"import numpy\nweights = numpy.load({str(self.folder / 'weights.npy')!r})\n"
            f"class linear:\n    assay_settings = {SETTINGS!r}\n    def __call__(self, x): return x.reshape(len(x), -1) @ weights\nlinear = linear()\n"
        )
        file = self.folder / "assay.toml"
        file.write_text(
            f"out = 'by-file'\n[[model]]\npath = 'python:models.py:linear'\nname = 'a'\nclasses = '{self.classes}'\n[quality]\nval = 'data'\n"
            "corruptions = ['contrast']\ncorruption-resize = 0\ncorruption-crop = 0\nchecks = false\n"
        )
        # In the same Python: another NumPy has other kernels, which round the last digits otherwise.
        command("quality", "run", file, "-q", env={**os.environ, "ASSAY_PYTHON": sys.executable})
        objects, by_file = cells_of(self.run_quality({"a": linear}), "a"), cells_of(json.loads((self.folder / "by-file/quality.json").read_text()), "a")
        for name in ("accuracy", "c_robustness", "calibration_error", "class_balance", "object_focus"):
            self.assertEqual(objects[name], by_file[name], name)
        listed = self.run_quality({"a": linear}, classes=[f"c{c}" for c in range(CLASSES)])  # this is the same run
        self.assertEqual(cells_of(listed, "a"), objects)
        # Relative paths are relative to the caller's folder, also if some models are objects.
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        beside = assay.quality.run(
            {"a": "python:models.py:linear", "b": twice}, {"val": "data"}, "beside", progress=False,
            **{**FEW, "settings": {"b": SETTINGS}, "classes": "classes.txt"},
        )
        self.assertEqual(cells_of(beside, "a")["c_robustness"], by_file["c_robustness"])
        # The same for an assay.toml without roles.
        again = assay.quality.run(file, progress=False)
        self.assertEqual(cells_of(again, "a"), by_file)

    def test_false_is_a_value_of_models(self):
        plan = self.run_quality({"a": linear}, plan=True, resize_as="torch", antialias=False)
        self.assertTrue(plan["steps"])
        # The option is not dropped, because the program reports an error about it.
        self.refused(lambda: self.run_quality({"a": linear}, plan=True, resize_as="pillow", antialias=False), "usage", "antialias")

    def test_images_without_scores_are_said(self):
        (self.folder / "data/c0/bad.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            found = self.run_quality({"a": linear}, corruptions="none", attacks="none")
        self.assertTrue(found["partial"])
        self.assertIn("no score", " ".join(str(one.message) for one in said))
        self.assertEqual({one.filename for one in said if one.category is RuntimeWarning}, {__file__})

    def test_what_is_refused(self):
        data = self.folder / "data"
        for models, texts, options in (
            (linear, ("did you mean attack_limit=?",), {"atack_limit": 3}),
            (linear, ("unknown role 'sketsh'", "did you mean sketch?"), {"data": {"val": data, "sketsh": data}}),
            (linear, ("needs the role val",), {"data": {"sketch": data}}),
            (linear, ("data of the role val is a list",), {"data": {"val": [1, 2]}}),
            ({"a": linear, "b": 3}, ("b: int is not a model",), {}),
            ([linear, linear], ("two models are named linear",), {}),
            (linear, ("nothing",), {"data": {"val": data, "sketch": self.folder / "nothing"}}),
            ({"a": "timm:resnet*", "b": linear}, ("omit its name",), {}),
            (linear, ("[quality].attacks", "paper, none"), {"attacks": "all"}),
        ):
            with self.assertRaises(assay.Error) as caught:
                self.run_quality(models, **options)
            for text in texts:
                self.assertIn(text, str(caught.exception))
            self.assertNotIn("/assay.toml", str(caught.exception))
        with self.assertRaisesRegex(assay.Error, "data= is missing"):
            assay.quality.run(linear)

    def test_errors_say_which_model(self):
        def fails(batch):
            raise ValueError("not today")

        def half(batch):
            return linear(batch)[: max(1, len(batch) // 2)]

        def more(batch):
            return np.concatenate([linear(batch), linear(batch)], axis=1)

        for bad, text in ((fails, "not today"), (half, "4, 3) for 8 images"), (more, "6")):
            with self.assertRaises(assay.Error) as caught:
                self.run_quality({"good": linear, "bad one": bad}, text[:3])
            self.assertIn(text, str(caught.exception))
            self.assertIn("bad one", str(caught.exception))
            self.assertNotIn("process:", str(caught.exception))

    @unittest.skipUnless(importlib.util.find_spec("torch"), f"SKIPPED: {sys.executable} has no torch")
    def test_modules(self):
        import torch

        def made(seed):
            torch.manual_seed(seed)
            inputs = 4 * (SIDE - 2) ** 2
            return torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.Flatten(), torch.nn.Linear(inputs, CLASSES))

        first, second = made(1), made(2)
        found = self.run_quality({"v1": first, "v2": second}, attack_limit=12, attack_eps="2/255")
        for name in ("v1", "v2"):
            self.assertTrue(cells_of(found, name)["parameters"]["value"] > 0)
            self.assertIsNotNone(cells_of(found, name)["adversarial_robustness"]["value"])
        self.assertTrue(first.training and first[2].training)
        # Other weights are another model, even under the same name.
        self.refused(lambda: self.run_quality({"v1": second, "v2": first}, attack_limit=12, attack_eps="2/255"), "bad_input", "has changed")


class Keys(unittest.TestCase):
    def test_they_are_the_programs(self):
        """The lists of docs/assay.toml.md, which are written from those of the program, equal the lists here."""
        text = (ROOT / "docs/assay.toml.md").read_text().split("<!-- keys: begin -->")[1].split("<!-- keys: end -->")[0]
        tables: "dict[str, list[str]]" = {"": []}
        table = ""
        for line in text.splitlines():
            if line.startswith("["):
                table = line
                tables[table] = []
            elif " = " in line:
                tables[table].append(line.split(" = ")[0].replace("-", "_"))
        self.assertEqual([key for key in tables[""] if key != "out"], list(_quality_run.RUN))
        self.assertEqual(tables["[quality]"], list(_quality_run.QUALITY))
        # These are the keys of docs/models.md that have an option. Keys that name a model are passed in another way.
        rows = (ROOT / "docs/models.md").read_text().split("\n## Keys\n")[1].split("\n## ")[0].splitlines()
        keys = [(re.findall("`([a-z_]+)`", cells[1]), cells[2].strip()) for cells in (row.split("|") for row in rows if row.startswith("| `"))]
        known = {key for found, _ in keys for key in found}
        self.assertEqual(set(_quality_run.MODEL) - known, {"sidecar"})
        self.assertEqual({key for found, option in keys if option for key in found} - set(_quality_run.MODEL), {"name", "arch"})


if __name__ == "__main__":
    unittest.main()
