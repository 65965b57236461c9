"""assay compare --method and assay decide refuse options that have no effect."""
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

import numpy as np

PROGRAM = os.environ.get("ASSAY_PROGRAM", "assay")


def call(*arguments, folder=None):
    program = PROGRAM if folder is None or os.sep not in PROGRAM else os.path.abspath(PROGRAM)
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=folder)


def runs(folder):
    """Two training runs of two methods on 60 images of two classes."""
    random = np.random.default_rng(1)
    truth = np.arange(60) % 2
    (folder / "items.csv").write_text("id,label\n" + "".join(f"im{i},k{c}\n" for i, c in enumerate(truth)))
    (folder / "classes.txt").write_text("k0\nk1\n")
    for name in ("old-1", "old-2", "new-1", "new-2"):
        scores = random.normal(size=(60, 2)).astype(np.float32)
        scores[np.arange(60), truth] += 1
        np.save(folder / "scores.npy", scores)
        done = call("import", folder / "scores.npy", "--items", folder / "items.csv", "--classes", folder / "classes.txt",
                    "--dataset-name", "val", "--name", name, "--kind", "logits", "--out", folder / "runs", "-q")
        assert done.returncode == 0, done.stderr
    return ["compare", "--method", f"old={folder}/runs/val/old-*", "--method", f"new={folder}/runs/val/new-*"]


class Methods(unittest.TestCase):
    def test_options_that_do_not_act_are_refused(self):
        with tempfile.TemporaryDirectory() as name:
            compare = runs(pathlib.Path(name))
            for option, value in (("--seed", "3"), ("--bootstrap", "100"), ("--cluster", "site"), ("--k", "1"), ("--bins", "5"),
                                  ("--label-column", "x"), ("--disagreements", "3"), ("--metrics", "top1")):
                done = call(*compare, option, value)
                self.assertEqual(done.returncode, 2, option)
                self.assertIn(f"does not act with it: {option}", done.stderr)
            done = call(*compare, "--within", "nan")
            self.assertEqual(done.returncode, 2)
            done = call(*compare, "--level", "0.9", "--labels", pathlib.Path(name) / "items.csv", "-j", "1", "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["level"], 0.9)

    def test_costs_of_zero_are_refused(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            runs(folder)
            done = call("decide", folder / "runs", "--cost-false-positive", "0", "--cost-false-negative", "0")
            self.assertEqual(done.returncode, 2)
            self.assertIn("both costs", done.stderr)

    def test_empty_values_are_refused(self):
        for option in ("--threshold", "--positive", "--costs"):
            done = call("decide", "runs", option, "")
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"{option} is empty: give it a value, or omit it: assay decide RUNS", done.stderr)

    def test_warnings_name_relative_folders_once(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name).resolve()
            runs(folder)
            scores = np.full((60, 3), 1 / 3, np.float32)
            np.save(folder / "three.npy", scores)
            np.save(folder / "best.npy", scores[:, :2] * 1.5)
            (folder / "three.txt").write_text("k0\nk1\nk2\n")
            for model, classes, storage in (("three", "three.txt", "full"), ("best", "classes.txt", "top1")):
                done = call("import", f"{model}.npy", "--items", "items.csv", "--classes", classes, "--dataset-name", f"of-{model}",
                            "--name", model, "--kind", "probabilities", "--storage", storage, "--out", "runs", "-q", folder=folder)
                self.assertEqual(done.returncode, 0, done.stderr)
            for runs_of in ("runs", "./runs", "../" + folder.name + "/runs"):
                done = call("decide", runs_of, folder=folder)
                self.assertEqual(done.returncode, 3, done.stderr)
                self.assertIn("of-three/three` is not used: it has 3 classes", done.stderr)
                self.assertIn("of-best/best` is not used: it is stored as top_k", done.stderr)
                self.assertNotIn(str(folder), done.stderr)


if __name__ == "__main__":
    unittest.main()
