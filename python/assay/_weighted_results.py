"""Comparisons with sample_weight=: those of items that count the same, with the differences of _weighted.py."""

from __future__ import annotations

import csv
import html
import io
import json
from typing import Any, Callable, Optional, Sequence

from . import _influences, _weighted
from ._estimates import Estimate, number_text
from ._library import Error
from .report import Comparison, Report, _with_texts

_PAIR = (
    "baseline,candidate,dataset,metric,definition,baseline_value,candidate_value,difference,low,high,level,method,p,p_holm,test,n,undefined,"
    "candidate_dataset,verdict,subgroup"
).split(",")
_WEIGHTED = ("value", "interval", "note", "standard_error", "undefined", "n", "parameters")  # of an estimate
_ELSEWHERE = "differences are known for fewer metrics than values"


def _most(facts: "list[dict[str, Any]]") -> int:
    return max([int(one.get("parameters", {}).get("k", 1)) for one in facts] or [1])


def _kept(facts: "list[dict[str, Any]]", named: bool) -> "tuple[list[dict[str, Any]], list[str]]":
    """The metrics that have a meaning under weights, and the names of the others. Refuses those that were asked for by name."""
    kept = [one for one in facts if _weighted.has(one["metric"])]
    others = list(dict.fromkeys(one["metric"] for one in facts if not _weighted.has(one["metric"])))
    if named and others:
        raise Error(f"sample_weight: {', '.join(others)} is not compared with weights ({_ELSEWHERE}); these are: {_weighted.known()}")
    if not kept:
        raise Error(f"sample_weight: no metric is left; these take weights: {_weighted.known()}")
    return kept, others


def _found(facts: "dict[str, Any]", items: Any) -> "tuple[Optional[_influences.Found], str]":
    if facts.get("value") is None:
        return None, str(facts.get("undefined", ""))
    try:
        return _weighted.found_of(facts, items), ""
    except _influences.Undefined as error:
        return None, str(error)


def _note(items: Any, store: Any) -> str:
    effective = 1 / _influences.dot(items.weights, items.weights)
    return f"{len(items.weights):,} of {len(store):,} items count, by sample_weight; they are worth {effective:,.1f} items that count the same"


def _key(facts: "dict[str, Any]") -> "tuple[str, str]":
    parameters = {name: value for name, value in facts.get("parameters", {}).items() if name != "sample_weight"}
    return facts["definition"], json.dumps(parameters, sort_keys=True)


def weighted_comparison(
    plain: Comparison, stores: "Sequence[Any]", alone: "Sequence[Report]", weight: Any, level: float, named: bool,
) -> Comparison:
    """The comparison of the first store with the others. Differences are paired: of each item, how it moves both values.

    alone: the weighted report of each store."""
    import numpy

    ids = stores[0].ids
    if any(store.ids != ids for store in stores[1:]):
        raise Error("sample_weight: the stores have other items, or the same in another order; one order is needed, that of the weights", "bad_input")
    facts = plain.to_dict()
    for pair in facts["pairs"]:
        pair["metrics"], others = _kept(pair["metrics"], named)
        pair["notes"] = [f"not compared with weights: {', '.join(others)} ({_ELSEWHERE})"] if others else []
        pair.pop("predictions", None)
        pair["disagreements"] = []
    most = _most([side for pair in facts["pairs"] for one in pair["metrics"] for side in (one["baseline"],)])
    weights = _weighted.weights_of(weight, len(stores[0]))
    sides = [_weighted.items_of(store, weights, most) for store in stores]
    if any(not numpy.array_equal(side.rows, sides[0].rows) for side in sides):
        raise Error("sample_weight: some items have scores of one classifier only", "bad_input")
    own = [{_key(one): one for one in report.to_dict()["measurements"]} for report in alone]
    for place, pair in enumerate(facts["pairs"]):
        pair["notes"].insert(0, _note(sides[0], stores[0]))
        judged = [bool(one.get("verdict")) for one in pair["metrics"]]  # some metrics, such as confidence, have no better direction and no verdict
        pair["metrics"] = [_difference(one, sides[0], sides[place + 1], (own[0], own[place + 1]), level) for one in pair["metrics"]]
        for one, known in zip(pair["metrics"], judged):
            one["verdict"] = "no difference shown" if known else ""
    _holm(facts["pairs"], level)
    notes = list(dict.fromkeys(note for pair in facts["pairs"] for note in pair["notes"]))
    columns = ["candidate", "metric", "baseline", "candidate's", "difference", "interval", "p", "p (Holm)", "candidate is"]
    rows, records = [], []
    for pair in facts["pairs"]:
        for one in pair["metrics"]:
            difference = Estimate(one["difference"])
            rows.append([
                pair["candidate"], _cells(one["metric"], difference)[0],
                *(str(_measurement(one[side])).removesuffix(" %") for side in ("baseline", "candidate")),
                *_cells("", difference)[1:], *(_p(one.get(name)) for name in ("p", "p_holm")), one.get("verdict", ""),
            ])
            records.append(_pair_record(pair, one, difference))
    title = f"compared with {facts['pairs'][0]['baseline']} on {facts['pairs'][0]['dataset']}" if facts["pairs"] else ""
    return _with_texts(Comparison, plain.status, _forms(facts, title, columns, rows, notes, _PAIR, records))  # type: ignore[return-value]


def _difference(one: "dict[str, Any]", first: Any, second: Any, own: "tuple[dict[Any, Any], ...]", level: float) -> "dict[str, Any]":
    out = {name: one[name] for name in ("definition", "higher_is_better", "metric")}
    both = [_found(one[name], side) for name, side in (("baseline", first), ("candidate", second))]
    for name, side in zip(("baseline", "candidate"), own):
        weighted = side[_key(one[name])]
        out[name] = {key: value for key, value in one[name].items() if key not in _WEIGHTED}
        out[name].update({key: weighted[key] for key in _WEIGHTED if key in weighted})
    difference: "dict[str, Any]" = {"n": len(first.weights), "unit": one["difference"].get("unit", "number"), "value": None}
    out["difference"] = difference
    (a, why_a), (b, why_b) = both
    if a is None or b is None:
        difference["undefined"] = why_a or why_b
        return out
    spread = _influences.spread_of(first, a, b)
    difference["value"] = b.value - a.value
    if 1 / _influences.dot(first.weights, first.weights) < _weighted.FEW or a.note or b.note:
        difference["note"] = a.note or b.note or out["baseline"].get("note", "")
        return out
    difference["standard_error"] = spread.error
    if spread.error == 0:  # each item influences both values equally
        out["p"], out["test"] = float(difference["value"] == 0), "influence.t"
    else:
        half = _influences.student((1 + level) / 2, spread.degrees) * spread.error
        # Each value may be too high because of noise.
        low, high = difference["value"] - half - b.noise, difference["value"] + half + a.noise
        difference["interval"] = {"low": low, "high": high, "level": level, "method": "influence.t.paired"}
        beyond = max(difference["value"] - b.noise, 0.0) if difference["value"] > 0 else min(difference["value"] + a.noise, 0.0)
        out["p"] = _influences.tail(beyond / spread.error, spread.degrees)
        out["test"] = "influence.t"
    return out


def _holm(pairs: "list[dict[str, Any]]", level: float) -> None:
    """Holm's correction over the candidates, metric by metric, and what follows from it."""
    for place in range(max((len(pair["metrics"]) for pair in pairs), default=0)):
        tested = sorted((pair["metrics"][place] for pair in pairs if "p" in pair["metrics"][place]), key=lambda one: float(one["p"]))
        least = 0.0
        for rank, one in enumerate(tested):
            least = one["p_holm"] = max(least, min(1.0, one["p"] * (len(tested) - rank)))
            if one["verdict"] and one["p_holm"] < 1 - level:
                one["verdict"] = "better" if (one["difference"]["value"] > 0) == one["higher_is_better"] else "worse"


def _measurement(facts: "dict[str, Any]") -> Any:
    from ._estimates import Measurement

    return Measurement(facts)


def _cells(name: str, m: Estimate) -> "list[str]":
    """The metric, its value, and both ends of the interval."""
    between = f"{number_text(m, m.interval.low)} – {number_text(m, m.interval.high)}" if m.interval else ""
    return [f"{name} %" if m.unit == "proportion" else name, str(m) if m.value is None else number_text(m, m.value), between]


def _p(value: Optional[float]) -> str:
    return "" if value is None else "< 1e-6" if value < 1e-6 else f"{value:.3f}"


def _parts(facts: "dict[str, Any]") -> "dict[str, Any]":
    found = facts.get("interval") or {}
    return {name: found.get(name) for name in ("low", "high", "level", "method")}


def _pair_record(pair: "dict[str, Any]", one: "dict[str, Any]", difference: Estimate) -> "dict[str, Any]":
    return {
        **{name: pair.get(name) for name in ("baseline", "candidate", "dataset", "candidate_dataset")}, **_parts(one["difference"]),
        **{name: one.get(name) for name in ("metric", "definition", "p", "p_holm", "test", "verdict")},
        "baseline_value": one["baseline"]["value"], "candidate_value": one["candidate"]["value"], "difference": difference.value,
        "n": difference.n, "undefined": difference.undefined or None,
    }


def _forms(
    facts: "dict[str, Any]", title: str, columns: "list[str]", rows: "list[list[str]]", notes: "list[str]", names: "list[str]",
    records: "list[dict[str, Any]]",
) -> "dict[str, bytes]":
    """The result in each format: the one table and its notes."""
    texts = {
        "json": json.dumps(facts, ensure_ascii=False, sort_keys=True),
        "text": _lines([columns, *rows], "  ", title, notes),
        "md": _marked(title, columns, rows, notes),
        "latex": _latex(title, columns, rows),
        "csv": _csv(names, records),
    }
    return {form: (text.rstrip("\n") + "\n").encode() for form, text in texts.items()}


def _lines(table: "list[list[str]]", between: str, title: str, notes: "list[str]") -> str:
    widths = [max(len(row[c]) for row in table) for c in range(len(table[0]))]
    lines = [between.join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in table]
    return "\n".join([*([title] if title else []), lines[0], "─" * max(map(len, lines)), *lines[1:], *notes])


def _marked(title: str, columns: "list[str]", rows: "list[list[str]]", notes: "list[str]") -> str:
    def cell(text: str) -> str:
        return html.escape(text, quote=False).replace("\\", "\\\\").replace("|", "\\|").replace("_", "\\_").replace("*", "\\*")

    lines = ["| " + " | ".join(map(cell, row)) + " |" for row in [columns, *rows]]
    lines.insert(1, "|" + " --- |" * len(columns))
    return "\n".join([*([f"**{cell(title)}**", ""] if title else []), *lines, "", *(f"- {cell(note)}" for note in notes)])


def _latex(title: str, columns: "list[str]", rows: "list[list[str]]") -> str:
    special = {
        "\\": r"\textbackslash{}", "±": r"$\pm$", "–": "--", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": "$<$", ">": "$>$",
        **{sign: "\\" + sign for sign in "&%$#_{}"},
    }

    def cell(text: str) -> str:
        return "".join(special.get(letter, letter) for letter in text)

    lines = [" & ".join(map(cell, row)) + r" \\" for row in [columns, *rows]]
    comment = [f"% {' '.join(title.split())}"] if title else []
    return "\n".join([
        *comment, rf"\begin{{tabular}}{{{'l' * len(columns)}}}", r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}",
    ])


def _csv(names: "list[str]", records: "list[dict[str, Any]]") -> str:
    shown: "Callable[[Any], str]" = lambda value: "" if value is None else repr(float(value)) if isinstance(value, float) else str(value)  # noqa: E731
    file = io.StringIO()
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(names)
    writer.writerows([shown(record.get(name)) for name in names] for record in records)
    return file.getvalue()


__all__ = ["weighted_comparison"]
