"""Messages between the program and a model in Python: datagrams with fields and open descriptors.

The layout is that of src/model/isolated/wire.cpp: a byte for the kind, then numbers (8 bytes), reals (8 bytes) and texts (their length,
then UTF-8), all little-endian.
"""

from __future__ import annotations

import errno
import json
import os
import socket
import struct
from typing import Any, Optional

VERSION = 1
MOST_MESSAGE = 60 << 10
MOST_DESCRIPTORS = 2
MOST_DESCRIPTION = 64 << 20
LONGEST_TEXT = 8192
LONGEST_NOTE = 2048
LONGEST_NAME = 512
MOST_TEXTS = 16

READY, OPEN, OPENED, FAILED, ENDED, LANE, BATCH, DONE, MEASURE, COST, DESCRIBED, SAID, WANTED, NAMES = range(14)
CODES = ("usage", "bad_input", "io", "unreachable", "busy", "out_of_memory", "interrupted", "internal")

# The other end is closed, or another thread has closed this one.
_GONE = (errno.EPIPE, errno.ECONNRESET, errno.ENOTCONN, errno.EBADF)


class Refused(Exception):
    """An error that the program shows as its own. `code` is one of CODES."""

    def __init__(self, message: str, code: str = "bad_input"):
        super().__init__(message)
        self.message = message
        self.code = code


def cut(text: str, most: int) -> bytes:
    """UTF-8 with a limit of bytes, cut between characters."""
    return text.encode(errors="replace")[:most].decode(errors="ignore").encode()


class Writer:
    """A message of one kind."""

    def __init__(self, kind: int):
        self._bytes = bytearray([kind])

    def number(self, value: int) -> "Writer":
        self._bytes += struct.pack("<Q", value)
        return self

    def real(self, value: float) -> "Writer":
        self._bytes += struct.pack("<d", value)
        return self

    def text(self, value: str, most: int = LONGEST_TEXT) -> "Writer":
        data = cut(value, most)
        self.number(len(data))
        self._bytes += data
        return self

    def texts(self, values: "list[str]") -> "Writer":
        kept = values[:MOST_TEXTS]
        self.number(len(kept))
        for value in kept:
            self.text(value, LONGEST_NOTE)
        return self

    def bytes(self) -> bytes:
        return bytes(self._bytes)


class Reader:
    """The fields of a message. Raises Refused (internal) if it is cut short or of another kind."""

    def __init__(self, message: bytes, kind: int):
        if not message or message[0] != kind:
            raise Refused(f"a message of kind {message[0] if message else 'none'} where {kind} was expected", "internal")
        self._bytes = message
        self._at = 1

    def _take(self, size: int) -> bytes:
        part = self._bytes[self._at:self._at + size]
        if len(part) != size:
            raise Refused("a message is cut short", "internal")
        self._at += size
        return part

    def number(self) -> int:
        return int(struct.unpack("<Q", self._take(8))[0])

    def real(self) -> float:
        return float(struct.unpack("<d", self._take(8))[0])

    def text(self) -> str:
        return self._take(self.number()).decode(errors="replace")

    def texts(self) -> "list[str]":
        return [self.text() for _ in range(self.number())]


def send(end: socket.socket, message: bytes, descriptors: "tuple[int, ...]" = ()) -> bool:
    """Returns False if the other end is closed."""
    try:
        if descriptors:
            socket.send_fds(end, [message], list(descriptors))
        else:
            end.send(message)
        return True
    except OSError as error:
        if error.errno in _GONE:
            return False
        raise


def receive(end: socket.socket) -> "tuple[bytes, list[int]]":
    """The next message and the descriptors that it carries; b"" if the other end is closed."""
    try:
        message, descriptors, flags, _ = socket.recv_fds(end, MOST_MESSAGE, MOST_DESCRIPTORS)
    except OSError as error:
        if error.errno in _GONE:
            return b"", []
        raise
    for descriptor in descriptors:
        os.set_inheritable(descriptor, False)
    if flags & socket.MSG_TRUNC:
        raise Refused(f"a message of more than {MOST_MESSAGE} bytes", "internal")
    return message, list(descriptors)


def sealed(data: bytes) -> int:
    """A descriptor of read-only memory with these bytes. The caller closes it."""
    import fcntl

    descriptor = os.memfd_create("assay-description", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view):]
        # F_ADD_SEALS forbids growing, shrinking, writing and unsealing (fcntl has the names since Python 3.8).
        fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, fcntl.F_SEAL_SEAL | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE)
    except OSError:
        os.close(descriptor)
        raise
    return descriptor


def failure(message: str, code: str) -> bytes:
    """A `failed` message."""
    return Writer(FAILED).number(CODES.index(code)).text(message).texts([]).bytes()


def described(framework: str, length: int) -> bytes:
    return Writer(DESCRIBED).number(VERSION).text(framework).number(length).bytes()


def said(text: str) -> bytes:
    return Writer(SAID).text(text, LONGEST_NOTE).bytes()


class Names:
    """Class names and text templates from the program, for a model without classes."""

    def __init__(self, values: "dict[str, Any]"):
        self.classes: "list[str]" = list(values["classes"])
        # The ImageNet number of each class for which only the WordNet name is known; otherwise -1.
        self.imagenet: "list[int]" = list(values.get("imagenet") or [-1] * len(self.classes))
        self.templates: "str | list[str]" = values.get("templates", "openai")  # texts, or the name of a list of the library
        self.device: str = values.get("device", "auto")


def asked_names(control: socket.socket) -> Names:
    """Asks the program, before `described`. If it has none, it ends this process."""
    if not send(control, Writer(WANTED).bytes()):
        raise Refused("the program has exited", "internal")
    message, descriptors = receive(control)
    try:
        length = Reader(message, NAMES).number()
        if length > MOST_DESCRIPTION or len(descriptors) != 1:
            raise Refused("a message with class names, but without their text", "internal")
        return Names(json.loads(os.pread(descriptors[0], length, 0)))
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


ONE_CHANNEL = 2


class OpenRequest:
    """The program's request to open a model: size of the input, output entry, device."""

    def __init__(self, message: bytes):
        fields = Reader(message, OPEN)
        self.name, self.path = fields.text(), fields.text()
        fields.number()  # the format
        self.height, self.width = fields.number(), fields.number()
        # The mean and standard deviation with which the input is already normalised.
        self.scale = fields.real()
        self.mean, self.std = [fields.real() for _ in range(3)], [fields.real() for _ in range(3)]
        classes = fields.number()
        self.num_classes: Optional[int] = classes - 1 if classes else None
        self.output = fields.text()
        self.layout, self.input_type = fields.number(), fields.number()  # 0 means not given, otherwise 1 + the value
        fields.number()  # the number of names in the class list
        self.device = fields.text()
        self.process, self.processes = fields.number(), fields.number()
        self.precision = fields.number()
        # The other flag restricts files and sockets. A model in Python has no such restrictions.
        # 1: the model takes the first of three equal channels in the buffer
        self.channels = 1 if fields.number() & ONE_CHANNEL else 3


class Batch:
    """The request for the images in the buffer, with the offsets of its parts in floats (src/model/isolated/batch_layout.h)."""

    TARGETED = (2, 4)  # the losses with a target: difference, targeted_dlr

    def __init__(self, message: bytes):
        fields = Reader(message, BATCH)
        self.images, self.input, self.output = fields.number(), fields.number(), fields.number()
        loss = fields.number()
        self.loss: Optional[int] = loss - 1 if loss else None
        self.gradient_at = self.input + self.output
        self.losses_at = self.gradient_at + (self.input if loss else 0)
        self.labels_at = self.losses_at + (2 * self.images if loss else 0)
        self.targets_at = self.labels_at + (self.images if loss else 0)
        self.floats = self.targets_at + (self.images if self.loss in self.TARGETED else 0)


class CostRequest:
    """The request for a model's cost: batch size, threads and number of timed runs."""

    def __init__(self, message: bytes):
        fields = Reader(message, MEASURE)
        self.batch, self.threads, self.warmup, self.runs = (fields.number() for _ in range(4))


def cost_parts(cost: "dict[str, Any]") -> "list[bytes]":
    """`cost` messages for a cost, as src/model/isolated/cost_wire.cpp reads them."""
    out = Writer(COST).number(cost["batch"]).number(cost["parameters"]).number(cost["buffers"]).number(cost["bytes"])
    out.number(len(cost["operators"]))
    for one in cost["operators"]:
        out.text(one["name"], LONGEST_NAME).number(one["kind"]).number(int(one["integer"])).number(one["calls"]).number(one["macs"])
        out.number(one["activation_macs"]).number(one["elements"])
    out.number(len(cost["nodes"]))
    for node in cost["nodes"]:
        out.text(node["name"], LONGEST_NAME).text(node["op"], LONGEST_NAME).text(node["shape"], LONGEST_NAME)
        out.number(node["macs"]).number(node["live_bytes"])
    out.number(cost["executed_nodes"]).number(cost["peak_bytes"]).text(cost["peak_node"], LONGEST_NAME).texts(cost.get("notes", []))
    out.text(cost.get("no_weights", ""), LONGEST_NAME).text(cost.get("no_operators", ""), LONGEST_NAME)
    out.number(0).number(len(cost["seconds"]))  # 0 because no peak was measured
    for seconds in cost["seconds"]:
        out.real(seconds)
    body = out.bytes()[1:]
    size = MOST_MESSAGE - 64
    return [bytes([COST, at + size >= len(body)]) + body[at:at + size] for at in range(0, len(body), size)]


def opened(facts: "dict[str, Any]") -> bytes:
    """An `opened` message with the facts of a model (ModelFacts in include/assay/model/classifier.h)."""
    out = Writer(OPENED).number(facts["classes"]).number(facts["parameters"]).number(facts.get("fixed_batch", 0)).text(facts["device"])
    out.number(1).number(facts["lanes"]).number(facts.get("precision", 0)).text(facts["framework"]).text(facts["memory_format"])
    return out.texts(facts["notes"]).texts(facts.get("missing_limits", [])).bytes()
