"""Finds and opens the library `libassay` on first use, and declares the functions of its C interface (assay/c/assay.h)."""

from __future__ import annotations

import ctypes
import os
import threading
from ctypes import POINTER, byref, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint8, c_uint64, c_void_p
from pathlib import Path
from typing import Any, Optional

from ._option_names import in_python

C_VERSION = 1
FILE = "libassay.so.0.1"


class Array(ctypes.Structure):
    """assay_array: numbers in memory, with strides in bytes."""

    _fields_ = [("data", c_void_p), ("type", c_int32), ("dimensions", c_int32), ("shape", c_int64 * 2), ("strides", c_int64 * 2)]


class Texts(ctypes.Structure):
    """assay_texts: concatenated texts and the end of each."""

    _fields_ = [("text", c_void_p), ("ends", c_void_p), ("count", c_uint64)]


class Sets(ctypes.Structure):
    """assay_sets: valid classes of each item."""

    _fields_ = [("offsets", c_void_p), ("classes", c_void_p), ("items", c_uint64)]


PROGRESS = ctypes.CFUNCTYPE(None, c_void_p, c_char_p, c_uint64, c_uint64)

_ERROR = POINTER(c_void_p)
# Maps a name to (result, arguments). Handles are void pointers.
_FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "assay_version": (c_char_p, []),
    "assay_c_version": (c_int, []),
    "assay_error_code": (c_char_p, [c_void_p]),
    "assay_error_message": (c_char_p, [c_void_p]),
    "assay_error_note": (c_char_p, [c_void_p, c_size_t]),
    "assay_error_free": (None, [c_void_p]),
    "assay_text_data": (c_void_p, [c_void_p]),
    "assay_text_size": (c_size_t, [c_void_p]),
    "assay_text_free": (None, [c_void_p]),
    "assay_call_new": (c_void_p, [PROGRESS, c_void_p]),
    "assay_call_stop": (None, [c_void_p]),
    "assay_call_free": (None, [c_void_p]),
    "assay_store_open": (c_void_p, [c_char_p, _ERROR]),
    "assay_store_list": (c_void_p, [c_char_p, _ERROR]),
    "assay_store_in_memory": (c_void_p, [POINTER(Array), POINTER(Array), POINTER(Sets), POINTER(Texts), c_char_p, _ERROR]),
    "assay_store_describe": (c_void_p, [c_void_p, _ERROR]),
    "assay_store_texts": (c_int, [c_void_p, c_size_t, POINTER(Texts), _ERROR]),
    "assay_store_labels": (c_int, [c_void_p, POINTER(Sets), _ERROR]),
    "assay_store_shard": (c_void_p, [c_void_p, c_size_t, _ERROR]),
    "assay_shard_scores": (c_int, [c_void_p, c_size_t, POINTER(Array)]),
    "assay_shard_states": (POINTER(c_uint8), [c_void_p, POINTER(c_uint64)]),
    "assay_shard_free": (None, [c_void_p]),
    "assay_store_arrow": (c_int, [c_void_p, c_char_p, c_void_p, _ERROR]),
    "assay_store_free": (None, [c_void_p]),
    "assay_score": (c_void_p, [POINTER(c_void_p), c_size_t, POINTER(Sets), c_char_p, c_void_p, _ERROR]),
    "assay_compare": (c_void_p, [POINTER(c_void_p), c_size_t, POINTER(Sets), c_char_p, c_void_p, _ERROR]),
    "assay_gap": (c_void_p, [c_char_p, c_void_p, _ERROR]),
    "assay_eval": (c_void_p, [POINTER(c_void_p), c_size_t, c_char_p, c_void_p, _ERROR]),
    "assay_result_render": (c_void_p, [c_void_p, c_char_p, _ERROR]),
    "assay_result_status": (c_int, [c_void_p]),
    "assay_plot": (c_void_p, [c_char_p, c_char_p, c_char_p, c_char_p, _ERROR]),
    "assay_result_free": (None, [c_void_p]),
    "assay_metric_table": (c_void_p, [_ERROR]),
    "assay_metrics_new": (c_void_p, [c_char_p, _ERROR]),
    "assay_metrics_update": (c_int, [c_void_p, POINTER(Array), POINTER(Array), POINTER(Sets), _ERROR]),
    "assay_metrics_update_rows": (
        c_int, [c_void_p, POINTER(Array), POINTER(Array), POINTER(Sets), c_void_p, c_size_t, _ERROR],
    ),
    "assay_metrics_merge": (c_int, [c_void_p, c_void_p, _ERROR]),
    "assay_metric_name": (c_char_p, [c_char_p]),
    "assay_metrics_reset": (None, [c_void_p]),
    "assay_metrics_rows": (c_uint64, [c_void_p]),
    "assay_metrics_state": (c_void_p, [c_void_p, _ERROR]),
    "assay_metrics_set_state": (c_int, [c_void_p, c_char_p, c_size_t, _ERROR]),
    "assay_metrics_compute": (c_void_p, [c_void_p, _ERROR]),
    "assay_metrics_free": (None, [c_void_p]),
    "assay_writer_open": (c_void_p, [c_char_p, c_char_p, POINTER(Texts), POINTER(Array), POINTER(Sets), _ERROR]),
    "assay_writer_write": (c_int64, [c_void_p, c_uint64, POINTER(Array), _ERROR]),
    "assay_writer_describe": (c_void_p, [c_void_p, _ERROR]),
    "assay_writer_finish": (c_int, [c_void_p, _ERROR]),
    "assay_writer_free": (None, [c_void_p]),
}


class Error(Exception):
    """An error of Assay.

    `code` is one of "usage", "bad_input", "io", "unreachable", "busy", "out_of_memory" and "internal". `message` says what was wrong,
    the value that was found, and what is allowed. `notes` say where it happened, the innermost first.
    """

    def __init__(self, message: str, code: str = "usage", notes: Optional[list[str]] = None):
        self.code = code
        self.message = message
        self.notes = list(notes or [])
        where = "; ".join(f"while {note}" for note in self.notes)
        super().__init__(f"{message} ({where})" if where else message)

    def __reduce__(self) -> Any:
        return type(self), (self.message, self.code, self.notes)


def candidates() -> list[str]:
    """The places to search for the library, in order."""
    if chosen := os.environ.get("ASSAY_LIBRARY"):
        return [chosen]
    here = Path(__file__).resolve().parent
    places = [here / "_native" / FILE]  # the place in a wheel
    # Of an installed prefix: PREFIX/lib/python3/dist-packages/assay and PREFIX/lib[/TRIPLET]/libassay.so.0.1.
    for above in list(here.parents)[1:5]:
        places.append(above / FILE)
        places += sorted(above.glob(f"*-linux-gnu/{FILE}"))
    found = [str(place) for place in places if place.is_file()]
    return [*found, FILE]  # or the place where the system's loader finds it


_library: Optional[ctypes.CDLL] = None
_lock = threading.Lock()


def library() -> ctypes.CDLL:
    """The library, opened on first use. Functions release the interpreter's lock while they run."""
    global _library
    if _library is not None:
        return _library
    with _lock:
        if _library is None:
            _library = _open()
    return _library


def _open() -> ctypes.CDLL:
    reasons = []
    for path in candidates():
        try:
            # RTLD_LOCAL hides its symbols from other libraries, such as a LibTorch in the same process.
            opened = ctypes.CDLL(path, mode=os.RTLD_LOCAL | os.RTLD_NOW)
        except OSError as error:
            reasons.append(f"{path}: {error}")
            continue
        try:
            for name, (result, arguments) in _FUNCTIONS.items():
                function = getattr(opened, name)
                function.restype = result
                function.argtypes = arguments
        except AttributeError as error:
            reasons.append(f"{path}: {error}")
            continue
        if (there := opened.assay_c_version()) != C_VERSION:
            reasons.append(f"{path}: its C interface has version {there}; {C_VERSION} is needed")
            continue
        return opened
    raise Error("the library of Assay cannot be opened; set ASSAY_LIBRARY to its path. " + "; ".join(reasons), "io")


class Handle:
    """An object of the library, freed with the last reference to it.

    Two copies would free the same memory, so it cannot be copied or pickled. Owners define in `__reduce__` how they are copied.
    `one_process`: a forked child must not free it.
    """

    def __init__(self, value: int, free: str, one_process: bool = False):
        # These names are bound now, because at the interpreter's exit the names of modules are deleted.
        self._free = getattr(library(), free)
        self._process = os.getpid() if one_process else None
        self._own_process = os.getpid
        self._as_parameter_: Optional[c_void_p] = c_void_p(value)

    @property
    def value(self) -> Optional[int]:
        return None if self._as_parameter_ is None else self._as_parameter_.value

    @property
    def is_of_another_process(self) -> bool:
        return self._process is not None and self._process != self._own_process()

    def free(self) -> None:
        """A second call does nothing."""
        value = getattr(self, "_as_parameter_", None)
        self._as_parameter_ = None
        if value is not None and not self.is_of_another_process:
            self._free(value)

    def __del__(self) -> None:
        self.free()

    def __reduce__(self) -> Any:
        raise TypeError("an object of the library cannot be copied or pickled")


def text_of(handle: int) -> bytes:
    """Returns the bytes of an assay_text and frees it."""
    lib = library()
    try:
        return ctypes.string_at(lib.assay_text_data(handle), lib.assay_text_size(handle))
    finally:
        lib.assay_text_free(handle)


def raise_error(handle: Optional[int]) -> None:
    """Raises an assay_error as Error and frees it."""
    lib = library()
    if not handle:
        raise MemoryError("the library has no memory for an error message")
    code = lib.assay_error_code(handle).decode()
    message = lib.assay_error_message(handle).decode(errors="replace")
    notes: list[str] = []
    while (note := lib.assay_error_note(handle, len(notes))) is not None:
        notes.append(note.decode(errors="replace"))
    lib.assay_error_free(handle)
    if code == "interrupted":
        raise KeyboardInterrupt
    if code == "out_of_memory":
        raise MemoryError(message)
    raise Error(in_python(message), code, [in_python(note) for note in notes])


def checked(name: str, *arguments: Any) -> Any:
    """Calls a function whose last argument receives an error."""
    error = c_void_p()
    result = getattr(library(), name)(*arguments, byref(error))
    if error.value is not None:
        raise_error(error.value)
    if result is None:
        raise_error(None)
    return result


def encoded(text: "str | os.PathLike[str]") -> bytes:
    """A path or text for the library."""
    data = os.fsencode(text)
    if b"\0" in data:
        raise Error("a path or text with a zero byte")
    return data


__all__ = ["Array", "Error", "Handle", "PROGRESS", "Sets", "Texts", "checked", "encoded", "library", "text_of"]
