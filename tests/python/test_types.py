"""Checks lines that use the package with mypy --strict and pyright. Unknown names and keywords are errors, and lines of the
documentation have no errors."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import assay
import command_options

ROOT = pathlib.Path(__file__).resolve().parents[2]

GOOD = """
report = assay.score([[0.1, 0.9], [0.8, 0.2]], [1, 1], "top1,ece", bins=10, reliability=True, threads=2)
value: float = report["top1"]
interval = report["top1"].interval
names = [f"{name}: {number:.3f}" for name, number in report.items()]
enough: bool = report["accuracy"] > 0.5
logged: "dict[str, float]" = report.to_dict_of_values()
values = dict(report)
matrix = report.confusion_matrix(normalize="true")
recall = report.per_class()["recall"]
by_group: float = report.by_group("top1")["indoor"]
assay.score(y_true=[0, 1], y_pred=[0, 1]), assay.score(preds=[0, 1], target=[0, 1]), assay.score(labels=[0, 1], pred_probs=[0.1, 0.9])
assay.score({"a": [[0.1, 0.9]], "b": [[0.8, 0.2]]}, [1], groups=["x"], ignore_index=-100, num_classes=2)
assay.score([[0.1, 0.9]], [1], sample_weight=[1.0]), assay.compare([[0.1, 0.9]], [[0.8, 0.2]], labels=[1], sample_weight=[1.0])
difference: float = assay.compare([[0.1, 0.9]], [[0.8, 0.2]], labels=[1])["top1"]
computed: "dict[str, float]" = assay.compute_metrics("accuracy", threads=1)(None)
metrics = assay.Metrics("top1,ece", num_classes=3, bins=10)
metrics.update([[0.1, 0.9, 0.0]], [1], rows=[0])
report.plot("confusion_matrix", "pdf", top=10, width=85)
report.save_plot("a.svg", "scores", metric="top1")
assay.predict("timm:resnet18", "val", "runs", preset="timm", batch=64, mean=(0.5, 0.5, 0.5), part="3/8", offline=True, identity="a")
assay.predict(len, "val", "runs", weights=None, channels_last=True, storage="top_k", top_k=5, dry_run=False, limit=None)
page = assay.evaluate("m.onnx", "val", gate="low(top1) >= 0.75", save_settings=True, metrics="top1,ece").page
assay.attack("m.pt", "val", attack="autoattack", eps="4/255"), assay.certify("m.pt", "val", sigma=0.25), assay.check("m.pt", "val", sample=64)
assay.corrupt("val", "out", corruptions="blur", severities=[1, 3]), assay.cost("m.pt", input_size=224, no_latency=True)
assay.robustness("runs", "val"), assay.calibrate("runs/val/a", split=0.2, method="vector"), assay.ensemble(["a", "b"], of="logits", threads=2)
assay.gap("a", "b", runs="runs", families=["f"], bootstrap=200), assay.compare("a", "b", disagreements=5, gates=["diff(top1) > 0"])
assay.mad.Competition.init("folder", ["a", "b"], seed=1).rank(bootstraps=100), assay.mad.Competition("folder").select()
assay.quality.run({"v1": len}, {"val": "v", "sketch": "s"}, "runs", attack_limit=100, preset="timm", threads=2, own_class_sketch=True, weights=None)
assay.quality.run("assay.toml", plan=True, no_check=True), assay.quality.run("timm:resnet*", "v", draw_models=3, mean=(0.5, 0.5, 0.5))
assay.annotation.aggregate("votes.csv"), assay.quality.measure("runs", val="v1"), assay.quality.choose(None), assay.patchml.compose("a", "b", "c")
assay.replicate.adjust("a", "b"), assay.replicate.match("a", "b")
between: float = assay.compare(methods={"old": "runs/val/old-*", "new": ["a", assay.Store("b")], "other": {1: "c"}}, within=0.005)["new"]
columns: "dict[str, object]" = assay.Store("runs/val/a").columns(top=3, scores=True)
text: str = assay.run("verify", "runs").output
with assay.StoreWriter("runs", dataset="val", model="a", ids=["x"], labels=[1], num_classes=2) as writer:
    writer.write(0, [[0.1, 0.9]])
number: float = report["top1"].interval.low if report["top1"].interval else 0.0
""".strip().splitlines()

BAD = {
    "assay.nope": "attr-defined",
    "assay.scores([[0.1, 0.9]], [1])": "attr-defined",
    "assay.score([[0.1, 0.9]], [1], bims=3)": "call-arg",
    "assay.score([[0.1, 0.9]], [1], bins='many')": "arg-type",
    "assay.score([[0.1, 0.9]], [1], sample_weights=[1.0])": "call-arg",
    "assay.score([[0.1, 0.9]], [1]).top1": "attr-defined",
    "assay.score([[0.1, 0.9]], [1])['top1'].intervall": "attr-defined",
    "assay.score([[0.1, 0.9]], [1])[1]": "index",
    "assay.score([[0.1, 0.9]], [1]).confusion_matrix(normalise='true')": "call-arg",
    "assay.compute_metrics('accuracy', tread=1)": "call-arg",
    "assay.Store.of([[0.1, 0.9]], [1], label=[1])": "call-arg",
    "assay.Metrics('top1', bin=3)": "call-arg",
    "assay.Metrics('top1').updat([[0.1, 0.9]], [1])": "attr-defined",
    "assay.predict('m.pt', 'val', 'runs', batch_sise=3)": "call-arg",
    "assay.predict('m.pt', 'val', 'runs', dry_run='yes')": "arg-type",
    "assay.predict('m.pt', 'val')": "call-arg",
    "assay.evaluate('m.pt', 'val', metric='top1', save_setting=True)": "call-arg",
    "assay.evaluate('m.pt', 'val').pages": "attr-defined",
    "assay.attack('m.pt', 'val', epsilon=0.1)": "call-arg",
    "assay.check('m.pt', 'val', samples=3)": "call-arg",
    "assay.corrupt('val', severity=3)": "call-arg",
    "assay.cost('m.pt', latency=False)": "call-arg",
    "assay.robustness('runs', clean_set='val')": "call-arg",
    "assay.calibrate('runs', fraction=0.2)": "call-arg",
    "assay.ensemble(['a', 'b'], mean_of='logits')": "call-arg",
    "assay.compare('a', 'b', bootstraps=3)": "call-overload",
    "assay.compare(methods={'a': 'x', 'b': 'y'}, bins=3)": "call-overload",
    "assay.compare(methods={'a': 'x', 'b': 'y'})['b'].intervals": "attr-defined",
    "assay.compare('a', 'b').difference": "attr-defined",
    "assay.gap('a', 'b', family=['f'])": "call-arg",
    "assay.mad.Competition('f').rank(bootstrap=3)": "call-arg",
    "assay.mad.Competitions('f')": "attr-defined",
    "assay.annotation.aggregate('votes.csv', method_='mean')": "call-arg",
    "assay.quality.measure('runs', vall='v1')": "call-arg",
    "assay.quality.run('m.pt', 'val', atack_limit=3)": "call-arg",
    "assay.quality.run('m.pt', 'val', no_trial='yes')": "arg-type",
    "assay.replicate.adjust('a', 'b', bin_s=3)": "call-arg",
    "assay.patchml.compose('a', 'b', 'c', sizes=3)": "call-arg",
    "assay.Store('a').columns(tops=3)": "call-arg",
    "assay.StoreWriter('runs', dataset='val', model='a', id=['x'])": "call-arg",
    "assay.score([[0.1, 0.9]], [1]).plot('scores', widht=3)": "call-arg",
    "assay.score([[0.1, 0.9]], [1]).save_plot('a.svg', 'scores', dark=3)": "arg-type",
    "assay.run('verify', 'runs').outputs": "attr-defined",
}


class Types(unittest.TestCase):
    def found_by(self, tool, arguments, read):
        """The findings of a type checker as {line: messages}."""
        if subprocess.run([sys.executable, "-m", tool, "--version"], capture_output=True).returncode != 0:
            self.skipTest(f"SKIPPED: {sys.executable} has no {tool}")
        lines = ["import assay", *(f"known_{name} = assay.{name}" for name in assay.__all__), *GOOD, *BAD]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "lines.py"
            file.write_text("\n".join(lines) + "\n")
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-m", tool, *arguments, file], cwd=folder,
                env={**os.environ, "MYPYPATH": str(ROOT / "python"), "PYTHONPATH": str(ROOT / "python")}, capture_output=True, text=True,
            )
        found = {}
        for number, message in read(done.stdout):
            found.setdefault(lines[number - 1], []).append(message)
        self.assertEqual({line: found[line] for line in lines if line in found and line not in BAD}, {}, done.stderr)
        self.assertEqual([line for line in BAD if line not in found], [], done.stderr)
        return found

    def test_mypy_finds_unknown_names_and_keywords(self):
        # mypy spends most of its time on NumPy's types, so they are cached.
        cache = pathlib.Path(os.environ["ASSAY_LIBRARY"]).resolve().parent.parent / "mypy_cache_lines"

        def read(output):
            for text in output.splitlines():
                place, _, message = text.partition(": error: ")
                if message:
                    yield int(place.rsplit(":", 1)[1]), message

        found = self.found_by("mypy", [
            "--strict", "--config-file=", "--enable-incomplete-feature=Unpack", "--follow-imports=silent", "--ignore-missing-imports",
            "--cache-dir", cache], read)
        for line, code in BAD.items():
            self.assertTrue(any(f"[{code}]" in message for message in found[line]), f"{line}: {found[line]}")

    def test_pyright_finds_unknown_names_and_keywords(self):
        def read(output):
            for one in json.loads(output)["generalDiagnostics"]:
                if one["severity"] == "error":
                    yield one["range"]["start"]["line"] + 1, one["message"]

        self.found_by("pyright", ["--outputjson", "--pythonpath", sys.executable], read)


class Keywords(unittest.TestCase):
    """The types list the same options as the program and the library."""

    def test_options_of_commands(self):
        text = command_options.text(os.environ["ASSAY_PROGRAM"])
        if os.environ.get("ASSAY_WRITE"):
            command_options.FILE.write_text(text)
        self.assertEqual(command_options.FILE.read_text(), text, "ASSAY_WRITE=1 writes the file")

    def test_options_of_quality_run(self):
        from assay import _command_options, _keywords, _objects, _quality_run

        keys = {*_quality_run.RUN, *_quality_run.QUALITY, *_quality_run.MODEL, *_quality_run.DRAW, *_objects.KEYS}
        self.assertEqual(set(_keywords.QualityRunKeywords.__annotations__), keys | set(_command_options.QualityRunOptions.__annotations__))

    def test_the_library_knows_each_keyword(self):
        from assay import _keywords, _options

        scores, other = [[1.0, 0.0]], [[0.0, 1.0]]
        calls = (
            (_keywords.CompareKeywords, lambda given: assay.compare(scores, other, labels=[0], **given)),
            (_keywords.GapKeywords, lambda given: assay.gap("a", "b", **given)),
            (_keywords.MeasureKeywords, lambda given: assay.Metrics("top1", **given)),
            (_options.ScoreOptions, lambda given: assay.score(scores, [0], **given)),
            (_keywords.PlotKeywords, lambda given: assay.score(scores, [0], "top1").plot("scores", **given)),
        )
        for kind, call in calls:
            for name in kind.__annotations__:
                try:
                    call({name: "?"})
                except assay.Error as error:
                    self.assertNotIn("unknown key", str(error), f"{kind.__name__}.{name}")
        with self.assertRaisesRegex(assay.Error, "unknown key"):
            calls[0][1]({"nothing": "?"})


if __name__ == "__main__":
    unittest.main()
