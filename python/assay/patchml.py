"""Composites with a known number of objects: `assay patchml`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .command import called

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._command_options import ComposeOptions


def compose(data: Any, boxes: Any, out: Any, **options: "Unpack[ComposeOptions]") -> Any:
    """Makes data sets of composites below `out`. Options are those of the command (counts, images, seeds, ...). Returns its
    JSON."""
    return called("patchml", "--data", data, "--boxes", boxes, "--out", out, **options)


__all__ = ["compose"]
