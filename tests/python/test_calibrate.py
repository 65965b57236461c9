"""Compares calibration and ensembles from Python with plain NumPy, and with other libraries if they are installed."""
import json
import subprocess
import unittest

import numpy as np

import assay
from common import CLASSES, PROGRAM, InFolder, command, made


def log_softmax(logits):
    shifted = logits - logits.max(axis=1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))


def temperature_of(logits, labels):
    """Finds the best temperature by bisection, because the slope of the mean loss increases with the inverse temperature."""
    low, high = 1e-3, 1e3
    for _ in range(200):
        middle = (low * high) ** 0.5
        chances = np.exp(log_softmax(logits * middle))
        slope = ((chances * logits).sum(axis=1) - logits[np.arange(len(labels)), labels]).mean()
        low, high = (low, middle) if slope > 0 else (middle, high)
    return 1 / low


def vector_of(logits, labels):
    """Weights and biases by Newton's method with a dense matrix, from the best temperature."""
    items, classes = logits.shape
    each = np.eye(classes)
    design = np.concatenate([np.einsum("nc,ck->nck", logits, each), np.tile(each, (items, 1, 1))], axis=2)
    at = np.concatenate([np.full(classes, 1 / temperature_of(logits, labels)), np.zeros(classes)])
    own = design[np.arange(items), labels]
    for _ in range(50):
        chances = np.exp(log_softmax(design @ at))
        mean = np.einsum("nc,nck->nk", chances, design)
        slope = (mean - own).mean(axis=0)
        second = np.einsum("nc,ncj,nck->jk", chances, design, design) / items - mean.T @ mean / items
        at = at - np.linalg.lstsq(second, slope, rcond=1e-12)[0]  # the shortest step does not change the sum of the biases
    return at[:classes], at[classes:]


class Calibrated(InFolder):
    def two_sets(self):
        """Overconfident logits. One data set is for fitting, and one for the report."""
        scores, labels = made(1600)
        scores *= 2
        labels = np.where(labels < 0, scores.argmax(axis=1), labels)
        labels[::5] = np.random.default_rng(2).integers(0, CLASSES, len(labels[::5]))
        self.imported(scores[:800], labels[:800], dataset="fit")
        path = self.imported(scores[800:], labels[800:], dataset="val")
        return path, scores, labels

    def test_temperature_and_vector_are_the_optimum(self):
        path, scores, labels = self.two_sets()
        fitted, truth = scores[:800].astype(float), labels[:800]
        found = assay.calibrate(path, fit="fit")["stores"][0]
        expected = temperature_of(fitted, truth)
        self.assertAlmostEqual(found["temperature"]["value"], expected, delta=1e-6 * expected)
        interval = found["temperature"]["interval"]
        self.assertTrue(interval["low"] < expected < interval["high"])
        calibrated = assay.Store(found["store"])
        np.testing.assert_allclose(np.asarray(calibrated.scores()), scores[800:] / expected, rtol=1e-5)
        self.assertLess(found["nll_after"]["value"], found["nll_before"]["value"])
        value = -log_softmax(scores[800:] / expected)[np.arange(800), labels[800:]].mean()
        self.assertAlmostEqual(found["nll_after"]["value"], value, delta=1e-6)

        layer = self.folder / "layer.json"
        found = assay.calibrate([path], fit="fit", method="vector", layer=layer)["stores"][0]
        weights, biases = vector_of(fitted, truth)
        for one, weight, bias in zip(found["classes"], weights, biases):
            self.assertAlmostEqual(one["weight"]["value"], weight, delta=1e-6)
            self.assertAlmostEqual(one["bias"]["value"], bias, delta=1e-6)
        numbers = json.loads(layer.read_text())
        self.assertEqual(numbers["schema"], "assay.layer/1")
        scaled = np.asarray(assay.Store(found["store"]).scores())
        np.testing.assert_allclose(scaled, scores[800:] * numbers["weights"] + numbers["biases"], rtol=1e-4, atol=1e-4)

    def test_two_classes_are_a_logistic_regression(self):
        try:
            from sklearn.linear_model import LogisticRegression
        except ImportError:
            self.skipTest("SKIPPED: scikit-learn is not here")
        scores, labels = made(1000, classes=2, skill=1.0)
        labels = np.where(labels < 0, 0, labels)
        self.imported(scores[:600], labels[:600], dataset="fit")
        path = self.imported(scores[600:], labels[600:], dataset="val")
        found = assay.calibrate(path, fit="fit")["stores"][0]
        difference = (scores[:600, 1] - scores[:600, 0]).astype(float)[:, None]
        peer = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-12, max_iter=10000).fit(difference, labels[:600])
        self.assertAlmostEqual(1 / found["temperature"]["value"], peer.coef_[0, 0], delta=1e-5)

    def test_a_calibrated_store_is_no_model_of_its_own(self):
        path, scores, labels = self.two_sets()
        noise = np.random.default_rng(1).normal(size=(800, CLASSES)).astype(np.float32)
        other = self.imported(scores[800:] + noise, labels[800:], model="other", dataset="val")
        alone = assay.compare(path, other, metrics="nll")["nll"]
        assay.calibrate(path, fit="fit")
        table = command("score", self.folder / "runs/val")
        self.assertIn("model@temperature", table)
        both = assay.compare(path, [other, self.folder / "runs/val/model@temperature"], metrics="nll")
        self.assertEqual(both["other", "nll"].p_holm, alone.p_holm)  # Holm's correction still counts one model
        self.assertEqual(both.pairs[1]["derived"], {"calibration": "temperature", "model": "model"})

    def test_the_same_bits_for_any_threads(self):
        path, _, _ = self.two_sets()
        texts = set()
        for threads in (1, 2, 5):
            found = assay.calibrate(path, fit="fit", method="vector", threads=threads)["stores"][0]
            texts.add(json.dumps(found))
        self.assertEqual(len(texts), 1)

    def test_bad_input(self):
        path, _, _ = self.two_sets()
        self.refused(lambda: assay.calibrate(path, fit="val"), "usage", "fit=")
        self.refused(lambda: assay.calibrate(path, fit="fit", split=0.5), "usage", "split")
        self.refused(lambda: assay.calibrate(path, method="other"), "usage", "temperature")
        self.refused(lambda: assay.calibrate(assay.Store.of([[1.0, 0.0]], [0], kind="logits")), "usage", "in memory")


class Ensembles(InFolder):
    def test_the_mean(self):
        scores, labels = made(500)
        others, _ = made(500, seed=2)
        first, second = self.imported(scores, labels, model="a"), self.imported(others, labels, model="b")
        found = assay.ensemble([first, assay.Store(second)], "both")
        mean = (np.exp(log_softmax(scores.astype(float))) + np.exp(log_softmax(others.astype(float)))) / 2
        np.testing.assert_allclose(np.exp(np.asarray(assay.Store(found["store"]).scores())), mean, rtol=1e-5)
        known = labels >= 0
        self.assertAlmostEqual(found["top1"]["value"], (mean.argmax(axis=1) == labels)[known].mean(), delta=1e-12)
        self.assertAlmostEqual(found["agreement"]["value"], (scores.argmax(axis=1) == others.argmax(axis=1)).mean(), delta=1e-12)
        entropy = lambda p: -(p * np.log(p)).sum(axis=1)  # noqa: E731
        parts = [entropy(np.exp(log_softmax(s.astype(float)))) for s in (scores, others)]
        self.assertAlmostEqual(found["mutual_information"]["value"], (entropy(mean) - sum(parts) / 2).mean(), delta=1e-9)
        logits = assay.Store(assay.ensemble([first, second], "logits", of="logits")["store"]).scores()
        np.testing.assert_allclose(np.asarray(logits), (scores.astype(float) + others) / 2, rtol=1e-5, atol=1e-6)
        self.refused(lambda: assay.ensemble([first]), "usage", "two or more")
        self.refused(lambda: assay.ensemble([first, second], labels), "usage", "labels= is only for arrays")

    def views(self):
        """Logits of five views of each item, items x views x classes."""
        scores, labels = made(300)
        return scores[:, None] + np.random.default_rng(3).normal(size=(300, 5, CLASSES)).astype(np.float32), labels

    def test_an_array_of_views(self):
        scores, labels = self.views()
        p = np.exp(log_softmax(scores.astype(float).reshape(-1, CLASSES))).reshape(scores.shape)
        mean, known, predicted = p.mean(axis=1), labels >= 0, p.argmax(axis=2)
        found = assay.ensemble(scores, labels)
        self.assertEqual(sorted(found), sorted([
            "agreement", "dataset", "items", "members", "model", "mutual_information", "of", "schema", "scores", "top1", "warnings", "without_scores"]))
        np.testing.assert_allclose(np.exp(found["scores"]), mean, rtol=1e-5)
        self.assertAlmostEqual(found["top1"]["value"], (mean.argmax(axis=1) == labels)[known].mean(), delta=1e-12)
        same = np.mean([(predicted[:, a] == predicted[:, b]).mean() for a in range(5) for b in range(a)])
        self.assertAlmostEqual(found["agreement"]["value"], same, delta=1e-12)
        entropy = lambda p: -(p * np.log(p)).sum(axis=-1)  # noqa: E731
        self.assertAlmostEqual(found["mutual_information"]["value"], (entropy(mean) - entropy(p).mean(axis=1)).mean(), delta=1e-9)
        np.testing.assert_allclose(assay.ensemble(scores, labels, of="logits")["scores"], scores.astype(float).mean(axis=1), rtol=1e-5, atol=1e-6)
        probabilities = assay.ensemble(p.astype(np.float32), labels)
        np.testing.assert_allclose(np.exp(probabilities["scores"]), mean, rtol=1e-4)
        self.assertAlmostEqual(assay.score(found["scores"], labels, "top1")["top1"].value, found["top1"]["value"], 12)

    def test_members_by_name_and_stored(self):
        scores, labels = self.views()
        members = {"left": scores[:, 0], "right": scores[:, 1]}
        for _ in range(2):  # the second time, everything is already stored
            found = assay.ensemble(members, labels, "both", runs=self.folder / "runs", dataset="val", ids=[f"{i}.png" for i in range(300)])
        self.assertEqual([m["model"] for m in found["members"]], ["left", "right"])
        report = assay.score(self.folder / "runs", metrics="top1")
        self.assertEqual(report["both", "top1"].value, found["top1"]["value"])
        self.assertEqual(sorted(key[0] for key in report), ["both", "left", "right"])
        listed = assay.ensemble([scores[:, 0], scores[:, 1]], labels)
        np.testing.assert_array_equal(listed["scores"], found["scores"])
        self.assertEqual([m["model"] for m in listed["members"]], ["ensemble-member1", "ensemble-member2"])

    def test_arrays_that_are_refused(self):
        scores, labels = self.views()
        for value, text in (
            (scores[:, 0], "2 dimensions; items x members x classes"), (scores[:, :1], "1 member"), (scores.argmax(2)[:, None].repeat(2, 1), "of int64"),
            ({"a": scores[:, 0], "b": scores[:9, 1]}, "(9, 7), (300, 7)"), ({"a": scores[:, 0]}, "two or more"),
        ):
            self.refused(lambda value=value: assay.ensemble(value, labels), "bad_input", text)
        self.refused(lambda: assay.ensemble(scores, labels[1:]), "bad_input", "299")
        self.refused(lambda: assay.ensemble({"a": scores, "b": scores}, labels), "usage", "scores of `a`: an array of shape (300, 5, 7)")

    def test_views_are_imported_one_by_one(self):
        scores, labels = self.views()
        np.save(self.folder / "tta.npy", scores)
        np.savez(self.folder / "tta.npz", scores=scores)
        np.save(self.folder / "labels.npy", labels)
        given = "import", self.folder / "tta.npy", "--labels", self.folder / "labels.npy", "--dataset-name", "val", "--out", self.folder / "runs", "-q"
        for view in range(1, 6):
            command(*given, "--view", view)
            np.testing.assert_array_equal(assay.Store(self.folder / f"runs/val/tta-view{view}").scores(), scores[:, view - 1])
        found = assay.ensemble([self.folder / f"runs/val/tta-view{view}" for view in range(1, 6)])
        np.testing.assert_array_equal(np.asarray(assay.Store(found["store"]).scores()), assay.ensemble(scores, labels)["scores"])
        command("import", self.folder / "tta.npz", "--array", "scores", "--view", 2, *given[2:], "--name", "packed")
        np.testing.assert_array_equal(assay.Store(self.folder / "runs/val/packed").scores(), scores[:, 1])
        for more, text in (((), "300 x 5 x 7, items x views x classes. Import each view by --view 1 to --view 5"), (("--view", 6), "and --view is 6"), (("--view", 0), "--view")):
            done = subprocess.run([PROGRAM, *map(str, given), "--name", "other", *map(str, more)], capture_output=True, text=True)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(text, done.stderr)
        # An import of another view under the same name is refused, because it is another model.
        done = subprocess.run([PROGRAM, *map(str, given), "--name", "tta-view1", "--view", "2"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2, done.stderr)
        np.save(self.folder / "flat.npy", scores[:, 0])
        done = subprocess.run([PROGRAM, "import", str(self.folder / "flat.npy"), *map(str, given[2:]), "--view", "1"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no views: omit --view", done.stderr)
        np.save(self.folder / "turned.npy", np.asfortranarray(scores))
        done = subprocess.run([PROGRAM, "import", str(self.folder / "turned.npy"), *map(str, given[2:]), "--view", "1"], capture_output=True, text=True)
        self.assertIn("ascontiguousarray", done.stderr)


if __name__ == "__main__":
    unittest.main()
