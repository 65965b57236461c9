"""Converts the labels of data sets in this process to the classes of the model."""

from __future__ import annotations

import os
from typing import Any, Optional

from ._datasets import Items
from ._inputs import shape_of
from ._labels import is_no_name, is_plain_list, to_numpy
from ._library import Error
from .store import Store


def class_list(classes: Any) -> "tuple[list[str], list[str]]":
    """Ids and names of the classes that classes= gives: "imagenet", a file, a list."""
    store = Store.of([0], classes=classes)
    return store.class_ids, store.class_names


def numbers_in(values: Any, classes: Any, what: str) -> Any:
    """Texts, one for each item, as the numbers of the classes with these ids or names: classes is "imagenet" or a file. -1: no text.
    Other values are returned as they are."""
    if not isinstance(classes, (str, os.PathLike)):
        return values
    return numbers_among(values, None, what, classes)


def numbers_among(values: Any, listed: "Optional[tuple[list[str], list[str]]]", what: str, classes: Any = None) -> Any:
    """Like numbers_in(), with the ids and names in `listed`. None: those of `classes`, which are read only if there are texts."""
    import numpy

    if len(shape_of(values) or ()) != 1 or is_plain_list(values):
        return values
    array = to_numpy(values, what, masked=True)
    texts = array.tolist() if array.dtype.kind in "UO" else []
    if not any(isinstance(text, str) for text in texts):
        return values
    ids, names = listed or class_list(classes)
    of_names: "dict[str, list[int]]" = {}
    for i, name in enumerate(names):
        of_names.setdefault(name, []).append(i)
    places = {**of_names, **{id_: [i] for i, id_ in enumerate(ids)}}
    out = numpy.full(len(texts), -1, numpy.int64)
    for item, text in enumerate(texts):
        if is_no_name(text):
            continue
        found = places.get(str(text), [])
        if len(found) != 1:
            means = f"means the classes {' and '.join(ids[i] for i in found)}: pass ids" if found else f"is not one of the {len(ids)} classes"
            raise Error(f"{what}: `{text}` (item {item}) {means}")
        out[item] = found[0]
    return out


def _listed_in(classes: Any) -> Any:
    """The class list of a model's settings, in the form for classes=."""
    if not isinstance(classes, dict) or not isinstance(classes.get("names"), list):
        return classes
    names = classes["names"]
    ids = classes.get("ids") or (names if len(set(names)) == len(names) else range(len(names)))
    return {str(id_): str(name) for id_, name in zip(ids, names)}


def _likely_scores(classes: Any, own: "Optional[list[str]]") -> int:
    """The number of scores of a model with these classes, or otherwise with those of the data set."""
    if classes is not None:
        return len(class_list(classes)[0])
    if own is None:
        return 1 << 31
    return 1000 if any(set(own) <= set(names) for names in class_list("imagenet")) else len(own)


class ClassLabels:
    """Maps the data set's classes to the model's: by ids or names if both have them, otherwise by number.

    warning: the assumption; "" if there is none.
    """

    def __init__(self, items: Items, name: str, settings: "dict[str, Any]", scores: Optional[int], options: "dict[str, Any]"):
        """name, settings: those of the model. scores: how many scores it returns per image. If it is None, the command checks the
        length of the list."""
        own = items.classes
        given = options.get("classes", _listed_in(settings.get("classes") or settings.get("label_names")))
        if scores is None:
            scores = _likely_scores(given, own)
        self.classes: Any = given if given is not None else "imagenet" if scores == 1000 else None
        self.size = scores
        self.warning = ""
        self._map: "Optional[list[int]]" = None
        listed = class_list(self.classes) if self.classes is not None else None
        if listed is not None and len(listed[0]) != scores:
            raise Error(f"{name} returns {scores} scores, but its class list has {len(listed[0])}: pass the model's own list "
                f"with classes=[...]")
        if own is None:
            return
        for names in listed or ():
            if len(set(names)) == len(names) and set(own) <= set(names):
                places = {one: i for i, one in enumerate(names)}
                self._map = [places[one] for one in own]
                return
        if len(own) != scores:
            known = "" if listed is None else f", and {next(one for one in own if one not in listed[0] or one not in listed[1])!r} is not one of the model's"
            raise Error(
                f"the data set has {len(own)} classes{known}, and {name} returns {scores} scores. Pass the model's class list, "
                f"classes=[...] (or \"imagenet\", or a file), which has the data set's classes"
            )
        if listed is not None:
            self.warning = f"some classes of the data set are not in the class list of {name}: assuming that both have the same order"
        if options.get("classes") is None:
            self.classes = own

    def same_as(self, other: "ClassLabels") -> bool:
        own, others = (list(one.items()) if isinstance(one, dict) else one for one in (self.classes, other.classes))  # in order
        return bool(self._map == other._map and own == others)

    def of(self, labels: "list[int]", ids: "list[str]") -> "list[int]":
        out = []
        for label, id_ in zip(labels, ids):
            most = len(self._map) if self._map is not None else self.size
            if label >= most:
                raise Error(f"{id_} has the label {label}, and the classes are 0 to {most - 1}", "bad_input")
            out.append(label if label < 0 or self._map is None else self._map[label])
        return out


__all__ = ["ClassLabels", "class_list", "numbers_among", "numbers_in"]
