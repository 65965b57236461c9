"""Transforms of albumentations as settings. The tests define classes of the same names, so neither OpenCV nor albumentations is
needed."""
import unittest

import numpy as np

from assay._worker import preprocessing
from assay._worker.byte_values import byte_tables
from assay._worker.wire import Refused


class Step:
    """A step of albumentations 2."""

    def __init__(self, **facts):
        self.p = 1.0
        self.__dict__.update(facts)


def step(name, **facts):
    made = type(name, (Step,), {"__module__": "albumentations.augmentations"})
    return made(**facts)


class Normalizing(Step):
    """Divides in the same way as Assay, and adds `off` to the values."""

    normalization, max_pixel_value, off = "standard", 255.0, 0.0

    def __call__(self, image):
        numbers = image.astype(np.float32) / np.float32(255)
        out = np.stack([(numbers[..., i] - np.float32(self.mean[i])) / np.float32(self.std[i]) for i in range(3)], -1)
        return {"image": out + np.float32(self.off)}


def normalize(mean=(0.485, 0.456, 0.406), std=(0.229, 0.224, 0.225), **facts):
    return type("Normalize", (Normalizing,), {"__module__": "albumentations.augmentations"})(mean=mean, std=std, **facts)


def compose(*steps, **facts):
    return type("Compose", (Step,), {"__module__": "albumentations.core.composition"})(transforms=list(steps), **facts)


RESIZE, CROP = step("Resize", height=256, width=256, interpolation=1), step("CenterCrop", height=224, width=224)
TENSOR = step("ToTensorV2")


class OpenCv(unittest.TestCase):
    def test_settings_of_a_transform(self):
        notes = []
        found = preprocessing.of_transform(compose(RESIZE, CROP, normalize(), TENSOR), notes)
        self.assertEqual(found, {
            "resize_as": "opencv", "interpolation": "bilinear", "crop_mode": "squash", "resize_size": 256, "crop_start": "floor",
            "input_size": [3, 224, 224], "mean": [0.485, 0.456, 0.406], "std": [0.229, 0.224, 0.225], "scale": 1 / 255,
        })
        self.assertEqual(notes, [])
        for number, name in ((0, "nearest"), (2, "bicubic"), (3, "box")):
            found = preprocessing.of_transform(compose(step("Resize", height=30, width=40, interpolation=number), normalize()), notes)
            self.assertEqual((found["interpolation"], found["crop_mode"], found["input_size"]), (name, "none", [3, 30, 40]))
            self.assertNotIn("resize_size", found)
        self.assertEqual(len(notes), 1)
        self.assertIn("cv2.ipp.setUseIPP(False)", notes[0])

    def test_other_rounding_is_counted(self):
        notes = []
        preprocessing.of_transform(compose(RESIZE, normalize(off=0.5)), notes)
        self.assertEqual(notes, ["768 of the 768 normalised values of a byte differ from albumentations', which multiplies where Assay divides, by at most 5.0e-01"])

    def test_no_mean_multiplies(self):
        found = preprocessing.of_transform(compose(RESIZE, normalize((0, 0, 0), (1, 1, 1))), [])
        table = byte_tables(found)[0]
        self.assertEqual(table[7], np.float32(7) * np.float32(1 / 255))

    def test_a_random_transform_is_refused(self):
        with self.assertRaises(Refused) as caught:
            preprocessing.of_transform(compose(RESIZE, normalize(), p=0.5), [])
        self.assertIn("the transform has p=0.5", caught.exception.message)

    def test_what_is_not_reproduced_is_refused_by_name(self):
        for steps, text in (
            ([step("Resize", height=9, width=9, interpolation=4), normalize()], "OpenCV's INTER_LANCZOS4 is not supported"),
            ([step("Resize", height=9, width=9, interpolation=1, area_for_downscale="image"), normalize()], "area_for_downscale"),
            ([step("SmallestMaxSize", max_size=256), CROP, normalize()], "the step SmallestMaxSize"),
            ([RESIZE, step("HorizontalFlip", p=0.5), normalize()], "HorizontalFlip has p=0.5"),
            ([RESIZE, CROP], "returns bytes from 0 to 255"),
            ([CROP, RESIZE, normalize()], "the step CenterCrop"),
            ([RESIZE, RESIZE, normalize()], "the step Resize"),
            ([RESIZE, normalize(), CROP], "CenterCrop comes after Normalize"),
            ([normalize()], "does not resize"),
            ([RESIZE, normalize(normalization="image")], "the step Normalize"),
            ([step("Resize", height=30, width=40, interpolation=1), CROP, normalize()], "(30, 40) before a crop to (224, 224)"),
        ):
            with self.assertRaises(Refused) as caught:
                preprocessing.of_transform(compose(*steps), [])
            self.assertIn(text, caught.exception.message)


if __name__ == "__main__":
    unittest.main()
