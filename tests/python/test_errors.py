"""Errors of the library and of commands have codes, so that programs need not search in texts."""
import fcntl
import json
import os
import subprocess
import sys
import unittest
import unittest.mock

import numpy as np

import assay
from assay._library import checked
from common import InFolder, made, photos, quietly

SIDE = 8
SETTINGS = {"input_size": [3, SIDE, SIDE], "crop_mode": "none", "mean": [0.5] * 3, "std": [0.25] * 3}


def linear(x):
    return x.reshape(len(x), -1)[:, :4]


def told(*arguments, fd=None):
    """Runs the command with a file in memory for its error, and returns (status, the error, stderr)."""
    file = os.memfd_create("error")
    try:
        done = subprocess.run(
            [os.environ["ASSAY_PROGRAM"], *map(str, arguments)], capture_output=True, text=True, pass_fds=(file,),
            env={**os.environ, "ASSAY_ERROR_FD": str(file if fd is None else fd)},
        )
        return done.returncode, os.pread(file, 1 << 20, 0).decode(), done.stderr
    finally:
        os.close(file)


class Codes(InFolder):
    def code_of(self, call, *texts):
        with self.assertRaises(assay.Error) as caught:
            call()
        for text in texts:
            self.assertIn(text, str(caught.exception))
        return caught.exception.code

    def test_of_a_command(self):
        self.assertEqual(self.code_of(lambda: assay.run("score", "--nonsense"), "--nonsense"), "usage")
        self.assertEqual(self.code_of(lambda: assay.run("nonsense"), "unknown command"), "usage")
        self.assertEqual(self.code_of(assay.run, "no command is named"), "usage")
        self.assertEqual(self.code_of(lambda: assay.run("score", self.folder / "none"), "none"), "bad_input")
        self.assertEqual(self.code_of(lambda: assay.run("manual", "--out", "/proc/none"), "/proc/none"), "io")

    def test_of_a_store_that_another_process_writes(self):
        photos(self.folder / "images", 4, 4, lambda i: (SIDE, SIDE), {})
        part = self.folder / "runs/images/linear/parts/0001-of-0002"
        part.mkdir(parents=True)

        def predicted(progress=False):
            return quietly(assay.predict, {"linear": linear}, self.folder / "images", self.folder / "runs", part="1/2", settings=SETTINGS,
                           identity="linear", shard_rows=2, batch=2, threads=1, progress=progress)[0]

        with open(part / "lock", "w") as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            self.assertEqual(self.code_of(predicted, "is in use by another process"), "busy")
        self.assertEqual(len(predicted()), 1)

    def test_the_message_is_there_also_where_stderr_is_shown(self):
        script = "import assay\ntry: assay.run('nonsense', progress=True)\nexcept assay.Error as error: print(error.code, error.message)"
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
        self.assertTrue(done.stdout.startswith("usage unknown command `nonsense`"), done.stdout)
        self.assertIn("assay: error: unknown command `nonsense`", done.stderr)

    def test_notes(self):
        scores, labels = made(20)
        with assay.StoreWriter(self.folder, dataset="d", model="m", ids=range(20), labels=labels, num_classes=scores.shape[1]) as writer:
            writer.append(scores)
        (store,) = self.folder.glob("d/m")
        (store / "manifest.json").write_text("{")
        status, text, messages = told("score", store)
        error = json.loads(text)
        self.assertEqual((status, sorted(error), error["code"]), (2, ["code", "message", "notes"], "bad_input"))
        self.assertTrue(error["notes"])
        self.assertEqual(messages, f"assay: error: {error['message']}\n" + "".join(f"  while {note}\n" for note in error["notes"]))

    def test_control_characters_are_shown(self):
        status, text, _ = told("score", "\x1b[31mred")
        self.assertEqual(status, 2)
        self.assertNotIn("\\u001b", text)
        self.assertIn("\\\\", text)

    def test_a_killed_command(self):
        killed = self.folder / "killed"
        killed.write_text("#!/bin/sh\necho 'assay: note: so far' >&2\nkill -9 $$\n")
        killed.chmod(0o755)
        with unittest.mock.patch.dict(os.environ, {"ASSAY_PROGRAM": str(killed)}):
            self.assertEqual(self.code_of(lambda: assay.run("list"), "assay list exited with status -9", "so far"), "internal")

    def test_a_closed_stdin(self):
        """The file for the error would get the number of stdout."""
        script = "import assay; print(assay.run('list', 'formats').status)"
        done = subprocess.run(["sh", "-c", 'exec "$0" -c "$1" <&-', sys.executable, script], capture_output=True, text=True)
        self.assertEqual(done.stdout, "0\n", done.stderr)

    def test_a_pipe_that_the_caller_has_closed(self):
        read, write = os.pipe()
        os.close(read)
        try:
            done = subprocess.run([os.environ["ASSAY_PROGRAM"], "nonsense"], capture_output=True, text=True, pass_fds=(write,),
                                  env={**os.environ, "ASSAY_ERROR_FD": str(write)})
        finally:
            os.close(write)
        self.assertEqual(done.returncode, 2)
        self.assertIn("assay: error: unknown command `nonsense`", done.stderr)

    def test_success_writes_nothing(self):
        self.assertEqual(told("list", "formats")[:2], (0, ""))

    def test_a_descriptor_that_is_none(self):
        for fd in ("", "x", "2", "-1", "77", "3x", "99999999999"):
            status, text, messages = told("list", "formats", fd=fd)
            self.assertEqual((status, text), (2, ""), fd)
            self.assertIn(f"ASSAY_ERROR_FD={fd} is not a descriptor that is open for writing", messages)
        with open("/dev/null") as file:
            done = subprocess.run([os.environ["ASSAY_PROGRAM"], "list"], capture_output=True, text=True, pass_fds=(file.fileno(),),
                                  env={**os.environ, "ASSAY_ERROR_FD": str(file.fileno())})
            self.assertEqual(done.returncode, 2, done.stderr)

    def test_processes_of_the_command_do_not_get_it(self):
        photos(self.folder / "images", 4, 4, lambda i: (SIDE, SIDE), {})
        (self.folder / "model.py").write_text(
            "import os, pathlib\n"
            "def made():\n"
            "    open_ = [os.readlink(f'/proc/self/fd/{fd}') for fd in os.listdir('/proc/self/fd') if os.path.exists(f'/proc/self/fd/{fd}')]\n"
            "    pathlib.Path(__file__).with_name('seen').write_text(f\"{'ASSAY_ERROR_FD' in os.environ} {any('assay-error' in one for one in open_)}\")\n"
            "    return lambda x: x.reshape(len(x), -1)[:, :4]\n"
        )
        model = f"python:{self.folder}/model.py:made"
        quietly(assay.predict, model, self.folder / "images", self.folder / "runs", input_size=SIDE, crop_mode="none", threads=1, progress=False)
        self.assertEqual((self.folder / "seen").read_text(), "False False")


class Streams(unittest.TestCase):
    def test_only_metrics_that_need_all_rows_are_told_of_keep(self):
        for metrics, keep in (("ace", True), ("top1,auroc", True), ("nothing", False), ("ece:bins=0", False), ("nothing,auroc", False)):
            with self.assertRaises(assay.Error) as caught:
                assay.Metrics(metrics)
            self.assertEqual("keep=True" in caught.exception.message, keep, caught.exception.message)
            self.assertEqual(caught.exception.code, "usage")

    def test_impossible_edges(self):
        for keep in (False, True):
            with self.assertRaises(assay.Error) as caught:
                assay.Metrics("top1", reliability=True, edges="nonsense", keep=keep)
            self.assertEqual(caught.exception.code, "usage")
            self.assertNotIn("keep=True", caught.exception.message)

    def test_kept_rows_are_not_measured_by_the_stream(self):
        scores, labels = made(20)
        kept = assay.Metrics("top1", keep=True)
        kept.update(scores, labels)
        with self.assertRaises(assay.Error) as caught:
            checked("assay_metrics_compute", kept._handle)
        self.assertEqual(caught.exception.code, "usage")

    def test_kept_rows_are_checked_when_they_come(self):
        scores, labels = made(50)
        for metrics in ("top1", "auroc", "top1,ace"):
            kept = assay.Metrics(metrics, keep=True)
            kept.update(scores, labels)
            with self.assertRaises(assay.Error):
                kept.update(scores, np.full(50, 99))
            self.assertEqual(len(kept), 50)
            self.assertEqual(kept.compute().to_json(), assay.score(scores, labels, metrics, model="model", dataset="data").to_json())
        for metrics in ("nothing,auroc", "auroc,ece:bins=0"):  # the result is that without keep=True
            with self.assertRaises(assay.Error):
                assay.Metrics(metrics, keep=True)

    def test_a_row_of_two_streams(self):
        scores, labels = made(20)
        one, other, without = (assay.Metrics("top1") for _ in range(3))
        without.update(scores, labels)
        one.update(scores, labels, rows=range(20))
        other.update(scores, labels, rows=range(19, 39))
        with self.assertRaises(assay.Error) as caught:
            one.merge(other)
        self.assertEqual(caught.exception.code, "bad_input")
        with self.assertRaises(assay.Error) as caught:
            one.merge(without)
        self.assertEqual(caught.exception.code, "usage")


if __name__ == "__main__":
    unittest.main()
