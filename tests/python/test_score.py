"""Numbers equal those of the command, byte for byte, for every type of array."""
import array
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import threading
import unittest
from unittest import mock

import numpy as np

import assay
from common import CLASSES, InFolder, command, made


def measurements(report):
    return report.to_dict()["measurements"]


class Score(InFolder):
    def test_no_interval_claims_certainty_where_all_is_correct(self):
        labels = np.arange(60) % 10
        scores = np.where(labels[:, None] == np.arange(10), 9, 0).astype(np.float32)
        names = ["balanced", "precision", "recall", "specificity", "f1", "kappa", "matthews", "ece", "classwise_ece",
                 "temperature_scaled_ece", "class_accuracy_balance", "accuracy_at_coverage"]
        for name, value in assay.score(scores, labels, names).items():
            if value.interval is None:
                self.assertIn("no interval: ", value.note, name)
            else:
                self.assertLess(value.interval.low, value.interval.high, name)

    def test_a_class_of_five_images_without_a_hit(self):
        labels = np.array([0] * 15 + [1] * 5)
        scores = np.tile(np.array([4, 0], np.float32), (20, 1))
        balanced = assay.score(scores, labels, ["balanced"])["balanced"]
        # Where one class decides, the other's proportion stays at its bound: 15 of 15 below, 0 of 5 above.
        z2 = statistics.NormalDist().inv_cdf(.975) ** 2
        self.assertAlmostEqual(balanced.interval.low, .5 / (1 + z2 / 14), delta=1e-9)
        self.assertAlmostEqual(balanced.interval.high, .5 + .5 * (z2 / 4) / (1 + z2 / 4), delta=1e-9)
        self.assertIn("50.0", str(assay.score(scores, labels, ["balanced"])))

    def test_json_is_the_commands_byte_for_byte(self):
        scores, labels = made(3000)
        store = self.imported(scores, labels)
        options = ["--metrics", "top1,top5,nll,brier,ece,ece:bins=7,ace,aurc,auroc,classwise_ece,temperature_scaled_ece"]
        expected = command("score", store, "--json", "--reliability", "--confusion", "5", "--per-class", *options)
        same = dict(metrics=options[1], reliability=True, confusions=5, per_class=True)
        self.assertEqual(assay.score(store, **same).to_json(), expected)
        in_memory = assay.score(scores, labels, **same)
        self.assertEqual(in_memory.to_json(), expected)
        plain = assay.score(scores, labels, options[1])
        for form, text in (("csv", plain.to_csv()), ("md", plain.to_markdown()), ("latex", plain.to_latex())):
            self.assertEqual(text, command("score", store, *options, "--format", form), form)
        self.assertEqual(str(assay.score(store, metrics=options[1])), command("score", store, *options))

    def test_soft_labels_are_those_of_a_file(self):
        scores, labels = made(400)
        soft = np.full((400, scores.shape[1]), 0.01)
        soft[np.arange(400), labels] += 1 - soft.sum(axis=1)
        file = os.path.join(self.folder, "soft.npy")
        np.save(file, soft)
        names = "soft_accuracy,soft_top1,soft_cross_entropy,soft_divergence,soft_brier"
        store = self.imported(scores, labels)
        expected = json.loads(command("score", store, "--labels", file, "--metrics", names, "--json"))["measurements"]
        self.assertEqual(len(expected), 5)
        self.assertEqual(measurements(assay.score(scores, labels, names, soft_labels=soft)), expected)
        self.assertEqual(measurements(assay.score(store, file, names)), expected)
        certain = np.eye(scores.shape[1])[labels] * (labels >= 0)[:, None]  # a row of zeros means no label
        report = assay.score(scores, labels, "soft_top1,top1", soft_labels=certain)
        self.assertEqual(report["soft_top1"].value, report["top1"].value)
        with self.assertRaisesRegex(assay.Error, "row 0 sums to 2"):
            assay.score(scores, labels, soft_labels=2 * soft)
        with self.assertRaisesRegex(assay.Error, "1 dimensions"):
            assay.score(scores, labels, soft_labels=labels)

    def test_every_default_metric_and_every_metric_by_name(self):
        scores, labels = made(400)
        store = self.imported(scores, labels)
        self.assertEqual(assay.score(scores, labels).to_json(), command("score", store, "--json"))
        sets = [[] if c < 0 else [c, (c + 1) % CLASSES] if i % 3 == 0 else [c] for i, c in enumerate(labels.tolist())]
        real = self.folder / "sets.csv"
        real.write_text("id,labels\n" + "".join(f"{i},{' '.join(map(str, s))}\n" for i, s in enumerate(sets)))
        for metric in assay.metrics():
            name = metric["name"] if "name" in metric else metric["metric"]
            if name == "mean_average_precision":
                name += ":scores=probability"  # the scores of seven classes do not show whether they are softmax or sigmoid outputs
            elif any("sigmoid" in parameter.get("allowed", []) for parameter in metric["parameters"]):
                name += ":scores=sigmoid"
            got = measurements(assay.score(scores, labels, name, label_sets=sets))
            expected = json.loads(command("score", store, "--metrics", name, "--labels", real, "--json"))["measurements"]
            self.assertEqual(got, expected, name)

    def test_metrics_of_a_plugin(self):
        compiler = shutil.which("cc")
        if compiler is None:
            self.skipTest("no `cc` to compile examples/plugins/margin.c")
        tree = pathlib.Path(__file__).resolve().parents[2]
        margin = self.folder / "margin.so"
        subprocess.run(
            [compiler, "-fPIC", "-shared", f"-I{tree}/include", f"{tree}/examples/plugins/margin.c", "-o", margin], check=True
        )
        scores, labels = made(400)
        store = self.imported(scores, labels)
        expected = command("score", store, "--plugin", margin, "--json")
        self.assertIn("margin:margin", expected)
        # Runs in a separate process, because a plug-in stays open until the process ends.
        script = f"""
import pathlib, assay
store, margin = {str(store)!r}, pathlib.Path({str(margin)!r})
print(assay.score(store, plugin=[margin]).to_json(), end="")
assert assay.score(store, metrics="margin:margin", plugin=margin).to_dict()["measurements"][0]["n"] == 363
assert "margin:margin" not in assay.score(store).to_json()  # it belongs to the calls that name it
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertEqual((done.stdout, done.returncode), (expected, 0), done.stderr)
        self.refused(lambda: assay.score(store, plugin=self.folder / "gone.so"), "bad_input", "gone.so")

    def test_metrics_of_a_python_file(self):
        margin = pathlib.Path(__file__).resolve().parents[2] / "examples/plugins/margin.py"
        store = self.imported(*made(400))
        bad = self.folder / "bad_file.py"
        bad.write_text("metrics = 3\n")
        # Runs in a separate process, because a plug-in stays open until the process ends.
        script = f"""
import assay
print(assay.score({str(store)!r}, plugin={str(margin)!r}).to_json(), end="")
try:
    assay.score({str(store)!r}, plugin={str(bad)!r})
except assay.Error as error:
    assert error.code == "bad_input" and "`metrics` is int" in str(error), error
else:
    raise SystemExit("not refused")
"""
        with mock.patch.dict(os.environ, ASSAY_PYTHON=sys.executable):  # this Python has NumPy
            expected = command("score", store, "--plugin", margin, "--json")
            done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertIn("margin:margin", expected)
        self.assertEqual((done.stdout, done.returncode), (expected, 0), done.stderr)

    def test_every_type_and_layout_gives_the_same_bits(self):
        scores, labels = made(1500, dtype=np.float16)
        expected = measurements(assay.score(scores.astype(np.float32), labels))
        wide = np.zeros((3000, 2 * CLASSES), np.float32)
        wide[::2, 1::2] = scores
        upside_down = np.ascontiguousarray(scores[::-1].astype(np.float64))[::-1]
        flat = array.array("f", scores.astype(np.float32).ravel().tolist())
        buffer = memoryview(bytes(flat)).cast("f", [1500, CLASSES])
        for name, given in {
            "float64": scores.astype(np.float64), "by columns": np.asfortranarray(scores.astype(np.float32)), "strided": wide[::2, 1::2],
            "upside down": upside_down, "lists": scores.astype(float).tolist(), "a buffer": buffer,
        }.items():
            self.assertEqual(measurements(assay.score(given, labels)), expected, name)
        self.assertEqual(measurements(assay.score(scores, labels))[0], expected[0])  # float16 is stored as float16
        for kind in (np.int8, np.int16, np.int32, np.int64):
            self.assertEqual(measurements(assay.score(scores.astype(np.float32), labels.astype(kind))), expected)
        self.assertEqual(measurements(assay.score(scores.astype(np.float32), labels.tolist())), expected)
        unlabelled = labels.copy()
        unlabelled[labels < 0] = 0
        every = measurements(assay.score(scores.astype(np.float32), unlabelled))
        self.assertEqual(measurements(assay.score(scores.astype(np.float32), unlabelled.astype(np.uint8))), every)
        names = [f"class {c}" for c in range(CLASSES)]
        named = [names[c] for c in unlabelled]
        self.assertEqual(measurements(assay.score(scores.astype(np.float32), named, classes=names)), every)

    def test_large_arrays_are_not_copied(self):
        # The memory limit is enough for the array once, and only the pages that are read. A copy would not fit.
        script = """
import resource, sys, numpy as np, assay
rows, classes = 120_000, 1000
wide = np.zeros((rows, classes), np.float64)[:, ::-1]
wide[:, 3] = 1.0
labels = np.full(rows, 3)
assay.score(wide[:1000], labels[:1000], "top1")
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
value = assay.score(wide, labels, "top1", kind="logits", threads=2)["top1"].value
grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024
size = wide.nbytes
assert value == 1.0, value
assert grown < size + 400e6, (grown, size)
"""
        subprocess.run([sys.executable, "-c", script], check=True)

    def test_predicted_classes_and_kinds(self):
        scores, labels = made(800)
        predicted = scores.argmax(1)
        self.assertEqual(
            assay.score(predicted, labels, "top1", num_classes=CLASSES)["top1"].value, assay.score(scores, labels, "top1")["top1"].value
        )
        exponentials = np.exp(scores.astype(np.float64))
        probabilities = exponentials / exponentials.sum(1, keepdims=True)
        found = assay.score(probabilities, labels, "nll,top1")
        self.assertEqual(found.stores[0]["scores"], "probabilities")
        self.assertAlmostEqual(found["nll"].value, assay.score(scores, labels, "nll")["nll"].value, places=5)
        self.assertEqual(assay.score(probabilities, labels, "nll", kind="logits").stores[0]["scores"], "logits")

    def test_values_and_intervals_are_objects(self):
        scores, labels = made(500)
        report = assay.score(scores, labels, "top1,ece", gates=["top1 >= 0.99"])
        top1 = report["top1"]
        known = labels >= 0
        self.assertEqual(top1.value, (scores.argmax(1) == labels)[known].mean())
        self.assertEqual(top1.n, known.sum())
        self.assertIn(top1.value, top1.interval)
        self.assertEqual(top1.interval.method, "wilson")
        self.assertEqual(report["model", "top1"].value, top1.value)
        self.assertEqual(report["data", "model", "top1"].value, top1.value)
        self.assertEqual(list(report), ["top1", "ece"])
        self.assertIn("top1", report)
        # Names from other libraries are keys, too.
        self.assertEqual(assay.score(scores, labels, metrics=["accuracy"])["accuracy"].value, top1.value)
        self.assertEqual(report["model", "acc"].value, top1.value)
        self.assertIn("accuracy", report)
        self.assertNotIn("log_loss", report)
        with self.assertRaisesRegex(KeyError, "there are top1, ece"):
            report["nll"]
        self.assertFalse(report.passed)
        self.assertEqual(report.status, 1)
        self.assertIn("%", str(top1))
        self.assertIn("<table>", report._repr_html_())
        self.assertIn("<svg", assay.score(scores, labels, "ece", reliability=True)._repr_html_())

    def test_several_stores(self):
        scores, labels = made(300)
        for name in ("a", "b"):
            self.imported(scores if name == "a" else scores[:, ::-1].copy(), labels, model=name)
        report = assay.score(self.folder / "runs", metrics="top1")
        self.assertEqual([m.model for m in report.measurements], ["a", "b"])
        with self.assertRaisesRegex(KeyError, "2 models"):
            report["top1"]
        self.assertNotEqual(report["a", "top1"].value, report["b", "top1"].value)
        self.assertEqual(report.to_json(), command("score", self.folder / "runs", "--metrics", "top1", "--json"))

    def test_what_is_not_finite_is_counted(self):
        scores, labels = made(200)
        scores[7, 2] = np.nan
        report = assay.score(scores, labels, "top1")
        self.assertEqual(report.stores[0]["counts"]["not_finite"], 1)
        self.assertTrue(report.partial)

    def test_what_is_wrong_is_said(self):
        scores, labels = made(50)
        self.refused(lambda: assay.score(scores, labels, "topp"), "usage", "top1")
        self.refused(lambda: assay.score(scores, labels, bims=3), "bad_input", "`bims`", "bins")
        self.refused(lambda: assay.score(scores, labels, bins="many"), "bad_input", "options.bins")
        self.refused(lambda: assay.score(scores, labels, bins=1.5), "bad_input", "options.bins")
        self.refused(lambda: assay.score(scores, labels, threads=True), "bad_input", "options.threads")
        self.refused(lambda: assay.score(scores, labels, level=2), "bad_input", "options.level")
        self.refused(lambda: assay.score(scores, labels[:49]), "bad_input", "49 labels for 50 items")
        self.refused(lambda: assay.score(scores, labels + 0.5), "usage", "labels: fractions")
        self.refused(lambda: assay.score(scores, labels + 100), "bad_input", "outside the 7 classes")
        self.refused(lambda: assay.score(scores, ["cat"] * 50), "usage", "labels: class names")
        self.refused(lambda: assay.score(scores, labels, label_sets=[[-3]] * 50), "usage", "item 0", "-3")
        self.refused(lambda: assay.score(scores, labels, label_sets=np.full((50, CLASSES), 2)), "usage", "0 and 1")
        self.refused(lambda: assay.score(scores[:0], labels[:0]), "usage", "no rows")
        self.refused(lambda: assay.score(scores[:, :0], labels), "usage", "50 x 0")
        self.refused(lambda: assay.score(scores[None], labels), "usage", "shape (1, 50, 7)")
        self.refused(lambda: assay.score(scores > 0, labels), "usage", "b1")
        self.refused(lambda: assay.score(scores.astype(np.complex64), labels), "usage", "c8")
        self.refused(lambda: assay.score(scores.astype(">f4"), labels), "usage", "byte order")
        self.refused(lambda: assay.score(scores.astype(object), labels), "usage", "objects")
        self.refused(lambda: assay.score(scores.astype(int), labels), "usage", "<i8")
        self.refused(lambda: assay.score([[1.0, 2.0], [1.0]], [0, 1]), "usage", "different lengths")
        self.refused(lambda: assay.score([["a"]], [0]), "usage", "scores: a list of something other")
        self.refused(lambda: assay.score(42, [0]), "usage", "a int")
        self.refused(lambda: assay.score(self.folder / "nothing"), "bad_input", "nothing")
        self.refused(lambda: assay.score(scores, labels, ids=["x"] * 50), "bad_input", "`x`")
        self.refused(lambda: assay.score(scores, labels, model="a/b"), "bad_input", "a_b")

        class OnDevice:
            device = "cuda:0"

            def __dlpack_device__(self):
                return (2, 0)

            def __dlpack__(self):
                raise AssertionError("not to be asked")

        self.refused(lambda: assay.score(OnDevice(), labels), "usage", ".cpu()", "cuda:0")

    def test_many_threads_at_once(self):
        scores, labels = made(20_000)
        expected = assay.score(scores, labels, "top1,nll,ece,ace").to_json()
        found = []

        def work():
            for _ in range(5):
                found.append(assay.score(scores, labels, "top1,nll,ece,ace", threads=2).to_json() == expected)

        threads = [threading.Thread(target=work) for _ in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(found, [True] * 30)


class Compare(InFolder):
    def test_json_is_the_commands_byte_for_byte(self):
        scores, labels = made(1000)
        other, _ = made(1000, seed=2)
        one, two = self.imported(scores, labels, model="one"), self.imported(other, labels, model="two")
        expected = command("compare", one, two, "--json")
        self.assertEqual(assay.compare(one, two, disagreements=10).to_json(), expected)
        first, second = assay.Store.of(scores, labels, model="one"), assay.Store.of(other, labels, model="two")
        comparison = assay.compare(first, second, disagreements=10)
        self.assertEqual(comparison.to_json(), expected)
        difference = comparison["top1"]
        self.assertEqual(difference.test, "mcnemar.exact")
        self.assertAlmostEqual(difference.value, difference.candidate.value - difference.baseline.value)
        self.assertEqual(comparison["two", "top1"].value, difference.value)
        self.assertEqual(comparison["accuracy"].value, difference.value)
        self.assertEqual(assay.compare(scores, {"x": other, "y": scores}, labels=labels)["y", "top1"].value, 0)
        alike = assay.compare(first, [second, assay.Store.of(scores, labels, model="two")], metrics="top1")
        self.assertEqual([d.value for d in alike.differences], [difference.value, 0])

    def test_items_are_matched_by_ids(self):
        scores, labels = made(100)
        ids = [f"image {i}" for i in range(100)]
        first = assay.Store.of(scores, labels, ids=ids)
        second = assay.Store.of(scores[::-1], labels[::-1], ids=ids[::-1], model="other")
        self.assertEqual(assay.compare(first, second)["top1"].value, 0)
        self.refused(
            lambda: assay.compare(first, assay.Store.of(scores, labels, ids=[f"x{i}" for i in range(100)], model="x")),
            "bad_input", "no scored item in common",
        )


class Gap(InFolder):
    def test_is_the_commands(self):
        for data, seed in (("v1", 1), ("v2", 2)):
            for model in ("a", "b"):
                scores, labels = made(600, seed=seed, skill=2.5 if data == "v1" else 1.5)
                self.imported(scores + (model == "b"), labels, "runs", model, data)
        gap = assay.gap(self.folder / "runs/v1", self.folder / "runs/v2", bootstrap=200)
        expected = command("gap", self.folder / "runs/v1", self.folder / "runs/v2", "--bootstrap", "200", "--json")
        self.assertEqual(gap.to_json(), expected)
        self.assertEqual(len(gap.models), 2)
        self.assertEqual([row["model"] for row in gap.records()], [m["model"] for m in gap.models])

    def test_names_stay_texts(self):
        for data, seed in (("v1", 1), ("v2", 2)):
            for model in ("0012", "1e5", "nan"):
                self.imported(*made(300, seed=seed), "runs", model, data)
        rows = assay.gap(self.folder / "runs/v1", self.folder / "runs/v2", bootstrap=200).records()
        self.assertEqual(sorted(row["model"] for row in rows), ["0012", "1e5", "nan"])
        self.assertTrue(all(isinstance(row["top1_v1"], float) for row in rows))

    def stored(self, data, seed, skill=2.0, model="0012"):
        """A store with the sites 007 and 2, and patients of five images each."""
        scores, labels = made(300, seed=seed, skill=skill)
        attributes = {"site": ["007" if i < 200 else "2" for i in range(300)], "patient": [i // 5 for i in range(300)]}
        with assay.StoreWriter(
            self.folder / "runs", dataset=data, model=model, ids=[f"{data}{i}" for i in range(300)], labels=labels, num_classes=7,
            attributes=attributes,
        ) as writer:
            writer.write(0, scores)
        return self.folder / "runs" / data / model

    def test_groups_are_rows(self):
        self.stored("v1", 1), self.stored("v2", 2, 1.5)
        gap = assay.gap(self.folder / "runs/v1", self.folder / "runs/v2", by="site", bootstrap=200)
        (groups,) = gap.to_dict()["groups"]
        whole, *rows = gap.records()
        self.assertEqual((whole["model"], whole["subgroup"]), ("0012", None))
        self.assertEqual([(row["model"], row["subgroup"]) for row in rows], [("0012", "largest gap"), ("0012", "site=007"), ("0012", "site=2")])
        largest = groups["largest"]
        self.assertEqual((rows[0]["top1_gap"], rows[0]["top1_gap_low"]), (largest["value"], largest["interval"]["low"]))
        self.assertEqual(rows[1]["top1_v2"], groups["groups"][0]["accuracy"]["second"]["value"])

    def test_groups_of_clusters(self):
        one, two = self.stored("v1", 1), self.stored("v1", 1, 1.0, "other")

        def compared(**how):
            return assay.compare(one, two, metrics="top1", by="site", **how).pairs[0]["groups"][0]["groups"]

        independent, clustered = compared(), compared(cluster="patient")
        self.assertEqual([group["clusters"] for group in clustered], [40, 20])
        self.assertNotIn("clusters", independent[0])
        for a, b in zip(independent, clustered):
            self.assertEqual(a["difference"]["value"], b["difference"]["value"])
            self.assertLessEqual(b["difference"]["interval"]["low"], a["difference"]["interval"]["low"])
            self.assertGreaterEqual(b["p"], a["p"])
        self.refused(lambda: compared(cluster="patience"), "usage", "did you mean `patient`?")


if __name__ == "__main__":
    unittest.main()
