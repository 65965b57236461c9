"""Data sets and loaders that are objects, without PyTorch. They are duck-typed, and the model is a function of NumPy arrays."""
import html
import importlib.util
import re
import sys
import unittest

import numpy as np

import assay
from assay import _datasets
from common import InFolder, command, photos, quietly

SIDE, CLASSES, COUNT = 8, 3, 20
SETTINGS = {"input_size": [3, SIDE, SIDE], "resize_size": 10, "interpolation": "bicubic", "mean": [0.5] * 3, "std": [0.25] * 3}


def model(x):
    """A model with one score per channel, which depends on the position of the values in the image."""
    return 4 * x.mean((2, 3)) + x[:, :, 0, 0]


class Batches:
    """A loader of batches of a data set."""

    def __init__(self, dataset, size=6, shuffle=False, drop_last=False, failing_at=None):
        self.dataset, self.batch_size, self.shuffle, self.drop_last, self.failing_at = dataset, size, shuffle, drop_last, failing_at

    def __iter__(self):
        for begin in range(0, len(self.dataset), self.batch_size):
            if self.failing_at is not None and begin >= self.failing_at:
                raise ValueError("the disk is gone")
            items = [self.dataset[i] for i in range(begin, min(begin + self.batch_size, len(self.dataset)))]
            images = np.stack([image for image, _ in items])
            labels = [label for _, label in items]
            yield (images,) if labels[0] is None else (images, np.asarray(labels))


class Arrays:
    """A map-style data set of prepared images."""

    def __init__(self, labels=None, count=COUNT):
        random = np.random.default_rng(3)
        self.images = random.normal(size=(count, 3, SIDE, SIDE)).astype(np.float32)
        self.own = labels if labels is not None else [i % CLASSES for i in range(count)]

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        return self.images[i], self.own[i]


class Streamed:
    def __iter__(self):
        return iter(())


class Loaders(InFolder):
    def predict(self, data, given=model, runs="runs", **options):
        stores, self.said = quietly(assay.predict, given, data, self.folder / runs, **{"threads": 2, **options})
        return stores[0]

    def test_batches_are_taken_as_they_are(self):
        data = Arrays()
        store = self.predict(Batches(data))
        self.assertEqual((store.dataset, store.model, len(store), store.ids[:2]), ("arrays-loader", "model", COUNT, ["0", "1"]))
        np.testing.assert_array_equal(np.asarray(store.scores()), model(data.images))
        np.testing.assert_array_equal(store.labels(), data.own)
        self.assertIn("pixels as the Batches gives them (3 x 8 x 8, float32): they are used unchanged", self.said)
        # Items that are arrays give the same scores without a loader. A second call with the same data gives the same store.
        again = self.predict(data)
        self.assertEqual(again.dataset, "arrays-pixels")
        np.testing.assert_array_equal(np.asarray(again.scores()), np.asarray(store.scores()))
        np.testing.assert_array_equal(np.asarray(self.predict(Batches(data)).scores()), np.asarray(store.scores()))
        list_of_pairs = self.predict(list(zip(data.images, data.own)), runs="pairs")
        np.testing.assert_array_equal(np.asarray(list_of_pairs.scores()), np.asarray(store.scores()))

    def test_stores_of_other_numbers_never_mix(self):
        data = Arrays()
        self.predict(Batches(data))
        data.images = data.images * 2
        self.refused(lambda: self.predict(Batches(data)), "bad_input", "model")
        other = Arrays()
        other.own[4] = (other.own[4] + 1) % CLASSES
        self.refused(lambda: self.predict(Batches(other)), "bad_input", "label")
        self.refused(lambda: self.predict(Batches(Arrays()), lambda x: model(x) + 1, name="model"), "bad_input", "model")

    def test_labels_of_all_kinds(self):
        expected = [i % CLASSES for i in range(COUNT)]
        for name, labels in {
            "floats": [float(i) for i in expected], "one_hot": [np.eye(CLASSES)[i] for i in expected], "numbers": [np.int64(i) for i in expected],
            "columns": [np.array([i]) for i in expected],
        }.items():
            np.testing.assert_array_equal(self.predict(Batches(Arrays(labels)), runs=name).labels(), expected)
        self.assertEqual(set(self.predict(Batches(Arrays([None] * COUNT)), runs="none").labels().tolist()), {-1})
        for labels, text in (
            ([0.5] * COUNT, "0.5 is not a whole number"), ([np.array([1.0, 1.0, 0.0])] * COUNT, "a vector with a single 1"),
            ([CLASSES] * COUNT, "has the label 3, and the classes are 0 to 2"), (["cat"] * COUNT, "'cat' is not one of the data set's classes"),
        ):
            self.refused(lambda labels=labels: self.predict(Batches(Arrays(labels)), runs="refused"), "bad_input", text)
        named = Arrays(["b", "a"] * (COUNT // 2))
        named.classes = ["a", "b", "c"]
        np.testing.assert_array_equal(self.predict(Batches(named), runs="named").labels(), [1, 0] * (COUNT // 2))

    def test_classes_are_matched_by_their_names(self):
        data = Arrays([i % 2 for i in range(COUNT)])
        data.classes = ["cat", "owl"]
        self.refused(lambda: self.predict(Batches(data)), "usage", "2 classes", "returns 3 scores", "classes=")
        store = self.predict(Batches(data), classes=["owl", "dog", "cat"])
        np.testing.assert_array_equal(store.labels(), [2, 0] * (COUNT // 2))
        self.assertEqual(store.class_ids, ["owl", "dog", "cat"])
        self.refused(lambda: self.predict(Batches(data), classes=["owl", "dog", "cow"], runs="two"), "usage", "'cat' is not one of the model's")
        self.refused(lambda: self.predict(Batches(data), classes=["owl", "cat"], runs="two"), "usage", "class list has 2")

    def test_what_cannot_be_right_is_refused_by_name(self):
        data = Arrays()
        for given, text in (
            (Batches(data, shuffle=True), "shuffle=False"), (Batches(data, drop_last=True), "drops the last 2 of 20 images (drop_last=True)"),
            (Batches(Streamed()), "Streamed, has no length"), (Streamed(), "Streamed is an iterable without data[i]"),
            (iter(()), "without data[i] and a length"), (3, "data is int; taken are a path"), ({"train": data}, "choose one, data['train']"),
            (["a", data], "one data set at a time"),
        ):
            self.refused(lambda given=given: self.predict(given), "usage", text)
        # no batch is incomplete, so nothing is dropped
        self.assertEqual(len(self.predict(Batches(data, size=5, drop_last=True))), COUNT)
        self.refused(lambda: self.predict([]), "bad_input", "no images")
        self.refused(lambda: self.predict(Batches(data), preset="timm"), "usage", "used unchanged", "preset=")
        self.refused(lambda: self.predict(Batches(data), settings=SETTINGS), "usage", "settings=")
        self.predict(Batches(data), channels_last=True, dataset_name="last-loader")
        self.refused(lambda: self.predict(Batches(data), limit=5), "usage", "limit= only apply to images in files")
        self.refused(lambda: self.predict(Batches(data), "m.onnx"), "usage", "m.onnx: a model file needs images in files")
        self.assertFalse([path for path in self.folder.rglob("*.json") if "runs/" in str(path) and "loader" not in str(path)])

    def test_a_loader_that_fails_in_the_middle_is_named_and_its_part_kept(self):
        data = Arrays()
        found = self.refused(lambda: self.predict(Batches(data, failing_at=12)), "bad_input", "the loader raised ValueError: the disk is gone", "12 of 20")
        self.assertIsInstance(found.__cause__, ValueError)
        self.assertEqual(len(self.predict(Batches(data))), COUNT)
        # A call can be resumed if the labels are known in advance.
        data.targets = list(data.own)
        self.refused(lambda: self.predict(Batches(data, failing_at=12), runs="known"), "bad_input", "the disk is gone")
        store = self.predict(Batches(data), runs="known")
        np.testing.assert_array_equal(np.asarray(store.scores()), model(data.images))
        data.targets[3] = (data.targets[3] + 1) % CLASSES
        self.refused(lambda: self.predict(Batches(data), runs="other"), "bad_input", "3 comes with the label 0, and the data set's list says 1")

    def test_a_random_transform_is_said(self):
        class Random(Arrays):
            def __getitem__(self, i):
                return np.random.default_rng().normal(size=(3, SIDE, SIDE)).astype(np.float32), 0

        self.predict(Batches(Random()))
        self.assertIn("its transform may be random", self.said)
        self.refused(lambda: self.predict(Batches(Random())), "bad_input", "model")
        self.predict(Batches(Arrays()))
        self.assertNotIn("random", self.said)

    def test_what_the_model_raises_is_the_cause(self):
        def fails(x):
            raise ValueError("not today")

        found = self.refused(lambda: self.predict(Batches(Arrays()), fails), "bad_input", "ValueError: not today", "test_datasets.py")
        self.assertIsInstance(found.__cause__, ValueError)

    def test_memory_holds_some_batches(self):
        alive, most = set(), [0]

        class Counted(Arrays):
            def __getitem__(self, i):
                token = np.empty((3, SIDE, SIDE), np.float32).view(_Tracked)
                token.fill(i % 7)
                alive.add(id(token))
                most[0] = max(most[0], len(alive))
                _Tracked.alive = alive
                return token, i % CLASSES

        store = self.predict(Counted(count=2000), batch=8, threads=1)
        self.assertEqual(len(store), 2000)
        self.assertLess(most[0], 200)

    def test_evaluate(self):
        data = Arrays([int(i) for i in model(Arrays().images).argmax(1)])
        data.own[7] = (data.own[7] + 1) % CLASSES
        data.classes = ["<b>a&b</b>", "b", "c"]
        report, _ = quietly(assay.evaluate, model, Batches(data), self.folder / "runs", gate="accuracy >= 0.9")
        self.assertEqual(report["accuracy"].value, 0.95)
        self.assertIn(0.95, report["model", "accuracy"].interval)
        self.assertEqual((report["items"], report["dataset"], report.schema, report.passed), (COUNT, "arrays-loader", "assay.eval/1", True))
        self.assertEqual([doubt["id"] for doubt in report.doubted_labels], ["7"])
        self.assertTrue(report.page.is_file())
        self.assertIn("used unchanged", report.models[0]["preprocessing"])
        self.assertIn("accuracy", report)
        self.assertIn("doubted_labels", report)
        with self.assertRaisesRegex(KeyError, "nothing"):
            report["nothing"]
        # The numbers equal those of assay score.
        scored = assay.score(report.models[0]["store"], metrics="top1,nll")
        for metric in ("top1", "nll"):
            self.assertEqual(scored[metric].to_dict()["interval"], report[metric].to_dict()["interval"])
        self.assertIn("Labels to look at", str(report))
        self.assertEqual(repr(report), str(report))
        shown = report._repr_html_()
        self.assertNotIn("<b>", shown)
        self.assertIn(html.escape("<b>a&b</b>"), shown)
        self.assertIn(html.escape(str(report.page)), shown)
        self.assertEqual(len(re.findall("<caption", shown)), len(re.findall("<table", shown)))
        self.assertIn('scope="row"', shown)
        self.refused(lambda: assay.evaluate(model, Batches(data), self.folder / "two", progress=False, gate="nothing > 1"), "usage", "nothing")


class _Tracked(np.ndarray):
    alive = set()

    def __del__(self):
        self.alive.discard(id(self))


@unittest.skipIf(importlib.util.find_spec("PIL") is None, f"SKIPPED: {sys.executable} has no Pillow")
class Images(InFolder):
    """Pillow images of data sets are prepared in the same way as the program prepares files."""

    def setUp(self):
        super().setUp()
        self.data = self.folder / "photos"
        self.paths = photos(self.data, COUNT, CLASSES, lambda i: (24 + 3 * i, 40), {4: "P", 5: "L"})

    def items(self):
        from PIL import Image

        return [(Image.open(path), int(path.parent.name[1])) for path in self.paths]

    def scores(self, data, runs, settings=SETTINGS, **options):
        (store,) = assay.predict(model, data, self.folder / runs, progress=False, settings=settings, **options)
        return store

    def test_the_bits_are_those_of_files(self):
        for name, more in {
            "center": {}, "ratio": {"resize_size": None, "crop_pct": 0.875}, "squash": {"crop_mode": "squash"},
            "13": {"crop_mode": "squash", "resize_as": "pillow13"}, "none": {"crop_mode": "none"},
            "border": {"crop_mode": "border", "fill": [9, 8, 7]}, "small": {"resize_size": 6}, "bgr": {"channel_order": "bgr", "interpolation": "lanczos"},
            "wide": {"input_size": [3, 6, 12], "resize_size": None, "crop_pct": 0.9, "interpolation": "box"}, "scale": {"scale": 1.0, "std": [60.0, 50, 40]},
            "floor": {"crop_start": "floor", "resize_size": 11}, "classes": {"classes": {"names": ["c0", "c1", "c2"]}},
        }.items():
            with self.subTest(name):
                settings = {key: value for key, value in {**SETTINGS, **more}.items() if value is not None}
                files = self.scores(self.data, f"files-{name}", settings)
                items = self.scores(self.items(), f"items-{name}", settings)
                self.assertEqual(items.dataset, "data")
                np.testing.assert_array_equal(np.asarray(items.scores()), np.asarray(files.scores()))
                np.testing.assert_array_equal(items.labels(), files.labels())

    def test_options_say_how_images_are_prepared(self):
        files = self.scores(self.data, "files", None, preset="timm", input_size=16)
        items = self.scores(self.items(), "items", None, preset="timm", input_size=16)
        np.testing.assert_array_equal(np.asarray(items.scores()), np.asarray(files.scores()))
        self.refused(lambda: self.scores(self.items(), "none", None), "usage", "preset")

    def folder_with(self, step):
        """An ImageFolder whose transform has one step."""
        from PIL import Image

        def default_loader(path):
            return Image.open(path).convert("RGB")

        class Compose:
            transforms = [step]

        class ImageFolder:
            root, loader, transform, extensions = str(self.data), default_loader, Compose(), (".png",)
            classes = [f"c{i}" for i in range(CLASSES)]
            class_to_idx = {name: i for i, name in enumerate(classes)}
            samples = [(str(path), int(path.parent.name[1])) for path in self.paths]
            targets = [label for _, label in samples]

            def __len__(self):
                return len(self.samples)

            def __getitem__(self, i):
                path, label = self.samples[i]
                return step(default_loader(path)), label

        return ImageFolder()

    def test_a_transform_of_ones_own_is_run_as_it_is(self):
        class Sharpen:
            def __call__(self, image):
                return np.asarray(image.resize((SIDE, SIDE)), np.float32).transpose(2, 0, 1) ** 2

        folder = self.folder_with(Sharpen())
        (store,), said = quietly(assay.predict, model, folder, self.folder / "runs")
        self.assertIn("the data set's own transform prepares its images (Sharpen): the step Sharpen", said)
        expected = model(np.stack([folder[i][0] for i in range(COUNT)]))
        np.testing.assert_array_equal(np.asarray(store.scores()), expected)
        self.assertEqual((store.dataset, store.ids[0], store.labels().tolist()), ("photos-pixels", "c0/00.png", folder.targets))

        class RandomSharpen(Sharpen):
            pass

        self.refused(lambda: assay.predict(model, self.folder_with(RandomSharpen()), self.folder / "two"), "bad_input", "the step RandomSharpen")
        # If options define the preprocessing, the command reads the files itself.
        (store,) = assay.predict(model, self.folder_with(RandomSharpen()), self.folder / "two", settings=SETTINGS, progress=False)
        self.assertEqual(store.dataset, "photos")

    def test_images_with_equal_ids_never_mix(self):
        self.scores(self.items(), "runs")
        turned = [(image.convert("RGB").rotate(180), label) for image, label in self.items()]
        self.refused(lambda: self.scores(turned, "runs"), "bad_input", "model")

    def test_the_resize_of_tensors_is_refused(self):
        torch = {**SETTINGS, "resize_as": "torch"}
        self.refused(lambda: self.scores(self.items(), "runs", torch), "usage", "resizes like PyTorch does", 'resize_as="pillow"')
        self.assertEqual(len(self.scores(self.items(), "runs", torch, resize_as="pillow")), COUNT)

    def test_models_with_other_class_lists_are_refused(self):
        named = {"a": {**SETTINGS, "classes": {"names": ["cat", "dog", "owl"]}}, "b": {**SETTINGS, "classes": {"names": ["owl", "dog", "cat"]}}}
        models = {"a": model, "b": lambda x: 2 * model(x)}
        call = lambda: assay.predict(models, self.items(), self.folder / "runs", progress=False, settings=named)  # noqa: E731
        self.refused(call, "bad_input", "a and b have different class lists")

    def test_what_is_no_image_is_named(self):
        items = self.items()
        items[9] = (np.zeros((3, 4, 4)), 0)
        self.refused(lambda: self.scores(items, "runs"), "bad_input", "item 9", "ndarray")
        self.refused(lambda: self.scores([(np.zeros((4, 4, 3), np.uint8), 0)], "runs"), "usage", "Image.fromarray")
        self.refused(lambda: self.scores([(b"x", 0)], "runs"), "bad_input", "the first item of the data set is bytes")
        self.assertIsNone(_datasets.folder_of(items))


class TheCommand(InFolder):
    """assay.evaluate over files gives the results of the command."""

    def test_also_writes_each_form(self):
        (self.folder / "photos").mkdir()
        refused = ("--also", self.folder / "photos")
        command("eval", "m.pt", self.folder / "photos", "--preset", "timm", *refused, status=2)

    def test_what_the_command_says_is_raised(self):
        self.refused(lambda: assay.evaluate("nowhere.pt", self.folder), "bad_input", "nowhere.pt")
        self.refused(lambda: assay.evaluate(model, self.folder / "nowhere", settings=SETTINGS), "bad_input", "nowhere")
        self.refused(lambda: assay.evaluate(model, self.folder, settings=SETTINGS, wrong_option=3), "usage", "--wrong-option")


if __name__ == "__main__":
    unittest.main()
