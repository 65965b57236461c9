"""Compares assay audit with the same scores in NumPy, and tests assay.audit."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import assay

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import audit_checked  # noqa: E402
import audit_peers  # noqa: E402

PROGRAM = os.environ.get("ASSAY_PROGRAM", "assay")
IMAGES, CLASSES = 500, 6


def run(*arguments, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: status {done.returncode}\n{done.stderr}")
    return done.stdout if status == 0 else done.stderr


class Audit(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        random = np.random.default_rng(4)
        self.truth = random.integers(0, CLASSES, IMAGES)
        self.wrong = random.random(IMAGES) < 0.05
        self.given = np.where(self.wrong, (self.truth + 1 + random.integers(0, CLASSES - 1, IMAGES)) % CLASSES, self.truth)
        (self.folder / "items.csv").write_text("id,label\n" + "".join(f"im{i:04d}.png,{c}\n" for i, c in enumerate(self.given)))
        self.models = []
        for m in range(3):
            logits = random.normal(size=(IMAGES, CLASSES))
            logits[np.arange(IMAGES), self.given if m == 2 else self.truth] += 9 if m == 2 else 4 - m
            self.models.append(logits.astype(np.float32))
            np.save(self.folder / f"m{m}.npy", self.models[-1])
            run("import", self.folder / f"m{m}.npy", "--items", self.folder / "items.csv", "--dataset-name", "val",
                "--name", f"m{m}", "--kind", "logits", "--out", self.folder / "runs", "-q")

    def test_equals_the_score_in_numpy(self):
        found = assay.audit(self.folder / "runs", top=IMAGES)
        self.assertEqual(found["schema"], "assay.audit/1")
        models = [z.astype(float) for z in self.models]
        temperatures = [m["temperature"] for m in found["models"]]
        weights = [m["weight"] for m in found["models"]]
        self.assertEqual(weights[2], 0)  # this model has memorised the labels
        score = audit_peers.combined_score(models, self.given, temperatures, weights)
        order = np.argsort(score, kind="stable")
        order = order[self.suspect(temperatures, weights)[order]]
        self.assertEqual(found["suspects"], len(order))
        self.assertEqual([one["item"] for one in found["listed"]], [f"im{i:04d}.png" for i in order])
        np.testing.assert_allclose([one["score"] for one in found["listed"]], score[order], rtol=0, atol=1e-9)
        _, own, voted = audit_peers.audit_scores(models, self.given)
        # The third model has memorised the labels, so the loss has no minimum. It falls with the temperature.
        np.testing.assert_allclose(np.log(temperatures[:2]), np.log(own[:2]), atol=0.02)
        np.testing.assert_allclose(weights, voted, atol=0.03)

    def suspect(self, temperatures, weights):
        mean = sum(w * audit_peers.with_chance(z.astype(float), t) for z, t, w in zip(self.models, temperatures, weights))
        own = mean[np.arange(IMAGES), self.given].copy()
        mean[np.arange(IMAGES), self.given] = -np.inf
        return own < mean.max(1)

    def test_many_classes_and_uniform_errors(self):
        """A weak model of 30 classes: the labels that are drawn from all classes lower the floor of the score."""
        random = np.random.default_rng(6)
        truth = random.integers(0, 30, IMAGES)
        given = np.where(random.random(IMAGES) < 0.1, random.integers(0, 30, IMAGES), truth)
        logits = random.normal(size=(IMAGES, 30)).astype(np.float32)
        logits[np.arange(IMAGES), truth] += 3
        np.save(self.folder / "w.npy", logits)
        (self.folder / "w.csv").write_text("id,label\n" + "".join(f"im{i:04d}.png,{c}\n" for i, c in enumerate(given)))
        run("import", self.folder / "w.npy", "--items", self.folder / "w.csv", "--dataset-name", "wide",
            "--name", "w", "--kind", "logits", "--out", self.folder / "wide", "-q")
        found = assay.audit(self.folder / "wide", top=IMAGES)
        score = audit_peers.combined_score([logits.astype(float)], given, [found["models"][0]["temperature"]], [1.0])
        listed = [int(one["item"][2:6]) for one in found["listed"]]
        np.testing.assert_allclose([one["score"] for one in found["listed"]], score[listed], rtol=0, atol=1e-9)
        self.assertLess(score.min(), -5)  # below ln(.01 / 1): the label's own probability counts

    def test_probability_that_a_label_is_wrong(self):
        """Answers about some labels, and the same estimate on a plain grid."""
        questions, votes = self.folder / "questions.csv", self.folder / "votes.csv"
        weak = self.folder / "weak"
        random = np.random.default_rng(5)
        logits = random.normal(size=(IMAGES, CLASSES)).astype(np.float32)
        logits[np.arange(IMAGES), self.truth] += 1.5
        np.save(self.folder / "weak.npy", logits)
        run("import", self.folder / "weak.npy", "--items", self.folder / "items.csv", "--dataset-name", "val",
            "--name", "weak", "--kind", "logits", "--out", weak, "-q")
        found = assay.audit(weak, top=10, questions=questions, sample=20)
        self.assertEqual(found["sampled"], 20)
        self.assertIsNone(found["wrong_labels"]["value"])
        self.assertIsNone(found["listed"][0]["wrong_probability"]["value"])
        self.assertIn("--sample 30", found["listed"][0]["wrong_probability"]["undefined"])
        asked = list(dict.fromkeys(line.split(",")[0] for line in questions.read_text().splitlines()[1:]))
        self.assertEqual(len(asked), 30)
        votes.write_text("item,label,annotator,answer\n" + "".join(
            f"{item},{self.given[int(item[2:6])]},ann,{'no' if self.wrong[int(item[2:6])] else 'yes'}\n" for item in asked))
        found = assay.audit(weak, top=IMAGES, confirm=votes)
        scores = np.array([one["score"] for one in found["listed"]])
        rows = np.array([int(one["item"][2:6]) for one in found["listed"]])
        self.assertEqual(list(rows[:10]), [int(item[2:6]) for item in asked[:10]])
        checked = np.array([f"im{i:04d}.png" in asked for i in rows])
        x = audit_checked.distances(scores)
        points = audit_checked.curves(x[checked], self.wrong[rows][checked])
        by_curve = audit_checked.probabilities(points, x[~checked])
        claimed = [one["wrong_probability"]["value"] for one in found["listed"]]
        np.testing.assert_allclose(np.array(claimed)[~checked].astype(float), points[-1] @ by_curve, rtol=0, atol=3e-3)
        self.assertEqual({c for c, known in zip(claimed, checked) if known}, {None})
        judged = audit_checked.judged_probabilities(points, x[checked], self.wrong[rows][checked])
        every = np.hstack([by_curve, judged])
        low, high = audit_checked.number_interval(points, every)
        number = found["wrong_labels"]
        self.assertAlmostEqual(number["value"], (points[-1] @ every).sum(), delta=0.3)
        self.assertLessEqual(abs(number["interval"]["low"] - low), 1)
        self.assertLessEqual(abs(number["interval"]["high"] - high), 1)
        self.assertTrue(number["interval"]["low"] <= self.wrong[rows].sum() <= number["interval"]["high"])
        table = run("audit", weak, "--confirm", votes, "-q")
        self.assertIn("P(wrong) %", table)
        self.assertIn("number of wrong labels: ", table)
        header = run("audit", weak, "--confirm", votes, "--csv", "-q").splitlines()[0].split(",")
        self.assertEqual(header[-3:], ["wrong_probability", "wrong_probability_low", "wrong_probability_high"])

    def test_equal_lowest_scores(self):
        """Most classes share the lowest score, as after rounding. Labels with it are no sign that many are drawn."""
        random = np.random.default_rng(6)
        truth = random.integers(0, 30, IMAGES)
        given = np.where(random.random(IMAGES) < 0.1, random.integers(0, 30, IMAGES), truth)
        logits = random.normal(size=(IMAGES, 30)).astype(np.float32)
        logits[np.arange(IMAGES), truth] += 3
        logits = np.maximum(logits, np.sort(logits, 1)[:, -14:-13])
        self.assertEqual(audit_peers.far_part(logits, given), 0)
        np.save(self.folder / "t.npy", logits)
        (self.folder / "t.csv").write_text("id,label\n" + "".join(f"im{i:04d}.png,{c}\n" for i, c in enumerate(given)))
        run("import", self.folder / "t.npy", "--items", self.folder / "t.csv", "--dataset-name", "ties",
            "--name", "t", "--kind", "logits", "--out", self.folder / "ties", "-q")
        found = assay.audit(self.folder / "ties", top=IMAGES)
        score = audit_peers.combined_score([logits.astype(float)], given, [found["models"][0]["temperature"]], [1.0])
        listed = [int(one["item"][2:6]) for one in found["listed"]]
        np.testing.assert_allclose([one["score"] for one in found["listed"]], score[listed], rtol=0, atol=1e-9)

    def test_answers_correct_labels(self):
        (self.folder / "true.csv").write_text("item,label\n" + "".join(f"im{i:04d}.png,{c}\n" for i, c in enumerate(self.truth)))
        found = assay.audit(self.folder / "runs", labels=self.folder / "true.csv", save_labels=self.folder / "corrected.csv")
        self.assertEqual(found["confirmed_wrong"], int(self.wrong.sum()))
        for m, one in enumerate(found["corrected_models"]):
            predicted = self.models[m].argmax(1)
            self.assertAlmostEqual(one["before"]["value"], (predicted == self.given).mean(), places=12)
            self.assertAlmostEqual(one["after"]["value"], (predicted == self.truth).mean(), places=12)
        corrected = ["--labels", self.folder / "corrected.csv", "--metrics", "real"]
        scored = json.loads(run("score", self.folder / "runs/val/m0", *corrected, "--json", "-q"))
        real = [one["value"] for one in scored["measurements"] if one["metric"] == "real"]
        self.assertEqual(real, [found["corrected_models"][0]["after"]["value"]])

    def test_refuses_to_save_without_answers(self):
        said = run("audit", self.folder / "runs", "--save-labels", self.folder / "x.csv", status=2)
        self.assertIn("--confirm votes.csv", said)
        self.assertFalse((self.folder / "x.csv").exists())


if __name__ == "__main__":
    unittest.main()
