"""Converts users' arrays to arrays of the library: any strides, no copies.

These are NumPy arrays, CPU tensors of PyTorch, JAX and others (`__dlpack__`), objects with the buffer protocol, and lists.
Columns of pandas and polars are read by their `to_numpy()`.
"""

from __future__ import annotations

import array
import bisect
import ctypes
import os
from collections.abc import Iterable, Mapping, Sequence
from ctypes import POINTER, c_char_p, c_int, c_int32, c_int64, c_ssize_t, c_uint8, c_uint16, c_uint64, c_void_p, py_object
from typing import Any, Optional

from ._labels import is_masked, is_on_processor, is_unresolved, labels_of, to_numpy, to_plain
from ._library import Array, Error, Sets, Texts

TYPES = {
    "f2": 0, "f4": 1, "f8": 2, "bf2": 3, "u1": 4, "u2": 5, "u4": 6, "u8": 7, "i1": 8, "i2": 9, "i4": 10, "i8": 11,
}  # enum assay_type
_NAMES = "float16, float32, float64, bfloat16 and whole numbers of 8 to 64 bits"


class Held:
    """An assay_array, with the object that owns its memory."""

    def __init__(self, kind: str, address: int, shape: Sequence[int], strides: Sequence[int], keep: Any):
        if kind not in TYPES:
            raise Error(f"numbers of type {kind}; allowed are {_NAMES}")
        if len(shape) not in (1, 2):
            raise Error(f"an array of shape {tuple(shape)}: scores have two dimensions (items, classes), labels one")
        two = len(shape) == 2
        self.array = Array(
            address, TYPES[kind], len(shape), (c_int64 * 2)(shape[0], shape[1] if two else 1), (c_int64 * 2)(strides[0], strides[1] if two else 0)
        )
        self.kind = kind
        self.shape = tuple(int(n) for n in shape)
        self.array._keep = keep  # the pointer must also keep the memory alive


# ---- DLPack ----

class _DLDevice(ctypes.Structure):
    _fields_ = [("device_type", c_int32), ("device_id", c_int32)]


class _DLDataType(ctypes.Structure):
    _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p), ("device", _DLDevice), ("ndim", c_int32), ("dtype", _DLDataType),
        ("shape", POINTER(c_int64)), ("strides", POINTER(c_int64)), ("byte_offset", c_uint64),
    ]


class _DLManaged(ctypes.Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, POINTER(_DLManaged))
_DLManaged._fields_ = [("tensor", _DLTensor), ("context", c_void_p), ("deleter", _DELETER)]

_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = c_void_p, [py_object, c_char_p]
_set_name = ctypes.pythonapi.PyCapsule_SetName
_set_name.restype, _set_name.argtypes = c_int, [py_object, c_char_p]

_DLPACK_CODES = {0: "i", 1: "u", 2: "f", 4: "bf", 5: "c", 6: "b"}


class _Borrowed:
    """A tensor's memory, held until this object is deleted."""

    def __init__(self, capsule: Any):
        self._managed = ctypes.cast(_get_pointer(capsule, b"dltensor"), POINTER(_DLManaged))
        _set_name(capsule, b"used_dltensor")
        self.tensor = self._managed.contents.tensor

    def __del__(self) -> None:
        managed = getattr(self, "_managed", None)
        if managed is not None and managed.contents.deleter:
            managed.contents.deleter(managed)


def _from_dlpack(value: Any) -> Held:
    if not is_on_processor(value):
        raise Error(f"the tensor is on a device ({getattr(value, 'device', type(value).__name__)}): pass {_called(value)}.cpu()")
    if is_unresolved(value):  # DLPack would give the numbers with the opposite sign
        raise Error("the tensor is a view with the opposite sign (is_neg()), as .conj().imag gives it: pass tensor.resolve_neg()")
    if getattr(value, "requires_grad", False):
        value = value.detach()
    try:
        borrowed = _Borrowed(value.__dlpack__())
    except (BufferError, RuntimeError, TypeError) as error:
        raise Error(f"the tensor cannot be read: {error}; pass a dense tensor, or an array of NumPy") from error
    tensor = borrowed.tensor
    code = _DLPACK_CODES.get(tensor.dtype.code, "?")
    size = tensor.dtype.bits // 8
    shape = [tensor.shape[i] for i in range(tensor.ndim)]
    if tensor.strides:
        strides = [tensor.strides[i] * size for i in range(tensor.ndim)]
    else:
        strides = _packed_strides(shape, size)
    return Held(f"{code}{size}", (tensor.data or 0) + tensor.byte_offset, shape, strides, borrowed)


def _called(value: Any) -> str:
    return "tensor" if type(value).__module__.startswith("torch") else "it"


def _packed_strides(shape: Sequence[int], size: int) -> list[int]:
    strides = [size] * len(shape)
    for i in range(len(shape) - 2, -1, -1):
        strides[i] = strides[i + 1] * int(shape[i + 1])
    return strides


# ---- NumPy and the buffer protocol ----

def _from_interface(value: Any) -> Held:
    facts = value.__array_interface__
    kind: str = facts["typestr"]
    name = getattr(getattr(value, "dtype", None), "name", "")
    if name == "bfloat16":  # of ml_dtypes
        kind = "=bf2"
    if kind[0] == ">":
        raise Error(f"numbers in the other byte order ({kind}); convert them: x.astype(x.dtype.newbyteorder('='))")
    if kind[1] == "O":
        raise Error("an array of Python objects; make it one of numbers: x.astype(numpy.float32)")
    shape = facts["shape"]
    if kind[1:] not in TYPES:
        raise Error(f"numbers of type {kind[1:]}; allowed are {_NAMES}")
    size = int(kind[-1])
    strides = facts.get("strides") or _packed_strides(shape, size)
    return Held(kind[1:], facts["data"][0], shape, strides, value)


class _PyBuffer(ctypes.Structure):
    _fields_ = [
        ("buf", c_void_p), ("obj", py_object), ("len", c_ssize_t), ("itemsize", c_ssize_t), ("readonly", c_int), ("ndim", c_int),
        ("format", c_char_p), ("shape", POINTER(c_ssize_t)), ("strides", POINTER(c_ssize_t)), ("suboffsets", POINTER(c_ssize_t)),
        ("internal", c_void_p),
    ]


_get_buffer = ctypes.pythonapi.PyObject_GetBuffer
_get_buffer.restype, _get_buffer.argtypes = c_int, [py_object, POINTER(_PyBuffer), c_int]
_release_buffer = ctypes.pythonapi.PyBuffer_Release
_release_buffer.restype, _release_buffer.argtypes = None, [POINTER(_PyBuffer)]
_STRIDED_WITH_FORMAT = 0x10 | 0x08 | 0x04

_BUFFER_LETTERS = {"e": "f", "f": "f", "d": "f", "b": "i", "h": "i", "i": "i", "l": "i", "q": "i", "n": "i",
                   "B": "u", "H": "u", "I": "u", "L": "u", "Q": "u", "N": "u"}


class _Buffer:
    """Memory of an object with the buffer protocol, held until this object is deleted."""

    def __init__(self, value: Any):
        self.view = _PyBuffer()
        # The name is kept here, because a module's names no longer exist when the interpreter exits.
        self._release, self._pointer = _release_buffer, ctypes.pointer(self.view)
        _get_buffer(value, self._pointer, _STRIDED_WITH_FORMAT)

    def __del__(self) -> None:
        self._release(self._pointer)


def _from_buffer(value: Any) -> Held:
    buffer = _Buffer(value)
    view = buffer.view
    letter = (view.format or b"B").decode()
    if letter[0] in "<>=@!":
        if letter[0] in ">!":
            raise Error(f"numbers in the other byte order (`{letter}`)")
        letter = letter[1:]
    kind = f"{_BUFFER_LETTERS.get(letter, letter)}{view.itemsize}"
    shape = [view.shape[i] for i in range(view.ndim)]
    strides = [view.strides[i] for i in range(view.ndim)]
    return Held(kind, view.buf or 0, shape, strides, buffer)


def held(value: Any, what: str) -> Held:
    """The numbers of `value` in their own memory. Lists are copied; anything else that would need a copy is refused."""
    try:
        return _held(value)
    except Error as error:
        raise Error(f"{what}: {error.message}", error.code, error.notes) from None


def _held(value: Any) -> Held:
    if is_masked(value):
        raise Error("a masked array; mark unknown scores with x.filled(numpy.nan)")
    if hasattr(value, "toarray"):  # of SciPy
        raise Error("a sparse matrix: pass x.toarray()")
    if hasattr(value, "__array_interface__"):
        return _from_interface(value)
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        return _from_dlpack(value)
    if hasattr(value, "to_numpy"):  # pandas, polars
        return _held(value.to_numpy())
    if isinstance(value, (list, tuple)):
        return _from_list(value)
    if hasattr(value, "__array__"):
        return _held(value.__array__())
    try:
        return _from_buffer(value)
    except (TypeError, BufferError):
        raise Error(f"a {type(value).__name__}; an array is needed (NumPy, PyTorch on the CPU, a buffer, a list)") from None


def _from_list(value: Sequence[Any]) -> Held:
    rows = value if value and isinstance(value[0], (list, tuple)) else None
    if rows and any(not isinstance(row, (list, tuple)) or len(row) != len(rows[0]) for row in rows):
        raise Error("rows of different lengths")
    flat = [x for row in rows for x in row] if rows else list(value)
    kind = "i8" if flat and all(isinstance(x, int) for x in flat) else "f8"
    try:
        numbers: array.array[Any] = array.array("q" if kind == "i8" else "d", flat)
    except TypeError as error:
        raise Error(f"a list of something other than numbers: {error}") from None
    except OverflowError:
        raise Error("a list with a number of more than 64 bits") from None
    shape = [len(rows), len(rows[0])] if rows else [len(flat)]
    return Held(kind, numbers.buffer_info()[0], shape, _packed_strides(shape, 8), numbers)


# ---- texts and sets ----

class HeldTexts:
    """assay_texts of Python strings."""

    def __init__(self, values: Iterable[Any]):
        if not hasattr(values, "__iter__"):
            raise Error(f"a {type(values).__name__}; a text is needed for each item")
        if hasattr(values, "__dlpack_device__"):  # the elements of a tensor are tensors
            array_of_ids = to_numpy(values, "ids")  # its tolist() makes numbers of dates, and adds digits to a float32
            if array_of_ids.ndim != 1:
                raise Error(f"ids: an array of {array_of_ids.ndim} dimensions; allowed: one id per item")
            values = array_of_ids
        pieces = [str(value).encode() for value in values]
        text = b"".join(pieces)
        ends = array.array("Q", bytes(8 * len(pieces)))
        at = 0
        for i, piece in enumerate(pieces):
            at += len(piece)
            ends[i] = at
        self.count = len(pieces)
        self.texts = Texts(ctypes.cast(c_char_p(text), c_void_p), ends.buffer_info()[0], len(pieces))
        self.texts._keep = (text, ends)


class HeldSets:
    """assay_sets of lists or sets of classes, or of an items x classes matrix of zeros and ones."""

    def __init__(self, value: Any, what: str = "label_sets"):
        self._offsets = array.array("Q", [0])
        self._classes = array.array("i")
        self._what, self._columns = what, 0
        if hasattr(value, "ndim") and getattr(value, "ndim") == 2:
            self._of_indicators(value, what)
        else:
            if not hasattr(value, "__iter__"):
                raise Error(f"{what}: a {type(value).__name__}; a list of class numbers is needed for each item")
            for i, members in enumerate(value):
                try:
                    numbers = sorted({int(c) for c in members})
                    if any(int(c) != c for c in members if not isinstance(c, str)):
                        raise ValueError
                except (TypeError, ValueError, RuntimeError):  # RuntimeError: of a tensor on another device
                    raise Error(f"{what}: item {i} has {members!r}; a list of class numbers is needed") from None
                if numbers and not 0 <= numbers[0] <= numbers[-1] < 2**31:
                    wrong = numbers[0] if numbers[0] < 0 else numbers[-1]
                    raise Error(f"{what}: item {i} has the class {wrong}; classes are 0, 1, ...")
                self._classes.extend(numbers)
                self._offsets.append(len(self._classes))
        self.count = len(self._offsets) - 1
        self.sets = Sets(self._offsets.buffer_info()[0], self._classes.buffer_info()[0] if self._classes else None, self.count)
        self.sets._keep = (self._offsets, self._classes)

    def check(self, items: int, classes: int) -> None:
        """Raises an error that names the argument unless the sets fit these numbers of items and classes. classes: 0 if unknown."""
        if self.count != items:
            raise Error(f"{self._what}: {self.count} rows for {items} items; one row per item is needed", "bad_input")
        if not classes:
            return
        if self._columns and self._columns != classes:
            raise Error(f"{self._what}: {self._columns} columns for {classes} classes; one column per class is needed", "bad_input")
        if self._classes and max(self._classes) >= classes:
            place = next(i for i, c in enumerate(self._classes) if c >= classes)
            item = bisect.bisect_right(self._offsets, place) - 1
            raise Error(f"{self._what}: item {item} has the class {self._classes[place]}; the scores have the classes 0 to {classes - 1}", "bad_input")

    def lists(self) -> "list[list[int]]":
        ends = self._offsets
        return [self._classes[ends[i] : ends[i + 1]].tolist() for i in range(self.count)]

    def _of_indicators(self, value: Any, what: str) -> None:
        import numpy

        matrix = to_numpy(value, what)
        if not numpy.isin(matrix, (0, 1)).all():
            raise Error(f"{what}: a matrix with numbers other than 0 and 1")
        self._columns = matrix.shape[1]
        rows, columns = numpy.nonzero(matrix)
        self._classes.frombytes(columns.astype(numpy.int32).tobytes())
        ends = numpy.concatenate([[0], numpy.cumsum(numpy.bincount(rows, minlength=len(matrix)))])
        self._offsets = array.array("Q")
        self._offsets.frombytes(ends.astype(numpy.uint64).tobytes())


def labels_and_sets(
    labels: Any, label_sets: Any, classes: Any, ignore_index: Optional[int] = None, as_sets: bool = False
) -> "tuple[Optional[Held], Optional[HeldSets]]":
    """Labels in any form of _labels.py; a matrix becomes sets. Names are numbered by `classes`."""
    found = labels_of(labels, classes, ignore_index, as_sets=as_sets)
    single = None if found.single is None else held(found.single, "labels")
    if found.matrix is not None:
        if label_sets is not None:
            raise Error("labels and label_sets are both matrices of valid classes: pass one of them")
        return None, HeldSets(found.matrix, "labels")
    return single, None if label_sets is None else HeldSets(label_sets)


def pointer(value: "Optional[Held | HeldSets | HeldTexts]") -> Any:
    """The argument for the library; NULL for none."""
    if value is None:
        return None
    if isinstance(value, Held):
        return ctypes.byref(value.array)
    return ctypes.byref(value.sets if isinstance(value, HeldSets) else value.texts)


def class_options(classes: Any) -> Any:
    """`classes` as the value of the option: a list of names, {id: name}, or a name or file."""
    if classes is None or isinstance(classes, str):
        return classes
    if isinstance(classes, os.PathLike):
        return os.fspath(classes)
    if isinstance(classes, Mapping):
        return {"ids": [str(c) for c in classes], "names": [str(n) for n in classes.values()]}
    return [str(c) for c in to_plain(classes)]


__all__ = ["Held", "HeldSets", "HeldTexts", "class_options", "held", "labels_and_sets", "pointer"]
