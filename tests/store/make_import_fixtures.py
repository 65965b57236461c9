"""Writes fixtures/: the same 30 x 7 scores in the formats that `assay import` reads. import_test.cpp computes the scores again.

All scores are multiples of 1/8 between -16 and 16, which are exact in every type here, also in bfloat16 (8 bits).
"""
import json
import os
import struct

import numpy as np
import torch

folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
os.makedirs(folder, exist_ok=True)
ROWS, CLASSES = 30, 7


def score(row, c):
    mixed = ((row * 1000003 + c * 7919 + 12345) * 0x9E3779B97F4A7C15) % 2**64
    return ((mixed >> 56) - 128) / 8


scores = np.array([[score(r, c) for c in range(CLASSES)] for r in range(ROWS)])

for kind in ["f2", "f4", "f8"]:
    np.save(os.path.join(folder, f"c_{kind}.npy"), scores.astype("<" + kind))
    np.save(os.path.join(folder, f"fortran_{kind}.npy"), np.asfortranarray(scores.astype("<" + kind)))
arrays = dict(logits=scores.astype("<f4"), targets=np.arange(ROWS), ids=np.array(["a", "b"]))
np.savez(os.path.join(folder, "one.npz"), **arrays)
np.savez_compressed(os.path.join(folder, "packed.npz"), **arrays)
np.savez(os.path.join(folder, "labelled.npz"), logits=scores.astype("<f4"), labels=np.arange(ROWS) * 3 % CLASSES, epoch=np.int64(3))
np.savez_compressed(os.path.join(folder, "texts.npz"), scores=scores[:4, :3].astype("<f4"), filenames=np.array(["d/4.png", "c/3.png", "b/2.png", "ä/1.png"]),
                    labels=np.array(["cat", "dog", "bär", "cat"]), authors=np.array(["anna", "bert"]))
np.savez_compressed(os.path.join(folder, "two.npz"), first=np.asfortranarray(scores.astype("<f4")), second=scores.astype("<f8") / 2)


def safetensors(path, tensors):
    header, data = {"__metadata__": {"format": "pt"}}, b""
    for name, (dtype, shape, raw) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(data), len(data) + len(raw)]}
        data += raw
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + data)


bfloat = torch.from_numpy(scores).to(torch.bfloat16).view(torch.int16).numpy().tobytes()
shape = [ROWS, CLASSES]
for name, raw in {"F16": scores.astype("<f2").tobytes(), "BF16": bfloat, "F32": scores.astype("<f4").tobytes(),
                  "F64": scores.astype("<f8").tobytes()}.items():
    safetensors(os.path.join(folder, f"{name}.safetensors"),
                {"labels": ("I64", [ROWS], np.arange(ROWS).tobytes()), "logits": (name, shape, raw)})

# The forms are those of pandas' to_csv (with its index first) and of NumPy's savetxt.
with open(os.path.join(folder, "matrix.csv"), "w") as f:
    f.write("," + ",".join(str(c) for c in range(CLASSES)) + "\n")
    for r in range(ROWS):
        f.write(f"item{r:05}," + ",".join(repr(v) for v in scores[r].tolist()) + "\n")
np.savetxt(os.path.join(folder, "savetxt.csv"), scores, delimiter=",")
with open(os.path.join(folder, "matrix.jsonl"), "w") as f:
    for r in range(ROWS):
        f.write(json.dumps({"id": f"item{r:05}", "logits": scores[r].tolist()}) + "\n")
