#!/usr/bin/python3
"""Makes fixtures/quantised_*.onnx from the float fixtures with ONNX Runtime's quantizer. Makes fixtures/quantised.json with
ONNX Runtime's scores for images(3, 16), image by image and without its optimizer.

Needs the Python packages onnx and onnxruntime (versions 1.17 and 1.21 in Debian 13).
"""
import json
import os
import tempfile

import numpy as np
import onnx.reference  # the calls must come before onnxruntime registers its operators
import onnxruntime
from onnxruntime.quantization import (CalibrationDataReader, QuantFormat, QuantType, quantize_dynamic, quantize_static)
from onnxruntime.quantization.shape_inference import quant_pre_process

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures")
SIDE = 16


def images(n):
    k = np.arange(n * 3 * SIDE * SIDE, dtype=np.int64)
    return (((k * 7919) % 1009).astype(np.float32) / np.float32(504.5) - np.float32(1)).reshape(n, 3, SIDE, SIDE)


class Calibration(CalibrationDataReader):
    def __init__(self, name):
        rng = np.random.RandomState(7)
        self.batches = iter([{name: rng.uniform(-1, 1, (1, 3, SIDE, SIDE)).astype(np.float32)} for _ in range(64)])

    def get_next(self):
        return next(self.batches, None)


def scores(path):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    name = session.get_inputs()[0].name
    return np.concatenate([session.run(None, {name: x[None]})[0] for x in images(3)])


expected = {}
for source in ("cnn_opset13", "vit_opset13"):
    float_path = os.path.join(FOLDER, source + ".onnx")
    with tempfile.TemporaryDirectory() as folder:
        ready = os.path.join(folder, "ready.onnx")
        quant_pre_process(float_path, ready, skip_symbolic_shape=True, skip_optimization=True)
        name = onnx.load(ready).graph.input[0].name
        for form, make in {
                "qdq": lambda to: quantize_static(ready, to, Calibration(name), quant_format=QuantFormat.QDQ, per_channel=True,
                                                  weight_type=QuantType.QInt8),
                "qoperator": lambda to: quantize_static(ready, to, Calibration(name), quant_format=QuantFormat.QOperator,
                                                        activation_type=QuantType.QUInt8, weight_type=QuantType.QUInt8),
                "dynamic": lambda to: quantize_dynamic(ready, to, weight_type=QuantType.QUInt8),
        }.items():
            file = f"quantised_{source.split('_')[0]}_{form}.onnx"
            path = os.path.join(FOLDER, file)
            make(path)
            got, plain = scores(path), scores(float_path)
            expected[file] = {"scores": [float(v) for v in got.flatten()], "operators": sorted(
                {(n.domain + "::" if n.domain else "") + n.op_type for n in onnx.load(path).graph.node}),
                "moved_by_quantising": float(np.abs(got - plain).max())}
            print(file, os.path.getsize(path), expected[file]["operators"], expected[file]["moved_by_quantising"])
with open(os.path.join(FOLDER, "quantised.json"), "w") as out:
    json.dump(expected, out, indent=1)
    out.write("\n")
