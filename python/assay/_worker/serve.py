"""Answers the program: one control channel, and a thread for each lane, on which batches come one after the other."""

from __future__ import annotations

import json
import mmap
import os
import socket
import threading
from typing import Any, Callable, Optional

from . import wire
from .models import Model
from .wire import Refused

_OWN = __name__.rpartition(".")[0]


def place_of(error: BaseException) -> str:
    """"in forward, net.py:12": the innermost frame that is neither torch's nor this package's; "" if there is none."""
    found = ""
    trace = error.__traceback__
    while trace is not None:
        module = str(trace.tb_frame.f_globals.get("__name__", ""))
        if not any(module == owner or module.startswith(owner + ".") for owner in (_OWN, "torch")):
            code = trace.tb_frame.f_code
            found = f"in {code.co_name}, {code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
    return found


def failure_of(error: BaseException) -> bytes:
    """The `failed` message for an exception that a model raised."""
    return wire.failure(*text_of(error))


def text_of(error: BaseException) -> "tuple[str, str]":
    """The exception of a model as text, with its code."""
    if isinstance(error, Refused):
        return error.message, error.code
    text = str(error).strip() or "no text"
    kind = type(error).__name__
    code = "bad_input"
    if isinstance(error, MemoryError) or kind == "OutOfMemoryError" or "can't allocate memory" in text or "out of memory" in text:
        code = "out_of_memory"
    place = place_of(error)
    return f"the model raised {kind}: {text[:4000]}" + (f" ({place})" if place else ""), code


def send_description(control: socket.socket, framework: str, facts: "dict[str, Any]") -> None:
    """Sends `described` with the facts as JSON."""
    data = json.dumps(facts, ensure_ascii=False, default=str).encode(errors="replace")
    if len(data) > wire.MOST_DESCRIPTION:
        raise Refused(f"the description of the model takes {len(data)} bytes; the limit is {wire.MOST_DESCRIPTION}")
    descriptor = wire.sealed(data)
    try:
        wire.send(control, wire.described(framework, len(data)), (descriptor,))
    finally:
        os.close(descriptor)


class Server:
    """Answers for one model over one control channel until the program closes it. `error` is the first exception that the model
    raised.

    failure: the last failure, as the program got it.
    """

    def __init__(self, model: Model, control: socket.socket):
        self.model = model
        self.failure = ""
        self.error: Optional[BaseException] = None
        self._control = control
        self._lanes: "list[socket.socket]" = []
        self._threads: "list[threading.Thread]" = []
        self._lock = threading.Lock()
        self._stopped = False
        self._busy = 0

    def describe(self) -> None:
        """Sends `described`."""
        self.model.identify()
        send_description(self._control, self.model.framework(), self.model.description.json())

    def run(self) -> None:
        """Runs until the other end closes. Exceptions of the model go to the program."""
        if not self._answer(self._control, lambda: self.describe()):
            return
        while True:
            try:
                message, descriptors = wire.receive(self._control)
            except (OSError, Refused):
                return
            if not message:
                return
            if message[0] == wire.LANE and descriptors:
                self._start_lane(socket.socket(fileno=descriptors.pop(0)))
            elif message[0] == wire.OPEN:
                self._answer(self._control, lambda: wire.opened(self.model.open(wire.OpenRequest(message))))
            else:
                wire.send(self._control, wire.failure(f"a message of kind {message[0]}, which is unknown to a model in Python", "internal"))
            for descriptor in descriptors:
                os.close(descriptor)

    def stop(self, seconds: float = 2.0) -> None:
        """Closes the channels and waits for the threads, at most this long, because a model may still compute."""
        with self._lock:
            self._stopped = True
            ends = [self._control, *self._lanes]
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
        for thread in self._threads:
            thread.join(seconds)
        self._control.close()

    def idle(self) -> bool:
        """Whether the model is idle. After a stop it stays idle."""
        with self._lock:
            return self._stopped and self._busy == 0

    def _begin(self) -> bool:
        with self._lock:
            self._busy += not self._stopped
            return not self._stopped

    def _end(self) -> None:
        with self._lock:
            self._busy -= 1

    def _answer(self, end: socket.socket, body: Callable[[], Optional[bytes]]) -> bool:
        """Sends the result of `body`, or its error. Returns False if it failed, the other end is closed, or the server was
        stopped."""
        if not self._begin():
            return False
        try:
            message = body()
        except BaseException as error:  # also catches SystemExit: the program gets every error
            if self.error is None and not isinstance(error, Refused):
                self.error = error
            self.failure, code = text_of(error)
            wire.send(end, wire.failure(self.failure, code))
            return False
        finally:
            self._end()
        return message is None or wire.send(end, message)

    def _start_lane(self, end: socket.socket) -> None:
        with self._lock:
            if self._stopped:
                end.close()
                return
            self._lanes.append(end)
        thread = threading.Thread(target=self._serve_lane, args=(end,), name="assay-lane", daemon=True)
        try:
            thread.start()
        except RuntimeError:  # if no thread can be started, the program continues with the lanes that it has
            end.close()
            return
        self._threads.append(thread)

    def _serve_lane(self, end: socket.socket) -> None:
        buffer: "Optional[mmap.mmap]" = None
        with end:
            try:
                if not self._begin():
                    return
                try:
                    self.model.begin_lane()
                finally:
                    self._end()
                if not wire.send(end, wire.Writer(wire.READY).bytes()):
                    return
                while True:
                    message, descriptors = wire.receive(end)
                    if not message:
                        return
                    for descriptor in descriptors:
                        buffer = _mapped(descriptor)
                    self._answer(end, lambda: self._one(end, message, buffer))
            except OSError:
                return

    def _one(self, end: socket.socket, message: bytes, buffer: Any) -> bytes:
        if message[0] == wire.MEASURE:
            request = wire.CostRequest(message)
            parts = wire.cost_parts({**self.model.cost(request), "batch": request.batch})
            for part in parts[:-1]:
                wire.send(end, part)
            return parts[-1]
        batch = wire.Batch(message)
        if buffer is None or 4 * batch.floats > len(buffer):
            raise Refused("a batch is larger than its buffer", "internal")
        self.model.compute(batch, buffer)
        return wire.Writer(wire.DONE).bytes()


def _mapped(descriptor: int) -> mmap.mmap:
    """The memory behind a descriptor, which is closed. Arrays over it keep it alive."""
    try:
        return mmap.mmap(descriptor, os.fstat(descriptor).st_size)
    finally:
        os.close(descriptor)
