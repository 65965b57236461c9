"""Stored predictions, below a RUNS folder or in memory."""

from __future__ import annotations

import ctypes
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional

from ._arrays import HeldTexts, class_options, held, labels_and_sets, pointer
from ._inputs import kind_of_sigmoids, scores_of
from ._library import Error, Handle, Sets, Texts, checked, encoded, text_of
from ._mapped import Memory, Scores, Shard

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import ColumnKeywords

STATES = ("ok", "unreadable", "not_finite")


class Store:
    """Scores of one classifier on one data set: RUNS/DATA_SET/MODEL, or scores in memory (Store.of())."""

    def __init__(self, path: "str | os.PathLike[str]"):
        self._take(checked("assay_store_open", encoded(path)))

    def _take(self, handle: int, keep: Any = None) -> None:
        self._handle = Handle(handle, "assay_store_free")
        self._keep = keep
        self.facts: dict[str, Any] = json.loads(text_of(checked("assay_store_describe", self._handle)))

    @classmethod
    def of(
        cls,
        scores: Any,
        labels: Any = None,
        *,
        label_sets: Any = None,
        ids: Optional[Sequence[Any]] = None,
        model: str = "model",
        dataset: str = "data",
        kind: Optional[str] = None,
        classes: Any = None,
        num_classes: int = 0,
        attributes: "Optional[dict[str, Sequence[Any]]]" = None,
        ignore_index: Optional[int] = None,
        hard: Optional[bool] = None,
    ) -> "Store":
        """Makes a store of scores in memory. Nothing is written, and float32 and float16 rows are read in place.

        scores: items x classes, or one predicted class for each item, as a number or a name. One float for each item is the probability of
        class 1, or its logit if one is outside 0 to 1.
        hard: floats of one dimension are classes (True) or are not (False); None: they are if all are whole.
        labels: one class for each item, -1 for none: numbers, truth values, or names, which `classes` lists. A row with a single 1 for each
        item works, too, and other zeros and ones are label sets.
        ignore_index: another number that means no label (-100).
        label_sets: the valid classes of each item, or a matrix of zeros and ones.
        kind: "logits", "probabilities" or "log_probabilities"; None: detected from all rows.
        classes: the classes' names, "imagenet" or a file. With the last two, scores and labels may hold ids or names of these classes.
        The arrays must not change while the store is used.
        """
        self = cls.__new__(cls)
        if isinstance(classes, (str, os.PathLike)):
            from ._class_labels import numbers_in  # which imports this module

            scores, labels = numbers_in(scores, classes, "scores"), numbers_in(labels, classes, "labels")
        given = scores_of(scores, labels, kind, classes, num_classes, hard)
        kind, num_classes, classes = given.kind, given.num_classes, given.classes
        matrix = held(given.array, "scores")
        single, sets = labels_and_sets(labels, label_sets, classes, ignore_index)
        if sets is not None and labels is not None and kind is None:
            kind = kind_of_sigmoids(given.array)
        if sets is not None:
            sets.check(len(given.array), given.array.shape[1] if given.array.ndim == 2 else num_classes)
        texts = None if ids is None else HeldTexts(ids)
        options = {
            "model": model,
            "dataset": dataset,
            "kind": kind or "",
            "classes": class_options(classes),
            "num_classes": num_classes,
            "attributes": {name: [str(v) for v in values] for name, values in (attributes or {}).items()},
        }
        handle = checked(
            "assay_store_in_memory", pointer(matrix), pointer(single), None if single else pointer(sets), pointer(texts),
            json.dumps(options).encode(),
        )
        self._take(handle, matrix)
        return self

    # A store never changes, so a copy is the store itself.
    def __copy__(self) -> "Store":
        return self

    def __deepcopy__(self, _known: Any) -> "Store":
        return self

    def __reduce__(self) -> Any:
        if self.path is None:
            raise TypeError(
                "a Store in memory cannot be pickled: pickle the arrays and call Store.of() there, or write them with assay.StoreWriter"
            )
        return type(self), (os.path.abspath(self.path),)

    @property
    def path(self) -> Optional[str]:
        """Its folder; None if it is in memory."""
        found = self.facts["path"]
        return None if found is None else str(found)

    @property
    def model(self) -> str:
        return str(self.facts["model"])

    @property
    def dataset(self) -> str:
        return str(self.facts["dataset"])

    @property
    def kind(self) -> str:
        return str(self.facts["kind"])

    @property
    def storage(self) -> str:
        """"full_f32", "full_f16", "top_k" or "label"."""
        return str(self.facts["storage"])

    @property
    def top_k(self) -> int:
        return int(self.facts["top_k"])

    @property
    def classes(self) -> int:
        """The number of classes."""
        return int(self.facts["classes"])

    @property
    def class_ids(self) -> "list[str]":
        return list(self.facts["class_ids"])

    @property
    def class_names(self) -> "list[str]":
        return list(self.facts["class_names"])

    @property
    def shards(self) -> int:
        return int(self.facts["shards"])

    @property
    def shard_rows(self) -> int:
        return int(self.facts["shard_rows"])

    @property
    def complete(self) -> bool:
        return int(self.facts["missing_shards"]) == 0

    @property
    def notes(self) -> "list[str]":
        """Assumptions about scores in memory."""
        return list(self.facts["notes"])

    def __len__(self) -> int:
        """The number of items."""
        return int(self.facts["rows"])

    def __repr__(self) -> str:
        return f"<{self.model} on {self.dataset}: {len(self)} items, {self.classes} classes, {self.storage} {self.kind}>"

    def scores(self) -> Scores:
        """The stored scores, memory-mapped and read-only. Stores that keep only the best classes have the scores of these."""
        return Scores(self, 1 if self.storage in ("top_k", "label") else 0)

    def best_classes(self) -> Scores:
        """The classes of stores that keep only the best ones ("top_k", "label"): items x k."""
        if self.storage not in ("top_k", "label"):
            raise Error(f"the store keeps all scores ({self.storage}): numpy.argsort(store.scores()[a:b])")
        return Scores(self, 0)

    def states(self) -> Any:
        """The state of each item, "ok", "unreadable" or "not_finite", as numbers 0, 1, 2 (STATES)."""
        import numpy

        return numpy.concatenate([Shard(self, number).states() for number in range(self.shards)])

    def _texts(self, number: int) -> "list[str]":
        facts = Texts()
        checked("assay_store_texts", self._handle, number, ctypes.byref(facts))
        ends = (ctypes.c_uint64 * facts.count).from_address(facts.ends) if facts.count else []
        all_ = ctypes.string_at(facts.text, ends[-1]) if facts.count else b""
        begins = [0, *ends[:-1]] if facts.count else []
        return [all_[a:b].decode(errors="surrogateescape") for a, b in zip(begins, ends)]

    @property
    def ids(self) -> "list[str]":
        return self._texts(0)

    def attribute(self, name: str) -> "list[str]":
        """The values of an attribute of the items."""
        names = list(self.facts["attributes"])
        if name not in names:
            raise Error(f"no attribute `{name}`; the attributes are {', '.join(names) or 'none'}")
        return self._texts(1 + names.index(name))

    def _label_arrays(self) -> Any:
        import numpy

        facts = Sets()
        checked("assay_store_labels", self._handle, ctypes.byref(facts))
        offsets = numpy.asarray(Memory(self, facts.offsets, (facts.items + 1,), "=u8".replace("=", "<")))
        classes = numpy.asarray(Memory(self, facts.classes, (int(offsets[-1]),), "<i4"))
        return offsets, classes

    def labels(self) -> Any:
        """The single label of each item, -1 if it has none or several."""
        import numpy

        offsets, classes = self._label_arrays()
        single = numpy.diff(offsets.astype(numpy.int64)) == 1
        out = numpy.full(len(single), -1, numpy.int32)
        out[single] = classes[offsets[:-1][single].astype(numpy.int64)]
        return out

    def label_sets(self) -> "list[list[int]]":
        """The valid classes of each item."""
        offsets, classes = self._label_arrays()
        return [classes[int(a):int(b)].tolist() for a, b in zip(offsets[:-1], offsets[1:])]

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The items in the columns of `assay export`, for pyarrow, polars, DuckDB and others."""
        from ._arrow import capsule_of

        return capsule_of(self._stream())

    def _stream(self, top: int = 5, scores: bool = False, labels: "str | os.PathLike[str] | None" = None, class_map: str = "") -> Any:
        from ._arrow import Stream

        options = {"top": top, "scores": scores, "labels": os.fspath(labels) if labels else "", "class_map": class_map}
        stream = Stream()
        checked("assay_store_arrow", self._handle, json.dumps(options).encode(), ctypes.byref(stream))
        return stream

    def columns(self, **options: "Unpack[ColumnKeywords]") -> "dict[str, Any]":
        """Each item's label, prediction, confidence, loss, best classes ... as NumPy arrays by column.

        Options: top (number of best classes), scores (all of them as a matrix), labels (a file of label sets), class_map.
        """
        from ._arrow import columns_of

        return columns_of(self._stream(**options))

    def to_pandas(self, **options: "Unpack[ColumnKeywords]") -> Any:
        """The same columns as a pandas.DataFrame, with a row for each item."""
        import pandas

        columns = self.columns(**options)
        return pandas.DataFrame({name: list(c) if getattr(c, "ndim", 1) > 1 else c for name, c in columns.items()})

    def to_polars(self, **options: "Unpack[ColumnKeywords]") -> Any:
        """The same columns as a polars.DataFrame."""
        import polars

        return polars.DataFrame({name: list(c) for name, c in self.columns(**options).items()})


def stores(path: "str | os.PathLike[str]") -> "list[Store]":
    """All stores below a RUNS folder, or one of its data sets, sorted by data set and model."""
    return [Store(folder) for folder in json.loads(text_of(checked("assay_store_list", encoded(path))))]


class StoreWriter:
    """Writes a store from your own loop, batch by batch. If the process dies, rerun the loop to resume.

        with assay.StoreWriter("runs", dataset="val", model="resnet50", ids=ids, labels=labels,
                               classes="imagenet", model_file="resnet50.pth") as writer:
            for begin, end in writer.batches(256):
                writer.write(begin, net(images[begin:end]))

    `identity` (any text: a commit, a hash of the weights) or `model_file` identifies the model; without it an existing store is refused.
    An existing store must have the same ids, labels and classes.
    storage: "full", "f16", "top5" (or another number) or "label".
    """

    def __init__(
        self,
        runs: "str | os.PathLike[str]",
        *,
        dataset: str,
        model: str,
        ids: Sequence[Any],
        labels: Any = None,
        label_sets: Any = None,
        classes: Any = None,
        num_classes: int = 0,
        kind: str = "logits",
        storage: Optional[str] = None,
        identity: str = "",
        model_file: "str | os.PathLike[str] | None" = None,
        root: "str | os.PathLike[str] | None" = None,
        paths: Optional[Sequence[Any]] = None,
        attributes: "Optional[dict[str, Sequence[Any]]]" = None,
        provenance: "Optional[dict[str, Any]]" = None,
    ):
        single, sets = labels_and_sets(labels, label_sets, classes)
        if single is not None and sets is not None:
            raise Error("pass labels or label_sets, not both; pass the other one to assay.score()")
        options: dict[str, Any] = {
            "dataset": dataset, "model": model, "kind": kind, "classes": class_options(classes), "identity": identity,
            "model_file": os.fspath(model_file) if model_file else "", "root": str(Path(root).absolute()) if root else "",
            "paths": [str(p) for p in paths or []],
            "attributes": {name: [str(v) for v in values] for name, values in (attributes or {}).items()},
            "provenance": provenance or {},
        }
        if storage:
            options["storage"] = storage
        if num_classes:
            options["num_classes"] = num_classes
        opened = checked(
            "assay_writer_open", encoded(runs), json.dumps(options).encode(), pointer(HeldTexts(ids)), pointer(single), pointer(sets)
        )
        self._handle: Optional[Handle] = Handle(opened, "assay_writer_free", one_process=True)
        self.path = Path(self._describe()["path"])
        self._at = 0

    def __reduce__(self) -> Any:
        raise TypeError(
            "a StoreWriter cannot be copied or pickled, because one process writes a store. Make it where the rows are written: "
            "the same arguments resume a store that has begun"
        )

    def _open(self) -> Handle:
        if self._handle is None:
            raise Error("the writer is closed")
        if self._handle.is_of_another_process:
            raise Error(
                "this process was forked from the one that writes the store; make a StoreWriter here once that one is closed", "busy"
            )
        return self._handle

    def _describe(self) -> "dict[str, Any]":
        return json.loads(text_of(checked("assay_writer_describe", self._open())))  # type: ignore[no-any-return]

    @property
    def missing(self) -> "list[tuple[int, int]]":
        """Ranges of rows that are not yet stored, [begin, end)."""
        return [(begin, end) for begin, end in self._describe()["missing"]]

    def batches(self, size: int) -> "Iterator[tuple[int, int]]":
        """Ranges of at most `size` rows that cover all missing rows."""
        for begin, end in self.missing:
            for at in range(begin, end, size):
                yield at, min(at + size, end)

    def write(self, first_row: int, scores: Any) -> int:
        """Writes scores of the rows from `first_row` on. Stored rows are not changed; returns the number of new rows."""
        return int(checked("assay_writer_write", self._open(), first_row, pointer(held(scores, "scores"))))

    def append(self, scores: Any) -> int:
        """Writes the next rows, in order from row 0 on."""
        matrix = held(scores, "scores")
        new = int(checked("assay_writer_write", self._open(), self._at, pointer(matrix)))
        self._at += matrix.shape[0]
        return new

    def finish(self) -> Store:
        """Finishes the store, which must have all its rows, and opens it."""
        checked("assay_writer_finish", self._open())
        self.close()
        return Store(self.path)

    def close(self) -> None:
        """Closes an unfinished store. Written rows stay, except for predicted classes in unfinished shards."""
        if self._handle is not None:
            self._handle.free()
            self._handle = None

    def __enter__(self) -> "StoreWriter":
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if kind is None and self._handle is not None:
            self.finish()
        self.close()


__all__ = ["STATES", "Scores", "Store", "StoreWriter", "stores"]
