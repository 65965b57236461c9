"""Runs models over images in this process, batch by batch, and stores the scores, without the program.

Images of Pillow are prepared as the program prepares files, by the preprocessing that it resolves (assay predict --dry-run). Numbers are
used unchanged. Batches are cut at fixed places, and each computes on one thread: the scores are those of the program.
"""

from __future__ import annotations

import collections
import os
import sys
import tempfile
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Optional

from ._calls import bar_for
from ._class_labels import ClassLabels
from ._datasets import Items
from ._library import Error
from ._objects import Served
from ._pixels import Pixels
from ._worker.models import Model
from ._worker.serve import place_of
from ._worker.wire import Refused
from .store import Store, StoreWriter

# Options for objects in this process. Other options only apply if the program reads files.
OPTIONS = (
    "name", "dataset_name", "outputs", "classes", "storage", "top_k", "batch", "threads", "device", "output_entry",
)
# Options that describe the preprocessing.
PREPARING = (
    "preset", "input_size", "resize_size", "crop_pct", "crop_mode", "interpolation", "mean", "std", "scale", "channel_order", "fill", "resize_as", "antialias", "sidecar",
)
# The most memory of the batches that wait for the model.
_MOST_BYTES = 2 << 30
GIVEN_PREPARING = ("weights", "transform", "processor", "settings")


def _raised(name: str, error: Exception) -> Error:
    place = place_of(error)
    text = f"{name}: the model raised {type(error).__name__}: {str(error).strip()[:4000]}" + (f" ({place})" if place else "")
    return Error(text, "bad_input")


class _Wish:
    """The settings for Model.open()."""

    num_classes: Optional[int] = None
    layout = input_type = precision = process = 0
    scale, mean, std = 1 / 255, [0.5] * 3, [0.25] * 3  # for the images that check gradient=; similar to those of common loaders

    def __init__(self, height: int, width: int, output: str, device: str, channels: int = 3):
        self.height, self.width, self.output, self.device, self.channels = height, width, output, device, channels


def _two_classes(scores: Any, kind: str) -> Any:
    """Scores of both classes from a model with one score per image, that of class 1: two_scores() of src/model/two_classes.cpp."""
    import numpy

    least, most = {"probabilities": (0.0, 1.0), "log_probabilities": (-numpy.inf, 0.0)}.get(kind, (-numpy.inf, numpy.inf))
    beyond = scores[(scores < least - 1e-6) | (scores > most + 1e-6)]
    if beyond.size:
        raise Error(
            f"the model returns {beyond[0]:.6g} for an image, which is not one of the declared {kind}. Pass outputs=\"logits\" "
            "if it is the logit of class 1", "bad_input",
        )
    if kind == "probabilities":
        other = 1 - scores
    elif kind == "log_probabilities":
        with numpy.errstate(divide="ignore"):
            other = numpy.log(-numpy.expm1(numpy.minimum(scores, 0).astype(numpy.float64))).astype(numpy.float32)
    else:
        other = numpy.zeros_like(scores)
    return numpy.concatenate([other, scores], axis=1)


class _Run:
    """One model of the call."""

    def __init__(self, model: Model, name: str, how: "Optional[dict[str, Any]]", kind: str):
        self.model = model
        self.name = name
        self.pixels = None if how is None else Pixels(how)
        self.how = how
        self.kind = kind
        self.classes = 0
        self.one_score = False
        self.writer: Optional[StoreWriter] = None
        self.spool: Any = None
        self.missing: "list[tuple[int, int]]" = []

    def scores(self, images: Any, ids: "list[str]") -> Any:
        try:
            found = self.model.scores_of(self.pixels.batch(images, ids) if self.pixels is not None else images)
        except (Error, Refused):
            raise
        except Exception as error:
            raise _raised(self.name, error) from error
        if found.shape[1] == 1:
            self.one_score = True
            found = _two_classes(found, self.kind)
        if self.classes and found.shape[1] != self.classes:
            raise Error(f"{self.name}: {found.shape[1]} scores for an image, and {self.classes} for the first ones", "bad_input")
        return found

    def needs(self, begin: int, end: int) -> bool:
        return any(first < end and begin < last for first, last in self.missing)


def note(text: str, progress: Any) -> None:
    if progress is not False:
        print(f"assay: note: {text}", file=sys.stderr)


def _check_options(options: "dict[str, Any]", items: Items, further: "tuple[str, ...]") -> None:
    known = (*OPTIONS, *(() if items.raw else PREPARING))
    preparing = [key for key in options if items.raw and key in (*PREPARING, *GIVEN_PREPARING)]
    if preparing:
        raise Error(f"{items.says}: they are used unchanged, so omit {', '.join(f'{key}=' for key in preparing)}")
    unknown = [key for key in options if key not in known and key not in ("tune_allocator", "identity", "batches", "channels_last", "gradient", *GIVEN_PREPARING)]
    if unknown:
        raise Error(
            f"{', '.join(f'{key}=' for key in unknown)} only apply to images in files, but these are in this process; allowed: "
            f"{', '.join(f'{key}=' for key in (*known, *further))}. Store the images in a folder for the others"
        )


def _resolved(served: Served, options: "dict[str, Any]") -> "list[dict[str, Any]]":
    """The models' settings as the program resolves them, without opening images or models."""
    from ._option_names import keywords_of
    from .command import _run, words

    told = {key: value for key, value in options.items() if key in PREPARING or key in ("name", "outputs", "classes")}
    if isinstance(told.get("classes"), (list, tuple, dict)):
        del told["classes"]
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        found = _run(["predict", *served.words, "--data", folder, "--out", folder, *words(told), "--dry-run", "--json"], False, True, served, keywords_of("predict")).json
    return found["models"]  # type: ignore[no-any-return]


def _names(runs: "list[_Run]", options: "dict[str, Any]") -> None:
    given = options.get("name")
    if given is None:
        return
    names = list(given) if isinstance(given, (list, tuple)) else [given]
    if len(names) != len(runs):
        raise Error(f"{len(names)} names for {len(runs)} models: name= needs one per model")
    for run, name in zip(runs, names):
        run.name = str(name)


class _Line:
    """Progress on stderr."""

    def __init__(self, name: str, total: int, progress: Any):
        self._name, self._total, self._done = name, total, 0
        self._bar = bar_for(progress)
        self._plain = self._bar is None and progress is not False and (progress is True or sys.stderr.isatty())

    def add(self, images: int) -> None:
        self._done += images
        if self._bar is not None:
            self._bar(self._name, self._done, self._total)
        elif self._plain:
            print(f"\r{self._name}: {self._done} of {self._total} images", end="", file=sys.stderr, flush=True)

    def close(self) -> None:
        if self._plain and self._done:
            print(file=sys.stderr)
        if hasattr(self._bar, "close"):
            self._bar.close()  # type: ignore[union-attr]


class Predicted:
    """The results: the stores, and the preprocessing of each model."""

    def __init__(self, stores: "list[Store]", prepared: "list[str]", warnings: "list[str]"):
        self.stores, self.prepared, self.warnings = stores, prepared, warnings


def predict_items(
    models: Any, items: Items, runs: Any, progress: Any, options: "dict[str, Any]", further: "tuple[str, ...]" = ()
) -> Predicted:
    """Computes scores of images in this process. An interrupted call can be resumed if the labels are known in advance, like those of a
    folder.

    further: the caller's own options, for a message.
    """
    _check_options(options, items, further)
    with Served(models, options) as served:
        plans = [{}] * len(served.models) if items.raw else _resolved(served, options)
        opened = []
        for model, text, plan in zip(served.models, served.texts, plans):
            if model is None:
                model = _loaded(text or "", served)
            settings = model.description.settings
            kind = options.get("outputs") or plan.get("outputs") or settings.get("outputs") or "logits"
            opened.append(_Run(model, str(plan.get("name") or model.description.name), plan.get("preprocess"), str(kind)))
        if served.names is not None:
            for run, name in zip(opened, served.names):
                run.name = name
        _names(opened, options)
        try:
            return _computed(opened, items, runs, progress, options)
        except Refused as error:
            raise Error(error.message, error.code) from None
        finally:
            for run in opened:
                if run.writer is not None:
                    run.writer.close()
                if run.spool is not None:
                    run.spool.close()


def _loaded(text: str, served: Served) -> Model:
    """Loads a model by name in this process."""
    if not text.startswith(("timm:", "torchvision:", "hf:", "python:")):
        raise Error(f"{text}: a model file needs images in files; pass the nn.Module, a function or a name (timm:NAME), or the "
            f"folder of the images")
    from ._worker.hubs import open_source

    # open_source() makes torch load weights only. The caller's own files may need more, so the settings are restored.
    keys = ("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "TORCH_FORCE_WEIGHTS_ONLY_LOAD")
    before = {key: os.environ.get(key) for key in keys}
    try:
        model = open_source(text, None, lambda said: note(said, None))
    finally:
        for key, value in before.items():
            if value is None:
                os.environ.pop(key, None)
            else:
                os.environ[key] = value
    served.keep(model)
    return model


def _computed(all_: "list[_Run]", items: Items, runs: Any, progress: Any, options: "dict[str, Any]") -> Predicted:
    note(f"{items.name}: {items.says}" + (": they are used unchanged" if items.raw else ", prepared in this process"), progress)
    runs = os.fspath(runs)
    device, output = str(options.get("device", "auto")), str(options.get("output_entry", ""))
    walk = items.batches(int(options.get("batch") or _batch_of(all_)))
    warnings = list(items.warnings)
    first = next(walk)
    for run in all_:
        _open(run, first[1], output, device)
        begun = run.scores(first[1][:1], items.ids[:1])
        run.classes = int(begun.shape[1])
        if run.one_score:
            note(f"{run.name} returns one score per image: it is of class 1 (the positive class) of two, by outputs={run.kind}", progress)
    if len({run.classes for run in all_}) > 1:
        raise Error("the models return different numbers of scores (" + ", ".join(f"{run.name}: {run.classes}" for run in all_) + ")", "bad_input")
    labels = _labels_of(all_[0], items, options)
    for run in all_[1:]:
        other = _labels_of(run, items, options)
        if not labels.same_as(other):
            raise Error(f"{all_[0].name} and {run.name} have different class lists: evaluate them one after the other, or pass "
                f"classes=", "bad_input")
    if labels.warning:
        warnings.append(labels.warning)
    known = None if items.labels is None else labels.of(items.labels, items.ids)
    for run in all_:
        run.missing = [(0, items.count)]
        if known is not None:
            run.writer = _writer(run, items, known, labels, runs, options)
            run.missing = run.writer.missing
        else:
            os.makedirs(runs, exist_ok=True)
            run.spool = tempfile.TemporaryFile(dir=runs)
    seen: "list[int]" = []
    if any(run.missing for run in all_):
        seen = _pass(all_, items, first, walk, known, labels, progress, options, warnings)
    stores = []
    for run in all_:
        if run.writer is None:
            run.writer = _writer(run, items, seen, labels, runs, options)
            _unspool(run, items.count)
        stores.append(run.writer.finish())
    for text in warnings:
        note(text, progress)
    return Predicted(stores, [_prepared(run, items) for run in all_], warnings)


def _labels_of(run: _Run, items: Items, options: "dict[str, Any]") -> ClassLabels:
    return ClassLabels(items, run.name, run.model.description.settings, run.classes, options)


def _batch_of(all_: "list[_Run]") -> int:
    """The default batch size, as in the command: 8 on a CPU, 64 on a GPU."""
    return 8 if all("cuda" not in str(getattr(run.model, "_device", "cpu")) for run in all_) else 64


def _open(run: _Run, images: Any, output: str, device: str) -> None:
    height, width = (run.pixels.height, run.pixels.width) if run.pixels is not None else (0, 0)
    if run.pixels is None and len(images.shape) == 4 and int(images.shape[1]) == 3:
        height, width = int(images.shape[2]), int(images.shape[3])
    if height:
        try:
            channels = 1 if run.pixels is not None and run.pixels.gray else 3
            run.model.open(_Wish(height, width, output, device, channels))  # type: ignore[arg-type]
        except (Error, Refused):
            raise
        except Exception as error:
            raise _raised(run.name, error) from error
    else:
        run.model.output = output
        run.model.place(device, 0)
    run.model.identify()


def _writer(run: _Run, items: Items, known: "list[int]", labels: ClassLabels, runs: str, options: "dict[str, Any]") -> StoreWriter:
    identity = run.model.description.identity or ""
    what = {"model": identity, "data": items.describe(), "numbers": getattr(items, "_identity", ""), "preprocess": run.how, "output": run.model.output}
    storage = str(options["storage"]) if options.get("storage") else None
    if storage == "top_k":
        storage = f"top{options.get('top_k', 5)}"
    # Images of a folder are found again by `assay show`.
    where: "dict[str, Any]" = {"root": items.root, "paths": items.ids} if items.root else {}
    try:
        return StoreWriter(
            runs, dataset=str(options.get("dataset_name") or items.name), model=run.name, ids=items.ids, labels=known,
            classes=labels.classes, num_classes=run.classes, kind=run.kind, storage=storage,
            identity=str(sorted(what.items())) if identity else "", provenance={"images": items.says, "model": run.model.framework()}, **where,
        )
    except Error as error:
        more = [] if identity else [f"{run.name} has no identity: pass identity=, a text that changes with its weights"]
        raise Error(error.message, error.code, [*error.notes, *more]) from None


def _pass(
    all_: "list[_Run]", items: Items, first: Any, walk: Any, known: "Optional[list[int]]", labels: ClassLabels, progress: Any,
    options: "dict[str, Any]", warnings: "list[str]",
) -> "list[int]":
    """Runs all batches once. Returns the labels that came with them."""
    lanes = int(options.get("threads") or 0) or os.cpu_count() or 1
    if any("cuda" in str(getattr(run.model, "_device", "cpu")) for run in all_):
        lanes = min(lanes, 2)
    line = _Line(items.name, items.count, progress)
    all_[0].model.begin_lane()  # in this thread, too: the threads of a loader's transforms would compete with the lanes for the cores
    pool = ThreadPoolExecutor(lanes, thread_name_prefix="assay-lane", initializer=all_[0].model.begin_lane)
    waiting: "collections.deque[tuple[_Run, int, int, Future[Any]]]" = collections.deque()
    seen: "list[int]" = []

    def take() -> None:
        run, begin, count, found = waiting.popleft()
        scores = found.result()
        if begin == 0:
            _warn_of(run, scores, warnings)
        if run.writer is not None:
            run.writer.write(begin, scores)
        else:
            run.spool.write(scores.tobytes())
        if run is all_[-1]:
            line.add(count)

    # A loader's batches may be large.
    size = int(getattr(first[1], "nbytes", 0) or 0)
    most = 2 * lanes * len(all_)
    if size:
        most = max(len(all_), min(most, _MOST_BYTES // size * len(all_)))
    done = False
    try:
        batch: Any = first
        while batch is not None:
            begin, images, own = batch
            ids = items.ids[begin:begin + len(own)]
            here = labels.of(own, ids)
            if known is not None and known[begin:begin + len(own)] != here:
                at = next(i for i, label in enumerate(here) if label != known[begin + i])
                raise Error(
                    f"{ids[at]} comes with the label {here[at]}, and the data set's list says {known[begin + at]}: the order of the two differs", "bad_input"
                )
            seen += here
            if len(all_) > 1 and isinstance(images, list):
                _decode(images, ids)
            for run in all_:
                if run.writer is None or run.needs(begin, begin + len(own)):
                    waiting.append((run, begin, len(own), pool.submit(run.scores, images, ids)))
            while len(waiting) > most:
                take()
            batch = next(walk, None)
        while waiting:
            take()
        done = True
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
        line.close()
        if not done:
            for _, _, _, found in waiting:
                found.cancel()
    return seen


def _decode(images: "list[Any]", ids: "list[str]") -> None:
    """Decodes the images, because Pillow does so on first use and two models must not do it at the same time."""
    for image, id_ in zip(images, ids):
        try:
            image.load()
        except Exception as error:
            raise Error(f"{id_}: the image cannot be decoded: {type(error).__name__}: {error}", "bad_input") from error


def _warn_of(run: _Run, scores: Any, warnings: "list[str]") -> None:
    import numpy

    sums = scores.astype(numpy.float64).sum(axis=1)
    unit = run.kind == "logits" and scores.shape[1] > 1 and bool((scores >= 0).all())
    if unit and (bool(numpy.allclose(sums, 1, atol=1e-3)) or (run.one_score and bool((scores <= 1).all()))):
        warnings.append(f"{run.name}: the scores look like probabilities, but Assay assumes logits: pass outputs=\"probabilities\"")


def _unspool(run: _Run, count: int) -> None:
    import numpy

    assert run.writer is not None
    rows = max(1, (1 << 22) // (4 * run.classes))
    run.spool.seek(0)
    for begin, end in run.writer.missing:
        for at in range(begin, end, rows):
            last = min(at + rows, end)
            run.spool.seek(4 * at * run.classes)
            part = numpy.frombuffer(run.spool.read(4 * (last - at) * run.classes), numpy.float32).reshape(last - at, run.classes)
            run.writer.write(at, part)


def _prepared(run: _Run, items: Items) -> str:
    if run.how is None:
        return f"{run.name}: {items.says}, used unchanged; {run.kind}"
    how = run.how
    resize = f"resize {how['resize_size']}" if how["resize_size"] else f"crop_pct {how['crop_pct']:g}"
    return f"{run.name}: {resize} ({how['interpolation']}, {how['crop_mode']}) > {how['height']}x{how['width']}, in this process; {run.kind}"


__all__ = ["Predicted", "note", "predict_items"]
