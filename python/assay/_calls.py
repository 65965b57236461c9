"""Long calls: progress, and a quick response to Ctrl-C."""

from __future__ import annotations

import atexit
import ctypes
import os
import sys
import threading
from typing import Any, Callable, Optional, Union

from ._library import PROGRESS, Handle, library

# None: shows a bar on a terminal or in a notebook if tqdm is installed; True: always; False: never. Or a function of (step, done, total).
Progress = Union[None, bool, Callable[[str, int, int], None]]


class _Bar:
    """A bar of tqdm for each step."""

    def __init__(self, make: Any):
        self._make = make
        self._bar: Any = None
        self._step = ""

    def __call__(self, step: str, done: int, total: int) -> None:
        if self._bar is None or step != self._step:
            self.close()
            self._step = step
            self._bar = self._make(total=total or None, desc=step or None, unit_scale=True, leave=False)
        self._bar.update(done - self._bar.n)

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None


def _in_notebook() -> bool:
    return "ipykernel" in sys.modules


def bar_for(progress: Progress) -> "Optional[Callable[[str, int, int], None]]":
    """The function that shows progress, or None."""
    if callable(progress):
        return progress
    if progress is False or (progress is None and not (sys.stderr.isatty() or _in_notebook())):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return _Bar(tqdm)


class _Running:
    """The running calls that show their progress. They are stopped before the interpreter exits.

    If the library calls back after that, CPython ends the thread by unwinding the library's frames, which aborts the process.
    """

    def __init__(self) -> None:
        self._forget()
        os.register_at_fork(after_in_child=self._forget)
        atexit.register(self._end)

    def _forget(self) -> None:
        self.ending = False
        self._lock = threading.Lock()
        self._calls: "dict[Handle, threading.Event]" = {}

    def add(self, handle: Handle) -> bool:
        """False if the interpreter ends, so that it does not wait for the call."""
        with self._lock:
            if not self.ending:
                self._calls[handle] = threading.Event()
            return not self.ending

    def remove(self, handle: Handle) -> None:
        with self._lock:
            if done := self._calls.pop(handle, None):
                done.set()

    def _end(self) -> None:
        with self._lock:
            self.ending = True
            left = list(self._calls.values())
            for handle in self._calls:
                library().assay_call_stop(handle)
        for done in left:
            done.wait(10)  # stopping takes much less


_running: "Optional[_Running]" = None
_running_lock = threading.Lock()


def _of_process() -> _Running:
    global _running
    with _running_lock:
        if _running is None:
            _running = _Running()
        return _running


def call(work: Callable[[Optional[Handle]], Any], progress: Progress = None, small: bool = False) -> Any:
    """work(handle of an assay_call), on a separate thread if Ctrl-C must work meanwhile. small: the work takes almost no time."""
    if small and not callable(progress):
        return work(None)
    lib = library()
    shown = bar_for(progress)
    failed: list[BaseException] = []

    def tell(_context: object, step: bytes, done: int, total: int) -> None:
        try:
            if shown is not None and not failed:
                shown(step.decode(errors="replace"), done, total)
        except BaseException as error:  # the library's C code cannot pass an exception on
            failed.append(error)
            lib.assay_call_stop(handle)

    callback = PROGRESS(tell) if shown is not None else PROGRESS(0)
    # The later of this thread and the worker frees the memory, because a second signal may end the wait.
    handle = Handle(lib.assay_call_new(callback, None), "assay_call_free")
    running = None if shown is None else _of_process()
    # The interpreter cannot end while its main thread waits for the call, also in a function of atexit.
    awaited = threading.current_thread() is threading.main_thread()

    def worked(_callback: Any = callback) -> Any:  # the function exists as long as the work
        if running is None:
            return work(handle)
        if not running.add(handle) and not awaited:
            raise SystemExit  # ends this thread without output
        try:
            return work(handle)
        except KeyboardInterrupt:
            if running.ending and not awaited:
                raise SystemExit from None
            raise
        finally:
            running.remove(handle)

    try:
        return _interruptible(worked, lambda: lib.assay_call_stop(handle))
    except KeyboardInterrupt:
        if failed:
            raise failed[0] from None
        raise
    finally:
        if isinstance(shown, _Bar):
            shown.close()


def _interruptible(work: Callable[[], Any], stop: Callable[[], object]) -> Any:
    # Only the main thread handles signals, and only between two Python instructions. So it must wait in Python.
    if threading.current_thread() is not threading.main_thread():
        return work()
    results: list[Any] = []
    errors: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    thread = threading.Thread(target=run, name="assay", daemon=True)
    try:
        thread.start()
    except BaseException:  # from a signal handler
        stop()
        raise
    try:
        while not done.wait(0.1):
            pass
    except BaseException:  # Ctrl-C, or from a signal handler
        stop()
        done.wait()  # a second signal also ends this
        raise
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
