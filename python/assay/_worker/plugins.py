"""Runs the functions of a plug-in, `--plugin FILE.py`: metrics and corruptions over NumPy arrays (docs/plugins.md).

The program starts several such processes. Each answers one call at a time over its control channel: requests and answers are JSON, and
arrays lie in shared memory (docs/formats.md).
"""

from __future__ import annotations

import difflib
import inspect
import json
import mmap
import os
import re
import socket
import sys
import types
from typing import Any, Callable, Optional

from . import wire
from .wire import Refused

METRIC_ARGUMENTS = ("scores", "probabilities", "labels", "label_sets", "kind")
CORRUPTION_ARGUMENTS = ("image", "severity", "rng", "seed")
_METRIC_FACTS = ("function", "title", "formula", "better", "unit", "low", "high")
_CORRUPTION_FACTS = ("function", "parameters", "min_side")
_BETTER = {"higher": 1, "lower": -1, "neither": 0}
_LARGEST = 1e6
_LONGEST = 2000  # length of a message in characters


def numpy_here() -> Any:
    """Imports NumPy. Raises Refused if this Python does not have it."""
    try:
        import numpy
    except ImportError as error:
        version = ".".join(map(str, sys.version_info[:2]))
        raise Refused(
            f"plug-ins in Python need NumPy, which this Python {version} does not have ({error}): type `{sys.executable} -m pip install numpy`, "
            "or name a Python that has it: ASSAY_PYTHON=/path/to/python"
        )
    return numpy


def place_in(error: BaseException, file: str) -> str:
    """"in margin, /x/margin.py:12": the innermost line of the plug-in, or of any file if it has none; "" without a trace."""
    found, own = "", ""
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        here = f"in {code.co_name}, {code.co_filename}:{trace.tb_lineno}"
        if code.co_filename == file:
            own = here
        elif not code.co_filename.startswith("<"):
            found = here
        trace = trace.tb_next
    return own or found


def fault_of(error: BaseException, file: str) -> str:
    """The exception of a function or of the file, with the line."""
    if isinstance(error, Refused):
        return error.message
    if isinstance(error, SyntaxError) and error.filename == file:
        return f"line {error.lineno} is not valid Python: {error.msg}"
    place = place_in(error, file)
    text = str(error).strip() or "no text"
    return f"it raised {type(error).__name__}: {text[:_LONGEST]}" + (f" ({place})" if place else "")


def _first_line(function: Any) -> str:
    return ((inspect.getdoc(function) or "").strip().splitlines() or [""])[0].strip()


def _nearest(word: str, known: "tuple[str, ...]") -> str:
    close = difflib.get_close_matches(word, known, 1)
    return f"; did you mean `{close[0]}`?" if close else ""


class Row:
    """One entry of `metrics` or `corruptions`: a function, or a dictionary with it. Raises Refused, naming what is wrong."""

    def __init__(self, what: str, name: Any, value: Any, facts: "tuple[str, ...]", arguments: "tuple[str, ...]"):
        if not isinstance(name, str):
            raise Refused(f"`{what}` has the key {name!r}; allowed: names")
        self.where = f"{what}[{name!r}]"
        self.name = name
        self.facts: "dict[str, Any]" = value if isinstance(value, dict) else {"function": value}
        for key in self.facts:
            if key not in facts:
                raise Refused(f"{self.where} has `{key}`; allowed: {', '.join(facts)}{_nearest(str(key), facts)}")
        self.function: Callable[..., Any] = self.facts.get("function")  # type: ignore[assignment]
        if not callable(self.function):
            raise Refused(f"{self.where} is {type(value).__name__}; allowed: a function, or a dictionary with \"function\"")
        self.takes = self._taken(arguments)
        self.line = _first_line(self.function) if hasattr(self.function, "__name__") else ""

    def _taken(self, known: "tuple[str, ...]") -> "list[str]":
        try:
            parameters = inspect.signature(self.function).parameters.values()
        except (TypeError, ValueError):
            raise Refused(f"{self.where}: its arguments are unknown; write a function that takes some of {', '.join(known)}")
        taken = []
        for parameter in parameters:
            named = parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY)
            if named and parameter.name in known:
                taken.append(parameter.name)
            elif parameter.kind != parameter.VAR_KEYWORD and parameter.default is parameter.empty:
                near = _nearest(parameter.name, known)
                raise Refused(f"{self.where} takes `{parameter}`; allowed, by name: {', '.join(known)}{near}")
        return taken

    def text(self, key: str, other: str) -> str:
        value = self.facts.get(key, other)
        if not isinstance(value, str) or not value.strip() or len(value) > 500:
            raise Refused(f"{self.where}: `{key}` is {value!r:.200}; allowed: a text of at most 500 characters")
        return value

    def number(self, key: str, other: float) -> float:
        value = self.facts.get(key, other)
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not abs(value) <= _LARGEST:
            raise Refused(f"{self.where}: `{key}` is {value!r:.200}; allowed: a number from -1e6 to 1e6")
        return float(value)

    def whole(self, key: str, other: int) -> int:
        value = self.facts.get(key, other)
        if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= 4096:
            raise Refused(f"{self.where}: `{key}` is {value!r:.200}; allowed: a whole number from 1 to 4096")
        return int(value)

    def word(self, key: str, allowed: "tuple[str, ...]", other: str) -> str:
        value = self.facts.get(key, other)
        if value not in allowed:
            raise Refused(f"{self.where}: `{key}` is {value!r:.200}; allowed: {', '.join(allowed)}")
        return str(value)


class Plugin:
    """A plug-in file that was run, with its functions."""

    def __init__(self, file: str, source: bytes):
        self.file = file
        folder, name = os.path.split(file)
        sys.path.insert(0, folder)
        module = types.ModuleType("assay_plugin_" + re.sub(r"\W", "_", os.path.splitext(name)[0]))
        module.__file__ = file
        sys.modules[module.__name__] = module
        exec(compile(source, file, "exec", dont_inherit=True), module.__dict__)
        self.metrics = self._rows(module, "metrics", _METRIC_FACTS, METRIC_ARGUMENTS)
        self.corruptions = self._rows(module, "corruptions", _CORRUPTION_FACTS, CORRUPTION_ARGUMENTS)
        if not self.metrics and not self.corruptions:
            raise Refused('it defines no functions for Assay; write metrics = {"NAME": FUNCTION} or corruptions = {"NAME": FUNCTION} in it')

    @staticmethod
    def _rows(module: Any, what: str, facts: "tuple[str, ...]", arguments: "tuple[str, ...]") -> "dict[str, Row]":
        table = getattr(module, what, {})
        if not isinstance(table, dict):
            raise Refused(f'`{what}` is {type(table).__name__}; allowed: a dictionary, {what} = {{"NAME": FUNCTION}}')
        if len(table) > 64:
            raise Refused(f"`{what}` has {len(table)} entries; allowed: 0 to 64")
        return {str(name): Row(what, name, value, facts, arguments) for name, value in table.items()}

    def description(self) -> "dict[str, Any]":
        return {
            "metrics": [
                {
                    "name": row.name,
                    "takes": row.takes,
                    "title": row.text("title", row.name.replace("_", " ").capitalize() or "?"),
                    "formula": row.text("formula", row.line or f"mean over the items of {row.name}({', '.join(row.takes)})"),
                    "better": _BETTER[row.word("better", tuple(_BETTER), "neither")],
                    "proportion": row.word("unit", ("number", "proportion"), "number") == "proportion",
                    "low": row.number("low", -_LARGEST),
                    "high": row.number("high", _LARGEST),
                }
                for row in self.metrics.values()
            ],
            "corruptions": [
                {
                    "name": row.name,
                    "parameters": row.text("parameters", row.line or "not said"),
                    "min_side": row.whole("min_side", 1),
                }
                for row in self.corruptions.values()
            ],
        }


def _shown(shape: "tuple[int, ...]") -> str:
    return "(" + ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "") + ")"


class Arrays:
    """The buffer of a call, with the offsets in the request."""

    def __init__(self, buffer: Any, places: "dict[str, int]"):
        self._np = numpy_here()
        self._buffer = buffer
        self._places = places

    def of(self, name: str, kind: Any, *shape: int) -> Any:
        count = 1
        for side in shape:
            count *= side
        return self._np.frombuffer(self._buffer, kind, count, self._places[name]).reshape(shape)


def compute_metric(row: Row, request: "dict[str, Any]", arrays: Arrays) -> None:
    np = numpy_here()
    rows, classes = request["rows"], request["classes"]
    given: "dict[str, Any]" = {}
    for name in row.takes:
        if name in ("scores", "probabilities"):
            given[name] = arrays.of(name, np.float32, rows, classes)
        elif name == "labels":
            given[name] = arrays.of(name, np.int32, rows)
        elif name == "label_sets":
            ends = arrays.of("set_ends", np.int64, rows)
            given[name] = np.split(arrays.of("set_classes", np.int32, int(ends[-1])), ends[:-1])
        else:
            given[name] = request["kind"]
    made = row.function(**given)
    if isinstance(made, np.ma.MaskedArray):
        made = np.ma.filled(made.astype(np.float64), np.nan)
    values = np.asarray(made)
    if values.shape != (rows,) or values.dtype.kind not in "biuf":
        what = "nothing" if made is None else f"{values.dtype} of shape {_shown(values.shape)}"
        raise Refused(f"it returns {what}; allowed: one number for each row, an array of shape {_shown((rows,))}")
    arrays.of("out", np.float64, rows)[:] = values


def compute_corruption(row: Row, request: "dict[str, Any]", arrays: Arrays) -> None:
    np = numpy_here()
    shape = (request["height"], request["width"], 3)
    given: "dict[str, Any]" = {"image": arrays.of("image", np.uint8, *shape), "severity": request["severity"], "seed": request["seed"]}
    if "rng" in row.takes:
        given["rng"] = np.random.Generator(np.random.PCG64(request["seed"]))
    made = row.function(**{name: given[name] for name in row.takes})
    pixels = np.asarray(made)
    if pixels.shape != shape or pixels.dtype != np.uint8:
        what = "nothing" if made is None else f"{pixels.dtype} of shape {_shown(pixels.shape)}"
        raise Refused(f"it returns {what}; allowed: uint8 of shape {_shown(shape)}")
    arrays.of("out", np.uint8, *shape)[...] = pixels


class Worker:
    """Answers requests until the program closes the channel."""

    def __init__(self, control: socket.socket):
        self._control = control
        self._plugin: Optional[Plugin] = None
        self._file = ""
        self._buffer: Any = None

    def run(self) -> None:
        while True:
            message, descriptors = wire.receive(self._control)
            if not message:
                return
            try:
                for descriptor in descriptors:
                    self._buffer = _mapped(descriptor)
                answer = self._answer(json.loads(message))
            except BaseException as error:  # also catches SystemExit, which the program shows
                text = fault_of(error, self._file)[: 2 * _LONGEST]
                answer = {"failed": text.encode(errors="replace").decode()}
            data = json.dumps(answer).encode()
            if len(data) > wire.MOST_MESSAGE:
                data = json.dumps({"failed": f"the description of its functions has {len(data)} bytes; {wire.MOST_MESSAGE} are "
                    f"allowed"}).encode()
            if not wire.send(self._control, data):
                return

    def _answer(self, request: "dict[str, Any]") -> "dict[str, Any]":
        if "load" in request:
            self._file = request["load"]
            source, self._buffer = bytes(self._buffer[: request["bytes"]]), None
            numpy_here()
            self._plugin = Plugin(self._file, source)
            return self._plugin.description()
        assert self._plugin is not None
        arrays = Arrays(self._buffer, request["at"])
        if "metric" in request:
            compute_metric(self._plugin.metrics[request["metric"]], request, arrays)
        else:
            compute_corruption(self._plugin.corruptions[request["corruption"]], request, arrays)
        return {"done": True}


def _mapped(descriptor: int) -> mmap.mmap:
    """The memory behind a descriptor, which is closed. Arrays over it keep it alive."""
    try:
        return mmap.mmap(descriptor, os.fstat(descriptor).st_size)
    finally:
        os.close(descriptor)
