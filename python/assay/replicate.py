"""How much of a replication's accuracy gap is selection bias: the steps of `assay replicate`.

Tables are paths, pandas or polars DataFrames, or lists of dictionaries, in the columns of docs/replication.md. Options are those of the
command (level=0.9, bootstrap=200, method="pl", ...); results are its JSON.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._given_files import Files
from .command import called

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._command_options import AdjustOptions, MatchOptions, PlanOptions


def adjust(original: Any, replication: Any, *, hits: Any = None, **options: "Unpack[AdjustOptions]") -> Any:
    """Adjusts accuracies for the selection, and splits the gap. hits: (on the original, on the replication): tables, or folders
    of stores."""
    with Files() as files:
        words = [files.path_of(original), files.path_of(replication)]
        if hits is not None:
            words += ["--hits", *[files.path_of(table_) for table_ in hits]]
        return called("replicate adjust", *words, **options)


def match(reference: Any, candidates: Any, **options: "Unpack[MatchOptions]") -> Any:
    """Chooses candidates whose selection frequencies match a reference."""
    with Files() as files:
        return called("replicate match", files.path_of(reference), files.path_of(candidates), **options)


def plan(original: Any, replication: Any, *, hits: Any = None, **options: "Unpack[PlanOptions]") -> Any:
    """Plans the number of annotators and images for an interval of a wanted width."""
    with Files() as files:
        words = [files.path_of(original), files.path_of(replication)]
        if hits is not None:
            words += ["--hits", *[files.path_of(table_) for table_ in hits]]
        return called("replicate plan", *words, **options)


__all__ = ["adjust", "match", "plan"]
