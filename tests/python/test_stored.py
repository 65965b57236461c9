"""Images in memory for commands that read files (check and corrupt), without PyTorch. Attacks are in test_models.py."""
import importlib.util
import sys
import unittest
from unittest import mock

import numpy as np

import assay
from assay import _stored
from assay._datasets import items_of
from common import InFolder, photos, quietly
from test_datasets import CLASSES, COUNT, SETTINGS, SIDE, Arrays, Batches, model

MEAN, STD = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)


def normalised(pixels, mean=MEAN, std=STD):
    """Does the same as torchvision's ToTensor and Normalize: converts bytes, height x width x 3, to planes of float32."""
    numbers = pixels.astype(np.float32) / np.float32(255)
    return ((numbers - np.float32(mean)) / np.float32(std)).transpose(2, 0, 1)


class Seen:
    """The model of test_datasets.py. It records its input."""

    def __init__(self):
        self.images = set()

    def __call__(self, x):
        self.images.update(image.tobytes() for image in x)
        return model(x)


@unittest.skipIf(importlib.util.find_spec("PIL") is None, f"SKIPPED: {sys.executable} has no Pillow")
class Stored(InFolder):
    def setUp(self):
        super().setUp()
        self.data = self.folder / "photos"
        self.paths = photos(self.data, COUNT, CLASSES, lambda i: (240 + 3 * i, 230), {4: "P", 5: "RGBA"})
        self.temporary = self.folder / "temporary"
        self.temporary.mkdir()
        random = np.random.default_rng(6)
        self.pixels = [random.integers(0, 256, (SIDE, SIDE, 3), np.uint8) for _ in range(COUNT)]
        place = mock.patch("tempfile.tempdir", str(self.temporary))
        place.start()
        self.addCleanup(place.stop)

    def tearDown(self):
        self.assertEqual(list(self.temporary.iterdir()), [])  # no temporary files are left, even after an error

    def images(self):
        """A data set that knows its files, as an ImageFolder does."""
        from PIL import Image

        class Images:
            root, samples = str(self.data), [(str(path), int(path.parent.name[1])) for path in self.paths]
            targets, classes = [label for _, label in samples], [f"c{i}" for i in range(CLASSES)]

            def __len__(self):
                return len(self.samples)

            def __getitem__(self, i):
                path, label = self.samples[i]
                return Image.open(path), label

        return Images()

    def numbers(self, *how):
        data = Arrays()
        data.images = np.stack([normalised(pixels, *how) for pixels in self.pixels])
        return data

    def quietly(self, call, *given, **options):
        found, self.said = quietly(call, *given, **options)
        return found

    def test_check_says_what_it_says_of_files(self):
        options = {"settings": {**SETTINGS, "classes": {"names": ["c0", "c1", "c2"]}}, "dataset_name": "photos"}
        files = self.quietly(assay.check, model, self.data, **options)
        self.assertEqual(self.quietly(assay.check, model, self.images(), **options), files)
        self.assertIn(f"{COUNT} images are in a temporary folder for assay.check", self.said)
        self.assertIn("data.labels", [finding["id"] for finding in files["findings"]])
        unnamed = [self.images()[i] for i in range(COUNT)]
        self.assertEqual(self.quietly(assay.check, model, unnamed, **options), files)

    def test_class_names_may_hold_anything(self):
        data = self.images()
        data.classes = ["great white shark, Carcharodon", 'a "c"', "1"]
        found = self.quietly(assay.check, model, data, settings=SETTINGS)
        said = {finding["id"]: finding for finding in found["findings"]}
        self.assertEqual((said["data.labels"]["severity"], said["data.classes"]["title"]), ("ok", "3 classes"))
        (store,) = self.quietly(assay.predict, model, data, self.folder / "runs", settings=SETTINGS, corrupt="fog", severities="1")
        self.assertEqual((store.class_ids, store.labels().tolist()), (data.classes, data.targets))

    def test_check_draws_a_sample(self):
        seen = Seen()
        self.quietly(assay.check, seen, self.images(), settings=SETTINGS, sample=7)
        self.assertIn(f"7 of {COUNT} images, drawn by a hash of their ids,", self.said)
        found = self.quietly(assay.check, model, self.images(), settings=SETTINGS, sample=1)
        self.assertIn(f"2 of 3 classes have no images among the 1 that were drawn of {COUNT}", [finding["title"] for finding in found["findings"]])
        for wrong in (0, -1, True, "7"):
            self.refused(lambda: assay.check(model, self.images(), settings=SETTINGS, sample=wrong), "usage", f"sample={wrong!r}; allowed: a whole number from 1")
        ids = [str(i) for i in range(1000)]
        chosen = _stored.drawn(ids, 128)
        self.assertEqual(len(chosen), 128)
        # The same items are drawn for any order of the ids.
        self.assertEqual({ids[i] for i in chosen}, {ids[::-1][i] for i in _stored.drawn(ids[::-1], 128)})

    def test_the_model_gets_the_numbers_of_the_loader(self):
        for name, data, options in (
            ("usual", self.numbers(), {}), ("half", self.numbers((0.5,) * 3, (0.5,) * 3), {}), ("plain", self.numbers((0,) * 3, (1,) * 3), {}),
            ("given", self.numbers((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)), {"mean": (0.1, 0.2, 0.3), "std": (0.4, 0.5, 0.6)}),
        ):
            with self.subTest(name):
                seen = Seen()
                found = self.quietly(assay.check, seen, Batches(data), **options)
                self.assertEqual({image.tobytes() for image in data.images} - seen.images, set())
                self.assertIn("the numbers are bytes with mean", self.said)
                self.assertEqual({one["dataset"] for one in found["findings"]}, {"arrays-loader"})

    def test_a_normalisation_is_read_from_the_transform(self):
        class Normalize:
            mean, std = [0.1, 0.2, 0.3], [0.4, 0.5, 0.6]

        class Compose:
            transforms = [Normalize()]

        data = self.numbers(Normalize.mean, Normalize.std)
        self.refused(lambda: assay.check(model, Batches(data)), "usage", "not bytes with mean 0, 0, 0", "item 0")
        data.transform = Compose()
        self.quietly(assay.check, model, Batches(data))
        self.assertIn("mean 0.1, 0.2, 0.3, std 0.4, 0.5, 0.6", self.said)

    def test_the_first_images_may_fit_several_readings(self):
        # zeros are equal for multiplying by 1/255 and for dividing by 255
        self.pixels[:6] = [np.zeros((SIDE, SIDE, 3), np.uint8)] * 6
        data = self.numbers((0,) * 3, (1,) * 3)
        data.images = np.stack([pixels.transpose(2, 0, 1).astype(np.float32) * np.float32(1 / 255) for pixels in self.pixels])
        seen = Seen()
        self.quietly(assay.check, seen, Batches(data))
        self.assertEqual({image.tobytes() for image in data.images} - seen.images, set())

    def test_numbers_of_no_bytes_are_refused(self):
        data = self.numbers()
        data.images[13, 1, 2, 3] += 1e-3
        self.refused(lambda: assay.check(model, Batches(data)), "usage", "item 12 ", "mean= and std=", "the folder of the images")
        self.refused(lambda: assay.check(model, Batches(self.numbers()), mean=0.5, std=0.5), "usage", "not bytes with mean 0.5, 0.5, 0.5")
        self.refused(lambda: assay.check(model, Batches(self.numbers()), mean=(1, 2)), "usage", "mean= has 2 numbers")
        self.refused(lambda: assay.check(model, Batches(self.numbers()), mean="half"), "usage", "mean='half': allowed: one number")
        self.refused(lambda: assay.check(model, Batches(self.numbers()), std=0), "usage", "std=0: allowed: numbers above 0")
        whole = Arrays()
        whole.images = np.stack([pixels.transpose(2, 0, 1).astype(np.float32) for pixels in self.pixels])
        self.refused(lambda: assay.check(model, Batches(whole), std=0.25), "usage", "not bytes with mean 0, 0, 0, std 0.25")
        self.refused(lambda: assay.check(model, Batches(self.numbers()), preset="timm"), "usage", "omit preset=")
        flat = Arrays()
        flat.images = flat.images[:, :1]
        self.refused(lambda: assay.check(model, Batches(flat)), "bad_input", "6 x 1 x 8 x 8", "n x 3 x height x width")

    def test_corruptions_are_those_of_files(self):
        options = {"settings": {**SETTINGS, "classes": {"names": ["c0", "c1", "c2"]}}, "corrupt": ["fog", "contrast"], "severities": "2", "threads": 2}
        files = self.quietly(assay.predict, model, self.data, self.folder / "files", **options)
        items = self.quietly(assay.predict, model, self.images(), self.folder / "items", **options)
        self.assertEqual([store.dataset for store in items], ["photos_fog_2", "photos_contrast_2"])
        for one, other in zip(items, files):
            self.assertEqual((one.ids, one.dataset), (other.ids, other.dataset))
            np.testing.assert_array_equal(np.asarray(one.scores()), np.asarray(other.scores()))
            np.testing.assert_array_equal(one.labels(), other.labels())
        self.quietly(assay.predict, model, self.images(), self.folder / "items", settings=options["settings"])
        found = assay.robustness(self.folder / "items", "photos")
        self.assertEqual(found["models"][0]["images"], COUNT)

    def test_copies_are_those_of_files(self):
        options = {"corruptions": "fog", "severities": "1"}
        self.quietly(assay.corrupt, self.data, self.folder / "files", **options)
        self.quietly(assay.corrupt, self.images(), self.folder / "items", **options)
        made = {path.relative_to(self.folder / "files"): path.read_bytes() for path in (self.folder / "files").rglob("*.png")}
        self.assertEqual(len(made), COUNT)
        self.assertEqual(made, {path.relative_to(self.folder / "items"): path.read_bytes() for path in (self.folder / "items").rglob("*.png")})

    def test_prepared_numbers_have_no_corruptions(self):
        loader = Batches(self.numbers())
        for call in (
            lambda: assay.predict(model, loader, self.folder / "runs", corrupt="fog"), lambda: assay.corrupt(loader, self.folder / "copies"),
        ):
            self.refused(call, "usage", "already prepared", "no transform", "the folder of the images")
        self.assertFalse((self.folder / "runs").exists() or (self.folder / "copies").exists())

    def test_an_image_that_cannot_be_decoded_is_named(self):
        self.paths[7].write_bytes(self.paths[7].read_bytes()[:200])
        said = f"{self.paths[7].relative_to(self.data)}: the image cannot be decoded"
        self.refused(lambda: assay.check(model, self.images(), settings=SETTINGS), "bad_input", said)
        self.refused(lambda: assay.predict(model, self.images(), self.folder / "runs", settings=SETTINGS, progress=False), "bad_input", said)

    def test_labels_of_other_classes_are_refused(self):
        data = self.images()
        data.classes = ["a", "b", "c", "d"]
        self.refused(lambda: assay.check(model, data, settings=SETTINGS), "bad_input", "4")
        self.refused(lambda: assay.check(model, data, settings=SETTINGS, classes=["x", "y", "z"]), "usage", "'a' is not one of the model's")

    def test_files_have_names_that_a_folder_takes(self):
        self.assertEqual(_stored._safe_paths(["a/b.jpg", "c.jpg"]), ["a/b.jpg", "c.jpg"])
        for odd in (["0", "1"], ["../a.jpg", "b.jpg"], ["/a.jpg", "b.jpg"], ["a//b.jpg", "b.jpg"], ["a.png", "a.png/b.jpg"], ["a.tga", "b.jpg"], ["a\n.jpg", "b.jpg"], ["é" * 101 + ".jpg", "b.jpg"]):
            self.assertEqual(_stored._safe_paths(odd), ["00000000.png", "00000001.png"], odd)
        store = items_of([self.images()[0]])
        self.assertEqual(store.ids, ["0"])


if __name__ == "__main__":
    unittest.main()
