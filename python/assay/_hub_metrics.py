"""Metrics as a function for the Trainer of Hugging Face's transformers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Sequence, Union

from ._inputs import shape_of
from ._library import Error

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._options import ScoreOptions

IGNORED = -100  # the label that the hubs' losses ignore


def of_prediction(prediction: Any) -> "tuple[Any, Any]":
    """Scores and labels of an EvalPrediction. If the model returns several arrays, the scores are the first one of items x classes."""
    if not hasattr(prediction, "label_ids") or not hasattr(prediction, "predictions"):
        raise Error(f"a {type(prediction).__name__}; pass an EvalPrediction with predictions and label_ids")
    labels = prediction.label_ids
    if isinstance(labels, (list, tuple)) and labels and len(shape_of(labels[0]) or ()) > 0:
        labels = labels[0]
    scores = prediction.predictions
    if isinstance(scores, tuple):
        found = [one for one in scores if len(shape_of(one) or ()) == 2]
        if not found:
            raise Error(f"none of the {len(scores)} outputs of the model is an array of items x classes")
        scores = found[0]
    return scores, labels


def asked(metrics: "Union[str, Sequence[str], None]") -> "list[str]":
    """The requested metrics, one name each. A piece with "=" and without ":" belongs to the one before it."""
    names: "list[str]" = []
    for text in [metrics] if isinstance(metrics, str) else list(metrics or []):
        for piece in text.split(","):
            if names and "=" in piece and ":" not in piece:
                names[-1] += "," + piece
            else:
                names.append(piece.strip())
    return names


def compute_metrics(
    metrics: "Union[str, Sequence[str], None]" = None, **options: "Unpack[ScoreOptions]"
) -> "Callable[[Any], dict[str, float]]":
    """A function for Trainer(compute_metrics=...): metrics of an EvalPrediction, under the requested names.

        trainer = Trainer(..., compute_metrics=assay.compute_metrics("accuracy,f1,ece"))

    metrics, options: as for assay.score(). A label of -100 means no label. An undefined metric is omitted.

    >>> import assay
    >>> class Prediction:
    ...     predictions, label_ids = [[2.0, 1.0], [0.0, 3.0]], [0, 0]
    >>> assay.compute_metrics("accuracy")(Prediction())
    {'accuracy': 0.5}
    """
    names = asked(metrics)

    def compute(prediction: Any) -> "dict[str, float]":
        from ._score import score

        report = score(*of_prediction(prediction), metrics, ignore_index=IGNORED, **options)
        values = report.to_dict_of_values()
        # A name that gives several measurements ("topk", k=(1, 5)) gets one key for each.
        if len(names) != len(report) or any(name not in report for name in names):
            return values
        return {name: float(report[name]) for name in names if report[name].value is not None}

    return compute


__all__ = ["asked", "compute_metrics", "of_prediction"]
