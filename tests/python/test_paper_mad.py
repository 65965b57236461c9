"""assay paper mad: a competition whose order is known, beside the ranks of the paper's Table 1."""
import csv
import json
import os
import pathlib
import shlex
import struct
import subprocess
import tempfile
import unittest
import zlib

import numpy as np

PROGRAM = os.environ.get("ASSAY_PROGRAM", "assay")
DOCS = pathlib.Path(__file__).parents[2] / "docs/paper.md"
# Wang et al. 2020, Table 1: rank by accuracy and by MAD. Spearman's correlation of these ranks is .873.
PUBLISHED = {"wsl": (1, 2), "b7": (2, 1), "pnas": (3, 7), "nas": (4, 4), "senet": (5, 3), "wrn": (6, 6), "se101": (7, 5), "rx101": (8, 8),
             "r101": (9, 10), "vgg": (10, 9), "r34": (11, 11)}
CLASSES = ("cat", "dog", "car", "cup")
PER_PAIR = 4


def run(*arguments, status=0, cwd=None):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=cwd)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: status {done.returncode}\n{done.stderr}")
    return done.stdout if status == 0 else done.stderr


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def png(grey):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = (b"\0" + bytes([grey]) * 16) * 16
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 16, 16, 8, 0, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + \
        chunk(b"IEND", b"")


class PaperOfACompetition(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.kept.name)
        names = list(PUBLISHED)
        pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1:]]
        images = [(pair, place) for pair in pairs for place in range(PER_PAIR)]
        # The better one of a pair is correct on its images. The other one takes a sibling class on two, and a far one on two.
        cls.truth = {f"{i:03}.png": i % 4 for i in range(len(images))}
        scores = {name: np.full((len(images), 4), 0.2, np.float32) for name in names}
        for i, ((a, b), place) in enumerate(images):
            true = i % 4
            wrong = true ^ (1 if place < 2 else 2)  # 0 and 1 are animals
            for name in names:
                scores[name][i, true] = 0.4
            worse = max(a, b, key=lambda name: PUBLISHED[name][1])
            for name in (a, b):
                scores[name][i] = 0.01
                scores[name][i, wrong if name == worse else true] = 0.97
        (cls.folder / "photos").mkdir()
        for i, name in enumerate(cls.truth):
            (cls.folder / "photos" / name).write_bytes(png(i))
        for i in range(8):
            (cls.folder / "val" / CLASSES[i % 4]).mkdir(parents=True, exist_ok=True)
            (cls.folder / "val" / CLASSES[i % 4] / f"{i}.png").write_bytes(png(200 + i))
        cls.write("items.csv", "path", [[name] for name in cls.truth])
        cls.write("hierarchy.csv", "child,parent", [["cat", "animal"], ["dog", "animal"], ["car", "thing"], ["cup", "thing"],
                                                   ["animal", "all"], ["thing", "all"]])
        (cls.folder / "classes.txt").write_text("\n".join(CLASSES) + "\n")
        for name in names:
            np.save(cls.folder / "scores.npy", scores[name])
            run("import", cls.folder / "scores.npy", "--items", cls.folder / "items.csv", "--dataset-name", "crawl", "--name", name, "--kind",
                "probabilities", "--classes", cls.folder / "classes.txt", "--out", cls.folder / "runs", "-q")
        cls.competition("mad", "--distance", "tree-path", "--hierarchy", cls.folder / "hierarchy.csv")
        cls.answer("mad")
        cls.write("accuracies.csv", "model,rank", [[name, str(rank)] for name, (rank, _) in PUBLISHED.items()])
        cls.write("tags.csv", "image,tag", [["000.png", "small"], ["001.png", "small"], ["004.png", "drawn"]])
        cls.out = cls.folder / "made"
        cls.made = cls.paper("made", "competition = 'mad'", "against = 'accuracies.csv'", "tags = 'tags.csv'", "beside = 'val'",
                             "formats = ['svg', 'png']")
        cls.rows = {row["row"]: row for row in cls.made["rows"]}

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    @classmethod
    def write(cls, name, head, rows):
        (cls.folder / name).write_text("\n".join([head, *(",".join(row) for row in rows)]) + "\n")

    @classmethod
    def competition(cls, name, *options):
        run("mad", "init", cls.folder / name, cls.folder / "runs", *options, "-k", PER_PAIR, "--cap-mode", "none", "--threshold", 0.8, "--gold",
            0, "--images", cls.folder / "photos", "-q")
        run("mad", "select", cls.folder / name, "-q")
        run("mad", "questions", cls.folder / name, "--out", cls.folder / "questions.csv", "-q")

    @classmethod
    def answer(cls, name, most=None, tags=None):
        rows = [[row["question"], who, "yes" if CLASSES[cls.truth[row["image"]]] == row["label"] else "no", (tags or {}).get(row["image"], "")]
                for row in table(cls.folder / "questions.csv")[:most] for who in ("ann", "ben", "cy")]
        cls.write("answers.csv", "question,annotator,answer,tags", rows)
        run("mad", "answers", cls.folder / name, cls.folder / "answers.csv", "-q")

    @classmethod
    def paper(cls, name, *lines, status=0):
        (cls.folder / f"{name}.toml").write_text("\n".join(["[paper]", *lines]) + "\n")
        said = run("paper", "mad", cls.folder / f"{name}.toml", "--out", cls.folder / name, "--json", "-q", status=status)
        return json.loads((cls.folder / name / "paper.json").read_text()) if status in (0, 3) else said

    def test_every_row_is_listed(self):
        states = {row: part["state"] for row, part in self.rows.items()}
        self.assertEqual({row for row, state in states.items() if state != "made"}, {"figure-1"})
        overview, page = (self.out / "README.md").read_text(), DOCS.read_text()
        for row, part in self.rows.items():
            self.assertIn(f"| {row} |", overview)
            self.assertIn(f"| `{row}` |", page.split("## MAD competitions")[1])
            self.assertEqual("reason" in part, part["state"] != "made")
        listed = {file for part in self.made["rows"] for file in part["files"]} | set(self.made["results"]) | {"README.md", "paper.json"}
        self.assertEqual({path.name for path in self.out.iterdir()}, listed)
        self.assertEqual(set(self.made["results"]), {"ranking.json", "nearest.json", "farthest.json"})

    def test_ranks_are_those_of_table_1(self):
        rows = table(self.out / "table-1.csv")
        self.assertEqual([row["classifier"] for row in rows], sorted(PUBLISHED, key=lambda name: PUBLISHED[name][1]))
        for row in rows:
            accuracy, mad = PUBLISHED[row["classifier"]]
            self.assertEqual((float(row["rank by accuracies"]), float(row["rank by MAD"])), (accuracy, mad))
            self.assertEqual(float(row["difference"]), accuracy - mad)
            self.assertLessEqual(float(row["rank by MAD_low"]), mad)
            self.assertGreaterEqual(float(row["rank by MAD_high"]), mad)
        squares = sum((a - b) ** 2 for a, b in PUBLISHED.values())
        correlation, = table(self.out / "text-1.csv")
        self.assertAlmostEqual(float(correlation["SRCC"]), 1 - 6 * squares / (11 * (11**2 - 1)), places=12)
        self.assertEqual(f"{float(correlation['SRCC']):.3f}", "0.873")
        self.assertIn("0.873", (self.out / "table-1.tex").read_text())

    def test_ways_between_labels(self):
        rows = table(self.out / "figure-2.csv")
        # animal is one edge below the root: 1/2 up and 1/2 down; 1/2 + 1 + 1 + 1/2 between an animal and a thing
        ways = {which: [row for row in rows if row["labels"] == which] for which in ("nearest", "farthest")}
        self.assertEqual([float(row["distance so far"]) for row in ways["nearest"]], [0, 0.5, 1])
        self.assertEqual([float(row["distance so far"]) for row in ways["farthest"]], [0, 0.5, 1.5, 2.5, 3])
        self.assertEqual([row["edge"] for row in ways["farthest"]], ["", "up", "up", "down", "down"])
        self.assertEqual(json.loads((self.out / "farthest.json").read_text())["distance"], 3)

    def test_figure_of_the_ways(self):
        self.assertEqual(self.rows["figure-2"]["files"], ["figure-2.csv", "figure-2.tex", "figure-2.svg", "figure-2.png"])
        for one in self.rows["figure-2"]["command"].split("; "):
            run(*shlex.split(one)[1:], cwd=self.folder)
        drawn, other = (self.folder / "figure-2.svg").read_text(), (self.out / "figure-4.svg").read_text()
        self.assertEqual(drawn, (self.out / "figure-2.svg").read_text())
        self.assertNotEqual(drawn, other)
        self.assertEqual((self.out / "figure-2.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_tags(self):
        rows = [row for row in table(self.out / "figure-8.csv") if row["tag"] == "small"]
        # images 0 and 1 are of the pair of wsl (second) and b7 (first)
        self.assertEqual({row["classifier"]: (row["its images"], row["wrong"]) for row in rows if row["its images"] != "0"},
                         {"wsl": ("2", "2"), "b7": ("2", "0")})
        self.assertEqual(self.rows["figure-8-images"]["files"], ["figure-8-images.png", "figure-8-images-2.png"])  # drawn, small

    def test_the_command_alone_gives_the_same(self):
        command = shlex.split(self.rows["figure-7"]["command"])
        self.assertEqual(sorted(command[-2:]), ["b7", "wsl"])  # the two best
        run(*command[1:], "-q", cwd=self.folder)
        sheet, = (self.folder / "sheets").glob("*--*.png")
        self.assertEqual(sheet.read_bytes(), (self.out / "figure-7.png").read_bytes())
        run(*shlex.split(self.rows["figure-8-images"]["command"])[1:], "-q", cwd=self.folder)
        self.assertEqual((self.folder / "sheets/tag-small.png").read_bytes(), (self.out / "figure-8-images-2.png").read_bytes())
        self.assertEqual(self.rows["figure-3"]["files"], ["figure-3.png", *(f"figure-3-{i}.png" for i in (2, 3, 4))])
        run(*shlex.split(self.rows["figure-3"]["command"])[1:], "-q", cwd=self.folder)
        self.assertEqual({path.read_bytes() for path in (self.folder / "sheets").glob("class-*.png")},
                         {(self.out / name).read_bytes() for name in self.rows["figure-3"]["files"]})
        for row in ("figure-4", "figure-5"):
            for number, one in enumerate(self.rows[row]["command"].split("; ")):
                run(*shlex.split(one)[1:], *(() if number else ("-q",)), cwd=self.folder)
            self.assertEqual((self.folder / f"{row}.svg").read_bytes(), (self.out / f"{row}.svg").read_bytes())

    def test_selected_images_beside_labelled_ones(self):
        def gallery(*options, status=0):
            return run("mad", "gallery", self.folder / "mad", "--out", self.folder / "beside", *options, status=status)

        made = json.loads(gallery("--beside", self.folder / "val", "--beside-count", 1, "--json", "-q"))
        self.assertEqual({one["id"] for one in made["classes"]}, set(CLASSES))
        predicted = {name: set() for name in CLASSES}
        for one in made["shown"]:
            for side in ("first_label", "second_label"):
                predicted[one[side]["id"]].add(one["id"])
        for one in made["classes"]:
            self.assertEqual((one["labelled"], one["shown"]), (2, 1))
            self.assertEqual(one["selected"], len(predicted[one["id"]]))
            # Everything is answered with the truth, and the class of an image is predicted for it.
            self.assertEqual((one["yes"], one["open"]), (sum(1 for name in self.truth.values() if CLASSES[name] == one["id"]), 0))
            self.assertEqual(one["yes"] + one["no"], one["selected"])
        self.assertEqual(made["beside"], 4)
        self.assertEqual([one["selected"] for one in made["classes"]], sorted((one["selected"] for one in made["classes"]), reverse=True))
        true = json.loads(gallery("--beside", self.folder / "val", "--class", "dog", "--confirmed", "--json", "-q"))
        dog = next(one for one in made["classes"] if one["id"] == "dog")
        self.assertGreater(dog["no"], 0)
        # All selected images count, but only the confirmed ones are shown.
        self.assertEqual([{**one, "sheet": "", "shown": 0} for one in true["classes"]], [{**dog, "sheet": "", "shown": 0}])
        self.assertEqual({one["id"] for one in true["shown"]}, {name for name, label in self.truth.items() if label == 1})
        (self.folder / "flat").mkdir()
        for name in ("a.png", "b.png"):
            (self.folder / "flat" / name).write_bytes(png(9))
        self.write("flat.csv", "path,label", [["a.png", "dog"], ["b.png", "dog"]])
        listed = ("--beside", self.folder / "flat", "--list", self.folder / "flat.csv")
        self.assertIn("no image of 3 of 4 classes", json.loads(gallery(*listed, "--json", "-q"))["warnings"][0])
        for options, said in ((("--beside", self.folder / "none"), "none"), (("--beside", self.folder / "flat"), "--list labels.csv"),
                              ((*listed, "--class", "cup"), "has no image of 1 wanted class (first: `cup`)"),
                              ((*listed, "--class", "cub"), "did you mean `cup`"), (("--confirmed",), "--beside"),
                              (("--beside", ""), "--beside is empty"),
                              (("--beside", self.folder / "val", "--by-tag"), "--by-tag")):
            self.assertIn(said, gallery(*options, status=2))
        (self.folder / "other" / "zebra").mkdir(parents=True)
        (self.folder / "other" / "zebra" / "a.png").write_bytes(png(9))
        self.assertIn("zebra", gallery("--beside", self.folder / "other", status=2))

    def test_latex_has_one_table(self):
        for file in self.out.glob("*.tex"):
            text = file.read_text()
            self.assertEqual(text.count(r"\begin{"), text.count(r"\end{"))
            self.assertEqual(text.count(r"\begin{tabular}") + text.count(r"\begin{longtable}"), 1, file)

    def test_keys_that_are_missing(self):
        made = self.paper("fewer", "competition = 'mad'", "pair = ['r34', 'vgg']", "formats = ['svg']")
        rows = {row["row"]: row for row in made["rows"]}
        for row, reason in (("table-1", "against"), ("text-1", "against"), ("figure-8", "tags")):
            self.assertEqual(rows[row]["state"], "no input")
            self.assertIn(f"set {reason} in [paper]", rows[row]["reason"])
        self.assertEqual(rows["figure-3"]["reason"], "set beside in [paper] to labelled images")
        for row in ("figure-8", "figure-8-images"):
            self.assertIn("no image has a tag", rows[row]["reason"])
        self.assertTrue(rows["figure-7"]["command"].endswith("--models r34 vgg"))

    def test_tags_of_answers(self):
        self.competition("tagged", "--distance", "tree-path", "--hierarchy", self.folder / "hierarchy.csv")
        self.answer("tagged", tags={"000.png": "small", "001.png": "small", "004.png": "drawn"})
        made = self.paper("own-tags", "competition = 'tagged'", "formats = ['svg']")
        figure, images = (next(row for row in made["rows"] if row["row"] == name) for name in ("figure-8", "figure-8-images"))
        self.assertEqual((figure["state"], "--tags" in figure["command"]), ("made", False))
        self.assertEqual((images["state"], images["command"].endswith("--by-tag")), ("made", True))
        for file in ("figure-8.csv", "figure-8-images.png", "figure-8-images-2.png"):
            self.assertEqual(*((folder / file).read_bytes() for folder in (self.folder / "own-tags", self.out)))

    def test_mistakes(self):
        self.assertIn("set competition", self.paper("wrong", "formats = ['svg']", status=2))
        self.assertIn("[paper].against has no effect without competition", self.paper("wrong", "against = 'a.csv'", status=2))
        self.assertIn("pair must name two", self.paper("wrong", "competition = 'mad'", "pair = ['vgg']", status=2))
        self.assertIn("none", self.paper("wrong", "competition = 'none'", status=2))
        self.assertFalse((self.folder / "wrong").exists())
        made = self.paper("typo", "competition = 'mad'", "pair = ['vgg', 'r35']", "formats = ['svg']", status=3)
        failed = [row for row in made["rows"] if row["state"] == "failed"]
        self.assertEqual([row["row"] for row in failed], ["figure-7"])
        self.assertIn("r34", failed[0]["reason"])

    def test_open_questions_and_no_hierarchy(self):
        self.competition("begun", "--distance", "zero-one")
        self.answer("begun", most=300)
        made = self.paper("part", "competition = 'begun'", "formats = ['svg']", status=3)
        rows = {row["row"]: row for row in made["rows"]}
        self.assertIn("zero-one", rows["figure-2"]["reason"])
        self.assertEqual(rows["figure-2"]["state"], "no input")
        self.assertEqual(rows["figure-4"]["state"], "made")
        self.assertIn("assay mad status", " ".join(made["warnings"]))


if __name__ == "__main__":
    unittest.main()
