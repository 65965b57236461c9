"""Results as rows of tables, with one dictionary per row."""

from __future__ import annotations

from typing import Any, Optional

from ._estimates import Difference, Measurement


def cell_text(value: Any) -> str:
    """A cell of a page."""
    if value is None:
        return ""
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def row_of(m: Measurement) -> "dict[str, Any]":
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


def difference_row(d: Difference) -> "dict[str, Any]":
    return {
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


def cell_of(text: Optional[str]) -> Any:
    """A cell of a csv file, as a number if it is one; None if it is empty."""
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
