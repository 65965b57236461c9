"""Assay: evaluation of image classifiers, with an interval and a definition on every number.

    import assay

    report = assay.score(logits, labels)         # every metric of scores in memory
    report["top1"], report["top1"].interval, dict(report)
    assay.compare(old, new, labels=labels)       # differences on the same items, with paired tests
    assay.score("runs")                          # of stored predictions
    assay.Metrics("top1,ece")                    # in a loop: update(), compute(), reset(), merge()
    assay.StoreWriter(...)                       # store the scores of your own loop
    assay.evaluate(net, "imagenet/val")          # run a model over images and report its accuracy
    assay.predict(net, "imagenet/val", "runs")   # an nn.Module, a function, a file or a name such as "timm:resnet18"

The numbers are bit-identical to those of the command `assay`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._library import Error

if TYPE_CHECKING:
    from . import annotation as annotation
    from . import command as command
    from . import mad as mad
    from . import patchml as patchml
    from . import quality as quality
    from . import replicate as replicate
    from ._hub_metrics import compute_metrics as compute_metrics
    from ._score import compare as compare
    from ._score import gap as gap
    from ._score import score as score
    from .command import attack as attack
    from .command import audit as audit
    from .command import calibrate as calibrate
    from .command import certify as certify
    from .command import check as check
    from .command import corrupt as corrupt
    from .command import cost as cost
    from ._methods import MethodComparison as MethodComparison
    from .command import ensemble as ensemble
    from .command import predict as predict
    from .command import robustness as robustness
    from .command import run as run
    from .command import slices as slices
    from .evaluation import Evaluation as Evaluation
    from .evaluation import evaluate as evaluate
    from .report import Comparison as Comparison
    from .report import Difference as Difference
    from .report import Estimate as Estimate
    from .report import Gap as Gap
    from .report import Interval as Interval
    from .report import Measurement as Measurement
    from .report import Report as Report
    from .report import metrics as metrics
    from .store import Store as Store
    from .store import StoreWriter as StoreWriter
    from .store import stores as stores
    from .streaming import Metrics as Metrics

__version__ = "0.1.0"

# Modules are imported on first use, so `import assay` takes only some milliseconds.
_PLACES = {
    "compute_metrics": "_hub_metrics",
    "score": "_score", "compare": "_score", "gap": "_score",
    "MethodComparison": "_methods",
    "Report": "report", "Comparison": "report", "Gap": "report", "Measurement": "report", "Estimate": "report", "Difference": "report",
    "Interval": "report", "metrics": "report",
    "Store": "store", "StoreWriter": "store", "stores": "store",
    "Metrics": "streaming",
    "Evaluation": "evaluation", "evaluate": "evaluation",
    "attack": "command", "audit": "command", "calibrate": "command", "certify": "command", "check": "command", "corrupt": "command",
    "cost": "command", "ensemble": "command", "predict": "command", "robustness": "command",
    "run": "command", "slices": "command",
}
_MODULES = ("annotation", "command", "mad", "patchml", "quality", "replicate")

__all__ = [
    "Comparison", "Difference", "Error", "Estimate", "Evaluation", "Gap", "Interval", "Measurement", "MethodComparison", "Metrics", "Report", "Store", "StoreWriter",
    "annotation", "attack", "audit", "calibrate", "certify", "check", "command", "compare", "compute_metrics", "corrupt", "cost", "ensemble", "evaluate", "gap",
    "mad", "metrics", "patchml", "predict", "quality", "replicate", "robustness", "run", "score", "slices", "stores", "version",
]


def version() -> str:
    """The version of the library in use."""
    from ._library import library

    return str(library().assay_version().decode())


if not TYPE_CHECKING:  # otherwise every name would be known to mypy and pyright

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name in _PLACES:
            value = getattr(import_module(f".{_PLACES[name]}", __name__), name)
        elif name in _MODULES:
            value = import_module(f".{name}", __name__)
        else:
            raise AttributeError(f"module `assay` has no `{name}`")
        globals()[name] = value
        return value


def __dir__() -> "list[str]":
    return sorted(__all__)
