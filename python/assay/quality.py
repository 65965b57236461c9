"""Nine quality dimensions, QUBA and what follows from them: `assay quality`."""

from __future__ import annotations

from typing import Any

from .command import Files, run, words


def _step(name: str, source: Any, options: "dict[str, Any]") -> Any:
    with Files() as files:
        given = ["published" if source is None else files.path_of(source)]
        return run("quality", name, *given, *words(options), "--json").json


def table(source: Any = None, **options: Any) -> Any:
    """The scores (QUBA) of a table of models and dimensions: a csv or JSON file, a DataFrame; None: the 326 published classifiers."""
    return _step("score", source, options)


def measure(runs: Any, **options: Any) -> Any:
    """The dimensions that can be measured from the stores below `runs`."""
    return run("quality", "measure", runs, *words(options), "--json").json


def correlate(source: Any = None, **options: Any) -> Any:
    """Rank correlations of the dimensions over models."""
    return _step("correlate", source, options)


def choose(source: Any = None, **options: Any) -> Any:
    """Which model suits given weights or needs."""
    return _step("choose", source, options)


__all__ = ["choose", "correlate", "measure", "table"]
