"""What mypy finds in lines that use the package: unknown names and keywords are errors, and lines of the documentation are none."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

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
metrics = assay.Metrics("top1", num_classes=3)
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
}


class Types(unittest.TestCase):
    def test_mypy_finds_unknown_names_and_keywords(self):
        if subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True).returncode != 0:
            self.skipTest("SKIPPED: mypy is not here")
        # What mypy knows of NumPy takes most of its time.
        cache = pathlib.Path(os.environ["ASSAY_LIBRARY"]).resolve().parent.parent / "mypy_cache_lines"
        lines = ["import assay", *GOOD, *BAD]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "lines.py"
            file.write_text("\n".join(lines) + "\n")
            done = subprocess.run(
                [sys.executable, "-W", "ignore", "-m", "mypy", "--config-file=", "--enable-incomplete-feature=Unpack", "--follow-imports=silent",
                 "--ignore-missing-imports", "--cache-dir", cache, file],
                cwd=folder, env={**os.environ, "MYPYPATH": str(ROOT / "python")}, capture_output=True, text=True,
            )
        found = {}
        for text in done.stdout.splitlines():
            place, _, message = text.partition(": error: ")
            if message:
                found.setdefault(lines[int(place.rsplit(":", 1)[1]) - 1], []).append(message)
        for line in GOOD:
            self.assertNotIn(line, found, done.stdout)
        for line, code in BAD.items():
            self.assertTrue(any(f"[{code}]" in message for message in found.get(line, [])), f"{line}\n{done.stdout}{done.stderr}")


if __name__ == "__main__":
    unittest.main()
