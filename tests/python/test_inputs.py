"""Scores and labels in the forms that users pass, and the forms that are refused."""
import importlib.util
import pathlib
import pickle
import tempfile
import unittest
import unittest.mock
import warnings

import numpy as np

import assay
from assay._given_files import Files
from assay._option_names import in_python
from common import CLASSES, InFolder, made
from habits.closed import sigmoid, softmax

NAMES = [f"class {c}" for c in range(CLASSES)]


def numbers(report):
    return [dict(m.to_dict(), note="") for m in report.measurements]


def have(*packages):
    return all(importlib.util.find_spec(name) is not None for name in packages)


class GivenRows(unittest.TestCase):
    def test_are_utf_8_for_the_program_in_any_locale(self):
        with Files() as files:
            with unittest.mock.patch("builtins.open", wraps=open) as opened:
                path = files.path_of([{"label": "bébé"}])
            self.assertEqual(opened.call_args[1]["encoding"], "utf-8")
            self.assertEqual(pathlib.Path(path).read_bytes(), "label\r\nbébé\r\n".encode())


class Inputs(InFolder):
    def setUp(self):
        super().setUp()
        self.scores, labels = made(300)
        self.labels = np.where(labels < 0, 0, labels)
        self.expected = numbers(assay.score(self.scores, self.labels))
        self.named = [NAMES[c] for c in self.labels]

    def same(self, labels, scores=None, **options):
        self.assertEqual(numbers(assay.score(self.scores if scores is None else scores, labels, **options)), self.expected)

    def test_options(self):
        for k in (np.array([1, 3]), (1, 3), [np.int64(1), 3]):
            self.assertEqual(list(assay.score(self.scores, self.labels, "topk", k=k)), ["top1", "top3"])
        self.refused(lambda: assay.score(self.scores, self.labels, "nll", k=np.array([3])), "usage", "k= only applies to topk")
        self.refused(lambda: assay.score(self.scores, self.labels, "top1", subgroup=object()), "usage", "subgroup=: a object")
        self.refused(lambda: assay.compare(self.scores, self.scores, self.labels, soft_labels=self.scores), "usage", "soft_labels= is not an option of compare()")
        self.refused(lambda: assay.Metrics("top1", soft_labels=self.scores), "usage", "soft_labels= is not an option of Metrics()")

    def test_forms_that_are_none(self):
        score, scores, labels = assay.score, self.scores, self.labels
        for call, text in (
            (lambda: score([[1.0, 2.0], 3.0], [0, 1]), "rows of different lengths"),
            (lambda: score(scores, [2**70] * 300), "more than 64 bits"),
            (lambda: score(scores, labels, label_sets=3), "label_sets: a int"),
            (lambda: score(scores, labels, label_sets=[[2**40]] * 300), f"item 0 has the class {2**40}"),
            (lambda: score(scores, labels, ids=3), "a text is needed for each item"),
            (lambda: score(scores, labels, soft_labels=[["a"] * CLASSES] * 300), "soft_labels: could not convert"),
            (lambda: score(scores, labels, soft_labels=[[1, 0], [1]]), "soft_labels: rows of different lengths"),
            (lambda: score(scores, labels, "real", label_sets=[[0]] * 7 + [[1.5]] * 293), "label_sets: item 7 has [1.5]; a list of class numbers"),
            (lambda: score(scores, labels, 3), "metrics: a int"),
            (lambda: assay.Metrics(3), "metrics: a int"),
            (lambda: assay.Metrics("top1", classes=3), "num_classes=3 is their number"),
        ):
            self.refused(call, "usage", text)

    def test_messages_name_the_argument_the_row_and_the_value(self):
        score, scores, labels = assay.score, self.scores, self.labels
        for call, text in (
            (lambda: score(scores, labels, soft_labels=np.ones((5, CLASSES)) / CLASSES), "soft_labels: 5 rows for 300 items"),
            (lambda: score(scores, labels, soft_labels=np.ones((300, 2)) / 2), f"soft_labels: 2 columns for {CLASSES} classes"),
            (lambda: score(scores, labels, soft_labels=[[1.0] + [0] * (CLASSES - 1)] * 299 + [[1.5, -0.5] + [0] * (CLASSES - 2)]),
             "soft_labels: -0.5 at row 299, class 1; allowed: finite numbers from 0"),
            (lambda: score(scores, labels, "real", label_sets=[[0]] * 299), "label_sets: 299 rows for 300 items"),
            (lambda: score(scores, None, "real", label_sets=[[0]] * 299), "label_sets: 299 rows for 300 items"),
            (lambda: score(scores, labels, "real", label_sets=[[0]] * 7 + [[1, 9]] * 293), f"item 7 has the class 9; the scores have the classes 0 to {CLASSES - 1}"),
            (lambda: score(scores, labels, "real", label_sets=np.ones((300, 2))), f"label_sets: 2 columns for {CLASSES} classes"),
            (lambda: score(scores, labels, groups=[1, 2]), "groups: 2 groups for 300 items"),
        ):
            self.refused(call, "bad_input", text)

    def test_names_in_batches(self):
        for classes in (NAMES, np.array(NAMES), dict(enumerate(NAMES))):
            metrics = assay.Metrics("top1", classes=classes, num_classes=np.int64(CLASSES), confusions=True)
            metrics.update(self.scores, self.named)
            self.assertEqual(metrics.compute()["top1"], assay.score(self.scores, self.labels, "top1")["top1"])

    def test_labels(self):
        one_hot = np.eye(CLASSES)[self.labels]
        for labels in (self.labels.astype(float), self.labels.astype(np.float16), self.labels.astype(object), self.labels.astype(float).tolist(),
                       one_hot, one_hot.astype(int), one_hot.astype(bool), one_hot.tolist(), self.labels[:, None], self.labels[::-1][::-1]):
            self.same(labels)
        read_only = self.labels.copy()
        read_only.setflags(write=False)
        self.same(read_only)
        self.same(read_only, ignore_index=-100)
        for classes in (NAMES, tuple(NAMES), np.array(NAMES), dict(enumerate(NAMES))):
            for labels in (self.named, np.array(self.named), np.array(self.named, dtype=object)):
                self.same(labels, classes=classes)
        two = self.labels >= 4
        expected = numbers(assay.score(self.scores[:, :2], two.astype(int)))
        self.assertEqual(numbers(assay.score(self.scores[:, :2], two)), expected)
        self.assertEqual(numbers(assay.score(self.scores[:, :2], two.tolist())), expected)
        missing = self.labels.copy()
        missing[::7] = -1
        expected = numbers(assay.score(self.scores, missing))
        given = [None if c < 0 else int(c) for c in missing]
        self.assertEqual(numbers(assay.score(self.scores, np.array(given, dtype=object))), expected)
        self.assertEqual(numbers(assay.score(self.scores, given)), expected)
        self.assertEqual(numbers(assay.score(self.scores, [None if c is None else NAMES[c] for c in given], classes=NAMES)), expected)
        self.assertEqual(numbers(assay.score(self.scores, np.where(missing < 0, 255, missing), ignore_index=255)), expected)
        store = assay.Store.of(self.scores, one_hot)
        self.assertEqual(store.labels().tolist(), self.labels.tolist())

    def test_labels_of_other_libraries(self):
        if have("pandas"):
            import pandas

            series = pandas.Series(self.named)
            frame = pandas.DataFrame(self.scores, columns=NAMES)
            for labels in (series, series.astype("category"), series.astype("string"), pandas.Index(self.named)):
                self.same(labels, classes=NAMES)
                self.same(labels, frame)  # the names of the columns are the classes
            self.same(pandas.Series(self.labels), frame.rename(columns=str.upper))
            self.same(pandas.Series(self.labels).astype("Int64"))
            missing = pandas.Series(self.labels).astype("Int64")
            missing[3] = pandas.NA
            self.assertEqual(assay.score(self.scores, missing)["top1"].n, 299)
        if have("polars"):
            import polars

            self.same(polars.Series(self.named), polars.DataFrame(self.scores, schema=NAMES))
            self.same(polars.Series(self.labels), polars.DataFrame(self.scores))
            self.same(polars.Series(self.named, dtype=polars.Categorical), classes=NAMES)
            self.assertEqual(assay.score(self.scores, polars.Series([None, *self.labels[1:].tolist()]))["top1"].n, 299)
        if have("pyarrow"):
            import pyarrow

            self.same(pyarrow.array(self.named), classes=NAMES)
            self.same(pyarrow.chunked_array([self.named[:100], self.named[100:]]), classes=NAMES)
            self.same(pyarrow.array(self.named).dictionary_encode(), classes=NAMES)
            self.assertEqual(assay.score(self.scores, pyarrow.array([None, *self.named[1:]]), classes=NAMES)["top1"].n, 299)
            self.same(pyarrow.array(self.labels), pyarrow.table({name: self.scores[:, c] for c, name in enumerate(NAMES)}))
        if have("torch"):
            import torch

            labels = torch.tensor(self.labels)
            for form in (labels, labels.double(), labels.bfloat16(), torch.nn.functional.one_hot(labels, CLASSES), labels[:, None], labels.to(torch.uint8)):
                self.same(form, torch.tensor(self.scores, requires_grad=True))
            two = numbers(assay.score(self.scores[:, :2], (self.labels >= 4).astype(int)))
            self.assertEqual(numbers(assay.score(torch.tensor(self.scores)[:, :2], labels >= 4)), two)
            self.refused(lambda: assay.score(self.scores, labels.to("meta")), "usage", "labels: the tensor is on a device")

    def test_tensors_that_cannot_be_read_are_named(self):
        if not have("torch"):
            self.skipTest("SKIPPED: torch is not installed")
        import torch

        scores, labels, one_hot = torch.tensor(self.scores), torch.tensor(self.labels), torch.tensor(np.eye(CLASSES)[self.labels])
        numbers_of, device = torch.arange(300), "the tensor is on a device (meta): pass tensor.cpu()"
        for call, text in (
            (lambda: assay.score(scores.to("meta"), labels), f"scores: {device}"),
            (lambda: assay.Metrics("top1").update(scores.to("meta"), labels), f"scores: {device}"),
            (lambda: assay.compare(scores, scores.to("meta"), labels), f"scores: {device}"),
            (lambda: assay.Store.of(scores.to("meta"), labels), f"scores: {device}"),
            (lambda: assay.score(scores, label_sets=one_hot.to("meta")), f"label_sets: {device}"),
            (lambda: assay.score(scores, label_sets=[labels[:1].to("meta")] * 300), "label_sets: item 0 has tensor("),
            (lambda: assay.score(scores, labels, "soft_top1", soft_labels=one_hot.to("meta")), f"soft_labels: {device}"),
            (lambda: assay.score(scores, labels, groups=labels.to("meta")), f"groups: {device}"),
            (lambda: assay.score(scores, labels, sample_weight=labels.to("meta")), f"sample_weight: {device}"),
            (lambda: assay.score(scores, labels, ids=numbers_of.to("meta")), f"ids: {device}"),
            (lambda: assay.score(scores.to_sparse(), labels), "pass a dense tensor"),
            (lambda: assay.score(scores, labels.to_sparse()), "labels: a tensor with the layout torch.sparse_coo: pass tensor.to_dense()"),
            (lambda: assay.score(torch.nested.nested_tensor([scores[0], scores[1, :3]]), labels), "scores: the tensor cannot be read"),
            (lambda: assay.score(scores.to(torch.complex64), labels), "scores: numbers of type c8"),
            (lambda: assay.score(torch._neg_view(-scores), labels), "scores: the tensor is a view with the opposite sign"),
        ):
            with self.subTest(text), warnings.catch_warnings():
                warnings.simplefilter("ignore")  # PyTorch warns that nested tensors are a prototype
                self.refused(call, "usage", text)
        self.refused(lambda: assay.Metrics("top1").update(scores, labels, rows=numbers_of.to("meta")), "bad_input", "rows: ")
        self.same(labels, torch._neg_view(-scores).resolve_neg())
        weights = -torch.ones(300)
        self.assertEqual(float(assay.score(scores, labels, "top1", sample_weight=torch._neg_view(weights))["top1"]),
                         float(assay.score(scores, labels, "top1", sample_weight=-weights)["top1"]))
        self.assertEqual(assay.Store.of(scores, labels, ids=numbers_of).ids, [str(i) for i in range(300)])

    def test_ids_and_groups_are_written_as_numpy_writes_them(self):
        scores, labels = self.scores[:2], self.labels[:2]
        dates = np.array(["2026-01-02T03", "2026-01-03T00"], "datetime64[ns]")
        for values in (dates, np.array([0.1, 0.25], np.float32), np.array([7, 2**63], np.uint64)):
            texts = [str(value) for value in values]
            self.assertEqual(assay.Store.of(scores, labels, ids=values).ids, texts)
            self.assertEqual(list(assay.score(scores, labels, "top1", groups=values).by_group("top1")), texts)
        for ids in (np.zeros((2, 2)), np.array(3)):
            text = f"ids: an array of {ids.ndim} dimensions; allowed: one id per item"
            self.refused(lambda: assay.Store.of(scores, labels, ids=ids), "usage", text)

    def test_memory_of_every_layout(self):
        wide = np.zeros((600, 2 * CLASSES), np.float32)
        wide[::2, ::2] = self.scores
        read_only = self.scores.copy()
        read_only.setflags(write=False)
        mapped = np.memmap(self.folder / "scores", np.float32, "w+", shape=self.scores.shape)
        mapped[:] = self.scores
        mapped.flush()
        forms = [wide[::2, ::2], np.asfortranarray(self.scores), self.scores[::-1][::-1], self.scores[:, ::-1][:, ::-1], read_only,
                 np.memmap(self.folder / "scores", np.float32, "r", shape=self.scores.shape)]
        forms.append(np.flip(self.scores)[::-1, ::-1])
        if have("torch"):
            import torch

            forms += [torch.tensor(self.scores.T.copy()).T, torch.tensor(wide)[::2, ::2]]
        for form in forms:
            self.same(self.labels, form)
            for keep in (False, True):
                metrics = assay.Metrics("top1,nll", keep=keep)
                metrics.update(form, self.labels)
                self.assertEqual(metrics.compute()["nll"], assay.score(self.scores, self.labels, "nll")["nll"])
        self.assertEqual(assay.score(self.scores[::-1], self.labels[::-1], "top1")["top1"], assay.score(self.scores, self.labels, "top1")["top1"])

    def test_probability_of_class_1(self):
        random = np.random.default_rng(3)
        y = random.integers(0, 2, 200)
        logit = random.normal(size=200) + 2 * y - 1
        p = sigmoid(logit)
        names = "top1,nll,binary_brier,binary_auroc,binary_f1,binary_ece"
        expected = numbers(assay.score(np.column_stack([1 - p, p]), y, names, kind="probabilities"))
        for form in (p, p[:, None], p.tolist(), np.repeat(p, 2)[::2]):
            self.assertEqual(numbers(assay.score(form, y, names)), expected)
        self.assertEqual(numbers(assay.score(y, p, names)), expected)  # the order of scikit-learn
        self.assertEqual(numbers(assay.score(y_true=y == 1, y_score=p, metrics=names)), expected)
        of_logits = assay.score(logit, y, names)
        for name in names.split(","):
            self.assertAlmostEqual(of_logits[name], assay.score(p, y, names)[name], places=6)
        self.assertEqual(of_logits.stores[0]["scores"], "logits")
        self.assertEqual(numbers(assay.score(logit, y, names, kind="logits")), numbers(of_logits))
        one_missing = p.copy()
        one_missing[5] = np.nan
        self.assertEqual(assay.score(one_missing, y, "top1").stores[0]["counts"]["not_finite"], 1)
        self.refused(lambda: assay.score(p, y + 1), "bad_input", "two classes", "a label is 2")
        self.refused(lambda: assay.score(p, y, num_classes=5), "bad_input", "there are 5", "a column for each class")
        self.refused(lambda: assay.score(p, y, kind="log_probabilities"), "usage", "a column for each class")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            hard = assay.score((p > 0.5).astype(float), y, "top1")
        self.assertEqual(hard["top1"], assay.score(p, y, "top1")["top1"])
        self.assertEqual(hard.stores[0]["scores"], assay.score(y_pred=p > 0.5, y_true=y, metrics="top1").stores[0]["scores"])

    def test_label_matrices(self):
        random = np.random.default_rng(4)
        sets = (random.random((150, CLASSES)) < 0.4).astype(int)
        sets[0] = 0
        sets[0, 2] = 1
        p = sigmoid(random.normal(size=sets.shape) + 2 * sets - 1)
        names = "multilabel_f1,exact_match,hamming_loss"
        expected = numbers(assay.score(p, metrics=names, label_sets=sets, kind="probabilities"))
        for form in (sets, sets.astype(bool), sets.astype(float), sets.tolist()):
            self.assertEqual(numbers(assay.score(p, form, names)), expected)
        self.assertEqual(numbers(assay.score(softmax(p), sets, "real,asma")), numbers(assay.score(softmax(p), label_sets=sets, metrics="real,asma")))
        self.refused(lambda: assay.score(p, sets, label_sets=sets), "usage", "pass one of them")
        self.refused(lambda: assay.score(p, sets * 2), "usage", "150 x 7", "soft_labels=")

    def test_order_of_arguments(self):
        probabilities = softmax(self.scores.astype(np.float64))
        expected = numbers(assay.score(probabilities, self.labels))
        for labels in (self.labels, self.labels.tolist(), self.labels.astype(float)):
            self.assertEqual(numbers(assay.score(labels, probabilities)), expected)
        self.assertEqual(numbers(assay.score(np.array(self.named), probabilities, classes=NAMES)), expected)
        self.assertEqual(numbers(assay.score(self.named, probabilities, classes=NAMES)), expected)
        for names in (("y_score", "y_true"), ("preds", "target"), ("predictions", "references"), ("pred_probs", "labels"), ("y_proba", "y_true")):
            self.assertEqual(numbers(assay.score(**dict(zip(names, (probabilities, self.labels))))), expected)
        # Labels with a missing value are not read as scores.
        missing = self.labels.astype(float)
        missing[3] = np.nan
        self.refused(lambda: assay.score(self.scores.argmax(1), missing, "precision"), "usage", "nan (item 3)")
        predicted = self.scores.argmax(1)
        with self.assertWarnsRegex(UserWarning, "assuming that the first has the predictions"):
            doubted = assay.score(predicted, self.labels, "precision,recall")
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for report in (assay.score(predicted, self.labels, "precision,recall", num_classes=CLASSES),
                           assay.score(y_true=self.labels, y_pred=predicted, metrics="precision,recall")):
                self.assertEqual(report.to_dict_of_values(), doubted.to_dict_of_values())
        self.refused(lambda: assay.score(predicted, y_pred=predicted, y_true=self.labels), "usage", "scores and y_pred are the same argument")
        self.refused(lambda: assay.score(labels=self.labels), "usage", "score() needs scores")

    def test_predicted_classes(self):
        predicted = self.scores.argmax(1)
        expected = assay.score(y_pred=predicted, y_true=self.labels, num_classes=CLASSES).to_dict_of_values()
        names = np.array(NAMES)
        for y_pred, y_true in ((predicted, self.labels), (predicted.tolist(), self.labels.tolist()), (predicted.astype(float), self.labels),
                               (names[predicted], self.named), (names[predicted].tolist(), self.named), (predicted, np.eye(CLASSES)[self.labels])):
            self.assertEqual(assay.score(y_pred=y_pred, y_true=y_true).to_dict_of_values(), expected)
        self.assertEqual(assay.score(preds=names[predicted].tolist(), target=self.named).to_dict_of_values(), expected)
        self.assertEqual(assay.score(y_pred=predicted + 3, y_true=self.labels)["top1"], (predicted + 3 == self.labels).mean())

    def test_a_file_of_class_names_may_be_a_path(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "classes.txt"
            path.write_text("\n".join(NAMES))
            for classes in (path, str(path)):
                found = assay.score(self.scores, self.labels, classes=classes)
                self.assertEqual(found.per_class()["class"].tolist(), list(NAMES))
                self.assertEqual(assay.Store.of(self.scores, self.labels, classes=classes).class_names, list(NAMES))

    def test_predicted_classes_of_several(self):
        report = assay.score({"a": [0, 1, 2], "b": [0, 1, 3]}, [0, 1, 1], "top1")
        self.assertEqual(report["a", "top1"], 2 / 3)
        self.assertEqual(report.confusion_matrix(model="a").shape, (4, 4))
        self.assertEqual(assay.compare([0, 1, 2], {"b": [0, 1, 3], "c": [0, 1, 1]}, labels=[0, 1, 1])["c", "top1"], 1 / 3)
        texts = assay.compare(np.array(["x", "y"]), np.array(["x", "z"]), labels=["x", "z"])
        self.assertEqual(texts["top1"], 0.5)

    def test_names_of_a_list_in_a_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "classes.txt"
            path.write_text("\n".join(NAMES))
            for classes, names in (("imagenet", ("tench", "goldfish", "n01484850")), (path, NAMES), (str(path), NAMES)):
                for predicted in (list(names[:3]), np.array(names[:3]), np.array([names[0], names[1], names[2]], object)):
                    for labels, expected in (([0, 1, 1], 2 / 3), ([names[0], None, names[1]], 1 / 2), (np.array([names[2]] * 3), 1 / 3)):
                        self.assertEqual(assay.score(predicted, labels, "top1", classes=classes)["top1"], expected)
                self.assertEqual(assay.score([0, 1, 2], list(names[:3]), "top1", classes=classes)["top1"], 1)
        scores = np.zeros((2, 1000))
        scores[:, 1] = 1
        self.assertEqual(assay.score(scores, ["goldfish", "tench"], "top1", classes="imagenet")["top1"], 0.5)
        for keep in (False, True):
            metrics = assay.Metrics("top1", classes="imagenet", keep=keep)
            metrics.update(scores, ["goldfish", "tench"])
            copied = pickle.loads(pickle.dumps(metrics))
            copied.update(scores, np.array(["n01443537", None], object))
            self.assertEqual(copied.compute()["top1"], 2 / 3)
            self.assertEqual(metrics(scores[:1], ["goldfish"])["top1"], 1)
            predicted = assay.Metrics("top1", classes="imagenet", keep=keep)
            predicted.update(["tench", "goldfish"], ["n01440764", "tench"])
            self.assertEqual(predicted.compute()["top1"], 0.5)
            self.refused(lambda: metrics.update(scores, ["tench", "crane"]), "usage", "targets: `crane` (item 1) means the classes")
        for name, text in (("crane", "`crane` (item 1) means the classes n02012849 and n03126707: pass ids"), ("fish", "`fish` (item 1) is not one")):
            self.refused(lambda: assay.score(["tench", name], [0, 1], "top1", classes="imagenet"), "usage", "scores: " + text)

    def test_options_of_numpy(self):
        for one, other in ((np.array([1, 2]), [1, 2]), (np.int64(2), 2)):
            found = assay.compare(self.scores, self.scores, self.labels, "topk", k=one)
            self.assertEqual(found.to_json(), assay.compare(self.scores, self.scores, self.labels, "topk", k=other).to_json())
        self.refused(lambda: assay.compare(self.scores, self.scores, self.labels, "nll", k=np.array([1, 2])), "usage", "k= only applies to topk")

    def test_errors_name_keywords(self):
        scores = np.full((4, 3), 0.75)
        with self.assertRaises(assay.Error) as caught:
            assay.score(scores, [0, 1, 2, 0])
        self.assertIn('pass kind="probabilities"; pass kind="logits", "probabilities" or', str(caught.exception))
        self.assertEqual(in_python("such as --threshold cat=0.3, or --threshold '*=0.5'"), 'such as thresholds="cat=0.3", or thresholds="*=0.5"')
        self.assertEqual(in_python("--threshold: 2 of 3; --kind logits, probabilities"), 'thresholds=: 2 of 3; kind="logits", "probabilities"')

    def test_other_names_of_options(self):
        for own, other in (({"bins": 7}, {"n_bins": 7}), ({"k": [1, 3]}, {"topk": (1, 3)}), ({"k": 3}, {"top_k": 3})):
            self.assertEqual(numbers(assay.score(self.scores, self.labels, **own)), numbers(assay.score(self.scores, self.labels, **other)))
        self.refused(lambda: assay.score(self.scores, self.labels, bins=3, n_bins=4), "usage", "bins and n_bins")
        for name, advice in (("sample_weights", "sample_weight="), ("average", "f1:average=weighted"), ("pos_label", "class 1"), ("device", ".cpu()"),
                             ("task", "multilabel_f1"), ("threshold", "percent"), ("multi_class", "auroc:average")):
            self.refused(lambda: assay.score(self.scores, self.labels, **{name: np.ones(300)}), "usage", name, advice)

    def test_options_without_effect(self):
        def refused(texts, metrics=None, **options):
            self.refused(lambda: assay.score(self.scores, self.labels, metrics, **options), "usage", *texts)

        refused(("bootstrap= has no effect here, because only ece and binary_ece use the bootstrap", "add one of them to metrics="), "top1,nll", bootstrap=500)
        refused(("seed= has no effect",), "top1,nll", seed=3)
        refused(("bins= only applies to ", "ece, ", "ace"), "top1", bins=5)
        refused(("k= only applies to topk: add topk to metrics=",), "top1", k=3)
        with self.assertRaises(assay.Error) as caught:
            assay.score(self.scores, self.labels, "top1,ace", edges="right_closed")
        named = str(caught.exception).partition("only applies to ")[2].partition(": ")[0].replace(" and ", ", ").split(", ")
        self.assertEqual(sorted(named), sorted(m["name"] for m in assay.metrics() if "edges" in {p["name"] for p in m["parameters"]}))
        self.assertNotIn("ace", named)
        self.assertEqual(assay.score(self.scores, self.labels, "ece,nll", bootstrap=50)["ece"].interval.method, "bootstrap.normal")
        assay.score(self.scores, self.labels, "top1", bins=5, reliability=True)
        assay.score(self.scores, self.labels, "topk", k=[3, 5])
        assay.score(self.scores, self.labels, "top1,ece", null=5, seed=3)
        self.refused(lambda: assay.score(self.scores, self.labels, num_classes=3), "bad_input", "num_classes=3", "7 columns")
        store = self.imported(self.scores, self.labels)
        for name, value in (("kind", "logits"), ("num_classes", 7), ("classes", NAMES), ("ids", ["a"]), ("groups", self.labels), ("model", "x")):
            self.refused(lambda: assay.score(store, **{name: value}), "usage", f"{name}= is for scores in memory")

    def test_what_is_wrong_is_said(self):
        labels = self.labels.astype(float)
        labels[7] = np.nan
        self.refused(lambda: assay.score(self.scores, labels), "usage", "nan (item 7)", "-1")
        labels[7] = 1.5
        self.refused(lambda: assay.score(self.scores, labels), "usage", "item 7 has 1.5")
        self.refused(lambda: assay.score(self.scores, ["cat", *self.named[1:]], classes=NAMES), "usage", "`cat` (item 0)")
        self.refused(lambda: assay.score(self.scores, self.named), "usage", "classes=[...]")
        self.refused(lambda: assay.score(self.scores, np.eye(CLASSES)[self.labels][:-1]), "bad_input", "299 labels for 300 items")
        self.refused(lambda: assay.score(self.scores, np.zeros((300, 2, 2))), "usage", "shape (300, 2, 2)")
        self.refused(lambda: assay.score({}, self.labels), "usage", "{name: scores}")
        self.refused(lambda: assay.score({"a": self.scores, "b": self.scores[:-1]}, self.labels), "bad_input", "300 labels for 299 items")
        self.refused(lambda: assay.score({"a/b": self.scores}, self.labels), "bad_input", "a_b")
        self.refused(lambda: assay.score(self.scores, self.labels, groups=np.zeros((300, 2))), "usage", "2 dimensions")
        self.refused(lambda: assay.score(self.scores, [[0], [1, 2]] * 150), "usage", "labels: rows of different lengths", "label_sets=")
        self.refused(lambda: assay.score(self.scores, self.labels, np.ones(300)), "usage", "metrics: a ndarray")
        self.refused(lambda: assay.score(self.scores, self.labels, classes=7), "usage", "num_classes=7")
        self.refused(lambda: assay.score(self.scores, self.labels, num_classes="7"), "usage", "num_classes='7'")
        self.refused(lambda: assay.score(self.scores, self.labels, ignore_index="x"), "usage", "ignore_index='x'")
        self.refused(lambda: assay.score(np.zeros(300, dtype=[("a", "f4")]), self.labels), "usage", "scores")
        self.refused(lambda: assay.score(np.ma.masked_array(self.scores, self.scores > 2), self.labels), "usage", "masked", "filled(")
        self.refused(lambda: assay.compute_metrics("top1")(None), "usage", "a NoneType", "label_ids")
        masked = np.ma.masked_array(self.labels, self.labels == 1)
        expected = numbers(assay.score(self.scores, np.where(self.labels == 1, -1, self.labels)))
        self.assertEqual(numbers(assay.score(self.scores, masked)), expected)
        self.assertEqual(assay.score(self.scores, self.labels, confusions=np.int64(3)).stores[0]["confusions"][2:][0].keys(), {"truth", "predicted", "count"})


if __name__ == "__main__":
    unittest.main()
