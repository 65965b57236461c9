"""Numbers with intervals: floats that know their definition, unit and uncertainty."""

from __future__ import annotations

import numbers
from typing import Any, NamedTuple, Optional, TypeVar

_Own = TypeVar("_Own", bound="Estimate")


class Interval(NamedTuple):
    """An interval: both ends, the level, and the method."""

    low: float
    high: float
    level: float = 0.95
    method: str = ""

    def __contains__(self, value: object) -> bool:
        return isinstance(value, numbers.Real) and self.low <= float(value) <= self.high


def number_text(of: "Estimate", number: float) -> str:
    """A number in the unit of an estimate (proportions in percent), with as many digits as the width of its interval needs."""
    percent = of.unit == "proportion"
    scale, digits = (100, 1) if percent else (1, 3)
    half = (of.interval.high - of.interval.low) / 2 * scale if of.interval else 0.0
    while 0 < half < 2 * 10.0**-digits and digits < 6:
        digits += 1
    return f"{number * scale:.{digits}f}"


class Estimate(float):
    """A number with its uncertainty: a float that also has an interval.

    Compare it, round it, format it (f"{m:.3f}"), and give it to loggers: it is `value`, or nan if it is undefined. `value` is then None, and
    `undefined` says why. str() shows the interval, too.
    """

    def __new__(cls: "type[_Own]", facts: "dict[str, Any]", *_more: Any) -> "_Own":
        found = facts.get("value")
        return super().__new__(cls, float("nan") if found is None else found)

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

    def __str__(self) -> str:
        if self.value is None:
            return f"undefined: {self.undefined}"
        text, sign = number_text(self, self.value), " %" if self.unit == "proportion" else ""
        if not self.interval:
            return text + sign
        sides = {number_text(self, abs(end - self.value)) for end in self.interval[:2]}
        if len(sides) == 1:
            return f"{text} ±{sides.pop()}{sign}"
        return f"{text} ({number_text(self, self.interval.low)} – {number_text(self, self.interval.high)}){sign}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __reduce__(self) -> Any:
        return type(self), (self._facts,)

    def to_dict(self) -> "dict[str, Any]":
        """The fields of the JSON."""
        return dict(self._facts)


class Measurement(Estimate):
    """A metric of one model on one data set, with one definition."""

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


class Difference(Estimate):
    """One metric of two models on the same items: a float, the candidate's value minus the baseline's, and both values."""

    def __new__(cls: "type[_Own]", facts: "dict[str, Any]", *_more: Any) -> "_Own":
        return Estimate.__new__(cls, facts.get("difference", {}))

    def __init__(self, facts: "dict[str, Any]", pair: "dict[str, Any]"):
        super().__init__(facts.get("difference", {}))
        self._whole, self._pair = facts, pair
        self.metric: str = facts.get("metric", "")
        self.model: str = pair.get("candidate", "")
        self.against: str = pair.get("baseline", "")
        self.baseline = Measurement(facts.get("baseline", {}))
        self.candidate = Measurement(facts.get("candidate", {}))
        self.difference = Estimate(facts.get("difference", {}))
        self.p: Optional[float] = facts.get("p")
        self.p_holm: Optional[float] = facts.get("p_holm")
        self.test: str = facts.get("test", "")
        self.verdict: str = facts.get("verdict", "")

    def __reduce__(self) -> Any:
        return type(self), (self._whole, self._pair)

    def __repr__(self) -> str:
        return f"<{self.metric} of {self.model} minus {self.against}: {self.difference}{', ' + self.verdict if self.verdict else ''}>"

    def to_dict(self) -> "dict[str, Any]":
        return dict(self._whole)


__all__ = ["Difference", "Estimate", "Interval", "Measurement", "number_text"]
