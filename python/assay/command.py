"""The program `assay`, for everything that works on files and runs models.

It runs as its own process, because LibTorch inside a process that has imported torch would crash both. Ctrl-C stops it, as in a
shell; call it again to resume.
"""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Sequence

from ._library import Error
from ._option_names import keywords_of
from ._program import Finished, program, run, truth, words
from ._program import _run as _run
from ._program import called as called

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from ._command_options import AuditOptions, CalibrateOptions, EnsembleOptions, RobustnessOptions, SlicesOptions
    from ._keywords import AttackKeywords, CertifyKeywords, CheckKeywords, CorruptKeywords, CostKeywords, PredictKeywords


def _with_models(command: str, model: Any, rest: "list[Any]", progress: Optional[bool], options: "dict[str, Any]") -> Any:
    """The JSON of a command that runs models: files, names and objects."""
    from ._class_files import with_class_file
    from ._objects import Served

    with with_class_file(options) as given, Served(model, given) as served:
        return _run([command, *served.words, *rest, *words(given), "--json"], progress, True, served, keywords_of(command)).json


def _settings_of(transform: Any, options: "dict[str, Any]", progress: Optional[bool]) -> bool:
    """A data set's transform as options of the command. If the caller defines the preprocessing, the transform is not used.

    Returns False if Assay does not support the transform, so that the data set prepares its own images.
    """
    from ._local import GIVEN_PREPARING, PREPARING, note
    from ._worker.preprocessing import of_transform
    from ._worker.wire import Refused

    if transform is None:
        return True
    given = [key for key in (*PREPARING, *GIVEN_PREPARING) if options.get(key) is not None]
    if given:
        note(f"the transform of the data set is not used, because {', '.join(f'{key}=' for key in given)} defines the preprocessing", progress)
        return True
    try:
        notes: "list[str]" = []
        found = of_transform(transform, notes)
    except Refused as error:
        steps = [type(step).__name__ for step in getattr(transform, "transforms", [transform])]
        if any("Random" in step for step in steps):
            raise Error(f"the transform of the data set: {error.message}", error.code) from None
        note(f"the data set's own transform prepares its images ({', '.join(steps)}): {error.message}", progress)
        return False
    # Settings that a transform does not name have fixed values, even if the model's own settings differ.
    found = {"scale": 1 / 255, "resize_as": "pillow", "channel_order": "rgb", **found}
    found["input_size"] = found["input_size"][1:]
    options.update({key: ",".join(map(str, value)) if isinstance(value, list) else value for key, value in found.items()})
    note(f"preprocessing comes from the transform of the data set ({', '.join(f'{key} {truth(options[key])}' for key in found)})", progress)
    for text in notes:
        note(text, progress)
    return True


def source_of(data: Any, options: "dict[str, Any]", progress: Optional[bool]) -> Any:
    """The arguments that name the data, or the images of a data set in this process (_datasets.Items)."""
    from ._datasets import folder_of, is_words, items_of

    if is_words(data):
        return _data(data)
    folder = folder_of(data)
    if folder is None or not _settings_of(folder.transform, options, progress):
        return items_of(data)
    return FolderWords(_data(folder.path), folder.images)


class FolderWords(list):  # type: ignore[type-arg]
    """The command-line arguments for a data set of torchvision that Assay reads from its folder. images: its number of files."""

    def __init__(self, words: "list[Any]", images: int):
        super().__init__(words)
        self.images = images

    def compare(self, found: int, options: "dict[str, Any]", progress: Optional[bool]) -> None:
        """Notes if the command found a different number of images, because the two support different extensions."""
        from ._local import note

        if found != self.images and not any(key in options for key in ("limit", "first", "until", "part", "corrupt")):
            note(f"Assay found {found} images in the folder, but the data set lists {self.images}: their extensions differ "
                f"(docs/python.md)", progress)


def _over(
    command: str, model: Any, source: Any, more: "list[Any]", progress: Optional[bool], options: "dict[str, Any]", sample: Optional[int] = None
) -> Any:
    """The JSON of a command that reads images itself. Images of this process are stored for it. source: from source_of(). sample: the
    number of images that is enough."""
    if isinstance(source, list):
        return _with_models(command, model, [*source, *more], progress, options)
    from ._objects import Served
    from ._stored import Stored

    with Served(model, options) as served, Stored(source, command, served.models, options, progress, sample) as stored:
        return _run([command, *served.words, *stored.words, *more, *words(options), "--json"], progress, True, served, keywords_of(command)).json


def _into(
    command: str, model: Any, data: Any, runs: "str | os.PathLike[str] | None", progress: Optional[bool], options: "dict[str, Any]"
) -> Any:
    """The JSON of a command that stores the scores of changed images."""
    source = source_of(data, options, progress)
    if not isinstance(source, list):
        options.setdefault("dataset_name", f"{source.name}-{command}")  # so that predict() on the same images uses another store
    return _over(command, model, source, [] if runs is None else ["--out", runs], progress, options)


def _data(data: Any) -> "list[Any]":
    return [word for one in (data if isinstance(data, (list, tuple)) else [data]) for word in ("--data", one)]


def predict(
    model: Any, data: Any, runs: "str | os.PathLike[str]", *, progress: Optional[bool] = None, **options: "Unpack[PredictKeywords]"
) -> "list[Any]":
    """Runs models over images, stores every score, and returns the stores. Repeat an interrupted call to resume it.

    model: one or a list of these, or a dictionary {name: model}:
      - an nn.Module. It is put into evaluation mode during the call, and restored afterwards. It computes on its own device.
      - a function that takes a batch (n x 3 x H x W, float32, normalised) and returns scores (n x classes). It gets torch tensors if it
        refers to torch or a module, and NumPy arrays otherwise. Choose with batches="numpy" or "torch".
      - the path of a model file (TorchScript, torch.export, ONNX). runtime="onnxruntime" runs ONNX files with the onnxruntime
      of this Python.
      - a name: "timm:resnet18.a1_in1k", "torchvision:resnet50", "hf:google/vit-base-patch16-224",
        "open_clip:ViT-B-32/laion2b_s34b_b79k", "python:FILE.py:NAME". templates= of open_clip: a list of texts, a file, "openai", "simple".
    data: a folder, a list, an archive or an address, as for `assay predict --data`; or a list of them. Or an object:
      - an ImageFolder of torchvision: its files, read by Assay; its transform defines the preprocessing, or prepares the
      images.
      - a datasets.Dataset with an Image and a ClassLabel column, or a data set whose data[i] is (Pillow image, label). This
      process prepares the images in the same way as the program prepares files.
      - a DataLoader that does not shuffle, or a data set of tensors: the numbers are used unchanged.

    Preprocessing: a module of timm defines it itself. For another, pass one of these:
      - weights=ResNet50_Weights.DEFAULT (torchvision), or processor=..., an image processor of transformers;
      - transform=..., a Compose of Resize, CenterCrop, ToTensor and Normalize, or one of albumentations;
      - settings={...}, the keys of a model settings file;
      - the command's options: preset="timm", input_size=224, mean=(0.5, 0.5, 0.5), ...
    identity: any text that changes with the weights, for a function that refers to objects without stable contents.
    tune_allocator: let this process keep freed memory, up to half faster on a CPU.
    options: those of `assay predict`: storage="top_k", top_k=5, batch=64, limit=1000, output_entry="logits", ...

    Raises Error if the command refuses something, or with the model's exception as its cause. If images have no scores (NaN,
    unreadable files), a RuntimeWarning says so. Cost: decoding and resizing run in the program, on all cores. Each batch of an
    object computes on one thread, one batch per core at a time.
    """
    from .store import Store

    given: dict[str, Any] = {**options}
    source = source_of(data, given, progress)
    if not isinstance(source, list) and given.get("corrupt") is None:
        from ._local import predict_items

        return predict_items(model, source, runs, progress, given).stores
    if not isinstance(source, list):
        from ._stored import refuse_numbers

        refuse_numbers(source, "corrupt=")
    found = _over("predict", model, source, ["--out", runs], progress, given)
    rows = found.get("stores", found.get("results", []))
    missing = [row for row in rows if row.get("without_score")]
    if missing:
        first = missing[0]
        warnings.warn(
            f"{first['model']} on {first['dataset']}: {first['without_score']} of {first['rows']} images have no score; the first: {first['first_error']}"
            + (f". So have images of {len(missing) - 1} other stores" if len(missing) > 1 else ""), RuntimeWarning, stacklevel=2,
        )
    stores = [Store(_whole(row["store"])) for row in rows]
    if isinstance(source, FolderWords) and stores:
        source.compare(len(stores[0]), given, progress)
    return stores


def _whole(path: str) -> Path:
    """The store of which part=... wrote a part: all commands read its parts as one store."""
    part = Path(path)
    return part.parent.parent if part.parent.name == "parts" else Path(path)


def attack(
    model: Any, data: Any, runs: "str | os.PathLike[str] | None" = None, *, progress: Optional[bool] = None, **options: "Unpack[AttackKeywords]"
) -> Any:
    """Measures accuracy under adversarial attack, like `assay attack --json`. Gradients of an nn.Module come from autograd.

    model, data: as for predict(). Images of this process are written to a temporary folder. Numbers of a loader must be
    normalised bytes; pass mean= and std= if neither the transform nor the model defines them.
    runs: folder for the predictions under attack. options: attack="autoattack", eps="4/255", ...
    Raises Error, also if a model has no gradients (a function of NumPy arrays).
    """
    return _into("attack", model, data, runs, progress, {**options})


def certify(
    model: Any, data: Any, runs: "str | os.PathLike[str] | None" = None, *, progress: Optional[bool] = None, **options: "Unpack[CertifyKeywords]"
) -> Any:
    """Certifies accuracy by randomised smoothing (Cohen et al. 2019), like `assay certify --json`.

    model, data: as for attack(). The model needs no gradients. Train it with noise of the same size.
    runs: folder for the frequencies of the classes among the noisy copies. options: sigma=0.25, samples=10000, alpha=0.001, ...
    Cost: samples + selection passes per image.
    """
    return _into("certify", model, data, runs, progress, {**options})


def check(model: Any, data: Any, *, progress: Optional[bool] = None, **options: "Unpack[CheckKeywords]") -> Any:
    """Checks whether a model, its settings and a data set fit together, like `assay check --json`. model, data: as for
    attack().

    For images of this process, it checks `sample` (128) of them, chosen by a hash of their ids.
    """
    given: dict[str, Any] = {**options}
    source = source_of(data, given, progress)
    sample = None
    if not given.get("decode_all") and not isinstance(source, list):
        sample = 128 if given.get("sample") is None else given["sample"]
    if sample is not None and (isinstance(sample, bool) or not hasattr(sample, "__index__") or sample < 1):
        raise Error(f"sample={sample!r}; allowed: a whole number from 1")
    found = _over("check", model, source, [], progress, given, sample)
    if not isinstance(source, list) and sample is not None and sample < source.count:
        for finding in found["findings"]:
            if finding["id"] == "data.classes" and finding["severity"] == "note":  # the command sees the drawn images alone
                finding["title"] += f" among the {sample} that were drawn of {source.count}"
    return found


def corrupt(data: Any, out: "str | os.PathLike[str] | None" = None, *, progress: Optional[bool] = None, **options: "Unpack[CorruptKeywords]") -> Any:
    """Writes copies of images under common corruptions, like `assay corrupt --json`. predict(..., corrupt="all") needs no copies.

    data: as for predict(), with Pillow images or files. options: corruptions="blur", severities="1,3,5", sheet="sheet.png", ...
    """
    from ._datasets import folder_of, is_words, items_of
    from ._stored import Stored, refuse_numbers

    given: dict[str, Any] = {**options}
    more = [*([] if out is None else ["--out", out]), *words(given), "--json"]
    folder = None if is_words(data) else folder_of(data)
    if folder is not None or is_words(data):
        source = folder.path if folder is not None else data
        paths = source if isinstance(source, (list, tuple)) else [source]
        return _run(["corrupt", *paths, *more], progress, True, None, keywords_of("corrupt")).json
    items = items_of(data)
    refuse_numbers(items, "assay.corrupt")
    with Stored(items, "corrupt", [], given, progress) as stored:
        return _run(["corrupt", stored.images, "--list", stored.listed, *more], progress, True, None, keywords_of("corrupt")).json


def robustness(runs: Any, clean: str, **options: "Unpack[RobustnessOptions]") -> Any:
    """Reports accuracy under corruptions from stored predictions, like `assay robustness --json`. clean: the data set without
    corruption."""
    return called("robustness", *(runs if isinstance(runs, (list, tuple)) else [runs]), "--clean", clean, **options)


def audit(runs: Any, **options: "Unpack[AuditOptions]") -> Any:
    """Lists labels that are probably wrong, and duplicates, as `assay audit --json` does, by the stored scores of one or several models.

    runs: a store, a data set, a RUNS folder, or a list of these. options: top=100, questions="questions.csv", sample=30,
    confirm="votes.csv", labels="true.csv", save_labels="corrected.csv", ...
    Raises Error for stores without the scores of all classes or without labels, and for stores of other images or labels.
    """
    paths = runs if isinstance(runs, (list, tuple)) else [runs]
    return called("audit", *map(_store_path, paths), **options)


def slices(runs: Any, *, data: "str | os.PathLike[str] | None" = None, **options: "Unpack[SlicesOptions]") -> Any:
    """Finds slices of the images on which a model is less accurate than on the rest, as `assay slices --json` does.

    runs: a store, a data set, a RUNS folder, or a list of these. data: the images, whose brightness, sharpness, size and aspect make slices.
    options: labels="real.json", level=0.95, without_images=True, ...
    Raises Error for fewer than 80 images with scores and labels, and for data that holds other images.
    """
    paths = runs if isinstance(runs, (list, tuple)) else [runs]
    return called("slices", *map(_store_path, paths), data=data, **options)


def calibrate(runs: Any, *, layer: "str | os.PathLike[str] | None" = None, **options: "Unpack[CalibrateOptions]") -> Any:
    """Scales stored scores so that their probabilities match the accuracy, as `assay calibrate --json` does. The fit uses other items.

    runs: a store, a data set, a RUNS folder, or a list of these. options: method="vector", fit="calibration", split=0.2, ...
    layer: a file for the weights and biases of one model, to apply them after it.
    Raises Error for stores without the scores of all classes or without labels, and if items would be in both the fit and the result.
    """
    paths = runs if isinstance(runs, (list, tuple)) else [runs]
    more = [] if layer is None else ["--layer", layer]
    return called("calibrate", *map(_store_path, paths), *more, **options)


def ensemble(
    stores: Any, labels: Any = None, name: str = "ensemble", *, runs: "str | os.PathLike[str] | None" = None, dataset: str = "data",
    ids: "Optional[Sequence[Any]]" = None, classes: Any = None, kind: Optional[str] = None, **options: "Unpack[EnsembleOptions]"
) -> Any:
    """Averages several predictions of the same items, as `assay ensemble --json` does, and says how much they disagree.

    stores: paths, or Stores on the disk; the mean is stored next to the first one, as a separate model. ensemble(stores, "both") names it.
    Or arrays: items x members x classes (N x T x C), such as views of test-time augmentation. A list of items x classes and
    {member: items x classes} work, too.
    labels: of arrays, a class for each item, -1 for none.
    runs: of arrays, the folder in which the members and the mean are stored; None: nothing is stored. The result's "scores" is the mean, as an
    array of items x classes: log-probabilities, or logits with of="logits".
    dataset, ids, classes, kind: of arrays, as for assay.StoreWriter; the kind is detected.
    options: of="logits", level=0.99, threads=4.

    >>> import assay, numpy
    >>> found = assay.ensemble(numpy.array([[[2.0, 0.0], [0.0, 1.0]], [[0.0, 3.0], [0.0, 1.0]]]), [0, 1])
    >>> found["top1"]["value"], found["agreement"]["value"], found["scores"].shape
    (1.0, 0.5, (2, 2))
    """
    if isinstance(labels, str) and name == "ensemble":
        labels, name = None, labels
    from ._views import ensemble_of, is_array

    if is_array(stores):
        return ensemble_of(stores, labels, name, runs, dataset, ids, classes, kind, {**options})
    for what, value in {"labels": labels, "runs": runs, "ids": ids, "classes": classes, "kind": kind}.items():
        if value is not None:
            raise Error(f"{what}= is only for arrays; stored predictions have their own: omit it")
    if isinstance(stores, (str, os.PathLike)) or not hasattr(stores, "__iter__"):
        raise Error("an ensemble needs several stores: assay.ensemble([a, b], name=...)")
    return called("ensemble", *map(_store_path, stores), "--name", name, **options)


def _store_path(value: Any) -> Any:
    if isinstance(value, (str, os.PathLike)):
        return value
    path = getattr(value, "path", None)
    if path is None:
        raise Error("a store in memory: write it with assay.StoreWriter, or name a store on the disk")
    return path


def cost(model: Any, *, progress: Optional[bool] = None, **options: "Unpack[CostKeywords]") -> Any:
    """Measures parameters, operations, memory and latency of models, like `assay cost --json`. model: as for predict().

    Unknown values are None, and `no_weights` or `no_operators` says why. For example, the operations of a function of NumPy
    arrays are unknown.
    """
    return _with_models("cost", model, [], progress, {**options})


def main() -> None:
    """The command `assay` of an installed package: becomes the program."""
    try:
        path = program()
    except Error as error:
        sys.exit(f"assay: error: {error.message}")
    os.execv(path, [path, *sys.argv[1:]])


__all__ = ["Finished", "attack", "audit", "calibrate", "certify", "check", "corrupt", "cost", "ensemble", "main", "predict", "program", "robustness", "run", "slices", "words"]
