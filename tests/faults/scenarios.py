"""The scenarios of the campaign: small inputs, and commands that read or write files.

IN and OUT in a command stand for the folders of its inputs and of its results.
"""

import struct
import zlib
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Scenario:
    name: str
    command: list
    before: list = field(default_factory=list)  # commands that make inputs, for which OUT = IN
    torch: bool = False  # whether the scenario loads LibTorch, which takes half a second per run
    parts: tuple = ("calls", "limits")  # the parts of the campaign


CLASSES = ["cat", "dog", "bird"]
ITEMS = 12


def scores_of(lead):
    rows = []
    for i in range(ITEMS):
        rows.append([lead if i % 3 == 0 else 0.1 * i, 1.0 if i % 3 == 1 else 0.3, lead if i % 4 == 2 else 0.2])
    return rows


def write_csv(path, header, rows):
    path.write_text("\n".join(",".join(str(x) for x in row) for row in [header, *rows]) + "\n")


def write_npy(path, rows):
    shape = (len(rows), len(rows[0]))
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    values = [x for row in rows for x in row]
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(values)}f", *values))


def write_png(path, side, shade):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    row = b"\0" + bytes((shade * (i + 1)) % 256 for i in range(3 * side))
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0))
        + chunk(b"IDAT", zlib.compress(row * side))
        + chunk(b"IEND", b"")
    )


def make_inputs(folder: Path):
    names = [f"p{i}.png" for i in range(ITEMS)]
    labels = [CLASSES[0 if i % 3 == 0 else 1 if i % 3 == 1 else 2] for i in range(ITEMS)]
    for model, lead in (("a", 0.8), ("b", 1.6)):
        rows = scores_of(lead)
        write_csv(folder / f"{model}.csv", ["path", *CLASSES], [[n, *r] for n, r in zip(names, rows)])
        write_npy(folder / f"{model}.npy", rows)
    write_csv(folder / "items.csv", ["path", "labels"], zip(names, labels))
    (folder / "classes.txt").write_text("\n".join(CLASSES) + "\n")
    write_csv(folder / "sets.csv", ["path", "labels"], [["p0.png", "cat dog"], ["p1.png", "dog"], ["p2.png", "bird cat"]])
    answers = [["anna", "p0.png", "cat", "yes"], ["bert", "p0.png", "cat", "yes"], ["anna", "p1.png", "dog", "no"], ["bert", "p1.png", "dog", "yes"]]
    write_csv(folder / "votes.csv", ["annotator", "item", "label", "answer"], answers)
    for name in ("circle", "ring", "square"):
        (folder / "shapes" / name).mkdir(parents=True)
        for i in range(2):
            write_png(folder / "shapes" / name / f"{i}.png", 48, 40 + 60 * i)


def import_of(model, data_set, out):
    return ["import", f"IN/{model}.csv", "--items", "IN/items.csv", "--dataset-name", data_set, "--name", model, "--kind", "logits", "--out", out, "-q"]


def import_in_shards(model, data_set, out):
    return [*import_of(model, data_set, out), "--shard-rows", "5"]


def import_top(model, data_set, out):
    return [*import_in_shards(model, data_set, out), "--storage", "top2"]


def predict(model, data_set, out):
    return ["predict", "--model", model, "--data", "IN/shapes", "--dataset-name", data_set, "-b", "2", "--shard-rows", "2", "--out", out, "-q"]


# These are stores of another model and of another data set.
OTHERS = (("b", "v1"), ("a", "v2"))
STORES = [import_of(m, d, "OUT/runs") for m in ("a", "b") for d in ("v1", "v2")]
STUDY = [["replicate", "simulate", "--out", "OUT/study", "--classes", "12", "--annotators", "10", "--classifiers", "2"]]
READINGS = ["IN/study/original.csv", "IN/study/replication.csv"]
HITS = ["--hits", "IN/study/original-hits.csv", "IN/study/replication-hits.csv"]


def scenarios(source: Path):
    model = str(source / "tests/cli/shapes/tiny.pt")
    return [
        Scenario("import csv", import_of("a", "v1", "OUT/runs")),
        Scenario(
            "import npy",
            ["import", "IN/a.npy", "--items", "IN/items.csv", "--classes", "IN/classes.txt", "--dataset-name", "v1", "--name", "a", "--kind", "logits", "--out", "OUT/runs", "-q"],
        ),
        Scenario("score", ["score", "IN/runs", "-o", "OUT/score.json"], STORES, parts=("calls", "limits", "damage")),
        Scenario("score csv", ["score", "IN/runs/v1", "--labels", "IN/sets.csv", "-o", "OUT/score.csv"], STORES),
        Scenario("compare", ["compare", "IN/runs/v1/a", "IN/runs/v1/b", "-o", "OUT/compare.json"], STORES),
        Scenario("gap", ["gap", "IN/runs/v1", "IN/runs/v2", "-o", "OUT/gap.json"], STORES),
        Scenario("export", ["export", "IN/runs/v1", "-o", "OUT/items.csv"], STORES),
        Scenario("labels aggregate", ["labels", "aggregate", "IN/votes.csv", "--label-sets", "OUT/sets.csv", "-o", "OUT/votes.json"], parts=("calls", "limits", "cuts")),
        Scenario("labels propose", ["labels", "propose", "IN/runs/v1", "--recall", "0.5", "--questions", "OUT/questions.csv", "-o", "OUT/propose.json"], STORES),
        Scenario("replicate simulate", ["replicate", "simulate", "--out", "OUT/study", "--classes", "5", "--annotators", "8", "--classifiers", "2"]),
        Scenario("replicate adjust", ["replicate", "adjust", *READINGS, *HITS, "-o", "OUT/adjust.json"], STUDY),
        Scenario("patchml", ["patchml", "--whole", "IN/shapes", "--k", "2", "--canvas", "64", "--seed", "1", "--out", "OUT/composites", "-q"]),
        Scenario("predict", predict(model, "shapes", "OUT/runs"), torch=True),
        Scenario("import again", import_in_shards("a", "v1", "OUT/runs"), [import_in_shards(*s, "OUT/others") for s in OTHERS], parts=("resume", "cuts")),
        Scenario("import top-k again", import_top("a", "v1", "OUT/runs"), [import_top(*s, "OUT/others") for s in OTHERS], parts=("resume", "cuts")),
        Scenario("predict again", predict(model, "shapes", "OUT/runs"), [predict(model, "other", "OUT/others")], torch=True, parts=("resume", "cuts")),
    ]
