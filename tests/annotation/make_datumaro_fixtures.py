"""Writes fixtures/datumaro/: votes of two annotators on three images, as exported by Datumaro 1.11.1, in its own format and as CVAT's XML.

test_votes.py in tests/python reads the files. Needs: datumaro.
"""
import pathlib
import tempfile

import datumaro
import numpy as np
from datumaro.components.annotation import AnnotationType, Label, LabelCategories
from datumaro.components.media import Image

out = pathlib.Path(__file__).parent / "fixtures" / "datumaro"
out.mkdir(parents=True, exist_ok=True)
CLASSES = ["cat", "dog"]
VOTES = {"img_0": (0, 0), "img_1": (1, 0), "img_2": (1, 1)}

items = [
    datumaro.DatasetItem(
        id=name,
        subset="test",
        media=Image.from_numpy(data=np.zeros((4, 4, 3), np.uint8)),
        annotations=[Label(label, attributes={"annotator": who}) for who, label in zip(("anna", "bert"), labels)],
    )
    for name, labels in VOTES.items()
]
categories = {AnnotationType.label: LabelCategories.from_iterable((name, "", {"annotator"}) for name in CLASSES)}
dataset = datumaro.Dataset.from_iterable(items, categories=categories)
with tempfile.TemporaryDirectory() as folder:
    dataset.export(f"{folder}/own", "datumaro", save_media=False)
    dataset.export(f"{folder}/cvat", "cvat", save_media=False)
    (out / "datumaro.json").write_bytes((pathlib.Path(folder) / "own/annotations/test.json").read_bytes())
    (out / "cvat.xml").write_bytes((pathlib.Path(folder) / "cvat/test.xml").read_bytes())
