"""Training methods over several runs: assay.compare(methods=...), as `assay compare --method`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Iterator

from ._calls import Progress, call
from ._estimates import Estimate
from ._library import Error, checked
from ._options import text_of_options
from .report import Result
from .store import Store


class MethodComparison(Result, Mapping[str, Estimate]):
    """Training methods over several runs: the result of `assay compare --method`.

    comparison["new"] is the difference of the method `new` from the first one: an Estimate with the interval for new training runs
    on new images. Other keys of the JSON `assay.methods/1` are in to_dict().
    """

    def _read(self) -> None:
        super()._read()
        self.differences: "list[dict[str, Any]]" = list(self._facts.get("differences", []))

    @property
    def methods(self) -> "list[dict[str, Any]]":
        """For each method: its expected accuracy and the standard deviation of its runs. The first is the baseline."""
        return list(self._facts.get("methods", []))

    @property
    def runs(self) -> "list[dict[str, Any]]":
        """For each training run: its method, seed, store and accuracy."""
        return list(self._facts.get("runs", []))

    @property
    def notes(self) -> "list[str]":
        return list(self._facts.get("notes", []))

    @property
    def warnings(self) -> "list[str]":
        return list(self._facts.get("warnings", []))

    def __iter__(self) -> "Iterator[str]":
        return iter([one["candidate"] for one in self.differences])

    def __len__(self) -> int:
        return len(self.differences)

    def __getitem__(self, key: str) -> Estimate:
        for one in self.differences:
            if one["candidate"] == key:
                return Estimate(one["difference"])
        raise KeyError(f"no {key!r}; there are {', '.join(self)}, each compared with {self.methods[0]['method']}")

    def __repr__(self) -> str:
        return f"<MethodComparison with {self.methods[0]['method']}: {', '.join(f'{name} {self[name]}' for name in self)}>"

    def records(self) -> "list[dict[str, Any]]":
        """One dictionary for each difference, with the columns of the csv."""
        def ends(one: "dict[str, Any]", name: str) -> "tuple[Any, Any]":
            interval = one[name].get("interval") or {}
            return interval.get("low"), interval.get("high")

        rows = []
        for one in self.differences:
            (low, high), (these_low, these_high), (next_low, next_high) = (ends(one, name) for name in ("difference", "these_runs", "next_run"))
            rows.append({
                "baseline": one["baseline"], "candidate": one["candidate"], "paired": one["paired"], "difference": one["difference"].get("value"),
                "low": low, "high": high, "these_runs_low": these_low, "these_runs_high": these_high, "next_run_low": next_low,
                "next_run_high": next_high, "from_runs": one["from_runs"], "runs_needed": one.get("runs_needed"),
            })
        return rows


def _place(name: str, one: Any) -> str:
    """The path of the store of a training run."""
    if isinstance(one, Store) and one.path is not None:
        return os.path.abspath(one.path)
    if isinstance(one, (str, os.PathLike)):
        return os.path.abspath(os.fspath(one))
    raise Error(
        f"methods: {one!r} of `{name}` is no store on disk; allowed: a Store or a path. Save the scores of each run first: assay.StoreWriter(...)"
    )


def seeds_of(paths: "list[str]") -> "list[str]":
    """The parts in which these paths differ: the texts that a wildcard would match. No number is cut in two."""
    if len(paths) < 2:
        return [os.path.basename(path) for path in paths]
    start = os.path.commonprefix(paths)
    rest = [path[len(start.rstrip("0123456789")):] for path in paths]
    end = os.path.commonprefix([text[::-1] for text in rest]).rstrip("0123456789")
    return [text[: len(text) - len(end)] for text in rest]


def _given(name: Any, value: Any) -> "dict[str, Any]":
    """A method as the library reads it."""
    if not isinstance(name, str) or not name or "=" in name:
        raise Error(f"methods: {name!r} cannot name a method; allowed: a text without =")
    if isinstance(value, (str, os.PathLike)):
        return {"name": name, "pattern": os.fspath(value)}
    if isinstance(value, Mapping):
        runs = [(str(seed), _place(name, one)) for seed, one in value.items()]
    elif isinstance(value, (list, tuple)):
        places = [_place(name, one) for one in value]
        if len({os.path.realpath(place) for place in places}) < len(places):
            raise Error(f"methods: `{name}` names a store twice; remove one of them")
        runs = list(zip(seeds_of(places), places))
    else:
        raise Error(
            f"methods: `{name}` is {type(value).__name__}; allowed: a pattern such as 'runs/val/old-seed*', a list of stores or paths, or "
            "{seed: store}"
        )
    return {"name": name, "stores": [{"run": seed, "store": place} for seed, place in runs]}


def compare_methods(methods: "Mapping[str, Any]", options: "dict[str, Any]", progress: Progress) -> MethodComparison:
    """options: within, labels, level, threads."""
    if not isinstance(methods, Mapping):
        raise Error(f"methods is {type(methods).__name__}; allowed: a dictionary such as {{'old': 'runs/val/old-seed*', 'new': 'runs/val/new-seed*'}}")
    text = text_of_options({"methods": [_given(name, value) for name, value in methods.items()], **{k: v for k, v in options.items() if v is not None}}, "compare()")
    return MethodComparison(call(lambda watched: checked("assay_compare", None, 0, None, text, watched), progress))


__all__ = ["MethodComparison", "compare_methods"]
