"""Metrics of batches that are not kept, as users of torchmetrics expect them: update, compute, reset, merge."""

from __future__ import annotations

import json
from typing import Any, Optional, Sequence, Union

from ._arrays import class_options, held, labels_and_sets, pointer
from ._library import Error, checked, library
from .report import Report


class Metrics:
    """Metrics with intervals, from scores that come batch by batch.

        metrics = assay.Metrics("top1,top5,nll,ece")
        for images, target in loader:
            metrics.update(net(images).cpu(), target)
        print(metrics.compute())

    compute() gives the same bits as assay.score() on all rows at once, and memory does not grow. Metrics that need all rows once more
    (ace, aurc, auroc, ...) are refused by name: write a store with assay.StoreWriter for them.
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
        self._handle: int = checked("assay_metrics_new", json.dumps(self._options).encode())

    def __del__(self) -> None:
        if getattr(self, "_handle", None):
            library().assay_metrics_free(self._handle)

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


__all__ = ["Metrics"]
