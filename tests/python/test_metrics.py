"""Batches give what all rows at once give."""
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
        self.refused(lambda: assay.Metrics("top1,ace"), "usage", "ace go over all rows")

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


if __name__ == "__main__":
    unittest.main()
