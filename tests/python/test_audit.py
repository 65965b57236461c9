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
        order = order[score[order] < 0]
        self.assertEqual(found["suspects"], len(order))
        self.assertEqual([one["item"] for one in found["listed"]], [f"im{i:04d}.png" for i in order])
        np.testing.assert_allclose([one["score"] for one in found["listed"]], score[order], rtol=0, atol=1e-9)
        _, own, voted = audit_peers.audit_scores(models, self.given)
        # The third model has memorised the labels, so the loss has no minimum by temperature: it falls as the temperature falls.
        np.testing.assert_allclose(np.log(temperatures[:2]), np.log(own[:2]), atol=0.02)
        np.testing.assert_allclose(weights, voted, atol=0.03)

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
