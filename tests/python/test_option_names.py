"""Errors of functions name their keywords, not the options of the command behind them."""
import os
import pathlib
import re
import unittest

import numpy as np

import assay
from assay import _command_options
from assay._option_names import in_python, keywords_of
from common import InFolder, made, photos

CALLS = {
    "predict": lambda f, o: assay.predict(f / "model.onnx", f / "val", f / "out", **o),
    "attack": lambda f, o: assay.attack(f / "model.onnx", f / "val", f / "out", **o),
    "certify": lambda f, o: assay.certify(f / "model.onnx", f / "val", f / "out", **o),
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
    "patchml": lambda f, o: assay.patchml.compose(f / "val", f / "boxes", f / "composites", **o),
    "replicate adjust": lambda f, o: assay.replicate.adjust(f / "votes.csv", f / "votes.csv", **o),
    "replicate match": lambda f, o: assay.replicate.match(f / "votes.csv", f / "votes.csv", **o),
    "quality measure": lambda f, o: assay.quality.measure(f / "runs", **o),
    "quality correlate": lambda f, o: assay.quality.correlate(**o),
    "quality choose": lambda f, o: assay.quality.choose(**o),
    "quality run": lambda f, o: assay.quality.run(f / "assay.toml", **o),
    "mad init": lambda f, o: assay.mad.Competition.init(f / "mad", [f / "runs/data/a", f / "runs/data/b"], **o),
    "mad select": lambda f, o: assay.mad.Competition(f / "begun").select(**o),
    "mad questions": lambda f, o: assay.mad.Competition(f / "begun").questions(**o),
    "mad answers": lambda f, o: assay.mad.Competition(f / "begun").answers(f / "votes.csv", **o),
    "mad rank": lambda f, o: assay.mad.Competition(f / "begun").rank(**o),
    "mad status": lambda f, o: assay.mad.Competition(f / "begun").status(**o),
    "mad add": lambda f, o: assay.mad.Competition(f / "begun").add(f / "runs/data/b", **o),
}
# Keywords that take any text: the name of a file to write, or a reason.
ANY_TEXT = {
    "corrupt": {"sheet"}, "audit": {"questions", "labels"}, "labels propose": {"questions"},
    "labels aggregate": {"classes", "label_sets", "posteriors", "annotator_quality"}, "mad select": {"reason"}, "mad add": {"reason"},
}


def options_named(text):
    """The options in a message, without the commands to type in it."""
    plain = re.sub(r"`[^`]*`", "", text)
    return set(re.findall(r"(?<![\w-])--([a-z][a-z-]*)", re.sub(r"\bassay [a-z]+ [^;]*", "", plain)))

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src"
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|//[^\n]*|' + r"'(?:[^'\\\n]|\\.)'")
# Words that go on with the sentence after the name of an option. A new word is either added here, or to the values in _option_names.py.
GO_ON = set("""
    above act acts also alone and are by cannot compares compiles correct counts decides describes does draws even excludes function given gives has
    have includes is later leaves lists looks made maps measures name names need needs of only or out prints reads runs says shows skips takes times
    to tries uses with writes
""".split())


def literals(text):
    """The string literals of a C++ file; adjacent ones are one."""
    found, end = [], None
    for literal in LITERAL.finditer(text):
        if literal[1] is None:
            continue
        if end is not None and not text[end : literal.start()].strip():
            found[-1] += literal[1]
        else:
            found.append(literal[1])
        end = literal.end()
    return [one.replace('\\"', '"').replace("\\n", "\n").replace("\\\\", "\\") for one in found]


def without_commands(text):
    return re.sub(r"`[^`]*`|\bassay [a-z]+\b.*", "``", text)


class Words(unittest.TestCase):
    def test_of_options_and_values(self):
        for text, python in (
            ("pass --layout flat.", 'pass layout="flat".'), ("--layout is for folders", "layout= is for folders"),
            ("Pass --outputs logits, or --method temperature", 'Pass outputs="logits", or method="temperature"'),
            ("pass --step eps/30 (--eps 4/255)", 'pass step="eps/30" (eps="4/255")'), ("--alpha 1e-05; --level .9", "alpha=1e-05; level=.9"),
            ('--gate "top1 > 0.5"', 'gates="top1 > 0.5"'), ("--kind percent --force", 'kind="percent"'), ("--metrics top1,nll.", 'metrics="top1,nll".'),
            ("--list FILE and --by `place`", 'list=FILE and by="place"'), ("--split train: x has none", 'split="train": x has none'),
            ("--split train is for files", 'split="train" is for files'), ("--split or --seed: x", "split= or seed=: x"),
            ("--where is `a`; allowed: b", "where= is `a`; allowed: b"), ("--per-class only", "per_class=True only"),
            ("--kind logits, probabilities or --limit 3", 'kind="logits", "probabilities" or limit=3'),
            ("--interpolation bilinear, or see assay list --json", 'interpolation="bilinear", or see assay list --json'),
            ("pass --list, or assay predict --limit 3", "pass list=, or assay predict --limit 3"),
        ):
            self.assertEqual(in_python(text), python)

    def test_of_commands_in_several_lines(self):
        command = "assay predict --model M --crop-mode none --out runs"
        for text in (f"x --crop-mode none\n  {command}\ny --limit 3", f"x --crop-mode none\n  {command} \\\n    --limit 4\ny --limit 3"):
            expected = text.replace("x --crop-mode none", 'x crop_mode="none"').replace("y --limit 3", "y limit=3")
            self.assertEqual(in_python(text, keywords_of("predict")), expected)
            self.assertEqual(in_python(text), expected)

    def test_of_all_texts_of_the_sources(self):
        if not SOURCES.is_dir():
            self.skipTest(f"SKIPPED: {SOURCES} is not here, so its messages are not read")
        named = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]* \w")
        read = (one for file in SOURCES.rglob("*.cpp") for one in literals(file.read_text()))
        texts = {re.sub(r"\{[^{}]*\}", "7", one) for one in read if named.search(one)}
        self.assertGreater(len(texts), 300)
        for text in sorted(texts):
            for words in re.finditer(r"(?<!\w)([a-z]\w*=) (\w[\w/.,:=-]*)", without_commands(in_python(text))):
                if not words[2].endswith("="):  # the next keyword
                    self.assertIn(words[2].rstrip(".,:"), GO_ON, f"{words[0]!r} in {text!r}")


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
        (self.folder / "assay.toml").write_text('[quality]\nmodels = ["model.onnx"]\nval = "val"\n')
        (self.folder / "votes.csv").write_text("image,annotator,labels\n1,a,cat\n1,b,dog\n")
        photos(self.folder / "val", 4, 2, lambda i: (8, 8), {})

    def messages(self, command, options):
        try:
            CALLS[command](self.folder, options)
        except (assay.Error, MemoryError) as error:
            return [str(error), *getattr(error, "notes", [])]
        return []

    def test_every_command_with_options_is_called(self):
        self.assertEqual(set(CALLS), set(_command_options.COMMANDS))

    def test_of_a_wrong_value_for_each_keyword(self):
        """Messages name no option of any command, except in a command to type. Every keyword but flags and texts is refused."""
        assay.mad.Competition.init(self.folder / "begun", [self.folder / "runs/data/a", self.folder / "runs/data/b"], distance="zero-one")
        of_predict = _command_options.PredictOptions.__annotations__
        given = refused = 0
        for command in CALLS:
            for name, kind in _command_options.COMMANDS[command].__annotations__.items():
                if command in ("attack", "certify", "check", "eval", "cost") and name in of_predict:
                    continue  # the same options
                flag = kind.__forward_arg__ == "Flag"
                value = True if flag else "?"
                texts = self.messages(command, {name: value})
                given += 1
                refused += bool(texts)
                if not flag:
                    self.assertEqual(not texts, name in ANY_TEXT.get(command, ()), f"{command}, {name}={value!r}: {texts}")
                for text in texts:
                    self.assertEqual(options_named(text), set(), f"{command}, {name}={value!r}: {text}")
        print(f"{refused} of {given} keywords of {len(CALLS)} commands are refused, and no message names an option")

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
