"""Compares assay estimate with the reference of its specification, from stored scores to intervals."""
import csv
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


def table_of(file):
    with file.open(newline="") as rows:
        return list(csv.DictReader(rows))


def write_pool(folder, images, models, seed):
    """Stores of several classifiers without labels. Returns the true classes, the predicted ones and the confidences."""
    random = np.random.default_rng(seed)
    truth, hard = random.integers(0, CLASSES, images), random.normal(size=images)
    (folder / "items.csv").write_text("id\n" + "".join(f"im{i:05d}.png\n" for i in range(images)))
    (folder / "classes.txt").write_text("".join(f"k{c}\n" for c in range(CLASSES)))
    labels, confidences = [], []
    for m in range(models):
        logits = random.normal(size=(images, CLASSES))
        logits[np.arange(images), truth] += 2.2 - 0.4 * m + 0.8 * hard
        scores = np.exp(1.2 * logits)
        scores = (scores / scores.sum(1, keepdims=True)).astype(np.float32)
        np.save(folder / f"m{m}.npy", scores)
        run("import", folder / f"m{m}.npy", "--items", folder / "items.csv", "--classes", folder / "classes.txt",
            "--dataset-name", "pool", "--name", f"m{m}", "--kind", "probabilities", "--out", folder / "runs", "-q")
        labels.append(scores.argmax(1))
        confidences.append(scores.max(1).astype(float))
    return truth, np.array(labels), np.array(confidences)


def answer_competition(folder, truth):
    """A competition with a control sample, in which one person has answered every question truthfully."""
    run("mad", "init", folder / "mad", folder / "runs/pool", "--distance", "zero-one", "--threshold", "0.6", "-k", "20", "--votes", "1", "-q")
    run("mad", "select", folder / "mad", "--control", "40", "-q")
    run("mad", "questions", folder / "mad", "--out", folder / "questions.csv", "-q")
    rows = table_of(folder / "questions.csv")
    (folder / "answers.csv").write_text("question,annotator,answer\n" + "".join(
        f"{row['question']},anna,{'yes' if truth[int(row['image'][2:7])] == int(row['label'][1:]) else 'no'}\n" for row in rows))
    run("mad", "answers", folder / "mad", folder / "answers.csv", "-q")


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
            self.assertLess(min(expected["gain"][:MODELS]), 0.7)  # this makes the regression effective

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

    def test_a_competition_is_a_stratum_that_is_known(self):
        if importlib.util.find_spec("scipy") is None:
            self.skipTest("SKIPPED: the reference needs SciPy")
        ref = reference()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            truth, labels, confidences = write_pool(folder, 1500, 3, 8)
            images = len(truth)
            answer_competition(folder, truth)
            # The images whose predicted labels are all answered, from the competition's own table.
            run("mad", "export", folder / "mad", "--out", folder / "tables", "-q")
            answered = {}
            for row in table_of(folder / "tables/questions.csv"):
                if row["settled"] == "1":
                    answered.setdefault(int(row["image"][2:7]), {})[int(row["label"][1:])] = row["outcome"] == "yes"
            settled = np.array([i in answered and set(labels[:, i]) <= set(answered[i]) for i in range(images)])
            self.assertGreater(settled.sum(), 40)
            self.assertGreater(len(answered), settled.sum())  # some images only have answers to a part of their questions
            others = np.flatnonzero(~settled)
            row_of, L, c = {int(i): k for k, i in enumerate(others)}, labels[:, others], confidences[:, others]
            q = ref.consensus(L, c)
            sizes = ref.size_measure(*ref.uncertainty(L, c, q))
            stratum = ref.strata_of(L, q, sizes, 60 // 12)
            counts, totals = np.bincount(stratum), np.bincount(stratum, sizes)
            allocated = ref.allocate(totals, counts, 60)
            pairs = [(0, 1), (0, 2), (1, 2)]
            correct = labels == truth
            held = []
            for seed in range(12):
                study = folder / f"study{seed}"
                drawn = json.loads(run("estimate", "select", study, folder / "runs", "--draw", 60, "--seed", seed, "--competition",
                                       folder / "mad", "--json", "-q"))
                self.assertEqual(drawn["settled"], settled.sum())
                self.assertEqual([row["images"] for row in drawn["strata"]], counts.tolist())
                self.assertEqual([row["drawn"] for row in drawn["strata"]], allocated.tolist())
                rows = table_of(study / "sample.csv")
                sample = [int(row["item"][2:7]) for row in rows if row["stratum"] != "0"]
                asked = table_of(study / "questions-1.csv")
                for row in asked:
                    self.assertNotIn(int(row["label"][1:]), answered.get(int(row["item"][2:7]), {}))
                (folder / "votes.csv").write_text("item,label,annotator,answer\n" + "".join(
                    f"{row['item']},{row['label']},anna,{'yes' if truth[int(row['item'][2:7])] == int(row['label'][1:]) else 'no'}\n"
                    for row in asked))
                shown = json.loads(run("estimate", "show", study, "--answers", folder / "votes.csv", "--json", "-q"))
                self.assertEqual((shown["labels"], shown["settled"]), (60, settled.sum()))
                at = np.array([row_of[i] for i in sample])
                *arrays, domain = ref.targets(L, c, q, stratum, correct[:, sample], at, pairs)
                expected = ref.estimate(*arrays, stratum[at], counts, allocated, domain)
                found = [row["accuracy"] for row in shown["classifiers"]] + [row["difference"] for row in shown["pairs"]]
                for t, row in enumerate(found):
                    if t < 3:
                        share, known, shift, scale = len(others) / images, correct[t, settled].sum() / images, 0, 1
                        true = correct[t].mean()
                    else:  # the mean of (1 + difference) / 2 over the images on which the two disagree
                        a, b = pairs[t - 3]
                        apart = labels[a] != labels[b]
                        share = (apart & ~settled).sum() / apart.sum()
                        known = ((1. + correct[a] - correct[b]) / 2)[apart & settled].sum() / apart.sum()
                        shift, scale = -apart.mean(), 2 * apart.mean()
                        true = correct[a].mean() - correct[b].mean()
                    for got, part in ((row["value"], "est"), (row["interval"]["low"], "low"), (row["interval"]["high"], "high")):
                        self.assertAlmostEqual(got, shift + scale * (known + share * expected[part][t]), delta=1e-9)
                    held.append(row["interval"]["low"] - 1e-9 <= true <= row["interval"]["high"] + 1e-9)
            self.assertGreater(np.mean(held), 0.85)  # 72 intervals; those of one study share its sample

    def test_a_classifier_that_joins_equals_the_reference(self):
        if importlib.util.find_spec("scipy") is None:
            self.skipTest("SKIPPED: the reference needs SciPy")
        ref = reference()
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            truth, labels, confidences = write_pool(folder, 2000, 3, 9)
            study = folder / "study"
            run("estimate", "select", study, folder / "runs/pool/m0", folder / "runs/pool/m1", "--draw", 300, "-q")
            run("estimate", "add", study, folder / "runs/pool/m2", "-q")
            # The strata are those of the first two classifiers. The consensus about the labels of the third includes the third.
            L, c = labels[:2], confidences[:2]
            first = ref.consensus(L, c)
            sizes = ref.size_measure(*ref.uncertainty(L, c, first))
            stratum = ref.strata_of(L, first, sizes, 10)
            counts, totals = np.bincount(stratum), np.bincount(stratum, sizes)
            allocated = ref.allocate(totals, counts, 300)
            sample = np.array([int(row["item"][2:7]) for row in table_of(study / "sample.csv")])
            q = np.concatenate([first, ref.consensus(labels, confidences)[2:]])
            pairs = [(0, 1), (0, 2), (1, 2)]
            *arrays, domain = ref.targets(labels, confidences, q, stratum, labels[:, sample] == truth[sample], sample, pairs)
            expected = ref.estimate(*arrays, stratum[sample], counts, allocated, domain)
            (folder / "labels.csv").write_text("image,label\n" + "".join(f"im{i:05d}.png,k{truth[i]}\n" for i in sample))
            shown = json.loads(run("estimate", "show", study, "--labels", folder / "labels.csv", "--json", "-q"))
            found = [(row["accuracy"], 0, 1) for row in shown["classifiers"]]
            for (a, b), row in zip(pairs, shown["pairs"]):
                apart = (labels[a] != labels[b]).mean()
                found.append((row["difference"], -apart, 2 * apart))
            self.assertEqual(len(found), 6)
            for t, (row, shift, scale) in enumerate(found):
                for got, part in ((row["value"], "est"), (row["interval"]["low"], "low"), (row["interval"]["high"], "high")):
                    self.assertAlmostEqual(got, shift + scale * expected[part][t], delta=1e-9)


if __name__ == "__main__":
    unittest.main()
