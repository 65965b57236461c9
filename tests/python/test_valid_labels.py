"""`score --per-class` and `--confusion` of label sets, compared with an own implementation in NumPy."""
import csv
import io
import json
import subprocess
import unittest

import numpy as np
from common import PROGRAM, InFolder

CLASSES = 9
# Three groups of three siblings.
PARENTS = np.arange(CLASSES) // 3


def wilson(hits, n, z=1.959963984540054):
    p, centre = hits / n, (hits + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * np.sqrt(hits * (1 - p) + z * z / 4)
    return centre - half, centre + half


def average_precision(scores, valid):
    """Sum over distinct scores, the highest first, of (R_n - R_n-1) P_n."""
    total = 0.0
    for score in np.unique(scores[valid]):
        reached = scores >= score
        total += (scores[valid] == score).sum() * valid[reached].sum() / reached.sum()
    return total / valid.sum()


def expected(scores, labels):
    best = np.zeros_like(labels)
    pairs = {}
    kinds = {"all_found": 0, "second_missed": 0, "first_wrong": 0, "none_found": 0, "sibling": 0, "missing": 0}
    for i in np.flatnonzero(labels.any(1)):
        g = labels[i].sum()
        order = np.lexsort((np.arange(CLASSES), -scores[i]))
        best[i, order[:g]] = True
        correct, hits = labels[i, order[0]], (best[i] & labels[i]).sum()
        if not correct:
            for truth in np.flatnonzero(labels[i]):
                pairs[truth, order[0]] = pairs.get((truth, order[0]), 0) + 1
        if g > 1:
            kinds["all_found" if hits == g else "second_missed" if correct else "first_wrong" if hits else "none_found"] += 1
        missed, wrong = np.flatnonzero(labels[i] & ~best[i]), np.flatnonzero(best[i] & ~labels[i])
        kinds["missing"] += len(missed) > 0
        kinds["sibling"] += any(PARENTS[m] == PARENTS[w] for m in missed for w in wrong)
    return best, pairs, kinds


class ValidLabels(InFolder):
    def setUp(self):
        super().setUp()
        random = np.random.default_rng(5)
        self.labels = random.random((400, CLASSES)) < 0.18
        self.labels[:, CLASSES - 1] = False  # no image has the last class
        noise = random.normal(size=self.labels.shape)
        self.scores = (noise + 1.5 * self.labels).astype(np.float32)
        np.save(self.folder / "scores.npy", self.scores)
        np.save(self.folder / "labels.npy", self.labels.astype(np.int8))
        lines = [f"c{c},p{PARENTS[c]}" for c in range(CLASSES)] + [f"p{p},root" for p in range(3)]
        (self.folder / "tree.csv").write_text("child,parent\n" + "\n".join(lines) + "\n")
        (self.folder / "classes.txt").write_text("".join(f"c{c}\n" for c in range(CLASSES)))
        self.run_assay("import", "scores.npy", "--labels", "labels.npy", "--dataset-name", "val", "--name", "net", "--classes", "classes.txt", "--out", "runs")

    def run_assay(self, *arguments):
        done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def score(self, *arguments):
        return self.run_assay("score", "runs/val/net", "--metrics", "mean_average_precision:scores=stored,real", *arguments)

    def check(self, estimate, hits, n):
        self.assertEqual(estimate["n"], n)
        self.assertAlmostEqual(estimate["value"], hits / n, 14)
        for end, value in zip(("low", "high"), wilson(hits, n)):
            self.assertAlmostEqual(estimate["interval"][end], value, 12)

    def test_values(self):
        text = self.score("--per-class", "--confusion", "--hierarchy", "tree.csv", "--json")
        for threads in ("1", "3"):
            self.assertEqual(text, self.score("--per-class", "--confusion", "--hierarchy", "tree.csv", "--json", "-j", threads))
        found = json.loads(text)
        mean = found["measurements"][0]
        valid = found["stores"][0]["valid_labels"]
        best, pairs, kinds = expected(self.scores, self.labels)
        labelled = self.labels.any(1)
        several = (self.labels.sum(1) > 1).sum()
        self.check(valid["missed"]["several"], several, labelled.sum())
        for kind in ("all_found", "second_missed", "first_wrong", "none_found"):
            self.check(valid["missed"][kind], kinds[kind], several)
        self.check(valid["missed"]["sibling"], kinds["sibling"], kinds["missing"])
        areas = []
        for c, one in enumerate(valid["classes"]):
            self.assertEqual(one["id"], f"c{c}")
            n, predicted = self.labels[:, c].sum(), best[:, c].sum()
            hits = (best[:, c] & self.labels[:, c]).sum()
            self.assertEqual((one["images"], one["found"], one["among_best"]), (n, hits, predicted))
            self.check(one["precision"], hits, predicted)
            if n == 0:
                for name in ("recall", "average_precision"):
                    self.assertEqual((one[name]["value"], one[name]["undefined"]), (None, "valid in no image"))
                continue
            self.check(one["recall"], hits, n)
            area = average_precision(self.scores[labelled, c].astype(float), self.labels[labelled, c])
            areas.append(area)
            self.assertAlmostEqual(one["average_precision"]["value"], area, 12)
            interval = one["average_precision"]["interval"]
            self.assertTrue(interval["low"] < area < interval["high"])
        self.assertEqual(len(areas), CLASSES - 1)
        self.assertAlmostEqual(np.mean(areas), mean["value"], 12)
        listed = {(int(c["truth"][1:]), int(c["predicted"][1:])): c["count"] for c in valid["confusions"]}
        self.assertEqual(listed, pairs)
        self.assertFalse(any(t == p for t, p in pairs))

    def test_csv_and_text(self):
        rows = list(csv.DictReader(io.StringIO(self.score("--per-class", "--csv"))))
        self.assertEqual(len(rows), CLASSES)
        self.assertEqual(int(rows[0]["valid_n"]), self.labels[:, 0].sum())
        self.assertEqual(rows[-1]["recall"], "")
        pairs = list(csv.DictReader(io.StringIO(self.score("--confusion", "--csv"))))
        for row in pairs:
            c = int(row["truth"][1:])
            self.assertEqual(int(row["n"]), self.labels[:, c].sum())
            self.assertAlmostEqual(float(row["proportion"]), int(row["count"]) / self.labels[:, c].sum(), 12)
        text = self.score("--per-class", "--confusion", "5")
        self.assertIn("classes by valid label", text)
        self.assertIn("what is missed", text)
        self.assertIn("A predicted class that is valid is no confusion", text)

    def test_a_label_file_that_accepts_the_prediction_leaves_no_confusion(self):
        single = self.scores.argmax(1)
        wrong = (single + 1) % CLASSES
        both = [f"{i},{a} {b}" for i, (a, b) in enumerate(zip(single, wrong))]
        (self.folder / "own.csv").write_text("id,label\n" + "".join(f"{i},{c}\n" for i, c in enumerate(wrong)))
        np.save(self.folder / "wrong.npy", wrong)
        self.run_assay("import", "scores.npy", "--labels", "wrong.npy", "--dataset-name", "own", "--name", "net", "--out", "runs")
        (self.folder / "both.csv").write_text("id,label\n" + "\n".join(both) + "\n")
        arguments = ("score", "runs/own/net", "--confusion", "--json")
        own = json.loads(self.run_assay(*arguments))["stores"][0]
        self.assertGreater(len(own["confusions"]), 0)
        self.assertNotIn("valid_labels", own)
        given = json.loads(self.run_assay(*arguments, "--labels", "both.csv"))["stores"][0]
        self.assertEqual(given["confusions"], own["confusions"])  # about the data set's own labels
        self.assertEqual(given["valid_labels"]["confusions"], [])
        self.assertEqual(given["valid_labels"]["missed"]["none_found"]["value"], 0)

    def test_reduced_scores_say_why(self):
        self.run_assay("import", "scores.npy", "--labels", "labels.npy", "--dataset-name", "val", "--name", "top", "--storage", "top2", "--out", "runs")
        found = json.loads(self.run_assay("score", "runs/val/top", "--per-class", "--json"))["stores"][0]["valid_labels"]
        more = (self.labels.sum(1) > 2).sum()
        why = f"the g highest classes of {more} images with g valid labels are not all among the stored ones (2 per image)"
        self.assertEqual(found["missed"]["all_found"]["undefined"], why)
        self.assertEqual(found["classes"][0]["recall"]["undefined"], why)
        known = (self.labels.sum(1) > 0) & (self.labels.sum(1) <= 2)  # the others do not count in found and among_best
        best, _, _ = expected(self.scores[known], self.labels[known])
        for c, one in enumerate(found["classes"]):
            self.assertEqual((one["images"], one["found"], one["among_best"]),
                             (self.labels[:, c].sum(), (best[:, c] & self.labels[known, c]).sum(), best[:, c].sum()))
        self.assertIsNotNone(found["missed"]["several"]["value"])
        self.assertIsNone(found["classes"][0]["average_precision"]["value"])
        self.assertNotEqual(found["classes"][0]["average_precision"]["undefined"], "")


if __name__ == "__main__":
    unittest.main()
