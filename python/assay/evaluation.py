"""Evaluates models on images: the result of `assay eval`, as an object."""

from __future__ import annotations

import html
import json
import os
import re
import tempfile
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from ._calls import call
from ._library import Error, checked
from ._pages import interval_text, list_of, percent, pictures, table
from .report import Estimate, Measurement, Report, _with_texts

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._keywords import EvaluateKeywords

# The renderings of Result, with the extension of the file that the command writes.
_ENDINGS = {"text": "txt", "csv": "csv", "md": "md", "latex": "tex"}
# Options that measure, for evaluations of images in this process.
_MEASURING = ("metrics", "labels", "k", "bins", "edges", "bootstrap", "seed", "level")
_SERVED = re.compile(r"process:\d+")
_FOR_US = re.compile(r" --(json|also \S+)(?=[ `])")


class Evaluation(Report):
    """The result of `assay eval` for one or several models on one data set.

    report["accuracy"] is a Measurement if there is one model; report["resnet50", "accuracy"] selects the model. Other keys are
    those of the JSON `assay.eval/1`: report["models"], report["doubted_labels"], report["report"] ... str(report) is the output
    of the command.
    """

    def _read(self) -> None:
        super()._read()
        self.measurements = [
            Measurement({"dataset": self._facts.get("dataset", ""), "model": model["model"], **facts})
            for model in self.models for facts in model.get("measurements", [])
        ]

    def _has_details(self) -> bool:
        return bool(self.models) and all(model.get("store") for model in self.models)

    def _with_details(self) -> Report:
        """Classes, confusions and reliability of the stored scores."""
        if not self._has_details():
            return super()._with_details()
        if self._details is None:
            from ._score import score

            stored = [str(model["store"]) for model in self.models]
            self._details = score(stored, metrics="top1", per_class=True, confusions=True, reliability=True)
        return self._details

    @property
    def models(self) -> "list[dict[str, Any]]":
        """For each model: its store, preprocessing, measurements, worst classes, warnings."""
        return list(self._facts.get("models", []))

    @property
    def dataset(self) -> str:
        return str(self._facts.get("dataset", ""))

    @property
    def doubted_labels(self) -> "list[dict[str, Any]]":
        """Images for which every model predicts another class than the label, the most suspicious first."""
        return list(self._facts.get("doubted_labels", []))

    @property
    def page(self) -> Optional[Path]:
        """The path of report.html."""
        found = self._facts.get("report")
        return Path(found) if found else None

    @property
    def stores(self) -> "list[dict[str, Any]]":
        """The same as `models`: `store` is the folder of the stored predictions, for assay.Store()."""
        return self.models

    @property
    def warnings(self) -> "list[str]":
        return [text for model in self.models for text in model.get("warnings", [])]

    @property
    def notes(self) -> "list[str]":
        return list(self._facts.get("notes", []))

    def __contains__(self, key: object) -> bool:
        return super().__contains__(key) or (isinstance(key, str) and key in self._facts)

    def __getitem__(self, key: "Union[str, tuple[str, ...]]") -> Any:
        if isinstance(key, str) and key in self._facts and not super().__contains__(key):
            return self.to_dict()[key]
        return super().__getitem__(key)

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return _shown(self)


def _shown(report: Evaluation) -> str:
    facts = report.to_dict()
    labelled, items = facts.get("labelled", 0), facts.get("items", 0)
    several = len(report.models) > 1
    metrics = list(dict.fromkeys(m.metric for m in report.measurements if not m.subgroup))
    rows = []
    for model in report.models:
        own = {m.metric: m for m in report.measurements if m.model == model["model"] and not m.subgroup}
        values = [interval_text(own[name]) if name in own else "" for name in metrics]
        rows.append([model["model"], *(values or [interval_text(Estimate(model.get("confidence") or {}))])])
    title = f"{report.dataset}: {items} images" + ("" if labelled == items else f", {labelled} labelled")
    parts = [table(title, ["model", *(metrics or ["mean confidence"])], rows)]
    for model in report.models:
        name = f"{model['model']}: " if several else ""
        lines = [model.get("preprocessing", ""), model.get("calibration", "")]
        parts += [f"<p>{html.escape(name + line)}</p>" for line in lines if line]
        if not model.get("settled", True):
            parts.append(f"<p><strong>{html.escape(name)}preprocessing not settled</strong></p>")
        worst = [[c.get("name") or c.get("id"), c.get("accuracy", {}).get("n", 0), interval_text(Estimate(c.get("accuracy", {})))]
                 for c in model.get("worst_classes", [])]
        if worst:
            parts.append(table(f"{name}Worst classes", ["class", "images", "accuracy"], worst))
    if report.doubted_labels:
        parts.append(table(
            "Labels to look at: every model predicts another class", ["image", "label", "its probability", "predicted", "its probability"],
            [[d["id"], d["label"], percent(d["label_probability"]), d["predicted"], percent(d["predicted_probability"])]
             for d in report.doubted_labels],
        ))
    unreadable = [f"{model['model']}: {model['unreadable']} images without scores" for model in report.models if model.get("unreadable")]
    parts.append(pictures(report, report._pictures()))
    parts.append(list_of("Warnings", [*report.warnings, *unreadable]))
    parts.append(list_of("Gates", [
        f"{gate.get('gate', '')} ({gate.get('model', '')}): {'holds' if gate.get('passed') else 'fails'}" for gate in report.gates]))
    if report.page is not None:
        parts.append(f"<p>Report: <code>{html.escape(str(report.page))}</code></p>")
    return "".join(parts)


def evaluate(
    model: Any, data: Any, runs: "str | os.PathLike[str]" = "runs", *, progress: Optional[bool] = None, **options: "Unpack[EvaluateKeywords]"
) -> Evaluation:
    """Evaluates models like `assay eval`: accuracy with its interval, top-5, calibration, the worst classes and suspicious
    labels.

        report = assay.evaluate(net, "imagenet/val")
        report["accuracy"].value, report["accuracy"].interval
        print(report) # the output of the command; a notebook shows tables and plots

    model, data: as for assay.predict(). If the preprocessing of images in files is unknown, Assay finds it on labelled images,
    which are then excluded from all results (docs/eval.md). There is no such search for images in this process.
    runs: folder for every score and report.html. Repeat an interrupted call to resume it.
    options: those of `assay eval`, metrics="top1,ece", gate="low(top1) >= 0.75", save_settings=True, ..., and of
    assay.predict() for models.

    Raises Error if the command exits with status 2; it says what to type. A failed gate raises nothing (`passed`). If some
    images have no scores, `partial` is true, and a RuntimeWarning says so.
    """
    from .command import FolderWords, source_of

    given: dict[str, Any] = {**options}
    source = source_of(data, given, progress)
    if isinstance(source, list):
        report = _by_the_command(model, source, runs, progress, given)
        if isinstance(source, FolderWords):
            source.compare(report["items"] + report["left_out"], given, progress)
    else:
        report = _of_items(model, source, runs, progress, given)
    if report.partial:
        missing = ", ".join(f"{m['model']}: {m['unreadable']}" for m in report.models if m.get("unreadable"))
        warnings.warn(f"some images have no scores ({missing}): `partial` is true", RuntimeWarning, stacklevel=2)
    return report


def _by_the_command(model: Any, source: "list[Any]", runs: Any, progress: Optional[bool], options: "dict[str, Any]") -> Evaluation:
    from ._class_files import with_class_file
    from ._objects import Served
    from ._option_names import keywords_of
    from .command import _run, words

    with with_class_file(options) as given, Served(model, given) as served, tempfile.TemporaryDirectory(prefix="assay-") as folder:
        also = {form: os.path.join(folder, f"report.{ending}") for form, ending in _ENDINGS.items()}
        arguments = ["eval", *served.words, *source, "--out", runs, *words(given), "--json"]
        for path in also.values():
            arguments += ["--also", path]
        try:
            done = _run(arguments, progress, True, served, keywords_of("eval"))
        except Error as error:
            told = _FOR_US.sub("", error.message)  # removes options from commands to type that only this call adds
            raise Error(told, error.code, error.notes) from error.__cause__
        texts = {"json": _named(done.output).encode()}
        for form, path in also.items():
            texts[form] = _named(Path(path).read_text(errors="surrogateescape")).encode(errors="surrogateescape")
        return _with_texts(Evaluation, done.status, texts)  # type: ignore[return-value]


def _named(text: str) -> str:
    """Replaces the numbers of this process's models in commands, because nobody can type them."""
    return _SERVED.sub("MODEL", text)


def _of_items(model: Any, items: Any, runs: Any, progress: Optional[bool], options: "dict[str, Any]") -> Evaluation:
    from ._local import predict_items
    from ._score import _handles

    how = {key: options.pop(key) for key in _MEASURING if key in options}
    gates = [options.pop(key) for key in ("gate", "gates") if key in options]
    threads = int(options.get("threads") or 0)
    found = predict_items(model, items, runs, progress, options, (*_MEASURING, "gate"))
    page = os.path.join(os.path.abspath(os.fspath(runs)), "report.html")
    told = {
        **{key: os.fspath(value) if isinstance(value, os.PathLike) else value for key, value in how.items() if value is not None},
        "threads": threads,
        "gates": [one for gate in gates for one in (gate if isinstance(gate, (list, tuple)) else [gate])],
        "preprocessing": found.prepared, "warnings": found.warnings, "report": page, "command": "assay.evaluate()",
    }
    text = json.dumps(told).encode()
    handles = _handles(found.stores)
    result = call(lambda watched: checked("assay_eval", handles, len(found.stores), text, watched), progress)
    return Evaluation(result)


__all__ = ["Evaluation", "evaluate"]
