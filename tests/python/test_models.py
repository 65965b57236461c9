"""Tests assay.predict, attack and check with objects. The program decodes images and stores scores, and the model runs in this
process."""
import csv
import importlib.util
import math
import pathlib
import signal
import statistics
import subprocess
import sys
import time
import unittest

import numpy as np
import torch
from PIL import Image

import assay
from common import InFolder, listen_to_ctrl_c

SIDE, CLASSES, COUNT = 16, 4, 12
with_export = unittest.skipUnless(hasattr(torch, "export"), f"SKIPPED: PyTorch {torch.__version__} has no torch.export")
SETTINGS = {"input_size": [3, SIDE, SIDE], "resize_size": 20, "interpolation": "bilinear", "mean": [0.5] * 3, "std": [0.25] * 3}


def network(seed=0):
    torch.manual_seed(seed)
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, stride=2), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.Dropout(0.5), torch.nn.AdaptiveAvgPool2d(2),
        torch.nn.Flatten(), torch.nn.Linear(32, CLASSES),
    )


def draw(folder):
    random = np.random.default_rng(5)
    for i in range(COUNT):
        path = folder / f"c{i % CLASSES}" / f"{i:02}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        small = random.integers(0, 256, (6, 5 + i % 3, 3), np.uint8)
        Image.fromarray(small).resize((24 + i, 30), Image.BICUBIC).save(path)
    return folder


def prepared(path):
    """The preprocessing of SETTINGS in Pillow and NumPy."""
    image = Image.open(path).convert("RGB")
    width, height = image.size
    short = 20
    size = (short, int(short * height / width)) if width <= height else (int(short * width / height), short)
    image = np.asarray(image.resize(size, Image.BILINEAR))
    top, left = round((image.shape[0] - SIDE) / 2), round((image.shape[1] - SIDE) / 2)
    pixels = image[top:top + SIDE, left:left + SIDE].astype(np.float32) / np.float32(255)
    return ((pixels - np.float32(0.5)) / np.float32(0.25)).transpose(2, 0, 1)


class Objects(InFolder):
    def setUp(self):
        super().setUp()
        self.data = draw(self.folder / "data")

    def predict(self, model, runs="runs", **options):
        return assay.predict(model, self.data, self.folder / runs, **{"settings": SETTINGS, "threads": 2, **options})

    def expected(self, net, store):
        with torch.no_grad():
            return net.eval()(torch.from_numpy(np.stack([prepared(self.data / id_) for id_ in store.ids]))).numpy()

    def test_a_module(self):
        net = network().train()
        (store,) = self.predict(net)
        self.assertEqual((store.model, len(store), net.training, net[3].training), ("Sequential", COUNT, True, True))
        np.testing.assert_allclose(np.asarray(store.scores()), self.expected(network(), store), rtol=1e-4, atol=1e-5)
        # A second call computes nothing, and scores from other weights are never mixed in.
        (again,) = self.predict(net)
        np.testing.assert_array_equal(np.asarray(again.scores()), np.asarray(store.scores()))
        self.refused(lambda: self.predict(network(1)), "bad_input", "Sequential")
        (one,) = self.predict(net, "one", threads=1)
        np.testing.assert_array_equal(np.asarray(one.scores()), np.asarray(store.scores()))

    def same_scores(self, net, forms):
        (store,) = self.predict(net)
        for name, form in forms.items():
            (own,) = self.predict({name: form})
            np.testing.assert_allclose(own.scores(), store.scores(), atol=1e-6, err_msg=name)

    def test_scripted_and_traced_modules(self):
        net = network().eval()
        self.same_scores(net, {"scripted": torch.jit.script(net), "traced": torch.jit.trace(net, torch.zeros(2, 3, SIDE, SIDE))})

    @with_export
    def test_exported_modules(self):
        net = network().eval()
        batch = torch.zeros(2, 3, SIDE, SIDE)
        exported = torch.export.export(net, (batch,), dynamic_shapes=({0: torch.export.Dim("batch", min=1, max=64)},))
        self.same_scores(net, {"exported": exported, "module": exported.module()})
        for place, name in ((1, "aten.batch_norm"), (3, "aten.dropout")):
            net = network().eval()
            net[place].train()
            exported = torch.export.export(net, (batch,), dynamic_shapes=({0: torch.export.Dim("batch", min=1, max=64)},))
            self.refused(lambda: self.predict(exported), "bad_input", f"in training mode ({name}", "net.eval() before torch.export.export(net, ...)")

    @with_export
    def test_an_exported_module_in_a_module(self):
        net, batch = network().eval(), torch.zeros(2, 3, SIDE, SIDE)
        (store,) = self.predict(net)

        def within(one):
            exported = torch.export.export(one, (batch,), dynamic_shapes=({0: torch.export.Dim("batch", min=1, max=64)},))
            return torch.nn.Sequential(torch.nn.Identity(), exported.module(), torch.nn.Dropout(0.9))

        whole = within(net)
        (own,) = self.predict({"whole": whole})
        np.testing.assert_allclose(own.scores(), store.scores(), atol=1e-6)
        self.assertTrue(all(one.training for one in whole.modules()))
        net = network().eval()
        net[3].train()
        whole = within(net)
        self.refused(lambda: self.predict(whole), "bad_input", "in training mode (aten.dropout", "before torch.export.export(net, ...)")
        self.assertTrue(all(one.training for one in whole.modules()))

    def test_functions_and_dictionaries(self):
        net = network().eval()

        def means(x):
            return np.concatenate([x.mean((2, 3)), x.max((1, 2, 3), keepdims=False)[:, None]], 1)

        stores = self.predict({"net": net, "twice": lambda x: 2 * net(x), "means": means})
        self.assertEqual([store.model for store in stores], ["net", "twice", "means"])
        scores = [np.asarray(store.scores()) for store in stores]
        np.testing.assert_allclose(scores[1], 2 * scores[0], rtol=1e-5)
        batch = np.stack([prepared(self.data / id_) for id_ in stores[2].ids])
        np.testing.assert_allclose(scores[2], means(batch), rtol=1e-5, atol=1e-6)
        self.refused(lambda: self.predict([net, network(1)]), "usage", "two models are named Sequential")

    def test_names_of_the_classes(self):
        net, names = network().eval(), [f"c{i}" for i in range(CLASSES)]
        file = self.folder / "classes.txt"
        file.write_text("\n".join(names))
        called = []

        def counted(x):
            called.append(len(x))
            return net(x)

        given = {"identity": "weights 1", "batches": "torch"}
        (first,) = self.predict({"net": counted}, classes=file, **given)
        self.assertEqual(first.class_names, names)
        done = len(called)
        for classes in (names, tuple(names), np.array(names), dict(enumerate(names)), {name: name for name in names}):
            (store,) = self.predict({"net": counted}, classes=classes, **given)  # this call gives the same store
            self.assertEqual((store.path, store.class_names), (first.path, names))
        self.assertLessEqual(sum(called[done:]), 5 * COUNT // 2, "only the trial is run again")
        (store,) = self.predict({"net": counted}, "others", classes={f"n{i}": name for i, name in enumerate(names)}, **given)
        self.assertEqual(store.class_names, names)
        self.assertEqual(
            assay.evaluate(net, self.data, self.folder / "eval", settings=SETTINGS, classes=names, progress=False)["accuracy"].value,
            assay.score(first)["top1"].value)
        self.refused(lambda: self.predict(net, classes=names[1:]), "bad_input", "class list has")

    def test_what_the_model_raises_is_the_cause(self):
        def model(x):
            if len(x) > 1:
                raise ValueError("not today")
            return x.mean((2, 3))[:, [0, 1, 2, 0]]

        found = self.refused(lambda: self.predict(model), "bad_input", "ValueError: not today", "test_models.py")
        self.assertIsInstance(found.__cause__, ValueError)

    def test_what_is_wrong_is_said(self):
        net = network()
        self.refused(lambda: self.predict(net, settings=None), "usage", "preset")
        self.refused(lambda: self.predict(3), "usage", "int is not a model")
        self.refused(lambda: self.predict("m.pt", identity="x"), "usage", "identity=")
        self.refused(lambda: self.predict([]), "usage", "no models")
        self.refused(lambda: self.predict({"a": net}, name="b"), "usage", "name=")
        self.refused(lambda: self.predict(net, batches="jax"), "usage", "jax")
        self.refused(lambda: self.predict(lambda x: x), "bad_input", "shape")

    def test_images_without_scores_are_said(self):
        class Nan(torch.nn.Module):
            def forward(self, x):
                return torch.full((len(x), CLASSES), float("nan"))

        with self.assertWarnsRegex(RuntimeWarning, f"Nan on data: {COUNT} of {COUNT} images have no score; the first: c0/00.png"):
            self.predict(Nan(), no_trial=True)

    def test_errors_of_several_models_say_which(self):
        class Picky(torch.nn.Module):
            def forward(self, x):
                if len(x) > 1:
                    raise ValueError("not today")
                return torch.zeros(1, CLASSES)

        for call in (assay.evaluate, assay.predict):
            found = self.refused(
                lambda call=call: call({"good": network(), "bad one": Picky()}, self.data, self.folder / call.__name__, settings=SETTINGS, progress=False),
                "bad_input", "the model raised ValueError: not today", "bad one",
            )
            self.assertNotIn("process:", str(found))
        # Both models have one class, so the error names the key of the dictionary.
        two = {"one": network(), "two": torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(5, 2))}
        self.refused(lambda: self.predict(two), "bad_input", "opening the model two")
        self.refused(lambda: self.predict({"a": network(), "b": 3}), "usage", "b: int is not a model")
        self.refused(lambda: self.predict([network(), 3]), "usage", "model 2 of 2 (int)")

    def test_gray_images(self):
        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(4 * (SIDE - 2) ** 2, CLASSES))
        self.refused(lambda: self.predict(net), "bad_input", 'channel_order="gray"', "Grayscale()")
        gray = {**SETTINGS, "input_size": [1, SIDE, SIDE], "mean": 0.5, "std": 0.25}
        (store,) = self.predict(net, settings=gray)
        found = np.asarray(store.scores())
        options = {"channel_order": "gray", "input_size": SIDE, "resize_size": 20, "interpolation": "bilinear", "mean": 0.5, "std": 0.25}
        (again,) = self.predict({"options": net}, settings=None, **options)
        np.testing.assert_array_equal(np.asarray(again.scores()), found)
        coloured = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.Flatten(), torch.nn.Linear(4 * (SIDE - 2) ** 2, CLASSES))
        self.refused(lambda: self.predict({"coloured": coloured}, settings=gray), "bad_input", "images of three channels", "coloured")
        # FGSM on one channel: accuracy falls, and eps is in gray levels.
        cells = assay.attack(net, self.data, self.folder / "attacked", attack="fgsm", eps="8/255", settings=gray, progress=False)["models"][0]["attacks"]
        self.assertEqual([cell["attack"] for cell in cells], ["noise", "fgsm"])
        self.assertGreaterEqual(cells[0]["robust"], cells[1]["robust"])

    @unittest.skipUnless(importlib.util.find_spec("torchvision"), f"SKIPPED: {sys.executable} has no torchvision")
    def test_a_transform_says_that_images_are_gray(self):
        from torchvision import transforms

        torch.manual_seed(0)
        net = torch.nn.Sequential(torch.nn.Conv2d(1, 4, 3), torch.nn.Flatten(), torch.nn.Linear(4 * (SIDE - 2) ** 2, CLASSES))
        resize, to, normalize = transforms.Resize(20), transforms.ToTensor(), transforms.Normalize((0.5,), (0.25,))
        steps = transforms.Compose([transforms.Grayscale(), resize, transforms.CenterCrop(SIDE), to, normalize])
        (store,) = self.predict(net, settings=None, transform=steps)
        with torch.no_grad():
            x = torch.stack([steps(Image.open(self.data / id_)) for id_ in store.ids])
            np.testing.assert_allclose(np.asarray(store.scores()), net(x).numpy(), rtol=1e-4, atol=1e-5)
        late = transforms.Compose([resize, transforms.Grayscale(), transforms.CenterCrop(SIDE), to, normalize])
        self.refused(lambda: self.predict({"late": net}, settings=None, transform=late), "bad_input", "put it first")
        three = transforms.Compose([transforms.Grayscale(3), resize, transforms.CenterCrop(SIDE), to, normalize])
        self.refused(lambda: self.predict({"three": net}, settings=None, transform=three), "bad_input", "Grayscale with three channels")

    def test_attack_and_check(self):
        net = network()
        found = assay.attack(net, self.data, self.folder / "runs", attack="fgsm", eps="8/255", settings=SETTINGS)
        self.assertIn("fgsm", str(found))
        self.assertTrue(all(p.requires_grad and p.grad is None for p in net.parameters()))
        (cost,) = assay.cost(net, settings=SETTINGS)["models"]
        self.assertEqual(cost["parameters"], sum(p.numel() for p in net.parameters()))
        self.assertEqual(cost["macs"], 7 * 7 * 8 * 27 + 32 * CLASSES)
        self.assertIn("Sequential", str(assay.check(net, self.data, settings=SETTINGS)))

    def test_certify_is_the_command(self):
        net = network()
        options = {"sigma": 0.25, "samples": 40, "selection": 10, "alpha": 0.05}
        found = assay.certify(net, self.data, self.folder / "runs", settings=SETTINGS, progress=False, **options)["models"][0]
        (store,) = assay.stores(found["store"])
        chosen, counts = np.asarray(assay.Store(found["selection_store"]).scores()), np.asarray(store.scores()) * 40
        np.testing.assert_array_equal(counts, np.round(counts))
        np.testing.assert_array_equal(counts.sum(1), 40)
        # The table's radius: sigma times the normal quantile of the exact lower bound (Clopper and Pearson).
        with open(found["table"], newline="") as table:
            rows = list(csv.DictReader(table))
        certified = 0
        for row, frequencies, hits in zip(rows, chosen, counts):
            cls = int(frequencies.argmax())
            self.assertEqual(int(row["hits"]), hits[cls])
            at_least = lambda p, k=int(hits[cls]): sum(math.comb(40, i) * p**i * (1 - p) ** (40 - i) for i in range(k, 41))  # noqa: E731
            bound = float(row["bound"])
            self.assertAlmostEqual(at_least(bound), 0.05 if hits[cls] else 1, delta=1e-9)
            self.assertEqual(row["radius"] != "", bound > 0.5)
            if bound > 0.5:
                self.assertAlmostEqual(float(row["radius"]), 0.25 * statistics.NormalDist().inv_cdf(bound), delta=1e-9)
                certified += cls == int(row["label"])
        self.assertEqual(found["curve"][0]["certified"], certified)

    def test_attack_takes_what_predict_takes(self):
        net, paths = network(), sorted(self.data.rglob("*.png"))

        def attacked(data, name, **options):
            found = assay.attack(net, data, self.folder / name, attack="fgsm", dataset_name="data", progress=False, **options)
            return [{**one, "store": ""} for one in found["models"][0]["attacks"] if one["attack"] == "fgsm"]

        files = attacked(self.data, "runs", settings=SETTINGS)
        self.assertEqual(len(files), 1)
        images = [(Image.open(path), int(path.parent.name[1])) for path in paths]
        self.assertEqual(attacked(images, "images", settings=SETTINGS), files)
        tensors = [(torch.from_numpy(prepared(path)), int(path.parent.name[1])) for path in paths]
        loader = torch.utils.data.DataLoader(tensors, batch_size=5)
        self.assertEqual(attacked(loader, "loader", mean=0.5, std=0.25), files)
        self.assertEqual(attacked(loader, "loader", mean=0.5, std=0.25), files)  # the call was resumed
        (clean,) = assay.predict(net, loader, self.folder / "clean", progress=False)
        # Some builds of PyTorch round by the size and the address of a batch.
        attacked_scores = np.asarray(assay.Store(self.folder / "loader/data/Sequential").scores())
        np.testing.assert_allclose(attacked_scores, np.asarray(clean.scores()), rtol=0, atol=1e-6)

    def test_ctrl_c_ends_a_model_that_hangs(self):
        script = """
import sys, time, threading
sys.path.insert(0, sys.argv[1])
import numpy as np
import assay
from test_models import SETTINGS

def hangs(x):
    if len(x) > 1:
        print("computing", flush=True)
        threading.Event().wait()
    return x.mean((2, 3))[:, [0, 1, 2, 0]]

try:
    assay.predict(hangs, sys.argv[2], sys.argv[3], settings=SETTINGS, threads=1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
        here = pathlib.Path(__file__).resolve().parent
        process = subprocess.Popen(
            [sys.executable, "-c", script, here, self.data, self.folder / "runs"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            preexec_fn=listen_to_ctrl_c,
        )
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline(), "computing\n")
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=100)
        self.assertEqual(output, "interrupted\n", errors)
        print(f"stopped after {time.monotonic() - start:.1f} s")


if __name__ == "__main__":
    unittest.main()
