"""MAD competitions (`assay mad`): select the images on which classifiers disagree most, collect people's answers, rank.

A competition is a folder. You may repeat every step; repeat an interrupted step to resume it.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .command import called

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._command_options import (
        MadAddOptions, MadAnswersOptions, MadInitOptions, MadQuestionsOptions, MadRankOptions, MadSelectOptions, MadStatusOptions,
    )


class Competition:
    """The folder of a competition, and the steps of `assay mad` on it. Options and results (JSON) are those of the commands."""

    def __init__(self, folder: "str | os.PathLike[str]"):
        self.folder = os.fspath(folder)

    @classmethod
    def init(cls, folder: "str | os.PathLike[str]", stores: Any, **options: "Unpack[MadInitOptions]") -> "Competition":
        """Starts a competition from stored predictions of two or more classifiers."""
        paths = stores if isinstance(stores, (list, tuple)) else [stores]
        called("mad init", folder, *[getattr(path, "path", path) for path in paths], **options)
        return cls(folder)

    def _step(self, name: str, *arguments: Any, **options: Any) -> Any:
        return called(f"mad {name}", self.folder, *arguments, **options)

    def select(self, **options: "Unpack[MadSelectOptions]") -> Any:
        return self._step("select", **options)

    def questions(self, **options: "Unpack[MadQuestionsOptions]") -> Any:
        return self._step("questions", **options)

    def answers(self, *files: Any, **options: "Unpack[MadAnswersOptions]") -> Any:
        return self._step("answers", *files, **options)

    def rank(self, **options: "Unpack[MadRankOptions]") -> Any:
        return self._step("rank", **options)

    def status(self, **options: "Unpack[MadStatusOptions]") -> Any:
        return self._step("status", **options)

    def add(self, *stores: Any, **options: "Unpack[MadAddOptions]") -> Any:
        return self._step("add", *[getattr(path, "path", path) for path in stores], **options)

    def __repr__(self) -> str:
        return f"<competition {self.folder}>"


__all__ = ["Competition"]
