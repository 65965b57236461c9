"""Reads data sets in the layouts that torchvision leaves on disk, and compares each image, label and class name with torchvision's
own class."""
import contextlib
import importlib.util
import os
import shutil
import sys
import tarfile
import unittest

import numpy as np

import assay
from common import InFolder, quietly

SETTINGS = {"input_size": [3, 8, 8], "resize_size": 10, "interpolation": "bicubic", "mean": [0.5] * 3, "std": [0.25] * 3}

if importlib.util.find_spec("torchvision") is None:
    print(f"SKIPPED: {sys.executable} has no torchvision (tools/torch-python makes one that has)")
    sys.exit(77)

from PIL import Image  # noqa: E402
from torchvision import datasets  # noqa: E402


def structs(fields, *rows):
    array = np.empty((1, len(rows)), dtype=[(name, object) for name in fields.split()])
    for i, row in enumerate(rows):
        array[0, i] = row
    return array


def cells(*texts):
    array = np.empty((1, len(texts)), object)
    array[0, :] = texts
    return array


MAT_FILES = {
    "flowers": {
        "setid.mat": {"trnid": np.array([[2]]), "valid": np.array([[4]]), "tstid": np.array([[3, 1]], np.uint16)},
        "imagelabels.mat": {"labels": np.array([[77, 1, 102, 5]], np.uint8)},
    },
    "cars": {
        "devkit/cars_meta.mat": {"class_names": cells("AM General Hummer SUV 2000", "Ram C/V Cargo Van Minivan 2012", "smart fortwo 2012")},
        "cars_test_annos_withlabels.mat": {"annotations": structs(
            "bbox_x1 bbox_y1 bbox_x2 bbox_y2 class fname", (1, 2, 30, 40, 3, "00001.jpg"), (1, 2, 30, 40, 1, "00002.jpg"))},
    },
    "imagenet": {"synsets": structs(
        "ILSVRC2012_ID WNID words gloss num_children", (1, "n02119789", "kit fox, Vulpes macrotis", "small", 0), (2, "n01440764", "tench", "fish", 0),
        (3, "n02102040", "English springer", "dog", 0), (4, "n02084071", "dog", "a member", 3))},
}


def model(count):
    """A function that returns this number of scores."""
    def scores(x):
        return np.repeat(x.mean((2, 3)), count, axis=1)[:, :count] * np.arange(1, count + 1)

    return scores


class Layouts(InFolder):
    def image(self, path, form=None):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        size = sum(map(ord, path.name)) % 200
        Image.new("RGB", (9, 8), (size, 30, 255 - size)).save(path, form)

    def mat(self, path, variables):
        if importlib.util.find_spec("scipy") is None:
            self.skipTest(f"SKIPPED: {sys.executable} has no scipy, which torchvision needs for this data set")
        from scipy.io import savemat

        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        savemat(path, variables)

    @contextlib.contextmanager
    def unchecked(self, name):
        """Skips torchvision's hash check, because the files here are only a part of the data set."""
        module = sys.modules[getattr(datasets, name).__module__]
        checked, module.check_integrity = module.check_integrity, lambda path, *_: os.path.exists(path)
        try:
            yield
        finally:
            module.check_integrity = checked

    def text(self, path, *lines):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(f"{line}\n" for line in lines))

    def predicted(self, data, names, **options):
        self.text("classes.txt", *names)
        stores, _ = quietly(assay.predict, model(len(names)), data, self.folder / "runs", settings=SETTINGS, threads=1,
                            classes=self.folder / "classes.txt", **options)
        return stores[0]

    def expect(self, base, files, labels, names, ids_in="", **options):
        """Checks that Assay reads `base` as torchvision's class does: the files in order, their labels, and the names of the
        classes.

        The classifier has the same classes in the opposite order, so that a class is found only by its own name.
        """
        count = len(names)
        store = self.predicted(self.folder / base, names[::-1], **options)
        relative = [str(file).removeprefix(f"{self.folder / base / ids_in}/") for file in files]
        self.assertEqual(store.ids, relative)
        np.testing.assert_array_equal(store.labels(), [count - 1 - int(label) for label in labels])

    def test_oxford_pets(self):
        base = "oxford-iiit-pet"
        for split, rows in {"test": ("shiba_inu_3 3 2 1", "Abyssinian_2 1 1 1", "american_bulldog_9 2 2 2"),
                            "trainval": ("american_bulldog_1 2 2 2", "Abyssinian_7 1 1 1", "shiba_inu_4 3 2 1")}.items():
            self.text(f"{base}/annotations/{split}.txt", *rows)
            for row in rows:
                self.image(f"{base}/images/{row.split()[0]}.jpg")
        for split, options in (("test", {}), ("trainval", {"split": "trainval"})):
            data = datasets.OxfordIIITPet(self.folder, split)
            self.expect(base, data._images, data._labels, data.classes, **options)

    def test_fgvc_aircraft(self):
        base = "fgvc-aircraft-2013b"
        self.text(f"{base}/data/variants.txt", "707-320", "A340-200", "Cessna 172")
        self.text(f"{base}/data/families.txt", "A340", "Boeing 707", "Cessna 172")
        self.text(f"{base}/data/manufacturers.txt", "Airbus", "Boeing", "Cessna")
        for level, names in {"variant": ("Cessna 172", "707-320"), "family": ("Cessna 172", "Boeing 707"),
                             "manufacturer": ("Cessna", "Boeing")}.items():
            self.text(f"{base}/data/images_{level}_test.txt", f"1514522 {names[0]}", f"0747566 {names[1]}")
        for name in ("1514522", "0747566"):
            self.image(f"{base}/data/images/{name}.jpg")
        for level, options in {"variant": {}, "manufacturer": {"label_column": "manufacturer"}, "family": {"label_column": "family"}}.items():
            data = datasets.FGVCAircraft(self.folder, "test", level)
            self.expect(base, data._image_files, data._labels, data.classes, dataset_name=level, **options)

    def test_dtd(self):
        for part, rows in {"test1": ("zigzagged/z_2.jpg", "banded/b_1.jpg"), "test2": ("banded/b_1.jpg", "zigzagged/z_3.jpg")}.items():
            self.text(f"dtd/dtd/labels/{part}.txt", *rows)
            for row in rows:
                self.image(f"dtd/dtd/images/{row}")
        for part, options in ((1, {}), (2, {"split": "test2"})):
            data = datasets.DTD(self.folder, "test", partition=part)
            self.expect("dtd", data._image_files, data._labels, data.classes, "dtd", **options)

    def test_celeba(self):
        names = [f"{i:06}.jpg" for i in range(1, 6)]
        values = np.array([[-1, 1], [1, -1], [1, 1], [-1, -1], [1, 1]])
        self.text("celeba/list_attr_celeba.txt", 5, "Bald Smiling ", *(f"{n} {a:2d} {b:2d}" for n, (a, b) in zip(names, values)))
        self.text("celeba/list_eval_partition.txt", *(f"{n} {p}" for n, p in zip(names, (0, 1, 2, 2, 2))))
        self.text("celeba/identity_CelebA.txt", *(f"{n} 1" for n in names))
        for other in ("list_bbox_celeba.txt", "list_landmarks_align_celeba.txt"):
            self.text(f"celeba/{other}", 5, "x y", *(f"{n} 1 2" for n in names))
        for name in names:
            self.image(f"celeba/img_align_celeba/{name}")
        with self.unchecked("CelebA"):
            data = datasets.CelebA(self.folder, "test")
        files = [self.folder / "celeba/img_align_celeba" / name for name in data.filename]
        for c, name in enumerate(("Bald", "Smiling")):
            self.assertEqual(data.attr_names[c], name)
            self.expect("celeba", files, data.attr[:, c], [f"not {name}", name], label_column=name, dataset_name=name)

    def test_food101(self):
        text = '{"waffles": ["waffles/7"], "apple_pie": ["apple_pie/9", "apple_pie/3"]}'
        self.text("food-101/meta/test.json", text)
        for name in ("waffles/7", "apple_pie/9", "apple_pie/3"):
            self.image(f"food-101/images/{name}.jpg")
        data = datasets.Food101(self.folder, "test")
        self.expect("food-101", data._image_files, data._labels, data.classes)

    def test_gtsrb(self):
        self.text("gtsrb/GT-final_test.csv", "Filename;Width;Height;Roi.X1;Roi.Y1;Roi.X2;Roi.Y2;ClassId",
                  "00000.ppm;53;54;6;5;48;49;16", "00001.ppm;42;45;5;5;36;40;1")
        for name in ("00000", "00001"):
            self.image(f"gtsrb/GTSRB/Final_Test/Images/{name}.ppm", "PNG")  # only the file name matters here, not the format
        data = datasets.GTSRB(self.folder, "test")
        files, labels = zip(*data._samples)
        self.expect("gtsrb", files, labels, [str(c) for c in range(43)])

    def test_eurosat(self):
        for name in ("AnnualCrop/AnnualCrop_1", "SeaLake/SeaLake_1", "Forest/Forest_2"):
            self.image(f"eurosat/2750/{name}.jpg")
        data = datasets.EuroSAT(self.folder)
        files, labels = zip(*data.samples)
        self.expect("eurosat", files, labels, data.classes, "2750")

    def test_places365(self):
        self.text("places/categories_places365.txt", "/a/airfield 0", "/a/alley 1", "/b/bar 2")
        self.text("places/places365_val.txt", "Places365_val_00000001.jpg 2", "Places365_val_00000002.jpg 0")
        for i in (1, 2):
            self.image(f"places/val_256/Places365_val_{i:08}.jpg")
        checked, datasets.Places365._check_integrity = datasets.Places365._check_integrity, lambda *_: True
        self.addCleanup(setattr, datasets.Places365, "_check_integrity", checked)
        data = datasets.Places365(self.folder / "places", "val", small=True)
        files, labels = zip(*data.imgs)
        self.expect("places", files, labels, data.classes)

    def test_sun397(self):
        self.text("SUN397/ClassName.txt", "/a/abbey", "/a/apse/indoor", "/z/zoo")
        for name in ("z/zoo/sun_c", "a/abbey/sun_a", "a/apse/indoor/sun_b"):
            self.image(f"SUN397/{name}.jpg")
        data = datasets.SUN397(self.folder)
        files, labels = zip(*sorted(zip(data._image_files, data._labels)))  # torchvision uses the order of the file system
        self.expect("SUN397", files, labels, data.classes)

    def test_class_folders_in_splits(self):
        for split in ("train", "valid", "test"):
            for name in ("ZW/1", "AD/2", "AD/10"):
                self.image(f"country211/{split}/{name}.jpg")
        data = datasets.Country211(self.folder, "test")
        files, labels = zip(*data.samples)
        self.expect("country211", files, labels, data.classes, "test")
        for split in ("train", "valid", "test"):
            for name in ("positive/3", "negative/1"):
                self.image(f"rendered-sst2/{split}/{name}.png")
        data = datasets.RenderedSST2(self.folder, "val")
        files, labels = zip(*data._samples)
        self.expect("rendered-sst2", files, labels, data.classes, "valid", split="val")

    def test_imagenette(self):
        for name in ("train/n01440764/a", "val/n03888257/c", "val/n01440764/b"):
            self.image(f"imagenette2-320/{name}.JPEG")
        data = datasets.Imagenette(self.folder, "val", size="320px")
        files, labels = zip(*data._samples)
        self.expect("imagenette2-320", files, labels, data.wnids, "val")

    def test_flowers102(self):
        for name, variables in MAT_FILES["flowers"].items():
            self.mat(f"flowers-102/{name}", variables)
        for i in (1, 3):
            self.image(f"flowers-102/jpg/image_{i:05}.jpg")
        with self.unchecked("Flowers102"):
            data = datasets.Flowers102(self.folder, "test")
        self.expect("flowers-102", data._image_files, data._labels, data.classes)

    def test_stanford_cars(self):
        for name, variables in MAT_FILES["cars"].items():
            self.mat(f"stanford_cars/{name}", variables)
        for name in ("00001", "00002"):
            self.image(f"stanford_cars/cars_test/{name}.jpg")
        data = datasets.StanfordCars(self.folder, "test")
        files, labels = zip(*data._samples)
        self.expect("stanford_cars", files, labels, data.classes)

    def test_imagenet_before_and_after_torchvision_unpacks_it(self):
        self.mat("imagenet/kit/ILSVRC2012_devkit_t12/data/meta.mat", MAT_FILES["imagenet"])
        self.text("imagenet/kit/ILSVRC2012_devkit_t12/data/ILSVRC2012_validation_ground_truth.txt", 3, 1, 2)
        names = [f"ILSVRC2012_val_{i:08}" for i in (1, 2, 3)]
        for name in names:
            self.image(f"imagenet/images/{name}.JPEG")
        base = self.folder / "imagenet"
        with tarfile.open(base / "ILSVRC2012_devkit_t12.tar.gz", "w:gz") as kit:
            kit.add(base / "kit/ILSVRC2012_devkit_t12", "ILSVRC2012_devkit_t12")
        with tarfile.open(base / "ILSVRC2012_img_val.tar", "w") as tar:
            for name in names:
                tar.add(base / f"images/{name}.JPEG", f"{name}.JPEG")
        shutil.rmtree(base / "kit")
        shutil.rmtree(base / "images")
        wnids = ["n01440764", "n02102040", "n02119789"]
        store = self.predicted(base, wnids, dataset_name="tar")
        before = dict(zip((key.split("/")[-1] for key in store.ids), store.labels()))
        with self.unchecked("ImageNet"):
            data = datasets.ImageNet(base, "val")
        files, labels = zip(*data.samples)
        self.assertEqual(data.wnids, wnids)
        self.assertEqual(before, {os.path.basename(file).removesuffix(".JPEG"): label for file, label in data.samples})
        self.expect("imagenet", files, labels, wnids, "val", dataset_name="folders")


if __name__ == "__main__":
    unittest.main()
