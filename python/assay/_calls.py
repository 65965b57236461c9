"""Long calls: progress, and a quick response to Ctrl-C."""

from __future__ import annotations

import ctypes
import sys
import threading
from typing import Any, Callable, Optional, Union

from ._library import PROGRESS, library

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


def call(work: Callable[[Optional[int]], Any], progress: Progress = None, small: bool = False) -> Any:
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
    handle: int = lib.assay_call_new(callback, None)
    try:
        result = _interruptible(lambda: work(handle), lambda: lib.assay_call_stop(handle))
    except KeyboardInterrupt:
        if failed:
            raise failed[0] from None
        raise
    finally:
        lib.assay_call_free(handle)
        if isinstance(shown, _Bar):
            shown.close()
    return result


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
    thread.start()
    try:
        while not done.wait(0.1):
            pass
    except KeyboardInterrupt:
        stop()
        thread.join()
        raise
    thread.join()
    if errors:
        raise errors[0]
    return results[0]
