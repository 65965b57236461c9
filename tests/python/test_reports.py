"""Reports as mappings, numbers as floats, classes and confusions as arrays, and the loggers that take them."""
import copy
import gc
import importlib.util
import json
import math
import pickle
import unittest
import weakref
from collections.abc import Mapping

import numpy as np

import assay
from common import CLASSES, InFolder, command, made


class Numbers(unittest.TestCase):
    def setUp(self):
        self.scores, self.labels = made(300)
        self.report = assay.score(self.scores, self.labels, "top1,nll")
        known = self.labels >= 0
        self.accuracy = (self.scores.argmax(1) == self.labels)[known].mean()

    def test_is_a_float_that_knows_its_interval(self):
        top1 = self.report["top1"]
        self.assertIsInstance(top1, float)
        self.assertEqual(top1, self.accuracy)
        self.assertEqual(f"{top1:.4f}", f"{self.accuracy:.4f}")
        self.assertEqual(f"{top1}", str(top1))
        low, high = (f"{100 * end:.1f}" for end in top1.interval[:2])
        # the two sides of the interval differ, so no ± is printed
        self.assertEqual(str(top1), f"{100 * top1:.1f} ({low} – {high}) %")
        nll = self.report["nll"]
        self.assertEqual(str(nll), f"{nll:.3f} ±{nll.interval.high - nll:.3f}")
        self.assertTrue(0.1 < top1 < 1 and math.isclose(top1, self.accuracy))
        self.assertEqual(round(top1, 2), round(self.accuracy, 2))
        self.assertEqual(json.loads(json.dumps({"top1": top1})), {"top1": self.accuracy})
        self.assertEqual(np.asarray([top1, top1]).tolist(), [self.accuracy] * 2)
        self.assertEqual(max(top1, 0.0), self.accuracy)
        for other in (copy.copy(top1), copy.deepcopy(top1), pickle.loads(pickle.dumps(top1))):
            self.assertEqual((other, other.interval, other.metric, repr(other)), (top1, top1.interval, "top1", repr(top1)))

    def test_undefined_is_nan(self):
        report = assay.score(self.scores, self.labels, "shape_bias")
        found = report["shape_bias"]
        self.assertTrue(math.isnan(found))
        self.assertIsNone(found.value)
        self.assertFalse(found > 0 or found < 1)
        self.assertTrue(str(found).startswith("undefined: "))
        self.assertTrue(math.isnan(pickle.loads(pickle.dumps(found))))
        self.assertEqual(report.to_dict_of_values(), {})

    def test_difference(self):
        comparison = assay.compare(self.scores, {"a": self.scores[:, ::-1].copy(), "b": self.scores}, labels=self.labels, metrics="top1,nll")
        self.assertEqual(list(comparison), [("a", "top1"), ("a", "nll"), ("b", "top1"), ("b", "nll")])
        found = comparison["a", "top1"]
        self.assertEqual(found, found.candidate - found.baseline)
        self.assertEqual(found, found.value)
        self.assertEqual(comparison["b", "nll"], 0)
        self.assertEqual(len(dict(comparison)), 4)
        other = pickle.loads(pickle.dumps(found))
        self.assertEqual((other, other.test, other.to_dict()), (found, "mcnemar.exact", found.to_dict()))
        self.assertIn("a/top1", repr(comparison))


class Reports(InFolder):
    def test_is_a_mapping(self):
        scores, labels = made(400)
        report = assay.score(scores, labels)
        self.assertIsInstance(report, Mapping)
        self.assertEqual(len(report), len(report.measurements))  # all keys differ
        self.assertEqual(list(report.values()), report.measurements)
        self.assertEqual(dict(report), {name: report[name] for name in report.keys()})
        self.assertEqual({**report}, dict(report.items()))
        self.assertEqual(report.get("accuracy"), report["top1"])
        self.assertIsNone(report.get("no_metric"))
        self.assertEqual((report["ace.top_label"], report["ace:variant=class_wise"]), (dict(report)["ace.top_label"], dict(report)["ace.class_wise"]))
        with self.assertRaisesRegex(KeyError, "2 ways: name one of ace.class_wise, ace.top_label"):
            report["ace"]
        with self.assertRaisesRegex(KeyError, "there are top1, "):
            report["a", "b", "c", "d"]
        self.assertIsNone(report.get(3))
        self.assertNotIn(3, report)
        self.assertIn(f"top1 {report['top1']}", repr(report))
        self.assertIn("and 7 more", repr(report))

    def test_is_a_key(self):
        scores, labels = made(100)
        one, two = assay.score(scores, labels, "top1"), assay.score(scores, labels, "top1")
        comparison = assay.compare(scores, scores, labels, "top1")
        self.assertEqual({one: 1, two: 2, comparison: 3}[two], 2)
        self.assertNotEqual(one, two)
        self.assertEqual(dict(one), dict(two))

    def test_holds_no_scores_that_it_does_not_need(self):
        def reported(**options):
            scores, labels = made(100)
            return weakref.ref(scores), assay.score(scores, labels, "top1", **options)

        held, report = reported()
        self.assertIsNotNone(held())
        matrix = report.confusion_matrix()
        gc.collect()
        self.assertIsNone(held())
        report.per_class(), report.plot("reliability")
        held, report = reported(per_class=True, confusions=True, reliability=True)
        gc.collect()
        self.assertIsNone(held())
        np.testing.assert_array_equal(report.confusion_matrix(), matrix)

    def test_parameters_name_what_differs(self):
        scores, labels = made(400)
        report = assay.score(scores, labels, "top1,ece,ece:bins=20,ece:norm=l2")
        self.assertEqual(list(report), ["top1", "ece:bins=15", "ece:bins=20", "ece.l2.left_closed"])
        self.assertEqual(report["ece:bins=20"], assay.score(scores, labels, "ece:bins=20")["ece"])
        self.assertEqual(report["ece:norm=l2"].parameters["norm"], "l2")

    def test_keys_of_several(self):
        scores, labels = made(200)
        for model in ("a", "b"):
            for data in ("v1", "v2"):
                self.imported(scores if model == "a" else -scores, labels, model=model, dataset=data)
        report = assay.score(self.folder / "runs", metrics="top1")
        self.assertEqual(list(report), [("v1", "a", "top1"), ("v1", "b", "top1"), ("v2", "a", "top1"), ("v2", "b", "top1")])
        self.assertEqual(report.to_dict_of_values()["v1/a/top1"], report["v1", "a", "accuracy"])
        with self.assertRaisesRegex(KeyError, "choose one"):
            report.confusion_matrix()
        matrix = report.confusion_matrix(model="a", dataset="v1")
        self.assertEqual(np.trace(matrix) / matrix.sum(), report["v1", "a", "top1"])
        memory = assay.score({"a": scores, "b": -scores}, labels, "top1", dataset="v1")
        stored = json.loads(command("score", self.folder / "runs/v1", "--metrics", "top1", "--json"))
        self.assertEqual(memory.to_dict()["measurements"], stored["measurements"])

    def test_confusion_matrix_and_classes(self):
        scores, labels = made(500)
        known = labels >= 0
        expected = np.zeros((CLASSES, CLASSES), np.int64)
        np.add.at(expected, (labels[known], scores.argmax(1)[known]), 1)
        report = assay.score(scores, labels, "top1,precision,f1")
        plain = report.to_json()
        np.testing.assert_array_equal(report.confusion_matrix(), expected)
        np.testing.assert_allclose(report.confusion_matrix(normalize="true").sum(1), 1)
        np.testing.assert_allclose(report.confusion_matrix(normalize="pred").sum(0), 1)
        self.assertAlmostEqual(report.confusion_matrix(normalize="all").sum(), 1)
        classes = report.per_class()
        self.assertAlmostEqual(classes["precision"].mean(), report["precision"])
        self.assertAlmostEqual(classes["f1"].mean(), report["f1"])
        self.assertEqual(classes["n"].tolist(), expected.sum(1).tolist())
        self.assertEqual(report.to_json(), plain)
        # A copy has the numbers in its JSON, and a store on disk has its scores.
        kept = assay.score(scores, labels, "top1", per_class=True, confusions=True)
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(kept)).confusion_matrix(), expected)
        np.testing.assert_array_equal(assay.score(self.imported(scores, labels), metrics="top1").confusion_matrix(), expected)
        self.refused(pickle.loads(pickle.dumps(report)).confusion_matrix, "usage", "per_class=True")
        self.refused(lambda: report.confusion_matrix(normalize="rows"), "usage", "'rows'", "'true', 'pred', 'all'")
        for recipe in ("confusion_matrix", "calibration_curve", "reliability"):
            self.assertIn(b"<svg", report.plot(recipe))
        self.assertEqual(report.plot("confusion_matrix"), kept.plot("confusion-matrix"))
        self.assertNotEqual(report.plot("confusion_matrix"), report.plot("confusions"))
        few = assay.score(scores, labels, "top1", per_class=True, confusions=1, reliability=True)
        self.assertEqual(few.plot("confusion_matrix"), kept.plot("confusion_matrix"))
        self.refused(lambda: pickle.loads(pickle.dumps(few)).plot("confusion_matrix"), "bad_input", "measure all confusions")
        self.refused(lambda: report.plot("nope"), "usage", "nope")

    def test_classes_without_items_or_predictions(self):
        # Class 1 is never predicted, class 2 has no item, and class 3 has neither.
        report = assay.score([0, 0, 2], [0, 1, 0], num_classes=4)
        found = report.per_class()
        np.testing.assert_array_equal(found["recall"], [0.5, 0, np.nan, np.nan])
        np.testing.assert_array_equal(found["precision"], [0.5, np.nan, 0, np.nan])
        np.testing.assert_array_equal(found["f1"], [0.5, 0, 0, np.nan])
        self.assertEqual(report.confusion_matrix(normalize="true")[3].tolist(), [0, 0, 0, 0])

    def test_scores_that_change_afterwards(self):
        scores, labels = made(200)
        report = assay.score(scores, labels)
        scores[:100] = -scores[:100]
        self.refused(report.confusion_matrix, "bad_input", "have changed")

    def test_groups(self):
        scores, labels = made(300)
        camera = np.array(["indoor" if i % 3 else "a=b" for i in range(300)])
        report = assay.score(scores, labels, "top1,nll", groups=camera)
        for group in ("indoor", "a=b"):
            of_group = (camera == group) & (labels >= 0)
            self.assertEqual(report.by_group("accuracy")[group], (scores.argmax(1) == labels)[of_group].mean())
        self.assertEqual(report["top1"], assay.score(scores, labels, "top1")["top1"])
        self.assertEqual(list(report), ["top1", "nll"])
        self.assertEqual(list(assay.score(scores, labels, "top1", groups=camera.tolist()).by_group("top1")), list(report.by_group("top1")))
        self.refused(lambda: assay.score(scores, labels, "top1", groups=camera[:-1]), "bad_input", "299")
        self.refused(lambda: assay.score(scores, labels, "top1").by_group("top1"), "usage", "groups=")
        with self.assertRaisesRegex(KeyError, "no 'ece'"):
            report.by_group("ece")

    def test_the_worst_group_and_clusters(self):
        scores, labels = made(300)
        camera = np.array(["left", "right", "rear"])[np.arange(300) % 3]
        report = assay.score(scores, labels, "top1", groups=camera, by="group", gates=["worst(top1) >= 0.99", "top1[group=left] >= 0"])
        worst = report["worst(top1)"]
        groups = report.to_dict()["stores"][0]["groups"][0]
        self.assertEqual([group["name"] for group in groups["groups"]], ["group=left", "group=rear", "group=right"])
        known = labels >= 0
        lowest = min((scores.argmax(1) == labels)[known & (camera == name)].mean() for name in ("left", "right", "rear"))
        self.assertAlmostEqual(groups["observed"], lowest)
        self.assertEqual(list(report.by_group("accuracy")), ["left", "rear", "right"])
        self.assertEqual(min(report.by_group("accuracy").values()), groups["observed"])
        self.assertTrue(worst.interval.low <= lowest <= worst <= worst.interval.high)
        self.assertEqual([gate["passed"] for gate in report.to_dict()["gates"]], [False, True])
        patients = np.arange(300) // 6
        independent, clusters = assay.score(scores, labels, "top1,nll"), assay.score(scores, labels, "top1,nll", groups=patients, cluster="group")
        self.assertEqual(dict(independent), dict(clusters))
        self.assertEqual(clusters["top1"].interval.method, "wilson.clusters")
        self.assertEqual(clusters["nll"].interval.method, "jackknife.clusters")
        self.refused(lambda: assay.score(scores, labels, "nll", groups=camera, by="group"), "usage", "add top1")
        self.refused(lambda: assay.score(scores, labels, "top1", groups=camera, by="grup"), "usage", "did you mean `group`")

    def test_trainer(self):
        class Prediction:
            predictions, label_ids = (np.zeros(3), np.array([[2.0, 1], [0, 3], [4, 0]])), np.array([0, 0, -100])

        self.assertEqual(assay.compute_metrics("accuracy,f1")(Prediction()), {"accuracy": 0.5, "f1": 1 / 3})
        self.assertEqual(list(assay.compute_metrics("ece:bins=20,norm=l2,top1")(Prediction())), ["ece:bins=20,norm=l2", "top1"])
        self.assertEqual(list(assay.compute_metrics("topk", k=(1, 2))(Prediction())), ["top1", "top2"])
        self.assertEqual(assay.score(Prediction(), metrics="top1")["top1"], 0.5)
        self.assertIn("top1", assay.compute_metrics()(Prediction()))
        Prediction.predictions = (np.zeros(3),)
        self.refused(lambda: assay.compute_metrics()(Prediction()), "usage", "none of the 1 outputs")
        if importlib.util.find_spec("transformers") is not None:
            from transformers import EvalPrediction

            given = EvalPrediction(predictions=np.array([[2.0, 1], [0, 3]]), label_ids=np.array([0, 0]))
            self.assertEqual(assay.compute_metrics("accuracy")(given), {"accuracy": 0.5})

    def test_transformers_trainer(self):
        if any(importlib.util.find_spec(name) is None for name in ("torch", "transformers", "accelerate")):
            self.skipTest("SKIPPED: torch, transformers or accelerate is not installed")
        import torch
        from transformers import Trainer, TrainingArguments

        class Net(torch.nn.Module):
            def forward(self, x=None, labels=None):
                return {"loss": torch.nn.functional.cross_entropy(x, labels), "logits": x}

        scores, labels = made(60)
        data = [{"x": torch.from_numpy(row), "labels": int(label) if label >= 0 else -100} for row, label in zip(scores, labels)]
        how = TrainingArguments(str(self.folder), report_to=[], use_cpu=True, disable_tqdm=True, label_names=["labels"])
        found = Trainer(Net(), how, eval_dataset=data, compute_metrics=assay.compute_metrics("accuracy,f1")).evaluate()
        report = assay.score(scores, labels, "accuracy,f1")
        self.assertEqual((found["eval_accuracy"], found["eval_f1"]), (report["accuracy"], report["f1"]))

    def test_lightning(self):
        if any(importlib.util.find_spec(name) is None for name in ("torch", "pytorch_lightning")):
            self.skipTest("SKIPPED: torch or pytorch_lightning is not installed")
        import pytorch_lightning
        import torch

        class Net(pytorch_lightning.LightningModule):
            def validation_step(self, batch, _number):
                self.log_dict(assay.score(*batch, "top1,nll"))

        scores, labels = made(60)
        data = torch.utils.data.TensorDataset(torch.from_numpy(scores), torch.from_numpy(labels))
        trainer = pytorch_lightning.Trainer(logger=False, enable_checkpointing=False, enable_progress_bar=False, accelerator="cpu")
        (found,) = trainer.validate(Net(), torch.utils.data.DataLoader(data, batch_size=60), verbose=False)
        for name, value in assay.score(scores, labels, "top1,nll").items():
            self.assertAlmostEqual(found[name], value, places=6)

    def test_differences_of_one_metric_in_two_ways(self):
        scores, labels = made(200)
        compared = assay.compare(scores, -scores, labels=labels, metrics="ece:bins=10,ece:bins=20,top1")
        self.assertEqual(list(compared), ["ece:bins=10", "ece:bins=20", "top1"])
        self.assertEqual(dict(compared)["ece:bins=20"].value, compared.differences[1].value)
        self.assertTrue("top1" in compared and "ece" not in compared and 0 not in compared)
        with self.assertRaisesRegex(KeyError, "name one of 'ece:bins=10', 'ece:bins=20'"):
            compared["ece"]
        self.assertIn(np.float32(compared["top1"].value), compared["top1"].interval)

    def test_tables(self):
        scores, labels = made(200)
        report = assay.score(scores, labels, "top1,nll")
        if importlib.util.find_spec("pandas") is not None:
            self.assertEqual(report.to_pandas().set_index("metric").loc["top1", "value"], report["top1"])
        if importlib.util.find_spec("polars") is not None:
            self.assertEqual(report.to_polars()["value"].to_list(), [report["top1"], report["nll"]])
        self.assertIn("tabular", report.to_latex())

    def test_mlflow(self):
        if importlib.util.find_spec("mlflow") is None:
            self.skipTest("SKIPPED: mlflow is not installed")
        import mlflow

        scores, labels = made(200)
        report = assay.score(scores, labels, "top1,nll")
        mlflow.set_tracking_uri(f"sqlite:///{self.folder}/runs.db") if importlib.util.find_spec("sqlalchemy") else mlflow.set_tracking_uri(
            (self.folder / "mlruns").as_uri())
        with mlflow.start_run() as started:
            mlflow.log_metrics(dict(report))
            mlflow.log_metric("accuracy", report["accuracy"])
        found = mlflow.get_run(started.info.run_id).data.metrics
        self.assertEqual(found, {"top1": report["top1"], "nll": report["nll"], "accuracy": report["top1"]})


if __name__ == "__main__":
    unittest.main()
