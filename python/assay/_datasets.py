"""Data sets that are objects in this process: folders of torchvision, data sets of Hugging Face, any map-style data set, and loaders.

A folder with its own list of files becomes arguments of the command. Everything else is an `Items`: ids, labels, and batches of images.
Nothing is written, and one batch at a time is in memory.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from typing import Any, Optional

from ._hub_data import columns_of, file_names, parts_of
from ._label_values import label_of, labels_of
from ._library import Error
from ._pixels import is_image
from ._worker.objects import safe_name

# Keys of items and batches that are dictionaries, as in torchvision, Hugging Face and timm.
_IMAGE_KEYS = ("image", "images", "img", "pixel_values", "pixels", "input", "inputs", "x")
_LABEL_KEYS = ("label", "labels", "target", "targets", "class", "fine_label", "y")
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_TAKEN = (
    "a path, an ImageFolder, a datasets.Dataset, a data set with len() whose data[i] is (image, label), or a DataLoader that "
    "does not shuffle"
)


def is_words(data: Any) -> bool:
    """Paths and addresses, which are passed to the command."""
    if isinstance(data, (list, tuple)):
        return len(data) > 0 and all(isinstance(one, (str, os.PathLike)) for one in data)
    return isinstance(data, (str, os.PathLike))


def _kind(data: Any) -> str:
    return type(data).__name__


def _length(data: Any) -> Optional[int]:
    try:
        return len(data)
    except (TypeError, NotImplementedError):
        return None


def _is_loader(data: Any) -> bool:
    return hasattr(data, "dataset") and hasattr(data, "__iter__") and not hasattr(data, "__getitem__")


def _is_array(value: Any) -> bool:
    return hasattr(value, "shape") and hasattr(value, "dtype") and not is_image(value)


def _is_folder(data: Any) -> bool:
    return all(hasattr(data, name) for name in ("root", "samples", "classes", "class_to_idx", "loader"))


def _parts(item: Any, columns: "tuple[str, str]" = ("", "")) -> "tuple[Any, Any]":
    """(images, labels) of an item or a batch; None: there are no labels."""
    if hasattr(item, "keys"):
        names = [str(name) for name in item.keys()]
        image = columns[0] or next((name for name in _IMAGE_KEYS if name in names), "")
        label = columns[1] or next((name for name in _LABEL_KEYS if name in names), "")
        if image not in names:
            raise Error(f"an item has the keys {', '.join(names)}, but none of them is an image ({', '.join(_IMAGE_KEYS)})", "bad_input")
        return item[image], item[label] if label in names else None
    if isinstance(item, (list, tuple)):
        if not item:
            raise Error("an item is empty: (image, label) is needed", "bad_input")
        return item[0], item[1] if len(item) > 1 else None
    return item, None


class Items:
    """Images in this process. `name`: name of the results. `labels`: None if they are only known together with the images."""

    def __init__(self, name: str, count: int):
        self.name = safe_name(name)
        self.count = count
        self.ids: "list[str]" = [str(i) for i in range(count)]
        self.labels: "Optional[list[int]]" = None
        self.classes: "Optional[list[str]]" = None
        self.root: Optional[str] = None
        self.raw = False  # the items are numbers, which are used unchanged
        self.warnings: "list[str]" = []
        self.says = ""  # describes the items, for a note and for the identity
        self._data: Any = None
        self._columns = ("", "")

    def describe(self) -> str:
        """The differences between this data set and another."""
        labels = hashlib.blake2b("\n".join(self.ids).encode(errors="surrogatepass"), digest_size=8).hexdigest()
        return f"{self.says}; {self.count} items; ids {labels}"

    def batches(self, size: int) -> "Iterator[tuple[int, Any, list[int]]]":
        """Yields (first item, images, labels). Images are a list of images of Pillow, or an array."""
        for begin in range(0, self.count, size):
            images, labels = [], []
            for i in range(begin, min(begin + size, self.count)):
                try:
                    image, label = _parts(self._data[i], self._columns)
                except Error:
                    raise
                except Exception as error:
                    raise Error(f"the data set raised {type(error).__name__}: {error} (item {i}, {self.ids[i]})", "bad_input") from error
                self._check(image, i)
                images.append(image)
                labels.append(_placed(lambda: label_of(label, self.classes), self.ids[i]))
            yield begin, _stacked(images, self.ids[begin]) if self.raw else images, labels

    def _check(self, image: Any, i: int) -> None:
        if is_image(image) == self.raw:
            one, other = ("an image of Pillow", "numbers") if self.raw else ("no image of Pillow", "images of Pillow")
            raise Error(f"item {i} ({self.ids[i]}) is {one} ({_kind(image)}), but the first items are {other}", "bad_input")


class LoaderItems(Items):
    """Batches of a loader, in the loader's sizes."""

    def batches(self, size: int) -> "Iterator[tuple[int, Any, list[int]]]":
        at = 0
        walk = iter(self._data)
        while True:
            try:
                batch = next(walk)
            except StopIteration:
                break
            except Exception as error:
                raise Error(f"the loader raised {type(error).__name__}: {error} (after {at} of {self.count} images)", "bad_input") from error
            images, labels = _parts(batch)
            if not _is_array(images) or len(images.shape) < 2:
                raise Error(f"a batch of the loader begins with {_kind(images)}: a tensor of n images is needed", "bad_input")
            count = int(images.shape[0])
            if at + count > self.count:
                raise Error(f"the loader gives more than the {self.count} images of its data set", "bad_input")
            yield at, images, _placed(lambda: labels_of(labels, count, self.classes), f"the batch from image {at} on")
            at += count
        if at != self.count:
            raise Error(f"the loader gave {at} images, but its data set has {self.count}: it must give every image once", "bad_input")


def _placed(work: Any, where: str) -> Any:
    try:
        return work()
    except Error as error:
        raise Error(f"{where}: {error.message}", error.code) from None


def _stacked(images: "list[Any]", where: str) -> Any:
    shapes = {tuple(int(side) for side in image.shape) for image in images}
    if len(shapes) != 1:
        raise Error(f"images of different shapes in the batch from {where} on ({', '.join(map(str, sorted(shapes)))}): the model "
            f"needs a single shape", "bad_input")
    if hasattr(images[0], "unsqueeze"):
        import torch

        return torch.stack(images)
    import numpy

    return numpy.stack([numpy.asarray(image) for image in images])


def _through(parts: "list[list[int]]") -> "list[int]":
    """The indices of nested parts in the whole data set. parts: the indices of each part in the next one, the outermost last."""
    chosen = parts[-1]
    for part in reversed(parts[:-1]):
        chosen = [chosen[i] for i in part]
    return chosen


class _Facts:
    """Facts of a data set. A part of it (torch's Subset) describes only its own items."""

    def __init__(self, data: Any):
        parts: "list[list[int]]" = []
        while hasattr(data, "indices") and hasattr(data, "dataset"):
            parts.append([int(i) for i in data.indices])
            data = data.dataset
        self.indices: "Optional[list[int]]" = _through(parts) if parts else None
        self.base = data

    def _of_items(self, values: Any, count: int) -> "Optional[list[Any]]":
        values = values.tolist() if hasattr(values, "tolist") else values
        if not isinstance(values, (list, tuple)):
            return None
        if self.indices is not None:
            values = [values[i] for i in self.indices] if not self.indices or max(self.indices) < len(values) else []
        return list(values) if len(values) == count else None

    def files(self, count: int) -> "Optional[list[str]]":
        listed = self._of_items(getattr(self.base, "samples", None) or getattr(self.base, "imgs", None), count)
        if not listed or not all(isinstance(one, (list, tuple)) and isinstance(one[0], (str, os.PathLike)) for one in listed):
            return None
        return [os.fspath(one[0]) for one in listed]

    def labels(self, count: int) -> "Optional[list[int]]":
        if getattr(self.base, "target_transform", None) is not None:
            return None
        listed = self._of_items(getattr(self.base, "targets", None), count)
        return [int(one) if one >= 0 else -1 for one in listed] if listed and all(type(one) is int for one in listed) else None

    def classes(self) -> "Optional[list[str]]":
        listed = getattr(self.base, "classes", None)
        if not isinstance(listed, (list, tuple)) or not listed or getattr(self.base, "target_transform", None) is not None:
            return None
        names = [" or ".join(map(str, one)) if isinstance(one, (list, tuple)) else str(one) for one in listed]
        return names if len(set(names)) == len(names) else None

    def name(self) -> str:
        root = getattr(self.base, "root", None)
        if isinstance(root, (str, os.PathLike)) and (getattr(self.base, "samples", None) or getattr(self.base, "imgs", None)):
            return os.path.basename(os.path.abspath(root)) or "data"
        return _kind(self.base).lower() if _kind(self.base) not in ("list", "tuple", "Tensor", "ndarray") else "data"

    def fill(self, items: Items) -> None:
        items.labels, items.classes = self.labels(items.count), self.classes()
        files = self.files(items.count)
        if files is None:
            if self.indices is not None:
                items.ids = [str(i) for i in self.indices]
        else:
            root = getattr(self.base, "root", None)
            inside = isinstance(root, (str, os.PathLike)) and all(os.path.abspath(file).startswith(os.path.abspath(root) + os.sep) for file in files)
            items.ids = [os.path.relpath(file, root) for file in files] if inside else files
            items.root = os.path.abspath(root) if inside and root is not None else None
        if len(set(items.ids)) != items.count:
            raise Error(f"the data set has an item twice ({_first_twice(items.ids)}): each image counts once", "bad_input")


def base_of(items: Items) -> Any:
    """The data set itself, if `items` has a loader or a part of it."""
    return _Facts(getattr(items._data, "dataset", items._data)).base


def _first_twice(ids: "list[str]") -> str:
    seen: "set[str]" = set()
    return next(id_ for id_ in ids if id_ in seen or seen.add(id_))  # type: ignore[func-returns-value]


def _look(image: Any) -> str:
    shape = " x ".join(str(int(side)) for side in image.shape)
    return f"{shape}, {str(image.dtype).replace('torch.', '')}"


def _transform_text(data: Any) -> str:
    return _ADDRESS.sub("", repr(getattr(data, "transform", None) or getattr(data, "transforms", None)))


def _hash_of(array: Any) -> str:
    array = array.detach().cpu() if hasattr(array, "detach") else array
    numbers = array.float().numpy() if hasattr(array, "float") else array
    return hashlib.blake2b(numbers.tobytes(), digest_size=8).hexdigest()


def _of_loader(loader: Any) -> Items:
    count = _length(loader.dataset)
    if count is None:
        raise Error(f"the data set of the loader, {_kind(loader.dataset)}, has no length: pass a map-style data set, or store "
            f"the images first")
    sampler = getattr(loader, "sampler", None)
    name = _kind(sampler)
    if "Random" in name or getattr(loader, "shuffle", None) is True:
        raise Error(f"the loader shuffles ({name}), but scores belong to the images in order: make it with shuffle=False")
    batches = getattr(loader, "batch_sampler", None)
    if sampler is not None and name not in ("SequentialSampler", "_InfiniteConstantSampler"):
        raise Error(f"the loader has the sampler {name}, but scores belong to the images in order: omit sampler=, or pass a Subset")
    if batches is not None and _kind(batches) != "BatchSampler":
        raise Error(f"the loader has the batch sampler {_kind(batches)}, but scores belong to the images in order: omit batch_sampler=")
    size = getattr(loader, "batch_size", None)
    if getattr(loader, "drop_last", False) and size and count % size:
        raise Error(f"the loader drops the last {count % size} of {count} images (drop_last=True): make it with drop_last=False")
    facts = _Facts(loader.dataset)
    items = LoaderItems(f"{facts.name()}-loader", count)
    items.raw = True
    items._data = loader
    facts.fill(items)
    items.says = f"pixels as the {_kind(loader)} gives them"
    if hasattr(facts.base, "features") and hasattr(facts.base, "column_names"):
        label = columns_of(facts.base, False)[1]
        items.classes = [str(one) for one in facts.base.features[label].names] if label else None
    return _with_first(items, facts, size or 0)


def _is_random(items: Items) -> bool:
    """Whether an image has different pixels when it is read again."""
    data = items._data.dataset if isinstance(items, LoaderItems) else items._data
    try:
        first, again = _parts(data[0], items._columns)[0], _parts(data[0], items._columns)[0]
    except Exception:  # reading the images later raises the same error
        return False
    return _is_array(first) and _is_array(again) and _hash_of(first) != _hash_of(again)


def _with_first(items: Items, facts: _Facts, size: int) -> Items:
    """Adds a summary of the first image's numbers to the data set's identity. Another transform then gives another store."""
    _, images, _ = next(items.batches(1))
    items.says += f" ({_look(images[0])})"
    if _is_random(items):
        items.warnings.append(
            f"{items.name}: the first image has different pixels when it is read again: its transform may be random. A repeated "
            f"call would give other results"
        )
    items._identity = f"{_kind(facts.base)}; batches of {size}; {_transform_text(facts.base)}; first {_hash_of(images[0])}"  # type: ignore[attr-defined]
    return items


def _identify_images(items: Items) -> None:
    """Distinguishes data sets with equal ids but different images, by the transform and by three images."""
    import numpy

    facts = _Facts(items._data)
    some = [_parts(items._data[i], items._columns)[0] for i in sorted({0, items.count // 2, items.count - 1})]
    hashes = [_hash_of(numpy.asarray(one)) for one in some if is_image(one)]
    made = str(getattr(facts.base, "_fingerprint", ""))
    items._identity = "; ".join([_kind(facts.base), _transform_text(facts.base), made, *hashes])  # type: ignore[attr-defined]


def _of_hub(data: Any) -> Items:
    image, label = columns_of(data)
    count = len(data)
    info = getattr(data, "info", None)
    name = str(getattr(info, "dataset_name", None) or getattr(info, "builder_name", None) or "data")
    split = str(data.split) if getattr(data, "split", None) is not None else ""
    items = Items(f"{name}-{split}" if split else name, count)
    items._data = data
    items._columns = (image, label)
    items.says = f"images of the data set {items.name}, column {image}"
    if label:
        items.classes = [str(one) for one in data.features[label].names]
        items.labels = [-1 if one is None or one < 0 else int(one) for part in parts_of(data, label) for one in part.to_pylist()]
    items.ids = file_names(data, image, count) or items.ids
    return items


def _of_items(data: Any) -> Items:
    count = _length(data)
    if count is None:
        raise Error(f"{_kind(data)} has no length: pass a map-style data set (len() and data[i]), or store the images first")
    facts = _Facts(data)
    items = Items(facts.name(), count)
    items._data = data
    facts.fill(items)
    items.says = f"images of the data set {items.name}"
    return items


def _settle(items: Items) -> Items:
    """Returns the items as images or as numbers, which the first item decides."""
    if not items.count:
        raise Error("the data set has no images", "bad_input")
    if isinstance(items, LoaderItems):
        return items
    try:
        image, _ = _parts(items._data[0], items._columns)
    except Error:
        raise
    except Exception as error:
        raise Error(f"the data set raised {type(error).__name__}: {error} (item 0, {items.ids[0]})", "bad_input") from error
    if is_image(image):
        _identify_images(items)
        return items
    if not _is_array(image) or len(image.shape) < 2:
        raise Error(f"the first item of the data set is {_kind(image)}: pass Pillow images or tensors", "bad_input")
    if "uint8" in str(image.dtype) and len(image.shape) == 3 and int(image.shape[-1]) == 3:
        raise Error("the data set gives bytes, height x width x 3: pass Pillow images (Image.fromarray), which Assay resizes, or "
            "prepared tensors")
    items.raw = True
    facts = _Facts(items._data)
    items.says = f"pixels as the {_kind(facts.base)} gives them"
    items.name = f"{items.name}-pixels"
    return _with_first(items, facts, 0)


def items_of(data: Any) -> Items:
    """The images and labels of an object. Raises Error if its type is not supported."""
    if _is_loader(data):
        return _of_loader(data)
    if isinstance(data, dict):
        raise Error(f"the data are a dictionary of {', '.join(map(str, data))}: choose one, data[{next(iter(data), '')!r}]")
    if hasattr(data, "features") and hasattr(data, "column_names"):
        if _length(data) is None:
            raise Error(f"{_kind(data)} streams and has no length: load it without streaming=True, or name its Parquet files")
        return _settle(_of_hub(data))
    if isinstance(data, (list, tuple)) and any(isinstance(one, (str, os.PathLike)) for one in data):
        raise Error("data mixes paths and objects: pass one data set at a time")
    if hasattr(data, "__iter__") and not hasattr(data, "__getitem__"):
        raise Error(f"{_kind(data)} is an iterable without data[i] and a length: pass a map-style data set, or store the images first")
    if not hasattr(data, "__getitem__") or isinstance(data, (bytes, bytearray)):
        raise Error(f"data is {_kind(data)}; taken are {_TAKEN}")
    return _settle(_of_items(data))


class Folder:
    """A folder of torchvision with its own list of files, which the command reads. Its transform defines the preprocessing."""

    def __init__(self, data: Any):
        self.path = os.fspath(data.root)
        self.images = len(data.samples)
        self.transform = getattr(data, "transform", None)


def folder_of(data: Any) -> Optional[Folder]:
    """None if it is not such a folder, or if its list of files or its labels were changed."""
    if not _is_folder(data) or getattr(data, "target_transform", None) is not None or "default_loader" not in str(data.loader):
        return None
    root = os.fspath(data.root)
    if list(data.classes) != sorted(entry.name for entry in os.scandir(root) if entry.is_dir()):
        return None
    files = {os.path.abspath(path): label for path, label in data.samples}
    extensions = tuple(getattr(data, "extensions", None) or ())
    found = 0
    for label, name in enumerate(data.classes):
        for folder, _, names in os.walk(os.path.join(root, name), followlinks=True):
            for file in names:
                if extensions and not file.lower().endswith(extensions):
                    continue
                if files.get(os.path.abspath(os.path.join(folder, file))) != label:
                    return None
                found += 1
    return Folder(data) if found == len(files) == len(data.samples) else None


__all__ = ["Folder", "Items", "base_of", "folder_of", "is_words", "items_of"]
