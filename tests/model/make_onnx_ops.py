#!/usr/bin/python3
"""Makes fixtures/onnx_ops.json: a small ONNX model for each operator and opset that matters, with the result from ONNX
Runtime, an implementation that shares no code with Assay. The script itself computes a result that ONNX
Runtime refuses to. Makes fixtures/onnx_refused.json: models that must be refused, and parts of the message. Makes
fixtures/onnx_gradients.json: models used only for their gradients, because the other models have no gradient with respect to the
image. `--gradients` only makes these, and only needs numpy.

Needs numpy and the package onnxruntime, or node with onnxruntime-node in NODE_PATH. Results of models that are
already stored do not change. The models are written byte by byte (protobuf's wire format), so no ONNX package is needed.
"""
import base64
import json
import os
import struct
import subprocess
import sys
import tempfile

import numpy as np

try:
    import onnxruntime
except ImportError:
    onnxruntime = None

OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "fixtures", "onnx_ops.json")
REFUSED = os.path.join(os.path.dirname(OUT), "onnx_refused.json")
GRADIENTS = os.path.join(os.path.dirname(OUT), "onnx_gradients.json")
SIDE = 5
rng = np.random.RandomState(3)


# --- protobuf ---------------------------------------------------------------------------------------------------------
def varint(n):
    n &= (1 << 64) - 1
    out = b""
    while n > 127:
        out += bytes([n & 127 | 128])
        n >>= 7
    return out + bytes([n])


def number(field, n):
    return varint(field << 3) + varint(n)


def block(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


TYPES = {"float32": 1, "uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "int64": 7, "bool": 9, "float16": 10,
         "float64": 11}


class Nibbles:
    """Numbers of 4 bits: [-8, 7] or [0, 15]."""

    def __init__(self, values, signed):
        self.values, self.signed = np.asarray(values), signed


def tensor(name, a):
    if isinstance(a, Nibbles):
        flat = a.values.flatten() & 15
        flat = np.append(flat, np.zeros(len(flat) % 2, np.int64)).astype(np.int64)
        return (b"".join(number(1, d) for d in a.values.shape) + number(2, 22 if a.signed else 21) + block(8, name) +
                block(9, (flat[::2] | flat[1::2] << 4).astype(np.uint8).tobytes()))
    a = np.asarray(a)
    return (b"".join(number(1, d) for d in a.shape) + number(2, TYPES[a.dtype.name]) + block(8, name) +
            block(9, a.tobytes()))


class Graph:
    """A branch of an If, or the body of a Loop with inputs. It has nodes, and names of outputs and inputs (`i:7` is one
    number of type 7)."""

    def __init__(self, nodes, outputs, inputs="", **constants):
        typed = [n.partition(":")[::2] for n in inputs.split()]
        self.data = (b"".join(block(1, n) for n in nodes) + block(2, "b") +
                     b"".join(block(5, tensor(k, v)) for k, v in constants.items()) +
                     b"".join(block(11, block(1, n) + block(2, block(1, number(1, int(t or 1)) + (block(2, b"") if t else b"")))) for n, t in typed) +
                     b"".join(block(12, block(1, o)) for o in outputs.split()))


class Reference:
    """A reference to an attribute of the call, inside a function."""

    def __init__(self, name, kind):
        self.name, self.kind = name, kind


def attribute(name, v):
    out = block(1, name)
    if isinstance(v, Graph):
        return out + block(6, v.data) + number(20, 5)
    if isinstance(v, Reference):
        return out + number(20, v.kind) + block(21, v.name)
    if isinstance(v, list) and v and isinstance(v[0], str):
        return out + b"".join(block(9, x) for x in v) + number(20, 8)
    if isinstance(v, float):
        return out + varint(2 << 3 | 5) + struct.pack("<f", v) + number(20, 1)
    if isinstance(v, int):
        return out + number(3, v) + number(20, 2)
    if isinstance(v, str):
        return out + block(4, v) + number(20, 3)
    if isinstance(v, np.ndarray):
        return out + block(5, tensor("", v)) + number(20, 4)
    if v and isinstance(v[0], float):
        return out + b"".join(varint(7 << 3 | 5) + struct.pack("<f", x) for x in v) + number(20, 6)
    return out + b"".join(number(8, x) for x in v) + number(20, 7)


def node(op, inputs, outputs="r", **attributes):
    inputs, outputs = [s.split() if isinstance(s, str) else s for s in (inputs, outputs)]
    inputs = ["" if i == "-" else i for i in inputs]
    outputs = ["" if o == "-" else o for o in outputs]
    domain, op = op.rsplit("::", 1) if "::" in op else ("", op)
    return (b"".join(block(1, i) for i in inputs) + b"".join(block(2, o) for o in outputs) + block(4, op) +
            b"".join(block(5, attribute(k, v)) for k, v in attributes.items()) + (block(7, domain) if domain else b""))


def function(name, inputs, outputs, nodes, opset=17, defaults={}, names=""):
    """A function of the domain "local"."""
    imports = block(9, number(2, opset)) + block(9, block(1, "local") + number(2, 1))
    return (block(1, name) + b"".join(block(4, i) for i in inputs.split()) + b"".join(block(5, o) for o in outputs.split()) +
            b"".join(block(6, a) for a in names.split()) + b"".join(block(7, n) for n in nodes) + imports +
            block(10, "local") + b"".join(block(11, attribute(k, v)) for k, v in defaults.items()))


def value(name, shape=None, kind=1):
    kind = number(1, kind)
    if shape:
        kind += block(2, b"".join(block(1, number(1, d)) for d in shape))
    return block(1, name) + block(2, block(1, kind))


def model(opset, nodes, constants, functions=(), dtype="float32", shape=(1, 3, SIDE, SIDE)):
    tail = [node("Cast", "r", "rf", to=1 if opset > 5 else "FLOAT"), node("Reshape", "rf row", "y")]
    constants = dict(constants, row=np.array([1, -1]))
    graph = (b"".join(block(1, n) for n in nodes + tail) + block(2, "g") +
             b"".join(block(5, tensor(k, v)) for k, v in constants.items()) +
             block(11, value("x", shape, TYPES[dtype])) + block(12, value("y")))
    domains = b"".join(block(8, block(1, d) + number(2, 1)) for d in ("com.microsoft", "local"))
    return (number(1, 8) + block(8, number(2, opset)) + domains + block(7, graph) +
            b"".join(block(25, f) for f in functions))


# --- the cases --------------------------------------------------------------------------------------------------------
cases = []


def case(name, opset, nodes, functions=(), dtype="float32", shape=(1, 3, SIDE, SIDE), expect=None, note=None, **constants):
    """`expect` computes the result from the input if ONNX Runtime cannot. `note` is the message for users."""
    nodes = nodes if isinstance(nodes, list) else [nodes]
    cases.append({"name": name, "opset": opset, "model": model(opset, nodes, constants, functions, dtype, shape),
                  "dtype": dtype, "shape": list(shape), "expect": expect, "note": note})


refused = []


def refuse(name, says, opset, nodes, functions=(), dtype="float32", shape=(1, 3, SIDE, SIDE), **constants):
    nodes = nodes if isinstance(nodes, list) else [nodes]
    data = model(opset, nodes, constants, functions, dtype, shape)
    refused.append({"name": name, "says": says, "model": base64.b64encode(data).decode()})


def f(*shape):
    return rng.uniform(-1, 1, shape).astype(np.float32)


def i(*values):
    return np.array(values, dtype=np.int64)


def f32(*values):
    return np.array(values, dtype=np.float32)


# element-wise operators
for op in "Sqrt Log".split():
    case(op, 13, [node("Abs", "x", "a"), node(op, "a")])
for op in "Exp Abs Neg Sign Reciprocal Floor Ceil Sin Cos Atan Erf Identity".split():
    case(op, 13, node(op, "x"))
case("Round_halves", 13, [node("Mul", "x five", "m"), node("Floor", "m", "k"), node("Div", "k two", "h"), node("Round", "h")],
     five=f32(5), two=f32(2))
for op in "Add Sub Mul Div".split():
    case(op, 7, node(op, "x b"), b=f(3, 1, 1) + np.float32(2))
case("Div_whole_negative", 14, node("Div", "a b"), a=i(7, -7, 7, -7), b=i(2, 2, -2, -2))
case("Pow", 13, [node("Abs", "x", "a"), node("Pow", "a e")], e=f32(1.5))
case("Pow_whole_exponent", 13, node("Pow", "x e"), e=i(3))
case("Mod_whole", 13, node("Mod", "a b"), a=i(7, -7, 7, -7), b=i(3, 3, -3, -3))
case("Mod_c", 13, node("Mod", "a b", fmod=1), a=f32(7.5, -7.5, 7.5, -7.5), b=f32(2, 2, -2, -2))
for op in "Equal Less Greater".split():
    case(op, 13, [node("Floor", "x", "a"), node(op, "a b")], b=f32(-1))
for op in "LessOrEqual GreaterOrEqual".split():
    case(op, 16, [node("Floor", "x", "a"), node(op, "a b")], b=f32(-1))
for op in "And Or Xor".split():
    case(op, 13, [node("Less", "x z", "a"), node("Less", "x h", "b"), node(op, "a b")], z=f32(0), h=f32(0.5))
case("Not", 13, [node("Less", "x z", "a"), node("Not", "a")], z=f32(0))
case("Where", 16, [node("Less", "x z", "c"), node("Where", "c x o")], z=f32(0), o=f(1, 5))
for op in "Min Max Sum Mean".split():
    case(op, 13, node(op, "x a b"), a=f(3, 5, 5), b=f(1))
case("Clip_attributes", 10, node("Clip", "x", min=-0.25, max=0.5))
case("Clip_inputs", 13, node("Clip", "x lo hi"), lo=np.float32(-0.25), hi=np.float32(0.5))
case("Clip_upper_only", 13, node("Clip", "x - hi"), hi=np.float32(0.5))
case("Cast_whole", 13, [node("Mul", "x five", "m"), node("Cast", "m", to=7)], five=f32(5))
case("IsNaN", 13, [node("Sqrt", "x", "s"), node("IsNaN", "s")])
# activations
for op in ("Relu LeakyRelu Elu Selu Sigmoid HardSigmoid Tanh Softplus Softsign ThresholdedRelu").split():
    case(op, 13, node(op, "x"))
case("Relu_opset7", 7, node("Relu", "x"))
case("LeakyRelu_alpha", 13, node("LeakyRelu", "x", alpha=0.3))
case("Elu_alpha", 13, node("Elu", "x", alpha=2.0))
case("Celu_alpha", 12, node("Celu", "x", alpha=2.0))
case("HardSigmoid_alpha", 13, node("HardSigmoid", "x", alpha=1 / 6.0, beta=0.4))
case("HardSwish", 14, [node("Mul", "x five", "m"), node("HardSwish", "m")], five=f32(5))
case("Mish", 18, node("Mish", "x"))
case("Gelu_none", 20, node("Gelu", "x"))
case("Gelu_tanh", 20, node("Gelu", "x", approximate="tanh"))
case("PRelu", 13, node("PRelu", "x s"), s=f(3, 1, 1))
for op in "Softmax LogSoftmax".split():
    case(op + "_opset11", 11, node(op, "x"))
    case(op + "_opset11_axis2", 11, node(op, "x", axis=2))
    case(op + "_opset13", 13, node(op, "x"))
    case(op + "_opset13_axis1", 13, node(op, "x", axis=1))
# layers
case("Conv", 11, node("Conv", "x w b", pads=[1, 1, 1, 1]), w=f(4, 3, 3, 3), b=f(4))
case("Conv_asymmetric", 11, node("Conv", "x w", pads=[0, 1, 2, 0], strides=[2, 1]), w=f(2, 3, 3, 2))
case("Conv_same_upper", 11, node("Conv", "x w", auto_pad="SAME_UPPER", strides=[2, 2]), w=f(2, 3, 4, 4))
case("Conv_same_lower", 11, node("Conv", "x w", auto_pad="SAME_LOWER", strides=[2, 2]), w=f(2, 3, 4, 4))
case("Conv_valid_dilated", 11, node("Conv", "x w", auto_pad="VALID", dilations=[2, 2]), w=f(2, 3, 2, 2))
case("Conv_depthwise", 11, node("Conv", "x w", group=3), w=f(3, 1, 3, 3))
case("Conv_1d", 11, [node("Reshape", "x s", "a"), node("Conv", "a w", strides=[2], pads=[1, 0])], s=i(1, 3, 25), w=f(2, 3, 3))
case("ConvTranspose", 11, node("ConvTranspose", "x w b", strides=[2, 2], pads=[1, 1, 1, 1], output_padding=[1, 1]),
     w=f(3, 2, 3, 3), b=f(2))
case("ConvTranspose_asymmetric", 11, node("ConvTranspose", "x w", strides=[2, 2], pads=[0, 1, 1, 0]), w=f(3, 2, 3, 3))
case("ConvTranspose_groups", 11, node("ConvTranspose", "x w", group=3), w=f(3, 1, 2, 2))
case("Gemm", 11, [node("Reshape", "x s", "a"), node("Gemm", "a w b", alpha=0.5, beta=2.0, transB=1)],
     s=i(3, 25), w=f(2, 25), b=f(2))
case("Gemm_transA", 13, [node("Reshape", "x s", "a"), node("Gemm", "a w", transA=1)], s=i(3, 25), w=f(3, 2))
case("MatMul", 13, node("MatMul", "x w"), w=f(3, 5, 2))
case("MatMul_vector", 13, node("MatMul", "x w"), w=f(5))
case("Einsum", 12, node("Einsum", "x w", equation="nchw,cd->ndhw"), w=f(3, 2))
norm = dict(s=f(3), b=f(3), m=f(3), v=np.abs(f(3)) + np.float32(0.1))
case("BatchNormalization_opset7", 7, node("BatchNormalization", "x s b m v", epsilon=0.01), **norm)
case("BatchNormalization_opset15", 15, node("BatchNormalization", "x s b m v"), **norm)
case("InstanceNormalization", 13, node("InstanceNormalization", "x s b", epsilon=0.01), s=f(3), b=f(3))
case("LayerNormalization", 17, node("LayerNormalization", "x s b"), s=f(5), b=f(5))
case("LayerNormalization_axis1", 17, node("LayerNormalization", "x s", axis=1, epsilon=0.1), s=f(3, 5, 5))
case("GroupNormalization", 21, [node("Concat", "x x", "a", axis=1), node("GroupNormalization", "a s b", num_groups=2)],
     s=f(6), b=f(6))
case("LpNormalization", 13, node("LpNormalization", "x", axis=1))
case("LRN", 13, [node("Concat", "x x", "a", axis=1), node("LRN", "a", size=3, alpha=0.5, beta=0.6, bias=2.0)])
case("LRN_wide", 13, [node("Concat", "x x", "a", axis=1), node("LRN", "a", size=9)])
case("Dropout", 11, node("Dropout", "x", ratio=0.5))
case("Dropout_opset13", 13, node("Dropout", "x p", "r"), p=np.float32(0.5))
# pooling
case("MaxPool", 12, node("MaxPool", "x", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]))
case("MaxPool_ceil", 12, node("MaxPool", "x", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1))
case("MaxPool_asymmetric", 12, node("MaxPool", "x", kernel_shape=[2, 2], strides=[2, 2], pads=[0, 0, 1, 1]))
case("MaxPool_same_lower", 12, node("MaxPool", "x", kernel_shape=[2, 3], strides=[2, 2], auto_pad="SAME_LOWER"))
case("MaxPool_dilated", 12, node("MaxPool", "x", kernel_shape=[2, 2], dilations=[2, 3]))
case("MaxPool_1d", 12, [node("Reshape", "x s", "a"), node("MaxPool", "a", kernel_shape=[3], strides=[3], ceil_mode=1)],
     s=i(1, 3, 25))
case("AveragePool", 11, node("AveragePool", "x", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]))
case("AveragePool_count", 11, node("AveragePool", "x", kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1],
                                   count_include_pad=1))
case("AveragePool_ceil", 19, node("AveragePool", "x", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1))
case("AveragePool_asymmetric", 11, node("AveragePool", "x", kernel_shape=[3, 3], strides=[2, 2], pads=[0, 1, 1, 0]))
case("AveragePool_asymmetric_count", 11, node("AveragePool", "x", kernel_shape=[3, 3], strides=[2, 2], pads=[0, 1, 1, 0],
                                              count_include_pad=1))
case("AveragePool_same_upper", 11, node("AveragePool", "x", kernel_shape=[2, 2], auto_pad="SAME_UPPER"))
case("GlobalAveragePool", 7, node("GlobalAveragePool", "x"))
case("GlobalMaxPool", 7, node("GlobalMaxPool", "x"))
# reductions
for op in "Sum Mean Max Min Prod L1 L2 SumSquare LogSumExp".split():
    case(f"Reduce{op}_attribute", 11, node("Reduce" + op, "x", axes=[1, -1], keepdims=0))
    case(f"Reduce{op}_input", 18, node("Reduce" + op, "x a", keepdims=1), a=i(2, 3))
    case(f"Reduce{op}_all", 11, node("Reduce" + op, "x"))
case("ReduceLogSum", 11, [node("Abs", "x", "a"), node("ReduceLogSum", "a", axes=[1])])
case("ReduceSum_opset13", 13, node("ReduceSum", "x a"), a=i(-1))
case("ReduceSum_noop", 13, node("ReduceSum", "x", noop_with_empty_axes=1))
case("ArgMax", 13, node("ArgMax", "x", axis=1, keepdims=0))
case("ArgMin", 13, node("ArgMin", "x", axis=-1))
case("TopK_values", 11, node("TopK", "x k", "r p", axis=-1), k=i(2))
case("TopK_positions", 11, node("TopK", "x k", "v r", axis=1, largest=0), k=i(2))
case("CumSum", 14, node("CumSum", "x a"), a=np.int64(3))
# shapes
case("Reshape_zero", 13, node("Reshape", "x s"), s=i(0, -1, 5))
case("Flatten", 13, node("Flatten", "x", axis=2))
case("Flatten_negative", 13, node("Flatten", "x", axis=-1))
case("Squeeze_attribute", 11, node("Squeeze", "x", axes=[0]))
case("Squeeze_input", 13, node("Squeeze", "x a"), a=i(0))
case("Unsqueeze_attribute", 11, node("Unsqueeze", "x", axes=[0, 5]))
case("Unsqueeze_input", 13, node("Unsqueeze", "x a"), a=i(-1, 1))
case("Transpose", 13, node("Transpose", "x", perm=[0, 2, 3, 1]))
case("Transpose_default", 13, node("Transpose", "x"))
case("Expand", 13, [node("ReduceMean", "x", "m", axes=[1]), node("Expand", "m s")], s=i(2, 1, 5))
case("Expand_keeps", 13, [node("ReduceMean", "x", "m", axes=[1]), node("Expand", "m s")], s=i(1, 1))
case("Tile", 13, node("Tile", "x s"), s=i(1, 2, 1, 2))
case("Shape", 13, node("Shape", "x"))
case("Shape_part", 15, node("Shape", "x", start=1, end=-1))
case("Size", 13, node("Size", "x"))
case("Shape_arithmetic", 13, [node("Shape", "x", "s"), node("Gather", "s two", "h"), node("Unsqueeze", "h zero", "hu"),
                              node("Concat", "minus hu", "t", axis=0), node("Reshape", "x t")],
     two=np.int64(2), zero=i(0), minus=i(-1))
case("Constant", 13, [node("Constant", [], "c", value=f32(1, 2, 3, 4, 5)), node("Add", "x c")])
case("Constant_floats", 13, [node("Constant", [], "c", value_floats=[1.0, 2.0, 3.0, 4.0, 5.0]), node("Add", "x c")])
case("Constant_int", 13, [node("Constant", [], "c", value_ints=[0, -1]), node("Reshape", "x c")])
case("ConstantOfShape", 13, [node("Shape", "x", "s"), node("ConstantOfShape", "s", "c", value=f32(2.5)), node("Add", "x c")])
case("Range", 13, [node("Range", "a b c")], a=np.int64(3), b=np.int64(-8), c=np.int64(-3))
case("Range_real", 13, [node("Range", "a b c")], a=np.float32(0), b=np.float32(1.1), c=np.float32(0.25))
case("Concat", 13, node("Concat", "x x", axis=-2))
case("Split_equal", 11, [node("Reshape", "x s", "a"), node("Split", "a", "p q r", axis=0)], s=i(3, 25))
case("Split_attribute", 11, node("Split", "x", "p r", axis=2, split=[2, 3]))
case("Split_input", 13, node("Split", "x s", "p r", axis=3), s=i(1, 4))
case("Split_uneven", 18, node("Split", "x", "p q r", axis=3, num_outputs=3))
case("Pad_attribute", 10, node("Pad", "x", pads=[0, 0, 1, 2, 0, 0, 0, 1], value=0.5))
case("Pad_input", 13, node("Pad", "x p v"), p=i(0, 0, 1, 2, 0, 0, 0, 1), v=np.float32(-1))
case("Pad_cut", 13, node("Pad", "x p"), p=i(0, 0, -1, 1, 0, 0, -1, 0))
case("Pad_reflect", 13, node("Pad", "x p", mode="reflect"), p=i(0, 1, 2, 3, 0, 2, 1, 0))
case("Pad_edge", 13, node("Pad", "x p", mode="edge"), p=i(0, 1, 2, 3, 0, 2, 1, 0))
case("Pad_axes", 18, node("Pad", "x p - a"), p=i(1, 2, 0, 1), a=i(-1, 1))
case("DepthToSpace_dcr", 13, [node("Tile", "x s", "a"), node("DepthToSpace", "a", blocksize=2)], s=i(1, 4, 1, 1))
case("DepthToSpace_crd", 13, [node("Tile", "x s", "a"), node("DepthToSpace", "a", blocksize=2, mode="CRD")], s=i(1, 4, 1, 1))
case("SpaceToDepth", 13, [node("Slice", "x zero four axes", "a"), node("SpaceToDepth", "a", blocksize=2)],
     zero=i(0, 0), four=i(4, 4), axes=i(2, 3))
case("Trilu_upper", 14, node("Trilu", "x k"), k=np.int64(1))
case("Trilu_lower", 14, node("Trilu", "x", upper=0))
# positions
BIG = 2**63 - 1
case("Slice_attribute", 9, node("Slice", "x", axes=[2, 3], starts=[1, -2], ends=[4, BIG]))
case("Slice_input", 13, node("Slice", "x s e a"), s=i(-3, 1), e=i(BIG, -1), a=i(-1, 2))
case("Slice_steps", 13, node("Slice", "x s e a t"), s=i(0, 1), e=i(5, 100), a=i(2, 3), t=i(2, 3))
case("Slice_backwards", 13, node("Slice", "x s e a t"), s=i(-1, 3), e=i(-BIG, 0), a=i(1, 3), t=i(-1, -2))
case("Slice_backwards_beyond", 13, node("Slice", "x s e a t"), s=i(100), e=i(-100), a=i(3), t=i(-3))
case("Slice_no_axes", 13, node("Slice", "x s e"), s=i(0, 1), e=i(1, 3))
case("Gather", 13, node("Gather", "x p", axis=2), p=np.array([[0, -1], [2, 2]]))
case("Gather_scalar", 13, node("Gather", "x p", axis=1), p=np.int64(-1))
case("GatherElements", 13, node("GatherElements", "x p", axis=3), p=np.array([[[[0, -1]], [[3, 2]], [[1, 1]]]]))
case("GatherND", 13, node("GatherND", "x p"), p=np.array([[0, 1, -1], [0, 2, 3]]))
case("ScatterND", 13, node("ScatterND", "x p u"), p=np.array([[0, 1, 4], [0, 2, 3]]), u=f(2, 5))
case("ScatterElements", 13, node("ScatterElements", "x p u", axis=3), p=np.array([[[[0, -1]], [[3, 2]], [[1, 0]]]]),
     u=f(1, 3, 1, 2))
case("OneHot", 11, node("OneHot", "p d v", axis=0), p=i(0, 2, -1), d=np.int64(4), v=f32(-1, 2))
case("NonZero", 13, [node("Less", "k z", "c"), node("NonZero", "c")], k=f(3, 5), z=f32(0))
# resizing
case("Upsample_attribute", 7, node("Upsample", "x", mode="nearest", scales=[1.0, 1.0, 2.0, 3.0]))
case("Upsample_input", 9, node("Upsample", "x s", mode="linear"), s=f32(1, 1, 2, 2))
# When the size shrinks, opset 10 does not define the rounding. ONNX Runtime rounds up, and PyTorch, which wrote most files, rounds
# down.
case("Resize_opset10", 10, node("Resize", "x s", mode="nearest"), s=f32(1, 1, 2, 1.6))
case("Resize_opset10_linear", 10, node("Resize", "x s", mode="linear"), s=f32(1, 1, 2, 1.5))
for mode in "half_pixel pytorch_half_pixel align_corners asymmetric".split():
    case("Resize_linear_" + mode, 13, node("Resize", "x - - s", mode="linear", coordinate_transformation_mode=mode),
         s=i(1, 3, 8, 3))
    case("Resize_cubic_" + mode, 13, node("Resize", "x - - s", mode="cubic", coordinate_transformation_mode=mode), s=i(1, 3, 8, 3))
for mode in "round_prefer_floor round_prefer_ceil floor ceil".split():
    case("Resize_nearest_" + mode, 13, node("Resize", "x - s", mode="nearest", nearest_mode=mode), s=f32(1, 1, 2, 0.6))
    case("Resize_nearest_asymmetric_" + mode, 13, node("Resize", "x - - s", mode="nearest", nearest_mode=mode,
                                                       coordinate_transformation_mode="asymmetric"), s=i(1, 3, 7, 2))
case("Resize_axes", 18, node("Resize", "x - - s", mode="linear", axes=[2, 3]), s=i(7, 4))

# further operators of the same kinds
for op in "Tan Asin Sinh Cosh Asinh Atanh".split():
    case(op, 13, [node("Mul", "x h", "m"), node(op, "m")], h=f32(0.9))
case("Acos", 13, [node("Mul", "x h", "m"), node("Acos", "m")], h=f32(0.9))
case("Acosh", 13, [node("Abs", "x", "a"), node("Add", "a o", "b"), node("Acosh", "b")], o=f32(1.1))
case("Shrink", 13, node("Shrink", "x", lambd=0.3, bias=0.1))
case("Swish", 24, node("Swish", "x", alpha=1.5))
case("Relu_opset25", 25, node("Relu", "x"))
B3 = f32(1, 2, 3)
case("Add_axis_opset6", 6, node("Add", "x b", broadcast=1, axis=1), expect=lambda x: x + B3[:, None, None], b=B3)
case("Upsample_opset1", 1, [node("Upsample", "x", mode="nearest", height_scale=2.0, width_scale=3.0)],
     expect=lambda x: x.repeat(2, 2).repeat(3, 3))

# training mode without effect
case("Dropout_training_ratio_0", 13, node("Dropout", "x p t"), p=np.float32(0), t=np.array(True), expect=lambda x: x)
w = f(4, 3, 3, 3)


def standardised(w, epsilon):
    flat = w.astype(np.float64).reshape(w.shape[0], -1)
    flat = (flat - flat.mean(1, keepdims=True)) / np.sqrt(flat.var(1, keepdims=True) + epsilon)
    return flat.reshape(w.shape)


def convolved(x, w):
    out = np.zeros((1, w.shape[0], x.shape[2] - w.shape[2] + 1, x.shape[3] - w.shape[3] + 1))
    for i in range(out.shape[2]):
        for j in range(out.shape[3]):
            out[0, :, i, j] = np.einsum("chw,ochw->o", x[0, :, i:i + w.shape[2], j:j + w.shape[3]], w)
    return out


standard = [node("Reshape", "w s", "f"), node("Reshape", "n ws", "nw"), node("Conv", "x nw")]
for opset, outputs, more in ((15, "n m2 v2", dict(training_mode=1)), (11, "n m2 v2 m3 v3", {})):
    case(f"BatchNormalization_of_weights_opset{opset}", opset,
         [standard[0], node("BatchNormalization", "f one zero zero one", outputs, epsilon=1e-3, **more)] + standard[1:],
         expect=lambda x: convolved(x, standardised(w, 1e-3)), w=w, s=i(1, 4, 27), ws=i(4, 3, 3, 3), one=np.ones(4, np.float32),
         zero=np.zeros(4, np.float32))
RM, RK = f(3), f(2, 3, 4)
case("BatchNormalization_running_statistics", 15,
     [node("BatchNormalization", "k one zero m v", "- r v2", training_mode=1, momentum=0.7)],
     expect=lambda x: 0.7 * RM + 0.3 * RK.mean((0, 2)), k=RK, m=RM, one=np.ones(3, np.float32),
     zero=np.zeros(3, np.float32), v=np.ones(3, np.float32))

# branches
yes, no = Graph([node("Neg", "x", "a")], "a"), Graph([node("Add", "x k", "a")], "a", k=f32(2))
case("If_constant_true", 13, node("If", "c", then_branch=yes, else_branch=no), c=np.array(True))
case("If_constant_false", 13, node("If", "c", then_branch=yes, else_branch=no), c=np.array(False))
rank = [node("Shape", "x", "s"), node("Gather", "s one", "h"), node("Equal", "h three", "c")]
case("If_by_shape", 13, rank + [node("If", "c", then_branch=yes, else_branch=no)], one=np.int64(1), three=np.int64(3))
case("If_by_value", 13, [node("ReduceMean", "x", "m", keepdims=0), node("Less", "m z", "c"),
                         node("If", "c", then_branch=yes, else_branch=no), ], z=np.float32(-5))
case("If_nested", 16, rank + [node("Identity", "x", "q"), node("If", "c", then_branch=Graph(
    [node("Mul", "q k", "i"), node("Not", "c", "d"), node("If", "d", "o", then_branch=Graph([node("Identity", "q", "e")], "e"),
                                                          else_branch=Graph([node("Add", "i q", "j")], "j"))], "o", k=f32(3)),
                                                        else_branch=Graph([node("Identity", "q", "z")], "z"))], one=np.int64(1), three=np.int64(3))
case("If_two_outputs", 13, rank + [node("If", "c", "a b", then_branch=Graph([node("Neg", "x", "p"), node("Abs", "x", "q")], "p q"),
                                        else_branch=Graph([node("Abs", "x", "p"), node("Neg", "x", "q")], "p q")),
                                   node("Sub", "a b")], one=np.int64(1), three=np.int64(4))

# local functions
twice = function("Twice", "a", "b", [node("Add", "a a", "b")])
scaled = function("Scaled", "a b", "c", [node("Constant", [], "k", value_float=Reference("factor", 1)), node("Mul", "a k", "m"),
                                         node("local::Twice", "m", "t"), node("Add", "t b", "c")], names="factor")
default = function("Leak", "a", "b", [node("LeakyRelu", "a", "b", alpha=Reference("slope", 1))], defaults=dict(slope=0.25))
old = function("OldSoftmax", "a", "b", [node("Softmax", "a", "b")], opset=11)
case("Function", 17, node("local::Twice", "x"), functions=[twice])
case("Function_nested", 17, [node("local::Scaled", "x k", "a", factor=3.0), node("local::Scaled", "a x", factor=-0.5)],
     functions=[twice, scaled], k=f32(1))
case("Function_default_attribute", 17, node("local::Leak", "x"), functions=[default])
case("Function_given_attribute", 17, node("local::Leak", "x", slope=0.5), functions=[default])
case("Function_of_another_opset", 17, node("local::OldSoftmax", "x"), functions=[old],
     expect=lambda x: np.exp(x) / np.exp(x).sum())
case("Function_in_branch", 17, rank + [node("If", "c", then_branch=Graph([node("local::Twice", "x", "a")], "a"), else_branch=no)],
     functions=[twice], one=np.int64(1), three=np.int64(3))

# recurrent layers: 5 steps, batch 3, width 5
def layers(op, gates, hidden, directions, bias=True, peepholes=False, initial=False, outputs="r", layout=0, **attributes):
    c = dict(s=i(3, 5, 5) if layout else i(5, 3, 5), w=f(directions, gates * hidden, 5), u=f(directions, gates * hidden, hidden))
    names = "a w u"
    state = (3, directions, hidden) if layout else (directions, 3, hidden)
    if bias:
        c["b"] = f(directions, 2 * gates * hidden)
    names += " b" if bias else " -"
    if initial or peepholes:
        names += " -"
        if initial:
            c["h"] = f(*state)
        names += " h" if initial else " -"
        if gates == 4:
            c["c"] = f(*state)
            names += " c"
            if peepholes:
                c["p"] = f(directions, 3 * hidden)
                names += " p"
    return [node("Reshape", "x s", "a"), node(op, names, outputs, hidden_size=hidden, layout=layout, **attributes)
            if layout else node(op, names, outputs, hidden_size=hidden, **attributes)], c


def recurrent(name, opset, *arguments, **attributes):
    nodes, constants = layers(*arguments, **attributes)
    case(name, opset, nodes, **constants)


for op, gates in (("LSTM", 4), ("GRU", 3), ("RNN", 1)):
    recurrent(op, 14, op, gates, 4, 1)
    recurrent(op + "_reverse", 14, op, gates, 4, 1, direction="reverse")
    recurrent(op + "_bidirectional_initial", 14, op, gates, 4, 2, initial=True, direction="bidirectional")
    recurrent(op + "_last_hidden", 14, op, gates, 4, 2, direction="bidirectional", outputs="- r")
    recurrent(op + "_no_bias", 7, op, gates, 4, 1, bias=False)
recurrent("LSTM_last_cell", 14, "LSTM", 4, 4, 2, direction="bidirectional", outputs="- - r")
recurrent("LSTM_peepholes", 14, "LSTM", 4, 4, 1, peepholes=True)
recurrent("LSTM_clip", 14, "LSTM", 4, 4, 1, clip=0.5)
recurrent("GRU_reset_after", 14, "GRU", 3, 4, 2, direction="bidirectional", linear_before_reset=1)
recurrent("GRU_reset_before_initial", 14, "GRU", 3, 4, 1, initial=True, linear_before_reset=0)
recurrent("RNN_relu", 14, "RNN", 1, 4, 1, activations=["Relu"])

# integers
q = dict(s=np.float32(0.013), z=np.uint8(120))
case("QuantizeLinear", 13, node("QuantizeLinear", "x s z"), **q)
case("QuantizeLinear_signed", 13, node("QuantizeLinear", "x s z"), s=np.float32(0.005), z=np.int8(-3))
case("QuantizeLinear_halves", 13, node("QuantizeLinear", "h s"), h=f32(0.5, 1.5, 2.5, -0.5, 254.5, 300, 255.5), s=np.float32(1))
case("QuantizeLinear_16_bits", 21, node("QuantizeLinear", "x s z"), s=np.float32(1e-5), z=np.uint16(3000))
case("QuantizeLinear_channels", 13, node("QuantizeLinear", "x s z", axis=1), s=f32(0.01, 0.02, 0.005), z=np.array([1, 2, 100], np.uint8))
case("DequantizeLinear", 13, node("DequantizeLinear", "k s z"), k=np.arange(250, 256, dtype=np.uint8), **q)
case("DequantizeLinear_int32", 13, node("DequantizeLinear", "k s"), k=np.array([-70000, 5, 2**30], np.int32), s=np.float32(1e-4))
case("DequantizeLinear_channels", 13, node("DequantizeLinear", "k s z", axis=0), k=np.arange(-6, 6, dtype=np.int8).reshape(3, 4),
     s=f32(0.1, 0.2, 0.3), z=np.array([-1, 0, 1], np.int8))
case("DequantizeLinear_blocks", 21, node("DequantizeLinear", "k s", axis=1, block_size=2), k=np.arange(-6, 6, dtype=np.int8).reshape(3, 4),
     s=f(3, 2))
case("DequantizeLinear_4_bits", 21, node("DequantizeLinear", "k s"), k=Nibbles([[-8, 7, -1], [3, 0, -5]], True), s=np.float32(0.5))
case("DequantizeLinear_4_bits_unsigned", 21, node("DequantizeLinear", "k s"), k=Nibbles([15, 8, 7, 0, 1], False), s=np.float32(0.5))
case("QuantizeLinear_microsoft", 13, node("com.microsoft::QuantizeLinear", "x s z"), **q)
case("QDQ_convolution", 13,
     [node("QuantizeLinear", "x s z", "xq"), node("DequantizeLinear", "xq s z", "xd"), node("DequantizeLinear", "w ws wz", "wd", axis=0),
      node("DequantizeLinear", "b bs", "bd"), node("Conv", "xd wd bd", "c"), node("QuantizeLinear", "c ys yz", "cq"),
      node("DequantizeLinear", "cq ys yz")],
     w=rng.randint(-127, 128, (4, 3, 3, 3)).astype(np.int8), ws=f32(0.01, 0.02, 0.03, 0.04), wz=np.zeros(4, np.int8),
     b=np.array([3, -40, 500, 7], np.int32), bs=np.float32(1e-3), ys=np.float32(0.3), yz=np.uint8(128), **q)
case("DynamicQuantizeLinear", 11, node("DynamicQuantizeLinear", "x", "r s z"), note="one image at a time")
case("DynamicQuantizeLinear_scale", 11, node("DynamicQuantizeLinear", "x", "q r z"))
case("DynamicQuantizeLinear_zero", 11, node("DynamicQuantizeLinear", "x", "q s r"))
quant = node("QuantizeLinear", "x s z", "xq")
case("QLinearConv", 13, [quant, node("QLinearConv", "xq s z w ws wz ys yz b", pads=[1, 1, 1, 1])],
     w=rng.randint(0, 256, (4, 3, 3, 3)).astype(np.uint8), ws=np.float32(0.02), wz=np.uint8(131), ys=np.float32(0.4), yz=np.uint8(99),
     b=np.array([3, -40, 500, 7], np.int32), **q)
case("QLinearConv_channels", 13, [quant, node("QLinearConv", "xq s z w ws wz ys yz", strides=[2, 2])],
     w=rng.randint(-127, 128, (4, 3, 3, 3)).astype(np.int8), ws=f32(0.01, 0.02, 0.03, 0.04), wz=np.zeros(4, np.int8),
     ys=np.float32(0.4), yz=np.uint8(99), **q)
case("QLinearMatMul", 13, [quant, node("QLinearMatMul", "xq s z w ws wz ys yz")], w=rng.randint(0, 256, (5, 4)).astype(np.uint8),
     ws=np.float32(0.02), wz=np.uint8(131), ys=np.float32(0.2), yz=np.uint8(99), **q)
case("MatMulInteger", 13, [quant, node("MatMulInteger", "xq w z wz")], w=rng.randint(0, 256, (5, 4)).astype(np.uint8), wz=np.uint8(131), **q)
case("ConvInteger", 13, [quant, node("ConvInteger", "xq w z wz")], w=rng.randint(0, 256, (4, 3, 3, 3)).astype(np.uint8), wz=np.uint8(131), **q)

# operators that ONNX Runtime's optimizer writes
case("Gelu_microsoft", 13, node("com.microsoft::Gelu", "x"))
case("BiasGelu", 13, node("com.microsoft::BiasGelu", "x b"), b=f(5))
case("FastGelu", 13, node("com.microsoft::FastGelu", "x"))
case("FastGelu_bias", 13, node("com.microsoft::FastGelu", "x b"), b=f(5))
case("QuickGelu", 13, node("com.microsoft::QuickGelu", "x"))
case("QuickGelu_alpha", 13, node("com.microsoft::QuickGelu", "x", alpha=0.5))
case("SimplifiedLayerNormalization", 13, node("SimplifiedLayerNormalization", "x g", axis=-1, epsilon=0.01), g=f(5))
case("LayerNormalization_opset1", 13, node("LayerNormalization", "x g b", axis=-1, epsilon=0.01), g=f(5), b=f(5))
tokens = node("Reshape", "x t", "a")
t = dict(t=i(3, 5, 5))
case("SkipLayerNormalization", 13, [tokens, node("com.microsoft::SkipLayerNormalization", "a k g b c", epsilon=0.01)], k=f(3, 5, 5),
     g=f(5), b=f(5), c=f(5), **t)
case("SkipLayerNormalization_sum", 13, [tokens, node("com.microsoft::SkipLayerNormalization", "a k g", "n - - r")], k=f(3, 5, 5), g=f(5), **t)
case("SkipSimplifiedLayerNormalization", 13, [tokens, node("com.microsoft::SkipSimplifiedLayerNormalization", "a k g", epsilon=0.01)],
     k=f(3, 5, 5), g=f(5), **t)
case("RMSNormalization", 23, node("RMSNormalization", "x g", axis=2, epsilon=0.1), g=f(5, 5))
case("FusedConv_relu", 13, node("com.microsoft::FusedConv", "x w b", activation="Relu", pads=[1, 1, 1, 1]), w=f(4, 3, 3, 3), b=f(4))
case("FusedConv_sum", 13, node("com.microsoft::FusedConv", "x w b z", activation="Relu"), w=f(4, 3, 3, 3), b=f(4), z=f(1, 4, 3, 3))
case("FusedConv_leaky", 13, node("com.microsoft::FusedConv", "x w", activation="LeakyRelu", activation_params=[0.3]), w=f(4, 3, 3, 3))
case("FusedConv_clip", 13, node("com.microsoft::FusedConv", "x w", activation="Clip", activation_params=[-0.5, 0.75]), w=f(4, 3, 3, 3))
case("FusedConv_hard_sigmoid", 13, node("com.microsoft::FusedConv", "x w", activation="HardSigmoid", activation_params=[0.25, 0.4]),
     w=f(4, 3, 3, 3))
case("FusedGemm", 13, [node("Reshape", "x t", "a"), node("com.microsoft::FusedGemm", "a w b", activation="LeakyRelu", activation_alpha=0.3,
                                                         transB=1)], t=i(15, 5), w=f(4, 5), b=f(4))
case("FusedMatMul", 13, node("com.microsoft::FusedMatMul", "x w", alpha=0.5, transA=1, transB=1), w=f(4, 5))
case("FusedMatMul_batches", 13, [tokens, node("com.microsoft::FusedMatMul", "a w", transBatchA=1, transA=1)], w=f(5, 3, 4), **t)
wide = dict(t=i(3, 5, 5), w=f(5, 24), b=f(24))
case("Attention_microsoft", 13, [tokens, node("com.microsoft::Attention", "a w b", num_heads=2)], **wide)
case("Attention_microsoft_causal", 13, [tokens, node("com.microsoft::Attention", "a w b", num_heads=2, unidirectional=1, scale=0.7)], **wide)
case("Attention_microsoft_sizes", 13, [tokens, node("com.microsoft::Attention", "a w b", num_heads=2, qkv_hidden_sizes=[8, 8, 8])], **wide)
case("Attention_microsoft_bias", 13, [tokens, node("com.microsoft::Attention", "a w b - - e", num_heads=2)], e=f(3, 2, 5, 5), **wide)
heads = [tokens] + [node("MatMul", f"a w{n}", n) for n in "qkv"]
three = dict(t=i(3, 5, 5), wq=f(5, 8), wk=f(5, 8), wv=f(5, 8))
case("MultiHeadAttention", 13, heads + [node("com.microsoft::MultiHeadAttention", "q k v b", num_heads=2)], b=f(24), **three)
case("MultiHeadAttention_no_bias", 13, heads + [node("com.microsoft::MultiHeadAttention", "q k v", num_heads=4, scale=0.3)], **three)
case("Attention_opset23", 23, heads + [node("Attention", "q k v", q_num_heads=2, kv_num_heads=2)], **three)
case("Attention_opset23_causal", 23, heads + [node("Attention", "q k v", q_num_heads=2, kv_num_heads=2, is_causal=1, scale=0.4)], **three)
case("Attention_opset23_mask", 23, heads + [node("Attention", "q k v m", q_num_heads=2, kv_num_heads=2)], m=f(5, 5), **three)
case("Attention_opset23_heads_apart", 23, [node("Attention", "x k v")], k=f(1, 3, 4, 5), v=f(1, 3, 4, 6))

# resizing with filters
for mode in "linear cubic".split():
    case(f"Resize_antialias_{mode}", 18, node("Resize", "x - - s", mode=mode, antialias=1), s=i(1, 3, 2, 3))
    case(f"Resize_antialias_{mode}_up_and_down", 18, node("Resize", "x - - s", mode=mode, antialias=1), s=i(1, 3, 9, 2))
    case(f"Resize_antialias_{mode}_align_corners", 18, node("Resize", "x - - s", mode=mode, antialias=1,
                                                           coordinate_transformation_mode="align_corners"), s=i(1, 3, 2, 3))
case("Resize_antialias_exclude_outside", 18, node("Resize", "x - - s", mode="cubic", antialias=1, exclude_outside=1), s=i(1, 3, 2, 3))
case("Resize_exclude_outside", 13, node("Resize", "x - - s", mode="cubic", exclude_outside=1), s=i(1, 3, 8, 3))
case("Resize_half_pixel_symmetric", 19, node("Resize", "x - s", mode="linear", coordinate_transformation_mode="half_pixel_symmetric"),
     s=f32(1, 1, 1.5, 0.7))
for policy in "not_larger not_smaller".split():
    case(f"Resize_{policy}", 18, node("Resize", "x - - s", mode="linear", axes=[2, 3], keep_aspect_ratio_policy=policy), s=i(8, 7))

# bytes, and channels last
case("Input_bytes", 13, note="the model takes bytes", nodes=[node("Cast", "x", "a", to=1), node("Conv", "a w")], dtype="uint8", w=f(4, 3, 3, 3))
case("Input_channels_last", 13, note="channels last", nodes=[node("Transpose", "x", "a", perm=[0, 3, 1, 2]), node("Conv", "a w")], shape=(1, SIDE, SIDE, 3),
     w=f(4, 3, 3, 3))
case("Input_bytes_channels_last", 13, note="the model takes bytes", nodes=[node("Cast", "x", "a", to=1), node("Transpose", "a", "b", perm=[0, 3, 1, 2]), node("Conv", "b w")],
     dtype="uint8", shape=(1, SIDE, SIDE, 3), w=f(4, 3, 3, 3))
case("Half_weights", 13, [node("Cast", "w", "v", to=1), node("Conv", "x v")], w=f(4, 3, 3, 3).astype(np.float16), note="half precision")
case("Newer_opset", 99, node("Softmax", "x", axis=-1), expect=lambda x: np.exp(x) / np.exp(x).sum(-1, keepdims=True),
     note="opset 99; its operators are run as opset 25 defines them")

# loops, masks, and ONNX Runtime's quantization beyond the standard
rng, earlier = np.random.RandomState(5), rng


def body(nodes, outputs, carried="v", **constants):
    """The body of a Loop: takes the iteration `i`, the condition `on` and the carried values."""
    return Graph(nodes, outputs, f"i:7 on:9 {carried}", **constants)


on = node("Identity", "on", "on2")
step = [on, node("Mul", "v half", "w"), node("Add", "w x", "u")]
half = dict(half=f32(0.5))
loop = dict(n=np.int64(3), c=np.array(True))
case("Loop", 13, node("Loop", "n c x", body=body(step, "on2 u", **half)), **loop)
case("Loop_without_condition", 16, node("Loop", "n - x", body=body(step, "on2 u", **half)), **loop)
case("Loop_no_round", 13, node("Loop", "n c x", body=body(step, "on2 u", **half)), n=np.int64(0), c=np.array(True))
case("Loop_not_begun", 13, node("Loop", "n c x", body=body(step, "on2 u", **half)), n=np.int64(5), c=np.array(False))
case("Loop_put_together", 13, node("Loop", "n c x", "v r", body=body(step + [node("ReduceSum", "u", "s", keepdims=0)], "on2 u s", **half)), **loop)
case("Loop_nothing_carried", 13, node("Loop", "n c", "r", body=body(
    [on, node("Cast", "i", "f", to=1), node("Mul", "x f", "s")], "on2 s", carried="")), **loop)
case("Loop_two_of_each", 13, [node("Loop", "n c x k", "a b p q", body=body(
    [on, node("Add", "v w", "s"), node("Mul", "w half", "t"), node("Neg", "v", "g"), node("Mul", "t two", "h")], "on2 s t g h", carried="v w",
    half=f32(0.5), two=f32(2))), node("Add", "a b", "d"), node("Add", "p q", "e"), node("Add", "d e")], k=f(1, 3, 5, 5), **loop)
while_small = [node("Add", "v one", "u"), node("ReduceMax", "u", "m", keepdims=0), node("Less", "m four", "go")]
case("Loop_while", 13, node("Loop", "- c x", body=body(while_small, "go u", one=f32(1), four=np.float32(4))), c=np.array(True))
case("Loop_while_of_pytorch", 13, node("Loop", "n c x", body=body(while_small, "go u", one=f32(1), four=np.float32(4))), n=np.int64(2**63 - 1),
     c=np.array(True))
case("Loop_by_shape", 13, [node("Shape", "x", "s"), node("Gather", "s one", "n"), node("Loop", "n c x", body=body(step, "on2 u", **half))],
     one=np.int64(1), c=np.array(True))
case("Loop_of_constants", 13, [node("Loop", "n c k", "v s", body=body([on, node("Add", "v v", "u"), node("Identity", "v", "o")], "on2 u o")),
                               node("Mul", "x v", "a"), node("ReduceSum", "s", "t", keepdims=0), node("Add", "a t")], k=f32(0.5), **loop)
case("Loop_in_loop", 13, node("Loop", "n c x", body=body(
    [on, node("Loop", "i on v", "u", body=Graph([node("Identity", "on3", "on4"), node("Add", "v3 x", "u3")], "on4 u3", "j:7 on3:9 v3"))], "on2 u")),
     **loop)
case("If_in_loop", 13, node("Loop", "n c x", body=body(
    [on, node("Equal", "i one", "now"), node("If", "now", "u", then_branch=Graph([node("Neg", "v", "a")], "a"),
                                                    else_branch=Graph([node("Add", "v k", "a")], "a", k=f32(2)))], "on2 u", one=np.int64(1))), **loop)
case("Loop_in_if", 13, [node("ReduceMean", "x", "m", keepdims=0), node("Less", "m z", "q"),
                        node("If", "q", then_branch=Graph([node("Loop", "n c x", "l", body=body(step, "on2 u", **half))], "l"),
                             else_branch=Graph([node("Neg", "x", "l")], "l"))], z=np.float32(5), **loop)

wide = dict(t=i(3, 5, 5), w=f(5, 24), b=f(24))
three = dict(t=i(3, 5, 5), wq=f(5, 8), wk=f(5, 8), wv=f(5, 8))
lengths, sides = np.array([5, 2, 3], np.int32), np.array([5, 4, 3, 0, 1, 2], np.int32)
some, square = rng.randint(0, 2, (3, 5)).astype(np.int32) | np.eye(3, 5, dtype=np.int32), rng.randint(0, 2, (3, 5, 5)).astype(np.int32)
for name, mask in dict(lengths=lengths, sides=sides, keys=some, queries=square | np.eye(5, dtype=np.int32), nothing=0 * some).items():
    case(f"Attention_mask_{name}", 13, [tokens, node("com.microsoft::Attention", "a w b m", num_heads=2)], m=mask, **wide)
case("Attention_mask_and_bias", 13, [tokens, node("com.microsoft::Attention", "a w b m - e", num_heads=2, mask_filter_value=-3.0, unidirectional=1)],
     m=some, e=f(3, 2, 5, 5), **wide)
case("Attention_bias_of_all", 13, [tokens, node("com.microsoft::Attention", "a w b - - e", num_heads=2)], e=f(1, 1, 5, 5), **wide)
for name, mask in dict(lengths=lengths, keys=some, queries=square | np.eye(5, dtype=np.int32)).items():
    case(f"MultiHeadAttention_mask_{name}", 13, heads + [node("com.microsoft::MultiHeadAttention", "q k v b m", num_heads=2)], m=mask, b=f(24), **three)
case("MultiHeadAttention_mask_and_bias", 13, heads + [node("com.microsoft::MultiHeadAttention", "q k v - m e", num_heads=2, mask_filter_value=-2.5)],
     m=some, e=f(3, 2, 5, 5), **three)

q = dict(s=np.float32(0.013), z=np.uint8(120))
quant = node("QuantizeLinear", "x s z", "xq")
ys = dict(ys=np.float32(0.0171), yz=np.uint8(101))
for op in "Add Mul".split():
    case(f"QLinear{op}", 13, [quant, node(f"com.microsoft::QLinear{op}", "xq s z w ws wz ys yz")], w=rng.randint(0, 256, (3, 1, 5)).astype(np.uint8),
         ws=np.float32(0.02), wz=np.uint8(131), **ys, **q)
    # a scale of 2, so every second sum is between two integers
    case(f"QLinear{op}_signed", 13, [quant, node("Cast", "xq", "xs", to=6), node("Sub", "xs k", "xt"), node("Cast", "xt", "xi", to=3),
                                    node(f"com.microsoft::QLinear{op}", "xi one nil xi one nil two three" if op == "Add" else "xi one nil w one nil two three")],
         k=np.int32(128), nil=np.int8(0), one=np.float32(0.25), two=np.float32(0.5), three=np.int8(3), w=rng.randint(-9, 9, (5, )).astype(np.int8), **q)
for op, more in (("GlobalAveragePool", {}), ("AveragePool", dict(kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1])),
                 ("AveragePool", dict(kernel_shape=[2, 2], count_include_pad=1, pads=[1, 1, 0, 0], ceil_mode=0))):
    for last in (0, 1):
        case(f"QLinear{op}_{len(more)}_{last}", 13,
             [quant] + ([node("Transpose", "xq", "xl", perm=[0, 2, 3, 1])] if last else []) +
             [node(f"com.microsoft::QLinear{op}", "xl s z ys yz" if last else "xq s z ys yz", channels_last=last, **more)], **ys, **q)
case("QLinearSigmoid", 13, [quant, node("com.microsoft::QLinearSigmoid", "xq s z ys yz")], ys=np.float32(1 / 256), yz=np.uint8(0), **q)
case("QLinearLeakyRelu", 13, [quant, node("com.microsoft::QLinearLeakyRelu", "xq s z ys yz", alpha=0.3)], **ys, **q)
case("QLinearSoftmax", 13, [quant, node("com.microsoft::QLinearSoftmax", "xq s z ys yz", axis=-1, opset=13)], ys=np.float32(1 / 256), yz=np.uint8(0), **q)
case("QLinearSoftmax_opset12", 12, [quant, node("com.microsoft::QLinearSoftmax", "xq s z ys yz", axis=2, opset=12)], ys=np.float32(1 / 256),
     yz=np.uint8(0), **q)
case("QLinearConcat", 13, [quant, node("com.microsoft::QLinearConcat", "ys yz xq s z w ws wz", axis=1)], w=rng.randint(0, 256, (1, 2, 5, 5)).astype(np.uint8),
     ws=np.float32(0.02), wz=np.uint8(131), **ys, **q)
case("QLinearConv_microsoft", 13, [quant, node("com.microsoft::QLinearConv", "xq s z w ws wz ys yz b", pads=[1, 1, 1, 1])],
     w=rng.randint(0, 256, (4, 3, 3, 3)).astype(np.uint8), ws=np.float32(0.02), wz=np.uint8(131), b=np.array([3, -40, 500, 7], np.int32), **ys, **q)
case("QLinearConv_channels_last", 13, [quant, node("Transpose", "xq", "xl", perm=[0, 2, 3, 1]),
                                       node("com.microsoft::QLinearConv", "xl s z w ws wz ys yz", channels_last=1, strides=[2, 1])],
     w=rng.randint(-99, 99, (4, 3, 3, 3)).astype(np.int8), ws=f32(0.01, 0.02, 0.03, 0.04), wz=np.zeros(4, np.int8), ys=np.float32(0.4), yz=np.uint8(99), **q)
gemm = dict(t=i(15, 5), c=np.array([3, -400, 50, 7], np.int32), ws=np.float32(0.02), wz=np.uint8(131), **q)
rows = [quant, node("Reshape", "xq t", "a")]
case("QGemm", 13, rows + [node("com.microsoft::QGemm", "a s z w ws wz c ys yz", transB=1)], w=rng.randint(0, 256, (4, 5)).astype(np.uint8),
     ys=np.float32(0.2), yz=np.uint8(99), **gemm)
case("QGemm_to_floats", 13, rows + [node("com.microsoft::QGemm", "a s z w ws wz c", alpha=0.5)], w=rng.randint(0, 256, (5, 4)).astype(np.uint8), **gemm)
case("QGemm_channels", 13, rows + [node("com.microsoft::QGemm", "a s z w wss wzs - ys yz")], w=rng.randint(-99, 99, (5, 4)).astype(np.int8),
     wss=f32(0.01, 0.02, 0.03, 0.04), wzs=np.zeros(4, np.int8), ys=np.float32(0.2), yz=np.uint8(99), **gemm)
case("MatMulIntegerToFloat", 13, [quant, node("com.microsoft::MatMulIntegerToFloat", "xq w s ws z wz b")], w=rng.randint(0, 256, (5, 4)).astype(np.uint8),
     ws=f32(0.01, 0.02, 0.03, 0.04), wz=np.array([131, 0, 7, 255], np.uint8), b=f(4), **q)
case("DynamicQuantizeMatMul", 13, node("com.microsoft::DynamicQuantizeMatMul", "x w ws wz b"), note="one image at a time",
     w=rng.randint(0, 256, (5, 4)).astype(np.uint8), ws=np.float32(0.02), wz=np.uint8(131), b=f(4))
rng = earlier

# --- newer operators of vision networks ----------------------------------------------------------------------------------
earlier, rng = rng, np.random.RandomState(11)
grid = (rng.uniform(-1.3, 1.3, (1, 4, 6, 2))).astype(np.float32)
for opset, modes in ((16, "bilinear nearest bicubic"), (20, "linear nearest cubic")):
    case(f"GridSample_opset{opset}_default", opset, node("GridSample", "x g"), g=grid)
    for mode in modes.split():
        for pad in "zeros border reflection".split():
            for corners in (0, 1):
                case(f"GridSample_opset{opset}_{mode}_{pad}_{corners}", opset,
                     node("GridSample", "x g", mode=mode, padding_mode=pad, align_corners=corners), g=grid)
case("GridSample_by_image", 20, [node("Slice", "x zero two one", "s"), node("Transpose", "s", "g", perm=[0, 2, 3, 1]), node("GridSample", "x g")],
     zero=i(0), two=i(2), one=i(1))
for corners in (0, 1):
    case(f"AffineGrid_{corners}", 20, [node("AffineGrid", "t s", "g", align_corners=corners), node("GridSample", "x g")], t=f(1, 2, 3), s=i(1, 3, 4, 7))
case("AffineGrid_one_pixel", 20, node("AffineGrid", "t s"), t=f(1, 2, 3), s=i(1, 1, 1, 4))
case("AffineGrid_by_image", 20, [node("ReduceMean", "x a", "m", keepdims=0), node("Slice", "m zero ends axes", "t"), node("AffineGrid", "t s")],
     a=i(1), zero=i(0, 0), ends=i(2, 3), axes=i(1, 2), s=i(1, 1, 3, 4))
case("AffineGrid_volume", 20, node("AffineGrid", "t s"), t=f(1, 3, 4), s=i(1, 2, 2, 3, 4))
deform = dict(w=f(4, 3, 3, 3), o=f(1, 18, 5, 5) * np.float32(2), b=f(4), m=f(1, 9, 5, 5))
for inputs in ("x w o", "x w o b", "x w o - m", "x w o b m"):
    case(f"DeformConv_{len(inputs)}", 19, node("DeformConv", inputs, pads=[1, 1, 1, 1]), **deform)
case("DeformConv_groups", 19, node("DeformConv", "x w o b m", group=3, offset_group=3, strides=[2, 1], dilations=[1, 2], pads=[1, 0, 2, 3]),
     w=f(6, 1, 2, 3), o=f(1, 36, 4, 4) * np.float32(3), b=f(6), m=f(1, 18, 4, 4))
case("CenterCropPad", 18, node("CenterCropPad", "x s"), s=i(1, 6, 2, 8))
case("CenterCropPad_axes", 18, node("CenterCropPad", "x s", axes=[-1, 1]), s=i(4, 2))
for opset in (9, 11, 18):
    for p in (1, 2, 3):
        case(f"LpPool_opset{opset}_{p}", opset, node("LpPool", "x", kernel_shape=[3, 2], strides=[2, 1], pads=[1, 0, 1, 1], p=p))
case("LpPool_dilated", 18, node("LpPool", "x", kernel_shape=[2, 2], dilations=[2, 3], pads=[1, 1, 0, 1], p=3))
case("LpPool_ceil", 18, node("LpPool", "x", kernel_shape=[2, 2], strides=[2, 2], ceil_mode=1))
case("LpPool_same", 11, node("LpPool", "x", kernel_shape=[2, 3], strides=[2, 2], auto_pad="SAME_LOWER"))
case("LpPool_one_dimension", 11, [node("Reshape", "x s", "a"), node("LpPool", "a", kernel_shape=[4], strides=[3])], s=i(1, 5, 15))
for p in (1, 2, 3):
    case(f"GlobalLpPool_{p}", 9, node("GlobalLpPool", "x", p=p))
for counted in (0, 1):
    for up in (0, 1):
        case(f"AveragePool_dilated_{counted}_{up}", 19, node("AveragePool", "x", kernel_shape=[2, 3], dilations=[2, 1], strides=[2, 2], pads=[1, 1, 0, 2],
                                                             count_include_pad=counted, ceil_mode=up))
case("Col2Im", 18, [node("Reshape", "x t", "a"), node("Col2Im", "a s k", pads=[1, 1, 1, 1], strides=[2, 2])], t=i(1, 15, 5), s=i(1, 7), k=i(3, 1))
case("Hardmax", 13, node("Hardmax", "x", axis=1))
case("Hardmax_opset11", 11, node("Hardmax", "x", axis=2))
case("MeanVarianceNormalization", 13, node("MeanVarianceNormalization", "x"))
case("MeanVarianceNormalization_axes", 13, node("MeanVarianceNormalization", "x", axes=[1, -1]))
case("EyeLike", 9, [node("Reshape", "x t", "a"), node("EyeLike", "a", k=-2)], t=i(15, 5))
for positive, negative in ((1, 0), (0, 1), (0, 0)):
    case(f"IsInf_{positive}{negative}", 10, [node("Floor", "x", "a"), node("Div", "one a", "d"), node("IsInf", "d", detect_positive=positive,
                                                                                                      detect_negative=negative)], one=f32(1))
bits = [node("Mul", "x h", "a"), node("Cast", "a", "c", to=7)]
for op in "And Or Xor".split():
    case(f"Bitwise{op}", 18, bits + [node(f"Bitwise{op}", "c k")], h=f32(99), k=i(0x5a))
# Nodes that are not in the order of computation, as in files from ONNX Runtime's converter to half precision.
case("Neg_before_its_input", 13, [node("Neg", "e"), node("Add", "x d", "e"), node("If", "c", "d", then_branch=Graph([node("Neg", "h", "a")], "a"),
                                                                              else_branch=Graph([node("Add", "h h", "a")], "a")), node("Exp", "x", "h")],
     c=np.array(True))
for kind, code in (("int8", 3), ("uint8", 2)):
    codes = [node("Abs", "x", "p"), node("Mul", "p h", "a"), node("Cast", "a", "c", to=code)]
    case(f"MaxPool_{kind}", 12, codes + [node("MaxPool", "c", kernel_shape=[2, 3], pads=[1, 1, 1, 1], strides=[2, 1])], h=f32(120))
    case(f"MaxPool_{kind}_uneven", 12, codes + [node("MaxPool", "c", kernel_shape=[2, 2], pads=[0, 1, 1, 0])], h=f32(120))
case("BitwiseNot", 18, bits + [node("BitwiseNot", "c")], h=f32(99))
case("BitShift", 11, [node("Abs", "x", "p"), node("Mul", "p h", "a"), node("Cast", "a", "c", to=2), node("BitShift", "c k", "s", direction="LEFT"),
                      node("BitShift", "s k", direction="RIGHT")], h=f32(99), k=np.array(2, np.uint8))
rng = earlier

# --- operators of current exporters and quantizers ---------------------------------------------------------------------
earlier, rng = rng, np.random.RandomState(12)
angles = dict(c=np.cos(f(7, 2) * 3), n=np.sin(f(7, 2) * 3))
by_place = dict(c=np.cos(f(1, 6, 2) * 3), n=np.sin(f(1, 6, 2) * 3))
four = dict(s=i(1, 3, 6, 4), first=i(72), flat=i(-1))
cut = [node("Reshape", "x flat", "l"), node("Slice", "l zero first", "k"), node("Reshape", "k s", "a")]
for neighbours in (0, 1):
    case(f"RotaryEmbedding_{neighbours}", 23, cut + [node("RotaryEmbedding", "a c n", interleaved=neighbours)], zero=i(0), **four, **by_place)
    case(f"RotaryEmbedding_positions_{neighbours}", 23, cut + [node("RotaryEmbedding", "a c n p", interleaved=neighbours)], zero=i(0),
         p=np.array([[3, 0, 6, 2, 1, 1]]), **four, **angles)
    case(f"RotaryEmbedding_flat_{neighbours}", 23, cut + [node("RotaryEmbedding", "a c n", interleaved=neighbours, num_heads=3, rotary_embedding_dim=2)],
         zero=i(0), **{**four, "s": i(1, 6, 12)}, c=np.cos(f(1, 6, 1)), n=np.sin(f(1, 6, 1)))
    case(f"RotaryEmbedding_microsoft_{neighbours}", 13, cut + [node("com.microsoft::RotaryEmbedding", "a p c n", interleaved=neighbours)], zero=i(0),
         p=np.array([[3, 0, 6, 2, 1, 1]]), **four, **angles)
case("RotaryEmbedding_microsoft_offset", 13, cut + [node("com.microsoft::RotaryEmbedding", "a p c n")], zero=i(0), p=i(1), **four, **angles)
case("RotaryEmbedding_microsoft_flat", 13, cut + [node("com.microsoft::RotaryEmbedding", "a p c n")], zero=i(0), p=i(1), **{**four, "s": i(1, 6, 12)}, **angles)
case("QLinearWhere", 13, [quant, node("Less", "x h", "o"), node("com.microsoft::QLinearWhere", "o xq s z w ws wz ys yz")], h=np.float32(0.2),
     w=rng.randint(0, 256, (1, 3, 1, 5)).astype(np.uint8), ws=np.float32(0.02), wz=np.uint8(131), **ys, **q)
for more in ({}, dict(strides=[2, 1], pads=[1, 0, 0, 1])):
    case(f"NhwcMaxPool_{len(more)}", 13, [quant, node("Transpose", "xq", "xl", perm=[0, 2, 3, 1]),
                                          node("com.microsoft::NhwcMaxPool", "xl", kernel_shape=[2, 3], **more)], **q)
for mode in "half_pixel asymmetric align_corners".split():
    codes = dict(mode="linear", coordinate_transformation_mode=mode)
    case(f"Resize_of_codes_{mode}", 13, [quant, node("Resize", "xq - - k", **codes)], k=i(1, 3, 7, 12), **q)
    case(f"Resize_of_signed_codes_{mode}", 13, [quant, node("Cast", "xq", "xs", to=6), node("Sub", "xs m", "xt"), node("Cast", "xt", "xi", to=3),
                                                node("Resize", "xi - k", **codes)], m=np.int32(128), k=f32(1, 1, 1, 1.8), **q)
case("Resize_by_float_scale", 13, node("Resize", "x - k", mode="linear"), k=f32(1, 1, 1.8, 2.6))
case("Scatter", 9, [node("Add", "x zero", "a"), node("Scatter", "a i u", axis=3)], zero=f32(0), i=np.array([[[[4, 0]]]]), u=f(1, 1, 1, 2))
rng = earlier

# --- models that must be refused --------------------------------------------------------------------------------------
refuse("Newer_attribute", 'attribute "shape_of_things" does not exist up to opset 25', 99, node("Softmax", "x", shape_of_things=1))
refuse("Dropout_random", "drops 0.5 of its input at random", 13, node("Dropout", "x p t"), p=np.float32(0.5), t=np.array(True))
one3 = dict(one=np.ones(3, np.float32), zero=np.zeros(3, np.float32))
refuse("BatchNormalization_training", "would depend on the other images", 15,
       node("BatchNormalization", "x one zero zero one", training_mode=1), **one3)
refuse("Function_without_end", "calls itself", 17, node("local::A", "x"), functions=[function("A", "a", "b", [node("local::A", "a", "b")])])
refuse("Functions_in_a_circle", "calls itself, or functions call each other", 17, node("local::A", "x"),
       functions=[function("A", "a", "b", [node("local::B", "a", "b")]), function("B", "a", "b", [node("local::A", "a", "b")])])
# 10 functions that call the next one ten times: 10^10 nodes in 3 kB.
bomb = [function(f"F{n}", "a", "a10", [node(f"local::F{n + 1}" if n < 9 else "Neg", "a" if k == 0 else f"a{k}", f"a{k + 1}") for k in range(10)])
        for n in range(10)]
refuse("Functions_that_explode", "more than 1000000 nodes", 17, node("local::F0", "x"), functions=bomb)
# 25 functions that call the next one twice and make no node: 2^24 calls.
silent = [function(f"S{n}", "", "", [node(f"local::S{n + 1}", "", "")] * 2 if n < 24 else []) for n in range(25)]
refuse("Functions_that_call_for_nothing", "more than 1000000 nodes", 17, [node("local::S0", "", ""), node("Neg", "x")], functions=silent)
refuse("Function_reads_outside", "is computed by no earlier node", 17, [node("Neg", "x", "n"), node("local::A", "x")],
       functions=[function("A", "a", "b", [node("Add", "a n", "b")])])
refuse("Function_returns_nothing", 'its output "c" is computed by no earlier node', 17, node("local::A", "x"),
       functions=[function("A", "a", "c", [node("Neg", "a", "b")])])
refuse("Function_too_many_inputs", "more inputs or outputs than its function", 17, node("local::A", "x x"),
       functions=[function("A", "a", "b", [node("Neg", "a", "b")])])
refuse("If_one_branch", "has no else_branch", 13, node("If", "c", then_branch=yes), c=np.array(True))
refuse("If_leaks", "is computed by no earlier node", 13, [node("If", "c", "q", then_branch=yes, else_branch=no), node("Neg", "a")],
       c=np.array(True))
refuse("If_condition", "not one truth value", 13, node("If", "c", then_branch=yes, else_branch=no), c=np.array([True, False]))
refuse("If_condition_of_images", "not one truth value", 13, [node("Less", "x z", "c"), node("If", "c", then_branch=yes, else_branch=no)],
       z=np.float32(0))
refuse("Loop_carries_nothing", "does not carry as many values as its body takes", 13, node("Loop", "n c x", body=yes), **loop)
refuse("Loop_without_body", "has no body", 13, node("Loop", "n c x", then_branch=yes), **loop)
refuse("Loop_without_end", "does not end after 10000 rounds", 13, node("Loop", "- c k", body=body([on, node("Neg", "v", "u")], "on2 u")), c=np.array(True), k=f32(1))
refuse("Loops_in_loops_without_end", "does not end after 10000 rounds", 13, node("Loop", "n c k", body=body(
    [on, node("Loop", "n on v", "u", body=Graph([node("Identity", "on3", "on4"), node("Neg", "v3", "u3")], "on4 u3", "j:7 on3:9 v3"))], "on2 u")),
       n=np.int64(9000), c=np.array(True), k=f32(1))
refuse("Loop_returns_less", "does not return as many values as its body", 13, node("Loop", "n c x", "v r", body=body(step, "on2 u", **half)), **loop)
refuse("Loop_left_out", "carries an omitted value", 13, node("Loop", "n c -", body=body(step, "on2 u", **half)), **loop)
refuse("Loop_rounds", "number of rounds is not one number", 13, node("Loop", "n c k", body=body([on, node("Neg", "v", "u")], "on2 u")), n=i(2, 3),
       c=np.array(True), k=f32(1))
refuse("Loop_no_round_together", "ran zero times", 13, [node("Loop", "n c k", "v s", body=body([on, node("Neg", "v", "u")], "on2 u u")), node("Add", "x s")],
       n=np.int64(0), c=np.array(True), k=f32(1))
refuse("Scan", "does not have: Scan (1 node", 13, node("Scan", "x", num_scan_inputs=1, body=yes))
refuse("Quantise_4_bits", "4 bits", 21, node("QuantizeLinear", "x s z"), s=np.float32(0.1), z=Nibbles([3], False))
refuse("Quantise_float8", "ONNX type 17", 21, node("QuantizeLinear", "x s", output_dtype=17), s=np.float32(0.1))
refuse("Quantise_scales", "2 scales for 3 places", 13, node("QuantizeLinear", "x s", axis=1), s=f32(0.1, 0.2))
refuse("Quantised_otherwise", "QDQ", 13, node("com.microsoft::QLinearReduceMean", "x s z s z"), s=np.float32(0.1), z=np.uint8(3))
refuse("LSTM_sizes", "do not fit together", 14, [node("Reshape", "x s", "a"), node("LSTM", "a w u")], s=i(5, 3, 5), w=f(1, 16, 4), u=f(1, 16, 4))
refuse("LSTM_activation", 'activation "Softsign" is not supported', 14,
       [node("Reshape", "x s", "a"), node("LSTM", "a w u", activations=["Softsign", "Tanh", "Tanh"])], s=i(5, 3, 5), w=f(1, 16, 5), u=f(1, 16, 4))
refuse("LSTM_lengths", "different lengths", 14, [node("Reshape", "x s", "a"), node("LSTM", "a w u - n")], s=i(5, 3, 5), w=f(1, 16, 5),
       u=f(1, 16, 4), n=np.array([5, 4, 5], np.int32))
refuse("Attention_heads", "do not divide", 13, [tokens, node("com.microsoft::Attention", "a w b", num_heads=5)], **wide)
refuse("Attention_mask", "a mask of 2 x 5 for 3 images, 5 queries and 5 keys", 13, [tokens, node("com.microsoft::Attention", "a w b n", num_heads=2)],
       n=np.ones((2, 5), np.int32), **wide)
refuse("Attention_past", "an earlier state (input 4) is not supported", 13, [tokens, node("com.microsoft::Attention", "a w b - p", num_heads=2)],
       p=f(2, 3, 2, 1, 4), **wide)
refuse("FusedConv_activation", 'activation "Wobble"', 13, node("com.microsoft::FusedConv", "x w", activation="Wobble"), w=f(4, 3, 3, 3))
refuse("Resize_policy", "keep_aspect_ratio_policy", 18, node("Resize", "x - - s", axes=[2, 3], keep_aspect_ratio_policy="wide"), s=i(8, 7))
refuse("GridSample_mode", 'mode "cubic" is unknown; bilinear, nearest, bicubic are allowed', 16, node("GridSample", "x g", mode="cubic"), g=grid)
refuse("GridSample_padding", 'padding_mode "wrap" is unknown', 20, node("GridSample", "x g", padding_mode="wrap"), g=grid)
refuse("GridSample_batch", "a grid of 2 x 4 x 6 x 2 does not fit an input of 1 x 3 x 5 x 5", 16, node("GridSample", "x g"), g=np.concatenate([grid, grid]))
refuse("AffineGrid_theta", "a theta of 1 x 2 x 2 does not fit a size of 1 x 3 x 4 x 7", 20, node("AffineGrid", "t s"), t=np.ones((1, 2, 2), np.float32), s=i(1, 3, 4, 7))
refuse("AffineGrid_one_pixel", "a side with one pixel", 20, node("AffineGrid", "t s", align_corners=1), t=np.ones((1, 2, 3), np.float32), s=i(1, 3, 1, 4))
refuse("AffineGrid_huge", "is too large", 20, node("AffineGrid", "t s"), t=np.ones((1, 2, 3), np.float32), s=i(1, 3, 1 << 20, 1 << 20))
refuse("DeformConv_offset", "its offset is 1 x 18 x 5 x 5 instead of 1 x 18 x 3 x 3", 19, node("DeformConv", "x w o"), w=deform["w"], o=deform["o"])
refuse("DeformConv_groups_of_offsets", "the groups do not divide the channels", 19, node("DeformConv", "x w o", offset_group=2), w=deform["w"], o=deform["o"])
refuse("DeformConv_dilation", "strides and dilations must be at most 2^24", 19, node("DeformConv", "x w o", dilations=[2**62, 1]), w=deform["w"], o=deform["o"])
refuse("Col2Im_block", "sizes, strides and dilations must be between 1 and 2^24", 18, [node("Reshape", "x t", "a"), node("Col2Im", "a s k")],
       t=i(1, 15, 5), s=i(1, 7), k=i(2**32, 2**32))
refuse("Col2Im_channels", "must be n x (channels x block) x windows", 18, [node("Reshape", "x t", "a"), node("Col2Im", "a s k")],
       t=i(1, 15, 5), s=i(1, 7), k=i(2, 1))
refuse("CenterCropPad_sizes", "it has 2 sizes for 1 axes", 18, node("CenterCropPad", "x s", axes=[1]), s=i(1, 2))
refuse("CenterCropPad_huge", "is too large", 18, node("CenterCropPad", "x s"), s=i(1, 1 << 20, 1 << 20, 5))
refuse("LpPool_p", "p = 0; 1 or more is allowed", 18, node("LpPool", "x", kernel_shape=[2, 2], p=0))
refuse("RotaryEmbedding_angles", "its cosines and sines do not fit its heads", 23, node("RotaryEmbedding", "x c c"), c=np.ones((1, 5, 2), np.float32))
refuse("RotaryEmbedding_scale", "a scale are not supported", 13, node("com.microsoft::RotaryEmbedding", "x p c c", scale=2.0), p=i(0),
       c=np.ones((5, 2), np.float32))
refuse("Nodes_in_a_circle", "is computed by no earlier node", 13, [node("Neg", "a", "b"), node("Neg", "b", "a"), node("Neg", "x")])
refuse("Resize_of_codes", 'mode "cubic" of whole numbers', 13, [node("Cast", "x", "c", to=3), node("Resize", "c - s", mode="cubic")], s=f32(1, 1, 2, 2))
refuse("BitShift_direction", 'direction "UP" is unknown; LEFT and RIGHT are allowed', 11, node("BitShift", "k k", direction="UP"), k=np.array([2], np.uint8))
refuse("BitwiseAnd_of_floats", "bit operations need whole numbers", 18, node("BitwiseAnd", "x x"))
refuse("BitwiseNot_of_uint16", "uint16 is held in 32 bits", 18, [node("Cast", "x", "c", to=4), node("BitwiseNot", "c")])
refuse("BitwiseNot_of_constant_uint16", "uint16 is held in 32 bits", 18, [node("Constant", "", "c", value=np.array([2], np.uint16)), node("BitwiseNot", "c")])
refuse("BitShift_of_uint16", "uint16 is held in 32 bits", 11, node("BitShift", "k k", direction="LEFT"), k=np.array([2], np.uint16))
refuse("Opset_0", "opset 0, which does not exist", 0, node("Neg", "x"))
refuse("Input_of_whole_numbers", "images are given as floats or bytes", 13, node("Cast", "x", to=1), dtype="int64")

# --- gradients --------------------------------------------------------------------------------------------------------
gradients = []


def slope(name, opset, nodes, **constants):
    nodes = nodes if isinstance(nodes, list) else [nodes]
    gradients.append({"name": name, "model": base64.b64encode(model(opset, nodes, constants)).decode()})


slope("Mod_of_image", 13, node("Mod", "x b", fmod=1), b=f32(0.7))
slope("Cast_double", 13, [node("Cast", "x", "d", to=11), node("Mul", "d d")])
slope("CastLike", 15, [node("CastLike", "x t", "d"), node("Mul", "d d")], t=np.array([1.0]))
slope("ThresholdedRelu_alpha", 13, node("ThresholdedRelu", "x", alpha=0.25))
slope("TransposeMatMul", 13, node("com.microsoft::TransposeMatMul", "x w", transA=1, alpha=0.5), w=f(3, 5, 2))
slope("DequantizeLinear_microsoft", 13, [node("com.microsoft::QuantizeLinear", "x s z", "q"), node("com.microsoft::DequantizeLinear", "q s z")],
      s=np.float32(0.1), z=np.uint8(128))
slope("IsInf", 13, [node("Log", "x", "l"), node("IsInf", "l")])
slope("Where_of_decisions", 16, [node("Greater", "x z", "g"), node("LessOrEqual", "x h", "l"), node("And", "g l", "c"),
                                 node("Where", "c x w")], z=f32(-0.5), h=f32(0.5), w=f(1, 5))
with open(GRADIENTS, "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in gradients) + "\n]\n")
if "--gradients" in sys.argv:
    print(len(gradients), "gradients")
    sys.exit()

# --- run --------------------------------------------------------------------------------------------------------------
RUN = """
const ort = require('onnxruntime-node'), fs = require('fs');
(async () => {
  const models = JSON.parse(fs.readFileSync(process.argv[1]));
  const out = [];
  for (const m of models) {
    try {
      const x = new ort.Tensor(m.dtype, (m.dtype == 'uint8' ? Uint8Array : Float32Array).from(m.input), m.shape);
      const session = await ort.InferenceSession.create(Buffer.from(m.model, 'base64'), { graphOptimizationLevel: 'disabled', logSeverityLevel: 4 });
      const y = (await session.run({ x })).y;
      out.push(Buffer.from(Float32Array.from(y.data).buffer).toString('base64'));
    } catch (e) { out.push({ error: String(e.message) }); }
  }
  console.log(JSON.stringify(out));
})();
"""
k = np.arange(3 * SIDE * SIDE, dtype=np.int64)
x = ((k * 7919) % 1009).astype(np.float32) / np.float32(504.5) - np.float32(1)
x = x.reshape(1, 3, SIDE, SIDE)


def given(c):
    """The input in the model's form. Bytes are those that give the input when divided by 255."""
    y = x if c["shape"][1] == 3 else x.transpose(0, 2, 3, 1)
    return np.clip(np.rint(y * 255), 0, 255).astype(np.uint8) if c["dtype"] == "uint8" else y


def by_node(jobs):
    with tempfile.NamedTemporaryFile("w", suffix=".json") as job:
        json.dump([{**c, "input": [float(v) for v in c["input"].flatten()]} for c in jobs], job)
        job.flush()
        return json.loads(subprocess.run(["node", "-e", RUN, job.name], capture_output=True, text=True, check=True).stdout)


def by_python(jobs):
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    answers = []
    for c in jobs:
        try:
            session = onnxruntime.InferenceSession(base64.b64decode(c["model"]), options, providers=["CPUExecutionProvider"])
            y = session.run(None, {"x": c["input"]})[0]
            answers.append(base64.b64encode(y.astype(np.float32).tobytes()).decode())
        except Exception as error:
            answers.append({"error": str(error)})
    return answers


# Stored results of the same model do not change, because another release of ONNX Runtime may round differently.
stored = {}
if os.path.exists(OUT):
    with open(OUT) as file:
        stored = {(c["name"], c["model"]): c["scores"] for c in json.load(file)}
jobs = []
for c in cases:
    c["model"] = base64.b64encode(c["model"]).decode()
    if c["expect"] is None and (c["name"], c["model"]) not in stored:
        jobs.append({"model": c["model"], "dtype": c["dtype"], "shape": c["shape"], "input": given(c)})
answers = iter((by_python if onnxruntime else by_node)(jobs) if jobs else [])
kept = []
for c in cases:
    if c["expect"] is not None:
        answer = base64.b64encode(c["expect"](x.astype(np.float64)).astype(np.float32).tobytes()).decode()
    else:
        answer = stored.get((c["name"], c["model"])) or next(answers)
    if isinstance(answer, dict):
        print(f"ONNX Runtime refuses {c['name']}: {answer['error']}", file=sys.stderr)
        continue
    kept.append({"name": c["name"], "opset": c["opset"], "model": c["model"], "scores": answer})
    if c["note"]:
        kept[-1]["note"] = c["note"]
with open(OUT, "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in kept) + "\n]\n")
with open(REFUSED, "w") as file:
    file.write("[\n" + ",\n".join(json.dumps(c, separators=(",", ":")) for c in refused) + "\n]\n")
print(len(kept), "cases,", len(refused), "refused")
