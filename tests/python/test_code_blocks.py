"""Runs the Python blocks of README.md and docs/, each in its own folder, with random scores.

Functions that run models are replaced by ones that check a call against the real parameters and options. Packages that a block uses
beside Assay are replaced, too. tests/python/test_coming_from.py runs the pages coming-from-*.md, and tests/docs/tutorials.py the
tutorials.
"""
import contextlib
import io
import inspect
import json
import os
import pathlib
import re
import sys
import tempfile
import types
import unittest
from unittest import mock

import numpy as np

import assay
from assay import _keywords
from common import InFolder, command, made

ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
ROWS, CLASSES = 600, 7


class Tensor(np.ndarray):
    """An array with the tensor methods that the blocks call."""

    def cpu(self):
        return self


def tensor(values):
    return np.asarray(values, np.float32).view(Tensor)


def scores_of(images, classes=CLASSES):
    """The output of a network for a batch of images, which are item numbers here."""
    return tensor(made(ROWS, classes)[0][np.asarray(images)])


def checked(function, keywords, result):
    """A function that only checks its arguments against the parameters of `function` and the options of `keywords`."""
    signature = inspect.signature(function)
    rest = next((name for name, of in signature.parameters.items() if of.kind is of.VAR_KEYWORD), None)

    def call(*given, **options):
        more = signature.bind(*given, **options).arguments.get(rest, {})
        unknown = sorted(set(more) - set(keywords.__annotations__ if keywords else {}))
        if unknown:
            raise TypeError(f"{function.__name__}() has no option {', '.join(unknown)}")
        return result

    return call


class StoredPath(type(pathlib.Path())):
    """A path with the attribute of a store."""

    @property
    def path(self):
        return self


class CodeBlocks(InFolder):
    def enter(self, folder):
        before = os.getcwd()
        os.chdir(folder)
        self.addCleanup(os.chdir, before)

    def models(self, stack):
        """Replaces the functions that run models."""
        report = assay.score(*made(ROWS))
        evaluation = mock.MagicMock(wraps=report, page=pathlib.Path("runs/report.html"))
        evaluation.__getitem__.side_effect = lambda key: [] if key == "doubted_labels" else report[key]
        store = StoredPath(self.folder / "runs" / "val" / "a")
        for of, name, keywords, result in (
            (assay, "evaluate", _keywords.EvaluateKeywords, evaluation), (assay, "predict", _keywords.PredictKeywords, [store]),
            (assay, "attack", _keywords.AttackKeywords, {}), (assay, "certify", _keywords.CertifyKeywords, {}),
            (assay.quality, "run", None, {}), (assay.quality, "table", None, None),
        ):
            function = getattr(of, name)
            if keywords is None:  # the function itself checks its options
                replaced = mock.create_autospec(function, return_value=result)
            else:
                replaced = checked(function, keywords, result)
            stack.enter_context(mock.patch.object(of, name, replaced))
        stack.enter_context(mock.patch.object(assay, "run", checked(assay.run, None, None)))

    def packages(self, stack, block):
        """Replaces packages that a block imports."""
        if "torch.distributed" in block:
            torch = mock.MagicMock()
            torch.distributed.get_rank.return_value, torch.distributed.get_world_size.return_value = 0, 1
            stack.enter_context(mock.patch.dict(sys.modules, {"torch": torch, "torch.distributed": torch.distributed}))
            stack.enter_context(mock.patch.dict(os.environ, {"LOCAL_RANK": "0"}))
        names = ("timm", "torchvision", "torchvision.models")
        stack.enter_context(mock.patch.dict(sys.modules, {name: mock.MagicMock() for name in names}))
        for name in ("to_pandas", "to_polars"):
            with contextlib.suppress(ImportError):
                __import__(name[3:])
                continue
            stack.enter_context(mock.patch.object(assay.Report, name, create=True))

    def names(self):
        """The names that the blocks of a page use without a definition."""
        logits, labels = made(ROWS)
        other, _ = made(ROWS, seed=4)
        wide = made(ROWS, 1000)[1] % 1000
        return {
            "assay": assay, "json": json, "logits": logits, "labels": labels, "old_logits": logits, "new_logits": other, "old": logits, "new": other,
            "logits_a": logits, "logits_b": other, "scores": np.stack([logits, other], axis=1), "net": scores_of, "images": np.arange(ROWS),
            "data": np.arange(ROWS), "dataset": mock.MagicMock(), "rank": 0, "world_size": 1,
            "loader": [(np.arange(ROWS), labels)], "DataLoader": lambda of, batch_size: [(of[begin:begin + batch_size], labels[of[begin:begin + batch_size]])
                                                                                        for begin in range(0, len(of), batch_size)],
            "Subset": lambda of, rows: of[np.asarray(rows)], "W": np.zeros((12, CLASSES), np.float32),
            "paths": [f"{i}.jpg" for i in range(ROWS)], "wide_labels": wide,
            "torch": types.SimpleNamespace(tensor=tensor, utils=mock.MagicMock()), "onnxruntime": mock.MagicMock(), "jax": mock.MagicMock(),
            "mlflow": mock.MagicMock(), "run": mock.MagicMock(), "pandas": mock.MagicMock(), "self": mock.MagicMock(), "Trainer": mock.MagicMock(),
            "client": mock.MagicMock(gather=lambda futures: ["runs/val/a"]), "ray_parts": mock.MagicMock(),
            "sc": mock.MagicMock(**{"parallelize.return_value.map.return_value.collect.return_value": ["runs/val/a"] * 32}),
        }

    def prepare(self, block, names):
        """Makes the files that a block reads."""
        logits, labels = made(ROWS)
        if "runs/val/" in block or "store, = " in block or "(store,) = " in block:
            for model, seed in (("resnet50", 1), ("a", 2), ("b", 3), ("v1", 4), ("v2", 5)):
                self.imported(made(ROWS, seed=seed)[0], labels, "runs", model, "val", "--kind", "logits")
        if "methods=" in block:
            for seed in (1, 2, 3, 4):
                name = f"{'old' if seed % 2 else 'new'}-seed{(seed + 1) // 2}"
                self.imported(made(ROWS, seed=seed)[0], labels, "runs", name, "val", "--kind", "logits")
        if 'open("layer.json")' in block:
            store = self.imported(logits, labels, "fitted", "model", "val", "--kind", "logits")
            assay.calibrate(store, split=0.2, layer="layer.json")
        if "scores.jsonl" in block:
            store = self.imported(logits, labels, "logged", "model", "val", "--kind", "logits")
            command("score", store, "--log", "scores.jsonl", "--log-step", "3")
        if "rows=rows" in block:
            names["metrics"] = assay.Metrics("top1")
        if "StoreWriter" in block:
            (self.folder / "resnet50.pth").write_bytes(b"weights")
            names.update(net=lambda images: scores_of(images, 1000), labels=names["wide_labels"])

    def run_page(self, page, least):
        blocks = BLOCK.findall((ROOT / page).read_text())
        self.assertGreaterEqual(len(blocks), least)
        names = self.names()
        for number, block in enumerate(blocks, 1):
            with self.subTest(page=page, block=number), tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
                self.folder = pathlib.Path(folder)
                self.enter(folder)
                names.update(self.names())  # restores the predefined names, because an earlier block may have assigned to one
                self.prepare(block, names)
                self.models(stack)
                self.packages(stack, block)
                stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
                stack.enter_context(contextlib.redirect_stderr(io.StringIO()))
                try:
                    exec(compile(block, f"{page}, block {number}", "exec"), names)
                finally:
                    os.chdir(ROOT)
        return names

    def test_the_readme(self):
        self.run_page("README.md", 1)

    def test_python(self):
        names = self.run_page("docs/python.md", 12)
        self.assertEqual(names["report"]["top1"].n, (made(ROWS)[1] >= 0).sum())

    def test_calibration(self):
        names = self.run_page("docs/calibration.md", 3)
        self.assertEqual(names["logits"].shape, (ROWS, CLASSES))

    def test_plugins(self):
        names = self.run_page("docs/plugins.md", 1)
        np.testing.assert_allclose(names["margin"](np.array([[0.7, 0.2, 0.1], [0.3, 0.2, 0.5]]), np.array([0, 1])), [0.5, -0.3])

    def test_formats(self):
        names = self.run_page("docs/formats.md", 1)
        self.assertEqual((names["scores"].shape, names["bad"], len(names["ids"])), ((ROWS, CLASSES), [], ROWS))

    def test_tools(self):
        self.assertIn("data/model/top1", " ".join(self.run_page("docs/tools.md", 1)["values"]).replace("val/", "data/"))

    def test_recipes_clusters_and_quality(self):
        for page in ("docs/recipes.md", "docs/clusters.md", "docs/quality.md"):
            self.run_page(page, 1)

    def test_no_page_is_forgotten(self):
        """Every page with a Python block is run here or by test_coming_from."""
        here = set(re.findall(r'"((?:docs/)?\w+\.md)"', pathlib.Path(__file__).read_text()))
        pages = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
        with_blocks = {path.relative_to(ROOT).as_posix() for path in pages if BLOCK.search(path.read_text())}
        self.assertEqual({page for page in with_blocks - here if not page.startswith("docs/coming-from-")}, set())

    def test_the_example_in_c_is_as_the_file_that_is_compiled(self):
        """The block in docs/c.md and the file have the same arrays, options and calls. The file also handles errors."""
        block, = re.findall(r"^```c\n(.*?)^```$", (ROOT / "docs/c.md").read_text(), re.MULTILINE | re.DOTALL)
        example = (ROOT / "tests/c/example.c").read_text()
        calls = re.findall(r"(assay_\w+\(.*)\);", block)
        self.assertEqual(len(calls), 3)
        for text in re.findall(r"const assay_array .*", block) + [call.replace('"json"', '"text"') for call in calls]:
            self.assertIn(text, example)

    def test_toml_can_be_read(self):
        # older versions of Python have no TOML reader
        tomllib = __import__("tomllib" if sys.version_info >= (3, 11) else "unittest")
        blocks = [text for path in (ROOT / "docs").glob("*.md") for text in re.findall(r"^```toml\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)]
        self.assertGreaterEqual(len(blocks), 5)
        for text in blocks if hasattr(tomllib, "loads") else []:
            self.assertTrue(tomllib.loads(text), text)

    def test_a_wrong_option_is_found(self):
        call = checked(assay.predict, _keywords.PredictKeywords, None)
        call("m.pt", "val", "runs", preset="torchvision")
        with self.assertRaisesRegex(TypeError, "no option prest"):
            call("m.pt", "val", "runs", prest="torchvision")
        with self.assertRaises(TypeError):
            call("m.pt")


if __name__ == "__main__":
    unittest.main()
