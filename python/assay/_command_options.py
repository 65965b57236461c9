"""Keywords of functions that run a command: its options, as `--help-all` lists them. tests/python/command_options.py writes this file."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, Optional, TypedDict, Union

Flag = Optional[bool]
Value = Union[None, str, int, float, "os.PathLike[str]", "Sequence[Any]", "Mapping[str, Any]"]


class PredictOptions(TypedDict, total=False):
    # assay predict
    sidecar: Value
    name: Value
    draw_models: Value
    draw_seed: Value
    published: Value
    device: Value
    isolate: Value
    precision: Value
    model_timeout: Value
    offline: Flag
    templates: Value
    runtime: Value
    preset: Value
    arch: Value
    input_size: Value
    resize_as: Value
    interpolation: Value
    antialias: Value
    crop_mode: Value
    crop_pct: Value
    train_size: Flag
    resize_size: Value
    channel_order: Value
    scale: Value
    mean: Value
    std: Value
    outputs: Value
    output_entry: Value
    classes: Value
    list: Value
    layout: Value
    image_column: Value
    label_column: Value
    split: Value
    dataset_name: Value
    limit: Value
    sample_seed: Value
    first: Value
    until: Value
    storage: Value
    batch: Value
    batch_size: Value
    shard_rows: Value
    threads: Value
    workers: Value
    num_workers: Value
    max_pixels: Value
    image_memory: Value
    no_trial: Flag
    retry_failed: Flag
    dry_run: Flag
    part: Value
    corrupt: Value
    plugin: Value
    severities: Value
    seed: Value
    frost: Value
    corrupt_profile: Value
    corrupt_resize: Value
    corrupt_crop: Value
    corrupt_jpeg: Value
    corrupt_transform: Value


class AttackOptions(TypedDict, total=False):
    # assay attack
    log: Value
    log_step: Value
    sidecar: Value
    name: Value
    draw_models: Value
    draw_seed: Value
    published: Value
    device: Value
    isolate: Value
    precision: Value
    model_timeout: Value
    offline: Flag
    templates: Value
    runtime: Value
    preset: Value
    arch: Value
    input_size: Value
    resize_as: Value
    interpolation: Value
    antialias: Value
    crop_mode: Value
    crop_pct: Value
    train_size: Flag
    resize_size: Value
    channel_order: Value
    scale: Value
    mean: Value
    std: Value
    outputs: Value
    output_entry: Value
    classes: Value
    list: Value
    layout: Value
    image_column: Value
    label_column: Value
    split: Value
    dataset_name: Value
    limit: Value
    sample_seed: Value
    first: Value
    save_images: Value
    save_format: Value
    attack: Value
    eps: Value
    norm: Value
    steps: Value
    step: Value
    restarts: Value
    space: Value
    paper_literal: Flag
    no_control: Flag
    transfer: Flag
    seed: Value
    storage: Value
    batch: Value
    batch_size: Value
    shard_rows: Value
    threads: Value
    workers: Value
    num_workers: Value
    max_pixels: Value
    image_memory: Value
    no_trial: Flag
    retry_failed: Flag
    dry_run: Flag


class CertifyOptions(TypedDict, total=False):
    # assay certify
    log: Value
    log_step: Value
    sidecar: Value
    name: Value
    draw_models: Value
    draw_seed: Value
    published: Value
    device: Value
    isolate: Value
    precision: Value
    model_timeout: Value
    offline: Flag
    templates: Value
    runtime: Value
    preset: Value
    arch: Value
    input_size: Value
    resize_as: Value
    interpolation: Value
    antialias: Value
    crop_mode: Value
    crop_pct: Value
    train_size: Flag
    resize_size: Value
    channel_order: Value
    scale: Value
    mean: Value
    std: Value
    outputs: Value
    output_entry: Value
    classes: Value
    list: Value
    layout: Value
    image_column: Value
    label_column: Value
    split: Value
    dataset_name: Value
    limit: Value
    sample_seed: Value
    first: Value
    sigma: Value
    samples: Value
    selection: Value
    alpha: Value
    radii: Value
    seed: Value
    level: Value
    storage: Value
    batch: Value
    batch_size: Value
    shard_rows: Value
    threads: Value
    workers: Value
    num_workers: Value
    max_pixels: Value
    image_memory: Value
    no_trial: Flag
    retry_failed: Flag
    dry_run: Flag


class CheckOptions(TypedDict, total=False):
    # assay check
    sample: Value
    seed: Value
    decode_all: Flag
    threads: Value
    sidecar: Value
    name: Value
    draw_models: Value
    draw_seed: Value
    published: Value
    device: Value
    isolate: Value
    precision: Value
    model_timeout: Value
    offline: Flag
    templates: Value
    runtime: Value
    preset: Value
    arch: Value
    input_size: Value
    resize_as: Value
    interpolation: Value
    antialias: Value
    crop_mode: Value
    crop_pct: Value
    train_size: Flag
    resize_size: Value
    channel_order: Value
    scale: Value
    mean: Value
    std: Value
    outputs: Value
    output_entry: Value
    classes: Value
    list: Value
    layout: Value
    image_column: Value
    label_column: Value
    split: Value
    dataset_name: Value
    limit: Value
    sample_seed: Value
    first: Value


class CorruptOptions(TypedDict, total=False):
    # assay corrupt
    list: Value
    limit: Value
    sample_seed: Value
    first: Value
    corruptions: Value
    plugin: Value
    severities: Value
    seed: Value
    frost: Value
    profile: Value
    resize: Value
    crop: Value
    jpeg: Value
    sheet: Value
    image: Value
    threads: Value


class CostOptions(TypedDict, total=False):
    # assay cost
    sidecar: Value
    name: Value
    draw_models: Value
    draw_seed: Value
    published: Value
    device: Value
    isolate: Value
    precision: Value
    model_timeout: Value
    offline: Flag
    templates: Value
    runtime: Value
    preset: Value
    arch: Value
    input_size: Value
    resize_as: Value
    interpolation: Value
    antialias: Value
    crop_mode: Value
    crop_pct: Value
    train_size: Flag
    resize_size: Value
    channel_order: Value
    scale: Value
    mean: Value
    std: Value
    outputs: Value
    output_entry: Value
    classes: Value
    batch: Value
    batch_size: Value
    threads: Value
    runs: Value
    no_latency: Flag
    operators: Flag
    nodes: Flag


class EvalOptions(TypedDict, total=False):
    # assay eval
    metrics: Value
    labels: Value
    k: Value
    bins: Value
    edges: Value
    gate: Value
    bootstrap: Value
    seed: Value
    level: Value
    log: Value
    log_step: Value
    junit: Value
    sidecar: Value
    name: Value
    draw_models: Value
    draw_seed: Value
    published: Value
    device: Value
    isolate: Value
    precision: Value
    model_timeout: Value
    offline: Flag
    templates: Value
    runtime: Value
    preset: Value
    arch: Value
    input_size: Value
    resize_as: Value
    interpolation: Value
    antialias: Value
    crop_mode: Value
    crop_pct: Value
    train_size: Flag
    resize_size: Value
    channel_order: Value
    scale: Value
    mean: Value
    std: Value
    outputs: Value
    output_entry: Value
    classes: Value
    list: Value
    layout: Value
    image_column: Value
    label_column: Value
    split: Value
    dataset_name: Value
    limit: Value
    sample_seed: Value
    first: Value
    storage: Value
    batch: Value
    batch_size: Value
    shard_rows: Value
    threads: Value
    workers: Value
    num_workers: Value
    max_pixels: Value
    image_memory: Value
    no_trial: Flag
    retry_failed: Flag
    save_settings: Flag


class RobustnessOptions(TypedDict, total=False):
    # assay robustness
    plugin: Value
    level: Value
    threads: Value
    log: Value
    log_step: Value


class CalibrateOptions(TypedDict, total=False):
    # assay calibrate
    method: Value
    fit: Value
    split: Value
    seed: Value
    level: Value
    threads: Value


class AuditOptions(TypedDict, total=False):
    # assay audit
    top: Value
    duplicates: Flag
    pixels: Flag
    images: Value
    questions: Value
    sample: Value
    confirm: Value
    labels: Value
    save_labels: Value
    level: Value
    threads: Value


class SlicesOptions(TypedDict, total=False):
    # assay slices
    without_images: Flag
    labels: Value
    cluster: Value
    top: Value
    examples: Value
    seed: Value
    level: Value
    threads: Value


class EnsembleOptions(TypedDict, total=False):
    # assay ensemble
    of: Value
    level: Value
    threads: Value


class AggregateOptions(TypedDict, total=False):
    # assay labels aggregate
    method: Value
    threshold: Value
    threads: Value
    answers: Value
    repeats: Value
    known_annotators: Value
    weights: Value
    latents: Value
    smoothing: Value
    tolerance: Value
    passes: Value
    classes: Value
    original: Value
    original_label_votes: Value
    hierarchy: Value
    against: Value
    level: Value
    label_sets: Value
    to: Value
    posteriors: Value
    curve: Value
    annotator_quality: Value
    annotators: Flag


class ProposeOptions(TypedDict, total=False):
    # assay labels propose
    recall: Value
    gold: Value
    rule: Value
    depth: Value
    all_models: Flag
    no_original: Flag
    skip_agreed: Flag
    seed: Value
    threads: Value
    draw_gold: Value
    draw_depth: Value
    questions: Value


class ComposeOptions(TypedDict, total=False):
    # assay patchml
    whole: Value
    list: Value
    box_format: Value
    corners: Value
    classes: Value
    min_side: Value
    skip_difficult: Flag
    skip_truncated: Flag
    skip_duplicates: Flag
    k: Value
    p: Value
    canvas: Value
    distinct: Flag
    seeds: Value
    seed: Value
    interpolation: Value
    limit: Value
    jpeg: Value
    name: Value
    rejected: Value
    examples: Value
    threads: Value
    cache: Value
    dry_run: Flag


class AdjustOptions(TypedDict, total=False):
    # assay replicate adjust
    methods: Value
    jackknife: Value
    exponents: Value
    empty_bins: Value
    parts: Value
    grid_integrals: Flag
    min_annotators: Value
    bootstrap: Value
    units: Value
    level: Value
    sweep: Value
    parts_sweep: Value
    labels1: Value
    labels2: Value
    pool_above: Value
    figures: Value
    threads: Value
    clean: Flag
    min_selected: Value
    max_controls: Value
    max_flagged: Value
    equalise: Value
    selected_by: Value
    without_annotators: Value
    other_annotators: Flag
    seed: Value


class MatchOptions(TypedDict, total=False):
    # assay replicate match
    per_class: Value
    annotators: Value
    strategy: Value
    reference_annotators: Value
    published_targets: Flag
    easy: Value
    easy_annotators: Value
    hits: Value
    threads: Value
    clean: Flag
    min_selected: Value
    max_controls: Value
    max_flagged: Value
    equalise: Value
    selected_by: Value
    without_annotators: Value
    other_annotators: Flag
    seed: Value


class PlanOptions(TypedDict, total=False):
    # assay replicate plan
    width: Value
    annotators: Value
    level: Value
    threads: Value
    clean: Flag
    min_selected: Value
    max_controls: Value
    max_flagged: Value
    equalise: Value
    selected_by: Value
    without_annotators: Value
    other_annotators: Flag
    seed: Value


class QualityRunOptions(TypedDict, total=False):
    # assay quality run
    no_check: Flag
    log: Value
    log_step: Value
    storage: Value
    batch: Value
    batch_size: Value
    shard_rows: Value
    threads: Value
    workers: Value
    num_workers: Value
    max_pixels: Value
    image_memory: Value
    no_trial: Flag
    retry_failed: Flag
    dry_run: Flag


class MeasureOptions(TypedDict, total=False):
    # assay quality measure
    val: Value
    r: Value
    sketch: Value
    stylized: Value
    edge: Value
    silhouette: Value
    mixed_same: Value
    mixed_rand: Value
    cue_conflict: Value
    corrupted: Value
    attacked: Value
    eps: Value
    space: Value
    parameters: Value
    own_class_sketch: Flag
    null_draws: Value
    level: Value
    seed: Value
    threads: Value
    log: Value
    log_step: Value


class QualityScoreOptions(TypedDict, total=False):
    # assay quality score
    where: Value
    weights: Value
    better: Value
    scale: Value
    by: Value
    own_constants: Flag
    trim: Value
    drop_missing: Flag
    top: Value
    level: Value
    replicates: Value
    seed: Value


class CorrelateOptions(TypedDict, total=False):
    # assay quality correlate
    where: Value
    column: Value
    family: Value
    by: Value
    adjust: Value
    level: Value
    replicates: Value
    seed: Value
    threads: Value


class ChooseOptions(TypedDict, total=False):
    # assay quality choose
    where: Value
    need: Value
    weights: Value
    better: Value
    scale: Value
    level: Value


class MadInitOptions(TypedDict, total=False):
    # assay mad init
    name: Value
    hierarchy: Value
    classes: Value
    images: Value
    where: Value
    threshold: Value
    confident: Value
    distance: Value
    cap: Value
    cap_mode: Value
    hashed_ties: Value
    one_of_a_parent: Flag
    near_duplicates: Value
    votes: Value
    gold: Value
    seed: Value
    reason: Value
    threads: Value


class MadSelectOptions(TypedDict, total=False):
    # assay mad select
    exclude: Value
    control: Value
    images: Value
    reason: Value
    threads: Value


class MadQuestionsOptions(TypedDict, total=False):
    # assay mad questions
    label_studio: Value
    config: Value
    prefix: Value
    gold: Value
    budget: Value
    ask: Value
    stop_at: Value
    reason: Value


class MadAnswersOptions(TypedDict, total=False):
    # assay mad answers
    annotator: Value


class MadRankOptions(TypedDict, total=False):
    # assay mad rank
    votes: Value
    alpha: Value
    k: Value
    ablation: Flag
    against: Value
    tags: Value
    bootstraps: Value
    draws: Value
    level: Value
    stop_at: Value
    without: Value
    seed: Value
    threads: Value
    log: Value
    log_step: Value


class MadStatusOptions(TypedDict, total=False):
    # assay mad status
    pass


class MadAddOptions(TypedDict, total=False):
    # assay mad add
    reason: Value
    threads: Value


COMMANDS: "dict[str, Any]" = {  # by the words of the command
    "predict": PredictOptions,
    "attack": AttackOptions,
    "certify": CertifyOptions,
    "check": CheckOptions,
    "corrupt": CorruptOptions,
    "cost": CostOptions,
    "eval": EvalOptions,
    "robustness": RobustnessOptions,
    "calibrate": CalibrateOptions,
    "audit": AuditOptions,
    "slices": SlicesOptions,
    "ensemble": EnsembleOptions,
    "labels aggregate": AggregateOptions,
    "labels propose": ProposeOptions,
    "patchml": ComposeOptions,
    "replicate adjust": AdjustOptions,
    "replicate match": MatchOptions,
    "replicate plan": PlanOptions,
    "quality run": QualityRunOptions,
    "quality measure": MeasureOptions,
    "quality score": QualityScoreOptions,
    "quality correlate": CorrelateOptions,
    "quality choose": ChooseOptions,
    "mad init": MadInitOptions,
    "mad select": MadSelectOptions,
    "mad questions": MadQuestionsOptions,
    "mad answers": MadAnswersOptions,
    "mad rank": MadRankOptions,
    "mad status": MadStatusOptions,
    "mad add": MadAddOptions,
}
