"""Metrics of batches equal the metrics of all rows at once."""
import copy
import os
import pickle
import threading
import unittest

import numpy as np

import assay
from common import CLASSES, InFolder, made

SUMS = "top1,top5,nll,brier,ece,confidence,balanced"


class Batches(InFolder):
    def test_any_batches_give_the_same_bits(self):
        scores, labels = made(5000)
        expected = assay.score(scores, labels, SUMS, reliability=True, confusions=7).to_dict()
        for size in (1, 256, 5000):
            metrics = assay.Metrics(SUMS, reliability=True, confusions=7)
            for begin in range(0, 5000, size):
                metrics.update(scores[begin:begin + size], labels[begin:begin + size])
            self.assertEqual(len(metrics), 5000)
            found = metrics.compute().to_dict()
            found["stores"][0].pop("notes"), expected["stores"][0].pop("notes", None)
            self.assertEqual(found, expected)

    def test_defaults_name_what_is_left_out(self):
        scores, labels = made(300)
        metrics = assay.Metrics()
        metrics(scores, labels)
        report = metrics.compute()
        self.assertIn("top1", report)
        self.assertNotIn("ace", report)
        self.assertTrue(any("ace" in note for note in report.notes))
        self.refused(lambda: assay.Metrics("top1,ace"), "usage", "ace need a second pass over all rows")

    def test_merge_and_reset(self):
        scores, labels = made(3000)
        whole, first, second = assay.Metrics(SUMS), assay.Metrics(SUMS), assay.Metrics(SUMS)
        whole.update(scores, labels)
        first.update(scores[:1000], labels[:1000])
        second.update(scores[1000:], labels[1000:])
        merged = first.merge(second).compute()
        for measured in whole.compute().measurements:
            self.assertEqual(merged[measured.metric].value, measured.value)
        first.reset()
        self.assertEqual(len(first), 0)
        self.refused(first.compute, "usage", "no batch yet")
        first.update(scores, labels)
        self.assertEqual(first.compute().to_json(), whole.compute().to_json())

    def test_label_sets(self):
        scores, labels = made(500)
        sets = [[i % CLASSES, (i + 1) % CLASSES][: 1 + i % 2] for i in range(500)]
        matrix = np.zeros((500, CLASSES), bool)
        for i, members in enumerate(sets):
            matrix[i, members] = True
        expected = assay.score(scores, labels, "top1,real,asma", label_sets=sets).to_dict()["measurements"]
        self.assertEqual(assay.score(scores, labels, "top1,real,asma", label_sets=matrix).to_dict()["measurements"], expected)
        metrics = assay.Metrics("top1,real,asma")
        for begin in range(0, 500, 64):
            metrics.update(scores[begin:begin + 64], labels[begin:begin + 64], label_sets=sets[begin:begin + 64])
        self.assertEqual(metrics.compute().to_dict()["measurements"], expected)

    def test_the_first_batch_says_what_matrices_are(self):
        scores, labels = made(200)
        one_hot = np.eye(CLASSES, dtype=int)[np.maximum(labels, 0)]
        several = one_hot.copy()
        several[100:, 0] = 1
        first, second = slice(0, 100), slice(100, 200)
        for names, keep in (("multilabel_f1:scores=sigmoid,top1", True), ("top1,real", False), (["hamming_loss:scores=sigmoid,threshold=40"], True)):
            expected = assay.score(scores, label_sets=several, metrics=names, kind="logits").to_dict()["measurements"]
            metrics = assay.Metrics(names, kind="logits", keep=keep)
            for part in (first, second):  # in the first part, every row has a single class
                metrics.update(scores[part], several[part])
                metrics = copy.copy(metrics)
            self.assertEqual(metrics.compute().to_dict()["measurements"], expected)
        metrics = assay.Metrics("top1", kind="logits")
        metrics.update(scores[second], several[second])
        metrics(scores[first], several[first])
        self.assertEqual(len(metrics), 200)
        metrics.reset()
        metrics.update(scores[first], one_hot[first])
        self.refused(lambda: metrics.update(scores[second], several[second]), "bad_input", "label_sets= from the first batch on")
        metrics.update(scores[second], labels[second])  # single labels in another form are accepted
        self.assertEqual(len(metrics), 200)

    def test_a_bad_batch_leaves_no_trace(self):
        scores, labels = made(100)
        metrics = assay.Metrics("top1")
        metrics.update(scores, labels)
        before = metrics.compute().to_json()
        self.refused(lambda: metrics.update(scores, labels + 50), "bad_input", "outside")
        self.refused(lambda: metrics.update(scores, labels[:7]), "bad_input", "7 targets for 100 rows")
        self.refused(lambda: metrics.update(scores[:, :2], labels), "bad_input")
        self.refused(lambda: metrics.update(scores), "usage", "targets or label_sets")
        self.assertEqual(metrics.compute().to_json(), before)


class Calls(InFolder):
    def test_a_call_gives_the_batch_and_adds_it(self):
        scores, labels = made(1000)
        metrics = assay.Metrics(SUMS, confusions=3)
        for begin in range(0, 1000, 250):
            rows = slice(begin, begin + 250)
            found = metrics(scores[rows], labels[rows])
            self.assertEqual(found.measurements[0].n, sum(labels[rows] >= 0))
            alone = assay.score(scores[rows], labels[rows], SUMS)
            self.assertEqual([m.value for m in found.measurements], [m.value for m in alone.measurements])
            self.assertEqual([m.interval for m in found.measurements], [m.interval for m in alone.measurements])
        whole = assay.Metrics(SUMS, confusions=3)
        whole.update(scores, labels)
        self.assertEqual(metrics.compute().to_json(), whole.compute().to_json())

    def test_a_batch_is_of_the_kind_of_all_before(self):
        scores, labels = made(400)
        flat = scores[:1] * 0 + 1 / CLASSES  # scores of this batch alone would look like probabilities
        metrics = assay.Metrics("nll")
        metrics.update(scores, labels)
        self.assertEqual(metrics(flat, labels[:1]).to_dict()["stores"][0]["scores"], "logits")
        predicted = assay.Metrics("top1", num_classes=CLASSES)
        for _ in range(2):
            self.assertEqual(predicted(labels[:3], labels[:3])["top1"].value, 1)

    def test_empty_batches(self):
        scores, labels = made(300)
        for keep in (False, True):
            metrics = assay.Metrics("top1", keep=keep)
            metrics.update(scores[:0], labels[:0])
            self.refused(metrics.compute, "usage", "no batch yet")
            self.refused(lambda: metrics(scores[:0], labels[:0]), "usage", "an empty batch")
            metrics.update(scores, labels)
            metrics.update(scores[:0], labels[:0], rows=[])
            self.refused(lambda: metrics(scores[:0], labels[:0]), "usage", "an empty batch")
            self.assertEqual(metrics.compute()["top1"].value, assay.score(scores, labels, "top1")["top1"].value)

    def test_ignore_index(self):
        scores, labels = made(300)
        expected = assay.Metrics(SUMS)
        expected.update(scores, labels)
        for number, dtype in ((-100, "i8"), (255, "u1"), (255, "i4")):
            given = labels.copy()
            given[labels < 0] = number
            for targets in (given.astype(dtype), given.tolist()):
                metrics = assay.Metrics(SUMS, ignore_index=number)
                metrics.update(scores, targets)
                self.assertEqual(metrics.compute().to_json(), expected.compute().to_json())
                other = pickle.loads(pickle.dumps(metrics))
                other.update(scores, targets)  # the copy keeps ignore_index
        self.refused(lambda: assay.Metrics("top1").update(scores, given), "bad_input", "255")
        for wrong in ("255", 2.5, True):
            self.refused(lambda: assay.Metrics("top1", ignore_index=wrong), "usage", "ignore_index", "a whole number")
        sets = assay.Metrics("real", ignore_index=-100)
        self.refused(lambda: sets.update(scores, label_sets=[[0]] * 300), "usage", "only has label_sets")

    def test_any_arrays(self):
        scores, labels = made(200)
        expected = assay.Metrics("nll,top1")
        expected.update(scores, labels)
        readonly = scores.copy()
        readonly.flags.writeable = False
        wide = np.zeros((200, 2 * CLASSES), np.float32)
        wide[:, ::2] = scores
        for keep in (False, True):
            for form in (readonly, np.asfortranarray(scores), wide[:, ::2], scores[::-1].copy()[::-1], scores.tolist()):
                metrics = assay.Metrics("nll,top1", keep=keep)
                metrics.update(form, labels)
                self.assertEqual(metrics.compute().measurements[0].value, expected.compute().measurements[0].value)


class OneNumberPerItem(InFolder):
    """A probability of class 1, its logit, or a predicted class, as score() takes them."""
    METRICS = "top1,nll,binary_brier,binary_f1,binary_ece"

    def setUp(self):
        super().setUp()
        random = np.random.default_rng(4)
        self.labels = random.integers(0, 2, 400)
        self.logits = random.normal(size=400) + 2 * self.labels - 1
        self.probabilities = 1 / (1 + np.exp(-self.logits))

    def test_probabilities_and_logits(self):
        for vector in (self.probabilities, self.logits, self.probabilities.astype(np.float16)[:, None]):
            expected = assay.score(vector, self.labels, self.METRICS)
            for keep in (False, True):
                metrics = assay.Metrics(self.METRICS, keep=keep)
                for begin in range(0, 400, 64):
                    metrics.update(vector[begin:begin + 64], self.labels[begin:begin + 64])
                for copied in (metrics, pickle.loads(pickle.dumps(metrics)), copy.deepcopy(metrics)):
                    self.assertEqual(dict(copied.compute()), dict(expected))
                    self.assertEqual([m.interval for m in copied.compute().measurements], [m.interval for m in expected.measurements])

    def test_the_first_batch_decides(self):
        alike = np.array([0.5, 0.25])  # logits that could be probabilities
        metrics = assay.Metrics("nll")
        metrics.update(self.logits, self.labels)
        other = pickle.loads(pickle.dumps(metrics))
        batch = metrics(alike, [1, 0])
        self.assertAlmostEqual(batch["nll"].value, np.log1p(np.exp(-0.5)) / 2 + np.log1p(np.exp(0.25)) / 2, 6)
        other.update(alike, [1, 0])
        self.assertEqual(other.compute().to_json(), metrics.compute().to_json())
        sure = assay.Metrics("nll")
        sure.update(self.probabilities, self.labels)
        first = int(np.flatnonzero((self.logits < 0) | (self.logits > 1))[0])
        self.refused(lambda: sure.update(self.logits, self.labels), "bad_input", f"{self.logits[first]:g} at item {first}", "kind=\"logits\"")
        self.assertEqual(len(sure), 400)
        sure.reset()
        sure.update(self.logits, self.labels)
        self.refused(lambda: assay.Metrics("top1").update([0.0, 1.0], [0, 1]), "usage", "0 or 1", "kind=\"probabilities\"")
        stated = assay.Metrics("nll", kind="probabilities")
        stated.update([1.0, 0.0], [1, 0])
        self.assertEqual(stated.compute()["nll"], 0)

    def test_columns_and_numbers_need_a_kind(self):
        columns, vector = np.array([[3.0, -1.0], [0.0, 2.0]]), np.array([0.9, 0.8])
        for first, second, texts in ((columns, vector, ("one number per item, but", "pass columns")), (vector, columns, ("a column for each", "pass one number"))):
            for keep in (False, True):
                metrics, other = assay.Metrics("nll", keep=keep), assay.Metrics("nll", keep=keep)
                metrics.update(first, [0, 1])
                other.update(second, [1, 1])
                before = metrics.compute().to_json()
                for one in (metrics, pickle.loads(pickle.dumps(metrics)), copy.copy(metrics)):
                    for call in (lambda: one.update(second, [1, 1]), lambda: one(second, [1, 1]), lambda: one.merge(other)):
                        self.refused(call, "bad_input", *texts, "kind= from the start")
                self.assertEqual(metrics.compute().to_json(), before)
                metrics.reset()
                metrics.update(second, [1, 1])
        stated = assay.Metrics("nll", kind="logits")
        stated.update(columns, [0, 1])
        stated.update(vector, [1, 1])
        whole = np.concatenate([columns, np.stack([np.zeros(2), vector], 1)])
        self.assertAlmostEqual(stated.compute()["nll"].value, assay.score(whole, [0, 1, 1, 1], "nll", kind="logits")["nll"].value, 12)

    def test_predicted_classes(self):
        names = ["cat", "dog", "owl"]
        for given, how in (
            ([2, 1, 1], {"num_classes": 3}), (np.array([2.0, 1.0, 1.0]), {"num_classes": 3}), (["owl", "dog", "dog"], {"classes": names}),
            (np.array(["owl", "dog", "dog"], object), {"classes": names}), (np.array([True, False, True]), {"num_classes": 2}),
        ):
            metrics = assay.Metrics("top1", **how)
            metrics.update(given, [1, 1, 1])
            self.assertAlmostEqual(metrics.compute()["top1"], 2 / 3)
        self.refused(lambda: assay.Metrics("top1").update([2, 1], [2, 1]), "usage", "assay.Metrics(..., num_classes=10)")
        self.refused(lambda: assay.Metrics("top1", num_classes=3).update([0.5, 1.0], [2, 1]), "bad_input", "pass a column for each class")
        self.refused(lambda: assay.Metrics("top1", classes=names).update(["cow"], ["cat"]), "usage", "`cow` (item 0)")
        for none in ([], np.zeros(0), np.zeros(0, int)):
            metrics = assay.Metrics("top1")
            metrics.update(none, none)
            self.assertEqual(len(metrics), 0)


class Kept(InFolder):
    METRICS = "top1,auroc,average_precision,aurc,ace"

    def test_metrics_of_all_rows(self):
        scores, labels = made(3000)
        expected = assay.score(scores, labels, self.METRICS, reliability=True).to_json()
        for size in (1000, 77):
            metrics = assay.Metrics(self.METRICS, keep=True, reliability=True)
            for begin in range(0, 3000, size):
                metrics.update(scores[begin:begin + size], labels[begin:begin + size])
            self.assertEqual(metrics.compute().to_json(), expected)
            for other in (copy.copy(metrics), copy.deepcopy(metrics), pickle.loads(pickle.dumps(metrics))):
                self.assertEqual(other.compute().to_json(), expected)
                other.reset()
                self.assertEqual((len(other), len(metrics)), (0, 3000))
        shuffled = np.random.default_rng(3).permutation(3000)
        parts = [assay.Metrics(self.METRICS, keep=True, reliability=True) for _ in range(2)]
        for at, part in enumerate(parts):
            part.update(scores[shuffled[at::2]], labels[shuffled[at::2]], rows=shuffled[at::2])
        self.assertEqual((parts[1] + parts[0]).compute().to_json(), expected)

    def test_others_are_refused_with_the_way(self):
        self.refused(lambda: assay.Metrics("auroc"), "usage", "auroc", "keep=True")
        self.refused(lambda: assay.Metrics("nothing", keep=True), "usage", "nothing")
        self.refused(lambda: assay.Metrics("top1", keep=True).merge(assay.Metrics("top1")), "usage", "keep=True")

    def test_options_without_effect_are_refused_before_the_loop(self):
        for keep in (False, True):
            for names, how, text in (
                ("top1", {"bins": 10}, "bins= only applies to ece"), ("top1,binary_f1", {"edges": "right_closed"}, "edges= only applies to ece"),
                ("top1,top5", {"k": 3}, "add topk to metrics="), (["nll"], {"bootstrap": 300}, "only ece and binary_ece"), ("accuracy", {"seed": 3}, "seed= has no effect"),
            ):
                self.refused(lambda: assay.Metrics(names, keep=keep, **how), "usage", text)
            for names, how in (("top1,ece", {"bins": 10, "bootstrap": 300, "seed": 1}), ("topk", {"k": [1, 3]}), (None, {"bins": 10}), ("top1", {"bins": 9, "reliability": True})):
                assay.Metrics(names, keep=keep, **how)
        scores, labels = made(50)
        for names, how in (("top1", {"bins": 10}), ("top1", {"k": 3}), ("nll", {"seed": 2}), ("nll", {"bootstrap": 300})):
            self.refused(lambda: assay.compare(scores, scores, labels, names, **how), "usage", f"{next(iter(how))}= ")

    def test_the_callers_array_may_change(self):
        scores, labels = made(100)
        metrics = assay.Metrics("auroc", keep=True)
        expected = assay.score(scores.copy(), labels.copy(), "auroc").to_json()
        metrics.update(scores, labels)
        scores[:] = 0
        labels[:] = 0
        self.assertEqual(metrics.compute().to_json(), expected)


class Places(InFolder):
    def test_any_order_gives_the_bits_of_the_data_set(self):
        options = {"reliability": True, "confusions": 5}
        for rows_in_all in (1, 100, 2047, 2048, 2049, 6144, 7001):
            scores, labels = made(rows_in_all)
            whole = assay.Metrics(SUMS, **options)
            whole.update(scores, labels)
            expected = whole.compute().to_json()
            shuffled = np.random.default_rng(rows_in_all).permutation(rows_in_all)
            for order in (shuffled, shuffled[::-1], np.arange(rows_in_all), np.arange(rows_in_all)[::-1]):
                metrics = assay.Metrics(SUMS, **options)
                for begin in range(0, rows_in_all, 1500):
                    part = order[begin:begin + 1500]
                    metrics.update(scores[part], labels[part], rows=part)
                    metrics = pickle.loads(pickle.dumps(metrics))
                self.assertEqual(metrics.compute().to_json(), expected)
            parts = [assay.Metrics(SUMS, **options) for _ in range(3)]
            for at, part in enumerate(parts):
                part.update(scores[shuffled[at::3]], labels[shuffled[at::3]], rows=shuffled[at::3])
            self.assertEqual(sum(parts).compute().to_json(), expected)
            parts.reverse()
            self.assertEqual(sum(parts).compute().to_json(), expected)

    def test_wrong_rows(self):
        scores, labels = made(300)
        metrics = assay.Metrics("top1")
        metrics.update(scores[:100], labels[:100], rows=range(100))
        before = metrics.compute().to_json()
        for rows, texts in (
            ([500, 501, 500], ("row 500 appears twice",)), ([500, 501, 99], ("row 99 appears twice",)), ([1, 2], ("2 rows for 3 rows",)),
            ([-1, 500, 501], ("whole numbers from 0",)), ([500, 501, "x"], ("whole numbers from 0",)), (7, ("whole numbers from 0",)),
            ([500, 501, 1 << 40], (str(1 << 40), str((1 << 40) - 1))), ([500.5, 501, 502], ("whole numbers from 0",)),
        ):
            with self.assertRaises(assay.Error) as caught:
                metrics.update(scores[:3], labels[:3], rows=rows)
            for text in texts:
                self.assertIn(text, str(caught.exception))
        self.refused(lambda: metrics.update(scores, labels), "usage", "every batch says which rows it has")
        other = assay.Metrics("top1")
        other.update(scores, labels)
        self.refused(lambda: metrics + other, "usage", "knows its row numbers")
        self.refused(lambda: metrics + metrics, "bad_input", "row 0 appears twice")
        self.assertEqual(metrics.compute().to_json(), before)


class Sums(InFolder):
    def test_plus(self):
        scores, labels = made(900)
        parts = []
        for begin in (0, 300, 600):
            part = assay.Metrics(SUMS)
            part.update(scores[begin:begin + 300], labels[begin:begin + 300])
            parts.append(part)
        whole = assay.score(scores, labels, SUMS)
        for total in (parts[0] + parts[1] + parts[2], sum(parts)):
            self.assertEqual([m.value for m in total.compute().measurements], [m.value for m in whole.measurements])
        self.assertEqual([len(part) for part in parts], [300] * 3)
        parts[0] += parts[1]
        self.assertEqual([len(part) for part in parts], [600, 300, 300])
        for wrong in (lambda: parts[0] + 3, lambda: parts[0].merge(None)):
            with self.assertRaises(TypeError):
                wrong()

    def test_threads_share_metrics(self):
        scores, labels = made(8000)
        metrics, whole = assay.Metrics(SUMS), assay.Metrics(SUMS)
        whole.update(scores, labels)

        def work(at):
            for begin in range(at * 1000, at * 1000 + 1000, 50):
                rows = range(begin, begin + 50)
                metrics.update(scores[begin:begin + 50], labels[begin:begin + 50], rows=rows)

        threads = [threading.Thread(target=work, args=(at,)) for at in range(8)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            child = os.fork()  # the child must find the metrics in a consistent state, and their locks free
            if child == 0:
                try:
                    len(metrics) and metrics.compute()
                    copy.copy(metrics)
                    os._exit(0)
                except BaseException:
                    os._exit(1)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
        for thread in threads:
            thread.join()
        self.assertEqual(metrics.compute().to_json(), whole.compute().to_json())

    def test_a_process_of_several_says_so(self):
        metrics = assay.Metrics("top1")
        metrics.update(*made(50))
        alone = assay.Metrics("top1", distributed=False)
        alone.update(*made(50))
        os.environ.update(RANK="1", WORLD_SIZE="2")
        self.addCleanup(lambda: [os.environ.pop(name) for name in ("RANK", "WORLD_SIZE")])
        self.refused(metrics.compute, "usage", "WORLD_SIZE=2", "init_process_group", "distributed=False")
        self.assertEqual(len(metrics), 50)
        self.assertIsNotNone(alone.compute()["top1"].value)
        self.refused(assay.Metrics("top1", distributed=True).compute, "usage", "distributed=True")


if __name__ == "__main__":
    unittest.main()
