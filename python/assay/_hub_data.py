"""Columns of a datasets.Dataset (Hugging Face), read as they are stored: no image is decoded for its name or its label."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any, Optional

from ._library import Error


def columns_of(data: Any, needs_image: bool = True) -> "tuple[str, str]":
    """The columns of a datasets.Dataset with the image and its class."""
    kinds = {name: type(feature).__name__ for name, feature in data.features.items()}
    images = [name for name, kind in kinds.items() if kind == "Image"]
    labels = [name for name, kind in kinds.items() if kind == "ClassLabel"]
    listed = ", ".join(f"{name} ({kind})" for name, kind in kinds.items())
    for wanted, found in (("Image", images), ("ClassLabel", labels)):
        if len(found) > 1:
            raise Error(f"the data set has several columns of the type {wanted} ({', '.join(found)}): keep one, data.select_columns([...])")
    if not images and needs_image:
        raise Error(f"the data set has no column of the type Image; it has {listed}: data.cast_column(\"...\", datasets.Image()) makes one")
    return images[0] if images else "", labels[0] if labels else ""


def parts_of(data: Any, column: str) -> "Iterator[Any]":
    """A column as it is stored, some rows at a time."""
    for part in data.select_columns([column]).with_format("arrow").iter(256):
        yield part.column(column)


def file_names(data: Any, column: str, count: int) -> "Optional[list[str]]":
    """The file names, if each image has one; the images are not decoded."""
    from importlib import import_module

    field = import_module("pyarrow.compute").struct_field
    names: "list[str]" = []
    for part in parts_of(data, column):
        names += [os.path.basename(path) if path else "" for path in field(part, "path").to_pylist()]
    return names if len(set(names)) == count and all(names) else None


__all__ = ["columns_of", "file_names", "parts_of"]
