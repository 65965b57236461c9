#!/usr/bin/python3
"""Writes PyTorch's logits of the shared models (../shared/data/models) for two generated images to fixtures/shared.json.

With a folder as argument, also exports each model to ONNX there (opset 13, any batch size), for a check by hand.
"""
import json
import os
import sys
import warnings

import torch

from make_models import OUT, images

warnings.filterwarnings("ignore")
MODELS = os.path.join(OUT, "../../../../shared/data/models")
out = {}
for name in sorted(os.listdir(MODELS)):
    side = int(name.rsplit("_", 1)[1].split(".")[0])
    model = torch.jit.freeze(torch.jit.load(os.path.join(MODELS, name)).eval())
    x = images(2, side)
    with torch.no_grad():
        y = model(x)
    out[name] = {"side": side, "top1": y.argmax(1).tolist(), "sum": y.double().sum(1).tolist(),
                 "first": [[round(float(v), 5) for v in row[:6]] for row in y]}
    if len(sys.argv) > 1:
        torch.onnx.export(model, x, os.path.join(sys.argv[1], name[:-3] + ".onnx"), opset_version=13,
                          input_names=["x"], output_names=["y"], dynamic_axes={"x": {0: "n"}, "y": {0: "n"}})
with open(os.path.join(OUT, "shared.json"), "w") as f:
    json.dump(out, f, indent=1)
    f.write("\n")
