"""Results: numbers with their intervals and definitions, as objects, tables and plots."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Optional, Union

from ._classes import confusion_matrix_of, is_whole, per_class_of
from ._estimates import Difference, Estimate, Interval, Measurement
from ._keys import Key, keyed, matching
from ._library import Error, Handle, checked, encoded, library, text_of
from ._pages import page_of, pictures, pictures_of
from ._rows import cell_of, cell_text, difference_row, row_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import PlotKeywords


class Result:
    """The result of a call: the numbers of the command's JSON, and its output formats."""

    def __init__(self, handle: int):
        self._handle: Optional[Handle] = Handle(handle, "assay_result_free")
        self.status: int = library().assay_result_status(self._handle)
        self._texts: dict[str, bytes] = {}
        self._read()

    def _read(self) -> None:
        """The content of the JSON, as attributes."""
        self._json: bytes = self._rendered("json")
        self._facts: dict[str, Any] = json.loads(self._json)

    def _rendered(self, form: str) -> bytes:
        if form not in self._texts:
            self._texts[form] = text_of(checked("assay_result_render", self._handle, form.encode()))
        return self._texts[form]

    # Results compare by identity and are hashable, even if they are mappings. dict(one) == dict(other) compares numbers.
    __eq__ = object.__eq__
    __hash__ = object.__hash__

    # A copy has all renderings, but no object of the library.
    def __reduce__(self) -> Any:
        return _with_texts, (type(self), self.status, {form: self._rendered(form) for form in _FORMS})

    @property
    def schema(self) -> str:
        return str(self._facts.get("schema", ""))

    @property
    def gates(self) -> "list[dict[str, Any]]":
        """Each gate (a condition on a result), and whether it `passed`."""
        return list(self._facts.get("gates", []))

    @property
    def passed(self) -> bool:
        """Whether all gates passed."""
        return all(gate.get("passed", False) for gate in self.gates)

    @property
    def partial(self) -> bool:
        """Whether something that should have been measured was not."""
        return self.status == 3

    def to_dict(self) -> "dict[str, Any]":
        """The JSON of the result as Python objects (docs/formats.md)."""
        return json.loads(self._json)  # type: ignore[no-any-return]

    def to_json(self) -> str:
        """Exactly the bytes that the command prints with --json."""
        return self._json.decode()

    def to_csv(self) -> str:
        return self._rendered("csv").decode()

    def to_markdown(self) -> str:
        return self._rendered("md").decode()

    def to_latex(self) -> str:
        return self._rendered("latex").decode()

    def __str__(self) -> str:
        return self._rendered("text").decode()

    def records(self) -> "list[dict[str, Any]]":
        """One dictionary for each row of the table, as in to_pandas()."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.records())

    def to_polars(self) -> Any:
        """The table as a polars.DataFrame."""
        import polars

        return polars.DataFrame(self.records())

    def plot(self, recipe: str, format: str = "svg", **options: "Unpack[PlotKeywords]") -> bytes:
        """A plot of the result, one of `assay plot`, as "svg", "pdf" or "png".

        Options: models, datasets, metric, x, y, top, width, height (millimetres), font (points), dpi, dark, title.
        """
        return text_of(
            checked("assay_plot", recipe.encode(), self._json, format.encode(), json.dumps(options).encode())
        )

    def save_plot(self, path: "str | os.PathLike[str]", recipe: str, **options: "Unpack[PlotKeywords]") -> None:
        """Saves the plot to a file, in the format of its extension."""
        form = os.fspath(path).rsplit(".", 1)[-1].lower()
        data = self.plot(recipe, form, **options)
        with open(path, "wb") as file:
            file.write(data)

    def _pictures(self) -> "dict[str, str]":
        """The plots that a notebook shows, and what each one shows."""
        return {}

    def _repr_html_(self) -> str:
        rows = self.records()
        if not rows:
            return f"<pre>{html.escape(str(self))}</pre>"
        columns = [c for c in rows[0] if any(row.get(c) not in (None, "") for row in rows)]
        head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell_text(row.get(c)))}</td>" for c in columns) + "</tr>" for row in rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" + pictures(self, self._pictures())


_FORMS = ("json", "text", "csv", "md", "latex")


def _with_texts(made: "type[Result]", status: int, texts: "dict[str, bytes]") -> Result:
    """Makes a result again from a copy or a pickle."""
    result = made.__new__(made)
    result._handle = None
    result.status = status
    result._texts = texts
    result._read()
    return result


def _own_names(key: "Union[str, tuple[str, ...]]") -> "tuple[str, ...]":
    """The key as a tuple, with Assay's name of the metric in its last part: "accuracy" becomes ("top1",)."""
    names = key if isinstance(key, tuple) else (key,)
    if not names or not isinstance(names[-1], str):
        return names
    own = library().assay_metric_name(names[-1].encode())
    return (*names[:-1], own.decode())


class Report(Result, Mapping[Key, Measurement]):
    """Metrics of one or several models: the result of `assay score`, as a mapping from names to numbers.

    report["top1"] is a Measurement, a float, if the report has one model and data set. If there are several, report["resnet50",
    "top1"] picks the model. The key of several data sets is ("val", "resnet50", "top1").
    Names are those of Assay or of other libraries ("accuracy"), definitions ("ace.top_label") and names with parameters
    ("ece:bins=20").

    Its keys are the metrics' names, with the model (and the data set) if there are several: dict(report), report.items(). A metric
    that was measured in several ways has its definition, or its parameters, as the name. Values of groups are in by_group() and
    `measurements`.
    """

    _detail: "Optional[Callable[[], Report]]" = None

    def _read(self) -> None:
        super()._read()
        self.measurements = [Measurement(facts) for facts in self._facts.get("measurements", [])]

    def _keyed(self) -> "dict[Key, Measurement]":
        return keyed([m for m in self.measurements if m.subgroup == ""])

    @property
    def stores(self) -> "list[dict[str, Any]]":
        """Further facts about each store: counts, labels per image, classes, confusions, reliability, notes, warnings."""
        return list(self._facts.get("stores", []))

    @property
    def warnings(self) -> "list[str]":
        return [text for store in self.stores for text in store.get("warnings", [])]

    @property
    def notes(self) -> "list[str]":
        return [text for store in self.stores for text in store.get("notes", [])]

    def __iter__(self) -> "Iterator[Key]":
        return iter(self._keyed())

    def __len__(self) -> int:
        return len(self._keyed())

    def __contains__(self, key: object) -> bool:
        return isinstance(key, (str, tuple)) and bool(matching(self.measurements, _own_names(key)))

    def __getitem__(self, key: Key) -> Measurement:
        found = matching(self.measurements, _own_names(key))
        if len(found) == 1:
            return found[0]
        if not found:
            raise KeyError(f"no {key!r}; there are {', '.join(map(_key_text, self._keyed()))}")
        which = sorted({f"{m.dataset}/{m.model}" for m in found})
        if len(which) > 1:
            raise KeyError(f"{key!r} is of {len(found)} models or data sets ({', '.join(which)}): name one")
        names = [_key_text(name) for name, m in self._keyed().items() if m in found]
        raise KeyError(f"{key!r} is measured in {len(found)} ways: name one of {', '.join(names)}")

    def by_group(self, metric: str) -> "dict[str, Measurement]":
        """The metric of each group of `groups=` (or value of `subgroup=`), or the accuracy of each group of `by=`, for a report of one model."""
        own = _own_names(metric)
        measured = self.measurements
        by: "set[str]" = set()
        if not any(m.subgroup for m in measured):
            results = [result for store in self.stores for result in store.get("groups", [])]
            measured = [Measurement(group["accuracy"]) for result in results for group in result["groups"]]
            by = {text for result in results for text in result["by"]}
        groups = list(dict.fromkeys(m.subgroup for m in measured if m.subgroup))
        if not groups:
            raise Error("the report has no groups: assay.score(scores, labels, groups=...) measures each")
        found = {name: matching(measured, own, name) for name in groups}
        several = max(len(of_group) for of_group in found.values())
        if several == 0:
            raise KeyError(f"no {metric!r}; there are {', '.join(map(_key_text, self._keyed()))}")
        if several > 1:
            raise KeyError(f"{metric!r} is of {several} models or definitions: keep to one, or read `measurements`")
        several_attributes = len(by) > 1 or any("," in text for text in by)  # so the value alone does not identify a group
        return {name if several_attributes else name.partition("=")[2]: of_group[0] for name, of_group in found.items() if of_group}

    def _is_detailed(self) -> bool:
        """Whether the JSON itself has every class, every confusion and the reliability."""
        return all(is_whole(store) and store.get("reliability") for store in self.stores)

    def _is_weighted(self) -> bool:
        """Whether the items are weighted. Classes, confusions and bins count all items the same, so the report has none."""
        return any(name in m.parameters for m in self.measurements for name in ("weights", "sample_weight"))

    def _has_details(self) -> bool:
        return self._detail is not None or self._details is not None

    def _with_details(self) -> "Report":
        """The same report with every class, every confusion and the reliability, which are computed on first use."""
        if self._details is None:
            if self._is_weighted():
                raise Error(
                    "this report has weights, and counts of classes and confusions are without them: "
                    "call assay.score() without weights= and sample_weight="
                )
            if self._detail is None:
                raise Error(
                    "this report has neither classes nor confusions, and its scores are gone: "
                    "pass per_class=True, confusions=2**31, reliability=True to assay.score() or assay.Metrics()"
                )
            self._details = self._detail()
            if self._details._facts["measurements"] != self._facts["measurements"]:
                self._details = None
                raise Error("the scores have changed since this report was made: call assay.score() again", "bad_input")
            self._detail = None  # frees the scores that it contains
        return self._details

    _details: "Optional[Report]" = None

    def _store(self, model: Optional[str], dataset: Optional[str]) -> "dict[str, Any]":
        """The facts of the one store, with its classes and confusions."""
        whole = self if all(is_whole(store) for store in self.stores) else self._with_details()
        found = [s for s in whole.stores if model in (None, s["model"]) and dataset in (None, s["dataset"])]
        if len(found) != 1:
            there = ", ".join(f"{s['dataset']}/{s['model']}" for s in whole.stores)
            raise KeyError(f"{len(found)} of the stores match; choose one with model= and dataset=: {there}")
        return found[0]

    def confusion_matrix(self, *, normalize: Optional[str] = None, model: Optional[str] = None, dataset: Optional[str] = None) -> Any:
        """Items of each class (rows) by the predicted class (columns): int64 of classes x classes, as a NumPy array.

        normalize: "true" divides by the row's sum, "pred" by the column's, "all" by the items; 0/0 is 0. The result is then
        float64.
        Only items with scores and a single label are counted. The first call reads the arrays that were scored, so do not change them
        before it.
        model, dataset: select one, if the report has several.
        """
        return confusion_matrix_of(self._store(model, dataset), normalize)

    def per_class(self, *, model: Optional[str] = None, dataset: Optional[str] = None) -> "dict[str, Any]":
        """Facts of each class, as NumPy arrays: its "class" (name), "n" (items), "recall" (its accuracy), "precision" and "f1".

        A class without items has recall nan, and one that is never predicted has precision nan. Its f1 is nan only if both are.
        assay.score(..., per_class=True).stores has the intervals.
        """
        return per_class_of(self._store(model, dataset))

    def plot(self, recipe: str, format: str = "svg", **options: "Unpack[PlotKeywords]") -> bytes:
        """Plots the report by a recipe of `assay plot`, as "svg", "pdf" or "png".

        recipe: "scores", "reliability" (or "calibration_curve"), "classes", "confusions" (the most frequent ones),
        "confusion_matrix" (counts of labels by predictions, as a heat map).
        Options: as of Result.plot().
        """
        own = _RECIPES.get(recipe, recipe)
        needed = {"reliability": "reliability", "confusions": "confusions", "classes": "per_class"}.get(own, "")
        there = is_whole if own == "confusion-matrix" else lambda store: not needed or bool(store.get(needed))
        if all(there(store) for store in self.stores) or not self._has_details():
            return super().plot(own, format, **options)
        return Result.plot(self._with_details(), own, format, **options)

    def records(self) -> "list[dict[str, Any]]":
        return [row_of(m) for m in self.measurements]

    def to_dict_of_values(self) -> "dict[str, float]":
        """{metric: value} for loggers, from a report of one model; undefined values are omitted."""
        return {_key_text(name): m.value for name, m in self._keyed().items() if m.value is not None}

    def __repr__(self) -> str:
        whose = list(dict.fromkeys(f"{m.model} on {m.dataset}" for m in self.measurements))
        whole = f"{len(whose)} models and data sets" if len(whose) > 1 else "".join(whose) or "nothing"
        shown = [f"{_key_text(name)} {m}" for name, m in list(self._keyed().items())[:_REPR]]
        more = len(self) - len(shown)
        return f"<{type(self).__name__} of {whole}: {', '.join(shown)}{f', and {more} more' if more > 0 else ''}>"

    _scores_to_read = 0  # items x classes to read for details that the JSON lacks

    def _pictures(self) -> "dict[str, str]":
        return pictures_of(self)

    def _repr_html_(self) -> str:
        return page_of(self)


_REPR = 6  # number of metrics that repr() shows
_RECIPES = {
    "confusion_matrix": "confusion-matrix", "heatmap": "confusion-matrix", "confusion": "confusions", "calibration_curve": "reliability",
    "reliability_diagram": "reliability",
}


def _key_text(key: Key) -> str:
    return key if isinstance(key, str) else "/".join(key)


class Comparison(Result, Mapping[Key, Difference]):
    """A baseline and candidates on the same items: the result of `assay compare`, as a mapping from names to differences.

    comparison["top1"] is a Difference, a float, if there is one candidate; comparison["v2", "top1"] picks it.
    """

    def _read(self) -> None:
        super()._read()
        self.pairs: list[dict[str, Any]] = list(self._facts.get("pairs", self._facts.get("comparisons", [])))
        self.differences = [Difference(facts, pair) for pair in self.pairs for facts in pair.get("metrics", [])]

    @property
    def warnings(self) -> "list[str]":
        return [text for pair in self.pairs for text in pair.get("warnings", [])]

    def _pictures(self) -> "dict[str, str]":
        return {"comparison": "differences to the baseline"}

    def __iter__(self) -> "Iterator[Key]":
        return iter(keyed([d.candidate for d in self.differences]))

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, (str, tuple)) and len(self._found(key)) == 1

    def __repr__(self) -> str:
        shown = ", ".join(f"{_key_text(key)} {self.get(key, '')}" for key in list(self)[:_REPR])
        return f"<Comparison with {self.pairs[0].get('baseline', '') if self.pairs else 'nothing'}: {shown}>"

    def __getitem__(self, key: Key) -> Difference:
        found = self._found(key)
        if len(found) == 1:
            return found[0]
        if found:
            keys = ", ".join(repr(own) for own, m in keyed([d.candidate for d in self.differences]).items() if any(d.candidate is m for d in found))
            raise KeyError(f"{key!r} is {len(found)} differences: name one of {keys}")
        raise KeyError(f"no {key!r}; there are {', '.join(dict.fromkeys(d.metric for d in self.differences))}")

    def _found(self, key: Key) -> "list[Difference]":
        meant = matching([d.candidate for d in self.differences], _own_names(key))
        return [d for d in self.differences if any(d.candidate is m for m in meant)]

    def records(self) -> "list[dict[str, Any]]":
        return [difference_row(d) for d in self.differences]


_GAP_TEXTS = ("model", "subgroup")  # columns of texts, in which `0012` is a name


class Gap(Result):
    """The gap of models between two data sets: the result of `assay gap`."""

    def _pictures(self) -> "dict[str, str]":
        return {"gap": "models on both data sets"}

    @property
    def warnings(self) -> "list[str]":
        return list(self._facts.get("warnings", []))

    @property
    def models(self) -> "list[dict[str, Any]]":
        return list(self._facts.get("models", []))

    def records(self) -> "list[dict[str, Any]]":
        import csv
        import io

        rows = csv.DictReader(io.StringIO(self.to_csv()))
        return [{key: (value or None) if key in _GAP_TEXTS else cell_of(value) for key, value in row.items()} for row in rows]


def metrics() -> "list[dict[str, Any]]":
    """All metrics, with their definitions and parameters."""
    table = json.loads(text_of(checked("assay_metric_table")))
    return table if isinstance(table, list) else list(table.get("metrics", []))


__all__ = ["Comparison", "Difference", "Estimate", "Gap", "Interval", "Measurement", "Report", "Result", "metrics", "encoded"]
