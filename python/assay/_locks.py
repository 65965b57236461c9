"""Locks of objects that threads share. A fork waits until no thread is inside one, so that the child finds every object in a
consistent state."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from typing import Any, Iterator

_objects: "weakref.WeakValueDictionary[int, Any]" = weakref.WeakValueDictionary()
_objects_lock = threading.Lock()
_held_at_fork: "list[Any]" = []


def new_lock(owner: Any) -> None:
    """Gives `owner` its own lock."""
    owner._lock = threading.RLock()
    with _objects_lock:
        _objects[id(owner)] = owner


@contextlib.contextmanager
def guarded(*owners: Any) -> "Iterator[None]":
    """Excludes other threads. Several owners are always locked in the same order, to avoid a deadlock."""
    with contextlib.ExitStack() as stack:
        for owner in sorted(owners, key=id):
            stack.enter_context(owner._lock)
        yield


def _before_fork() -> None:
    _objects_lock.acquire()
    owners = sorted(_objects.values(), key=id)
    for owner in owners:
        owner._lock.acquire()
    _held_at_fork[:] = owners


def _after_fork() -> None:
    while _held_at_fork:
        _held_at_fork.pop()._lock.release()
    _objects_lock.release()


os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork)

__all__ = ["guarded", "new_lock"]
