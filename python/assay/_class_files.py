"""Writes classes= to a file if its names are in memory, for calls in which the program reads the images."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Iterator
from typing import Any

from ._arrays import class_options


@contextlib.contextmanager
def with_class_file(options: "dict[str, Any]") -> "Iterator[dict[str, Any]]":
    """The options with a file in place of a list of class names or {id: name}. The file exists as long as the context; stores keep the names."""
    classes = options.get("classes")
    if classes is None or isinstance(classes, (str, os.PathLike)):
        yield options
        return
    listed = class_options(classes)
    if isinstance(listed, dict):
        counted = listed["ids"] == [str(i) for i in range(len(listed["ids"]))]  # consecutive numbers are not ids; files are read the same way
        listed = listed["names"] if counted else list(zip(listed["ids"], listed["names"]))
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        path = os.path.join(folder, "classes.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(listed, file)
        yield {**options, "classes": path}


__all__ = ["with_class_file"]
