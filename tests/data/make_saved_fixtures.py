"""Writes fixtures/saved/: Arrow files with images and labels, as `datasets` saves them with save_to_disk()."""
import pathlib
import shutil

import numpy as np
from datasets import ClassLabel, Dataset, DatasetDict, Features, Image, Value
from PIL import Image as Pixels

out = pathlib.Path(__file__).parent / "fixtures" / "saved"
shutil.rmtree(out, ignore_errors=True)
ROWS = 7
images = [Pixels.fromarray(((np.arange(4 * 5 * 3) + 60 * i) % 251).astype("u1").reshape(4, 5, 3)) for i in range(ROWS)]
features = Features({"number": Value("int32"), "caption": Value("string"), "image": Image(), "label": ClassLabel(names=["cat", "dog", "emu"])})
data = Dataset.from_dict({"number": list(range(ROWS)), "caption": [f"no. {i}" for i in range(ROWS)], "image": images,
                          "label": [i % 3 if i != 5 else -1 for i in range(ROWS)]}, features=features)
data.save_to_disk(out / "one", num_shards=2)
DatasetDict({"train": data, "test": data.select(range(2))}).save_to_disk(out / "splits")
data.shuffle(seed=1).save_to_disk(out / "shuffled")
data.remove_columns(["label"]).save_to_disk(out / "unlabelled")
texts = data.remove_columns(["label"]).add_column("label", [["cat", "dog"][i % 2] for i in range(ROWS)])
texts.save_to_disk(out / "texts")
data.remove_columns(["image"]).save_to_disk(out / "no_images")
