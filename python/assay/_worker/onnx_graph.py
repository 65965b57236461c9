"""Reads facts of an ONNX file without any package: its operators, the number of its weights, and the files that hold them.

An ONNX file is a message of protocol buffers (onnx.proto). It reads only the fields that it needs, and skips the weights.
"""

from __future__ import annotations

import mmap
import os
import shlex
from typing import Any, Iterator

from .wire import Refused

_DEEPEST = 32  # depth of graphs within nodes of graphs
_MOST_DIMENSIONS = 16
_EXTERNAL = 1  # TensorProto.data_location
# Bytes per number by TensorProto.data_type: float, float16, double, bfloat16 and 8-bit types.
_FLOATING = {1: 4, 10: 2, 11: 8, 16: 2, 17: 1, 18: 1, 19: 1, 20: 1}


class Graph:
    """Reads the whole file. Raises Refused if it is not an ONNX file, is cut short, or lacks its data files."""

    def __init__(self, path: str):
        self.path = path
        self.operators: "set[str]" = set()
        self.data_files: "set[str]" = set()
        self.parameters = self.buffers = self.bytes = 0
        self._constants: "list[tuple[int, int]]" = []  # numbers and bytes of the floating-point tensors in nodes
        self._statistics: "set[bytes]" = set()  # inputs of batch norms that are not parameters
        self._tensors: "list[tuple[bytes, int]]" = []  # the name of each floating-point initialiser, and how many numbers it has
        try:
            with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
                self._model(data)
        except (OSError, ValueError) as error:
            raise Refused(f"{path} cannot be read: {error}", "io" if isinstance(error, OSError) else "bad_input")
        self.parameters = sum(numbers for name, numbers in self._tensors if name not in self._statistics)
        self.buffers = sum(numbers for name, numbers in self._tensors if name in self._statistics)
        if self.parameters == 0:  # an exporter may keep weights as constants
            self.parameters = sum(numbers for numbers, _ in self._constants)
            self.bytes += sum(size for _, size in self._constants)

    def _fields(self, data: Any, begin: int, end: int) -> "Iterator[tuple[int, Any, int, int]]":
        """Yields each field: its number, its value (if it is a number), and the place of its bytes (if it is a text or message)."""
        at = begin
        while at < end:
            key, at = self._varint(data, at, end)
            number, wire = key >> 3, key & 7
            if wire == 0:
                value, at = self._varint(data, at, end)
                yield number, value, 0, 0
                continue
            if wire == 2:
                size, at = self._varint(data, at, end)
            elif wire in (1, 5):
                size = 8 if wire == 1 else 4
            else:
                raise self._damaged(f"a field of wire type {wire}")
            if size > end - at:
                raise self._damaged(f"a field of {size} bytes, but only {end - at} are left")
            if wire == 2:
                yield number, None, at, at + size
            at += size

    def _varint(self, data: Any, at: int, end: int) -> "tuple[int, int]":
        value = 0
        for shift in range(0, 70, 7):
            if at >= end:
                break
            byte = data[at]
            at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value, at
        raise self._damaged("a number without an end")

    def _damaged(self, what: str) -> Refused:
        return Refused(f"{self.path} is damaged, cut short, or not an ONNX file: it has {what}")

    def _model(self, data: Any) -> None:
        graphs = 0
        for number, _, begin, end in self._fields(data, 0, len(data)):
            if number == 7 and end:
                graphs += 1
                self._graph(data, begin, end, 0)
            elif number == 25 and end:  # a function
                for inner, _, node, node_end in self._fields(data, begin, end):
                    if inner == 7 and node_end:
                        self._node(data, node, node_end, 0)
        if graphs != 1:
            raise self._damaged("no graph" if graphs == 0 else "several graphs")

    def _graph(self, data: Any, begin: int, end: int, depth: int) -> None:
        if depth > _DEEPEST:
            raise self._damaged(f"graphs nested more than {_DEEPEST} deep")
        for number, _, at, at_end in self._fields(data, begin, end):
            if number == 1 and at_end:
                self._node(data, at, at_end, depth)
            elif number == 5 and at_end:
                self._tensor(data, at, at_end, True)

    def _node(self, data: Any, begin: int, end: int, depth: int) -> None:
        inputs: "list[bytes]" = []
        operator, domain = "", ""
        for number, _, at, at_end in self._fields(data, begin, end):
            if number == 1:
                inputs.append(data[at:at_end])
            elif number == 4:
                operator = data[at:at_end].decode(errors="replace")
            elif number == 7:
                domain = data[at:at_end].decode(errors="replace")
            elif number == 5 and at_end:
                for inner, _, value, value_end in self._fields(data, at, at_end):
                    if inner in (5, 10) and value_end:  # tensors
                        self._tensor(data, value, value_end, False)
                    elif inner in (6, 11) and value_end:  # graphs
                        self._graph(data, value, value_end, depth + 1)
        self.operators.add(operator if domain in ("", "ai.onnx") else f"{domain}::{operator}")
        if operator == "BatchNormalization":
            self._statistics.update(inputs[3:])

    def _tensor(self, data: Any, begin: int, end: int, initialiser: bool) -> None:
        sizes: "list[int]" = []
        kind, external, name, location = 0, False, b"", ""
        for number, value, at, at_end in self._fields(data, begin, end):
            if number == 1 and value is not None:
                sizes.append(value)
            elif number == 1:
                while at < at_end:
                    size, at = self._varint(data, at, at_end)
                    sizes.append(size)
            elif number == 2 and value is not None:
                kind = value
            elif number == 8:
                name = data[at:at_end]
            elif number == 14 and value is not None:
                external = value == _EXTERNAL
            elif number == 13 and at_end:
                entry = {inner: data[b:e].decode(errors="replace") for inner, _, b, e in self._fields(data, at, at_end)}
                if entry.get(1) == "location":
                    location = entry.get(2, "")
            if len(sizes) > _MOST_DIMENSIONS:
                raise self._damaged(f"a tensor of more than {_MOST_DIMENSIONS} dimensions")
        if external:
            self._data_file(name.decode(errors="replace"), location)
        if kind in _FLOATING:
            numbers = 1
            for size in sizes:
                numbers *= size
            if numbers >= 1 << 48:
                raise self._damaged(f"a tensor of {numbers} numbers")
            if not initialiser:
                self._constants.append((numbers, numbers * _FLOATING[kind]))
                return
            self._tensors.append((name, numbers))
            self.bytes += numbers * _FLOATING[kind]

    def _data_file(self, tensor: str, location: str) -> None:
        if not location or os.path.isabs(location) or ".." in location.split("/") or "\0" in location:
            raise Refused(f"{self.path}: tensor {tensor!r}: its data file {location!r} is not inside the model's folder")
        file = os.path.join(os.path.dirname(self.path), location)
        if not os.path.isfile(file):
            raise Refused(f"{self.path} keeps weights in {file}, which does not exist")
        # The target of a link is checked, because hubs store a model as links into a folder of file contents.
        real = os.path.realpath(file)
        folders = (os.path.realpath(os.path.dirname(self.path) or "."), os.path.dirname(os.path.realpath(self.path)))
        if not any(os.path.commonpath([folder, real]) == folder for folder in folders):
            raise Refused(
                f"{self.path}: tensor {tensor!r}: its data file {location!r} is not inside the model's folder, but a link to {real}. "
                f"If you trust that file, put it in place of the link: `cp --remove-destination {shlex.quote(real)} {shlex.quote(file)}`"
            )
        self.data_files.add(location)
