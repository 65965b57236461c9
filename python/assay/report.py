"""Results: numbers with their intervals and definitions, as objects, tables and pictures."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Iterator
from typing import Any, NamedTuple, Optional, Union

from ._library import Error, Handle, checked, encoded, library, text_of


class Interval(NamedTuple):
    """Both ends, the level, and how it was found."""

    low: float
    high: float
    level: float = 0.95
    method: str = ""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, (int, float)) and self.low <= value <= self.high


class Estimate:
    """A number and how sure it is. `value` is None where it is undefined; `undefined` says why."""

    def __init__(self, facts: "dict[str, Any]"):
        self._facts = facts
        self.value: Optional[float] = facts.get("value")
        self.undefined: str = facts.get("undefined", "")
        self.unit: str = facts.get("unit", "number")
        self.n: int = facts.get("n", 0)
        self.note: str = facts.get("note", "")
        self.standard_error: Optional[float] = facts.get("standard_error")
        found = facts.get("interval")
        self.interval: Optional[Interval] = (
            Interval(found["low"], found["high"], found.get("level", 0.95), found.get("method", "")) if found else None
        )

    def __float__(self) -> float:
        return float("nan") if self.value is None else self.value

    def __str__(self) -> str:
        if self.value is None:
            return f"undefined: {self.undefined}"
        percent = self.unit == "proportion"
        scale, sign = (100, " %") if percent else (1, "")
        half = (self.interval.high - self.interval.low) / 2 * scale if self.interval else 0.0
        digits = 1 if percent else 3
        while 0 < half < 2 * 10.0**-digits and digits < 6:
            digits += 1
        text = f"{self.value * scale:.{digits}f}"
        return text + (f" ±{half:.{digits}f}" if self.interval else "") + sign

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def to_dict(self) -> "dict[str, Any]":
        """As in the JSON."""
        return dict(self._facts)


class Measurement(Estimate):
    """A metric of one model on one data set, by one definition."""

    def __init__(self, facts: "dict[str, Any]"):
        super().__init__(facts)
        self.metric: str = facts.get("metric", "")
        self.definition: str = facts.get("definition", "")
        self.parameters: dict[str, str] = facts.get("parameters", {})
        self.model: str = facts.get("model", "")
        self.dataset: str = facts.get("dataset", "")
        self.subgroup: str = facts.get("subgroup", "")
        self.higher_is_better: bool = facts.get("higher_is_better", True)

    def __repr__(self) -> str:
        return f"<{self.metric} of {self.model} on {self.dataset}: {self}>"


class Difference:
    """One metric of two models on the same items: both values, and the candidate's minus the baseline's."""

    def __init__(self, facts: "dict[str, Any]", pair: "dict[str, Any]"):
        self._facts = facts
        self.metric: str = facts.get("metric", "")
        self.model: str = pair.get("candidate", "")
        self.against: str = pair.get("baseline", "")
        self.baseline = Measurement(facts.get("baseline", {}))
        self.candidate = Measurement(facts.get("candidate", {}))
        self.difference = Estimate(facts.get("difference", {}))
        self.value = self.difference.value
        self.interval = self.difference.interval
        self.p: Optional[float] = facts.get("p")
        self.p_holm: Optional[float] = facts.get("p_holm")
        self.test: str = facts.get("test", "")
        self.verdict: str = facts.get("verdict", "")

    def __repr__(self) -> str:
        return f"<{self.metric} of {self.model} minus {self.against}: {self.difference}{', ' + self.verdict if self.verdict else ''}>"

    def to_dict(self) -> "dict[str, Any]":
        return dict(self._facts)


class Result:
    """What a call has computed: the numbers of the command's JSON, and its renderings."""

    def __init__(self, handle: int):
        self._handle: Optional[Handle] = Handle(handle, "assay_result_free")
        self.status: int = library().assay_result_status(self._handle)
        self._texts: dict[str, bytes] = {}
        self._read()

    def _read(self) -> None:
        """What the JSON says, as attributes."""
        self._json: bytes = self._rendered("json")
        self._facts: dict[str, Any] = json.loads(self._json)

    def _rendered(self, form: str) -> bytes:
        if form not in self._texts:
            self._texts[form] = text_of(checked("assay_result_render", self._handle, form.encode()))
        return self._texts[form]

    # A copy has all renderings, and no object of the library.
    def __reduce__(self) -> Any:
        return _with_texts, (type(self), self.status, {form: self._rendered(form) for form in _FORMS})

    @property
    def schema(self) -> str:
        return str(self._facts.get("schema", ""))

    @property
    def gates(self) -> "list[dict[str, Any]]":
        """Each gate with whether it `passed`."""
        return list(self._facts.get("gates", []))

    @property
    def passed(self) -> bool:
        """All gates hold."""
        return all(gate.get("passed", False) for gate in self.gates)

    @property
    def partial(self) -> bool:
        """Something that should have been measured was not."""
        return self.status == 3

    def to_dict(self) -> "dict[str, Any]":
        """The JSON as Python objects (docs/formats.md)."""
        return json.loads(self._json)  # type: ignore[no-any-return]

    def to_json(self) -> str:
        """Byte for byte what the command prints with --json."""
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
        """One dictionary for each row of the table: what to_pandas() has."""
        raise NotImplementedError

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.records())

    def to_polars(self) -> Any:
        """The table as a polars.DataFrame."""
        import polars

        return polars.DataFrame(self.records())

    def plot(self, recipe: str, format: str = "svg", **options: Any) -> bytes:
        """A picture of it: a recipe of `assay plot`, as "svg", "pdf" or "png".

        Options: models, datasets, metric, x, y, top, width, height (millimetres), font (points), dpi, dark, title.
        """
        return text_of(
            checked("assay_plot", recipe.encode(), self._json, format.encode(), json.dumps(options).encode())
        )

    def save_plot(self, path: "str | os.PathLike[str]", recipe: str, **options: Any) -> None:
        """Saves the plot to a file, in the format of its extension."""
        form = os.fspath(path).rsplit(".", 1)[-1].lower()
        data = self.plot(recipe, form, **options)
        with open(path, "wb") as file:
            file.write(data)

    def _pictures(self) -> "list[str]":
        return []

    def _repr_html_(self) -> str:
        rows = self.records()
        if not rows:
            return f"<pre>{html.escape(str(self))}</pre>"
        columns = [c for c in rows[0] if any(row.get(c) not in (None, "") for row in rows)]
        head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(_shown(row.get(c)))}</td>" for c in columns) + "</tr>" for row in rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>" + "".join(self._pictures())


_FORMS = ("json", "text", "csv", "md", "latex")


def _with_texts(made: "type[Result]", status: int, texts: "dict[str, bytes]") -> Result:
    """A result that was copied or pickled."""
    result = made.__new__(made)
    result._handle = None
    result.status = status
    result._texts = texts
    result._read()
    return result


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _record(m: Measurement) -> "dict[str, Any]":
    return {
        "dataset": m.dataset,
        "model": m.model,
        "subgroup": m.subgroup,
        "metric": m.metric,
        "value": m.value,
        "low": m.interval.low if m.interval else None,
        "high": m.interval.high if m.interval else None,
        "n": m.n,
        "unit": m.unit,
        "definition": m.definition,
        "undefined": m.undefined,
        "note": m.note,
    }


def _own_names(key: "Union[str, tuple[str, ...]]") -> "tuple[str, ...]":
    """The key with our name of its metric, its last part: ("top1",) of "accuracy"."""
    names = (key,) if isinstance(key, str) else tuple(key)
    if not names or not isinstance(names[-1], str):
        return names
    own = library().assay_metric_name(names[-1].encode())
    return (*names[:-1], own.decode())


class Report(Result):
    """Metrics of one or several models: what `assay score` gives.

    report["top1"] is a Measurement, where the report has one model and data set; report["resnet50", "top1"] picks the model,
    report["val", "resnet50", "top1"] the data set, too. Subgroups are picked from `measurements`.
    """

    def _read(self) -> None:
        super()._read()
        self.measurements = [Measurement(facts) for facts in self._facts.get("measurements", [])]

    @property
    def stores(self) -> "list[dict[str, Any]]":
        """What else is known of each: counts, labels per image, classes, confusions, reliability, notes, warnings."""
        return list(self._facts.get("stores", []))

    @property
    def warnings(self) -> "list[str]":
        return [text for store in self.stores for text in store.get("warnings", [])]

    @property
    def notes(self) -> "list[str]":
        return [text for store in self.stores for text in store.get("notes", [])]

    def keys(self) -> "list[str]":
        """Names of the metrics, in order."""
        return list(dict.fromkeys(m.metric for m in self.measurements))

    def __iter__(self) -> Iterator[str]:
        return iter(self.keys())

    def __len__(self) -> int:
        return len(self.measurements)

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and any(m.metric == _own_names((key,))[-1] for m in self.measurements)

    def __getitem__(self, key: "Union[str, tuple[str, ...]]") -> Measurement:
        wanted = _own_names(key)
        found = [
            m
            for m in self.measurements
            if m.subgroup == "" and (m.dataset, m.model, m.metric)[3 - len(wanted):] == wanted
        ] if 1 <= len(wanted) <= 3 else []
        if len(found) == 1:
            return found[0]
        if found:
            which = sorted({f"{m.dataset}/{m.model}" for m in found})
            raise KeyError(f"{key!r} is of {len(found)} models or data sets ({', '.join(which)}): name one")
        raise KeyError(f"no {key!r}; there are {', '.join(self.keys())}")

    def records(self) -> "list[dict[str, Any]]":
        return [_record(m) for m in self.measurements]

    def to_dict_of_values(self) -> "dict[str, float]":
        """{metric: value} of a report of one model, for loggers; undefined ones are omitted."""
        return {m.metric: m.value for m in self.measurements if m.value is not None and m.subgroup == ""}

    def _pictures(self) -> "list[str]":
        if not any(store.get("reliability") for store in self.stores):
            return []
        return [self.plot("reliability").decode()]


class Comparison(Result):
    """A baseline against candidates on the same items: what `assay compare` gives.

    comparison["top1"] is a Difference, where there is one candidate; comparison["v2", "top1"] picks it.
    """

    def _read(self) -> None:
        super()._read()
        self.pairs: list[dict[str, Any]] = list(self._facts.get("pairs", self._facts.get("comparisons", [])))
        self.differences = [Difference(facts, pair) for pair in self.pairs for facts in pair.get("metrics", [])]

    @property
    def warnings(self) -> "list[str]":
        return [text for pair in self.pairs for text in pair.get("warnings", [])]

    def __getitem__(self, key: "Union[str, tuple[str, ...]]") -> Difference:
        wanted = _own_names(key)
        found = [d for d in self.differences if (d.model, d.metric)[2 - len(wanted):] == wanted] if len(wanted) in (1, 2) else []
        if len(found) == 1:
            return found[0]
        if found:
            raise KeyError(f"{key!r} is of {len(found)} candidates ({', '.join(d.model for d in found)}): name one")
        raise KeyError(f"no {key!r}; there are {', '.join(dict.fromkeys(d.metric for d in self.differences))}")

    def records(self) -> "list[dict[str, Any]]":
        return [
            {
                "candidate": d.model,
                "baseline": d.against,
                "metric": d.metric,
                "baseline_value": d.baseline.value,
                "candidate_value": d.candidate.value,
                "difference": d.value,
                "low": d.interval.low if d.interval else None,
                "high": d.interval.high if d.interval else None,
                "p": d.p,
                "p_holm": d.p_holm,
                "test": d.test,
                "verdict": d.verdict,
            }
            for d in self.differences
        ]


class Gap(Result):
    """How far models fall from one data set to another: what `assay gap` gives."""

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
        return [{key: _number(value) for key, value in row.items()} for row in rows]


def _number(text: Optional[str]) -> Any:
    if text is None or text == "":
        return None
    try:
        return int(text)
    except ValueError:
        pass
    try:
        return float(text)
    except ValueError:
        return text


def metrics() -> "list[dict[str, Any]]":
    """The metrics there are, with their definitions and parameters."""
    table = json.loads(text_of(checked("assay_metric_table")))
    return table if isinstance(table, list) else list(table.get("metrics", []))


__all__ = ["Comparison", "Difference", "Estimate", "Gap", "Interval", "Measurement", "Report", "Result", "metrics", "encoded"]
