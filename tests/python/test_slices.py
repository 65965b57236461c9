"""Compares assay slices with the same search in NumPy, and tests assay.slices."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy as np

import assay

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "bench"))
import slice_cluster_worlds  # noqa: E402
import slice_worlds  # noqa: E402

PROGRAM = os.environ.get("ASSAY_PROGRAM", "assay")
IMAGES, CLASSES = 2000, 5
WORD, LONG = 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) & LONG
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & LONG
    x = (x ^ x >> 27) * 0x94D049BB133111EB & LONG
    return x ^ x >> 31


def uniform(seed, purpose):
    """The first number of the stream, from FNV-1a, SplitMix64's finalizer and Philox4x32-10."""
    hashed = 0xCBF29CE484222325
    for byte in purpose.encode():
        hashed = (hashed ^ byte) * 0x100000001B3 & LONG
    key = mix(seed ^ mix(hashed))
    k, c = [key & WORD, key >> 32], [0, 0, 0, 0]
    for _ in range(10):
        p0, p1 = 0xD2511F53 * c[0], 0xCD9E8D57 * c[2]
        c = [p1 >> 32 ^ c[1] ^ k[0], p1 & WORD, p0 >> 32 ^ c[3] ^ k[1], p0 & WORD]
        k = [(k[0] + 0x9E3779B9) & WORD, (k[1] + 0xBB67AE85) & WORD]
    return ((c[0] | c[1] << 32) >> 11) * 2.0**-53


def run(*arguments, status=0):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: status {done.returncode}\n{done.stderr}")
    return done.stdout if status == 0 else done.stderr


class Slices(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        random = np.random.default_rng(8)
        self.columns = {"camera": random.choice(4, IMAGES), "sex": random.choice(2, IMAGES), "site": random.choice(7, IMAGES), "age": random.integers(20, 90, IMAGES)}
        # There are 300 patients with 1 to 13 images, from one site each. A third of them are harder.
        self.columns["patient"] = random.choice(300, IMAGES, p=np.linspace(1, 3, 300) / 600)
        self.columns["site"] = random.choice(7, 300)[self.columns["patient"]]
        c = self.columns
        chance = 0.9 - 0.25 * (c["camera"] == 2) - 0.3 * ((c["sex"] == 1) & (c["site"] == 3)) - 0.2 * (c["age"] > 75) - 0.1 * (c["patient"] % 3 == 0)
        self.label = random.integers(0, CLASSES, IMAGES)
        hit = random.random(IMAGES) < chance - 0.15 * (self.label == 4)
        self.predicted = np.where(hit, self.label, (self.label + random.integers(1, CLASSES, IMAGES)) % CLASSES)
        scores = random.random((IMAGES, CLASSES)).astype(np.float32)
        scores[np.arange(IMAGES), self.predicted] += 1
        self.ids = [f"im{i:04d}.png" for i in range(IMAGES)]
        rows = zip(self.ids, self.label, *c.values())
        (self.folder / "items.csv").write_text("id,label," + ",".join(c) + "\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
        np.save(self.folder / "m.npy", scores)
        run("import", self.folder / "m.npy", "--items", self.folder / "items.csv", "--dataset-name", "val", "--name", "m", "--kind", "logits", "--out",
            self.folder / "runs", "-q")

    def facets(self, left_out=()):
        facets, source, names = [], [], []

        def add(name, of, values, its_source):
            facets.append(of), source.append(its_source), names.append([f"{name}={value}" for value in values])

        for name, of in self.columns.items():
            if name in left_out:
                continue
            values, place = np.unique(of, return_inverse=True)
            if len(values) <= 100:
                add(name, place, values, name)
            if len(values) > 10:
                quarter = (np.quantile(of, [0.25, 0.5, 0.75])[:, None] < of).sum(0)
                ends = [of[quarter == q] for q in range(4)]
                add(name, quarter, [f"{x.min()} to {x.max()}" for x in ends], name)
        add("label", self.label, range(CLASSES), "label")
        add("predicted", self.predicted, range(CLASSES), "predicted")
        return facets, source, names

    def compare(self, found, wanted, tested, selected, names):
        self.assertEqual(found["schema"], "assay.slices/1")
        model = found["models"][0]
        self.assertEqual((model["tested"], model["selected"]), (tested, selected))
        self.assertGreater(len(wanted), 2)
        p = {one["name"]: one["p"] for one in model["found"]}
        self.assertEqual(list(p.values()), sorted(p.values()))
        wanted = {",".join(names[f][v] for f, v in one.conditions): (one, q) for one, q in wanted}
        self.assertEqual(set(p), set(wanted))
        for one in model["found"]:
            this, q = wanted[one["name"]]
            self.assertAlmostEqual(one["p"] / q, 1, places=8)
            (hits, images), (all_hits, everything) = this.counts[1][:2]
            self.assertEqual(one["accuracy"]["value"], hits / images)
            self.assertAlmostEqual(one["rest"]["value"], (all_hits - hits) / (everything - images), places=14)

    def test_equals_the_search_in_numpy(self):
        facets, source, names = self.facets()
        for seed in (0, 5):
            half = np.array([uniform(seed, f"slices half of {one}") >= 0.5 for one in self.ids]).astype(int)
            wanted = slice_worlds.find(facets, source, self.predicted == self.label, half)
            self.compare(assay.slices(self.folder / "runs", seed=seed), *wanted, names)

    def test_clusters_equal_the_search_in_numpy(self):
        facets, source, names = self.facets(("patient",))
        patient = self.columns["patient"]
        for seed in (0, 5):
            of_patient = np.array([uniform(seed, f"slices half of cluster {one}") >= 0.5 for one in range(300)]).astype(int)
            wanted = slice_cluster_worlds.find(facets, source, self.predicted == self.label, patient, of_patient[patient])
            found = assay.slices(self.folder / "runs", seed=seed, cluster="patient")
            self.assertEqual(found["cluster"], "patient")
            self.compare(found, *wanted, names)

    def test_csv_and_bad_input(self):
        lines = run("slices", self.folder / "runs", "--csv", "-q").splitlines()
        self.assertTrue(lines[0].startswith("model,dataset,slice,images,incorrect,n,accuracy,low,high,rest,p,"))
        self.assertTrue(any("camera=2" in line for line in lines[1:]))
        said = run("slices", self.folder / "runs", "--data", self.folder / "none", status=2)
        self.assertIn("none", said)


if __name__ == "__main__":
    unittest.main()
