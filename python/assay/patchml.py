"""Composites with a known number of objects: `assay patchml`."""

from __future__ import annotations

from typing import Any

from .command import table


def compose(data: Any, boxes: Any, out: Any, **options: Any) -> Any:
    """Makes data sets of composites below `out`. Options are those of the command (counts, images, seeds, ...). Returns its
    JSON."""
    return table("patchml", "--data", data, "--boxes", boxes, "--out", out, **options)


__all__ = ["compose"]
