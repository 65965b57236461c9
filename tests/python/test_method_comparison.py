"""assay.compare(methods=...) is `assay compare --method`: the same numbers, as an object."""
import csv
import io
import json
import pickle

import numpy as np

import assay
from common import InFolder, command, made


class Methods(InFolder):
    def setUp(self):
        super().setUp()
        self.labels = made(200)[1]
        for name, skill in (("old", 1.5), ("new", 2.0)):
            for seed in (1, 2, 10):
                self.run_of(f"{name}-seed{seed}", seed, skill)
        self.runs = self.folder / "runs/data"

    def run_of(self, name, seed, skill):
        scores = np.random.default_rng(seed).normal(size=(200, 7)).astype(np.float32) * 2
        known = self.labels >= 0
        scores[np.flatnonzero(known), self.labels[known]] += skill
        ids = [str(i) for i in range(200)]
        with assay.StoreWriter(self.folder / "runs", dataset="data", model=name, ids=ids, labels=self.labels, num_classes=7) as writer:
            writer.write(0, scores)

    def stores(self, name, seeds=(1, 2, 10)):
        return [self.runs / f"{name}-seed{seed}" for seed in seeds]

    def test_patterns_are_the_commands(self):
        patterns = {name: f"{self.runs}/{name}-seed*" for name in ("old", "new")}
        found = assay.compare(methods=patterns, within=0.05, level=0.9, threads=1)
        words = [word for name, pattern in patterns.items() for word in ("--method", f"{name}={pattern}")]
        asked = ["compare", *words, "--within", "0.05", "--level", "0.9"]
        self.assertIsInstance(found, assay.MethodComparison)
        self.assertEqual(found.to_json(), command(*asked, "--json"))
        self.assertEqual(found.to_csv(), command(*asked, "--format", "csv"))
        self.assertEqual(found.to_markdown(), command(*asked, "--format", "md"))
        self.assertEqual(found.schema, "assay.methods/1")
        self.assertEqual((list(found), len(found)), (["new"], 1))
        difference = json.loads(found.to_json())["differences"][0]["difference"]
        self.assertEqual(found["new"], difference["value"])
        self.assertEqual(found["new"].interval.low, difference["interval"]["low"])
        self.assertEqual(found["new"].interval.level, 0.9)
        self.assertIn("<MethodComparison with old: new ", repr(found))
        with self.assertRaisesRegex(KeyError, "each compared with old"):
            found["old"]
        copy = pickle.loads(pickle.dumps(found))
        self.assertEqual(copy.to_json(), found.to_json())
        (row,) = found.records()
        (line,) = csv.DictReader(io.StringIO(found.to_csv()))
        self.assertEqual(list(row), list(line))
        self.assertEqual(row["difference"], float(line["difference"]))
        self.assertEqual(row["next_run_high"], float(line["next_run_high"]))

    def test_lists_of_stores_are_the_same_runs(self):
        pattern = assay.compare(methods={name: f"{self.runs}/{name}-seed*" for name in ("old", "new")})
        for listed in (
            {"old": self.stores("old"), "new": [str(path) for path in self.stores("new")]},
            {"old": [assay.Store(path) for path in self.stores("old")], "new": tuple(self.stores("new", (10, 2, 1)))},
            {name: dict(zip((1, 2, 10), self.stores(name))) for name in ("old", "new")},
        ):
            found = assay.compare(methods=listed)
            self.assertEqual(found.to_dict()["differences"], pattern.to_dict()["differences"])
            self.assertEqual([(run["method"], run["seed"]) for run in found.runs], [(m, s) for m in ("old", "new") for s in ("1", "2", "10")])
            self.assertTrue(found.records()[0]["paired"])
            self.assertIn("new and old are paired by seed: 1, 2, 10", found.notes)

    def test_a_number_is_no_part_of_two_seeds(self):
        # the common prefix ends before the number, so seeds 10 and 11 are not 0 and 1
        self.run_of("old-seed11", 11, 1.5)
        found = assay.compare(methods={"old": self.stores("old", (10, 11)), "new": self.stores("new", (1, 2))})
        self.assertEqual([run["seed"] for run in found.runs], ["10", "11", "1", "2"])
        self.assertFalse(found.records()[0]["paired"])

    def test_labels_are_a_file(self):
        path = self.folder / "labels.csv"
        path.write_text("id,label\n" + "".join(f"{i},0\n" for i in range(200)))
        methods = {"old": self.stores("old"), "new": self.stores("new")}
        found = assay.compare(methods=methods, labels=path)
        self.assertEqual(found.to_dict()["images"], 200)
        self.refused(lambda: assay.compare(methods=methods, labels=self.labels), "usage", "labels must be a file")

    def test_bad_input(self):
        old, new = self.stores("old"), self.stores("new")
        both = {"old": old, "new": new}
        for code, text, call in (
            ("usage", "remove what does not act with it: metrics=", lambda: assay.compare(methods=both, metrics="top1")),
            ("usage", "remove what does not act with it: baseline=, bins=", lambda: assay.compare(old[0], methods=both, bins=3)),
            ("usage", "within= acts with methods= alone", lambda: assay.compare(old[0], new[0], within=0.1)),
            ("usage", "needs a baseline and candidates", lambda: assay.compare(old[0])),
            ("usage", "within is 2; allowed: from 0 to 1", lambda: assay.compare(methods=both, within=2.0)),
            ("bad_input", "level is 2", lambda: assay.compare(methods=both, level=2.0)),
            ("usage", "needs two methods or more", lambda: assay.compare(methods={"old": old})),
            ("usage", "methods is list", lambda: assay.compare(methods=[old, new])),
            ("usage", "cannot name a method", lambda: assay.compare(methods={"a=b": old, "new": new})),
            ("usage", "`old` is int; allowed: a pattern", lambda: assay.compare(methods={"old": 3, "new": new})),
            ("usage", "is no store on disk", lambda: assay.compare(methods={"old": [1, 2], "new": new})),
            ("usage", "names a store twice", lambda: assay.compare(methods={"old": [old[0], str(old[0])], "new": new})),
            ("usage", "has no stores", lambda: assay.compare(methods={"old": [], "new": new})),
            ("bad_input", "has one training run", lambda: assay.compare(methods={"old": old[:1], "new": new})),
            ("bad_input", "is a run of two methods", lambda: assay.compare(methods={"old": old, "new": [old[0], new[0]]})),
            ("bad_input", "holds 6 stores", lambda: assay.compare(methods={"old": [self.runs, old[0]], "new": new})),
        ):
            with self.subTest(text):
                self.refused(call, code, text)
        with self.assertRaises(assay.Error):
            assay.compare(methods={"old": [self.folder / "missing", old[0]], "new": new})


if __name__ == "__main__":
    import unittest

    unittest.main()
