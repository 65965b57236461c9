"""Labels in the forms that users pass: whole numbers, truth values, names, one-hot rows, label matrices."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, NamedTuple, Optional

from ._library import Error


class Labels(NamedTuple):
    """One class per item, or the valid classes of each as a matrix of zeros and ones. The other field is then None."""

    single: Any
    matrix: Any


def to_plain(value: Any) -> Any:
    """Converts columns and tables of pandas, polars and pyarrow to NumPy arrays; returns anything else unchanged."""
    module = type(value).__module__.partition(".")[0]
    if module == "pyarrow":
        if hasattr(value, "columns") and hasattr(value, "column_names"):
            import numpy

            return numpy.column_stack([to_plain(column) for column in value.columns])
        if value.null_count:
            return _objects_of(value.to_pylist())
        # A chunked array has no zero_copy_only.
        return value.to_numpy() if hasattr(value, "chunks") else value.to_numpy(zero_copy_only=False)
    if module == "polars" and hasattr(value, "null_count") and hasattr(value, "to_list") and value.null_count():
        return _objects_of(value.to_list())
    if module == "pandas" and hasattr(value, "isna") and getattr(value, "ndim", 2) == 1 and value.isna().any() and value.dtype.kind != "f":
        return value.to_numpy(dtype=object)  # NA would become nan
    if module in ("pandas", "polars") and hasattr(value, "to_numpy"):
        return value.to_numpy()
    return value


def _objects_of(values: "list[Any]") -> Any:
    import numpy

    out = numpy.empty(len(values), dtype=object)
    out[:] = values
    return out


def is_on_processor(value: Any) -> bool:
    """Whether a tensor with DLPack is in the memory of the processor, pinned or not."""
    try:
        device, _ = value.__dlpack_device__()
    except ValueError:  # DLPack has no number for the device: "meta"
        return False
    return device in (1, 3)


def is_unresolved(value: Any) -> bool:
    """Whether it is a tensor of PyTorch with the negative bit: the numbers in its memory have the opposite sign."""
    return bool(value.is_neg()) if hasattr(value, "is_neg") else False


def is_masked(value: Any) -> bool:
    """Whether it is a masked array of NumPy. NumPy's other functions ignore the mask."""
    return hasattr(value, "mask") and hasattr(value, "filled")


def to_numpy(value: Any, what: str, masked: bool = False) -> Any:
    """A small array for NumPy. Refuses a tensor on another device, and a masked array unless it may be `masked`."""
    import numpy

    if is_masked(value) and not masked:
        raise Error(f"{what}: a masked array; mark unknown numbers with x.filled(numpy.nan)")
    value = to_plain(value)
    if hasattr(value, "__dlpack_device__") and not hasattr(value, "__array_interface__"):
        if not is_on_processor(value):
            raise Error(f"{what}: the tensor is on a device ({getattr(value, 'device', '')}): pass tensor.cpu()")
        value = value.detach() if hasattr(value, "detach") else value
        if str(getattr(value, "dtype", "")) == "torch.bfloat16":  # NumPy has no such type
            value = value.float()
        if is_unresolved(value):
            value = value.resolve_neg()
        if "strided" not in str(getattr(value, "layout", "strided")):
            raise Error(f"{what}: a tensor with the layout {value.layout}: pass tensor.to_dense()")
    try:
        return numpy.asarray(value)
    except RuntimeError as error:  # of PyTorch
        raise Error(f"{what}: {error}") from error
    except (TypeError, ValueError):
        raise Error(f"{what}: rows of different lengths, or of different types; label_sets= takes a list of classes for each item") from None


def is_float(array: Any) -> bool:
    """Whether it is a float type, including bfloat16 of ml_dtypes, which NumPy lists as a void type."""
    return bool(array.dtype.kind == "f" or array.dtype.name == "bfloat16")


def class_names(classes: Any) -> "Optional[list[Any]]":
    """The names in `classes`; None if it is a file name or missing."""
    if classes is None or isinstance(classes, (str, os.PathLike)):
        return None
    if isinstance(classes, Mapping):
        return list(classes.values())
    if not hasattr(classes, "__iter__"):
        raise Error(f"classes={classes!r}: the names of the classes are needed, a file, or \"imagenet\"; num_classes={classes!r} is their number")
    return list(to_plain(classes))


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType")


def is_no_name(value: Any) -> bool:
    """Whether a name is missing; pandas uses nan, too."""
    return _is_missing(value) or (isinstance(value, float) and value != value)


def _numbered(values: "list[Any]", names: "Optional[list[Any]]", what: str) -> "list[int]":
    if not names:
        raise Error(f"{what}: class names, but `classes` does not list them: pass classes=[...] in the order of the scores' columns")
    numbers = {str(name): i for i, name in enumerate(names)}
    out = []
    for i, value in enumerate(values):
        if not is_no_name(value) and str(value) not in numbers:
            raise Error(f"{what}: `{value}` (item {i}) is not one of the {len(numbers)} classes")
        out.append(-1 if is_no_name(value) else numbers[str(value)])
    return out


def _whole(array: Any, what: str) -> Any:
    """Converts an array of floats to whole numbers."""
    import numpy

    wrong = numpy.flatnonzero(~numpy.isfinite(array))
    if wrong.size:
        raise Error(f"{what}: {array[wrong[0]]} (item {wrong[0]}); allowed: a whole number, or -1 for no label: "
            f"numpy.nan_to_num(y, nan=-1)")
    wrong = numpy.flatnonzero(array != numpy.floor(array))
    if wrong.size:
        raise Error(f"{what}: fractions (item {wrong[0]} has {array[wrong[0]]:g}); allowed: whole numbers, and -1 for no label")
    return array.astype(numpy.int64)


def _objects(array: Any, names: "Optional[list[Any]]", what: str) -> Any:
    """Converts Python objects to whole numbers: numbers, truth values, names, None."""
    import numpy

    values = array.tolist()
    if any(isinstance(value, (str, bytes)) for value in values):
        return numpy.asarray(_numbered(values, names, what), numpy.int64)
    try:
        return _whole(numpy.asarray([-1.0 if _is_missing(value) else float(value) for value in values]), what)
    except (TypeError, ValueError):
        raise Error(f"{what}: an array of Python objects; allowed: whole numbers or class names, one per item") from None


def _of_matrix(array: Any, what: str, as_sets: bool) -> Labels:
    import numpy

    if array.shape[1] == 1:
        return Labels(_of_vector(array[:, 0], None, what), None)
    if array.dtype.kind not in "biuf" or not numpy.isin(array, (0, 1)).all():
        raise Error(
            f"{what}: a matrix of {array.shape[0]} x {array.shape[1]}; allowed: one class per item, or a matrix of zeros and "
            f"ones. Pass probabilities as soft_labels="
        )
    ones = array.sum(axis=1)
    if not as_sets and (ones == 1).all():
        return Labels(array.argmax(axis=1), None)
    return Labels(None, array.astype(numpy.uint8))


def _of_vector(array: Any, names: "Optional[list[Any]]", what: str) -> Any:
    import numpy

    if array.dtype.kind in "USO":
        return _objects(array, names, what)
    if array.dtype.kind == "b":
        return array.astype(numpy.uint8)
    return _whole(array.astype(numpy.float64), what) if is_float(array) else array


def is_plain_list(value: Any) -> bool:
    return isinstance(value, (list, tuple)) and all(type(one) is int for one in value)


def labels_of(labels: Any, classes: Any = None, ignore_index: Optional[int] = None, what: str = "labels", as_sets: bool = False) -> Labels:
    """Whole numbers per item, or a matrix of zeros and ones. Integers are not copied.

    Names are numbered by `classes`. Rows with a single 1 each are classes; any other zeros and ones are the valid classes of each item.
    ignore_index: the label that means none. as_sets: rows with a single 1 each are valid classes, too.
    """
    if labels is None or (ignore_index is None and is_plain_list(labels)):
        return Labels(labels, None)
    if ignore_index is not None and (isinstance(ignore_index, bool) or not hasattr(ignore_index, "__index__")):
        raise Error(f"ignore_index={ignore_index!r}; allowed: a whole number")
    array = to_numpy(labels, what, masked=True)
    if is_masked(labels):
        labels = array = labels.astype(array.dtype if array.dtype.kind in "if" else "int64").filled(-1)
    if array.ndim == 2 and array.size:
        found = _of_matrix(array, what, as_sets)
    elif array.ndim == 1:
        found = Labels(_of_vector(array, class_names(classes), what), None)
    else:
        return Labels(labels, None)  # the library reports the error
    if ignore_index is not None and found.single is not None:
        import numpy

        single = found.single.astype(numpy.int64)
        single[single == ignore_index] = -1
        return Labels(single, None)
    if found.single is array and not isinstance(labels, (list, tuple)):
        return Labels(labels, None)
    return found


__all__ = ["Labels", "class_names", "is_float", "is_masked", "is_no_name", "is_on_processor", "is_plain_list", "labels_of", "to_numpy", "to_plain"]
