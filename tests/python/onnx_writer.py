"""Writes small ONNX files field by field, without any package. tests/model/onnx_writer.h does the same in C++."""
import struct

FLOAT, UINT8, HALF = 1, 2, 10


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def field(number, value):
    """A field with a number, or with the bytes of a text or a message."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def value_info(name, type_, shape):
    """`shape` has numbers, or names of dimensions that may vary."""
    sizes = b"".join(field(1, field(1, one) if isinstance(one, int) else field(2, one)) for one in shape)
    return field(1, name) + field(2, field(1, field(1, type_) + field(2, sizes)))


def node(operator, inputs, outputs, attributes=b"", domain=""):
    out = b"".join(field(1, name) for name in inputs) + b"".join(field(2, name) for name in outputs) + field(4, operator)
    return out + b"".join(field(5, one) for one in attributes) + (field(7, domain) if domain else b"")


def integers(name, values):
    return field(1, name) + b"".join(field(8, value) for value in values) + field(20, 7)


def integer(name, value):
    return field(1, name) + field(3, value) + field(20, 2)


def attribute(name, value):
    """An attribute whose type follows from the value: an int, a float, a text, or a list of ints."""
    if isinstance(value, float):
        return field(1, name) + varint(2 << 3 | 5) + struct.pack("<f", value) + field(20, 1)
    if isinstance(value, str):
        return field(1, name) + field(4, value) + field(20, 3)
    return integer(name, value) if isinstance(value, int) else integers(name, value)


def array(name, values):
    """A tensor of a NumPy array, with its type: float32, uint8, int32, int64 or bool."""
    kind = {"float32": 1, "uint8": 2, "int32": 6, "int64": 7, "bool": 9}[values.dtype.name]
    return b"".join(field(1, side) for side in values.shape) + field(2, kind) + field(8, name) + field(9, values.tobytes())


def tensor(name, sizes, values, external=""):
    """A tensor of float32 numbers. `external` is the name of the file that contains them."""
    out = b"".join(field(1, side) for side in sizes) + field(2, FLOAT) + field(8, name)
    if not external:
        return out + field(9, struct.pack(f"<{len(values)}f", *values))
    return out + field(13, field(1, "location") + field(2, external)) + field(14, 1)


def model(nodes, initialisers, inputs, outputs, opset=13):
    graph = b"".join(field(1, one) for one in nodes) + field(2, "g") + b"".join(field(5, one) for one in initialisers)
    graph += b"".join(field(11, one) for one in inputs) + b"".join(field(12, one) for one in outputs)
    return field(1, 8) + field(7, graph) + field(8, field(2, opset))


def linear(weights, *, batch="n", height="h", width="w", type_=FLOAT, last=False, external="", opset=13, outputs=("logits",), more=()):
    """A model whose scores are weighted sums of the channels' means. `weights` has a row for each channel."""
    shape = (batch, height, width, 3) if last else (batch, 3, height, width)
    nodes, at = [], "images"
    if type_ != FLOAT:
        nodes.append(node("Cast", [at], ["cast"], [integer("to", FLOAT)]))
        at = "cast"
    if last:
        nodes.append(node("Transpose", [at], ["turned"], [integers("perm", (0, 3, 1, 2))]))
        at = "turned"
    nodes += [
        node("GlobalAveragePool", [at], ["means"]), node("Flatten", ["means"], ["flat"]), node("MatMul", ["flat", "W"], ["logits"]), *more,
    ]
    values = [value for row in weights for value in row]
    classes = len(weights[0])
    return model(
        nodes, [tensor("W", (3, classes), values, external)], [value_info("images", type_, shape)],
        [value_info(name, FLOAT, (batch, classes)) for name in outputs], opset,
    )
