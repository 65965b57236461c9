"""Results as pages of a notebook: tables and plots in one piece of HTML, without scripts or other files."""

from __future__ import annotations

import hashlib
import html
import re
from typing import TYPE_CHECKING, Any

from ._estimates import Estimate
from ._library import Error

if TYPE_CHECKING:
    from .report import Report, Result

_NAMES = re.compile(r'(\bid="|href="#|url\(#)')
_MOST_SCORES = 200_000_000  # items x classes, which take a second or two to read again
_MOST_CLASSES = 20  # classes of a matrix, which then needs about 300 kB


def _cell(text: Any, number: bool = False) -> str:
    return f'<td style="text-align: {"right" if number else "left"}">{html.escape(str(text))}</td>'


def table(title: str, columns: "list[str]", rows: "list[list[Any]]") -> str:
    """A table with a caption, and headings that screen readers read out with each cell."""
    head = "".join(f'<th scope="col" style="text-align: left">{html.escape(name)}</th>' for name in columns)
    body = "".join(
        f'<tr><th scope="row" style="text-align: left">{html.escape(str(row[0]))}</th>'
        + "".join(_cell(value, isinstance(value, (_Number, int))) for value in row[1:]) + "</tr>"
        for row in rows
    )
    caption = f'<caption style="text-align: left">{html.escape(title)}</caption>'
    return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class _Number(str):
    """A text that is aligned to the right."""


def percent(value: Any) -> _Number:
    return _Number("" if value is None else f"{100 * value:.1f} %")


def interval_text(estimate: Estimate) -> _Number:
    if estimate.value is None:
        return _Number(f"undefined: {estimate.undefined}")
    proportion = estimate.unit == "proportion"
    def text(value: float) -> str:
        return f"{100 * value:.1f}" if proportion else f"{value:.3f}"
    found = estimate.interval
    between = f" ({100 * found.level:g} % CI {text(found.low)} to {text(found.high)})" if found else ""
    return _Number(text(estimate.value) + (" %" if proportion else "") + between)


def list_of(title: str, lines: "list[str]") -> str:
    return f"<p>{html.escape(title)}</p><ul>" + "".join(f"<li>{html.escape(line)}</li>" for line in lines) + "</ul>" if lines else ""


def inline(svg: bytes, label: str) -> str:
    """A plot as part of a page. Its names (ids of SVG elements) begin with a hash of the plot. Otherwise a second plot would use
    the glyphs of the first one."""
    text = svg.decode()
    text = text[text.index("<svg"):]
    own = f"a{hashlib.sha256(svg).hexdigest()[:10]}-"
    # Only replaces inside tags, because the text between tags has names of classes and models.
    text = re.sub(r"<[^>]*>", lambda tag: _NAMES.sub(lambda found: found[0] + own, tag[0]), text)
    style = "display: inline-block; max-width: 100%; height: auto; margin: 0.5em 1em 0.5em 0; vertical-align: top"
    return text.replace("<svg", f'<svg role="img" aria-label="{html.escape(label)}" style="{style}"', 1)


def pictures(result: "Result", wanted: "dict[str, str]") -> str:
    """The plots of these recipes, with what each shows. A plot that the result does not support is omitted."""
    parts = []
    for recipe, label in wanted.items():
        try:
            options: "dict[str, Any]" = {"top": _MOST_CLASSES} if recipe == "confusion_matrix" else {}
            parts.append(inline(result.plot(recipe, **options), label))
        except Error:  # no labels, no probabilities, scores that have changed, too many models to distinguish
            continue
    return f"<div>{''.join(parts)}</div>" if parts else ""


def pictures_of(report: "Report") -> "dict[str, str]":
    """Which plots a report of scores has. Those of single classes only for one model, and all only if the scores are read quickly."""
    counts = [store["counts"] for store in report.stores if "counts" in store]
    if (counts and all(one["unlabelled"] >= one["items"] for one in counts)) or report._facts.get("labelled") == 0:
        return {}
    several = len({(m.model, m.dataset) for m in report.measurements}) > 1
    found = {"scores": "each model with its interval"} if several else {}
    if report._is_weighted() or (report._scores_to_read > _MOST_SCORES and not report._is_detailed()):
        return found
    found["reliability"] = "accuracy by confidence"
    if not several:
        found["confusion_matrix"] = "labels by predictions, as counts"
    return found


def page_of(report: "Report") -> str:
    """Metrics in a table, plots, warnings and notes."""
    several = len({(m.model, m.dataset) for m in report.measurements}) > 1
    groups = any(m.subgroup for m in report.measurements)
    levels = {m.interval.level for m in report.measurements if m.interval}
    interval = f"{100 * levels.pop():g} % CI" if len(levels) == 1 else "interval"
    rows = []
    for m in report.measurements:
        value = _Number(f"undefined: {m.undefined}" if m.value is None else _value(m, m.value))
        between = _Number(f"{_value(m, m.interval.low)} to {_value(m, m.interval.high)}" if m.interval else "")
        rows.append([m.metric, *([m.model, m.dataset] if several else []), *([m.subgroup] if groups else []), value, between, m.n, m.definition])
    columns = ["metric", *(["model", "data set"] if several else []), *(["subgroup"] if groups else []), "value", interval, "images", "definition"]
    whose = "" if several or not report.measurements else f"{report.measurements[0].model} on {report.measurements[0].dataset}"
    parts = [table(whose or "Metrics", columns, rows), pictures(report, report._pictures())]
    parts.append(list_of("Warnings", report.warnings))
    parts.append(list_of("Gates", [f"{gate.get('gate', '')}: {'holds' if gate.get('passed') else 'fails'}" for gate in report.gates]))
    notes = list_of("", report.notes)
    if notes:
        parts.append(f"<details><summary>Notes</summary>{notes}</details>")
    return "".join(parts)


def _value(m: Estimate, value: float) -> str:
    """With as many digits as the width of the interval justifies."""
    percent_sign = m.unit == "proportion"
    scale = 100 if percent_sign else 1
    half = (m.interval.high - m.interval.low) / 2 * scale if m.interval else 0.0
    digits = 1 if percent_sign else 3
    while 0 < half < 2 * 10.0**-digits and digits < 6:
        digits += 1
    return f"{value * scale:.{digits}f}" + (" %" if percent_sign else "")


__all__ = ["inline", "interval_text", "list_of", "page_of", "percent", "pictures", "pictures_of", "table"]
