"""Writes images of this process to files, for commands that read images themselves: attack, check and corruptions.

They are in a temporary folder, losslessly, while the command runs. Numbers of a loader become images again if undoing mean and std gives
whole bytes. The command then computes the same numbers, to the last bit.
"""

from __future__ import annotations

import csv
import hashlib
import os
import tempfile
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Optional

from ._class_labels import ClassLabels, class_list
from ._datasets import Items, base_of
from ._library import Error
from ._local import GIVEN_PREPARING, PREPARING, note
from ._pixels import rgb_of
from ._worker.byte_values import FLOAT_255TH, byte_tables

# The usual means and standard deviations. A pair is accepted only if undoing it gives whole bytes everywhere.
_USUAL = (((0.0,) * 3, (1.0,) * 3), ((0.485, 0.456, 0.406), (0.229, 0.224, 0.225)), ((0.5,) * 3, (0.5,) * 3))
_BATCH = 16
_MOST_NAME = 200  # length of each part of a path in bytes
_EXTENSIONS = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff", ".gif", ".ppm", ".pgm", ".pbm", ".pnm")  # the command reads no other files as images


def _three(value: Any, what: str) -> "tuple[float, ...]":
    """mean= and std= as three numbers; one number counts for all three."""
    try:
        parts = value.split(",") if isinstance(value, str) else value if hasattr(value, "__iter__") else [value]
        numbers = tuple(float(one) for one in parts)
    except (TypeError, ValueError):
        raise Error(f"{what}={value!r}: allowed: one number or three") from None
    numbers = numbers * 3 if len(numbers) == 1 else numbers
    if len(numbers) != 3:
        raise Error(f"{what}= has {len(numbers)} numbers; allowed: one for each of the three channels")
    return numbers


def _normalize_of(data: Any) -> Optional[Any]:
    """The step Normalize of a data set's transform, if it has one."""
    transform = getattr(data, "transform", None)
    steps = getattr(transform, "transforms", [transform])
    found = [step for step in steps if hasattr(step, "mean") and hasattr(step, "std")]
    return found[-1] if found else None


class _Scale:
    """A possible conversion from bytes to numbers: (byte * scale - mean) / std."""

    def __init__(self, mean: "tuple[float, ...]", std: "tuple[float, ...]", scale: float):
        self.mean, self.std, self.scale = mean, std, scale
        self._tables = byte_tables({"mean": mean, "std": std, "scale": scale})

    def bytes_of(self, images: Any) -> Optional[Any]:
        """Converts n x 3 x height x width numbers to n x height x width x 3 bytes. None if a number does not match a byte."""
        import numpy

        out = numpy.empty((len(images), images.shape[2], images.shape[3], 3), numpy.uint8)
        for channel, table in enumerate(self._tables):
            numbers = images[:, channel]
            places = numpy.minimum(numpy.searchsorted(table, numbers), 255)
            if not bool((table[places] == numbers).all()):
                return None
            out[..., channel] = places
        return out

    def options(self) -> "dict[str, Any]":
        out = {key: ",".join(map(repr, value)) for key, value in (("mean", self.mean), ("std", self.std))}
        return {**out, "scale": repr(self.scale)}

    def __str__(self) -> str:
        def text(values: "tuple[float, ...]") -> str:
            return ", ".join(f"{value:g}" for value in values)

        return f"mean {text(self.mean)}, std {text(self.std)}" + (" of bytes" if self.scale == 1 else "")


def _readings(items: Items, settings: "list[dict[str, Any]]", options: "dict[str, Any]") -> "list[_Scale]":
    """Possible conversions of the numbers, the likeliest first."""
    pairs: "list[tuple[Any, Any]]" = []
    given = {key: options[key] for key in ("mean", "std", "scale") if options.get(key) is not None}
    if "mean" in given or "std" in given:
        pairs = [(_three(given.get("mean", 0), "mean"), _three(given.get("std", 1), "std"))]
        if not min(pairs[0][1]) > 0:
            raise Error(f"std={options['std']}: allowed: numbers above 0")
    else:
        step = _normalize_of(base_of(items))
        for mean, std in [] if step is None else [(step.mean, step.std)]:
            pairs.append((_three(mean, "mean"), _three(std, "std")))
        pairs += [(_three(own["mean"], "mean"), _three(own["std"], "std")) for own in settings if "mean" in own and "std" in own]
        pairs += _USUAL
    scales = [_three(given["scale"], "scale")[0]] if "scale" in given else [1 / 255, FLOAT_255TH]
    readings = [_Scale(mean, std, scale) for mean, std in dict.fromkeys(pairs) if min(std) > 0 for scale in scales]
    return readings + ([] if given else [_Scale((0.0,) * 3, (1.0,) * 3, 1.0)])


def _array(images: Any) -> Any:
    import numpy

    if hasattr(images, "detach"):
        images = images.detach().cpu().float().numpy()
    return numpy.asarray(images, numpy.float32)


class _Numbers:
    """Writes batches of prepared pixels as image files. `how`: the options with which the command gets the same pixels from them."""

    def __init__(self, items: Items, settings: "list[dict[str, Any]]", options: "dict[str, Any]", command: str):
        self._items, self._command = items, command
        self._readings = _readings(items, settings, options)
        self._sides: "Optional[tuple[int, int]]" = None

    @property
    def scale(self) -> _Scale:
        return self._readings[0]

    def how(self) -> "dict[str, Any]":
        assert self._sides is not None
        fixed = {"input_size": f"{self._sides[0]},{self._sides[1]}", "crop_mode": "none", "channel_order": "rgb", "resize_as": "pillow"}
        return {**fixed, "interpolation": "bilinear", **self.scale.options()}

    def images(self, batch: Any, where: str) -> Any:
        array = _array(batch)
        if array.ndim != 4 or array.shape[1] != 3:
            raise Error(f"{where}: a batch of {' x '.join(map(str, array.shape))} numbers is not a batch of images, n x 3 x "
                f"height x width", "bad_input")
        sides = (int(array.shape[2]), int(array.shape[3]))
        self._sides = self._sides or sides
        if self._sides != sides:
            raise Error(f"{where}: an image of {sides[0]} x {sides[1]} numbers, but the first ones have {self._sides[0]} x "
                f"{self._sides[1]}", "bad_input")
        fits = [(one, found) for one in self._readings if (found := one.bytes_of(array)) is not None]
        if not fits:
            raise Error(
                f"{where}: the numbers are not bytes with {self.scale}, and assay.{self._command} works on bytes. Give mean= and "
                f"std= of the "
                "loader's Normalize, or the folder of the images. A data set of Pillow images (no transform) works, too, with weights=, transform= or preset="
            )
        # Several pairs may give the same bytes. Later images show which pair is right.
        self._readings = [one for one, found in fits if bool((found == fits[0][1]).all())]
        return fits[0][1]


def _safe_paths(ids: "list[str]") -> "list[str]":
    """A file name for each id: the id if it can be a name, otherwise its number."""
    folders = {os.path.dirname(id_) for id_ in ids}

    def fits(id_: str) -> bool:
        parts = id_.split("/")
        plain = all(part and part not in (".", "..") and len(os.fsencode(part)) <= _MOST_NAME for part in parts)
        return plain and not any(ord(c) < 0x20 for c in id_) and id_ not in folders and parts[-1].lower().endswith(_EXTENSIONS)

    if all(map(fits, ids)):
        return list(ids)
    return [f"{i:08}.png" for i in range(len(ids))]


def drawn(ids: "list[str]", count: int) -> "set[int]":
    """Draws this many items by a hash of their ids: the same in every call."""
    hashes = sorted((hashlib.blake2b(id_.encode(errors="surrogatepass"), digest_size=8).digest(), i) for i, id_ in enumerate(ids))
    return {i for _, i in hashes[:count]}


class Stored:
    """A context in which the images are in the folder `images`, and the file `listed` lists them. Adds the options that the command
    needs to `options`.

    words: the arguments that name the images.
    """

    def __init__(self, items: Items, command: str, models: "list[Any]", options: "dict[str, Any]", progress: Any, sample: Optional[int] = None):
        """models: objects, or None for models given by name. sample: the number of images that is enough."""
        self._items, self._command, self._models = items, command, models
        self._options, self._progress, self._sample = options, progress, sample
        self._folder = tempfile.TemporaryDirectory(prefix="assay-images-")
        self.images = os.path.join(self._folder.name, items.name)
        self.listed = os.path.join(self._folder.name, "images.csv")

    @property
    def words(self) -> "list[str]":
        name = [] if "dataset_name" in self._options else ["--dataset-name", self._items.name]
        return ["--data", self.images, "--list", self.listed, *name]

    def __enter__(self) -> "Stored":
        try:
            self._write()
            return self
        except OSError as error:
            self._folder.cleanup()
            raise Error(f"{error}: assay.{self._command} needs the images in a temporary folder; set TMPDIR to another folder, "
                f"or use a Subset", "io")
        except BaseException:
            self._folder.cleanup()
            raise

    def __exit__(self, *_: Any) -> None:
        self._folder.cleanup()

    def _write(self) -> None:
        items, options = self._items, self._options
        numbers = self._numbers()
        settings = self._settings()
        labels = ClassLabels(items, "the model", settings[0] if settings else {}, None, options)
        wanted = range(items.count) if self._sample is None or self._sample >= items.count else drawn(items.ids, self._sample)
        paths = _safe_paths(items.ids)
        rows, total = [], 0
        with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
            for begin, batch, own in items.batches(_BATCH):
                own = labels.of(own, items.ids[begin:begin + len(own)])
                chosen = [i for i in range(len(own)) if begin + i in wanted]
                if not chosen:
                    continue
                made = batch if numbers is None else numbers.images(batch, f"item {begin} ({items.ids[begin]})")
                total += sum(pool.map(lambda i: _save(made[i], os.path.join(self.images, paths[begin + i]), items.ids[begin + i]), chosen))  # noqa: B023
                rows += [(items.ids[begin + i], paths[begin + i], own[i]) for i in chosen]
        if numbers is not None:
            for key in (*PREPARING, *GIVEN_PREPARING):
                options.pop(key, None)
            options.update(numbers.how())
        self._list(rows, labels)
        size = f"{total / 1e6:.1f} MB" if total < 1e9 else f"{total / 1e9:.1f} GB"
        what = f"{len(rows)} images" if len(rows) == items.count else f"{len(rows)} of {items.count} images, drawn by a hash of their ids,"
        note(f"{items.name}: {items.says}: {what} are in a temporary folder for assay.{self._command} ({size})", self._progress)
        if numbers is not None:
            note(f"{items.name}: the numbers are bytes with {numbers.scale}: the model gets the same numbers", self._progress)
        for text in (*items.warnings, *([labels.warning] if labels.warning else ())):
            note(text, self._progress)

    def _numbers(self) -> Optional[_Numbers]:
        if not self._items.raw:
            return None
        others = [key for key in (*PREPARING, *GIVEN_PREPARING) if self._options.get(key) is not None and key not in ("mean", "std", "scale")]
        if others:
            raise Error(f"{self._items.says}: they are used unchanged, so omit {', '.join(f'{key}=' for key in others)}")
        return _Numbers(self._items, self._settings(), self._options, self._command)

    def _settings(self) -> "list[dict[str, Any]]":
        """Opens the models that are objects; the command opens the others."""
        return [model.description.settings for model in self._models if model is not None]

    def _list(self, rows: "list[tuple[str, str, int]]", labels: ClassLabels) -> None:
        """Writes the list of the images, and that of the classes if there is one."""
        listed = None if labels.classes is None else class_list(labels.classes)
        with open(self.listed, "w", newline="", encoding="utf-8", errors="surrogateescape") as file:
            writer = csv.writer(file)
            writer.writerow(("id", "path", "label"))
            for id_, place, label in rows:
                writer.writerow((id_, place, "" if label < 0 else label if listed is None else listed[0][label]))
        if listed is not None and self._command != "corrupt":
            self._options["classes"] = "imagenet" if labels.classes == "imagenet" else _class_file(self._folder.name, *listed)


def _class_file(folder: str, ids: "list[str]", names: "list[str]") -> str:
    """A class list for the command."""
    path = os.path.join(folder, "classes.csv")
    with open(path, "w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(("index", "id", "name"))
        for i, (id_, name) in enumerate(zip(ids, names)):
            writer.writerow((i, id_, name or id_))
    return path


def _save(image: Any, path: str, id_: str) -> int:
    """Writes a PNG under any file name and returns its number of bytes."""
    import numpy

    try:
        from PIL import Image
    except ImportError as error:
        raise Error("writing images of this process needs Pillow: `pip install pillow`") from error
    os.makedirs(os.path.dirname(path), exist_ok=True)
    # Makes a new image, because Pillow would also write the color profile and the transparency of the old one.
    pixels = image if isinstance(image, numpy.ndarray) else numpy.asarray(rgb_of(image, id_))
    Image.fromarray(pixels).save(path, "PNG", compress_level=1)
    return os.path.getsize(path)


def refuse_numbers(items: Items, what: str) -> None:
    """For commands that change the bytes of images before preprocessing."""
    if items.raw:
        raise Error(
            f"{what} changes images before they are prepared, but these numbers are already prepared ({items.says}). Pass the "
            f"folder of the images, or a data set of Pillow images (no transform). Define the preprocessing with weights=, transform= or preset="
        )


__all__ = ["Stored", "drawn", "refuse_numbers"]
