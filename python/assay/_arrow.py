"""The Arrow C stream interface, without an Arrow library: its structures, its capsule, its columns as NumPy arrays."""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int64, c_void_p, py_object
from typing import Any

from ._library import Error


class Schema(ctypes.Structure):
    pass


class ArrowArray(ctypes.Structure):
    pass


class Stream(ctypes.Structure):
    pass


_RELEASE_SCHEMA = CFUNCTYPE(None, POINTER(Schema))
_RELEASE_ARRAY = CFUNCTYPE(None, POINTER(ArrowArray))
_RELEASE_STREAM = CFUNCTYPE(None, POINTER(Stream))
Schema._fields_ = [
    ("format", c_char_p), ("name", c_char_p), ("metadata", c_char_p), ("flags", c_int64), ("n_children", c_int64),
    ("children", POINTER(POINTER(Schema))), ("dictionary", POINTER(Schema)), ("release", _RELEASE_SCHEMA), ("private_data", c_void_p),
]
ArrowArray._fields_ = [
    ("length", c_int64), ("null_count", c_int64), ("offset", c_int64), ("n_buffers", c_int64), ("n_children", c_int64),
    ("buffers", POINTER(c_void_p)), ("children", POINTER(POINTER(ArrowArray))), ("dictionary", POINTER(ArrowArray)),
    ("release", _RELEASE_ARRAY), ("private_data", c_void_p),
]
Stream._fields_ = [
    ("get_schema", CFUNCTYPE(c_int, POINTER(Stream), POINTER(Schema))),
    ("get_next", CFUNCTYPE(c_int, POINTER(Stream), POINTER(ArrowArray))),
    ("get_last_error", CFUNCTYPE(c_char_p, POINTER(Stream))),
    ("release", _RELEASE_STREAM),
    ("private_data", c_void_p),
]

_NAME = b"arrow_array_stream"
_malloc = ctypes.pythonapi.PyMem_RawMalloc
_malloc.restype, _malloc.argtypes = c_void_p, [ctypes.c_size_t]
_free = ctypes.pythonapi.PyMem_RawFree
_free.restype, _free.argtypes = None, [c_void_p]
_DESTRUCTOR = CFUNCTYPE(None, c_void_p)
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = py_object, [c_void_p, c_char_p, _DESTRUCTOR]
_pointer_of = ctypes.pythonapi.PyCapsule_GetPointer
_pointer_of_raw = ctypes.PYFUNCTYPE(c_void_p, c_void_p, c_char_p)(("PyCapsule_GetPointer", ctypes.pythonapi))


# At the interpreter's exit a capsule may outlive this module, so the names that its destructor needs are bound here.
def _release_capsule(
    capsule: int, pointer_of: Any = _pointer_of_raw, name: bytes = _NAME, stream_at: Any = Stream.from_address, byref: Any = ctypes.byref,
    free: Any = _free,
) -> None:
    address = pointer_of(capsule, name)
    stream = stream_at(address)
    if stream.release:  # null if a consumer has taken over the stream
        stream.release(byref(stream))
    free(address)


_destroy = _DESTRUCTOR(_release_capsule)
ctypes.pythonapi.Py_IncRef(py_object(_destroy))  # so that the function is never freed


def capsule_of(stream: Stream) -> Any:
    """The capsule that `__arrow_c_stream__` returns, which then owns the stream."""
    address = _malloc(ctypes.sizeof(Stream))
    ctypes.memmove(address, ctypes.byref(stream), ctypes.sizeof(Stream))
    return _new_capsule(address, _NAME, _destroy)


def _problem(stream: Stream, what: str) -> Error:
    text = stream.get_last_error(ctypes.byref(stream))
    return Error(f"{what}: {(text or b'unknown').decode(errors='replace')}", "bad_input")


def columns_of(stream: Stream) -> "dict[str, Any]":
    """Reads all batches of the stream and releases it: one NumPy array per column. A null becomes NaN in a column of floats, -1 in
    one of integers, and None in one of texts or Booleans."""
    import numpy

    schema = Schema()
    names: list[str] = []
    parts: dict[str, list[Any]] = {}
    try:
        if stream.get_schema(ctypes.byref(stream), ctypes.byref(schema)) != 0:
            raise _problem(stream, "the columns cannot be read")
        fields = [schema.children[i].contents for i in range(schema.n_children)]
        names = [field.name.decode() for field in fields]
        formats = [field.format.decode() for field in fields]
        parts = {name: [] for name in names}
        while True:
            batch = ArrowArray()
            if stream.get_next(ctypes.byref(stream), ctypes.byref(batch)) != 0:
                raise _problem(stream, "the items cannot be read")
            if not batch.release:
                break
            try:
                for i, name in enumerate(names):
                    parts[name].append(_values(batch.children[i].contents, formats[i]))
            finally:
                batch.release(ctypes.byref(batch))
    finally:
        if schema.release:
            schema.release(ctypes.byref(schema))
        stream.release(ctypes.byref(stream))
    return {name: numpy.concatenate(parts[name]) if parts[name] else numpy.empty(0, object) for name in names}


def _numbers(address: Any, count: int, kind: str) -> Any:
    import numpy

    dtype: Any = numpy.dtype(kind)
    if count == 0 or not address:
        return numpy.empty(0, dtype)
    return numpy.frombuffer(ctypes.string_at(address, count * dtype.itemsize), dtype)


def _bits(address: Any, count: int) -> Any:
    import numpy

    packed = numpy.frombuffer(ctypes.string_at(address, (count + 7) // 8), numpy.uint8)
    return numpy.unpackbits(packed, bitorder="little")[:count].astype(bool)


def _values(array: ArrowArray, form: str) -> Any:
    import numpy

    n = array.length
    there = _bits(array.buffers[0], n) if array.buffers[0] and n else numpy.ones(n, bool)
    if form in ("f", "g"):
        values = _numbers(array.buffers[1], n, "<f4" if form == "f" else "<f8").copy()
        values[~there] = numpy.nan
        return values
    if form == "i":
        values = _numbers(array.buffers[1], n, "<i4").copy()
        values[~there] = -1
        return values
    if form == "b":
        flags = _bits(array.buffers[1], n) if n else numpy.empty(0, bool)
        if there.all():
            return flags
        out: Any = flags.astype(object)
        out[~there] = None
        return out
    if form == "u":
        ends = _numbers(array.buffers[1], n + 1, "<i4")
        text = ctypes.string_at(array.buffers[2], int(ends[-1])) if n and ends[-1] else b""
        out = numpy.empty(n, object)
        for i in range(n):
            out[i] = text[ends[i]:ends[i + 1]].decode(errors="replace") if there[i] else None
        return out
    child = array.children[0].contents
    if form == "+l":
        ends = _numbers(array.buffers[1], n + 1, "<i4")
        values = _numbers(child.buffers[1], child.length, "<i4")
        out = numpy.empty(n, object)
        for i in range(n):
            out[i] = values[ends[i]:ends[i + 1]]
        return out
    if form.startswith("+w:"):
        width = int(form[3:])
        matrix = _numbers(child.buffers[1], child.length, "<f4").reshape(n, width).copy()
        matrix[~there] = numpy.nan
        return matrix
    raise Error(f"a column of the type `{form}`", "internal")


__all__ = ["Stream", "capsule_of", "columns_of"]
