"""Shared by the tests: the program, random scores and images, and temporary folders."""
import contextlib
import io
import os
import pathlib
import signal
import subprocess
import tempfile
import unittest

import numpy as np

import assay

PROGRAM = os.environ["ASSAY_PROGRAM"]
CLASSES = 7


def made(rows, classes=CLASSES, seed=1, skill=2.0, dtype=np.float32):
    """Random scores and labels of a classifier that is often correct. Every eleventh item has no label."""
    random = np.random.default_rng(seed)
    labels = random.integers(0, classes, rows)
    scores = random.normal(size=(rows, classes)) * 2
    scores[np.arange(rows), labels] += skill
    labels[3::11] = -1
    return scores.astype(dtype), labels


def command(*arguments, status=0, **more):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, **more)
    assert done.returncode == status, f"status {done.returncode}: {done.stderr}"
    return done.stdout


def listen_to_ctrl_c():
    """The preexec_fn of a process that a test interrupts. Without it, the process ignores SIGINT if the tests run in the background
    of a shell."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def quietly(call, *given, **options):
    """The result of a call, and its output on stderr."""
    with contextlib.redirect_stderr(io.StringIO()) as said:
        value = call(*given, **options)
    return value, said.getvalue()


def photos(folder, count, classes, size, modes):
    """Writes PNG files, c0/00.png and so on, and returns their paths. size: (width, height) of image i. modes: of the images that are not RGB."""
    from PIL import Image

    random = np.random.default_rng(5)
    for i in range(count):
        path = folder / f"c{i % classes}" / f"{i:02}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        image = Image.fromarray(random.integers(0, 256, (6, 5 + i % 3, 3), np.uint8)).resize(size(i), Image.BICUBIC)
        image.convert(modes.get(i, "RGB")).save(path)
    return sorted(folder.rglob("*.png"))


class InFolder(unittest.TestCase):
    def setUp(self):
        self._folder = tempfile.TemporaryDirectory(prefix="assay-test-")
        self.folder = pathlib.Path(self._folder.name)
        self.addCleanup(self._folder.cleanup)

    def imported(self, scores, labels, runs="runs", model="model", dataset="data", *more):
        """The folder of a store that the command imported from the same scores."""
        np.save(self.folder / f"{model}.npy", scores)
        items = self.folder / "items.csv"
        with open(items, "w") as file:
            file.write("id,label\n")
            file.writelines(f"{i},{label if label >= 0 else ''}\n" for i, label in enumerate(labels))
        command(
            "import", self.folder / f"{model}.npy", "--items", items, "--dataset-name", dataset, "--name", model,
            "--out", self.folder / runs, "-q", *more, status=0 if np.isfinite(scores).all() else 3,
        )
        return self.folder / runs / dataset / model

    def refused(self, call, code, *texts):
        with self.assertRaises(assay.Error) as caught:
            call()
        self.assertEqual(caught.exception.code, code, str(caught.exception))
        for text in texts:
            self.assertIn(text, str(caught.exception))
        return caught.exception
