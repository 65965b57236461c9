"""Keywords of the functions, as types: options of the commands, and what Python adds. mypy and pyright report any other keyword."""

from __future__ import annotations

from typing import Any, TypedDict

from ._command_options import (
    AttackOptions, CertifyOptions, CheckOptions, CorruptOptions, CostOptions, EvalOptions, Flag, PredictOptions, QualityRunOptions, Value,
)


class ModelObjects(TypedDict, total=False):
    """Keywords for a model of this process (assay.predict)."""

    identity: Any
    weights: Any
    transform: Any
    processor: Any
    settings: Any
    batches: Value
    channels_last: Flag
    gradient: Any
    tune_allocator: Flag


class PredictKeywords(PredictOptions, ModelObjects, total=False):
    top_k: Value


class AttackKeywords(AttackOptions, ModelObjects, total=False):
    pass


class CertifyKeywords(CertifyOptions, ModelObjects, total=False):
    pass


class CheckKeywords(CheckOptions, ModelObjects, total=False):
    pass


class CostKeywords(CostOptions, ModelObjects, total=False):
    pass


class CorruptKeywords(CorruptOptions, total=False):
    pass


class EvaluateKeywords(EvalOptions, ModelObjects, total=False):
    gates: Value
    top_k: Value


class QualityRunKeywords(QualityRunOptions, ModelObjects, total=False):
    """Options of the command, and keys of assay.toml at the top, in [quality] and in [[model]]."""

    device: Value
    isolate: Value
    precision: Value
    model_timeout: Value
    offline: Flag
    templates: Value
    runtime: Value
    plugin: Value
    corruptions: Value
    corruption_limit: Value
    frost: Value
    corruption_seed: Value
    corruption_resize: Value
    corruption_crop: Value
    corruption_jpeg: Value
    corrupted_transform: Value
    attacks: Value
    attack_limit: Value
    attack_eps: Value
    attack_space: Value
    checks: Value
    own_class_sketch: Flag
    level: Value
    preset: Value
    input_size: Value
    interpolation: Value
    crop_pct: Value
    crop_mode: Value
    resize_size: Value
    resize_as: Value
    antialias: Value
    crop_start: Value
    channel_order: Value
    scale: Value
    mean: Value
    std: Value
    fill: Value
    num_classes: Value
    outputs: Value
    output: Value
    classes: Value
    train_size: Flag
    sidecar: Value
    draw_models: Value
    draw_seed: Value
    published: Value


class MeasureKeywords(TypedDict, total=False):
    """Options of assay.compare() and assay.Metrics() that the library reads. assay.score() has them, too."""

    bins: Value
    edges: Value
    k: Value
    subgroups: Value
    threads: Value
    bootstrap: Value
    seed: Value


class CompareKeywords(MeasureKeywords, total=False):
    plugin: Value
    gates: Value
    disagreements: Value
    by: Value
    class_map: Value
    cluster: Value
    null: Value
    other_images: Flag
    label_column: Value
    image_column: Value
    label_votes: Flag
    hierarchy: Value
    ordinal: Flag
    class_order: Value
    thresholds: Value
    threshold_file: Value
    weights: Value


class PlotKeywords(TypedDict, total=False):
    """Keywords of the plots of a result."""

    models: Value
    datasets: Value
    metric: Value
    x: Value
    y: Value
    top: Value
    width: Value
    height: Value
    font: Value
    dpi: Value
    dark: Flag
    title: Flag


class ColumnKeywords(TypedDict, total=False):
    """Keywords of the columns of a store."""

    top: int
    scores: bool
    labels: Any
    class_map: str


class GapKeywords(TypedDict, total=False):
    by: Value
    table: Value
    unit: Value
    n1: Value
    n2: Value
    counts1: Value
    counts2: Value
    families: Value
    also: Value
    also_labels: Value
    also_subgroups: Value
    rank_by: Value
    rank_against: Value
    subgroups: Value
    agreement: Value
    pooled_above: Value
    margin: Value
    mark: Value
    slivers: Value
    top: Value
    bootstrap: Value
    seed: Value
    scale: Value
    model_correlation: Value
    metric_correlation: Value
    threads: Value
    all_models: Flag


__all__ = [
    "AttackKeywords", "CertifyKeywords", "CheckKeywords", "ColumnKeywords", "CompareKeywords", "CorruptKeywords", "CostKeywords", "EvaluateKeywords", "GapKeywords", "MeasureKeywords",
    "ModelObjects", "PlotKeywords", "PredictKeywords", "QualityRunKeywords",
]
