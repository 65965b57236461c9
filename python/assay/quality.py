"""Nine quality dimensions of models and their score QUBA: `assay quality`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Mapping, Optional

from . import command
from ._given_files import Files

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._command_options import ChooseOptions, CorrelateOptions, MeasureOptions, QualityScoreOptions
    from ._keywords import QualityRunKeywords


def _step(name: str, source: Any, options: "Mapping[str, Any]") -> Any:
    with Files() as files:
        given = ["published" if source is None else files.path_of(source)]
        return command.called(f"quality {name}", *given, **options)


def run(
    models: Any, data: Any = None, runs: "str | os.PathLike[str] | None" = None, *, plan: bool = False, progress: Optional[bool] = None,
    **options: "Unpack[QualityRunKeywords]",
) -> Any:
    """Measures all nine dimensions like `assay quality run --json`: predicts, corrupts, attacks, checks and measures.

        found = assay.quality.run({"v1": net, "v2": "timm:resnet18"}, {"val": "imagenet/val", "sketch": "imagenet-sketch"}, "runs")
        assay.quality.table("runs/quality.csv", drop_missing=True)

    models: as for assay.predict(): one, a list, or a dictionary {name: model}. Names of hubs may be patterns ("timm:resnet*", draw_models=5).
    data: {role: folder or ImageFolder}, with the roles of docs/quality.md; a single path is val. If data is missing, or a model has no
    gradient, `undefined` says why a dimension has no value.
    runs: the folder of the results ("runs"). Repeat an interrupted call to resume it.
    plan: return the steps and their estimated time; nothing is written.
    options: keys of [quality] (attack_limit=1000), of an assay.toml (threads=8) and of a model settings file (preset="timm"). Those of
    assay.predict() for objects work, too: weights=, transform=, identity=, gradient=.

    `run("assay.toml")` runs a file; options are then those of the command. If some images have no scores, a RuntimeWarning says so. Raises
    Error, with the model's name.
    """
    from ._quality_run import run as run_models

    return run_models(models, data, runs, plan, progress, {**options})


def table(source: Any = None, **options: "Unpack[QualityScoreOptions]") -> Any:
    """Scores (QUBA) a table of models and dimensions: a csv or JSON file, a DataFrame; None: the 326 published classifiers."""
    return _step("score", source, options)


def measure(runs: Any, **options: "Unpack[MeasureOptions]") -> Any:
    """Measures all possible dimensions from the stores below `runs`."""
    return command.called("quality measure", runs, **options)


def correlate(source: Any = None, **options: "Unpack[CorrelateOptions]") -> Any:
    """Rank correlations of the dimensions over models."""
    return _step("correlate", source, options)


def choose(source: Any = None, **options: "Unpack[ChooseOptions]") -> Any:
    """Lists the models that meet given weights or needs."""
    return _step("choose", source, options)


__all__ = ["choose", "correlate", "measure", "run", "table"]
