"""Metrics that are accumulated batch by batch, with the interface of torchmetrics: update, compute, reset, merge."""

from __future__ import annotations

import array
import copy
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union

from . import _joined
from ._arrays import Held, HeldSets, class_options, held, labels_and_sets, pointer
from ._class_labels import class_list, numbers_among
from ._hub_metrics import asked
from ._inputs import batch_of, shape_of
from ._kept_rows import KeptRows, array_of
from ._labels import class_names
from ._library import Error, Handle, checked, library, text_of
from ._locks import guarded, new_lock
from ._options import count_of, metric_names, plain, text_of_options
from ._weighted import weights_of
from .report import Report, metrics as all_metrics

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import MeasureKeywords


class Metrics:
    """Metrics with intervals, accumulated batch by batch.

        metrics = assay.Metrics("top1,top5,nll,ece")
        for images, target in loader:
            metrics.update(net(images).cpu(), target)
        print(metrics.compute())

    compute() gives the same bits as assay.score() on all rows at once, and memory does not grow. Metrics that need all rows once more
    (ace, aurc, auroc, average_precision, ...) are refused by name, unless keep=True: then all rows are kept, as torchmetrics does.

    metrics(scores, target) does the same as update(), and returns the report of this batch only.

    classes: the names of the columns, a file, or "imagenet". Targets and predicted classes may then be names, and ids of a file or of "imagenet".
    keep: keep all rows for metrics that need them. Memory: that of the scores (4 bytes each in float32), and as much again for each report
    until it has its confusions (as of score()).
    ignore_index: targets with this number count as unlabelled (-1); -100 and 255 are usual.
    distributed: None: compute() covers all processes of torch.distributed, as in torchmetrics, so every process must call it. False: only
    this process. A process group: its processes.

    copy.copy(), copy.deepcopy() and pickle give separate metrics with the same rows, also in another process. Both give the same bits
    from then on. Threads may share metrics; each batch is added as a whole.
    """

    def __init__(
        self,
        metrics: "Union[str, Sequence[str], None]" = None,
        *,
        kind: Optional[str] = None,
        classes: Any = None,
        num_classes: int = 0,
        model: str = "model",
        dataset: str = "data",
        level: float = 0.95,
        reliability: bool = False,
        confusions: "Union[int, bool]" = 0,
        per_class: bool = False,
        ignore_index: Optional[int] = None,
        keep: bool = False,
        distributed: Any = None,
        **options: "Unpack[MeasureKeywords]",
    ):
        if ignore_index is not None and (isinstance(ignore_index, bool) or not hasattr(ignore_index, "__index__")):
            raise Error(f"ignore_index={ignore_index!r}; allowed: a whole number, such as -100 or 255, or None")
        names = class_names(classes)  # refuses anything that is not a list
        # Pickles contain it, so it has no objects of NumPy.
        if isinstance(classes, Mapping):
            self._classes: Any = {plain(key): plain(value) for key, value in classes.items()}
        else:
            self._classes = classes if names is None else plain(names)
        given = {
            "metrics": metric_names(metrics), "kind": kind or "", "classes": class_options(classes), "num_classes": num_classes, "model": model,
            "dataset": dataset, "level": level, "reliability": reliability, "confusions": count_of(confusions), "per_class": per_class, **options,
        }
        self._options = {name: plain(value) for name, value in given.items()}
        self._listed = class_list(classes) if isinstance(classes, (str, os.PathLike)) else None  # pickled, so that no file is needed
        self._ignored = None if ignore_index is None else int(ignore_index)
        self._kept = KeptRows() if keep else None
        self._distributed = distributed
        self._handle = _opened(self._options, keep)
        self._batch_kind: Optional[str] = kind
        self._vector_kind: Optional[str] = kind  # of one float per item, from the first batch
        self._form: Optional[str] = None  # "columns" or "numbers" for each item, from the first batch with scores
        self._matrices: Optional[str] = None  # the meaning of zeros and ones, "classes" or "sets", from the first batch
        new_lock(self)

    _OWN = ("_classes", "_options", "_handle", "_lock", "_distributed")

    def _pieces(self) -> "tuple[Any, Any, dict[str, Any]]":
        """The arguments that make the same metrics again, except `distributed`."""
        with guarded(self):
            state = text_of(checked("assay_metrics_state", self._handle))
            own = {name: value for name, value in self.__dict__.items() if name not in self._OWN}
            if self._kept is not None:
                own["_kept"] = self._kept.copied()
        return _with_state, (type(self), self._options, self._classes, state, self._kept is not None), own

    def __reduce__(self) -> Any:
        if self._distributed is not None and not isinstance(self._distributed, bool):
            raise TypeError("metrics of a process group cannot be pickled, because the group belongs to its process: pickle joined()")
        make, arguments, own = self._pieces()
        return make, arguments, {**own, "_distributed": self._distributed}

    def __copy__(self) -> "Metrics":
        return _made(self._pieces(), self._distributed)

    def __deepcopy__(self, known: Any) -> "Metrics":
        make, arguments, own = self._pieces()
        return _made((make, arguments, copy.deepcopy(own, known)), self._distributed)

    def update(self, scores: Any, target: Any = None, *, label_sets: Any = None, rows: Any = None, sample_weight: Any = None) -> None:
        """One more batch: scores, the class of each item (-1: none), its valid classes.

        scores: items x classes, or one predicted class for each item (a number, a truth value, or a name of `classes`). One float for each
        item is the probability of class 1 of two, or its logit; the first batch decides for all later ones, or `kind`. Batches of both
        forms need `kind`.

        target: a matrix of zeros and ones works, too. It gives the class of each item if each row has a single 1 and no metric
        needs label sets (multilabel_f1). Otherwise it gives label sets. The first batch decides for all later ones.

        rows: the number of each item in the whole data set, from 0 (a range, list or array). Every batch must have them, or none.
        Items may then come in any order and from any process: the result has the bits of the data set in its own order. Memory: one
        bit per row.

        sample_weight: how much each item counts, as for assay.score(). Every batch has them, or none does. They need keep=True.

        A batch that is refused changes nothing, and neither does one without items.
        """
        if self._listed is not None:
            scores, target = numbers_among(scores, self._listed, "scores"), numbers_among(target, self._listed, "targets")
        single, sets = self._labels(target, label_sets)
        meaning = None if label_sets is not None or not _is_matrix(target) else "classes" if sets is None else "sets"
        columns, vector_kind = batch_of(scores, self._vector_kind, self._classes, self._options["num_classes"] or 0)
        matrix = held(columns, "scores")
        numbers = matrix.shape[1:] == (2,) and (shape_of(scores) or ())[1:] in ((), (1,))
        form = None if self._options["kind"] or len(matrix.shape) != 2 or not matrix.shape[0] else "numbers" if numbers else "columns"
        _refuse_both_forms(self._form, form)
        if single is not None and single.shape[0] and numbers:
            if (greatest := int(array_of(single).max())) > 1:
                raise Error(f"scores: one number per item is for two classes, but a label is {greatest}: pass a column for each class", "bad_input")
        if len(matrix.shape) == 1 and matrix.shape[0] and self._classes is None and not self._options["num_classes"]:
            raise Error("scores: one predicted class for each item needs the number of classes: assay.Metrics(..., num_classes=10), or classes=")
        for name, given in (("targets", single.shape[0] if single else None), ("label_sets", sets.count if sets else None)):
            if given is not None and given != matrix.shape[0]:
                raise Error(f"{given} {name} for {matrix.shape[0]} rows of scores", "bad_input")
        places = None if rows is None else _places(rows)
        weights = self._weights(sample_weight, matrix.shape[0])
        if matrix.shape[0] == 0 and not places:
            return
        with guarded(self):
            if self._kept is not None:
                self._kept.check_weights(weights)
            if places is None:
                checked("assay_metrics_update", self._handle, pointer(matrix), pointer(single), pointer(sets))
            else:
                address, count = places.buffer_info()
                checked("assay_metrics_update_rows", self._handle, pointer(matrix), pointer(single), pointer(sets), address or None, count)
            self._matrices, self._form, self._vector_kind = self._matrices or meaning, self._form or form, vector_kind
            if self._kept is not None:
                self._kept.add(matrix, single, sets, places, weights)

    def _weights(self, value: Any, items: int) -> Any:
        """A copy for the rows that are kept."""
        if value is None:
            return None
        if self._kept is None:
            raise Error("sample_weight: metrics in a stream add up items that count the same; assay.Metrics(..., keep=True) keeps the rows, and takes weights")
        return weights_of(value, items, all_may_be_zero=True)

    def __call__(self, scores: Any, target: Any = None, *, label_sets: Any = None, rows: Any = None, sample_weight: Any = None) -> Report:
        """Does the same as update(), and returns the report of this batch alone."""
        with guarded(self):
            before = len(self)
            self.update(scores, target, label_sets=label_sets, rows=rows, sample_weight=sample_weight)
            if not self._batch_kind and len(self) > 0:
                # A small batch may look like another kind of scores than the batches before it.
                self._batch_kind = self._own_report().to_dict()["stores"][0]["scores"]
            if len(self) == before:
                raise Error("an empty batch has no values: use update() if batches may be empty")
            kind = self._batch_kind or ""
        batch = Metrics.__new__(Metrics)
        batch._classes, batch._listed = self._classes, self._listed
        batch._options = {**self._options, "kind": "" if kind == "labels" else kind}
        batch._ignored, batch._batch_kind, batch._distributed, batch._matrices = self._ignored, kind, False, self._matrices
        batch._vector_kind, batch._form = self._vector_kind, self._form
        batch._kept = None if self._kept is None else KeptRows()
        batch._handle = _opened(batch._options, self._kept is not None)
        new_lock(batch)
        batch.update(scores, target, label_sets=label_sets, sample_weight=sample_weight)
        return batch._own_report()

    def merge(self, other: "Metrics") -> "Metrics":
        """Adds the rows of other metrics with the same options.

        Values are the same as for one stream. Intervals are, too, if batches have `rows`; otherwise some differ in their last digits.
        """
        if not isinstance(other, Metrics):
            raise TypeError(f"metrics can only be merged with metrics, not with a {type(other).__name__}")
        if (self._kept is None) != (other._kept is None):
            raise Error("one of the metrics keeps its rows (keep=True), the other does not")
        if self._kept is not None and other._kept is not None and other._kept.batches:
            self._kept.check_weights(other._kept.batches[0][4])
        with guarded(self, other):
            _refuse_both_forms(self._form, other._form)
            checked("assay_metrics_merge", self._handle, other._handle)
            self._form = self._form or other._form
            self._matrices = self._matrices or other._matrices
            self._vector_kind = self._vector_kind or other._vector_kind
            if self._kept is not None and other._kept is not None:
                self._kept.batches += other._kept.batches
        return self

    def __add__(self, other: Any) -> "Metrics":
        """New metrics with the rows of both."""
        if not isinstance(other, Metrics):
            return NotImplemented
        return copy.copy(self).merge(copy.copy(other) if other is self else other)

    def __radd__(self, other: Any) -> "Metrics":
        if isinstance(other, int) and other == 0:  # the start value of sum()
            return copy.copy(self)
        return NotImplemented

    def __iadd__(self, other: Any) -> "Metrics":
        if not isinstance(other, Metrics):
            return NotImplemented
        return self.merge(other)

    def reset(self) -> None:
        with guarded(self):
            library().assay_metrics_reset(self._handle)
            self._batch_kind = self._options["kind"]
            self._vector_kind = self._options["kind"] or None
            self._form, self._matrices = None, None
            if self._kept is not None:
                self._kept = KeptRows()

    def compute(self) -> Report:
        """The report of the rows so far; more may follow. See `distributed` for several processes."""
        group = _joined.group_of(self._distributed)
        return self._own_report() if group is None else _joined.joined(self, group)._own_report()

    def joined(self) -> "Metrics":
        """The rows of all processes of torch.distributed (`distributed`), as separate metrics. Every process must call it."""
        group = _joined.group_of(self._distributed)
        whole = copy.copy(self) if group is None else _joined.joined(self, group)
        whole._distributed = False
        return whole

    def _own_report(self) -> Report:
        with guarded(self):
            if self._kept is None:
                return Report(checked("assay_metrics_compute", self._handle))
            kept = self._kept.copied()
        report: Report = kept.measured(self._options, self._classes)
        return report

    def _labels(self, target: Any, label_sets: Any) -> "tuple[Optional[Held], Optional[HeldSets]]":
        if target is None and label_sets is None:
            raise Error("a batch needs targets or label_sets")
        as_sets = label_sets is None and _is_matrix(target) and (self._matrices or ("sets" if self._measures_sets() else "")) == "sets"
        single, sets = labels_and_sets(target, label_sets, self._classes, as_sets=as_sets)
        if self._matrices == "classes" and single is None and label_sets is None:
            raise Error(
                "targets: the first batch had a single 1 in each row, but this one has rows with several or none. "
                "Pass label_sets= from the first batch on", "bad_input"
            )
        if self._ignored is not None:
            if single is None:
                raise Error("ignore_index applies to targets, but this batch only has label_sets")
            numbers = array_of(single).astype("i8")
            numbers[numbers == self._ignored] = -1
            single = held(numbers, "labels")
        return single, sets

    def _measures_sets(self) -> bool:
        """Whether a requested metric uses the valid classes of each item."""
        of_sets = {m["name"] for m in all_metrics() if "a set of labels per item" in m["needs"]}
        names = [name.partition(":")[0].partition(".")[0] for name in asked(self._options["metrics"])]
        return any(library().assay_metric_name(name.encode()).decode() in of_sets for name in names)

    def __len__(self) -> int:
        """Rows so far, in this process."""
        return int(library().assay_metrics_rows(self._handle))

    def __repr__(self) -> str:
        return f"<metrics of {len(self)} rows>"


def _refuse_both_forms(before: Optional[str], form: Optional[str]) -> None:
    """Raises an error if some batches have one number for each item and others have columns: their kinds would be detected differently."""
    if before and form and before != form:
        names = {"numbers": "one number per item", "columns": "a column for each class"}
        way = "columns" if form == "numbers" else "one number per item"
        raise Error(
            f"scores: {names[form]}, but the batches before had {names[before]}: pass {way}, or kind= from the start: "
            "assay.Metrics(..., kind=\"logits\")", "bad_input"
        )


def _is_matrix(target: Any) -> bool:
    shape = shape_of(target) or ()
    return len(shape) == 2 and shape[1] > 1


def _opened(options: "dict[str, Any]", keep: bool = False) -> Handle:
    """keep: the stream only checks the batches. Metrics are computed from the kept rows."""
    def made(rows_kept: bool) -> Handle:
        text = text_of_options({**options, "rows_kept": rows_kept}, "Metrics()")
        return Handle(checked("assay_metrics_new", text), "assay_metrics_free")

    try:
        return made(keep)
    except Error as error:
        if keep or error.code != "usage":
            raise
        try:
            made(True).free()
        except Error:
            raise error from None
        raise Error(f"{error.message}, or keep all rows in memory: assay.Metrics(..., keep=True)", error.code, error.notes) from None


def _places(rows: Any) -> "array.array[int]":
    try:
        values = rows.tolist() if hasattr(rows, "tolist") else rows
        return array.array("Q", list(values))  # a list, because array() would read a buffer's bytes as 8-byte numbers
    except (TypeError, OverflowError, ValueError, RuntimeError) as error:  # RuntimeError: of a tensor without numbers
        raise Error(f"rows: {error}; allowed: whole numbers from 0, one per row of the scores", "bad_input") from None


def _made(pieces: "tuple[Any, Any, dict[str, Any]]", distributed: Any) -> Metrics:
    make, arguments, own = pieces
    metrics: Metrics = make(*arguments)
    metrics.__dict__.update(own)
    metrics._distributed = distributed
    return metrics


def _with_state(made: "type[Metrics]", options: "dict[str, Any]", classes: Any, state: bytes, keep: bool) -> Metrics:
    """Makes metrics again from a copy or a pickle. The state contains the classes, so a file of class names is not needed."""
    metrics = made.__new__(made)
    metrics._classes, metrics._listed = classes, None
    metrics._options = options
    metrics._ignored, metrics._kept, metrics._distributed = None, None, None
    metrics._batch_kind, metrics._vector_kind, metrics._form, metrics._matrices = options["kind"], options["kind"] or None, None, None
    metrics._handle = _opened({**options, "classes": None}, keep)
    checked("assay_metrics_set_state", metrics._handle, state, len(state))
    new_lock(metrics)
    return metrics


__all__ = ["Metrics"]
