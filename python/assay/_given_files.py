"""Files for what a caller gives as an object: a list of texts, a DataFrame, rows."""

from __future__ import annotations

import os
from typing import Any, Sequence

from ._library import Error


class Files:
    """A temporary folder for files that a command reads."""

    def __init__(self) -> None:
        import tempfile

        self._folder = tempfile.TemporaryDirectory(prefix="assay-")
        self._count = 0

    def __enter__(self) -> "Files":
        return self

    def __exit__(self, *_: Any) -> None:
        self._folder.cleanup()

    def lines_of(self, texts: "Sequence[Any]") -> str:
        """A file with one text per line."""
        lines = [str(text) for text in texts]
        if any("\n" in line for line in lines):
            raise Error("templates= must be a list of texts of one line each")
        self._count += 1
        path = os.path.join(self._folder.name, f"given{self._count}.txt")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(line + "\n" for line in lines)
        return path

    def path_of(self, value: Any, suffix: str = ".csv") -> str:
        """For a path: itself. For a DataFrame or a list of dictionaries: a csv file with its columns."""
        if isinstance(value, (str, os.PathLike)):
            return os.fspath(value)
        self._count += 1
        path = os.path.join(self._folder.name, f"given{self._count}{suffix}")
        if hasattr(value, "to_csv"):
            value.to_csv(path, index=False)
        elif hasattr(value, "write_csv"):
            value.write_csv(path)
        else:
            import csv

            rows: Sequence[Any] = list(value)
            if not rows:
                raise Error("no rows")
            with open(path, "w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, list(rows[0]))
                writer.writeheader()
                writer.writerows(rows)
        return path
