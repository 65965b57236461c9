"""Metrics and parts of several processes under torch.distributed give the bytes of one process."""
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile
import unittest

import assay
from common import InFolder, made, photos

SUMS = "top1,top5,nll,brier,ece,balanced"
ROWS = 5003  # not a multiple of 2, 3, or 2,048 (the number of rows that are added as one group)
OPTIONS = {"reliability": True, "confusions": 9, "per_class": True}

WORKER = """
import os, pathlib, sys
sys.path.insert(0, %r)
import torch, torch.distributed as distributed
import assay
from test_distributed import OPTIONS, ROWS, SUMS
from common import made
kind, out = sys.argv[1], pathlib.Path(sys.argv[2])
scores, labels = (torch.from_numpy(array) for array in made(ROWS))
rank, size = int(os.environ["RANK"]), int(os.environ["WORLD_SIZE"])
metrics = assay.Metrics("top1,auroc,aurc" if kind == "kept" else SUMS, keep=kind == "kept", **OPTIONS)
try:
    metrics.compute()
    raise AssertionError("a process that is not joined yet gave values")
except assay.Error as error:
    assert size == 1 or "init_process_group" in str(error), error
distributed.init_process_group("gloo")
rows = range(rank, ROWS, size)
if kind == "sampler":
    sampler = torch.utils.data.DistributedSampler(range(ROWS), shuffle=False)
    rows = list(sampler)
elif kind == "unplaced":  # one part behind the other; the last process has none
    each = -(-ROWS // max(1, size - 1))
    rows = range(rank * each, min(ROWS, (rank + 1) * each))
for begin in range(0, len(rows), 100):
    part = list(rows[begin:begin + 100])
    metrics.update(scores[part], labels[part], rows=None if kind == "unplaced" else part)
try:
    text = metrics.compute().to_json()
except assay.Error as error:
    text = str(error)
assert len(metrics) == len(rows), "joining leaves the own rows as they are"
(out / f"{rank}.json").write_text(text)
distributed.destroy_process_group()
""" % os.path.dirname(os.path.abspath(__file__))

MODEL = """
import torch

def made():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Flatten(), torch.nn.Linear(3 * 8 * 8, 4))
"""


def processes(kind, size):
    """The output of each process, started with the variables that torchrun sets."""
    with socket.socket() as free, tempfile.TemporaryDirectory(prefix="assay-test-") as out:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        common = {**os.environ, "WORLD_SIZE": str(size), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port), "OMP_NUM_THREADS": "1"}
        started = [
            subprocess.Popen([sys.executable, "-c", WORKER, kind, out], env={**common, "RANK": str(rank), "LOCAL_RANK": str(rank)},
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            for rank in range(size)
        ]
        said = [process.communicate(timeout=240)[0] for process in started]
        for process, text in zip(started, said):
            assert process.returncode == 0, text
        return [(pathlib.Path(out) / f"{rank}.json").read_text() for rank in range(size)], said


class Processes(InFolder):
    def one_process(self, metrics, **options):
        whole = assay.Metrics(metrics, **OPTIONS, **options)
        whole.update(*made(ROWS))
        return whole.compute().to_json()

    def test_rows_that_are_numbered_give_the_bytes_of_one_process(self):
        expected = self.one_process(SUMS)
        for size in (1, 2, 3):
            found, said = processes("placed", size)
            self.assertEqual(found, [expected] * size)
            self.assertEqual(said, [""] * size)

    def test_rows_that_are_kept(self):
        expected = self.one_process("top1,auroc,aurc", keep=True)
        self.assertEqual(processes("kept", 2)[0], [expected] * 2)

    def test_rows_without_numbers_give_the_values(self):
        found, _ = processes("unplaced", 3)
        self.assertEqual(len(set(found)), 1)
        whole = assay.Metrics(SUMS, **OPTIONS)
        whole.update(*made(ROWS))
        import json

        expected = {m.metric: m.value for m in whole.compute().measurements}
        self.assertEqual({m["metric"]: m["value"] for m in json.loads(found[0])["measurements"]}, expected)

    def test_a_sampler_that_repeats_rows_is_named(self):
        found, _ = processes("sampler", 2)
        for text in found:
            self.assertIn("row 0 appears twice", text)
            self.assertIn("sampler=range(rank, len(data), world_size)", text)

    def torchrun(self, script, *arguments):
        import torch

        if int(torch.__version__.split(".")[0]) < 2 and sys.version_info >= (3, 11):
            self.skipTest(f"SKIPPED: torchrun of PyTorch {torch.__version__} does not start under Python 3.11")
        worker = self.folder / "worker.py"
        worker.write_text(script)
        done = subprocess.run(
            [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", worker, *arguments, self.folder],
            capture_output=True, text=True, timeout=240, env={**os.environ, "OMP_NUM_THREADS": "1"},
        )
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_torchrun(self):
        self.torchrun(WORKER, "placed")
        expected = self.one_process(SUMS)
        for rank in range(2):
            self.assertEqual((self.folder / f"{rank}.json").read_text(), expected)

    def test_parts_by_rank(self):
        # The script of docs/clusters.md, with a model and images of this test.
        page = (pathlib.Path(__file__).resolve().parents[2] / "docs/clusters.md").read_text()
        (script,) = re.findall(r"^```python\n(.*?)^```$", page.partition("\n## torchrun\n")[2].partition("\n## ")[0], re.MULTILINE | re.DOTALL)
        images, runs = self.folder / "images", self.folder / "runs"
        photos(images, 12, 4, lambda i: (8, 8), {})
        (self.folder / "model.py").write_text(MODEL)
        for old, new in (('"timm:resnet50"', f'"python:{self.folder}/model.py:made"'), ('"imagenet/val"', f'"{images}"'), ('"runs"', f'"{runs}"'),
                         ("device=f\"cuda:{os.environ['LOCAL_RANK']}\"", "input_size=8, crop_mode='none', shard_rows=2, batch=2, progress=False")):
            self.assertEqual(script.count(old), 1, old)
            script = script.replace(old, new)
        self.torchrun(script)
        (shards,) = runs.glob("images/*/shards")
        found = shards.parent
        self.assertFalse((found / "parts").exists())
        (whole,) = assay.predict(f"python:{self.folder}/model.py:made", images, self.folder / "whole", input_size=8, crop_mode="none", shard_rows=2,
                               batch=2, progress=False)
        bits = [{path.name: path.read_bytes() for path in (pathlib.Path(store) / "shards").glob("*.npy")} for store in (found, whole.path)]
        self.assertEqual(len(bits[0]), 6)
        self.assertEqual(*bits)


if __name__ == "__main__":
    unittest.main()
