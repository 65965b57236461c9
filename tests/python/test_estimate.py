"""Compares assay estimate with the reference of its specification, from stored scores to intervals."""
import importlib.util
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

REFERENCE = pathlib.Path(__file__).parents[2] / "../shared/spec/fixtures/accuracy-from-few-labels_reference.py"
PROGRAM = os.environ.get("ASSAY_PROGRAM", "assay")
IMAGES, CLASSES, MODELS, LABELS, SEED = 5000, 6, 4, 400, 7


def run(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    if done.returncode != 0:
        raise AssertionError(f"{arguments}: status {done.returncode}\n{done.stderr}")
    return done.stdout


def reference():
    spec = importlib.util.spec_from_file_location("reference", REFERENCE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@unittest.skipUnless(REFERENCE.exists(), f"SKIPPED: {REFERENCE.name} is absent")
class Estimate(unittest.TestCase):
    def test_equals_the_reference(self):
        if importlib.util.find_spec("scipy") is None:
            self.skipTest("SKIPPED: the reference needs SciPy")
        ref = reference()
        random = np.random.default_rng(5)
        truth, hard = random.integers(0, CLASSES, IMAGES), random.normal(size=IMAGES)
        group = random.integers(0, 3, IMAGES)
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "items.csv").write_text("id,group\n" + "".join(f"im{i:05d}.png,g{g}\n" for i, g in enumerate(group)))
            (folder / "classes.txt").write_text("".join(f"k{c}\n" for c in range(CLASSES)))
            labels, confidences = [], []
            for m in range(MODELS):
                logits = random.normal(size=(IMAGES, CLASSES))
                logits[np.arange(IMAGES), truth] += 2.2 - 0.4 * m + 0.8 * hard
                scores = np.exp(1.2 * logits)
                scores = (scores / scores.sum(1, keepdims=True)).astype(np.float32)
                np.save(folder / f"m{m}.npy", scores)
                run("import", folder / f"m{m}.npy", "--items", folder / "items.csv", "--classes", folder / "classes.txt",
                    "--dataset-name", "pool", "--name", f"m{m}", "--kind", "probabilities", "--out", folder / "runs", "-q")
                labels.append(scores.argmax(1))
                confidences.append(scores.max(1).astype(float))
            labels, confidences = np.array(labels), np.array(confidences)
            study = folder / "study"
            drawn = json.loads(run("estimate", "select", study, folder / "runs", "--draw", LABELS, "--seed", SEED, "--json", "-q"))

            q = ref.consensus(labels, confidences)
            sizes = ref.size_measure(*ref.uncertainty(labels, confidences, q))
            stratum = ref.strata_of(labels, q, sizes, 10)
            images, totals = np.bincount(stratum), np.bincount(stratum, sizes)
            allocated = ref.allocate(totals, images, LABELS)
            sample = np.concatenate([order[:n] for order, n in zip(ref.draw_order(stratum, SEED), allocated)])
            self.assertEqual([row["images"] for row in drawn["strata"]], images.tolist())
            self.assertEqual([row["drawn"] for row in drawn["strata"]], allocated.tolist())
            items = [line.split(",")[0] for line in (study / "sample.csv").read_text().splitlines()[1:]]
            self.assertEqual(items, [f"im{i:05d}.png" for i in sample])

            (folder / "labels.csv").write_text("image,label\n" + "".join(f"im{i:05d}.png,k{truth[i]}\n" for i in sample))
            shown = json.loads(run("estimate", "show", study, "--labels", folder / "labels.csv", "--by", "group", "--json", "-q"))
            pairs = [(a, b) for a in range(MODELS) for b in range(a + 1, MODELS)]
            *arrays, domain = ref.targets(labels, confidences, q, stratum, labels[:, sample] == truth[sample], sample, pairs, group)
            expected = ref.estimate(*arrays, stratum[sample], images, allocated, domain)
            self.assertLess(min(expected["gain"][:MODELS]), 0.7)  # so the regression has an effect

            found = [row["accuracy"] for row in shown["classifiers"]]
            scale = [(0, 1)] * MODELS
            found += [row["difference"] for row in shown["pairs"]]
            for a, b in pairs:
                apart = (labels[a] != labels[b]).mean()
                scale.append((-apart, 2 * apart))
            found += [row["accuracy"] for row in shown["groups"]]
            scale += [(0, 1)] * (3 * MODELS)
            self.assertEqual(len(found), len(expected["est"]))
            for row, (shift, factor), value, low, high in zip(found, scale, expected["est"], expected["low"], expected["high"]):
                for got, want in ((row["value"], value), (row["interval"]["low"], low), (row["interval"]["high"], high)):
                    self.assertAlmostEqual(got, shift + factor * want, delta=1e-9)


if __name__ == "__main__":
    unittest.main()
