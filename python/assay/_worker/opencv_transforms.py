"""Settings from an albumentations Compose: OpenCV resizes, and the crop is rounded down."""

from __future__ import annotations

from typing import Any, Optional

from .byte_values import byte_tables
from .wire import Refused

# Filters by the number of cv2.INTER_*. `box` is INTER_AREA.
_FILTERS = {0: "nearest", 1: "bilinear", 2: "bicubic", 3: "box"}
_OTHERS = {4: "INTER_LANCZOS4", 5: "INTER_LINEAR_EXACT", 6: "INTER_NEAREST_EXACT"}
_OPTIONS = "pass the preprocessing as options (preset=, input_size=, resize_as=\"opencv\", ...)"


def is_of_albumentations(transform: Any) -> bool:
    return type(transform).__module__.split(".")[0] == "albumentations"


def _filter(step: Any) -> str:
    number = int(step.interpolation)
    if number not in _FILTERS:
        raise Refused(f"OpenCV's {_OTHERS.get(number, f'interpolation {number}')} is not supported (INTER_NEAREST, _LINEAR, "
            f"_CUBIC and _AREA are): {_OPTIONS}")
    if getattr(step, "area_for_downscale", None):
        raise Refused(f"Resize with area_for_downscale uses a different filter for each image, which Assay does not support: {_OPTIONS}")
    return _FILTERS[number]


def of_albumentations(transform: Any, notes: "list[str]") -> "dict[str, Any]":
    """Settings from Resize, CenterCrop, Normalize and ToTensorV2. notes: the differences from albumentations."""
    settings: "dict[str, Any]" = {"resize_as": "opencv", "crop_start": "floor"}
    resized: "Optional[tuple[int, int]]" = None
    crop: "Optional[tuple[int, int]]" = None
    normalised = False
    if getattr(transform, "p", 1) != 1:
        raise Refused(f"the transform has p={transform.p}: random transforms are not supported. Make it with p=1")
    for step in getattr(transform, "transforms", [transform]):
        name = type(step).__name__
        if getattr(step, "p", 1) != 1:
            raise Refused(f"the step {name} has p={step.p}: random steps are not supported. Make it with p=1")
        if normalised and name not in ("ToTensorV2", "ToTensor"):
            raise Refused(f"the step {name} comes after Normalize, which is not supported: {_OPTIONS}")
        if name == "Resize" and resized is None and crop is None:
            resized = (int(step.height), int(step.width))
            settings["interpolation"] = _filter(step)
        elif name == "CenterCrop" and resized is not None and crop is None and not getattr(step, "pad_if_needed", False):
            crop = (int(step.height), int(step.width))
        elif name == "Normalize" and getattr(step, "normalization", "standard") == "standard":
            settings.update(_normalized(step, notes))
            normalised = True
        elif name not in ("ToTensorV2", "ToTensor"):
            raise Refused(f"the step {name} of the transform is not supported (one Resize, CenterCrop, a standard Normalize and "
                f"ToTensorV2 are): {_OPTIONS}")
    if resized is None:
        raise Refused(f"the transform does not resize, but images differ in size: {_OPTIONS}")
    if not normalised:
        raise Refused("the transform returns bytes from 0 to 255, but Assay passes floats: add Normalize (mean 0 and std 1 divide by 255)")
    if crop in (None, resized):
        settings["crop_mode"] = "none"
    elif resized[0] != resized[1]:
        raise Refused(f"a resize to {resized} before a crop to {crop} is not supported: {_OPTIONS}")
    else:
        settings.update(crop_mode="squash", resize_size=resized[0])
    settings["input_size"] = [3, *(crop or resized)]
    if settings["interpolation"] == "bicubic":
        notes.append(
            "INTER_CUBIC is computed as OpenCV's own code does. On x86 OpenCV calls Intel's library, whose bytes sometimes differ by 1; "
            "cv2.ipp.setUseIPP(False) gives the same bytes"
        )
    return settings


def _normalized(step: Any, notes: "list[str]") -> "dict[str, Any]":
    """mean, std and scale; a note counts the values that albumentations rounds differently."""
    import numpy

    def three(value: Any) -> "list[float]":
        numbers = [float(one) for one in (value if hasattr(value, "__iter__") else [value])]
        return numbers * 3 if len(numbers) == 1 else numbers

    mean, std = three(step.mean), three(step.std)
    most = float(step.max_pixel_value)
    # Without mean and std, albumentations multiplies by 1 / max_pixel_value instead of dividing.
    multiplies = mean == [0.0] * 3 and std == [1.0] * 3
    scale = float(numpy.float32(1 / most)) if multiplies or most != 255 else 1 / 255
    found = {"mean": mean, "std": std, "scale": scale}
    values = numpy.arange(256, dtype=numpy.uint8)
    theirs = step(image=numpy.repeat(values.reshape(16, 16, 1), 3, 2))["image"].reshape(256, 3)
    ours = numpy.stack(byte_tables(found), 1)
    different = int((ours != theirs).sum())
    if different:
        largest = float(numpy.abs(ours - theirs).max())
        notes.append(f"{different} of the 768 normalised values of a byte differ from albumentations', which multiplies where Assay divides, by at most {largest:.1e}")
    return found
