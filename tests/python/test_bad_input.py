"""What each function says about numbers that it cannot use: every form by every function that takes scores or labels. A refusal is one
assay.Error that names the argument and what to pass, and nothing has changed. tests/python/test_copies.py has forks, threads and exits."""
import unittest
import warnings

import numpy as np

import assay
from common import CLASSES, InFolder, made

ROWS = 20
ON_DEVICE = "the tensor is on a device (cuda:0): pass it.cpu()"
KINDS = "allowed are float16, float32, float64, bfloat16 and whole numbers of 8 to 64 bits"
AN_ARRAY = "an array is needed (NumPy, PyTorch on the CPU, a buffer, a list)"


class OnDevice:
    """As an array of CuPy, or a tensor on a GPU."""

    device, shape = "cuda:0", (ROWS, CLASSES)

    def __dlpack_device__(self):
        return 2, 0

    def __dlpack__(self):
        raise AssertionError("must not be read")


class WithoutExport:
    """Of a library that has DLPack, but not for this layout."""

    shape = (ROWS, CLASSES)

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self):
        raise BufferError("strange layout")


class Sparse:
    """As a matrix of SciPy."""

    shape = (ROWS, CLASSES)

    def toarray(self):
        raise AssertionError("must not be made dense without a word")


class Opaque:
    shape = (ROWS, CLASSES)


class Functions(InFolder):
    def setUp(self):
        super().setUp()
        scores, labels = made(ROWS)
        self.scores, self.labels = scores, np.maximum(labels, 0)
        self.written = 0

    def write(self, given):
        self.written += 1
        with assay.StoreWriter(self.folder, dataset="d", model=f"m{self.written}", ids=range(ROWS), labels=self.labels, num_classes=CLASSES) as writer:
            writer.write(0, given)

    def takers(self):
        """{function: what its message has before the message of score()}."""
        scores, labels = self.scores, self.labels
        return {
            "": lambda given: assay.score(given, labels, "top1"),
            "b: ": lambda given: assay.score({"a": scores, "b": given}, labels, "top1"),
            "candidate: ": lambda given: assay.compare(scores, given, labels, "top1"),
            "baseline: ": lambda given: assay.compare(given, scores, labels, "top1"),
            "Store.of": lambda given: assay.Store.of(given, labels),
            "update": lambda given: assay.Metrics("top1").update(given, labels),
            "update, kept": lambda given: assay.Metrics("top1", keep=True).update(given, labels),
            "call": lambda given: assay.Metrics("top1")(given, labels),
            "write": self.write,
            "member 2": lambda given: assay.ensemble([scores, given], labels),
        }

    def test_scores(self):
        scores = self.scores
        for given, text in (
            (OnDevice(), ON_DEVICE),
            (WithoutExport(), "the tensor cannot be read: strange layout; pass a dense tensor, or an array of NumPy"),
            (Sparse(), "a sparse matrix: pass x.toarray()"),
            (Opaque(), f"a Opaque; {AN_ARRAY}"),
            (np.ma.masked_array(scores, scores > 2), "a masked array; mark unknown scores with x.filled(numpy.nan)"),
            (scores.astype(complex), f"numbers of type c16; {KINDS}"),
            (scores.astype(np.longdouble), f"numbers of type f{np.dtype(np.longdouble).itemsize}; {KINDS}"),
            (scores.astype("datetime64[s]"), f"numbers of type M8[s]; {KINDS}"),
            (scores > 0, f"numbers of type b1; {KINDS}"),
            (scores.astype(scores.dtype.newbyteorder()), "numbers in the other byte order (>f4); convert them: x.astype(x.dtype.newbyteorder('='))"),
            (scores.astype(object), "an array of Python objects; make it one of numbers: x.astype(numpy.float32)"),
            (scores[None], f"an array of shape (1, {ROWS}, {CLASSES}): scores have two dimensions (items, classes), labels one"),
            ([[1.0, 2.0]] * (ROWS - 1) + [[1.0]], "rows of different lengths"),
            ([[2**70] * CLASSES] * ROWS, "a list with a number of more than 64 bits"),
            ([["a"] * CLASSES] * ROWS, "a list of something other than numbers: must be real number, not str"),
        ):
            for name, call in self.takers().items():
                with self.subTest(text, function=name):
                    error = self.refused(lambda: call(given), "usage")
                    self.assertTrue(error.message.endswith(text), error.message)
                    if ":" in name or not name:
                        self.assertTrue(error.message.startswith(f"{name}scores: "), error.message)
                    self.assertIn("scores", error.message)

    def test_shapes(self):
        scores = self.scores
        of_labels = f"{ROWS} labels for {ROWS - 1} items"
        one_column = "scores: one number per item is for two classes, but a label is 6: pass a column for each class"
        for name, call in self.takers().items():
            if name in ("write", "member 2"):
                continue
            before = name if ":" in name else ""
            streamed = name.startswith(("update", "call"))
            with self.subTest(function=name):
                for given, text in ((scores[:-1], f"{ROWS} targets for {ROWS - 1} rows of scores" if streamed else before + of_labels), (scores[:, :1], before + one_column)):
                    self.assertEqual(self.refused(lambda: call(given), "bad_input").message, text)
                self.refused(lambda: call(scores[:, :0]), "usage", f"the array has {ROWS} x 0 elements; 1 to 16777216 columns are allowed")
                if streamed:
                    self.refused(lambda: call(scores[:0]), "bad_input", f"{ROWS} targets for 0 rows of scores")
                else:
                    self.refused(lambda: call(scores[:0]), "usage", "the scores have no rows")
                self.refused(lambda: call(scores * np.nan), "bad_input", 'no row has only finite scores; pass kind="logits", "probabilities" or "log_probabilities"')
        self.refused(lambda: self.write(scores[:, :2]), "usage", f"2 columns for the scores of {CLASSES} classes")
        self.refused(lambda: self.write(scores[:0]), "usage", "the scores have no rows")
        self.refused(lambda: assay.ensemble([scores, scores[:-1]], self.labels), "bad_input", "one shape is needed")

    def test_labels(self):
        scores, labels = self.scores, self.labels
        streamed = assay.Metrics("top1")
        takers = (
            lambda given: assay.score(scores, given, "top1"), lambda given: assay.compare(scores, scores, given, "top1"),
            lambda given: assay.Store.of(scores, given), lambda given: streamed.update(scores, given),
            lambda given: assay.StoreWriter(self.folder, dataset="d", model="m", ids=range(ROWS), labels=given, num_classes=CLASSES),
        )
        for given, code, text in (
            (np.where(labels == 0, np.nan, labels), "usage", "allowed: a whole number, or -1 for no label: numpy.nan_to_num(y, nan=-1)"),
            (labels + 0.5, "usage", "labels: fractions"),
            (labels + 100, "bad_input", f"outside the {CLASSES} classes of the scores"),
            (labels - 7, "bad_input", "allowed: a class 0, 1, ..., or -1 for no label"),
            (np.full(ROWS, 2**40), "bad_input", f"the label of row 0 is {2**40}"),
            (["cat"] * ROWS, "usage", "pass classes=[...] in the order of the scores' columns"),
            (np.zeros((ROWS, 2, 2)), "usage", f"labels: an array of shape ({ROWS}, 2, 2)"),
            ({"a": 1}, "usage", f"labels: a dict; {AN_ARRAY}"),
            (labels + 1j, "usage", "labels: "),
        ):
            for at, call in enumerate(takers):
                if "outside" in text and at in (2, 4):  # a class map may make something of them
                    continue
                with self.subTest(text, function=at):
                    self.refused(lambda: call(given), code, text)
        self.assertEqual(len(streamed), 0)

    def test_forms_that_are_as_good_as_any(self):
        """Read-only, not contiguous, turned, and of other widths: the same bits."""
        scores, labels = self.scores, self.labels
        expected = assay.score(scores, labels, "top1,nll,auroc").to_json()
        wide = np.zeros((2 * ROWS, 3 * CLASSES), np.float32)
        wide[::2, ::3] = scores
        frozen = scores.copy()
        frozen.setflags(write=False)
        turned = np.ascontiguousarray(scores[::-1, ::-1])[::-1, ::-1]
        for given in (wide[::2, ::3], frozen, turned, np.asfortranarray(scores), memoryview(scores), scores.tolist(), np.rec.array(scores)):
            for own in (labels, labels.astype(np.int8), np.repeat(labels, 3)[::3], labels.tolist(), memoryview(labels)):
                self.assertEqual(assay.score(given, own, "top1,nll,auroc").to_json(), expected)
        self.assertEqual(assay.score(scores.astype(np.float64), labels, "top1,nll,auroc").to_json(), expected)

    def test_numbers_that_are_not_finite_are_counted(self):
        scores = self.scores.copy()
        scores[3, 2], scores[5] = np.nan, np.inf
        report = assay.score(scores, self.labels, "top1")
        self.assertEqual((report["top1"].n, report.partial), (ROWS - 2, True))
        metrics = assay.Metrics("top1")
        metrics.update(scores, self.labels)
        self.assertEqual(dict(metrics.compute()), dict(report))

    def test_a_closed_writer(self):
        writer = assay.StoreWriter(self.folder, dataset="d", model="m", ids=range(ROWS), labels=self.labels, num_classes=CLASSES)
        writer.write(0, self.scores)
        writer.close()
        for call in (lambda: writer.write(0, self.scores), lambda: writer.append(self.scores), lambda: list(writer.batches(5)), writer.finish):
            self.assertEqual(self.refused(call, "usage").message, "the writer is closed")
        writer.close()

    def test_masked_labels_are_without_a_label_and_other_masks_are_refused(self):
        masked = np.ma.masked_array(self.labels, self.labels == 2)
        self.assertEqual(assay.score(self.scores, masked, "top1")["top1"].n, int((self.labels != 2).sum()))
        two = np.ma.masked_array(np.ones(ROWS), self.labels == 2)
        text = "a masked array; mark unknown numbers with x.filled(numpy.nan)"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that two arrays are of classes
            for call in (
                lambda: assay.score(self.scores, self.labels, "top1", sample_weight=two), lambda: assay.score(masked, self.labels, "top1"),
                lambda: assay.score(self.scores, self.labels, "top1", groups=masked), lambda: assay.Metrics("top1", num_classes=CLASSES).update(masked, self.labels),
                lambda: assay.score(self.scores, self.labels, "soft_top1", soft_labels=np.ma.masked_array(np.ones((ROWS, CLASSES)), self.scores > 0)),
            ):
                self.refused(call, "usage", text)


if __name__ == "__main__":
    unittest.main()
