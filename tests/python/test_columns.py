"""Tables of predictions with a column that is missing, duplicated or moved. They give the same numbers or are refused, and never
give other numbers silently.

ASSAY_WRITE=1 writes the outcomes into the table of docs/formats.md. Otherwise the test compares both.
"""
import csv
import io
import json
import os
import pathlib
import subprocess
import unittest

import numpy as np

from common import PROGRAM, InFolder

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
TOOLS = ROOT / "tests/store/fixtures/tools"
DOCS = ROOT / "docs/formats.md"
BEGIN, END = "<!-- begin of what test_columns.py found -->\n", "<!-- end of what test_columns.py found -->\n"
CLASSES = ["cat", "dog", "emu"]
ROWS = 12


def made_columns():
    """For each layout, the names of its columns with their cells."""
    random = np.random.default_rng(3)
    y = np.arange(ROWS) % 3
    logits = np.round(random.normal(size=(ROWS, 3)) * 2 + 2 * np.eye(3)[y], 3)
    probabilities = np.exp(logits)
    probabilities /= probabilities.sum(1, keepdims=True)
    ids = [f"img_{i:02}.jpg" for i in range(ROWS)]
    numbers, names = [str(v) for v in y], [CLASSES[v] for v in y]
    best = np.argsort(-logits, axis=1)
    predicted, predicted_names = [str(v) for v in best[:, 0]], [CLASSES[v] for v in best[:, 0]]

    def cells(values):
        return [repr(float(v)) for v in values]

    layouts = {}
    for kind, scores in (("probabilities", probabilities), ("logits", logits)):
        named = [(name, cells(scores[:, c])) for c, name in enumerate(CLASSES)]
        counted = [(f"c{c}", cells(scores[:, c])) for c in range(3)]
        prefix = "prob" if kind == "probabilities" else "logit"
        prefixed = [(f"{prefix}_{name}", cells) for name, cells in named]
        highest = cells(probabilities.max(1))
        for layout, columns in {
            "id, label by name, classes": [("id", ids), ("label", names), *named],
            "id, label by number, classes": [("id", ids), ("label", numbers), *named],
            "id, c0 to c2, label": [("id", ids), *counted, ("label", numbers)],
            "filename, y_true, y_pred, classes with a prefix": [("filename", ids), ("y_true", names), ("y_pred", predicted_names), *prefixed],
            "filename, label, confidence, classes": [("filename", ids), ("label", names), ("confidence", highest), *named],
            "pandas' index, filename, classes, label": [("", [str(i) for i in range(ROWS)]), ("filename", ids), *named, ("label", names)],
            "id, classes": [("id", ids), *named],
        }.items():
            layouts[f"{layout}; {kind}"] = columns
    layouts["Filename, Predictions"] = [("Filename", ids), ("Predictions", predicted_names)]
    layouts["filename, y_true, y_pred"] = [("filename", ids), ("y_true", names), ("y_pred", predicted_names)]
    layouts["filename, label, prediction"] = [("filename", ids), ("label", names), ("prediction", predicted_names)]
    layouts["filename, target, pred by number"] = [("filename", ids), ("target", numbers), ("pred", predicted)]
    layouts["filename, y_true, prob of class 1"] = [("filename", ids), ("y_true", [str(int(v == 1)) for v in y]), ("prob", cells(probabilities[:, 1]))]
    two = np.take_along_axis(probabilities, best, 1)
    layouts["filename, index_0, index_1, prob_0, prob_1"] = [
        ("filename", ids),
        *[(f"index_{k}", [str(v) for v in best[:, k]]) for k in range(2)],
        *[(f"prob_{k}", cells(two[:, k])) for k in range(2)],
    ]
    layouts["filename, index and prob in lists, target"] = [
        ("filename", ids),
        ("index", [f"[{a} {b}]" for a, b in best[:, :2]]),
        ("prob", [f"[{a!r} {b!r}]" for a, b in two[:, :2].tolist()]),
        ("target", numbers),
    ]
    lines = [(ids[i], str(best[i, k]), repr(float(two[i, k]))) for i in range(ROWS) for k in range(2)]
    layouts["filename, index, prob: a line per entry"] = list(zip(("filename", "index", "prob"), map(list, zip(*lines))))
    return layouts


def columns_of(path, separator=","):
    """The columns of a table written by a tool."""
    with open(path, newline="", encoding="utf-8-sig") as file:
        header, *rows = csv.reader(file, delimiter=separator)
    return [(name, [row[c] for row in rows]) for c, name in enumerate(header)]


def text_of(columns, separator=","):
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator="\n")
    writer.writerow([name for name, _ in columns])
    writer.writerows(zip(*[cells for _, cells in columns]))
    return out.getvalue()


def lines_of(columns, separator=","):
    """JSON lines, in which a name may occur twice."""

    def value(cell):
        if cell.startswith("["):
            return "[" + ", ".join(cell[1:-1].split(" ")) + "]"
        try:
            return json.dumps(json.loads(cell))
        except ValueError:
            return json.dumps(cell)

    rows = zip(*[cells for _, cells in columns])
    return "".join("{" + ", ".join(f"{json.dumps(name)}: {value(cell)}" for (name, _), cell in zip(columns, row)) + "}\n" for row in rows)


def changes(columns):
    """Yields (change, changed column, resulting columns)."""
    for i, (name, cells) in enumerate(columns):
        rest = columns[:i] + columns[i + 1 :]
        yield "missing", name, rest
        yield "twice", name, [*columns, (name, cells)]
        yield "twice", name, [*columns[: i + 1], (name, cells[1:] + cells[:1]), *columns[i + 1 :]]
        yield "called .1", name, [*columns, (f"{name or 'Unnamed: 0'}.1", cells)]
        yield "moved", name, [(name, cells), *rest]
        yield "moved", name, [*rest, (name, cells)]
    yield "moved", columns[0][0], columns[::-1]


class Reading:
    """The contents of an imported store, which are the label and the scores of each image, by class name."""

    def __init__(self, folder, said):
        dataset = json.loads((folder / "v/dataset.json").read_text())
        self.said = said
        self.kind = json.loads((folder / "v/m/manifest.json").read_text())["kind"]
        stored = np.load(folder / "v/m/shards/000000.npy")
        names = dataset["classes"]["ids"]
        self.classes = len(names)
        with open(folder / "v/items.csv", newline="") as file:
            items = list(csv.DictReader(file))
        self.ids = [item["id"] for item in items]
        self.labels = [[names[int(c)] for c in item["labels"].split()] for item in items]
        if stored.dtype.names:
            first, second = stored.dtype.names
            self.scores = [{names[c]: s for c, s in zip(np.atleast_1d(row[first]), np.atleast_1d(row[second]))} for row in stored]
        else:
            self.scores = [dict(zip(names, row)) for row in stored]

    def labelled(self):
        return any(self.labels)

    def same_scores(self, other):
        return len(self.scores) == len(other.scores) and all(
            a.keys() == b.keys() and all(abs(a[c] - b[c]) < 1e-6 for c in a) for a, b in zip(self.scores, other.scores)
        )


class Columns(InFolder):
    def read(self, name, columns, write, ending, options):
        number = next(self.numbers)
        file = self.folder / f"f{number}{ending}"
        file.write_text(write(columns, "\t" if ending == ".tsv" else ";" if name.endswith("semicolons") else ","))
        out = self.folder / f"runs{number}"
        done = subprocess.run(
            [PROGRAM, "import", file, "--dataset-name", "v", "--name", "m", "--out", out, *options], capture_output=True, text=True
        )
        self.assertIn(done.returncode, (0, 2), done.stderr)
        return Reading(out, done.stderr) if done.returncode == 0 else done.stderr

    def outcome(self, before, after, change, column, columns):
        """The outcome in words. Fails if numbers differ without a message."""
        if isinstance(after, str):
            self.assertIn("assay: error: ", after)
            if change in ("missing", "twice"):
                others = all(name in after for name, _ in columns if name != column)
                # Without a list entry or a single class in JSON, the other keys are interpreted differently. So the message says what is
                # needed.
                needs = "needs a class" in after or "call the key `prediction`" in after
                self.assertTrue(column in after or others or needs or "sum" in after or "classes" in after, after)
            return "refused"
        self.assertEqual(before.kind, after.kind)
        numbers = [str(i) for i in range(len(before.ids))]
        self.assertIn(after.ids, (before.ids, numbers))
        words = []
        if after.ids != before.ids:
            self.assertEqual(change, "missing")
            self.assertTrue("no ids given: using row numbers" in after.said or "ids: the column without a name" in after.said, after.said)
            words.append("row numbers, said")
        if after.labels != before.labels:
            self.assertEqual(change, "missing")
            self.assertFalse(after.labelled(), "other labels")
            self.assertNotIn("labels: column", after.said)
            words.append("no labels")
        if not before.same_scores(after):
            # Without labels and with logits (no sums), nothing reveals a missing class. Only the message with the number of columns
            # shows it.
            self.assertEqual((change, before.kind, before.labelled(), after.classes), ("missing", "logits", False, before.classes - 1))
            self.assertIn(f"scores: {after.classes} columns", after.said)
            self.assertTrue(all(a.items() <= b.items() for a, b in zip(after.scores, before.scores)), "other scores")
            words.append("a class less, said")
        return " and ".join(words) or "the same"

    def found(self, name, columns, write, ending, options):
        before = self.read(name, columns, write, ending, options)
        self.assertIsInstance(before, Reading, before)
        if "classes" not in name or "label" in name:
            self.assertEqual(before.labelled(), any(n.lower() in ("label", "y_true", "target") for n, _ in columns))
        outcomes = {}
        for change, column, changed in changes(columns):
            if write is lines_of and change == "moved":
                continue  # the members of a JSON object have no order
            with self.subTest(layout=name, ending=ending, change=change, column=column, names=[n for n, _ in changed]):
                word = self.outcome(before, self.read(name, changed, write, ending, options), change, column, columns)
                outcomes.setdefault((change, column), set()).add(word)
        return outcomes

    def options_of(self, name):
        if "index" in name and "pandas" not in name or "pred by number" in name:
            return ["--class-count", "3"]
        if "prediction" in name.lower() or name.startswith("filename, y_true, y_pred") and "classes" not in name:
            return ["--classes", self.folder / "classes.txt"]
        return []

    def sources(self):
        for name, columns in made_columns().items():
            yield name, "by layout", columns, text_of, ".csv"
        for file, ending in (("pandas.csv", ".csv"), ("pandas_index.csv", ".csv"), ("pandas.tsv", ".tsv"), ("keras_predict.csv", ".csv"), ("keras_results.csv", ".csv")):
            tool = "Keras 3.15.1, pandas 3.1.1" if file.startswith("keras") else "pandas 3.1.1"
            name = f"{file} of the predictions" if file == "keras_results.csv" else file
            yield name, tool, columns_of(TOOLS / file, "\t" if ending == ".tsv" else ","), text_of, ending
        for name, columns in made_columns().items():
            if columns[0][0]:
                yield f"{name}; JSON lines", "by layout", columns, lines_of, ".jsonl"

    def test_every_change_is_harmless_or_refused(self):
        self.numbers = iter(range(1 << 20))
        (self.folder / "classes.txt").write_text("".join(f"{name}\n" for name in CLASSES))
        sources = list(self.sources())
        found = [self.found(name, *source, self.options_of(name)) for name, _, *source in sources]
        rows = ["| layout | written by | a column is missing | twice | twice, the second called `.1` | another order |\n", "|---|---|---|---|---|---|\n"]
        for (name, tool, *_), outcomes in zip(sources, found):
            cells = []
            for change in ("missing", "twice", "called .1", "moved"):
                columns_by_word = {}
                for (done, column), words in outcomes.items():
                    if done == change:
                        columns_by_word.setdefault(" or ".join(sorted(words)), []).append(f"`{column}`" if column else "the index")
                one = len(columns_by_word) == 1
                cells.append("; ".join(word if one else f"{', '.join(columns)}: {word}" for word, columns in columns_by_word.items()))
            rows.append(f"| {name} | {tool} | {' | '.join(cells)} |\n")
        self.compare_with_docs("".join(rows))

    def compare_with_docs(self, table):
        text = DOCS.read_text()
        before, rest = text.split(BEGIN)
        written, after = rest.split(END)
        if os.environ.get("ASSAY_WRITE"):
            DOCS.write_text(before + BEGIN + table + END + after)
        else:
            self.assertEqual(written, table, "ASSAY_WRITE=1 writes the table")


if __name__ == "__main__":
    unittest.main()
