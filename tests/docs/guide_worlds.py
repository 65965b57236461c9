"""Makes the files that the pages assume: made-up files with the names on a page, as small as possible.

Each function makes the files of a page, or of a chapter with other data than the previous one (PAGE#TITLE). No numbers are
compared, so all scores are those of made-up classifiers that are often correct. guide_label_worlds.py has the pages about labels.
"""
import csv
import io
import itertools
import json
import pickle
import random
import re
import shutil
import tarfile
import zipfile

import numpy as np
from guide_files import FISH, SHAPES, npy, table, world
from guide_label_worlds import boxed, crawl, ranked


@world("README.md")
def readme(w):
    w.model("mobilenet_v2_1.00_224.pt", "resnet50.pt")
    w.images("photographs")
    w.images("imagenet/val")
    ids = [f"{shape}/{shape}_{i:04}.png" for shape in SHAPES for i in range(2)]
    truth = [c for c in range(6) for _ in range(2)]
    w.write("logits.npy", npy(w.scores(12, 6)[0], (12, 6)))
    w.write("val.csv", table([["id", "label"], *zip(ids, truth)]))
    for name in ("val/v1", "val/v2"):
        w.store(name, rows=12, ids=ids, truth=truth, skill=20.0)
    w.store("imagenet_sample/mobilenet_v2_1.00_224")


@world("archives.md")
def archives(w):
    w.model("m.pt")
    w.images("val")
    files = sorted((w.folder / "val").rglob("*.png"))
    for i in range(64):
        with tarfile.open(w.folder / f"imagenet-validation-{i:02}.tar", "w") as tar:
            path = files[i % len(files)]
            for suffix, content in ((".png", path.read_bytes()), (".cls", str(SHAPES.index(path.parent.name)).encode())):
                member = tarfile.TarInfo(f"{i:05}{suffix}")
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
    (w.folder / "cifar10").mkdir()
    for i in range(3):
        shutil.copy(w.folder / f"imagenet-validation-{i:02}.tar", w.folder / "cifar10" / f"{i}.tar")
    with zipfile.ZipFile(w.folder / "val.zip", "w") as out:
        for path in files:
            out.write(path, path.relative_to(w.folder))
    np.savez(w.folder / "mnist.npz", x_test=np.arange(12 * 784, dtype=np.uint8).reshape(12, 28, 28), y_test=np.arange(12, dtype=np.uint8) % 6)


@world("attacks.md")
def attacks(w):
    w.model("m.pt", "a.pt")
    w.model("b.pt", of="tiny")
    w.images("imagenet/val", each=1, classes=SHAPES[:3])


@world("certify.md")
def certify(w):
    w.model("m.pt")
    w.images("imagenet/val", each=1, classes=SHAPES[:3])


@world("calibration.md")
def calibration(w):
    truth = [i % 6 for i in range(60)]
    for model in ("resnet50", "vit-b16", "net", "net-flipped"):
        w.store(f"val/{model}", rows=60, ids=[f"{i}" for i in range(60)], truth=truth)
        w.store(f"test/{model}", ids="t")
    chance = random.Random(3)
    w.write("tta.npy", npy((chance.gauss(0, 2) for _ in range(60 * 4 * 6)), (60, 4, 6)))
    w.write("labels.npy", npy(truth, (60,), np.int64))


@world("clusters.md")
def clusters(w):
    """The other machines have finished their parts."""
    w.model("resnet50.pt")
    w.images("imagenet/val", each=20)
    for part in (1, 2, 3, 4, 5, 6, 8):
        w.run("predict", "-m", "resnet50.pt", "-d", "imagenet/val", "--out", "runs", "--part", f"{part}/8", "-q")


@world("conformal.md")
def conformal(w):
    for dataset in ("val", "test"):
        w.store(f"{dataset}/resnet50", rows=600, ids=dataset)


@world("cost.md")
def cost(w):
    w.model("resnet50.pt", "a.pt", "b.onnx", "vit.onnx")
    with zipfile.ZipFile(w.source / "tests/model/fixtures/pt2_open_sides.pt2") as given, zipfile.ZipFile(w.folder / "c.pt2", "w") as out:
        for name in given.namelist():  # the model accepts sides up to 40
            out.writestr(name, re.sub(rb'("max_val": ?)40\b', rb"\g<1>400", given.read(name)) if name.endswith(".json") else given.read(name))


@world("eval.md")
def evaluation(w):
    w.model("resnet50.pt")
    w.images("imagenet/val")


@world("groups.md")
def groups(w):
    columns = {"camera": lambda i: ("indoor", "outdoor")[i % 2], "sex": lambda i: "fm"[i // 2 % 2], "hospital": lambda i: f"h{i % 3}",
               "patient": lambda i: f"p{i // 4}"}
    for model in ("a", "b"):
        w.store(f"val/{model}", columns=columns, skill=4.0)


@world("groups.md#Two models by group")
def two_models(w):
    for model, skill in (("old", 1.0), ("new", 5.0)):
        w.store(f"val/{model}", skill=skill, columns={"camera": lambda i: ("indoor", "outdoor")[i % 2], "hospital": lambda i: f"h{i % 3}",
                                                      "patient": lambda i: f"p{i // 4}"})


@world("groups.md#Two data sets by group")
def two_data_sets(w):
    for data in ("v1", "v2"):
        w.store(f"{data}/a", columns={"camera": lambda i: ("indoor", "outdoor")[i % 2]}, ids=data)


@world("groups.md#Images with weights")
def weighted(w):
    for model, skill in (("old", 5.0), ("new", 6.0)):
        w.store(f"val/{model}", columns={"weight": lambda i: 1 + i % 3}, skill=skill)


@world("index.md")
def index(w):
    w.model("resnet50.pt", "mobilenet.onnx")
    w.images("imagenet/val")
    w.images("photographs")


@world("inspect.md")
def inspect(w):
    w.images("imagenet/val")
    w.images("train", first=4)
    w.images("test")
    w.write("classes.txt", "".join(f"{name}\n" for name in SHAPES))
    w.store("val/a")


@world("methods.md")
def methods(w):
    for method, run in itertools.product(("old", "new"), range(3)):
        w.store(f"val/{method}-seed{run}")


@world("operating-points.md")
def operating_points(w):
    w.store("screening/net", names=("benign", "melanoma"), rows=800, skill=4.0)
    w.store("clinic/net", names=("benign", "melanoma"), rows=300, skill=4.0)
    w.store("val/net", names=("cat", "dog", "wolf"), rows=60)
    w.write("costs.csv", "truth,cat,dog,wolf,abstain\ncat,0,1,1,0.3\ndog,1,0,5,0.3\nwolf,20,20,0,0.3\n")


@world("plots.md")
def plots(w):
    for dataset, model in itertools.product(("val", "v1", "v2"), ("a", "b")):
        w.store(f"{dataset}/{model}", ids=dataset)


@world("plugins.md")
def plugins(w):
    """The folder is a clone of the repository."""
    for name in ("examples", "include"):
        (w.folder / name).symlink_to(w.source / name)
    w.store("val/net")


@world("quality.md")
def quality(w):
    """The configuration is the one on the page."""
    text = (w.source / "docs/quality.md").read_text()
    configuration = next(block for block in re.findall(r"^```toml\n(.*?)^```$", text, re.MULTILINE | re.DOTALL) if "[quality]" in block)
    w.write("assay.toml", configuration)
    w.model("resnet50.pt")
    for path in re.findall(r'^[\w-]+ = "(\w[^"]*/[^"]*|imagenet-r)"$', configuration, re.MULTILINE):
        w.images(path, each=1, classes=SHAPES[:2])
    w.write("new.csv", table([["model", "accuracy", "parameters"], ["mine", 0.78, 25.6]]))
    w.run("quality", "merge", "new.csv", "-o", "new.json")


@world("quality.md#Measured from stored predictions")
def measured(w):
    """A small version of the result of `assay demo --dir demo`."""
    w.model("demo/models/standard.pt")
    for name in ("v1", "rendition", "sketch", "retextured", "edges", "silhouette", "mixed-same", "mixed-rand"):
        w.images(f"demo/images/{name}", each=1, classes=SHAPES[:2])
    w.images("demo/images/cues", each=1)
    w.write("demo/images/cue-conflict.csv", table([["path", "label", "shape", "texture"], *(
        [f"cues/{shape}/{shape}_0000.png", shape, shape, SHAPES[i - 1]] for i, shape in enumerate(SHAPES))]))
    for name in ("v1", "rendition", "sketch", "retextured", "edges", "silhouette", "mixed-same", "mixed-rand", "cue-conflict.csv"):
        w.run("predict", "-m", "demo/models/standard.pt", "-d", f"demo/images/{name}", "--out", "demo/runs", "-q")


@world("quality.md#Other columns of numbers")
@world("quality.md#Rank by one column or a product")
def costs(w):
    rows = [[f"m{i}", 2.0 + i, 10.0 + i * i % 7, 0.9 - 0.01 * i, "old" if i < 4 else "new"] for i in range(8)]
    w.write("costs.csv", table([["model", "gmacs", "latency_ms", "ood_auroc", "recipe"], *rows]))
    w.write("attacks.csv", table([["model", "accuracy", "parameters", "robust_autoattack", "robust_autoattack_se"], *(
        [f"m{i}", 0.7 + 0.01 * i, 20.0 + i, 0.3 + 0.02 * i * i % 0.2, 0.01] for i in range(8))]))


def models_of_two_sets(w):
    for dataset, model in itertools.product(("val", "v1", "v2"), ("v1", "v2")):
        w.store(f"{dataset}/{model}", skill=20.0, ids="v2-" if dataset == "v2" else "")
    w.label_sets("real.json")
    w.label_sets("v2-labels.csv", prefix="v2-")


@world("recipes.md")
def recipes(w):
    models_of_two_sets(w)


@world("recipes.md#Make composites with a known number of objects")
def composite_recipe(w):
    boxed(w, "ILSVRC/val", "ILSVRC/Annotations/CLS-LOC/val")
    w.model("resnet50.pt", classes=FISH)


@world("recipes.md#Find the best classifier on images without labels")
def competition_recipe(w):
    crawl(w)


def two_collections(w):
    """A study of two collections, and stores of its simulated predictions."""
    w.run("replicate", "simulate", "--out", "study", "--classes", "30", "--classifiers", "4", "-q")
    for name, dataset in (("original", "v1"), ("replication", "v2")):
        shutil.copy(w.folder / f"study/{name}.csv", w.folder)
        with open(w.folder / f"study/{name}-hits.csv", newline="") as file:
            rows = list(csv.DictReader(file))
        image, *models = rows[0]
        for model in models:
            scores = [value for row in rows for value in ((0.0, 2.0) if float(row[model]) else (2.0, 0.0))]
            w.store(f"{dataset}/{model}", rows=len(rows), names=("other", "own"), ids=[row[image] for row in rows], truth=[1] * len(rows),
                    scores=scores)
    return rows


@world("recipes.md#Estimate the bias of a replicated test set")
def replication_recipe(w):
    two_collections(w)


@world("recipes.md#Score a subset of the classes")
def subset_recipe(w):
    w.store("val/resnet50", runs="runs-r", names=1000, rows=100)


@world("recipes.md#Use scores that another framework saved")
def import_recipe(w):
    w.write("logits.npy", npy(w.scores(50, 1000)[0], (50, 1000)))
    w.write("val.csv", table([["id", "label"], *([f"{i}.png", label] for i, label in enumerate(w.scores(50, 1000)[1]))]))
    w.model("m.pt")
    w.images("imagenet/val", each=12)


@world("report.md")
def report(w):
    for dataset, model in itertools.product(("v1", "v2"), ("a", "b")):
        w.store(f"{dataset}/{model}", ids=dataset)
    w.run("gap", "runs/v1", "runs/v2", "--json", "-o", "gap.json")
    crawl(w)
    w.run("predict", "-m", "models/a.pt", "models/b.pt", "-d", "crawl", "--storage", "label", "--out", "crawled", "-q")
    ranked(w, "competition", "crawled/crawl")
    w.write("quality.csv", table([["model", "accuracy", "parameters"], ["a", 0.78, 25.6], ["b", 0.7, 5.0]]))
    w.write("models.csv", table([["model", "architecture"], ["a", "CNN"], ["b", "ViT"]]))


@world("robustness.md")
def robustness(w):
    w.model("resnet50.pt")
    w.images("imagenet/val", each=1, classes=SHAPES[:2])
    w.images("cifar10/test", each=1, classes=SHAPES[:2])


@world("robustness.md#Small images")
def small_images(w):
    """CIFAR-10's test batch as Python's pickle, and two files of CIFAR-10-C."""
    w.model("net.pt")
    pixels = np.random.default_rng(4).integers(0, 256, (10, 3072), np.uint8)
    batch = {b"batch_label": b"testing batch 1 of 1", b"labels": [i % 6 for i in range(10)], b"data": pixels}
    w.write("cifar-10-batches-py/test_batch", pickle.dumps({**batch, b"filenames": [b"x_%04d.png" % i for i in range(10)]}, protocol=4))
    for name in ("fog", "contrast"):
        w.write(f"CIFAR-10-C/{name}.npy", npy(np.tile(pixels, (5, 1)), (50, 32, 32, 3), np.uint8))
    w.write("CIFAR-10-C/labels.npy", npy([i % 6 for i in range(10)] * 5, (50,), np.uint8))


@world("robustness.md#Copies on the disk")
def copies(w):
    robustness(w)


@world("selection-bias.md")
def selection_bias(w):
    rows = two_collections(w)
    images = [next(iter(row.values())) for row in rows]
    w.write("real.json", json.dumps({f"o{image[1:]}": [1] if i % 3 else [0, 1] for i, image in enumerate(images)}))
    w.write("v2.csv", table([["path", "labels"], *([image, "own" if i % 3 else "other own"] for i, image in enumerate(images))]))


@world("slices.md")
def slices(w):
    """The store does not say where its images are."""
    w.images("imagenet/val", each=40)
    ids = sorted(str(path.relative_to(w.folder / "imagenet/val")) for path in (w.folder / "imagenet/val").rglob("*.png"))
    w.store("val/resnet50", ids=ids, columns={"camera": lambda i: ("indoor", "outdoor")[i % 2], "patient": lambda i: f"p{i // 4}"})
    w.label_sets("real.json")


@world("tools.md")
def tools(w):
    for model in ("old", "new", "released", "candidate"):
        w.store(f"val/{model}", skill=20.0)


@world("tools.md#torch.save")
def saved(w):
    """The output of the conversion line."""
    np.savez(w.folder / "logits.npz", scores=np.array(w.scores(50, 10)[0], np.float32).reshape(50, 10))
    w.write("val.csv", table([["id", "label"], *([f"{i}.png", label] for i, label in enumerate(w.scores(50, 10)[1]))]))


@world("tools.md#Published values: --published")
def published(w):
    w.store("val/resnet50.a1_in1k")
    w.write("results-imagenet.csv", table([["model", "top1", "top5"], ["resnet50.a1_in1k", 80.2, 94.6]]))
