"""Names of measurements in a report: the key of each, and the measurements that a key selects."""

from __future__ import annotations

import collections
from collections.abc import Sequence
from typing import Tuple, Union

from ._estimates import Measurement

# A key is a metric's name, (model, name), or (data set, model, name).
Key = Union[str, Tuple[str, ...]]


def _names(measurements: "Sequence[Measurement]") -> "dict[tuple[str, str, tuple[tuple[str, str], ...]], str]":
    """The name of each metric, with its definition and parameters if they are needed to make it unique."""
    ways = list(dict.fromkeys((m.metric, m.definition, tuple(sorted(m.parameters.items()))) for m in measurements))
    by_metric = collections.Counter(way[0] for way in ways)
    by_definition = collections.Counter(way[:2] for way in ways)
    names = {}
    for way in ways:
        metric, definition, parameters = way
        if by_metric[metric] == 1:
            names[way] = metric
        elif by_definition[metric, definition] == 1:
            names[way] = definition
        else:  # add the parameters that differ to the name
            others = [dict(other[2]) for other in ways if other[:2] == way[:2]]
            differ = [f"{key}={value}" for key, value in parameters if any(other.get(key) != value for other in others)]
            names[way] = f"{metric}:{','.join(differ)}"
    return names


def keyed(measurements: "Sequence[Measurement]") -> "dict[Key, Measurement]":
    """Each measurement by its key: the metric's name, after the model and the data set if there are several."""
    names = _names(measurements)
    several_models = len({m.model for m in measurements}) > 1
    several_sets = len({m.dataset for m in measurements}) > 1
    out: "dict[Key, Measurement]" = {}
    for m in measurements:
        name = names[m.metric, m.definition, tuple(sorted(m.parameters.items()))]
        out[(m.dataset, m.model, name) if several_sets else (m.model, name) if several_models else name] = m
    return out


def _means(name: str, m: Measurement) -> bool:
    metric, _, rest = name.partition(":")
    if rest:
        pieces = dict(piece.split("=", 1) for piece in rest.split(",") if "=" in piece)
        return metric == m.metric and pieces.items() <= m.parameters.items()
    return name == m.metric or m.definition == name or m.definition.startswith(name + ".")


def matching(measurements: "Sequence[Measurement]", names: "tuple[str, ...]", group: str = "") -> "list[Measurement]":
    """The measurements of the group that the key can select, with Assay's name of the metric. A metric's own name takes precedence
    over the prefix of a definition."""
    if not 1 <= len(names) <= 3 or not all(isinstance(name, str) for name in names):
        return []
    *place, name = names
    those = [m for m in measurements if m.subgroup == group and (m.dataset, m.model)[2 - len(place):] == tuple(place)]
    return [m for m in those if m.metric == name] or [m for m in those if _means(name, m)]


__all__ = ["Key", "keyed", "matching"]
