"""Scores of a store as NumPy arrays over the memory that the library has mapped."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Optional

from ._library import Array, Handle, checked, library

if TYPE_CHECKING:
    from .store import Store

_NUMPY = {1: "float32", 0: "float16", 10: "int32"}


class Shard:
    """A mapped shard, held until its last array is deleted."""

    def __init__(self, store: "Store", number: int):
        self._store = store
        self.handle = Handle(checked("assay_store_shard", store._handle, number), "assay_shard_free")

    def array(self, part: int) -> Any:
        import numpy

        facts = Array()
        if library().assay_shard_scores(self.handle, part, ctypes.byref(facts)) != 0:
            raise IndexError(part)
        rows, columns = facts.shape
        dtype: Any = numpy.dtype(_NUMPY[facts.type])
        return numpy.asarray(Memory(self, facts.data, (rows, columns), dtype.str))

    def states(self) -> Any:
        import numpy

        rows = ctypes.c_uint64()
        pointer_ = library().assay_shard_states(self.handle, ctypes.byref(rows))
        address = ctypes.cast(pointer_, ctypes.c_void_p).value
        return numpy.asarray(Memory(self, address, (rows.value,), "|u1"))


class Memory:
    """Memory of the library for NumPy; `owner` keeps it alive."""

    def __init__(self, owner: Any, address: Optional[int], shape: "tuple[int, ...]", kind: str):
        self.owner = owner
        self.__array_interface__ = {"version": 3, "shape": shape, "typestr": kind, "data": (address or 0, True)}

    def __reduce__(self) -> Any:
        raise TypeError("memory of the library cannot be copied or pickled; copy the array")


class Scores(Sequence[Any]):
    """Scores of a store, items x classes, mapped into memory shard by shard, read-only.

    scores[i] is a row, scores[a:b] rows as one array (without a copy within a shard), numpy.asarray(scores) all of them; `shards`
    are the arrays themselves.
    """

    def __init__(self, store: "Store", part: int = 0):
        self._store = store
        self._part = part
        self._open: dict[int, Any] = {}
        self.shape = (len(store), store.classes if store.storage.startswith("full") else max(store.top_k, 1))

    def __reduce__(self) -> Any:
        return type(self), (self._store, self._part)

    def __len__(self) -> int:
        return self.shape[0]

    def shard(self, number: int) -> Any:
        """The array of one shard. Raises IndexError if it is missing."""
        if number not in self._open:
            self._open = {number: Shard(self._store, number).array(self._part)}
        return self._open[number]

    @property
    def shards(self) -> Iterator[Any]:
        """The arrays of all shards, one after the other."""
        for number in range(self._store.shards):
            yield self.shard(number)

    def __getitem__(self, key: Any) -> Any:
        import numpy

        size = self._store.shard_rows
        if isinstance(key, (int, numpy.integer)):
            row = int(key) + (len(self) if key < 0 else 0)
            if not 0 <= row < len(self):
                raise IndexError(key)
            return self.shard(row // size)[row % size]
        if isinstance(key, slice):
            begin, end, step = key.indices(len(self))
            if step == 1 and begin < end and begin // size == (end - 1) // size:
                return self.shard(begin // size)[begin % size:begin % size + end - begin]
            return self.__array__()[key]
        return self.__array__()[key]

    def __array__(self, dtype: Any = None, copy: Optional[bool] = None) -> Any:
        import numpy

        parts = list(self.shards)
        whole = parts[0] if len(parts) == 1 else numpy.concatenate(parts)
        return whole if dtype is None else whole.astype(dtype, copy=False)

    def __repr__(self) -> str:
        return f"<scores of {self._store.model} on {self._store.dataset}: {self.shape[0]} x {self.shape[1]}, {self._store.shards} shards>"


__all__ = ["Memory", "Scores", "Shard"]
