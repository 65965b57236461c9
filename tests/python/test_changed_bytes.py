"""Files with generated changes: bytes that are replaced, removed, doubled or cut off, and JSON with other values. The program
answers with status 2 and a message, or reads the file; it never crashes, hangs or needs much memory. What checksums protect is
never read differently. ASSAY_CHANGES sets the number of changes per file."""
import json
import os
import pathlib
import random
import resource
import shutil
import subprocess
import unittest

import numpy as np
from common import PROGRAM, InFolder, made

TESTS = pathlib.Path(__file__).resolve().parent.parent
CHANGES = int(os.environ.get("ASSAY_CHANGES", "12"))
NUMBERS = [0, -1, 1e308, 2**31, 2**64, -(2**63), 0.5, float("nan")]
VALUES = [*NUMBERS, None, True, "", "x", "-1", "a" * 5000, "\0", [], {}, [[]], [None], {"a": 1}]


def with_other_bytes(data, rng):
    """A copy with up to four changes, or with its end cut off."""
    data = bytearray(data)
    if rng.random() < 0.15:
        return bytes(data[: rng.randrange(len(data))])
    for _ in range(rng.choice([1, 1, 2, 4])):
        at, kind = rng.randrange(max(len(data), 1)), rng.randrange(5)
        if kind == 0:
            data[at : at + 1] = bytes([rng.choice([0, 1, 0x7F, 0x80, 0xFF, rng.randrange(256)])])
        elif kind == 1:
            width = rng.choice([2, 4, 8])
            value = rng.choice([0, 1, 2**31 - 1, 2**32 - 1, 2**63, 2**64 - 1, len(data)])
            data[at : at + width] = (value % 2 ** (8 * width)).to_bytes(width, "little")
        elif kind == 2:
            del data[at : at + rng.choice([1, 4, 64])]
        elif kind == 3:
            data[at:at] = data[at : at + rng.choice([1, 8, 64])]
        else:
            data[at : at + 1] = bytes([data[at] ^ 1 << rng.randrange(8)] if at < len(data) else [0])
    return bytes(data)


def places_in(value, place=()):
    """The paths of all values in lists and objects."""
    inside = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in inside:
        yield (*place, key)
        yield from places_in(child, (*place, key))


def with_other_values(data, rng):
    """A copy of a JSON file in which a value is replaced or removed."""
    if rng.random() < 0.3:
        return with_other_bytes(data, rng)
    value = json.loads(data)
    *above, key = rng.choice(list(places_in(value)))
    holder = value
    for step in above:
        holder = holder[step]
    if rng.random() < 0.7:
        holder[key] = rng.choice(VALUES)
    else:
        del holder[key]
    return json.dumps(value).encode()


class ChangedBytes(InFolder):
    def run_program(self, *arguments):
        def limit():
            resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))  # far above what these small files need

        done = subprocess.run(
            [PROGRAM, *map(str, arguments)], capture_output=True, cwd=self.folder, timeout=60, preexec_fn=limit
        )
        said = done.stderr.decode(errors="replace")
        self.assertIn(done.returncode, (0, 2, 3), said)
        self.assertNotRegex(said, r"std::|terminate|Traceback|out of memory")
        if done.returncode == 2:
            self.assertRegex(said, r"(?m)^assay: error: .")
        return done.returncode, said

    def tried(self, file, *arguments, change=with_other_bytes, check=None):
        """Runs the command on the file, then on changed copies in its place."""
        rng = random.Random(file.name)
        good = file.read_bytes()
        shutil.rmtree(self.folder / "runs", ignore_errors=True)
        status, said = self.run_program(*arguments)
        self.assertIn(status, (0, 3), said)
        refused = 0
        for number in range(CHANGES):
            file.write_bytes(change(good, rng))
            shutil.rmtree(self.folder / "runs", ignore_errors=True)
            with self.subTest(file=file.name, change=number):
                status, said = self.run_program(*arguments)
                refused += status == 2
                if status == 0 and check is not None:
                    check(said)
        self.assertGreater(refused, 0, file.name)

    def imported(self, name):
        return ("import", self.folder / name, "--out", "runs", "--dataset-name", "d", "--name", "m")

    def test_npz(self):
        scores, labels = made(12, 3)
        ids = np.array([f"{i}.png" for i in range(12)])
        labels[labels < 0] = 0
        for write in (np.savez, np.savez_compressed):
            file = self.folder / f"{write.__name__}.npz"
            write(file, scores=scores, label=labels, ids=ids)

            def same(said):
                stored = np.load(self.folder / "runs/d/m/shards/000000.npy")
                np.testing.assert_array_equal(stored, scores)
                rows = (self.folder / "runs/d/items.csv").read_text().splitlines()[1:]
                if "`label` of the scores" in said:
                    self.assertEqual([int(row.split(",")[-1]) for row in rows], labels.tolist())

            self.tried(file, *self.imported(file.name), check=same)

    def test_damage_beside_the_scores_is_refused(self):
        scores, labels = made(12, 3)
        for name in ("label", "ids"):
            file = self.folder / "scores.npz"
            np.savez(file, scores=scores, label=np.abs(labels), ids=np.array([f"{i}.png" for i in range(12)]))
            good = file.read_bytes()
            at = good.index(b"\x93NUMPY", good.index(f"{name}.npy".encode())) + 130
            file.write_bytes(good[:at] + bytes([good[at] ^ 1]) + good[at + 1 :])
            for more in ((), ("--array", "scores")):
                status, said = self.run_program(*self.imported("scores.npz"), *more)
                self.assertEqual(status, 2, said)
                self.assertIn(f"`{name}.npy` is damaged", said)

    def test_tables(self):
        for name in ("tests/store/fixtures/tools/pandas.parquet", "tests/store/fixtures/tools/pandas_category.feather",
                     "tests/store/fixtures/tools/pandas.feather", "tests/store/fixtures/tools/polars.arrow",
                     "tests/store/fixtures/tools/keras_predict.h5"):
            file = self.folder / pathlib.Path(name).name
            shutil.copy(TESTS.parent / name, file)
            self.tried(file, *self.imported(file.name))

    def test_hdf5(self):
        for name, array in (("scores_first.h5", "val/halves"), ("latest.h5", "fixed_packed"), ("latest.h5", "implicit")):
            file = self.folder / name
            shutil.copy(TESTS / "data/fixtures/hdf5" / name, file)
            self.tried(file, *self.imported(name), "--array", array, "--label-column", "none")

    def test_images(self):
        shutil.copytree(TESTS / "data/fixtures/saved/one", self.folder / "one")
        self.tried(self.folder / "one/data-00000-of-00002.arrow", "inspect", self.folder / "one", "--json")

    def test_json(self):
        file = self.folder / "which.json"
        shutil.copy(TESTS / "annotation/fixtures/label_studio/which.json", file)
        self.tried(file, "labels", "aggregate", file, "--label-sets", "-", "--to", "csv", change=with_other_values)
        images = [{"id": 3 * i, "file_name": f"{i}.jpg"} for i in range(6)]
        kinds = [{"id": k, "name": n} for k, n in ((7, "cat"), (9, "dog"), (12, "emu"))]
        marks = [{"id": i, "image_id": 3 * i, "category_id": kinds[i % 3]["id"]} for i in range(6)]
        results = [
            {"image_id": 3 * i, "category_id": kinds[k]["id"], "score": (0.7, 0.2, 0.1)[(i + k) % 3]}
            for i in range(6)
            for k in range(3)
        ]
        (self.folder / "annotations.json").write_text(json.dumps({"images": images, "annotations": marks, "categories": kinds}))
        (self.folder / "results.json").write_text(json.dumps(results))
        command = (*self.imported("results.json"), "--items", self.folder / "annotations.json")
        for name in ("annotations.json", "results.json"):
            good = (self.folder / name).read_bytes()
            self.tried(self.folder / name, *command, change=with_other_values)
            (self.folder / name).write_bytes(good)


if __name__ == "__main__":
    unittest.main()
