"""assay.evaluate, and data sets and loaders of PyTorch, torchvision and Hugging Face."""
import contextlib
import importlib.util
import io
import json
import os
import pathlib
import subprocess
import sys
import unittest

import numpy as np
import torch
from PIL import Image

import assay
from common import PROGRAM, InFolder, quietly
from test_models import CLASSES, COUNT, SETTINGS, draw, network, prepared

MISSING = [name for name in ("torchvision", "datasets") if importlib.util.find_spec(name) is None]


def without(name):
    return unittest.skipIf(name in MISSING, f"SKIPPED: {sys.executable} has no {name}")


class Prepared(torch.utils.data.Dataset):
    """The preprocessing of SETTINGS in Pillow and NumPy, with the file names of a folder."""

    def __init__(self, folder):
        self.root, self.samples = folder, [(str(path), int(path.parent.name[1])) for path in sorted(folder.rglob("*.png"))]
        self.classes = sorted({path.parent.name for path in folder.rglob("*.png")})

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        path, label = self.samples[i]
        return torch.from_numpy(prepared(path)), label


class Evaluations(InFolder):
    def setUp(self):
        super().setUp()
        self.data = draw(self.folder / "data")

    def scores(self, report):
        return np.asarray(assay.Store(report["models"][0]["store"]).scores())

    def test_the_numbers_and_the_screen_are_the_commands(self):
        source = self.folder / "net.py"
        here = str(pathlib.Path(__file__).resolve().parent)
        source.write_text(f"import sys\nsys.path.insert(0, {here!r})\nfrom test_models import network, SETTINGS\n"
                          "net = network()\nnet.assay_settings = SETTINGS\n")
        arguments = [PROGRAM, "eval", "-m", f"python:{source}:net", "-d", self.data, "--metrics", "top1,nll", "--out"]
        environment = {**os.environ, "ASSAY_PYTHON": sys.executable}
        screen = subprocess.run([*arguments, self.folder / "c"], capture_output=True, text=True, env=environment, timeout=100)
        self.assertEqual(screen.returncode, 0, screen.stderr)
        named = assay.evaluate(f"python:{source}:net", self.data, self.folder / "c", metrics="top1,nll")
        self.assertEqual(str(named), screen.stdout)
        found = subprocess.run([*arguments, self.folder / "c", "--json"], capture_output=True, text=True, env=environment, timeout=100)
        self.assertEqual(json.loads(found.stdout), named.to_dict())
        self.assertEqual(named.to_csv().splitlines()[0].split(",")[:2], ["model", "dataset"])
        report = assay.evaluate(network(), self.data, self.folder / "o", settings=SETTINGS, metrics="top1,nll")
        for metric in ("accuracy", "nll"):
            self.assertEqual((report[metric].value, report[metric].interval), (named[metric].value, named[metric].interval))
        np.testing.assert_array_equal(self.scores(report), self.scores(named))
        self.assertNotIn("process:", report.to_json().replace("process:Sequential", ""))
        matrix = report.confusion_matrix()
        self.assertEqual(np.trace(matrix) / matrix.sum(), report["accuracy"])
        self.assertEqual(report.per_class()["n"].sum(), COUNT)
        self.assertIn(b"<svg", report.plot("confusion_matrix"))
        self.assertEqual(dict(report), {"top1": report["accuracy"], "nll": report["nll"]})
        self.assertEqual(len(report.to_pandas()) if importlib.util.find_spec("pandas") else 2, 2)

    def test_the_examples_of_the_documentation(self):
        text = (pathlib.Path(__file__).resolve().parents[2] / "docs/python.md").read_text()
        net = network()
        net.assay_settings = SETTINGS
        draw(self.folder / "imagenet/val")
        names = {"assay": assay, "torch": torch, "net": net, "dataset": Prepared(self.data)}
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for section in ("Evaluate", "Data"):
                blocks = text.split(f"\n## {section}\n")[1].split("\n## ")[0].split("```python\n")[1:]
                self.assertEqual(len(blocks), 1)
                quietly(exec, compile(blocks[0].split("```")[0], section, "exec"), names)
        self.assertIn("Labels to look at", printed.getvalue())
        self.assertEqual(sorted(path.name for path in (self.folder / "runs").iterdir() if path.is_dir()), ["data-loader", "val"])

    def test_models_that_are_compared_and_images_without_scores(self):
        (self.data / "c0" / "broken.png").write_bytes(b"no image")
        with self.assertWarnsRegex(RuntimeWarning, "a: 1, b: 1"):
            report = assay.evaluate({"a": network(), "b": network(1)}, self.data, self.folder / "runs", settings=SETTINGS)
        self.assertTrue(report.partial)
        self.assertEqual([model["model"] for model in report["models"]], ["a", "b"])
        with self.assertRaisesRegex(KeyError, "2 models"):
            report["accuracy"]
        self.assertEqual(report["b", "accuracy"].n, COUNT)
        self.assertIn("1 images without scores", report._repr_html_())

    def test_a_model_without_preprocessing_is_refused_in_words(self):
        # There are too few labelled images to search for the preprocessing.
        said = self.refused(lambda: assay.evaluate(network(), self.data, self.folder / "runs"), "usage", "fewer than 20 labelled images")
        self.assertNotIn("process:", said.message)
        self.refused(lambda: assay.predict(network(), [(1, 2)], self.folder / "runs"), "bad_input", "the first item")

    def test_the_preprocessing_is_found_for_an_object(self):
        colours = np.array([[255, 0, 0], [0, 255, 0], [0, 0, 255]], np.uint8)
        for i in range(90):
            path = self.folder / f"colours/c{i % 3}/{i:02}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(np.broadcast_to(colours[i % 3], (30 + i, 40, 3)).copy()).save(path)

        def model(x):
            return 9 * (x.mean((2, 3)) > 0.5)[:, [0, 1, 2]].float()

        report = assay.evaluate(model, self.folder / "colours", self.folder / "runs", batches="torch", input_size=32)
        self.assertEqual((report["accuracy"].value, report["left_out"]), (1.0, 0))

    def test_a_loader_gives_the_bits_of_the_same_photographs(self):
        net = network().train()
        files = assay.evaluate(net, self.data, self.folder / "runs", settings=SETTINGS)
        dataset = Prepared(self.data)
        for size, workers in ((8, 0), (5, 0), (8, 2)):
            loader = torch.utils.data.DataLoader(dataset, batch_size=size, num_workers=workers)
            report, said = quietly(assay.evaluate, net, loader, self.folder / f"runs-{size}-{workers}", threads=2)
            self.assertIn("pixels as the DataLoader gives them (3 x 16 x 16, float32): they are used unchanged", said)
            compare = np.testing.assert_array_equal if size == 8 else lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
            compare(self.scores(report), self.scores(files))
            self.assertEqual(report["accuracy"].value, files["accuracy"].value)
            store = assay.Store(report.models[0]["store"])
            self.assertEqual((store.ids, store.class_names, store.dataset), ([f"c{i % 4}/{i:02}.png" for i in sorted(range(COUNT), key=lambda i: i % 4)],
                                                                             [f"c{i}" for i in range(CLASSES)], "data-loader"))
        self.assertTrue(net.training)
        part, _ = quietly(assay.predict, net, torch.utils.data.Subset(dataset, [7, 2, 0]), self.folder / "part")
        self.assertEqual(part[0].ids, [store.ids[i] for i in (7, 2, 0)])
        part_of_part = torch.utils.data.Subset(torch.utils.data.Subset(dataset, [7, 2, 0]), [1, 2])
        nested, _ = quietly(assay.predict, net, part_of_part, self.folder / "nested")
        self.assertEqual(nested[0].ids, [store.ids[i] for i in (2, 0)])
        self.refused(lambda: assay.predict(net, torch.utils.data.Subset(dataset, [1, 1]), self.folder / "twice"), "bad_input", "twice")

    def test_loaders_that_cannot_be_right_are_refused_by_name(self):
        dataset, loader_of = Prepared(self.data), torch.utils.data.DataLoader

        class Streamed(torch.utils.data.IterableDataset):
            def __iter__(self):
                return iter([])

        sampler = torch.utils.data.WeightedRandomSampler([1.0] * COUNT, COUNT)
        for loader, text in (
            (loader_of(dataset, shuffle=True), "RandomSampler"), (loader_of(dataset, batch_size=5, drop_last=True), "drops the last 2 of 12"),
            (loader_of(Streamed()), "Streamed, has no length"), (Streamed(), "Streamed"), (loader_of(dataset, sampler=sampler), "WeightedRandomSampler"),
            (loader_of(dataset, sampler=[3, 1]), "the sampler list"), (loader_of(dataset, batch_sampler=[[0], [1]]), "batch sampler list"),
        ):
            self.refused(lambda loader=loader: assay.evaluate(network(), loader, self.folder / "runs"), "usage", text)
        self.assertFalse((self.folder / "runs").exists())

    def test_tensors_of_other_shapes_and_outputs(self):
        data = torch.utils.data.TensorDataset(torch.rand(30, 1, 6, 6), torch.arange(30) % 4)
        net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(36, 4), torch.nn.Softmax(1))
        report, _ = quietly(assay.evaluate, net, torch.utils.data.DataLoader(data, batch_size=7), self.folder / "runs")
        with torch.no_grad():
            np.testing.assert_allclose(self.scores(report), net(data.tensors[0]).numpy(), rtol=1e-5)
        self.assertIn('pass outputs="probabilities"', report.warnings[0])
        told, _ = quietly(assay.evaluate, net, torch.utils.data.DataLoader(data, batch_size=7), self.folder / "told", outputs="probabilities")
        self.assertFalse([text for text in told.warnings if "probabilities" in text])
        self.assertEqual(assay.Store(told.models[0]["store"]).kind, "probabilities")

        # A model with one score per image returns that of class 1 of two.
        data = torch.utils.data.TensorDataset(torch.rand(30, 1, 6, 6), torch.arange(30) % 2)
        for last, outputs in ((torch.nn.Identity(), "logits"), (torch.nn.Sigmoid(), "probabilities")):
            net = torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(36, 1), last, torch.nn.Flatten(0))
            told, said = quietly(assay.evaluate, net, torch.utils.data.DataLoader(data, batch_size=7), self.folder / outputs, outputs=outputs)
            self.assertIn("one score per image: it is of class 1 (the positive class) of two", said)
            with torch.no_grad():
                one = net(data.tensors[0]).numpy()
            other = 1 - one if outputs == "probabilities" else np.zeros_like(one)
            np.testing.assert_allclose(self.scores(told), np.stack([other, one], axis=1), rtol=1e-5)
        report, _ = quietly(assay.evaluate, net, torch.utils.data.DataLoader(data, batch_size=7), self.folder / "unsaid")
        self.assertIn('pass outputs="probabilities"', report.warnings[0])
        torch.nn.init.constant_(net[1].bias, 9)
        for outputs in ("probabilities", "log_probabilities"):
            self.refused(
                lambda outputs=outputs: assay.predict(net[:2], torch.utils.data.DataLoader(data, batch_size=7), self.folder / "no", outputs=outputs, progress=False),
                "bad_input", f"not one of the declared {outputs}",
            )

        def fails(x):
            raise ValueError("not today")

        found = self.refused(lambda: assay.predict(fails, data, self.folder / "fails", batches="torch", progress=False), "bad_input", "not today")
        self.assertIsInstance(found.__cause__, ValueError)

    @without("torchvision")
    def test_a_folder_of_torchvision_is_read_by_the_command(self):
        from torchvision import transforms
        from torchvision.datasets import ImageFolder

        net = network()
        files = assay.evaluate(net, self.data, self.folder / "runs", settings=SETTINGS)
        steps = [transforms.Resize(20), transforms.CenterCrop(16), transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.25] * 3)]
        report, said = quietly(assay.evaluate, net, ImageFolder(self.data, transforms.Compose(steps)), self.folder / "transform")
        self.assertIn("preprocessing comes from the transform of the data set", said)
        np.testing.assert_array_equal(self.scores(report), self.scores(files))
        self.assertEqual(report["dataset"], "data")
        report, said = quietly(assay.evaluate, net, ImageFolder(self.data, transforms.Compose(steps)), self.folder / "given", settings=SETTINGS)
        self.assertIn("the transform of the data set is not used, because settings=", said)
        random = ImageFolder(self.data, transforms.Compose([transforms.RandomResizedCrop(16), *steps[2:]]))
        self.refused(lambda: assay.evaluate(net, random, self.folder / "random"), "bad_input", "RandomResizedCrop")
        checked, _ = quietly(assay.check, net, ImageFolder(self.data), settings=SETTINGS)
        self.assertIn("Sequential", str(checked))
        # If the list of files was changed, this process reads the images of that list.
        changed = ImageFolder(self.data, transforms.Compose(steps))
        changed.samples = changed.imgs = changed.samples[:7]
        changed.targets = changed.targets[:7]
        report, said = quietly(assay.evaluate, net, changed, self.folder / "changed")
        self.assertEqual((report["items"], report["dataset"]), (7, "data-pixels"))
        self.assertIn("used unchanged", said)
        loader = torch.utils.data.DataLoader(ImageFolder(self.data, transforms.Compose(steps)), batch_size=8)
        report, _ = quietly(assay.evaluate, net, loader, self.folder / "loader")
        np.testing.assert_array_equal(self.scores(report), self.scores(files))

    @without("datasets")
    def test_a_data_set_of_hugging_face(self):
        import datasets

        datasets.disable_progress_bars()
        paths = sorted(self.data.rglob("*.png"))
        features = datasets.Features({"image": datasets.Image(), "label": datasets.ClassLabel(names=[f"c{i}" for i in range(CLASSES)])})
        rows = {"image": [{"path": None, "bytes": path.read_bytes()} for path in paths], "label": [int(path.parent.name[1]) for path in paths]}
        data = datasets.Dataset.from_dict(rows, features=features)
        net = network()
        files = assay.evaluate(net, self.data, self.folder / "runs", settings=SETTINGS)
        report, said = quietly(assay.evaluate, net, data, self.folder / "hub", settings=SETTINGS)
        np.testing.assert_array_equal(self.scores(report), self.scores(files))
        self.assertEqual(report["accuracy"].value, files["accuracy"].value)
        self.assertIn("prepared in this process", said)
        self.assertEqual(assay.Store(report.models[0]["store"]).ids, [str(i) for i in range(COUNT)])
        named = datasets.Dataset.from_dict({**rows, "image": [str(path) for path in paths]}, features=features).select([5, 3, 0])
        (store,), _ = quietly(assay.predict, net, named, self.folder / "named", settings=SETTINGS)
        self.assertEqual(store.ids, [paths[i].name for i in (5, 3, 0)])
        self.assertEqual(store.labels().tolist(), [rows["label"][i] for i in (5, 3, 0)])
        # A data set whose transform returns tensors has no images, so the numbers are used unchanged.
        tensors = data.with_transform(lambda batch: {"image": [torch.zeros(3, 16, 16)] * len(batch["image"]), "label": batch["label"]})
        (store,), said = quietly(assay.predict, net, tensors, self.folder / "tensors")
        self.assertIn("used unchanged", said)
        for given, text in (
            (datasets.DatasetDict(test=data), "data['test']"), (data.remove_columns("image"), "no column of the type Image"),
            (data.to_iterable_dataset(), "streams"), (data.add_column("other", rows["label"]).cast_column("other", features["label"]), "label, other"),
        ):
            self.refused(lambda given=given: assay.evaluate(net, given, self.folder / "refused", settings=SETTINGS), "usage", text)


if __name__ == "__main__":
    unittest.main()
