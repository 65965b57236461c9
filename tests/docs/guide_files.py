"""A folder for the commands of a page, and functions that make its files: images, models, scores, labels and votes."""
import csv
import io
import itertools
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import onnx_writer  # noqa: E402

SHAPES = ("circle", "cross", "ring", "square", "stripes", "triangle")
FISH = ("n01440764", "n01443537", "n01484850", "n01491361", "n01494475", "n01496331")  # six classes of ImageNet


def npy(values, shape, kind=np.float32):
    """The bytes of a .npy file."""
    out = io.BytesIO()
    np.save(out, np.array(list(values), kind).reshape(shape))
    return out.getvalue()


def table(rows):
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()


class World:
    """A folder in which a page's commands run."""

    def __init__(self, folder, tools, program, images, source):
        self.folder, self.drawn, self.source = folder, images, source
        self.shapes = source / "tests/cli/shapes"
        for made in (folder, tools):
            made.mkdir(parents=True)
        (tools / "assay").symlink_to(program)
        self.environment = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "HOME": str(tools),
                            "ASSAY_PYTHON": sys.executable}

    def run(self, *arguments):
        done = subprocess.run(["assay", *map(str, arguments)], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"assay {' '.join(map(str, arguments))}: {done.stderr}")

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    def images(self, name, each=2, classes=SHAPES, flat=False, first=0):
        """Class folders of drawn images, or one folder of these images."""
        for at, wanted in enumerate(classes):
            shape = SHAPES[at % len(SHAPES)]
            target = self.folder / name / ("" if flat else wanted)
            target.mkdir(parents=True, exist_ok=True)
            for i in range(first, first + each):
                shutil.copy(self.drawn / shape / f"{shape}_{i:04}.png", target)

    def model(self, *names, of="small", classes=SHAPES, mistaken=False):
        """Classifiers of the six shapes with their settings: TorchScript, or an ONNX file that knows colours only.
        mistaken: confident predictions of many wrong classes."""
        for name in names:
            onnx = onnx_writer.linear([[(3 * channel + 5 * c) % 7 - 3.0 for c in range(6)] for channel in range(3)])
            path = self.write(name, onnx if name.endswith(".onnx") else (self.shapes / f"{of}.pt").read_bytes())
            settings = (self.shapes / f"{of}.toml").read_text()
            if mistaken:
                settings = settings.replace("mean = [0.5, 0.5, 0.5]", "mean = [0.0, 0.9, 0.9]")
                settings = settings.replace("std = [0.25, 0.25, 0.25]", "std = [0.03, 0.03, 0.03]")
            path.with_suffix(".toml").write_text(settings)
            (path.parent / "shapes.txt").write_text("".join(f"{one}\n" for one in classes))

    def scores(self, rows, classes, seed=1, skill=2.0, truth=None):
        """Returns (scores row after row, labels): logits of a classifier that is often correct. The labels are those of all seeds."""
        chance = random.Random(classes)
        labels = truth or [chance.randrange(classes) for _ in range(rows)]
        chance = random.Random(seed)
        return [chance.gauss(0, 1) + (skill if c == label else 0) for label in labels for c in range(classes)], labels

    def store(self, name, *, runs="runs", rows=240, names=SHAPES, labels=True, columns=None, ids=None, truth=None, scores=None, skill=2.0,
              kind="logits", matrix=None, more=()):
        """A prediction store. name: DATASET/MODEL. names: class names, or their number. ids: item names, or their first letters.
        columns: attributes, each as a function of the row. matrix: 0 and 1 in a column per class, instead of one label."""
        dataset, model = name.split("/")
        classes = names if isinstance(names, int) else len(names)
        values, truth = self.scores(rows, classes, sum(map(ord, name)), skill, truth)
        given = self.folder.parent / "given"
        given.mkdir(exist_ok=True)
        (given / "scores.npy").write_bytes(npy(scores or values, (rows, classes)))
        columns = columns or {}
        single = labels and not matrix
        items = [["id", *(["label"] if single else []), *columns]]
        for i in range(rows):
            one = ids[i] if isinstance(ids, list) else f"{ids or ''}{i:04}.png"
            items.append([one, *([truth[i]] if single else []), *(of(i) for of in columns.values())])
        (given / "items.csv").write_text(table(items))
        if matrix:
            (given / "matrix.npy").write_bytes(npy(matrix, (rows, classes), np.uint8))
            more = (*more, "--labels", given / "matrix.npy")
        if not isinstance(names, int):
            (given / "classes.txt").write_text("".join(f"{one}\n" for one in names))
            more = (*more, "--classes", given / "classes.txt")
        self.run("import", given / "scores.npy", "--items", given / "items.csv", "--dataset-name", dataset, "--name", model, "--out", runs,
                 "--kind", kind, "-q", *more)

    def label_sets(self, name, rows=240, names=SHAPES, most=3, prefix=""):
        """Valid labels of the items of a store, from one to `most` per item: JSON in the order of the rows, or csv."""
        truth, chance = self.scores(rows, len(names))[1], random.Random(5)
        sets = [sorted({truth[i], *chance.sample(range(len(names)), i % most)}) for i in range(rows)]
        if name.endswith(".json"):
            self.write(name, json.dumps(sets))
        else:
            lines = ([f"{prefix}{i:04}.png", " ".join(names[c] for c in one)] for i, one in enumerate(sets))
            self.write(name, table([["path", "labels"], *lines]))

    def votes(self, name, rows=240, names=SHAPES, annotators=5, ids=None):
        """The answers of annotators about two classes of each item."""
        truth, chance = self.scores(rows, len(names))[1], random.Random(6)
        out = [["item", "label", "annotator", "answer"]]
        for i, who in itertools.product(range(rows), range(annotators)):
            for c in (truth[i], (truth[i] + 1) % len(names)):
                answer = "yes" if (c == truth[i]) != (chance.random() < 0.1) else "no"
                out.append([ids[i] if ids else f"{i:04}.png", names[c], f"a{who}", answer])
        self.write(name, table(out))


WORLDS = {}


def world(page):
    """This decorator marks the function that makes the files of a page."""
    def register(function):
        WORLDS[page] = function
        return function
    return register
