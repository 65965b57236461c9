"""Labels from annotators' votes: `assay labels`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._given_files import Files
from .command import called

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._command_options import AggregateOptions, ProposeOptions


def aggregate(votes: Any, **options: "Unpack[AggregateOptions]") -> Any:
    """Combines votes (a path, a DataFrame, a list of dictionaries; columns as in docs/multilabel.md) into label sets.

    options: method ("dawid-skene", "majority", "weighted"), threshold, out (a file of label sets), against, annotators, ... Returns the JSON
    of `assay labels aggregate`.
    """
    with Files() as files:
        return called("labels aggregate", files.path_of(votes), **options)


def propose(stores: Any, **options: "Unpack[ProposeOptions]") -> Any:
    """Proposes questions about the images of stores: the JSON of `assay labels propose`."""
    paths = stores if isinstance(stores, (list, tuple)) else [stores]
    return called("labels propose", *[getattr(path, "path", path) for path in paths], **options)


__all__ = ["aggregate", "propose"]
