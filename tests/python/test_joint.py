"""Compares assay replicate adjust --labels1 --labels2 with the reference of its specification, and with `adjust` and `gap`."""
import importlib.util
import json
import pathlib
import subprocess
import unittest

import numpy as np

from common import PROGRAM, InFolder, command

FOLDER = pathlib.Path(__file__).parents[2] / "../shared/spec/fixtures"
ADJUST = ["replicate", "adjust", "readings1.csv", "readings2.csv", "--hits", "hits1.csv", "hits2.csv", "--methods", "pl"]
LABELS = ["--labels1", "labels1.csv", "--labels2", "labels2.csv"]
CLASSES, ANNOTATORS, STRATA = 40, 12, 3


def module(name):
    spec = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def study(images, seed):
    """Two data sets in which images with more labels have lower selection frequencies. There are two classifiers, and every eighth
    class is rare."""
    random = np.random.default_rng(seed)
    out = {"C": CLASSES}
    for side, shares, lift in (("1", (0.75, 0.15, 0.1), 0.04), ("2", (0.5, 0.3, 0.2), 0.0)):
        labels = random.choice(STRATA, images, p=shares)
        rate = np.where(random.random(images) < 0.6 - 0.1 * labels, random.beta(6, 1, images), random.beta(1.5, 1.5, images))
        annotators = np.where(random.random(images) < 0.8, ANNOTATORS, 5)
        hits = [random.random(images) < np.clip(0.25 + lift + 0.55 * rate - 0.06 * labels - 0.05 * m, 0, 1) for m in range(2)]
        classes = np.arange(images) % CLASSES
        out |= {"n" + side: annotators, "k" + side: random.binomial(annotators, rate), "g" + side: labels, "c" + side: classes,
                "f" + side: np.stack(hits, 1)}
    return out


class Joint(InFolder):
    def write(self, d):
        for side in "12":
            rows = zip(d["n" + side], d["k" + side], d["g" + side], d["c" + side], d["f" + side])
            files = {kind: open(self.folder / f"{kind}{side}.csv", "w") for kind in ("readings", "labels", "hits")}
            files["readings"].write("image,label,annotators,selected\n")
            files["labels"].write("image,labels\n")
            files["hits"].write("image,a,b\n")
            for i, (n, k, g, c, hits) in enumerate(rows):
                image = f"s{side}/{i:05}.png"
                files["readings"].write(f"{image},{c},{n},{k}\n")
                files["labels"].write(f"{image},{' '.join(str((c + x) % CLASSES) for x in range(g + 1))}\n")
                files["hits"].write(f"{image},{int(hits[0])},{int(hits[1])}\n")
            for file in files.values():
                file.close()

    def adjust(self, *more):
        return json.loads(command(*ADJUST, "--json", "-q", *more, cwd=self.folder))

    def joint(self, *more):
        return self.adjust(*LABELS, *more)

    @unittest.skipUnless(FOLDER.exists() and importlib.util.find_spec("scipy"), "SKIPPED: ../shared or SciPy is absent")
    def test_equals_the_reference(self):
        d = study(3000, 11)
        self.write(d)
        found = self.joint()["joint"]
        pl = module("penalised_likelihood")
        # The settings of the program: 56 spline functions, and penalties of curves up to 0.05.
        pl.OPTIONS = pl.options(betac=True, dp=2, DEL=0.05, Kp=56)
        pl.KG = {"smax": 0.05, "fac": 0.5}
        expected = module("uncertain-labels_reference").joint(d, pl)
        for row, parts in zip(found["classifiers"], expected):
            for part, (value, half, _, _) in parts.items():
                low, high = row[part]["interval"]["low"], row[part]["interval"]["high"]
                self.assertAlmostEqual(row[part]["value"], value, delta=2e-6, msg=part)
                self.assertAlmostEqual((high - low) / 2, half, delta=2e-5 * half + 1e-6, msg=part)
        self.assertEqual([s["images"]["original"] for s in found["strata"]], np.bincount(d["g1"]).tolist())

    def test_parts_add_up_and_labels_first_is_the_composition(self):
        d = study(2000, 5)
        self.write(d)
        found = self.joint()["joint"]
        shares = [np.bincount(d["g" + side], minlength=STRATA) / len(d["g" + side]) for side in "12"]
        for m, row in enumerate(found["classifiers"]):
            value = {part: row[part]["value"] for part in row if part != "name"}
            self.assertAlmostEqual(value["total"], value["remainder"] + value["labels"] + value["selection"], delta=1e-14)
            self.assertAlmostEqual(value["labels"] + value["selection"], value["labels_given_rates"] + value["selection_of_rates"], delta=1e-14)
            self.assertAlmostEqual(value["total"], d["f1"][:, m].mean() - d["f2"][:, m].mean(), delta=1e-14)
            accuracies = np.array([d["f2"][d["g2"] == g, m].mean() for g in range(STRATA)])
            self.assertAlmostEqual(value["labels_first"], (shares[0] - shares[1]) @ accuracies, delta=1e-14)
        for part, of_mean in found["mean"].items():
            self.assertAlmostEqual(of_mean["value"], np.mean([row[part]["value"] for row in found["classifiers"]]), delta=1e-14)

    def test_one_stratum_is_adjust(self):
        d = study(1500, 7)
        d["g1"][:] = d["g2"][:] = 0
        self.write(d)
        result = self.joint()
        pl = result["methods"][0]
        for row, gap in zip(result["joint"]["classifiers"], pl["classifiers"]):
            self.assertEqual(row["labels"]["value"], 0)
            for part, as_adjusted in (("remainder", "remaining"), ("selection", "selection_bias")):
                self.assertAlmostEqual(row[part]["value"], gap["gap"][as_adjusted]["value"], delta=1e-14)
                self.assertAlmostEqual(row[part]["standard_error"], gap["gap"][as_adjusted]["standard_error"], delta=1e-14)

    def test_thin_strata_and_missing_labels(self):
        d = study(1500, 3)
        d["g1"][:30] = 3  # there are 30 images with four labels
        self.write(d)
        refused = self.joint()["joint"]["undefined"]
        self.assertIn("the original has 30 images with 4 and more valid labels, and at least 75 are needed", refused)
        self.assertIn("`--pool-above 2` joins them", refused)
        self.assertEqual(len(self.joint("--pool-above", 2)["joint"]["strata"]), 3)
        text = (self.folder / "labels2.csv").read_text().splitlines()
        (self.folder / "labels2.csv").write_text("\n".join(text[:1001]) + "\n")
        found = self.joint("--pool-above", 2)
        self.assertEqual(sum(s["images"]["replication"] for s in found["joint"]["strata"]), 1000)
        said = subprocess.run([PROGRAM, *ADJUST, *LABELS, "--pool-above", "2"], cwd=self.folder, capture_output=True, text=True)
        self.assertIn("500 of 1500 images of the replication are in no file of labels", said.stderr)
        command(*ADJUST, *LABELS[:2], status=2, cwd=self.folder)


if __name__ == "__main__":
    unittest.main()
