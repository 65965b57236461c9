"""Options of score(): their other names, those that have no meaning here, and those without effect."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, TypedDict, Union

from ._library import Error

_Texts = Union[str, Sequence[str]]
_Files = Union[str, "os.PathLike[str]", "Sequence[Union[str, os.PathLike[str]]]"]


class ScoreOptions(TypedDict, total=False):
    """Further keywords of score(): options of the command, and arguments under the names of other libraries."""

    gates: _Texts
    reliability: bool
    confusions: Union[int, bool]
    per_class: bool
    subgroup: str
    by: _Texts
    cluster: str
    weights: str
    subgroups: Any
    class_map: str
    k: Union[int, Sequence[int]]
    bins: int
    edges: str
    bootstrap: int
    null: int
    seed: int
    threads: int
    hierarchy: Any
    ordinal: bool
    class_order: Any
    threshold_file: Any
    label_votes: bool
    plugin: _Files
    # scikit-learn, torchmetrics, Hugging Face, cleanlab, timm
    y_true: Any
    y_pred: Any
    y_score: Any
    y_prob: Any
    y_proba: Any
    preds: Any
    target: Any
    predictions: Any
    references: Any
    pred_probs: Any
    n_bins: int
    topk: Union[int, Sequence[int]]
    top_k: Union[int, Sequence[int]]
    target_names: Any


_SCORES = ("y_pred", "y_score", "y_prob", "y_proba", "preds", "predictions", "pred_probs")
_LABELS = ("y_true", "target", "references")
_OTHER = {"n_bins": "bins", "topk": "k", "top_k": "k"}
_HARD = {"y_pred": True, "y_score": False, "y_prob": False, "y_proba": False, "pred_probs": False}
_NOT_HERE = {
    "sample_weights": "it is sample_weight=, a number for each item",
    "class_weight": "metrics='balanced' and macro averages count every class the same; metrics='precision:average=weighted' weighs classes by items",
    "average": "it is a parameter of a metric: metrics='f1:average=weighted'. assay.metrics() lists them",
    "pos_label": "the positive class of two is class 1: metrics='binary_f1'",
    "multi_class": "auroc is one class against the rest: metrics='auroc:average=weighted'",
    "task": "choose it with the metric: metrics='f1' (multiclass), 'binary_f1', 'multilabel_f1'",
    "normalize": "report.confusion_matrix(normalize='true') takes it",
    "threshold": "it is a parameter of metrics of sigmoids: metrics='multilabel_f1:threshold=50', in percent",
    "device": "scores must be in CPU memory: pass tensor.cpu()",
}


class Given(dict):  # type: ignore[type-arg]
    """Options under the names of Assay, and the arrays among them."""

    scores: Any = None
    labels: Any = None
    named: bool = False  # arguments identify the arrays by name
    hard: Optional[bool] = None


def plain(value: Any) -> Any:
    """Converts numbers and arrays of NumPy and others, and paths, to JSON values."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [plain(one) for one in value]
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def text_of_options(options: "Mapping[str, Any]", call: str) -> bytes:
    """The options for the library, as JSON. Raises Error for an option that is not a number, a text, a list or a file. call: the function called."""
    if "soft_labels" in options:
        raise Error(f"soft_labels= is not an option of {call}: assay.score({{name: scores}}, labels, soft_labels=...) measures one or several models")
    for name, value in options.items():
        try:
            json.dumps(value)
        except (TypeError, ValueError):
            raise Error(f"{name}=: a {type(value).__name__}; options of {call} are numbers, texts, and lists of these") from None
    return json.dumps(options).encode()


def metric_names(metrics: Any) -> "list[str]":
    names = [metrics] if isinstance(metrics, str) else metrics if metrics is not None else []
    if not isinstance(names, (list, tuple, set, dict)) or not all(isinstance(name, str) for name in names):
        raise Error(f"metrics: a {type(metrics).__name__}; allowed: names, as in metrics=\"top1,ece\" (assay.metrics() lists them)")
    return list(names)


def count_of(confusions: Any) -> Any:
    """True stands for all confusions, False for none."""
    return (2**63 if confusions else 0) if isinstance(confusions, bool) else confusions


def _only(name: str, own: Any, given: "dict[str, Any]", others: "tuple[str, ...]") -> "tuple[Any, str]":
    """The array under Assay's name or one of the others, and the name that was used."""
    found = [(other, given.pop(other)) for other in others if other in given]
    found = [(other, value) for other, value in found if value is not None]
    if len(found) + (own is not None) > 1:
        names = [name] * (own is not None) + [other for other, _ in found]
        raise Error(f"{' and '.join(names)} are the same argument: pass one of them")
    return (found[0][1], found[0][0]) if found else (own, name)


def own_names(scores: Any, labels: Any, options: "Mapping[str, Any]", classes: Any) -> "tuple[Given, Any]":
    """The arguments with Assay's names for them, and `classes`."""
    given = Given(options)
    for name, advice in _NOT_HERE.items():
        if name in given:
            raise Error(f"{name}= is not an option here: {advice}")
    given.scores, name = _only("scores", scores, given, _SCORES)
    given.hard = _HARD.get(name)
    given.labels, other = _only("labels", labels, given, _LABELS)
    given.named = name != "scores" or other != "labels" or (scores is None and labels is not None)
    for other, own in _OTHER.items():
        if other in given:
            given[own], _ = _only(own, given.get(own), given, (other,))
    names, _ = _only("classes", classes, given, ("target_names",))
    if "confusions" in given:
        given["confusions"] = count_of(given["confusions"])
    if given.scores is None:
        raise Error("score() needs scores: assay.score(scores, labels), or y_score=, y_pred=, preds=, predictions=, pred_probs=")
    given.update({name: plain(value) for name, value in given.items()})
    return given, names


def check_stored(given: "Mapping[str, Any]") -> None:
    """Refuses options without effect, because the stores have their own."""
    for name, value in given.items():
        if value is not None:
            raise Error(f"{name}= is for scores in memory, but these stores have their own: omit it")


__all__ = ["Given", "ScoreOptions", "check_stored", "count_of", "metric_names", "own_names", "plain", "text_of_options"]
