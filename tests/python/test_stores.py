"""Stores are memory-mapped for reading, and written from the user's own loop."""
import ctypes
import os
import pathlib
import signal
import subprocess
import sys
import unittest

import numpy as np

import assay
from common import CLASSES, InFolder, command, listen_to_ctrl_c, made


def files_below(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in ("lock", ".lock")
    }


class Stores(InFolder):
    def test_scores_are_mapped_and_read_only(self):
        scores, labels = made(300)
        store = assay.Store(self.imported(scores, labels, "runs", "model", "data", "--shard-rows", "64"))
        mapped = store.scores()
        self.assertEqual(store.shards, 5)
        self.assertEqual(mapped.shape, (300, CLASSES))
        np.testing.assert_array_equal(np.asarray(mapped), scores)
        np.testing.assert_array_equal(mapped[100:120], scores[100:120])  # the rows are within a shard, so there is no copy
        self.assertIsNotNone(mapped[100:120].base)
        np.testing.assert_array_equal(mapped[60:70], scores[60:70])
        np.testing.assert_array_equal(mapped[-1], scores[-1])
        np.testing.assert_array_equal(np.concatenate(list(mapped.shards)), scores)
        with self.assertRaises(ValueError):
            mapped[0][0] = 1
        with self.assertRaises(IndexError):
            mapped[300]
        kept = mapped[3]
        del mapped, store  # the array keeps its shard mapped
        np.testing.assert_array_equal(kept, scores[3])

    def test_items(self):
        scores, labels = made(40)
        names = [f"ü {i}" for i in range(40)]
        store = assay.Store.of(scores, labels, ids=names, attributes={"group": ["a", "b"] * 20})
        self.assertEqual(store.ids, names)
        self.assertEqual(store.attribute("group"), ["a", "b"] * 20)
        np.testing.assert_array_equal(store.labels(), labels)
        self.assertEqual(store.label_sets()[3], [])
        self.assertEqual(set(store.states()), {0})
        self.refused(lambda: store.attribute("other"), "usage", "group")
        self.assertIn("40 items", repr(store))

    def test_of_best_classes(self):
        scores, labels = made(50)
        store = assay.Store(self.imported(scores, labels, "runs", "m", "d", "--storage", "top3", "--kind", "logits"))
        best = np.argsort(-scores, axis=1, kind="stable")[:, :3]
        np.testing.assert_array_equal(np.asarray(store.best_classes()), best)
        np.testing.assert_array_equal(np.asarray(store.scores()), np.take_along_axis(scores, best, 1))

    def test_columns_are_those_of_export(self):
        scores, labels = made(70)
        scores[9, 0] = np.nan
        path = self.imported(scores, labels)
        store = assay.Store(path)
        columns = store.columns(top=2, scores=True)
        import csv
        import io

        rows = list(csv.DictReader(io.StringIO(command("export", path, "--top", "2", status=3))))
        self.assertEqual(len(columns["id"]), len(rows))
        for i, row in enumerate(rows):
            self.assertEqual(columns["id"][i], row["id"])
            self.assertEqual(columns["status"][i], row["status"])
            self.assertEqual(columns["label"][i], int(row["label"] or -1))
            self.assertEqual(columns["predicted"][i], int(row["predicted"] or -1))
            if row["confidence"]:
                self.assertEqual(columns["confidence"][i], np.float32(row["confidence"]))
                np.testing.assert_array_equal(columns["logits"][i], scores[i])
            else:
                self.assertTrue(np.isnan(columns["confidence"][i]))
        capsule = store.__arrow_c_stream__()
        name = ctypes.pythonapi.PyCapsule_GetName
        name.restype, name.argtypes = ctypes.c_char_p, [ctypes.py_object]
        self.assertEqual(name(capsule), b"arrow_array_stream")
        del capsule, store  # no consumer took over the stream, so it is released with its capsule

    def test_pandas(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("SKIPPED: pandas is not here")
        scores, labels = made(70)
        store = assay.Store.of(scores, labels)
        frame = store.to_pandas()
        self.assertEqual(list(frame["predicted"]), list(scores.argmax(1)))
        report = assay.score(store, metrics="top1,nll")
        self.assertEqual(list(report.to_pandas()["metric"]), ["top1", "nll"])
        frame = pandas.DataFrame(scores)
        self.assertEqual(assay.score(frame, pandas.Series(labels), "top1")["top1"].value, report["top1"].value)

    def test_torch(self):
        try:
            import torch
        except ImportError:
            self.skipTest("SKIPPED: torch is not here")
        scores, labels = made(400)
        tensor, target = torch.from_numpy(scores), torch.from_numpy(labels)
        expected = assay.score(scores, labels).to_json()
        self.assertEqual(assay.score(tensor, target).to_json(), expected)
        self.assertEqual(assay.score(tensor.t().contiguous().t(), target).to_json(), expected)
        self.assertEqual(assay.score(tensor.clone().requires_grad_(), target).to_json(), expected)
        brain = tensor.to(torch.bfloat16)
        self.assertEqual(
            assay.score(brain, target).to_dict()["measurements"], assay.score(brain.float(), target).to_dict()["measurements"]
        )
        self.assertEqual(assay.score(tensor.half(), target).stores[0]["storage_format"], "full_f16")
        metrics = assay.Metrics("top1")
        metrics.update(tensor, target)
        self.assertEqual(metrics.compute()["top1"].value, assay.score(scores, labels, "top1")["top1"].value)

    def test_either_order_of_imports_with_torch(self):
        if subprocess.run([sys.executable, "-c", "import torch"], capture_output=True).returncode != 0:
            self.skipTest("SKIPPED: torch is not here")
        work = "; assert assay.score([[1., 2.], [3., 1.]], [1, 0], 'top1')['top1'].value == 1; torch.ones(3, 3) @ torch.ones(3, 3)"
        for order in ("import assay, torch", "import torch, assay", "import assay; assay.version(); import torch"):
            subprocess.run([sys.executable, "-c", order + work], check=True)


class Writer(InFolder):
    def open(self, labels, **more):
        options = dict(dataset="data", model="model", ids=range(len(labels)), labels=labels, num_classes=CLASSES, identity="weights 1")
        return assay.StoreWriter(self.folder / "written", **{**options, **more})

    def test_writes_what_an_import_does(self):
        scores, labels = made(1000)
        imported = self.imported(scores, labels)
        with self.open(labels) as writer:
            for begin, end in list(writer.batches(77))[::-1]:  # the rows are in any order
                self.assertEqual(writer.write(begin, scores[begin:end]), end - begin)
        written = self.folder / "written/data/model"
        arrays = {name: data for name, data in files_below(written).items() if name.endswith(".npy")}
        self.assertEqual(arrays, {name: data for name, data in files_below(imported).items() if name.endswith(".npy")})
        self.assertEqual(assay.score(written).to_json(), assay.score(imported).to_json())
        command("verify", self.folder / "written")

    def test_goes_on_where_it_was_killed(self):
        scores, labels = made(200_000)
        np.save(self.folder / "scores.npy", scores)
        script = """
import sys, numpy as np, assay
folder = sys.argv[1]
scores = np.load(folder + "/scores.npy", mmap_mode="r")
with assay.StoreWriter(folder + "/written", dataset="data", model="model", ids=range(len(scores)), num_classes=scores.shape[1], identity="w") as w:
    for begin, end in w.batches(4096):
        w.write(begin, scores[begin:end])
        print(begin, flush=True)
        sys.stdin.readline()  # until it is told to continue
"""
        process = subprocess.Popen([sys.executable, "-c", script, str(self.folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(36):
            self.assertTrue(process.stdout.readline())
            process.stdin.write(b"\n")
            process.stdin.flush()
        self.assertTrue(process.stdout.readline())  # 37 of 49 batches are written
        process.kill()
        process.communicate()
        options = dict(dataset="data", model="model", ids=range(len(scores)), num_classes=CLASSES)
        with assay.StoreWriter(self.folder / "written", identity="w", **options) as writer:
            missing = writer.missing
            self.assertGreater(missing[0][0], 0)  # complete shards are already stored
            for begin, end in writer.batches(10_000):
                writer.write(begin, scores[begin:end])
        np.testing.assert_array_equal(np.asarray(assay.Store(writer.path).scores()), scores)
        self.refused(lambda: assay.StoreWriter(self.folder / "written", **options), "usage", "identity")
        self.refused(lambda: assay.StoreWriter(self.folder / "written", identity="other", **options), "bad_input", "begun differently")

    def test_what_is_wrong_is_said(self):
        scores, labels = made(100)
        writer = self.open(labels)
        self.refused(lambda: writer.write(0, scores[:, :3]), "usage", "3 columns")
        self.refused(lambda: writer.write(90, scores[:20]), "usage", "rows 90 to 109 do not exist in a store of 100")
        self.refused(lambda: writer.write(-1, scores[:2]), "usage")
        self.refused(lambda: self.open(labels), "busy")
        self.assertEqual(writer.write(10, scores[10:20]), 10)
        self.assertEqual(writer.write(15, scores[15:30]), 10)
        self.assertEqual(writer.missing, [(0, 10), (30, 100)])
        self.refused(writer.finish, "usage", "rows 0 to 9 were not written")
        writer.close()
        self.refused(lambda: writer.write(0, scores), "usage", "closed")
        with self.assertRaises(RuntimeError):
            with self.open(labels) as again:
                raise RuntimeError("my loop failed")
        self.refused(lambda: again.write(0, scores), "usage", "closed")
        with self.open(labels) as again:
            again.append(scores[:60])
            again.append(scores[60:])
        self.refused(lambda: self.open(labels[::-1]), "bad_input", "other labels")
        self.refused(lambda: self.open(labels, ids=["x"] * 100), "bad_input", "`x`")
        self.refused(lambda: self.open(labels[:9]), "bad_input", "9")


class Interrupt(InFolder):
    def test_ctrl_c_stops_what_is_computed(self):
        script = """
import numpy as np, assay
rows = 400_000
scores = np.random.default_rng(1).normal(size=(rows, 100)).astype(np.float32)
labels = np.zeros(rows, int)
assay.score(scores[:10], labels[:10])
said = []

def computing(step, done, total):
    if not said:
        said.append(print("computing", flush=True))

try:
    while True:
        assay.score(scores, labels, null=100, progress=computing)
except KeyboardInterrupt:
    print("interrupted", assay.score(scores[:10], labels[:10], "top1")["top1"].n, flush=True)
"""
        process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, preexec_fn=listen_to_ctrl_c)
        self.addCleanup(process.kill)
        self.assertEqual(process.stdout.readline().strip(), "computing")
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=120)
        self.assertEqual(output.strip(), "interrupted 10")

    def test_progress_is_told_and_may_fail(self):
        scores, labels = made(200_000)
        told = []
        assay.score(scores, labels, progress=lambda step, done, total: told.append((step, done, total)))
        self.assertEqual(told[-1][1:], (200_000, 200_000))

        def fails(step, done, total):
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            assay.score(scores, labels, progress=fails)

    def test_other_threads_run_meanwhile(self):
        import threading

        scores, labels = made(500_000)
        ticks, during = 0, 0
        stop = threading.Event()

        def tick():
            nonlocal ticks
            while not stop.wait(0.001):
                ticks += 1

        thread = threading.Thread(target=tick)
        thread.start()
        try:
            # One call is enough on an idle machine. On a busy one, the other thread may get no core during a call, so the call is
            # repeated.
            for _ in range(50):
                began = ticks
                assay.score(scores, labels, threads=1)
                during += ticks - began
                if during > 3:
                    break
        finally:
            stop.set()
            thread.join()
        self.assertGreater(during, 3)  # the call does not hold the interpreter's lock


class Command(InFolder):
    def test_runs_and_says_what_is_wrong(self):
        scores, labels = made(100)
        store = self.imported(scores, labels)
        done = assay.run("score", store, "--json", "--gate", "top1 >= 0.999")
        self.assertEqual(done.status, 1)
        self.assertEqual(done.json["schema"], "assay.scores/2")
        self.refused(lambda: assay.run("score", self.folder / "nothing"), "bad_input", "nothing")
        self.assertEqual(assay.run("score", self.folder / "nothing", check=False).status, 2)
        self.assertEqual(assay.command.words({"top_k": 5, "flag": True, "off": False, "many": [1, 2]}),
                         ["--top-k", "5", "--flag", "--many", "1", "--many", "2"])
        self.assertEqual(assay.command.words({"antialias": False}), ["--antialias", "false"])
        self.assertEqual(assay.command.words({"antialias": True}), ["--antialias", "true"])
        self.assertEqual(assay.command.words({"antialias": None}), [])

    def test_pipelines(self):
        self.assertIn("schema", assay.quality.table())
        study = self.folder / "study"
        assay.run("replicate", "simulate", "--out", study, "--classes", 20, "--images", 20)
        hits = (study / "original-hits.csv", study / "replication-hits.csv")
        adjusted = assay.replicate.adjust(study / "original.csv", study / "replication.csv", hits=hits, methods="pl")
        self.assertEqual(adjusted["schema"], "assay.replicate_adjust/2")
        import csv

        rows = [list(csv.DictReader((study / name).read_text().splitlines())) for name in ("original.csv", "replication.csv")]
        self.assertEqual(assay.replicate.adjust(*rows, hits=hits, methods="pl"), adjusted)
        votes = [
            {"image": f"i{i}", "label": c, "annotator": f"a{a}", "answer": "yes" if (i + c) % 2 == 0 or (a == 2 and i % 5 == 0) else "no"}
            for i in range(40) for c in (0, 1) for a in range(3)
        ]
        self.assertEqual(assay.annotation.aggregate(votes)["schema"], "assay.label_votes/2")


if __name__ == "__main__":
    unittest.main()
