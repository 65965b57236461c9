"""Functions of NumPy arrays as models. Tests their results, channels last, and JAX and Keras if they are installed."""
import importlib.util
import os
import sys
import unittest
from typing import Optional

import numpy as np

import assay
from assay._worker import fingerprints
from assay._worker.objects import Given, model_of
from common import InFolder, photos

SIDE, CLASSES = 8, 3
SETTINGS = {"input_size": [3, SIDE, SIDE], "crop_mode": "none", "mean": [0.5] * 3, "std": [0.25] * 3}
WEIGHTS = np.random.default_rng(1).normal(size=(3 * SIDE * SIDE, CLASSES)).astype(np.float32)


def linear(x):
    return x.reshape(len(x), -1) @ WEIGHTS


class OnlyArray:
    def __init__(self, array):
        self.array, self.shape = array, array.shape

    def __array__(self, *given, **more):
        return self.array


class OnlyDlpack:
    def __init__(self, array):
        self.array, self.shape = array, array.shape

    def __dlpack__(self, **more):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def has(name):
    return importlib.util.find_spec(name) is not None


class Functions(unittest.TestCase):
    def scores(self, call, **given):
        images = np.random.default_rng(2).normal(size=(4, 3, SIDE, SIDE)).astype(np.float32)
        return images, model_of(call, given=Given(given)).scores_of(images)

    def test_results_are_arrays_of_any_kind(self):
        for made in (np.asarray, OnlyArray, OnlyDlpack, lambda x: x.astype(np.float64), lambda x: {"logits": x}, lambda x: (OnlyArray(x),)):
            images, found = self.scores(lambda x, made=made: made(linear(x)))
            np.testing.assert_array_equal(found, linear(images))
            self.assertEqual(found.dtype, np.float32)
        for made, text in ((lambda x: x.astype(int), "int64"), (lambda x: None, "NoneType"), (lambda x: x[:2], r"\(2, 3\) for 4 images")):
            with self.assertRaisesRegex(Exception, text):
                self.scores(lambda x, made=made: made(linear(x)))

    def test_channels_last(self):
        def last(x):
            self.assertEqual((x.shape[1:], x.flags["C_CONTIGUOUS"]), ((SIDE, SIDE, 3), True))
            return linear(x.transpose(0, 3, 1, 2))

        images, found = self.scores(last, channels_last=True)
        np.testing.assert_array_equal(found, linear(images))
        # A loader may itself return images with the channels last.
        np.testing.assert_array_equal(model_of(last, given=Given({"channels_last": True})).scores_of(images.transpose(0, 2, 3, 1).copy()), linear(images))

    @unittest.skipUnless(has("jax"), f"SKIPPED: {sys.executable} has no jax")
    def test_jax(self):
        import jax
        import jax.numpy as jnp

        weights = jnp.asarray(WEIGHTS)

        def model(x):
            return jnp.asarray(x).reshape(len(x), -1) @ weights

        for call in (model, jax.jit(model), lambda x: jax.nn.log_softmax(model(x)), lambda x: model(x).astype(jnp.bfloat16)):
            images, found = self.scores(call)
            np.testing.assert_array_equal(found, np.asarray(call(images)).astype(np.float32))
        # Different weights give another identity, and equal weights give the same one.
        first, torch, _ = fingerprints.of_function(jax.jit(model))
        self.assertIsNotNone(first)
        self.assertFalse(torch)
        weights = jnp.asarray(WEIGHTS.copy())
        self.assertEqual(fingerprints.of_function(jax.jit(model))[0], first)
        weights = weights.at[0, 0].add(1e-3)
        self.assertNotEqual(fingerprints.of_function(jax.jit(model))[0], first)

    @unittest.skipUnless(has("keras") and has("jax"), f"SKIPPED: {sys.executable} has no keras with jax")
    def test_keras(self):
        os.environ.setdefault("KERAS_BACKEND", "jax")
        import keras

        def net(shape, axis):
            keras.utils.set_random_seed(3)
            conv = keras.layers.Conv2D(4, 3, data_format=f"channels_{axis}")
            pool = keras.layers.GlobalAveragePooling2D(data_format=f"channels_{axis}")
            return keras.Sequential([keras.layers.Input(shape), conv, pool, keras.layers.Dense(CLASSES)])

        last = net((SIDE, SIDE, 3), "last")
        images, found = self.scores(last)
        np.testing.assert_array_equal(found, np.asarray(last(images.transpose(0, 2, 3, 1).copy())))
        self.assertIn("channels last", " ".join(model_of(last).description.notes))
        first = model_of(last).description.identity
        self.assertTrue(first)
        self.assertEqual(model_of(net((SIDE, SIDE, 3), "last")).description.identity, first)
        last.layers[-1].bias.assign(np.ones(CLASSES, np.float32))
        self.assertNotEqual(model_of(last).description.identity, first)


class Identities(unittest.TestCase):
    def test_the_order_of_channels_counts(self):
        first = model_of(linear).description.identity
        self.assertTrue(first)
        self.assertNotEqual(model_of(linear, given=Given({"channels_last": True})).description.identity, first)
        self.assertEqual(model_of(linear, given=Given({"channels_last": False})).description.identity, first)

    def test_what_a_library_wraps_counts(self):
        """A network as from haiku.transform(), which is a function that belongs to the library's module."""
        def transform(network):
            def apply(x):
                return network(x)

            apply.__module__ = "haiku._src.transform"
            return apply

        one, same, other = (fingerprints.of_function(transform(lambda x, by=by: linear(x) * by))[0] for by in (1, 1, 2))
        self.assertIsNotNone(one)
        self.assertEqual(one, same)
        self.assertNotEqual(one, other)


@unittest.skipUnless(has("PIL"), f"SKIPPED: {sys.executable} has no Pillow")
class Parts(InFolder):
    def test_the_store_of_each_part_is_the_whole_one(self):
        photos(self.folder / "images", 12, CLASSES, lambda i: (SIDE, SIDE), {})
        for part in ("1/2", "2/2"):
            given = {"settings": SETTINGS, "identity": "linear", "batch": 2, "shard_rows": 2, "part": part, "progress": False}
            (store,) = assay.predict({"linear": linear}, self.folder / "images", self.folder / "runs", **given)
            self.assertEqual(store.path, str(self.folder / "runs/images/linear"))
            self.assertEqual(store.complete, part == "2/2")
        (whole,) = assay.predict({"linear": linear}, self.folder / "images", self.folder / "whole", **{**given, "part": None})
        np.testing.assert_array_equal(store.scores(), whole.scores())


class Refused(InFolder):
    def test_a_function_of_tensors_has_no_channels_last(self):
        (self.folder / "photos").mkdir()
        call = lambda: assay.predict(linear, self.folder / "photos", self.folder / "runs", settings=SETTINGS, channels_last=True, batches="torch")  # noqa: E731
        self.refused(call, "usage", "channels_last= is of functions of NumPy arrays", 'batches="numpy"')

    def test_slices_are_part_of_the_identity(self):
        """From Python 3.14 on, they are constants of the code."""
        one, same, other = (fingerprints.of_function(lambda x, part=slice(0, end): x[:, part] + x[:, 0])[0] for end in (1, 1, 2))
        self.assertIsNotNone(one)
        self.assertEqual(one, same)
        self.assertNotEqual(one, other)

    def test_annotations_of_a_class_are_not(self):
        class Scaled:
            factor: Optional[int] = 2

            def __call__(self, x):
                return self.factor * x

        first = fingerprints.of_function(Scaled())[0]
        self.assertIsNotNone(first)
        Scaled.__annotations__ = {"factor": float}
        self.assertEqual(fingerprints.of_function(Scaled())[0], first)
        Scaled.factor = 3
        self.assertNotEqual(fingerprints.of_function(Scaled())[0], first)

    def test_slices_are_no_tuples(self):
        class Cut:
            def __init__(self, at):
                self.at = at

            def __call__(self, x):
                return x[self.at]

        sliced, listed = (fingerprints.of_function(Cut(at))[0] for at in (slice(0, 1, 2), (0, 1, 2)))
        self.assertIsNotNone(sliced)
        self.assertNotEqual(sliced, listed)

    def test_attributes_that_raise_are_no_arrays(self):
        class Lazy:
            def __getattr__(self, name):
                raise ImportError("no such package")

        self.assertFalse(fingerprints._is_array(Lazy()))
        lazy = Lazy()
        self.assertIsNone(fingerprints.of_function(lambda x: (lazy, x))[0])  # the function has no identity


if __name__ == "__main__":
    unittest.main()
