"""Compares ONNX operators with random attributes between the program's own interpreter and the package onnxruntime. Stored results
of the same operators are in tests/model/fixtures/onnx_ops.json; those are compared everywhere. ASSAY_OPERATOR_CASES is the number of cases per
operator."""
import importlib.util
import os
import struct
import sys
import unittest

import numpy as np

import assay
import onnx_writer
from common import InFolder, command

SIDE = 9
NUMBERS = 2000
CASES = int(os.environ.get("ASSAY_OPERATOR_CASES", "4"))
has_onnxruntime = importlib.util.find_spec("onnxruntime") is not None


def bitmap(pixels):
    """The bytes of a BMP file."""
    height, width, _ = pixels.shape
    rows = np.zeros((height, (3 * width + 3) // 4 * 4), np.uint8)
    rows[:, : 3 * width] = pixels[::-1, :, ::-1].reshape(height, -1)
    head = struct.pack("<2sIHHI", b"BM", 54 + rows.size, 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, rows.size, 0, 0, 0, 0)
    return head + rows.tobytes()


def floats(random, *shape, reach=1.0):
    return random.uniform(-reach, reach, shape).astype(np.float32)


def ints(*values):
    return np.array(values, np.int64)


def pick(random, *values):
    return values[int(random.integers(len(values)))]


def maybe(random, **attributes):
    """Each attribute is present or missing at random, because defaults must be tested, too."""
    return {name: value for name, value in attributes.items() if random.random() < 0.6}


def two(random, most):
    return [int(v) for v in random.integers(1, most + 1, 2)]


def padding(random, kernel):
    return [int(random.integers(0, kernel[k % 2])) for k in range(4)]


def grid_sample(random):
    opset = pick(random, 16, 20, 22)
    more = maybe(random, padding_mode=pick(random, "zeros", "border", "reflection"), align_corners=pick(random, 0, 1))
    more |= maybe(random, mode=pick(random, *(("bilinear", "nearest", "bicubic") if opset == 16 else ("linear", "nearest", "cubic"))))
    return opset, {"inputs": ["x", "g"], **more}, {"g": floats(random, 1, *two(random, 7), 2, reach=pick(random, 0.9, 1.4, 3.5))}


def affine_grid(random):
    more = maybe(random, align_corners=pick(random, 0, 1))
    least = 1 + more.get("align_corners", 0)
    size = [1, 3, *(max(least, side) for side in two(random, 8))]
    return 20, {"inputs": ["t", "s"], **more}, {"t": floats(random, 1, 2, 3), "s": ints(*size)}


def deform_conv(random):
    groups, offsets = pick(random, 1, 3), pick(random, 1, 3)
    kernel, strides, dilations = two(random, 3), two(random, 2), two(random, 2)
    pads = padding(random, kernel)
    out = [(SIDE + pads[d] + pads[d + 2] - (kernel[d] - 1) * dilations[d] - 1) // strides[d] + 1 for d in (0, 1)]
    window = kernel[0] * kernel[1]
    constants = {
        "w": floats(random, 6, 3 // groups, *kernel), "o": floats(random, 1, offsets * window * 2, *out, reach=pick(random, 0.7, 6.0)),
        "b": floats(random, 6), "m": floats(random, 1, offsets * window, *out),
    }
    inputs = pick(random, ["x", "w", "o"], ["x", "w", "o", "b"], ["x", "w", "o", "", "m"], ["x", "w", "o", "b", "m"])
    attributes = {"group": groups, "offset_group": offsets, "strides": strides, "dilations": dilations, "pads": pads}
    return pick(random, 19, 22), {"inputs": inputs, **attributes}, constants


def center_crop_pad(random):
    axes = pick(random, [2, 3], [3], [-1, 1], [1, 2, 3], None)
    sizes = [int(v) for v in random.integers(1, 13, len(axes) if axes else 4)]
    if not axes:
        sizes[0] = 1
    return 18, {"inputs": ["x", "s"], **({"axes": axes} if axes else {})}, {"s": ints(*sizes)}


def lp_pool(random):
    opset, kernel = pick(random, 9, 11, 18, 22), two(random, 4)
    more = maybe(random, p=pick(random, 1, 2, 3), strides=two(random, 3))
    if random.random() < 0.3:
        more["auto_pad"] = pick(random, "SAME_UPPER", "SAME_LOWER", "VALID")
        # with larger strides, onnxruntime would pad by a negative number
        more["strides"] = [min(pair) for pair in zip(kernel, two(random, 3))]
    else:
        more |= maybe(random, pads=padding(random, kernel))
        if opset >= 18:
            more |= maybe(random, dilations=two(random, 2), ceil_mode=pick(random, 0, 1))
    return opset, {"inputs": ["x"], "kernel_shape": kernel, **more}, {}


def average_pool(random):
    kernel = two(random, 3)
    attributes = {"kernel_shape": kernel, "pads": padding(random, kernel), "dilations": two(random, 3), "strides": two(random, 3)}
    return 19, {"inputs": ["x"], **attributes, **maybe(random, count_include_pad=pick(random, 0, 1), ceil_mode=pick(random, 0, 1))}, {}


def col2im(random):
    # An image of 3 x 9 has 27 windows of 3 x 3 if it is padded by one. Each window has 9 numbers, and together they are the 243
    # numbers of the input image.
    return 18, {"before": [("Reshape", ["x", "shape"], {})], "inputs": ["a", "i", "b"],
                "pads": [1, 1, 1, 1], **maybe(random, dilations=[1, 1], strides=[1, 1])}, {"shape": ints(1, 9, 27), "i": ints(3, 9), "b": ints(3, 3)}


def matrix(random):
    return {"before": [("Reshape", ["x", "shape"], {})], "inputs": ["a"]}, {"shape": ints(27, 9)}


def eye_like(random):
    attributes, constants = matrix(random)
    return 9, {**attributes, **maybe(random, k=pick(random, -2, 1, 3)), "dtype": 1}, constants


OPERATORS = {
    "GridSample": grid_sample, "AffineGrid": affine_grid, "DeformConv": deform_conv, "CenterCropPad": center_crop_pad, "LpPool": lp_pool,
    "GlobalLpPool": lambda random: (9, {"inputs": ["x"], **maybe(random, p=pick(random, 1, 2, 3))}, {}),
    "AveragePool": average_pool, "Col2Im": col2im, "EyeLike": eye_like,
    "Hardmax": lambda random: (pick(random, 11, 13), {"inputs": ["x"], **maybe(random, axis=pick(random, 1, 2, 3, -1))}, {}),
    "MeanVarianceNormalization": lambda random: (13, {"inputs": ["x"], **maybe(random, axes=pick(random, [0, 2, 3], [1, 2, 3], [2, 3]))}, {}),
    "IsInf": lambda random: (10, {"before": [("Mul", ["x", "large"], {})], "inputs": ["a"],
                                  **maybe(random, detect_positive=pick(random, 0, 1), detect_negative=pick(random, 0, 1))}, {"large": np.array([3e38], np.float32)}),
    **{f"Bitwise{name}": lambda random: (18, {"inputs": ["l", "k"]}, {"l": random.integers(0, 99, 7).astype(np.int32), "k": random.integers(0, 99, 7).astype(np.int32)})
       for name in ("And", "Or", "Xor")},
    "BitwiseNot": lambda random: (18, {"inputs": ["l"]}, {"l": random.integers(-99, 99, 7).astype(np.int32)}),
    "BitShift": lambda random: (11, {"inputs": ["l", "k"], "direction": pick(random, "LEFT", "RIGHT")},
                                {"l": random.integers(0, 250, 7).astype(np.uint8), "k": random.integers(0, 4, 7).astype(np.uint8)}),
}


def written(operator, opset, attributes, constants):
    attributes = dict(attributes)
    inputs, before = attributes.pop("inputs"), attributes.pop("before", [])
    nodes = [onnx_writer.node(name, of, ["a"]) for name, of, _ in before]
    nodes.append(onnx_writer.node(operator, inputs, ["r"], [onnx_writer.attribute(k, v) for k, v in attributes.items()]))
    # Every case returns the same number of scores, because the models of one command must have the same classes.
    nodes += [
        onnx_writer.node("Cast", ["r"], ["f"], [onnx_writer.attribute("to", 1)]), onnx_writer.node("Reshape", ["f", "row"], ["v"]),
        onnx_writer.node("Concat", ["v", "rest"], ["c"], [onnx_writer.attribute("axis", 1)]),
        onnx_writer.node("Gather", ["c", "first"], ["y"], [onnx_writer.attribute("axis", 1)]),
    ]
    tail = {"row": ints(1, -1), "rest": np.zeros((1, NUMBERS), np.float32), "first": np.arange(NUMBERS)}
    tensors = [onnx_writer.array(name, value) for name, value in {**constants, **tail}.items()]
    return onnx_writer.model(
        nodes, tensors, [onnx_writer.value_info("x", onnx_writer.FLOAT, (1, 3, SIDE, SIDE))],
        [onnx_writer.value_info("y", onnx_writer.FLOAT, (1, NUMBERS))], opset,
    )


@unittest.skipUnless(has_onnxruntime, f"SKIPPED: {sys.executable} has no onnxruntime")
class BesideOnnxRuntime(InFolder):
    def test_random_attributes(self):
        import onnxruntime

        random = np.random.default_rng(5)
        pixels = random.integers(0, 256, (SIDE, SIDE, 3), dtype=np.uint8)
        (self.folder / "images").mkdir()
        (self.folder / "images/a.bmp").write_bytes(bitmap(pixels))
        x = ((pixels.transpose(2, 0, 1)[None] / np.float32(255)) * 2 - 1).astype(np.float32)
        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        wanted, files, refused = {}, [], {}
        for operator, draw in OPERATORS.items():
            for k in range(CASES):
                case = draw(random)
                name = f"{operator}_{k}"
                data = written(operator, *case)
                try:
                    wanted[name] = (case, onnxruntime.InferenceSession(data, options, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0])
                except Exception as error:  # onnxruntime has no specific exception type
                    refused.setdefault(operator, []).append(f"{name} {case[:2]}: {str(error)[:300]}")
                    continue
                files.append(self.folder / f"{name}.onnx")
                files[-1].write_bytes(data)
        for operator, reasons in refused.items():
            print(f"onnxruntime refuses {len(reasons)} of {CASES} {operator}, the first: {reasons[0]}")
            self.assertLess(len(reasons), CASES / 2)
        command("predict", "-m", *files, "-d", self.folder / "images", "--preset", "timm", "--input-size", SIDE, "--crop-mode", "none",
                "--mean", ".5", "--std", ".5", "--out", self.folder / "runs", "-q")
        for name, (case, expected) in wanted.items():
            with self.subTest(name, case=repr(case[:2])):
                got = np.asarray(assay.Store(self.folder / "runs/images" / name).scores())
                self.assertEqual(got.shape, expected.shape)
                np.testing.assert_allclose(got, expected, rtol=2e-5, atol=2e-5)


if __name__ == "__main__":
    unittest.main()
