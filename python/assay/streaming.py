"""Metrics of batches that are not kept, as users of torchmetrics expect them: update, compute, reset, merge."""

from __future__ import annotations

import json
from typing import Any, Optional, Sequence, Union

from ._arrays import class_options, held, labels_and_sets, pointer
from ._library import Error, Handle, checked, library, text_of
from .report import Report


class Metrics:
    """Metrics with intervals, from scores that come batch by batch.

        metrics = assay.Metrics("top1,top5,nll,ece")
        for images, target in loader:
            metrics.update(net(images).cpu(), target)
        print(metrics.compute())

    compute() gives the same bits as assay.score() on all rows at once, and memory does not grow. Metrics that need all rows once more
    (ace, aurc, auroc, ...) are refused by name: write a store with assay.StoreWriter for them.

    copy.copy(), copy.deepcopy() and pickle give separate metrics with the same rows, also in another process. Both give the same bits
    from then on.
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
        confusions: int = 0,
        per_class: bool = False,
        **options: Any,
    ):
        self._classes = classes
        self._options = {
            "metrics": [metrics] if isinstance(metrics, str) else list(metrics or []),
            "kind": kind or "", "classes": class_options(classes), "num_classes": num_classes, "model": model, "dataset": dataset,
            "level": level, "reliability": reliability, "confusions": confusions, "per_class": per_class, **options,
        }
        self._handle = _opened(self._options)

    def __reduce__(self) -> Any:
        state = text_of(checked("assay_metrics_state", self._handle))
        own = {name: value for name, value in self.__dict__.items() if name not in ("_classes", "_options", "_handle")}
        return _with_state, (type(self), self._options, self._classes, state), own or None

    def update(self, scores: Any, target: Any = None, *, label_sets: Any = None) -> None:
        """One more batch: scores (items x classes, or predicted classes), the class of each item (-1: none), its valid classes.

        A batch that is refused leaves no trace.
        """
        if target is None and label_sets is None:
            raise Error("a batch needs targets or label_sets")
        single, sets = labels_and_sets(target, label_sets, self._classes if isinstance(self._classes, (list, tuple)) else None)
        matrix = held(scores, "scores")
        for name, given in (("targets", single.shape[0] if single else None), ("label_sets", sets.count if sets else None)):
            if given is not None and given != matrix.shape[0]:
                raise Error(f"{given} {name} for {matrix.shape[0]} rows of scores", "bad_input")
        checked("assay_metrics_update", self._handle, pointer(matrix), pointer(single), pointer(sets))

    __call__ = update

    def merge(self, other: "Metrics") -> "Metrics":
        """Adds the rows of another one with the same options. Values are those of one stream; some intervals differ in their last digits."""
        checked("assay_metrics_merge", self._handle, other._handle)
        return self

    def reset(self) -> None:
        library().assay_metrics_reset(self._handle)

    def compute(self) -> Report:
        """Of the rows so far; more may follow."""
        return Report(checked("assay_metrics_compute", self._handle))

    def __len__(self) -> int:
        """Rows so far."""
        return int(library().assay_metrics_rows(self._handle))

    def __repr__(self) -> str:
        return f"<metrics of {len(self)} rows>"


def _opened(options: "dict[str, Any]") -> Handle:
    return Handle(checked("assay_metrics_new", json.dumps(options).encode()), "assay_metrics_free")


def _with_state(made: "type[Metrics]", options: "dict[str, Any]", classes: Any, state: bytes) -> Metrics:
    """Metrics that were copied or pickled. The classes are in the state: a file that named them need not be here."""
    metrics = made.__new__(made)
    metrics._classes = classes
    metrics._options = options
    metrics._handle = _opened({**options, "classes": None})
    checked("assay_metrics_set_state", metrics._handle, state, len(state))
    return metrics


__all__ = ["Metrics"]
