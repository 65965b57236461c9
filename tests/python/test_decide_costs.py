"""Compares assay decide --costs with NumPy, and gates with a rate at a threshold with assay decide."""
import csv
import io
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

PROGRAM = os.environ.get("ASSAY_PROGRAM", "assay")
IMAGES, CLASSES = 400, 5


def call(*arguments, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: status {done.returncode}, not {status}\n{done.stdout}{done.stderr}")
    return done.stdout if status != 2 else done.stderr


def store(folder, classes, seed=0):
    random = np.random.default_rng(seed)
    truth = random.integers(0, classes, IMAGES)
    logits = random.normal(size=(IMAGES, classes))
    logits[np.arange(IMAGES), truth] += 1.5
    np.save(folder / "scores.npy", logits.astype(np.float32))
    (folder / "items.csv").write_text("id,label\n" + "".join(f"im{i},k{c}\n" for i, c in enumerate(truth)))
    (folder / "classes.txt").write_text("".join(f"k{c}\n" for c in range(classes)))
    call("import", folder / "scores.npy", "--items", folder / "items.csv", "--classes", folder / "classes.txt",
         "--dataset-name", "val", "--name", "net", "--kind", "logits", "--out", folder / "runs", "-q")
    return truth, logits.astype(np.float32).astype(float)


class Costs(unittest.TestCase):
    def test_equals_numpy(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            truth, logits = store(folder, CLASSES)
            random = np.random.default_rng(2)
            costs = np.round(random.uniform(0.5, 9, (CLASSES, CLASSES + 1)), 2)
            np.fill_diagonal(costs, 0)
            costs[:, CLASSES] = 1.25
            names = [*(f"k{c}" for c in range(CLASSES)), "abstain"]
            lines = [["truth", *names], *([f"k{c}", *costs[c]] for c in range(CLASSES))]
            (folder / "costs.csv").write_text("".join(",".join(map(str, line)) + "\n" for line in lines))
            found = json.loads(call("decide", folder / "runs", "--costs", folder / "costs.csv", "--json"))
            model = found["models"][0]
            probabilities = np.exp(logits - logits.max(1, keepdims=True))
            probabilities /= probabilities.sum(1, keepdims=True)
            decision, likeliest = (probabilities @ costs).argmin(1), logits.argmax(1)
            paid, other = costs[truth, decision], costs[truth, likeliest]
            self.assertAlmostEqual(model["cost"]["value"], paid.mean(), delta=1e-12)
            self.assertAlmostEqual(model["likeliest_cost"]["value"], other.mean(), delta=1e-12)
            self.assertAlmostEqual(model["difference"]["value"], (paid - other).mean(), delta=1e-12)
            self.assertEqual(model["changed"], int((decision != likeliest).sum()))
            self.assertAlmostEqual(model["abstained"]["value"], (decision == CLASSES).mean(), delta=1e-12)
            constant = costs[truth].mean(0)
            self.assertEqual(model["constant"], names[constant.argmin()])
            self.assertAlmostEqual(model["constant_cost"], constant.min(), delta=1e-12)
            widest = (costs.max(1) - costs.min(1)).max()
            for values, low, high, interval in ((paid, costs.min(), costs.max(), model["cost"]["interval"]),
                                                (paid - other, -widest, widest, model["difference"]["interval"])):
                for extreme, sign, end in ((low, -1, "low"), (high, 1, "high")):
                    with_one = np.append(values, extreme)
                    limit = with_one.mean() + sign * 1.959963984540054 * with_one.std() / np.sqrt(len(with_one))
                    self.assertAlmostEqual(interval[end], np.clip(limit, low, high), delta=1e-9)
            cells = {(cell["truth"], cell["decision"]): cell for cell in model["cells"]}
            for t in range(CLASSES):
                for d in range(CLASSES + 1):
                    cell = cells.get((f"k{t}", names[d]), {"images": 0, "likeliest": 0})
                    self.assertEqual(cell["images"], int(((truth == t) & (decision == d)).sum()))
                    self.assertEqual(cell["likeliest"], int(((truth == t) & (likeliest == d)).sum()))
            rows = list(csv.DictReader(io.StringIO(call("decide", folder / "runs", "--costs", folder / "costs.csv", "--csv"))))
            self.assertEqual(float(rows[0]["cost"]), model["cost"]["value"])

    def test_two_classes_give_the_threshold_of_the_costs(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            truth, logits = store(folder, 2)
            (folder / "costs.csv").write_text("truth,k0,k1\nk0,0,1\nk1,9,0\n")
            model = json.loads(call("decide", folder / "runs", "--costs", folder / "costs.csv", "--json"))["models"][0]
            called = 1 / (1 + np.exp(logits[:, 0] - logits[:, 1])) > 0.1
            self.assertAlmostEqual(model["cost"]["value"], np.where(truth == 1, 9 * ~called, called).mean(), delta=1e-12)


class Gates(unittest.TestCase):
    def test_the_gate_has_the_number_of_decide_and_its_status(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            store(folder, 2)
            point = json.loads(call("decide", folder / "runs", "--specificity", "0.9", "--json"))["points"][0]
            value = point["sensitivity"]["value"]
            gate = "sensitivity@specificity=.9 >= {:.3f}"
            passed = json.loads(call("score", folder / "runs", "--gate", gate.format(value - 0.01), "--json"))["gates"][0]
            self.assertEqual(passed["value"], value)
            self.assertEqual(passed["point"]["threshold"], point["threshold"])
            self.assertEqual(passed["point"]["sensitivity"]["interval"], point["sensitivity"]["interval"])
            text = call("score", folder / "runs", "--gate", gate.format(value + 0.01), status=1)
            self.assertIn("BROKEN", text)
            self.assertIn(f"sensitivity@specificity=0.9: {100 * value:.1f} % (95 % CI ", text)
            # The value passes, but the lower end of its interval does not.
            low = f"low(sensitivity@specificity=.9) >= {value - 0.01:.3f}"
            call("score", folder / "runs", "--gate", low, status=1)
            self.assertIn("must be >= or >", call("score", folder / "runs", "--gate", gate.replace(">=", "<").format(value), status=2))

    def test_a_file_of_settings_reads_them(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            settings = "[[model]]\npath = 'm.pt'\npreset = 'plain'\n[[data]]\npath = 'val'\n[score]\ngate = ['sensitivity@specificity={} >= .5']\n"
            (folder / "m.pt").write_bytes(b"")
            for rate, message in (("95", "did you mean 95%?"), ("95%", "m.pt")):
                (folder / "assay.toml").write_text(settings.format(rate))
                self.assertIn(message, call("run", folder / "assay.toml", status=2))

    def test_more_classes_are_refused(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            store(folder, 3)
            said = call("score", folder / "runs", "--gate", "sensitivity@specificity=.9 >= .5", status=2)
            self.assertIn("it has 3 classes, but an operating point needs two", said)


if __name__ == "__main__":
    unittest.main()
