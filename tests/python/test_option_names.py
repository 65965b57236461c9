"""Errors of functions name their keywords, not the options of the command behind them."""
import os
import re
import unittest

import numpy as np

import assay
from assay import _command_options
from common import InFolder, made, photos

CALLS = {
    "predict": lambda f, o: assay.predict(f / "model.onnx", f / "val", f / "out", **o),
    "attack": lambda f, o: assay.attack(f / "model.onnx", f / "val", f / "out", **o),
    "check": lambda f, o: assay.check(f / "model.onnx", f / "val", **o),
    "eval": lambda f, o: assay.evaluate(f / "model.onnx", f / "val", f / "out", **o),
    "corrupt": lambda f, o: assay.corrupt(f / "val", f / "changed", **o),
    "cost": lambda f, o: assay.cost(f / "model.onnx", **o),
    "robustness": lambda f, o: assay.robustness(f / "runs", "data", **o),
    "calibrate": lambda f, o: assay.calibrate(f / "runs", **o),
    "audit": lambda f, o: assay.audit(f / "runs", **o),
    "slices": lambda f, o: assay.slices(f / "runs", **o),
    "ensemble": lambda f, o: assay.ensemble([f / "runs/data/a", f / "runs/data/b"], **o),
    "labels aggregate": lambda f, o: assay.annotation.aggregate(f / "votes.csv", **o),
    "labels propose": lambda f, o: assay.annotation.propose([f / "runs/data/a"], **o),
    "replicate plan": lambda f, o: assay.replicate.plan(f / "votes.csv", f / "votes.csv", **o),
    "quality score": lambda f, o: assay.quality.table(**o),
    "mad init": lambda f, o: assay.mad.Competition.init(f / "mad", [f / "runs/data/a", f / "runs/data/b"], **o),
}
ARGUMENTS = {"model", "data", "out", "clean", "layer", "boxes", "hits"}


def options_named(text):
    """The options in a message, without the commands to type in it."""
    plain = re.sub(r"`[^`]*`", "", text)
    return set(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", re.sub(r"\bassay [a-z]+ [^;]*", "", plain)))


class Messages(InFolder):
    def setUp(self):
        super().setUp()
        before = os.getcwd()
        os.chdir(self.folder)  # some options name a file to write
        self.addCleanup(os.chdir, before)
        for model in "ab":
            scores, labels = made(60)
            self.imported(scores + (model == "b"), labels, model=model)
        (self.folder / "model.onnx").write_bytes(b"\x08\x07no model")
        (self.folder / "votes.csv").write_text("image,annotator,labels\n1,a,cat\n1,b,dog\n")
        photos(self.folder / "val", 4, 2, lambda i: (8, 8), {})

    def messages(self, command, options):
        try:
            CALLS[command](self.folder, options)
        except (assay.Error, MemoryError) as error:
            return [str(error), *getattr(error, "notes", [])]
        return []

    def test_of_a_wrong_value_for_each_keyword(self):
        refused = 0
        of_predict = _command_options.PredictOptions.__annotations__
        for command in CALLS:
            keywords = _command_options.COMMANDS[command].__annotations__
            known = {name.replace("_", "-") for name in keywords} | ARGUMENTS
            for name, kind in keywords.items():
                if command in ("attack", "check", "eval", "cost") and name in of_predict:
                    continue  # the same options
                value = True if kind.__forward_arg__ == "Flag" else "?"
                texts = self.messages(command, {name: value})
                refused += bool(texts)
                for text in texts:
                    self.assertEqual(options_named(text) & known, set(), f"{command}, {name}={value!r}: {text}")
        self.assertGreater(refused, 150)

    def test_by_hand(self):
        for command, options, text in (
            ("predict", {"limit": "many"}, "limit="), ("predict", {"sample_seed": 3}, "limit=N"), ("predict", {"severities": "1"}, "corrupt="),
            ("eval", {"bins": 5, "metrics": "top1"}, "bins= only applies to"), ("attack", {"norm": "l3"}, "norm="),
            ("calibrate", {"split": 0.2, "fit": "x"}, "fit="), ("audit", {"label_column": "x"}, "labels="),
        ):
            found = self.messages(command, options)
            self.assertTrue(any(text in one for one in found), f"{command} {options}: {found}")

    def test_of_words_that_the_caller_wrote(self):
        with self.assertRaises(assay.Error) as caught:
            assay.run("predict", "--limit", "many", "--model", "m", "--data", "d", "--out", "o")
        self.assertIn("--limit", str(caught.exception))
        texts = self.messages("labels aggregate", {"threshold": "?"})
        self.assertTrue(any("threshold=" in text for text in texts), texts)

    def test_of_the_library(self):
        scores, labels = made(60)
        for call in (
            lambda o: assay.score(scores, labels, **o), lambda o: assay.compare(scores, scores, labels, **o), lambda o: assay.Metrics(**o),
            lambda o: assay.gap(self.folder / "runs/data", self.folder / "runs/data", **o),
        ):
            for options in (
                {"metrics": "top1", "bins": 3}, {"metrics": "top1", "k": 3}, {"metrics": "top1", "seed": 3}, {"null": 5, "cluster": "x"},
                {"label_votes": True}, {"hierarchy": "nowhere"}, {"gates": ["top1 >"]}, {"class_map": "nothing"}, {"by": ["x"]}, {"weights": "x"},
                {"n1": 3}, {"families": ["?"]}, {"thresholds": ["a=3"]}, {"subgroups": "?"}, {"bootstrap": -1}, {"threads": -1},
            ):
                with self.subTest(options=options):
                    try:
                        call(options)
                    except assay.Error as error:
                        for text in (str(error), *error.notes):
                            self.assertEqual(options_named(text), set(), text)
                    except TypeError:
                        pass


if __name__ == "__main__":
    unittest.main()
