"""Compares assay conformal with MAPIE: the sets of LAC and APS are equal, and those of RAPS differ only in the last class."""
import csv
import importlib.util
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

PROGRAM = os.environ.get("ASSAY_PROGRAM", "assay")
IMAGES, CLASSES, ALPHA, PENALTY, FREE = 1500, 12, 0.1, 0.02, 3


def run(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def store(folder):
    """Probabilities in float32 and labels, imported as a store."""
    random = np.random.default_rng(3)
    truth = random.integers(0, CLASSES, IMAGES)
    logits = random.normal(size=(IMAGES, CLASSES))
    logits[np.arange(IMAGES), truth] += 3 * random.random(IMAGES)
    scores = np.exp(1.5 * logits)
    scores = (scores / scores.sum(1, keepdims=True)).astype(np.float32)
    np.save(folder / "scores.npy", scores)
    (folder / "items.csv").write_text("id,label\n" + "".join(f"im{i:05d},k{c:02d}\n" for i, c in enumerate(truth)))
    (folder / "classes.txt").write_text("".join(f"k{c:02d}\n" for c in range(CLASSES)))
    run("import", folder / "scores.npy", "--items", folder / "items.csv", "--classes", folder / "classes.txt", "--dataset-name",
        "val", "--name", "net", "--kind", "probabilities", "--out", folder / "runs", "-q")
    return scores.astype(float), truth


def sets(folder, method, *more):
    """The rows for calibration, the reported rows, the random draw of each image, the sets as a 0-1 matrix, and the JSON."""
    file = folder / "sets.csv"
    shown = json.loads(run("conformal", folder / "runs", "--method", method, "--alpha", ALPHA, "--sets", file, "--json", *more))
    calibration, reported, draws = [], [], np.zeros(IMAGES)
    held = np.zeros((IMAGES, CLASSES), bool)
    for row in csv.DictReader(file.read_text().splitlines()):
        image = int(row["id"][2:])
        draws[image] = float(row["draw"])
        (calibration if row["part"] == "calibration" else reported).append(image)
        for name in filter(None, row["classes"].split(";")):
            held[image, int(name[1:])] = True
    return np.array(calibration), np.array(reported), draws, held, shown["sets"][0]


class Draws(np.random.RandomState):
    """Replaces random numbers by the draws of the program."""

    def __init__(self, draws):
        super().__init__(0)
        self.draws = draws

    def uniform(self, *args, size=None, **more):
        return self.draws.reshape(size)


class Conformal(unittest.TestCase):
    def test_coverage_and_size_are_those_of_the_sets(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            scores, truth = store(folder)
            for method in ("lac", "aps", "raps"):
                calibration, reported, _, held, shown = sets(folder, method)
                self.assertEqual(len(calibration) + len(reported), IMAGES)
                self.assertAlmostEqual(shown["coverage"]["value"], held[reported, truth[reported]].mean(), delta=1e-12)
                self.assertAlmostEqual(shown["size"]["value"], held[reported].sum(1).mean(), delta=1e-12)
                self.assertEqual(shown["one"], int((held[reported].sum(1) == 1).sum()))
                self.assertAlmostEqual(shown["coverage"]["value"], 1 - ALPHA, delta=0.04)

    def test_class_conditional_thresholds(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            scores, truth = store(folder)
            calibration, reported, _, held, _ = sets(folder, "lac", "--class-conditional")
            for c in range(CLASSES):
                found = np.sort(1 - scores[calibration[truth[calibration] == c], c])
                threshold = found[int(np.ceil((len(found) + 1) * (1 - ALPHA))) - 1]
                np.testing.assert_array_equal(held[reported, c], 1 - scores[reported, c] <= threshold)

    @unittest.skipUnless(importlib.util.find_spec("mapie"), "SKIPPED: MAPIE is not installed")
    def test_sets_equal_those_of_mapie(self):
        from mapie.conformity_scores import APSConformityScore, LACConformityScore, RAPSConformityScore

        alpha = np.array([ALPHA])

        def of(score, draws, scores, truth, calibration, reported, last):
            score.classes = np.arange(CLASSES)
            score.random_state = Draws(draws[calibration])
            found = score.get_conformity_scores(truth[calibration], scores[calibration], y_enc=truth[calibration])
            if isinstance(score, RAPSConformityScore):
                score.k_star, score.lambda_star = np.array([FREE]), PENALTY
                found = score._regularize_conformity_score(score.k_star, PENALTY, found, score.cutoff)
                from mapie.utils import _compute_classification_quantile
                score.quantiles_ = _compute_classification_quantile(found, alpha)
            else:
                score.quantiles_ = score.get_conformity_score_quantiles(found, alpha, "prefit")
            score.random_state = Draws(draws[reported])
            made = score.get_prediction_sets(scores[reported][:, :, None].copy(), found, alpha, "prefit", include_last_label=last)
            return made[:, :, 0]

        class Raps(RAPSConformityScore):
            def get_conformity_scores(self, y, y_pred, y_enc=None, **more):
                return APSConformityScore.get_conformity_scores(self, y, y_pred, y_enc=y_enc)

        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            scores, truth = store(folder)
            calibration, reported, draws, held, _ = sets(folder, "lac")
            theirs = of(LACConformityScore(), draws, scores, truth, calibration, reported, True)
            np.testing.assert_array_equal(held[reported], theirs)
            calibration, reported, draws, held, _ = sets(folder, "aps")
            theirs = of(APSConformityScore(), draws, scores, truth, calibration, reported, "randomized")
            np.testing.assert_array_equal(held[reported], theirs)
            self.assertGreater(held[reported].sum(1).std(), 0.5)
            # With a penalty, MAPIE uses different numbers to calibrate and to draw the last class. So the sets are compared up to
            # that class.
            calibration, reported, draws, held, _ = sets(folder, "raps", "--lambda", PENALTY, "--k-reg", FREE)
            more = of(Raps(), draws, scores, truth, calibration, reported, True)
            fewer = of(Raps(), draws, scores, truth, calibration, reported, False)
            self.assertFalse((held[reported] & ~more).any())
            several = held[reported].sum(1) > 0
            self.assertFalse((fewer[several] & ~held[reported][several]).any())
            self.assertLessEqual((more.sum(1) - held[reported].sum(1)).max(), 1)


if __name__ == "__main__":
    unittest.main()
