"""assay paper: its numbers beside NumPy's, its files, and what it refuses."""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import numpy as np

PROGRAM = os.environ.get("ASSAY_PROGRAM", "assay")
DOCS = pathlib.Path(__file__).parents[2] / "docs/paper.md"
CLASSES, MODELS = 12, 7
SETS = {"v1": (160, (1, 2, 3)), "v2": (120, (1, 2, 3, 6)), "patchml-seed1": (60, (2, 3)), "patchml-seed2": (60, (2, 3))}


def run(*arguments, status=0, cwd=None):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True, timeout=120, cwd=cwd)
    if done.returncode != status:
        raise AssertionError(f"{arguments}: status {done.returncode}\n{done.stderr}")
    return done.stdout if status == 0 else done.stderr


def paired(first, second):
    first, second = list(first), list(second)
    if len(first) != len(second):
        raise AssertionError(f"{len(first)} beside {len(second)}")
    return zip(first, second)


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def agreement(scores, sets):
    """The proportion of its g labels among the g best classes of each image."""
    return np.array([len(s & set(np.argsort(-row, kind="stable")[: len(s)].tolist())) / len(s) for row, s in paired(scores, sets)])


class Paper(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kept = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.kept.name)
        random = np.random.default_rng(5)
        cls.sets, cls.scores = {}, {}
        for name, (images, numbers) in SETS.items():
            g = [numbers[i % len(numbers)] for i in range(images)]
            sets = cls.sets[name] = [random.choice(CLASSES, n, replace=False).tolist() for n in g]
            ids = [f"{name}-{i}.jpg" for i in range(images)]
            rows = [[one, " ".join(map(str, s))] for one, s in paired(ids, sets)]
            single = [[one, str(s[0])] for one, s in paired(ids, sets)]
            cls.write(f"{name}.csv", "image,labels", rows)
            cls.write("items.csv", "path,labels", rows if name.startswith("patchml") else single)
            for m in range(MODELS):
                truth = np.zeros((images, CLASSES))
                for i, s in enumerate(sets):
                    truth[i, s] = 1
                scores = (truth * (1 + 0.4 * m - 0.3 * (name == "v2")) + random.normal(size=truth.shape)).astype(np.float32)
                cls.scores[name, f"net{m}"] = scores
                np.save(cls.folder / "scores.npy", scores)
                run("import", cls.folder / "scores.npy", "--items", cls.folder / "items.csv", "--dataset-name", name, "--name", f"net{m}",
                    "--kind", "logits", "--out", cls.folder / "runs", "-q")
        cls.config("all", "v1 = 'v1'", "v2 = 'v2'", "labels1 = 'v1.csv'", "labels2 = 'v2.csv'", "composites = 'patchml-seed*'",
                   "composite_subgroups = '2,3'", "formats = ['svg']")
        cls.made = json.loads(run("paper", "multilabel", cls.folder / "all.toml", "--out", cls.folder / "all", "--json", "-q"))
        cls.out = cls.folder / "all"

    @classmethod
    def tearDownClass(cls):
        cls.kept.cleanup()

    @classmethod
    def write(cls, name, head, rows):
        (cls.folder / name).write_text("\n".join([head, *(",".join(row) for row in rows)]) + "\n")

    @classmethod
    def config(cls, name, *lines, runs="runs"):
        (cls.folder / f"{name}.toml").write_text("\n".join([f"out = '{runs}'", "[paper]", *lines]) + "\n")
        return cls.folder / f"{name}.toml"

    def test_every_row_is_listed(self):
        self.assertEqual(self.made["schema"], "assay.paper/1")
        states = {row["row"]: row["state"] for row in self.made["rows"]}
        self.assertEqual({row for row, state in states.items() if state == "not yet"}, {"figure-1", "figure-2", "figure-3", "figure-8"})
        self.assertNotIn("failed", states.values())
        self.assertNotIn("no input", states.values())
        overview, page = (self.out / "README.md").read_text(), DOCS.read_text()
        for row in self.made["rows"]:
            self.assertIn(f"| {row['row']} |", overview)
            self.assertIn(f"| `{row['row']}` |", page)
            for file in row["files"]:
                self.assertGreater((self.out / file).stat().st_size, 0, file)
        listed = {file for row in self.made["rows"] for file in row["files"]} | set(self.made["results"]) | {"README.md", "paper.json"}
        self.assertEqual({path.name for path in self.out.iterdir()}, listed)

    def test_tables_have_the_numbers_of_numpy(self):
        for row, name in paired(table(self.out / "table-1.csv"), ("v1", "v2")):
            sizes = [len(s) for s in self.sets[name]]
            self.assertEqual(row["data set"], name)
            self.assertEqual([int(row[str(g)]) for g in (1, 2, 3)], [sizes.count(g) for g in (1, 2, 3)])
            self.assertEqual(int(row["> 5"]), sum(g > 5 for g in sizes))
        self.assertEqual([[int(row[g]) for g in ("2", "3")] for row in table(self.out / "table-2.csv")], [[30, 30], [30, 30]])
        models = {row["model"]: row for row in table(self.out / "table-4.csv")}
        self.assertEqual(len(models), MODELS)
        asma = {}
        for name, row in models.items():
            top1 = np.mean([s[0] == scores.argmax() for scores, s in paired(self.scores["v1", name], self.sets["v1"])])
            self.assertAlmostEqual(float(row["top-1 v1"]), top1, places=12)
            self.assertLess(float(row["top-1 v1_low"]), top1)
            seeds = []
            for seed in ("patchml-seed1", "patchml-seed2"):
                values = agreement(self.scores[seed, name], [set(s) for s in self.sets[seed]])
                sizes = np.array([len(s) for s in self.sets[seed]])
                seeds.append(np.mean([values[sizes == g].mean() for g in (2, 3)]))
            asma[name] = np.mean(seeds)
            self.assertAlmostEqual(float(row["ASMA patchml-seed*"]), asma[name], places=12)
        order = sorted(asma, key=asma.get, reverse=True)
        self.assertEqual(list(models), order)
        best = table(self.out / "table-3.csv")
        self.assertEqual([row["model"] for row in best], order)
        for row in best:
            self.assertEqual(int(row["change"]), int(row["rank by top1_v1"]) - int(row["rank"]))

    def test_composites_without_scores_count(self):
        scores = self.scores["patchml-seed1", "net0"].copy()
        scores[0] = np.nan
        np.save(self.folder / "scores.npy", scores)
        self.write("items.csv", "path,labels", [[f"{i}.jpg", " ".join(map(str, s))] for i, s in enumerate(self.sets["patchml-seed1"])])
        runs = self.folder / "unscored"
        shutil.copytree(self.folder / "runs", runs)
        run("import", self.folder / "scores.npy", "--items", self.folder / "items.csv", "--dataset-name", "patchml-nan", "--name", "net0",
            "--kind", "logits", "--out", runs, "-q", status=3)
        config = self.config("unscored-composites", "v1 = 'v1'", "v2 = 'v2'", "composites = 'patchml-nan'", "composite_subgroups = '2'",
                             "formats = ['svg']", runs=runs)
        run("paper", "multilabel", config, "--out", self.folder / "unscored-paper", "-q", status=3)
        row, = table(self.folder / "unscored-paper/table-2.csv")
        self.assertEqual((row["2"], row["3"]), ("30", "30"))

    def test_a_gap_of_a_point_is_not_within_it(self):
        self.assertLess(50.2 / 100 - 49.2 / 100, 0.01)  # in binary
        self.write("points.csv", "model,top1_v1,top1_v2", [["point", "50.2", "49.2"], ["less", "50.2", "49.3"]])
        config = self.config("points", "table = 'points.csv'", "formats = ['svg']")
        run("paper", "multilabel", config, "--out", self.folder / "points", "-q")
        self.assertEqual([row["model"] for row in table(self.folder / "points/text-2.csv")], ["less"])
        self.assertEqual([row["within"] for row in table(self.folder / "points/text-1.csv")], ["1"])

    def test_latex_has_one_table(self):
        text = (self.out / "table-4.tex").read_text()
        self.assertEqual(text.count(r"\begin{"), 1)
        self.assertEqual([line for line in text.split(r"\end{tabular}")[1].splitlines() if line and not line.startswith("%")], [])

    def test_long_tables_break_over_pages(self):
        rows = [[f"net{i:02}", str(60 + 0.3 * i), str(50 + 0.3 * i)] for i in range(50)]
        self.write("published.csv", "model,top1_v1,top1_v2", rows)
        config = self.config("published", "table = 'published.csv'", "formats = ['svg']")
        run("paper", "multilabel", config, "--out", self.folder / "published", "-q")
        text = (self.folder / "published/table-4.tex").read_text()
        self.assertTrue(text.split(r"\begin")[1].startswith("{longtable}"))
        self.assertLess(text.index(r"\endfoot"), text.index("net00"))
        states = {row["row"]: row["state"] for row in json.loads((self.folder / "published/paper.json").read_text())["rows"]}
        self.assertEqual((states["table-1"], states["figure-4"], states["figure-5"]), ("no input", "no input", "made"))

    def test_the_command_alone_gives_the_same(self):
        run("plot", "gap-models", self.out / "gap.json", "-o", self.folder / "alone.svg")
        self.assertEqual((self.folder / "alone.svg").read_bytes(), (self.out / "figure-5.svg").read_bytes())
        command = next(row["command"] for row in self.made["rows"] if row["row"] == "figure-5").split(";")[0]
        run(*command.replace("gap.json", str(self.folder / "alone.json")).split()[1:], "-q")
        alone, ours = (json.loads(path.read_text()) for path in (self.folder / "alone.json", self.out / "gap.json"))
        self.assertEqual(alone["models"], ours["models"])

    def test_only_its_own_folder_is_replaced(self):
        config = self.config("again", "v1 = 'v1'", "v2 = 'v2'", "formats = ['svg']")
        out = self.folder / "again"
        run("paper", "multilabel", config, "--out", out, "-q")
        before = (out / "figure-5.svg").read_bytes()
        self.assertIn("--force", run("paper", "multilabel", config, "--out", out, status=2))
        (out / "old.txt").write_text("of an earlier call")
        run("paper", "multilabel", config, "--out", out, "--force", "-q")
        self.assertFalse((out / "old.txt").exists())
        self.assertEqual((out / "figure-5.svg").read_bytes(), before)
        self.assertIn("name a new folder", run("paper", "multilabel", config, "--out", self.folder / "runs", "--force", status=2))
        self.assertEqual([path.name for path in self.folder.iterdir() if path.name.endswith(".tmp")], [])

    def test_a_folder_that_cannot_be_replaced_is_kept(self):
        config = self.config("kept", "v1 = 'v1'", "v2 = 'v2'", "formats = ['svg']")
        out = self.folder / "kept"
        run("paper", "multilabel", config, "--out", out, "-q")
        (out / "old.txt").write_text("of an earlier call")
        self.assertIn(f"cd {self.folder}", run("paper", "multilabel", config, "--out", ".", "--force", status=2, cwd=out))
        (out / "inside").mkdir()
        self.assertIn("current folder", run("paper", "multilabel", config, "--out", "..", "--force", status=2, cwd=out / "inside"))
        self.assertTrue((out / "old.txt").exists())
        empty = self.folder / "empty"
        empty.mkdir()
        self.assertIn("current folder", run("paper", "multilabel", config, "--out", ".", status=2, cwd=empty))
        run("paper", "multilabel", config, "--out", f"{empty}/", "-q")
        self.assertTrue((empty / "paper.json").exists())
        link = self.folder / "link"
        link.symlink_to("kept")
        run("paper", "multilabel", config, "--out", link, "--force", "-q")
        self.assertTrue(link.is_symlink())
        self.assertEqual([(out / name).exists() for name in ("old.txt", "paper.json")], [False, True])
        link.unlink()
        link.symlink_to("nowhere")
        self.assertIn("is a link", run("paper", "multilabel", config, "--out", link, status=2))

    def test_a_paper_json_of_another_tool_is_kept(self):
        config = self.config("other", "v1 = 'v1'", "v2 = 'v2'", "formats = ['svg']")
        out = self.folder / "other"
        out.mkdir()
        for text in ('{"title": "mine"}', '{"schema": "assay.gap/3"}', "[]", "{"):
            (out / "paper.json").write_text(text)
            self.assertIn("contains other files", run("paper", "multilabel", config, "--out", out, "--force", status=2))
            self.assertEqual((out / "paper.json").read_text(), text)

    def test_composites_that_fail_do_not_end_the_others(self):
        for name, why, failed, lines in (
            ("nine", "objects (net0: no value on patchml-seed1: no item has", ["table-3", "figure-7"], ("composites = 'patchml-seed*'",)),
            ("typo", "pathml*", ["table-2", "table-3", "figure-7"], ("composites = 'pathml*'", "composite_subgroups = '2,3'")),
        ):
            config = self.config(name, "v1 = 'v1'", "v2 = 'v2'", "formats = ['svg']", *lines)
            said = run("paper", "multilabel", config, "--out", self.folder / name, "-q", status=3)
            self.assertIn(why, said)
            self.assertEqual("set composite_subgroups in [paper]" in said, name == "nine")
            self.assertIn(f"{', '.join(failed)}: ", said)
            made = json.loads((self.folder / name / "paper.json").read_text())
            rows = {row["row"]: row for row in made["rows"]}
            self.assertEqual([row for row in rows if rows[row]["state"] == "failed"], failed)
            self.assertEqual(len(table(self.folder / name / "table-4.csv")), MODELS)
            self.assertTrue(rows["table-4"]["command"].endswith("--all"))
            self.assertIn("table-4", " ".join(made["warnings"]))

    def test_models_without_composites_and_warnings(self):
        runs = self.folder / "fewer"
        shutil.copytree(self.folder / "runs", runs)
        for store in ("patchml-seed1/net6", "patchml-seed2/net6", "v2/net0"):
            shutil.rmtree(runs / store)
        config = self.config("fewer-models", "v1 = 'v1'", "v2 = 'v2'", "composites = 'patchml-seed*'", "composite_subgroups = '2,3'",
                             "formats = ['svg']", runs=runs)
        done = subprocess.run([PROGRAM, "paper", "multilabel", config, "--out", self.folder / "lacking", "--json", "-q"],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        made = json.loads(done.stdout)
        figure = next(row for row in made["rows"] if row["row"] == "figure-7")
        self.assertEqual(figure["state"], "made")
        self.assertNotIn("--model net6", figure["command"])
        self.assertEqual(figure["command"].count("--model"), 5)  # net1 to net5
        skipped = [text for text in made["warnings"] if "net0" in text and "v1 only" in text]
        self.assertEqual(len(skipped), 1)
        self.assertEqual(done.stderr.count(skipped[0]), 1)
        self.assertIn(f"- {skipped[0]}\n", (self.folder / "lacking/README.md").read_text())

    def test_other_models_do_not_change_the_means(self):
        runs = self.folder / "more"
        shutil.copytree(self.folder / "runs", runs)
        np.save(self.folder / "scores.npy", self.scores["patchml-seed1", "net0"])
        self.write("items.csv", "path,labels", [[f"{i}.jpg", " ".join(map(str, s))] for i, s in enumerate(self.sets["patchml-seed1"])])
        run("import", self.folder / "scores.npy", "--items", self.folder / "items.csv", "--dataset-name", "patchml-seed3", "--name", "other",
            "--kind", "logits", "--out", runs, "-q")
        config = self.config("more-models", "v1 = 'v1'", "v2 = 'v2'", "labels1 = 'v1.csv'", "labels2 = 'v2.csv'",
                             "composites = 'patchml-seed*'", "composite_subgroups = '2,3'", "formats = ['svg']", runs=runs)
        made = json.loads(run("paper", "multilabel", config, "--out", self.folder / "more-made", "--json", "-q"))
        self.assertEqual(table(self.folder / "more-made/table-4.csv"), table(self.out / "table-4.csv"))
        self.assertIn("patchml-seed3 is not in the mean of `patchml-seed*`: no model of the gap has scores on it", made["warnings"])

    def test_runs_are_where_assay_run_writes_them(self):
        below = self.folder / "below"
        below.mkdir()
        (below / "assay.toml").write_text("[paper]\nv1 = 'v1'\nv2 = 'v2'\nformats = ['svg']\n")
        run("paper", "multilabel", "below/assay.toml", "--out", "below/made", "-q", cwd=self.folder)
        self.assertIn("assay gap runs/v1 runs/v2", (below / "made/README.md").read_text())

    def test_commands_say_what_they_print(self):
        rows = {row["row"]: row["command"] for row in self.made["rows"] if row["state"] == "made"}
        self.assertTrue(rows["table-3"].endswith("# the values, without ranks"))
        self.assertIn("--subgroups 2,3 ", rows["table-2"])
        self.assertTrue(rows["text-2"].endswith(" --all"))

    def test_quality(self):
        config = self.config("quality", "quality = 'published'", "groups = ['architecture=CNN | architecture=Transformer']",
                             "by = 'architecture'", "best = 5", "formats = ['svg']")
        out = self.folder / "quality"
        made = json.loads(run("paper", "quality", config, "--out", out, "--json", "-q"))
        page = DOCS.read_text().split("## Nine dimensions of quality")[1]
        for row in made["rows"]:
            self.assertIn(row["state"], ("made", "not yet"), row)
            self.assertIn(f"| `{row['row']}` |", page)
        models = table(out / "table-12.csv")
        values = {name: np.array([float(row[name]) for row in models]) for name in ("accuracy", "C-robustness")}
        self.assertEqual(len(models), 326)

        def ranks(x):  # with the mean rank of equal values
            return (x[:, None] > x).sum(1) + (x[:, None] == x).sum(1) / 2

        pair = next(row for row in table(out / "table-10.csv") if {row["first"], row["second"]} == set(values))
        self.assertAlmostEqual(float(pair["rho"]), np.corrcoef(*map(ranks, values.values()))[0, 1], 12)
        first = next(row for row in table(out / "table-1.csv") if row["dimension"] == "accuracy")
        kept = np.sort(values["accuracy"])[32:-32]
        self.assertEqual((first["models"], float(first["lowest"])), ("326", values["accuracy"].min()))
        self.assertAlmostEqual(float(first["mean"]), kept.mean(), 12)
        self.assertAlmostEqual(float(first["deviation"]), kept.std(), 12)
        best = table(out / "table-3.csv")
        self.assertEqual([row["model"] for row in best], [row["model"] for row in table(out / "table-4.csv")[:5]])
        balanced = next(row for row in table(out / "figure-5.csv") if row["weights"] == "balanced")
        self.assertEqual([balanced[str(place)] for place in range(1, 6)], [row["model"] for row in best])
        groups = json.loads((out / "groups-1.json").read_text())
        alone = json.loads(run("quality", "groups", "published", "--first", "architecture=CNN", "--second", "architecture=Transformer",
                               "--published-test", "--json", "-q"))
        self.assertEqual(groups, alone)
        # The published models have no place among themselves.
        alone = json.loads(run("quality", "score", "published", "--drop-missing", "--json", "-q"))
        self.assertEqual(json.loads((out / "scores.json").read_text()), alone)
        self.assertEqual(len(table(out / "table-2.csv")), 9)

    def test_quality_needs_what_its_rows_show(self):
        (self.folder / "two.csv").write_text("model,accuracy,shape_bias\na,0.5,0.2\nb,0.6,\n")
        config = self.config("two", "quality = 'two.csv'", "formats = ['svg']")
        made = json.loads(run("paper", "quality", config, "--out", self.folder / "two", "--json", "-q"))
        rows = {row["row"]: row for row in made["rows"]}
        self.assertEqual({rows[name]["state"] for name in ("figure-1", "table-2", "figure-13", "table-13")}, {"no input"})
        self.assertIn("groups = [", rows["table-2"]["reason"])
        self.assertEqual(rows["table-12"]["state"], "made")
        accuracy, *_, shape = [row for row in table(self.folder / "two/table-1.csv") if row["models"] != "0"]
        self.assertEqual((accuracy["models"], accuracy["highest"]), ("2", "0.6"))
        self.assertAlmostEqual(float(accuracy["mean"]), 0.55, 12)
        self.assertAlmostEqual(float(accuracy["deviation"]), 0.05, 12)
        self.assertEqual((shape["models"], shape["lowest"]), ("1", "0.2"))

    def test_one_wrong_comparison_does_not_end_the_others(self):
        config = self.config("wrong-group", "quality = 'published'", "formats = ['svg']",
                             "groups = ['architecture=CNN | architecture=Perceiver', 'architecture=CNN | architecture=Transformer']")
        done = subprocess.run([PROGRAM, "paper", "quality", config, "--out", self.folder / "wrong-group", "--json", "-q"],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 3, done.stderr)
        made = json.loads(done.stdout)
        self.assertIn("groups 1 of 2 in [paper]", " ".join(made["warnings"]))
        self.assertEqual(len(table(self.folder / "wrong-group/table-2.csv")), 9)
        self.assertIn("groups-2.json", made["results"])

    def test_a_missing_table_is_not_the_published_one(self):
        config = self.config("missing", "quality = 'tables/published'", "formats = ['svg']")
        self.assertIn("tables/published", run("paper", "quality", config, "--out", self.folder / "missing", "-q", status=2))

    def test_mistakes(self):
        def said(*lines, paper="multilabel"):
            return run("paper", paper, self.config("wrong", *lines), "--out", self.folder / "none", status=2)

        self.assertIn("composites", said("composite = 'a'"))
        self.assertIn("v2 is missing", said("v1 = 'v1'"))
        self.assertIn("set v1 and v2", said("formats = ['svg']"))
        sets = ("v1 = 'v1'", "v2 = 'v2'")
        for key, lines in (("labels1", ("labels1 = 'v1.csv'",)), ("labels2", ("labels2 = 'v2.csv'",)),
                           ("composites", ("composites = 'a*'",)),
                           ("composite_subgroups", (*sets, "composite_subgroups = '2'")),
                           ("composite_subgroups", ("table = 't.csv'", "composites = 'a'", "composite-subgroups = '2'")),
                           ("ties", (*sets, "ties = 'standard'")), ("best", (*sets, "best = 3")),
                           ("methods", (*sets, "methods = ['pl']"))):
            self.assertIn(f"[paper].{key} has no effect without", said(*lines))
        self.assertIn("[paper].best is 0", said("v1 = 'v1'", "v2 = 'v2'", "best = 0"))
        self.assertIn("unknown paper `qualities`; did you mean `quality`?", said("formats = ['svg']", paper="qualities"))
        self.assertIn("[paper].groups has `a=b`; allowed: two groups of models", said("quality = 'published'", "groups = ['a=b']"))
        self.assertIn("unknown paper", said("formats = ['svg']", paper="multilabels"))
        self.assertIn("original", said("v1 = 'v1'", "v2 = 'v2'", paper="replication"))
        self.assertIn("no data set `v11`", said("v1 = 'v11'", "v2 = 'v2'"))
        self.assertFalse((self.folder / "none").exists())

    def test_replication(self):
        study = self.folder / "study"
        run("replicate", "simulate", "--out", study, "--classes", 24, "--images", 4, "--annotators", 6, "--classifiers", 3, "-q")
        config = self.config("bias", *(f"{key} = 'study/{file}.csv'" for key, file in (
            ("original", "original"), ("replication", "replication"), ("hits1", "original-hits"), ("hits2", "replication-hits"))),
            "formats = ['svg']")
        made = json.loads(run("paper", "replication", config, "--out", self.folder / "bias", "--json", "-q"))
        page = DOCS.read_text()
        for row in made["rows"]:
            self.assertIn(row["state"], ("made", "not yet"), row)
            self.assertIn(f"| `{row['row']}` |", page)
        adjusted = json.loads((self.folder / "bias/adjust.json").read_text())
        for row, classifier in paired(table(self.folder / "bias/table-2.csv"), adjusted["classifiers"]):
            self.assertEqual(row["model"], classifier["name"])
            self.assertEqual(float(row["original"]), classifier["original"]["value"])
        files = [self.folder / "study" / f"{name}.csv" for name in ("original", "replication", "original-hits", "replication-hits")]
        alone = json.loads(run("replicate", "adjust", *files[:2], "--hits", *files[2:], "--json", "-q"))
        self.assertGreater(len(adjusted["sweep"]), 0)
        self.assertEqual(adjusted["sweep"], alone["sweep"])


if __name__ == "__main__":
    unittest.main()
