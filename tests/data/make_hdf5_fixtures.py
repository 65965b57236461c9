"""Writes fixtures/hdf5/ with h5py. hdf5_test.cpp computes the numbers again."""
import pathlib

import h5py
import numpy as np

out = pathlib.Path(__file__).parent / "fixtures" / "hdf5"
out.mkdir(parents=True, exist_ok=True)


def samples(*shape):
    return (np.arange(np.prod(shape)) % 251).astype("u1").reshape(shape)


# The chunks do not fill the array along any axis. Each filter is used.
with h5py.File(out / "images.h5", "w") as f:
    f.create_dataset("images", data=samples(12, 5, 6, 3), chunks=(5, 2, 4, 2), compression="gzip", shuffle=True, fletcher32=True)
    f["labels"] = np.arange(12) % 3
    f["class_names"] = ["cat", "dog", "bär"]

# The layout of PCam has images in one file, and labels of N x 1 x 1 x 1 in another.
with h5py.File(out / "pcam_x.h5", "w") as f:
    f.create_dataset("x", data=samples(6, 8, 8, 3), chunks=(2, 4, 8, 3), compression="gzip")
with h5py.File(out / "pcam_y.h5", "w") as f:
    f.create_dataset("y", data=(np.arange(6) % 2).astype("u1").reshape(6, 1, 1, 1))

scores = (np.arange(60).reshape(20, 3) * 7 % 32 - 16) / 8
for name, options in {"first": {}, "v108": {"libver": ("v108", "v108")}}.items():
    with h5py.File(out / f"scores_{name}.h5", "w", **options) as f:
        for split, sign in [("val", 1), ("test", -1)]:
            f[f"{split}/big"] = (sign * scores).astype(">f8")
            f.create_dataset(f"{split}/halves", data=(sign * scores).astype("<f2"), chunks=(7, 2), maxshape=(None, 3), shuffle=True)
        f["ids"] = [f"d/{'x' * (i % 5)}{i}.png" for i in range(20)]
        f["label"] = np.array([f"c{i % 3}" for i in range(20)], dtype="S2")
        f["seen"] = np.arange(20) % 2 == 0
        f["epoch"] = 3

# Files that are refused, and files that the tests damage.
with h5py.File(out / "not_read.h5", "w") as f:
    f.create_dataset("lzf", data=scores, compression="lzf")
    f.create_dataset("compound", data=np.zeros(3, dtype=[("a", "f4"), ("b", "i4")]))
    f.create_dataset("lists", data=np.array([np.arange(2), np.arange(3)], dtype=object), dtype=h5py.vlen_dtype("i4"))
    f.create_dataset("empty", data=np.zeros((0, 3)))
    f.create_dataset("unwritten", shape=(4, 3), dtype="f4")
    f.create_dataset("some", shape=(8, 3), chunks=(2, 3), dtype="f4")[:2] = 1
    f["link"] = h5py.SoftLink("/lzf")
with h5py.File(out / "growing.h5", "w", libver="latest") as f:
    f.create_dataset("scores", data=scores, chunks=(7, 2), maxshape=(None, 3))
    f.create_dataset("both", data=scores, chunks=(7, 2), maxshape=(None, None))

# Long enough for secondary blocks and inner nodes of the indexes of arrays that grow.
with h5py.File(out / "grown.h5", "w", libver="latest") as f:
    f.create_dataset("rows", data=np.arange(300).astype("u1"), chunks=(1,), maxshape=(None,))
    f.create_dataset("columns", data=samples(5, 120), chunks=(2, 1), maxshape=(9, None), compression="gzip")
    f.create_dataset("axes", data=samples(20, 19), chunks=(1, 1), maxshape=(None, None))
    f.create_dataset("axes_packed", data=samples(12, 11), chunks=(5, 2), maxshape=(None, None), compression="gzip", shuffle=True)
    f.create_dataset("appended", data=samples(3, 4), chunks=(2, 4), maxshape=(None, 4))
    f["appended"].resize(40, axis=0)
    f["appended"][:] = samples(40, 4)
    f["appended"].resize(37, axis=0)
    f.create_dataset("gap", shape=(50,), dtype="u1", chunks=(1,), maxshape=(None,))[:30] = 1

# The largest shape has far more chunks than the file has bytes. Rows are in blocks with pages.
with h5py.File(out / "wide.h5", "w", libver="latest") as f:
    f.create_dataset("wide", data=samples(20, 3), chunks=(10, 1), maxshape=(None, 200000))

# Each index of HDF5 1.10 for arrays that do not grow. `paged` has more chunks than a page of the index.
with h5py.File(out / "latest.h5", "w", libver="latest") as f:
    f.create_dataset("single", data=scores, chunks=(20, 3))
    f.create_dataset("single_packed", data=scores, chunks=(20, 3), compression="gzip", shuffle=True)
    f.create_dataset("fixed", data=scores, chunks=(7, 2))
    f.create_dataset("fixed_packed", data=scores, chunks=(7, 2), compression="lzf")
    f.create_dataset("larger", data=scores, chunks=(7, 2), maxshape=(40, 9))
    early = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    early.set_chunk((7, 2))
    early.set_alloc_time(h5py.h5d.ALLOC_TIME_EARLY)
    of = h5py.h5d.create(f.id, b"implicit", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple(scores.shape), early)
    of.write(h5py.h5s.ALL, h5py.h5s.ALL, scores)
with h5py.File(out / "paged.h5", "w", libver="latest") as f:
    f.create_dataset("paged", data=np.arange(1100).astype("u1").reshape(1100, 1), chunks=(1, 1))
with h5py.File(out / "many_links.h5", "w", libver=("v108", "v108")) as f:
    for i in range(20):
        f[f"a{i}"] = i
