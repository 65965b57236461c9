"""Writes fixtures/arrays.npz (stored), arrays_packed.npz (deflated) and npy files of all dtypes and versions, with NumPy.

The numbers are those of `value` below. npy_test.cpp and zip_test.cpp compute them again.
"""
import io
import os
import zipfile

import numpy as np

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
os.makedirs(folder, exist_ok=True)

arrays = {}
for name in ["f2", "f4", "f8", "u1", "u2", "u4", "u8", "i1", "i2", "i4", "i8"]:
    kind = np.dtype("<" + name)
    values = np.arange(12).reshape(3, 4) * 3
    if name[0] == "i":
        values = values - 7
    elif name[0] == "f":
        values = values / 4 - 2
    arrays[name] = values.astype(kind)
arrays["b1"] = (np.arange(12).reshape(3, 4) % 3 == 0)
arrays["fortran"] = np.asfortranarray(arrays["f4"])
arrays["empty"] = np.zeros((0, 5), "<f4")
arrays["scalar"] = np.float64(2.5)

np.savez(os.path.join(folder, "arrays.npz"), **arrays)
np.savez_compressed(os.path.join(folder, "arrays_packed.npz"), **arrays)

for version in [(1, 0), (2, 0), (3, 0)]:
    with open(os.path.join(folder, f"version{version[0]}.npy"), "wb") as f:
        np.lib.format.write_array(f, arrays["f4"], version=version)

for name, array in {"big_endian": np.arange(3, dtype=">f4"), "complex": np.zeros(2, "<c8"),
                    "text": np.array(["ab", "c"]), "structured": np.zeros(2, [("a", "<i4"), ("b", "<f4")])}.items():
    np.save(os.path.join(folder, name + ".npy"), array)

# NumPy writes zip64 sizes in an extra field of an npz. `force_zip64` does the same for any version of NumPy.
with zipfile.ZipFile(os.path.join(folder, "zip64.npz"), "w") as z:
    with z.open("logits.npy", "w", force_zip64=True) as f:
        buffer = io.BytesIO()
        np.lib.format.write_array(buffer, arrays["f4"])
        f.write(buffer.getvalue())
