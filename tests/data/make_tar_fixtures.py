"""Writes fixtures/tars/ with webdataset's TarWriter and with GNU tar."""
import io
import pathlib
import subprocess

import numpy as np
import webdataset
from PIL import Image

out = pathlib.Path(__file__).parent / "fixtures" / "tars"
out.mkdir(parents=True, exist_ok=True)


def png(number):
    file = io.BytesIO()
    Image.fromarray(np.full((4, 5, 3), number, "u1")).save(file, "PNG")
    return file.getvalue()


for name in ["webdataset.tar", "webdataset.tar.gz"]:
    with webdataset.TarWriter(str(out / name), mtime=0) as tar:
        for i in range(4):
            tar.write({"__key__": f"{i:03}", "png": png(10 * i), "seg.png": png(255), "cls": i % 3, "json": {"note": "x"}})
subprocess.run(["gzip", "-kf9n", "--suffix", ".again.gz", str(out / "webdataset.tar")], check=True)
(out / "webdataset.tar.again.gz").rename(out / "gnu.tgz")
