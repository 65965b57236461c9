"""Tests gradient= of functions: the losses of attacks with NumPy alone, FGSM in closed form, and errors."""
import importlib.util
import os
import pathlib
import sys
import unittest
from unittest import mock

import numpy as np

import assay
from assay._worker import array_losses, given_gradients
from assay._worker.objects import Given, model_of
from assay._worker.wire import Refused
from common import InFolder, photos
from worker_peer import Failed, InThread

SIDE, CLASSES = 8, 4
SETTINGS = {"input_size": [3, SIDE, SIDE], "crop_mode": "none", "mean": [0.5, 0.4, 0.3], "std": [0.25, 0.5, 0.2]}
WEIGHTS = np.random.default_rng(1).normal(0, 0.1, (3 * SIDE * SIDE, CLASSES)).astype(np.float32)
# the same weights in the order for channels last
OTHER = WEIGHTS.reshape(3, SIDE, SIDE, CLASSES).transpose(1, 2, 0, 3).reshape(-1, CLASSES).copy()


def linear(batch):
    return batch.reshape(len(batch), -1) @ WEIGHTS


def gradient(batch, weights):
    return (weights @ WEIGHTS.T).reshape(batch.shape)


def softmax(z):
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def of_cross_entropy(x, labels):
    """The gradient of the cross-entropy of softmax(x W) with respect to x, in closed form: W (p - y)."""
    return (softmax(linear(x).astype(np.float64)) - np.eye(CLASSES)[labels]) @ WEIGHTS.T


def images(count, seed=2):
    return np.random.default_rng(seed).normal(size=(count, 3, SIDE, SIDE)).astype(np.float32)


class Losses(unittest.TestCase):
    def test_values(self):
        z, label, target = np.array([[1.0, 4.0, 2.0, 0.0]], np.float32), np.array([2]), np.array([3])
        total = np.exp([1.0, 4.0, 2.0, 0.0]).sum()
        # The sorted scores are 4, 2, 1, 0. The loss "difference of logits ratio" is (4 - 2) / (4 - 1), and its targeted form is (0
        # - 2) / (4 - (1 + 0) / 2).
        for kind, value in enumerate((np.log(total) - 2, 2.0, -2.0, 2 / 3, -2 / 3.5)):
            self.assertAlmostEqual(array_losses.loss_of(kind, z, label, target)[0][0], value, places=6)
        # If scores are equal, the first counts as the larger one. The score of the label itself is not a rival.
        z = np.array([[3.0, 3.0, 1.0, 0.0]], np.float32)
        np.testing.assert_array_equal(array_losses.loss_of(1, z, np.array([0]), target)[1], [[-1, 1, 0, 0]])
        np.testing.assert_array_equal(array_losses.loss_of(1, z, np.array([1]), target)[1], [[1, -1, 0, 0]])

    def test_derivatives_are_those_of_the_values(self):
        random = np.random.default_rng(3)
        z = random.normal(size=(6, 5)) * 3
        labels, targets = random.integers(0, 5, 6), random.integers(0, 5, 6)
        targets[targets == labels] = (labels[targets == labels] + 1) % 5
        for kind in range(5):
            derivative = array_losses.loss_of(kind, z, labels, targets)[1]
            for c in range(5):
                step = np.zeros(5)
                step[c] = 1e-5
                high, low = (array_losses.loss_of(kind, z + sign * step, labels, targets)[0] for sign in (1, -1))
                np.testing.assert_allclose(derivative[:, c], (high - low) / 2e-5, atol=1e-4)

    def test_too_few_classes_and_unknown_kinds(self):
        one = np.zeros(1, int)
        for kind, classes in ((3, 2), (4, 3)):
            with self.assertRaisesRegex(Refused, f"at least {classes + 1} classes, but the model has {classes}"):
                array_losses.loss_of(kind, np.zeros((1, classes), np.float32), one, one)
        with self.assertRaisesRegex(Refused, "unknown loss 5"):
            array_losses.loss_of(5, np.zeros((1, 9), np.float32), one, one)
        # One score means class 1 of two. The program then computes the loss.
        losses, derivative = array_losses.loss_of(0, np.array([[2.5]], np.float32), one, one)
        self.assertEqual((losses[0], derivative[0, 0]), (2.5, 1.0))


class Served(unittest.TestCase):
    def peer(self, call, **given):
        model = model_of(call, given=Given(given))
        model.__enter__()
        peer = InThread(model)
        self.addCleanup(model.__exit__)
        self.addCleanup(peer.close)
        peer.described()
        return peer

    def refused(self, text, call=linear, **given):
        with self.assertRaises(Failed) as caught:
            self.peer(call, **given).open(SIDE)
        self.assertIn(text, caught.exception.text)
        self.assertEqual(caught.exception.code, "bad_input")

    def test_the_gradient_of_a_loss_is_the_closed_form(self):
        def last(batch):
            return batch.reshape(len(batch), -1) @ OTHER

        def of_last(batch, weights):
            return (weights @ OTHER.T).reshape(batch.shape)

        x, labels = images(5), [0, 1, 2, 3, 0]
        for call, given in ((linear, {"gradient": gradient}), (last, {"gradient": of_last, "channels_last": True})):
            peer = self.peer(call, **given)
            facts = peer.open(SIDE)
            self.assertIn("agrees with central differences on 2 images", " ".join(facts["notes"]))
            scores, losses, found = peer.lane().gradients(x, 0, labels)
            np.testing.assert_allclose(scores, linear(x), rtol=1e-5, atol=1e-5)
            np.testing.assert_allclose(losses, -np.log(softmax(linear(x).astype(np.float64))[range(5), labels]), rtol=1e-4, atol=1e-6)
            np.testing.assert_allclose(found.reshape(5, -1), of_cross_entropy(x, labels), atol=1e-5)

    def test_gray_images(self):
        def gray(batch):
            self.assertEqual(batch.shape[1], 1)
            return batch.reshape(len(batch), -1) @ WEIGHTS[:SIDE * SIDE]

        def of_gray(batch, weights):
            return (weights @ WEIGHTS[:SIDE * SIDE].T).reshape(batch.shape)

        peer = self.peer(gray, gradient=of_gray)
        peer.open(SIDE, gray=True)
        _, _, found = peer.lane().gradients(images(2), 2, [0, 1], [1, 2])
        np.testing.assert_allclose(found[0, 0].ravel(), WEIGHTS[:SIDE * SIDE, 1] - WEIGHTS[:SIDE * SIDE, 0], rtol=1e-5)
        self.assertFalse(found[:, 1:].any())

    def test_a_function_may_write_into_its_input(self):
        def writes(batch):
            scores = linear(batch)
            batch[...] = np.nan
            return scores

        def curved(batch, weights):  # fails if the model's call changed the input
            return gradient(batch, weights) if np.isfinite(batch).all() else batch

        peer = self.peer(writes, gradient=curved)
        peer.open(SIDE)
        found = peer.lane().gradients(images(2), 0, [0, 1])[2]
        np.testing.assert_allclose(found.reshape(2, -1), of_cross_entropy(images(2), [0, 1]), atol=1e-5)

    def test_what_is_wrong_is_refused_on_load(self):
        mask = np.array([1, 1, 0], np.float32)[None, :, None, None]
        for wrong in (
            lambda x, w: 0.25 * gradient(x, w),  # the derivative has other units
            lambda x, w: gradient(x, w) / len(x),  # this is the derivative of a mean over the batch
            lambda x, w: -gradient(x, w),
            lambda x, w: 0 * gradient(x, w),
            lambda x, w: gradient(x, w) * mask,  # a channel is missing
            lambda x, w: gradient(x, w)[:, ::-1],  # the channels are in another order
        ):
            self.refused("is not the gradient of its scores. In one direction they change by", gradient=wrong)
        self.refused("of the shape (2, 192) for a batch of the shape (2, 3, 8, 8)", gradient=lambda x, w: w @ WEIGHTS.T)
        self.refused("is not finite: nan at (0, 0, 0, 0)", gradient=lambda x, w: gradient(x, w) * np.nan)
        self.refused("returned NoneType, not an array", gradient=lambda x, w: None)
        self.refused("of the type int64", gradient=lambda x, w: np.ones(x.shape, int))
        self.refused("TypeError", gradient=lambda x: x)

    def test_what_cannot_be_told_is_said(self):
        def steps(batch):  # steps in the function hide small changes
            return np.sign(linear(batch))

        notes = self.peer(steps, gradient=gradient).open(SIDE)["notes"]
        self.assertIn("could not be checked", " ".join(notes))

        def kinks(batch):
            return np.maximum(linear(batch), 0) ** 2 / 10

        def of_kinks(batch, weights):
            return gradient(batch, weights * np.maximum(linear(batch), 0) / 5)

        self.assertIn("agrees", " ".join(self.peer(kinks, gradient=of_kinks).open(SIDE)["notes"]))

    def test_without_one_the_error_says_what_to_give(self):
        peer = self.peer(linear)
        peer.open(SIDE)
        with self.assertRaisesRegex(Failed, "Pass gradient=, a function from .batch, weights."):
            peer.lane().gradients(images(1), 0, [0])

    def test_identity(self):
        plain = model_of(linear).description.identity
        one, same, other = (
            model_of(linear, given=Given({"gradient": call})).description.identity
            for call in (gradient, gradient, lambda batch, weights: 2 * gradient(batch, weights))
        )
        self.assertTrue(one)
        self.assertEqual(one, same)
        self.assertEqual(len({plain, one, other}), 3)
        self.assertEqual(model_of(linear, given=Given({"gradient": gradient, "identity": "mine"})).description.identity,
                         model_of(linear, given=Given({"identity": "mine"})).description.identity)
        with self.assertRaisesRegex(Refused, "gradient= is a int, not a function"):
            Given({"gradient": 3})

    @unittest.skipUnless(importlib.util.find_spec("torch"), f"SKIPPED: {sys.executable} has no torch")
    def test_of_tensors(self):
        import torch

        weights = torch.from_numpy(WEIGHTS)

        def cut_off(batch):
            return (batch.flatten(1) @ weights).detach()

        def given(batch, of_scores):
            return (of_scores @ weights.T).view_as(batch)

        peer = self.peer(cut_off, gradient=given)
        self.assertIn("agrees", " ".join(peer.open(SIDE)["notes"]))
        found = peer.lane().gradients(images(3), 0, [0, 1, 2])[2]
        np.testing.assert_allclose(found.reshape(3, -1), of_cross_entropy(images(3), [0, 1, 2]), atol=1e-5)
        with self.assertRaisesRegex(Refused, "gradient= is for functions"):
            model_of(torch.nn.Flatten(), given=Given({"gradient": given}))
        # The losses in PyTorch and in NumPy are equal.
        from assay._worker import losses

        z, random = np.random.default_rng(5).normal(size=(40, 6)).astype(np.float32), np.random.default_rng(6)
        labels, targets = random.integers(0, 6, 40), random.integers(0, 6, 40)
        for kind in range(len(losses.NAMES)):
            ours = array_losses.loss_of(kind, z, labels, targets)
            theirs = losses.loss_of(kind, torch.from_numpy(z), torch.from_numpy(labels), torch.from_numpy(targets))
            for a, b in zip(ours, theirs):
                np.testing.assert_allclose(a, b.numpy(), rtol=1e-6, atol=1e-7)


@unittest.skipUnless(importlib.util.find_spec("PIL"), f"SKIPPED: {sys.executable} has no Pillow")
class Attacks(InFolder):
    COUNT = 12

    def photographs(self):
        """Images in the folders of the classes that the model predicts, and their bytes by file name."""
        from PIL import Image

        made = {}
        random = np.random.default_rng(4)
        for i in range(self.COUNT):
            pixels = random.integers(0, 256, (SIDE, SIDE, 3), np.uint8)
            label = int(linear(self.prepared(pixels / np.float32(255))).argmax())
            path = self.folder / "data" / f"c{label}" / f"{i:02}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            Image.fromarray(pixels).save(path)
            made[f"c{label}/{i:02}.png"] = pixels, label
        for c in range(CLASSES):
            (self.folder / "data" / f"c{c}").mkdir(exist_ok=True)
        return made

    @staticmethod
    def prepared(pixels):
        """A batch of 1 x 3 x SIDE x SIDE from pixels between 0 and 1."""
        mean, std = (np.array(SETTINGS[key], np.float32) for key in ("mean", "std"))
        return ((np.asarray(pixels, np.float32) - mean) / std).transpose(2, 0, 1)[None]

    def test_fgsm_is_the_closed_form(self):
        made, eps = self.photographs(), 4 / 255
        found = assay.attack(
            linear, self.folder / "data", self.folder / "runs", gradient=gradient, settings=SETTINGS, attack="fgsm", eps="4/255", threads=2, progress=False,
            classes=self.class_list(),
        )
        (cell,) = [one for one in found["models"][0]["attacks"] if one["attack"] == "fgsm"]
        self.assertEqual(cell["attacked"], self.COUNT)
        store = assay.Store(cell["store"])
        std = np.array(SETTINGS["std"])
        correct = 0
        for id_, scores in zip(store.ids, np.asarray(store.scores())):
            pixels, label = made[id_]
            pixels = pixels / np.float32(255)
            slope = of_cross_entropy(self.prepared(pixels), [label]).reshape(3, SIDE, SIDE).transpose(1, 2, 0) / std
            expected = linear(self.prepared(np.clip(pixels + eps * np.sign(slope), 0, 1)))[0]
            np.testing.assert_allclose(scores, expected, rtol=1e-3, atol=2e-3)
            correct += int(expected.argmax()) == label
        self.assertEqual(cell["robust"], correct)
        self.assertLess(correct, self.COUNT)

    def test_the_example_of_the_documentation(self):
        text = (pathlib.Path(__file__).resolve().parents[2] / "docs/python.md").read_text()
        block = text.split("### Gradients of functions\n")[1].split("```python\n")[1].split("```")[0]
        photos(self.folder / "imagenet/val", 8, CLASSES, lambda i: (40, 40), {})
        names = {"assay": assay, "W": np.random.default_rng(8).normal(0, 0.05, (3 * 32 * 32, CLASSES)).astype(np.float32)}
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        with mock.patch.object(assay, "attack", wraps=assay.attack) as called:
            exec(compile(block, "docs/python.md", "exec"), names)
        self.assertIs(called.call_args.kwargs["gradient"], names["gradient"])

    def class_list(self):
        path = pathlib.Path(self.folder) / "classes.txt"
        path.write_text("".join(f"c{c}\n" for c in range(CLASSES)))
        return path

    def test_wrong_ones_name_the_model(self):
        self.photographs()
        self.refused(
            lambda: assay.attack(
                {"one": linear, "two": lambda x: linear(x)}, self.folder / "data", self.folder / "runs",
                gradient={"one": gradient, "two": lambda x, w: -gradient(x, w)}, settings=SETTINGS, progress=False, classes=self.class_list(),
            ),
            "bad_input", "is not the gradient of its scores", "two", given_gradients.CONTRACT,
        )


if __name__ == "__main__":
    unittest.main()
