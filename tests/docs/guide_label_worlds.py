"""Files that the pages about labels and annotators assume: see guide_worlds.py."""
import csv
import itertools
import json
import random
import re
import shutil

import numpy as np
from guide_files import FISH, SHAPES, npy, table, world


@world("competition.md")
def competition(w):
    crawl(w)
    w.images("val", classes=FISH, each=3)


def crawl(w):
    """Two classifiers, and images without labels."""
    w.model("models/a.pt", classes=FISH)
    w.model("models/b.pt", of="tiny", classes=FISH, mistaken=True)
    w.images("crawl", each=40, flat=True)


@world("competition.md#A worked example")
def demo_competition(w):
    """A small version of the result of `assay demo --dir d1`."""
    models = ("standard", "narrow", "shape", "texture", "robust", "overfit", "overfit-scaled", "few")
    w.write("d1/hierarchy.json", json.dumps({"name": "shape", "children": [{"name": one} for one in SHAPES]}))
    for model in models:
        w.store(f"unlabelled/{model}", runs="d1/runs", labels=False)
    w.write("d1/truth/accuracy-unlabelled.csv", table([["model", "accuracy"], *([model, 0.5 + 0.03 * i] for i, model in enumerate(models))]))
    ranked(w, "d1/mad", "d1/runs/unlabelled", "--hierarchy", "d1/hierarchy.json", "--confident", "0.5")


def ranked(w, folder, *given):
    """A competition with all its answers."""
    w.run("mad", "init", folder, *given, "--gold", "0", "-q")
    w.run("mad", "select", folder, "--control", "40", "-q")
    w.run("mad", "questions", folder, "--out", "questions.csv", "-q")
    answered(w)
    w.run("mad", "answers", folder, "answers.csv", "-q")


def answered(w):
    """People answer questions.csv in another tool: answers.csv."""
    with open(w.folder / "questions.csv", newline="") as file:
        questions = [row["question"] for row in csv.DictReader(file)]
    answers = ([one, who, ("yes", "no", "yes")[(i + i // 3) % 3]] for i, one in enumerate(questions) for who in ("ben", "cleo", "dan"))
    w.write("answers.csv", table([["question", "annotator", "answer"], *answers]))


def tagged(w):
    """People note why classifiers fail: tags.csv."""
    with open(w.folder / "questions.csv", newline="") as file:
        images = sorted({row["image"] for row in csv.DictReader(file)})
    w.write("tags.csv", table([["image", "tag"], *([image, ("background", "small")[i % 2]] for i, image in enumerate(images))]))


@world("few-labels.md")
def few_labels(w):
    """Two classifiers on the images of three months, with the camera of each image. Experts have labelled some images in another tool."""
    w.model("a.pt")
    w.model("b.pt", of="tiny")
    w.images("pool", each=40, flat=True)
    names = sorted(path.name for path in (w.folder / "pool").iterdir())
    w.write("pool.csv", table([["path", "camera"], *([f"pool/{name}", ("indoor", "outdoor")[i % 2]] for i, name in enumerate(names))]))
    for runs in ("runs", "runs-april", "runs-may"):
        w.run("predict", "-m", "a.pt", "b.pt", "-d", "pool.csv", "--out", runs, "-q")
    for name in ("labels.csv", "april.csv", "may.csv"):
        w.write(name, table([["path", "label"], *([f"pool/{name}", name.split("_")[0]] for name in names)]))


@world("few-labels.md#Errors of annotators")
def errors_of_annotators(w):
    """A study whose questions three people answered, and questions with known answers."""
    few_labels(w)
    w.run("estimate", "select", "study", "runs/pool", "--draw", "100", "-q")
    with open(w.folder / "study/questions-1.csv", newline="") as file:
        asked = [(row["item"], row["label"]) for row in csv.DictReader(file)]
    items = dict.fromkeys(item for item, _ in asked)
    gold = [(item, shape_in(item) if yes else next(one for one in SHAPES if one != shape_in(item))) for item in items for yes in (1, 0)][:80]
    w.write("gold.csv", table([["image", "label", "answer"], *([item, label, yes_or_no(item, label)] for item, label in gold)]))
    questions = dict.fromkeys(asked + gold)
    w.write("votes.csv", table([["item", "label", "annotator", "answer"], *([item, label, who, yes_or_no(item, label)]
                                                                            for item, label in questions for who in ("ben", "cleo", "dan"))]))


def shape_in(item):
    return item.rsplit("/", 1)[-1].split("_")[0]


def yes_or_no(item, label):
    return "yes" if shape_in(item) == label else "no"


@world("few-labels.md#Add a classifier later")
def classifier_later(w):
    few_labels(w)
    w.run("estimate", "select", "study", "runs/pool", "--draw", "100", "-q")
    w.run("predict", "-m", "a.pt", "--name", "new", "-d", "pool.csv", "--out", "runs", "-q")


@world("few-labels.md#Use the answers of a competition")
def competition_before(w):
    few_labels(w)
    w.run("mad", "init", "mad", "runs/pool", "--distance", "zero-one", "--confident", "0.5", "-k", "5", "--gold", "0", "-q")
    w.run("mad", "select", "mad", "--control", "10", "-q")
    w.run("mad", "questions", "mad", "--out", "questions.csv", "-q")
    answered(w)
    w.run("mad", "answers", "mad", "answers.csv", "-q")


@world("label-kinds.md")
def label_kinds(w):
    w.store("screening/net", names=("benign", "melanoma"))
    names = [f"c{i}" for i in range(10)]
    for model in ("a", "b"):
        w.store(f"cifar10/{model}", names=names)
    truth = w.scores(240, 10)[1]
    w.write("cifar10h-probs.npy", npy((0.91 if c == label else 0.01 for label in truth for c in range(10)), (240, 10)))
    w.write("cifar10h-counts.npy", npy((41 if c == label else 1 for label in truth for c in range(10)), (240, 10), np.int64))
    w.store("val/resnet50", rows=50, names=1000)
    names = [f"fine{i}" for i in range(20)]
    w.store("cifar100/net", names=names)
    w.write("coarse.csv", table([["child", "parent"], *([one, f"coarse{i // 5}"] for i, one in enumerate(names)),
                                 *([f"coarse{i}", "thing"] for i in range(4))]))
    grades = [f"grade{i}" for i in range(5)]
    w.store("retina/net", names=grades)
    w.write("grades.txt", "".join(f"{one}\n" for one in grades))
    sigmoids(w, "coco/net", ("cat", "dog", "bird", "car"))
    w.write("thresholds.csv", table([["class", "threshold"], *([one, 0.4] for one in ("cat", "dog", "bird", "car"))]))


def sigmoids(w, name, names):
    """A store of a classifier with one sigmoid per class."""
    chance = random.Random(8)
    matrix = [int(chance.random() < 0.4) for _ in range(240 * len(names))]
    scores = [chance.uniform(0.3, 1) if one else chance.uniform(0, 0.7) for one in matrix]
    w.store(name, names=names, scores=scores, matrix=matrix, kind="probabilities", more=("--force",))


@world("labelling.md")
def labelling(w):
    """A competition with questions, and two files of questions."""
    crawl(w)
    w.run("predict", "-m", "models/a.pt", "models/b.pt", "-d", "crawl", "--storage", "label", "--out", "runs", "-q")
    w.run("mad", "init", "mad", "runs/crawl", "-q")
    w.run("mad", "select", "mad", "--control", "10", "-q")
    w.run("mad", "questions", "mad", "-q")
    names = sorted(path.name for path in (w.folder / "crawl").iterdir())[:12]
    pairs = [(name, label) for name in names for label in ("circle", "ring")]
    for questions in ("grids.csv", "questions.csv"):
        w.write(questions, table([["item", "path", "label"], *([name, f"crawl/{name}", label] for name, label in pairs)]))
    w.write("votes.json", json.dumps([{"image": f"crawl/{name}", "label": label, "choice": "yes", "annotator": who}
                                      for name, label in pairs for who in (1, 2)]))  # The format is Label Studio's JSON-MIN.


@world("multilabel.md")
def multilabel(w):
    for dataset, prefix in (("val", ""), ("v1", ""), ("v2", "v2-"), ("imagenet-v1", ""), ("imagenet-v2", "v2-")):
        for model in ("a", "b"):
            w.store(f"{dataset}/{model}", ids=prefix, skill=4.0)
    composites(w)
    w.write("coarse.csv", table([["child", "parent"], *([shape, f"kind{i // 2}"] for i, shape in enumerate(SHAPES)),
                                 *([f"kind{i}", "shape"] for i in range(3))]))
    w.label_sets("real.json", most=5)
    w.label_sets("v2-labels.csv", most=5, prefix="v2-")
    w.write("published.csv", table([["model", *(f"{metric}_{v}" for metric in ("top1", "real", "asma") for v in ("v1", "v2")), "asma_patchml"],
                                    ["resnet50", 76.13, 63.20, 82.90, 71.01, 55.12, 52.87, 40.0],
                                    ["vit", 81.1, 69.2, 86.0, 76.3, 60.0, 57.1, 45.0],
                                    ["mobilenet", 71.9, 59.3, 79.2, 67.3, 51.1, 48.0, 37.5]]))


def composites(w):
    """Stores of two seeds of `assay patchml`, with 2, 3, 4 and 6 of ten classes in an image, and all but one of them."""
    names = [f"c{i}" for i in range(10)]
    counts = (2, 3, 4, 6, 9)
    for seed, model in itertools.product((1, 2), ("a", "b")):
        chance = random.Random(seed)
        matrix = []
        for i in range(200):
            valid = chance.sample(range(10), counts[i % len(counts)])
            matrix += [int(c in valid) for c in range(10)]
        w.store(f"patchml-seed{seed}/{model}", names=names, rows=200, ids=f"patchml-seed{seed}-", matrix=matrix,
                scores=[chance.gauss(3 * valid, 1) for valid in matrix])


@world("paper.md")
def paper(w):
    """The configurations are the page's own."""
    multilabel(w)
    blocks = re.findall(r"^```toml\n(.*?)^```$", (w.source / "docs/paper.md").read_text(), re.MULTILINE | re.DOTALL)
    w.write("assay.toml", blocks[0])


@world("paper.md#Bias of a replication")
def paper_of_a_replication(w):
    w.run("replicate", "simulate", "--out", "study", "--classes", 24, "--images", 4, "--annotators", 6, "--classifiers", 3)
    for name in ("original", "replication"):
        shutil.copy(w.folder / f"study/{name}.csv", w.folder)
    w.write("bias.toml", "[paper]\noriginal = 'original.csv'\nreplication = 'replication.csv'\nhits1 = 'study/original-hits.csv'\n"
            "hits2 = 'study/replication-hits.csv'\n")


@world("paper.md#Nine dimensions of quality")
def paper_of_quality(w):
    w.write("quality.toml", "[paper]\nquality = 'published'\ngroups = ['architecture=CNN | architecture=Transformer']\n"
            "by = 'architecture'\nformats = ['svg']\n")


@world("paper.md#MAD competitions")
def paper_of_a_competition(w):
    """The configuration is the page's own."""
    models = [f"net{i}" for i in range(4)]
    w.images("crawl", each=40, flat=True)
    w.images("val", each=3)
    ids = sorted(path.name for path in (w.folder / "crawl").iterdir())
    for model in models:
        w.store(f"crawl/{model}", rows=240, ids=ids, labels=False)
    w.write("hierarchy.json", json.dumps({"name": "shape", "children": [{"name": one} for one in SHAPES]}))
    ranked(w, "mad", "runs/crawl", "--hierarchy", "hierarchy.json", "--confident", "0.5", "--images", "crawl")
    tagged(w)
    w.write("accuracies.csv", table([["model", "accuracy"], *([model, 0.5 + 0.03 * i] for i, model in enumerate(models))]))
    blocks = re.findall(r"^```toml\n(.*?)^```$", (w.source / "docs/paper.md").read_text(), re.MULTILINE | re.DOTALL)
    w.write("competition.toml", next(block for block in blocks if "competition =" in block))


@world("multilabel.md#Classifiers with a sigmoid for each class")
def sigmoid_classifiers(w):
    chance = random.Random(9)
    matrix = [int(chance.random() < 0.2) for _ in range(200 * 10)]
    w.write("matrix.npy", npy(matrix, (200, 10), np.uint8))
    w.write("logits.npy", npy((chance.gauss(4 * one - 2, 1) for one in matrix), (200, 10)))
    w.write("sigmoids.npy", npy((min(0.99, max(0.01, chance.gauss(0.6 * one + 0.2, 0.1))) for one in matrix), (200, 10)))


@world("multilabel.md#The gap between two data sets")
def gaps(w):
    multilabel(w)


@world("multilabel.md#Values from votes")
def values_from_votes(w):
    for model in ("a", "b"):
        w.store(f"val/{model}")
    w.votes("votes.csv")
    w.label_sets("experts.csv", rows=150)


@world("multilabel.md#Label sets from people's answers")
def sets_from_answers(w):
    names = ("n01440764", *FISH[1:])
    ids = [f"{names[c]}/img_{i:04}.JPEG" for i, c in enumerate(w.scores(240, 6)[1])]
    for model in ("a", "b"):
        w.store(f"val/{model}", names=names, ids=ids)
    w.votes("votes.csv", ids=ids, names=names)
    w.images("images", classes=names)
    for path, one in zip(sorted((w.folder / "images").rglob("*.png")), range(12)):
        path.rename(path.parent / f"x{one}.png")
    for i, one in enumerate(ids):
        (w.folder / "images" / one).write_bytes((w.drawn / "circle/circle_0000.png").read_bytes())
    truth = w.scores(240, 6)[1]
    questions = [[f"val_{i:04}.JPEG", str(c * 190)] for i in range(240) for c in (truth[i], (truth[i] + 1) % 6)]
    for name, seed in (("raters.npz", 1), ("golden.npz", 2)):
        chance, tensor = random.Random(seed), []
        for who, q in itertools.product(range(5), range(len(questions))):
            yes = (q % 2 == 0) != (chance.random() < 0.1)
            tensor += [int(not yes), 0, int(yes)]
        np.savez(w.folder / name, tensor=np.array(tensor, np.uint8).reshape(5, len(questions), 3), info=np.array(questions))
    w.write("val.csv", table([["path", "label"], *([f"val_{i:04}.JPEG", c * 190] for i, c in enumerate(truth))]))


@world("multilabel.md#Votes that name a class")
def chosen_classes(w):
    answers = {"1.png": "cat cat dog", "2.png": "dog dog cat", "3.png": "cat cat cat", "4.png": "dog - cat", "5.png": "dog dog cat"}
    rows = [[image, who, one] for image, text in answers.items() for who, one in zip(("anna", "bert", "cleo"), text.split()) if one != "-"]
    w.write("votes.csv", table([["image", "annotator", "class"], *rows]))


@world("multilabel.md#Composites with a known number of objects")
def patchml(w):
    boxed(w, "ILSVRC/Data/CLS-LOC/val", "ILSVRC/Annotations/CLS-LOC/val")
    w.images("images", classes=FISH, each=3)
    w.model("resnet50.pt", classes=FISH)


def boxed(w, images, annotations):
    """A small version of ImageNet's validation set: a flat folder of images, and an XML file for each."""
    for i in range(30):
        name = f"ILSVRC2012_val_{i + 1:08}"
        shape = SHAPES[i % 6]
        w.write(f"{images}/{name}.JPEG", (w.drawn / shape / f"{shape}_{i // 6:04}.png").read_bytes())
        box = "<bndbox><xmin>10</xmin><ymin>10</ymin><xmax>80</xmax><ymax>80</ymax></bndbox>"
        size = "<size><width>96</width><height>96</height><depth>3</depth></size>"
        w.write(f"{annotations}/{name}.xml", f"<annotation><filename>{name}</filename>{size}"
                f"<object><name>{FISH[i % 6]}</name>{box}</object></annotation>")


@world("suspect-labels.md")
def suspect_labels(w):
    """Two networks and their images. Two images are in the folder of another class."""
    w.model("a.pt")
    w.model("b.pt", of="tiny")
    w.images("val", each=30)
    shutil.copy(w.drawn / "ring/ring_0050.png", w.folder / "val/circle")
    shutil.copy(w.drawn / "cross/cross_0050.png", w.folder / "val/stripes")
    w.run("predict", "-m", "a.pt", "b.pt", "-d", "val", "--out", "runs", "-q")


# Steps that people do in other tools before a command.
BEFORE = {
    ("competition.md", "assay mad answers mad answers.csv"): answered,
    ("competition.md", "assay mad rank mad --tags tags.csv"): tagged,
}
