"""The functions score, compare and gap."""

from __future__ import annotations

import contextlib
import ctypes
import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Optional, Sequence, Union, overload

from ._arrays import HeldSets, pointer
from ._calls import Progress, call
from ._hub_metrics import of_prediction
from ._inputs import in_order, shape_of, shared_classes
from ._labels import labels_of, to_numpy
from ._library import Error, checked
from ._options import Given, ScoreOptions, check_stored, metric_names, own_names, plain, text_of_options
from ._soft_labels import soft_label_file
from ._weighted import OF_COMPARE, weights_of
from ._weighted import check_options as check_weighted
from .report import Comparison, Gap, Report
from .store import Store, stores

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import CompareKeywords, GapKeywords
    from ._methods import MethodComparison

Paths = Union[str, "os.PathLike[str]"]
_SMALL = 2_000_000  # this many scores are read in a few milliseconds


def _opened(value: Any) -> "list[Store]":
    if isinstance(value, Store):
        return [value]
    if isinstance(value, (str, os.PathLike)):
        return stores(value)
    if isinstance(value, (list, tuple)) and value and all(isinstance(v, (Store, str, os.PathLike)) for v in value):
        return [store for v in value for store in _opened(v)]
    return []


def _are_names(scores: Any, labels: Any) -> bool:
    """Whether a list of texts has one entry per label or row: then it holds class names, not paths."""
    return (
        isinstance(scores, (list, tuple)) and len(scores) > 0 and all(isinstance(one, str) for one in scores)
        and (shape_of(labels) or (0,))[0] == len(scores)
    )


def _options(metrics: Any, options: "dict[str, Any]") -> "dict[str, Any]":
    given: dict[str, Any] = {"metrics": metric_names(metrics), **{name: plain(value) for name, value in options.items()}}
    if isinstance(given.get("labels"), (list, tuple)) or hasattr(given.get("labels"), "__array__"):
        raise Error("labels for stores must be a file; label_sets are for scores in memory")
    return given


def _handles(opened: "Sequence[Store]") -> Any:
    return (ctypes.c_void_p * len(opened))(*[store._handle.value for store in opened])


@contextlib.contextmanager
def _about(name: str) -> "Iterator[None]":
    """Errors say which of several arrays they are about. name: "" for a single one."""
    try:
        yield
    except Error as error:
        if not name:
            raise
        raise Error(f"{name}: {error.message}", error.code, error.notes) from None


def _refuse_other_items(opened: "Sequence[Store]") -> None:
    """Weights are in the order of the items, so all stores need the same order."""
    first = opened[0]
    for store in opened[1:]:
        if len(store) != len(first) or store.ids != first.ids:
            raise Error(
                f"sample_weight: `{store.dataset}/{store.model}` has other items than `{first.dataset}/{first.model}`, or the same in another "
                "order. Weights are in the order of the items: score each store by itself, or name an attribute of the data set: "
                "weights=\"weight\"", "bad_input",
            )


def _in_memory(
    given: Given, labels: Any, label_sets: Any, groups: Any, ids: "Optional[Sequence[Any]]", model: str, dataset: str, kind: Optional[str],
    classes: Any, num_classes: int, ignore_index: Optional[int],
) -> "list[Store]":
    """The stores of scores in memory: one, or one for each name of a dictionary."""
    attributes: "Optional[dict[str, Sequence[Any]]]" = None
    if groups is not None:
        values = to_numpy(groups, "groups")
        if values.ndim != 1:
            raise Error(f"groups: an array of {values.ndim} dimensions; allowed: one group per item")
        # Not tolist(), which converts dates to numbers and adds digits to float32.
        attributes = {"group": ["" if value is None or value != value else value for value in values]}
        rows = shape_of(next(iter(given.scores.values()), None) if isinstance(given.scores, Mapping) else given.scores)
        if rows and rows[0] != len(values):
            raise Error(f"groups: {len(values)} groups for {rows[0]} items; one group per item is needed", "bad_input")
    if label_sets is not None and len(shape_of(labels) or ()) == 2 and labels_of(labels).matrix is not None:
        raise Error("labels and label_sets are both matrices of valid classes: pass one of them")
    named = dict(given.scores) if isinstance(given.scores, Mapping) else {model: given.scores}
    if not named:
        raise Error("scores: an empty dictionary; {name: scores} is needed")
    classes, num_classes = shared_classes(list(named.values()), labels, classes, num_classes, given.hard)
    out = []
    for name, value in named.items():
        if isinstance(value, (Store, os.PathLike, str)):
            raise Error(f"scores: `{name}` is a store, but a dictionary must hold scores in memory: for several stores, use "
                f"assay.score([...])")
        with _about(str(name) if isinstance(given.scores, Mapping) else ""):
            out.append(Store.of(
                value, labels, label_sets=label_sets if labels is None else None, ids=ids, model=str(name), dataset=dataset, kind=kind,
                classes=classes, num_classes=num_classes, attributes=attributes, ignore_index=ignore_index, hard=given.hard,
            ))
    if attributes is not None and len(attributes["group"]) != len(out[0]):
        raise Error(f"{len(attributes['group'])} groups for {len(out[0])} items", "bad_input")
    return out


def score(
    scores: Any = None,
    labels: Any = None,
    metrics: "Union[str, Sequence[str], None]" = None,
    *,
    label_sets: Any = None,
    soft_labels: Any = None,
    level: float = 0.95,
    ids: Optional[Sequence[Any]] = None,
    model: str = "model",
    dataset: str = "data",
    kind: Optional[str] = None,
    classes: Any = None,
    num_classes: int = 0,
    groups: Any = None,
    ignore_index: Optional[int] = None,
    sample_weight: Any = None,
    progress: Progress = None,
    **options: "Unpack[ScoreOptions]",
) -> Report:
    """Computes metrics, each with its interval and definition.

    scores: items x classes, logits or probabilities (detected, or `kind`). One predicted class for each item works, as a number or
    a name, and so does the probability of class 1 of two. {name: scores} measures several models on the same labels. Stores work
    too: one or several, or the path of a RUNS folder, a data set or a store.
    labels: a class for each item, -1 for none: numbers, truth values, names (see `classes`) or one-hot rows. A matrix of zeros and
    ones with other rows gives label sets. With paths: a file of label sets, as --labels takes it.
    The names of other libraries work, too: y_true, target or references; y_pred, y_score, preds, predictions or pred_probs. By
    position, scikit-learn's order is understood if the first array has classes and the second has fractions.
    label_sets: the valid classes of each item, for ReaL, ASMA and similar metrics.
    soft_labels: probabilities, one row per item and one column per class.
    metrics: names with parameters ("top1,ece:bins=20"), None: the usual ones; assay.metrics() lists them.
    classes: the names of the columns, a file, or "imagenet"; the columns of a DataFrame have their own names.
    groups: a group for each item; report.by_group("top1") has the metric of each. With by="group", report["worst(top1)"] is the
    accuracy of the worst group. With cluster="group", items of one group (a patient) are not independent.
    ignore_index: a label that stands for none (-100).
    sample_weight: how much each item counts, a number from 0, as in scikit-learn. Only ratios matter. A metric that has no
    meaning with weights, such as aurc, is refused by name, or omitted with a note if you name no metrics.
    weights: of stores, the attribute of the data set that says how much each item counts.
    options: plugin, gates, reliability, confusions, per_class, subgroup, by, cluster, weights, subgroups, class_map, k, bins,
    edges, bootstrap, null, seed, threads, hierarchy, ordinal, class_order, threshold_file, label_votes. Options without effect
    are refused.

    The report keeps the scores until confusion_matrix(), per_class() or plot() has read them. With per_class=True, confusions=True
    and reliability=True it does not keep them.

    >>> import assay
    >>> report = assay.score([[2.0, 1.0, 0.0], [0.0, 3.0, 1.0], [1.0, 0.0, 4.0], [5.0, 1.0, 1.0]], [0, 1, 2, 2], "top1")
    >>> report["top1"].value
    0.75
    >>> f"{report['accuracy']:.1%}", report["accuracy"] > 0.7, dict(report) == {"top1": 0.75}
    ('75.0%', True, True)
    >>> report["top1"].definition
    'top1.first_index'
    >>> [round(end, 3) for end in report["top1"].interval[:2]]
    [0.301, 0.954]
    """
    given, classes = own_names(scores, labels, options, classes)
    if labels is None and hasattr(given.scores, "predictions") and hasattr(given.scores, "label_ids"):
        given.scores, given.labels, ignore_index = *of_prediction(given.scores), -100 if ignore_index is None else ignore_index
    in_memory = (given.named and given.hard is not None) or _are_names(given.scores, given.labels)
    opened = [] if in_memory else _opened(given.scores)
    sets: Optional[HeldSets] = None
    if opened:
        check_stored({
            "ids": ids, "kind": kind, "classes": classes, "num_classes": num_classes or None, "groups": groups, "ignore_index": ignore_index,
            "model": None if model == "model" else model, "dataset": None if dataset == "data" else dataset,
        })
        if given.labels is not None:
            given["labels"] = given.labels
        sets = None if label_sets is None else HeldSets(label_sets)
    else:
        if not given.named and not isinstance(given.scores, Mapping) and given.labels is not None:
            given.scores, given.labels = in_order(given.scores, given.labels, bool(num_classes) or classes is not None)
        opened = _in_memory(given, given.labels, label_sets, groups, ids, model, dataset, kind, classes, num_classes, ignore_index)
        if groups is not None and not (given.get("by") or given.get("cluster")):
            given["subgroup"] = "group"
        sets = HeldSets(label_sets) if given.labels is not None and label_sets is not None else None
    for store in opened if sets is not None else []:
        sets.check(len(store), 0 if given.get("class_map") else store.classes)  # type: ignore[union-attr]
    small = sum(len(store) * store.classes for store in opened) < _SMALL and not given.get("null")
    if sample_weight is not None:
        check_weighted({**given, "groups": groups is not None})
        _refuse_other_items(opened)
        given["sample_weight"] = weights_of(sample_weight, len(opened[0])).tolist()

    def measured(shown: "dict[str, Any]", watch: Progress) -> Report:
        with soft_label_file(soft_labels, {**given, **shown}, opened) as every:
            text = text_of_options({**_options(metrics, every), "level": level}, "score()")
            return Report(call(
                lambda watched: checked("assay_score", _handles(opened), len(opened), pointer(sets), text, watched), watch, small
            ))

    report = measured({}, progress)
    if given.get("weights") or sample_weight is not None:  # classes and bins count items the same, so there are no details to compute later
        return report
    report._scores_to_read = sum(len(store) * store.classes for store in opened)
    if not report._is_detailed():
        report._detail = lambda: measured({"per_class": True, "confusions": 2**63, "reliability": True}, False)
    return report


@overload
def compare(
    baseline: Any,
    candidates: Any,
    labels: Any = None,
    metrics: "Union[str, Sequence[str], None]" = None,
    *,
    label_sets: Any = None,
    level: float = 0.95,
    sample_weight: Any = None,
    progress: Progress = None,
    **options: "Unpack[CompareKeywords]",
) -> Comparison: ...


@overload
def compare(
    *, methods: "Mapping[str, Any]", within: Optional[float] = None, labels: "Optional[Paths]" = None, level: float = 0.95, threads: int = 0,
    progress: Progress = None,
) -> "MethodComparison": ...


def compare(
    baseline: Any = None,
    candidates: Any = None,
    labels: Any = None,
    metrics: "Union[str, Sequence[str], None]" = None,
    *,
    methods: "Optional[Mapping[str, Any]]" = None,
    within: Optional[float] = None,
    label_sets: Any = None,
    level: float = 0.95,
    sample_weight: Any = None,
    progress: Progress = None,
    **options: "Unpack[CompareKeywords]",
) -> "Union[Comparison, MethodComparison]":
    """Compares classifiers on the same items, with paired intervals and tests. With methods=, compares training methods.

    baseline: a Store, its path, or scores; candidates: one or several of these, or {name: scores}.
    labels: the classes of the items, for scores. Items of stores are matched by their ids.
    sample_weight: how much each item counts, as for score(), in the order of the baseline's items.
    weights: of stores, the attribute of the baseline's data set that says how much each item counts.
    by: attributes of the baseline's data set. comparison.pairs[0]["groups"] then has the difference in each group, and the lowest.
    methods: {name: training runs}, the first is the baseline. Runs are a pattern ("runs/val/old-seed*"), a list of stores or paths,
    or {seed: store}. In a list, the part in which the paths differ is the seed. Runs with equal seeds are paired. The result is a
    MethodComparison: comparison["new"] is the difference to expect of a new training run on new images (docs/methods.md).
    within: with methods, the wanted half of an interval, such as 0.005. With methods, labels is a file, and only level and threads
    work, too.
    options: plugin, gates, disagreements, by, class_map, cluster, weights, k, bins, edges, subgroups, bootstrap, null, seed, threads,
    other_images.

    >>> import assay
    >>> a = [[2.0, 1.0], [0.0, 3.0], [1.0, 0.0], [5.0, 1.0]]
    >>> b = [[2.0, 1.0], [0.0, 3.0], [1.0, 2.0], [0.0, 1.0]]
    >>> difference = assay.compare(a, b, labels=[0, 1, 1, 1], metrics="top1")["top1"]
    >>> difference.baseline.value, difference.candidate.value, difference.value
    (0.5, 1.0, 0.5)
    """
    if methods is not None:
        return _of_methods(methods, within, labels, level, progress, {
            "baseline": baseline, "candidates": candidates, "metrics": metrics, "label_sets": label_sets, "sample_weight": sample_weight, **options,
        })
    if within is not None:
        raise Error("within= acts with methods= alone: remove it, or name the training runs")
    if baseline is None or candidates is None:
        raise Error("compare() needs a baseline and candidates, or methods=: assay.compare(old, new, labels=labels)")
    in_memory = [value for value in [baseline, *(candidates.values() if isinstance(candidates, dict) else [candidates])] if not _opened(value)]
    classes, num_classes = shared_classes(in_memory, labels, None, 0)

    def store_of(value: Any, name: str) -> "list[Store]":
        with _about(name):
            return _opened(value) or [Store.of(
                value, labels, label_sets=label_sets if labels is None else None, model=name, classes=classes, num_classes=num_classes,
            )]

    first = store_of(baseline, "baseline")
    if len(first) != 1:
        raise Error(f"the baseline is {len(first)} stores; name one of them")
    if isinstance(candidates, dict):
        others = [store for name, value in candidates.items() for store in store_of(value, str(name))]
    else:
        others = store_of(candidates, "candidate")
    given: dict[str, Any] = {name: plain(value) for name, value in options.items()}
    asked = {**given}
    if first[0].path is not None:
        others = [store for store in others if store.path is None or not os.path.samefile(store.path, first[0].path)]
        if labels is not None:
            asked["labels"] = labels
    sets = HeldSets(label_sets) if label_sets is not None and (labels is not None or first[0].path is not None) else None
    every = [*first, *others]
    small = sum(len(store) * store.classes for store in every) < _SMALL
    if sample_weight is not None:
        check_weighted(given, OF_COMPARE)
        asked["sample_weight"] = weights_of(sample_weight, len(first[0])).tolist()
    text = text_of_options({**_options(metrics, asked), "level": level}, "compare()")
    return Comparison(
        call(lambda watched: checked("assay_compare", _handles(every), len(every), pointer(sets), text, watched), progress, small)
    )


def _of_methods(
    methods: "Mapping[str, Any]", within: Optional[float], labels: Any, level: float, progress: Progress, others: "dict[str, Any]"
) -> "MethodComparison":
    from ._methods import compare_methods

    threads = others.pop("threads", None)
    if refused := [f"{name}=" for name, value in others.items() if value is not None]:
        raise Error(f"methods= compares top-1 accuracy over training runs; remove what does not act with it: {', '.join(refused)}")
    if labels is not None and not isinstance(labels, (str, os.PathLike)):
        raise Error("with methods=, labels must be a file of valid classes")
    return compare_methods(methods, {"within": within, "labels": None if labels is None else os.fspath(labels), "level": level, "threads": threads}, progress)


def gap(
    first: Paths,
    second: Paths,
    *,
    runs: "Optional[Paths]" = None,
    labels: "Optional[Sequence[Paths]]" = None,
    level: float = 0.95,
    progress: Progress = None,
    **options: "Unpack[GapKeywords]",
) -> Gap:
    """Compares the same models on two data sets: the gap in accuracy, and how much of it the number of labels explains.

    first, second: folders RUNS/DATA_SET, or names below `runs`. labels: two files of label sets.
    options: by, subgroups, pooled_above, agreement, margin, also, also_labels, also_subgroups, rank_by, rank_against, mark, slivers, top,
    bootstrap, seed, scale, families, threads, all_models.
    """
    given: dict[str, Any] = {
        "sets": [os.fspath(first), os.fspath(second)], "level": level, **{name: plain(value) for name, value in options.items()},
    }
    if runs is not None:
        given["runs"] = os.fspath(runs)
    if labels is not None:
        given["labels"] = [os.fspath(path) for path in labels]
    text = text_of_options(given, "gap()")
    return Gap(call(lambda watched: checked("assay_gap", text, watched), progress))


__all__ = ["compare", "gap", "score"]
