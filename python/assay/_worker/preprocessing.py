"""The preprocessing of a model as keys of a model settings file (docs/models.md), from the facts of its library.

Images are resized as Pillow does. A step that resizes a tensor of bytes or of floats is PyTorch's resize (`resize_as` "torch", "torch_rounded",
"torch_float").
"""

from __future__ import annotations

import struct
from typing import Any, Optional

from .byte_values import FLOAT_255TH
from .opencv_transforms import is_of_albumentations, of_albumentations
from .wire import Refused

# The keys of timm's pretrained_cfg that describe the preprocessing. src/model/sidecar.cpp applies them by timm's rules.
TIMM_KEYS = ("input_size", "mean", "std", "interpolation", "crop_pct", "crop_mode", "test_input_size", "test_crop_pct")
_FILTERS = ("nearest", "box", "bilinear", "hamming", "bicubic", "lanczos")


def of_timm(config: "dict[str, Any]", classes: Optional[int]) -> "dict[str, Any]":
    """Settings from a pretrained_cfg or default_cfg. classes: the number of classes that the model returns, if known."""
    settings: "dict[str, Any]" = {}
    for key in TIMM_KEYS:
        value = config.get(key)
        if value is not None:
            settings[key] = list(value) if isinstance(value, tuple) else value
    names = config.get("label_names")
    if isinstance(names, (list, tuple)) and names and classes in (None, len(names)):
        settings["label_names"] = list(names)
        if isinstance(config.get("label_descriptions"), dict):
            settings["label_descriptions"] = config["label_descriptions"]
    return settings


def _filter_name(value: Any) -> str:
    """The name for torchvision's InterpolationMode, or for Pillow's number or name."""
    text = str(getattr(value, "value", value)).lower()
    if text.isdigit():
        text = ("nearest", "lanczos", "bilinear", "bicubic", "box", "hamming")[int(text)] if int(text) < 6 else text
    if text == "nearest-exact" or text not in _FILTERS:
        raise Refused(f"the interpolation {text} is not one of Pillow's ({', '.join(_FILTERS)}): pass the preprocessing as options")
    return text


def of_torchvision(transforms: Any) -> "dict[str, Any]":
    """Settings from weights.transforms() of torchvision's classification weights."""
    try:
        crop, resize = list(transforms.crop_size), list(transforms.resize_size)
        mean, std, interpolation = list(transforms.mean), list(transforms.std), transforms.interpolation
    except AttributeError:
        raise Refused(f"{type(transforms).__name__} is not the preprocessing of a classifier: pass it as options (preset=, "
            f"input_size=, ...)")
    if len(resize) != 1:
        raise Refused(f"a resize to {resize} is not to the short side: pass the preprocessing as options")
    return {
        "input_size": [3, crop[0], crop[-1]], "resize_size": resize[0], "interpolation": _filter_name(interpolation),
        "mean": mean, "std": std, "crop_mode": "center",
    }


def torchvision_weights(given: Any) -> Any:
    """A member of a Weights enum, also by its name: "ResNet50_Weights.IMAGENET1K_V2". Raises Refused on unknown names."""
    if not isinstance(given, str):
        return given
    import torchvision.models

    try:
        return torchvision.models.get_weight(given)
    except (ValueError, KeyError, AttributeError, TypeError) as error:
        raise Refused(f"weights {given!r}: {error}; for example \"ResNet50_Weights.IMAGENET1K_V2\"", "usage")


def _sides(value: Any) -> "tuple[Optional[int], tuple[int, int]]":
    """(short side, _) for a whole number or a list of one; otherwise (None, (height, width))."""
    if isinstance(value, int):
        return value, (value, value)
    sides = [int(side) for side in value]
    return (sides[0], (sides[0], sides[0])) if len(sides) == 1 else (None, (sides[0], sides[1]))


# Steps of a Compose that leave the pixels of an RGB image as they are. These make a tensor of floats from 0 to 1, or of bytes.
_TO_FLOATS = ("ToTensor", "MaybeToTensor")
_TO_BYTES = ("PILToTensor", "ToImage", "MaybePILToTensor")
_NEUTRAL = ("ToPureTensor", "_convert_to_rgb", "MaybeConvertMode")


def _short(value: float) -> float:
    """The shortest decimal of a float32, such as 0.485."""
    short = float(f"{value:.7g}")
    return short if struct.pack("f", short) == struct.pack("f", value) else value


def _is_of_v2(step: Any) -> bool:
    return type(step).__module__.startswith("torchvision.transforms.v2")


class _Steps:
    """Turns the steps of a transform into settings, one by one."""

    def __init__(self) -> None:
        self.settings: "dict[str, Any]" = {}
        self.resize: "Optional[tuple[Optional[int], tuple[int, int]]]" = None
        self.crop: "Optional[tuple[int, int]]" = None
        self.kind = ""  # the type of the numbers; "" while the data are an image
        self.normalised = False

    def add(self, step: Any) -> None:
        name = getattr(step, "__name__", type(step).__name__)
        if name in ("Resize", "ResizeKeepRatio"):
            self._resize(step, name)
        elif name in ("CenterCrop", "CenterCropOrPad"):
            height, width = _sides(step.size)[1]
            self.crop = (height, width)
        elif name == "Normalize":
            self.normalised = True
            self.settings["mean"] = [_short(float(x)) for x in step.mean]
            self.settings["std"] = [_short(float(x)) for x in step.std]
        elif name in _TO_FLOATS or name == "ConvertImageDtype" or (name == "ToDtype" and getattr(step, "scale", False)):
            if self.kind == "bytes" and _is_of_v2(step):
                self.settings["scale"] = FLOAT_255TH
            self.kind = "floats"
        elif name in _TO_BYTES:
            self.kind = "bytes"
        elif name == "Grayscale":
            self._gray(step)
        elif name in _NEUTRAL:
            return
        else:
            raise Refused(
                f"the step {name} of the transform is not supported (Resize, CenterCrop, ToTensor, Normalize have one): pass the "
                f"preprocessing as options (preset=, input_size=, ...)"
            )

    def _gray(self, step: Any) -> None:
        if getattr(step, "num_output_channels", 1) != 1:
            raise Refused("Grayscale with three channels is not supported: pass the preprocessing as options")
        if self.kind or self.resize is not None or self.crop is not None:
            raise Refused("Grayscale after other steps is not supported: put it first, or pass the preprocessing as options")
        self.settings["channel_order"] = "gray"

    def _resize(self, step: Any, name: str) -> None:
        if self.crop is not None or self.resize is not None:
            raise Refused("a transform that resizes after a crop, or twice, is not supported: pass the preprocessing as options")
        if self.normalised:
            raise Refused("a transform that resizes the output of Normalize is not supported: put Resize before Normalize")
        if getattr(step, "max_size", None):
            raise Refused("Resize with max_size is not supported: pass the preprocessing as options")
        if name == "ResizeKeepRatio" and (getattr(step, "longest", None) or getattr(step, "random_scale_prob", None)):
            raise Refused("ResizeKeepRatio by the longest side is not supported: pass the preprocessing as options")
        self.resize = _sides(step.size)
        if name == "ResizeKeepRatio":
            if self.resize[1][0] != self.resize[1][1]:
                raise Refused(f"ResizeKeepRatio to the unequal sides {self.resize[1]} is not supported: pass the preprocessing as options")
            self.resize = (min(self.resize[1]), self.resize[1])
        if self.kind:
            self._as_torch(step)
        else:
            self.settings["interpolation"] = _filter_name(step.interpolation)

    def _as_torch(self, step: Any) -> None:
        """Handles the resize of a tensor."""
        exact = str(getattr(step.interpolation, "value", step.interpolation)) == "nearest-exact"
        name = "nearest" if exact else _filter_name(step.interpolation)
        bytes_of_v2 = self.kind == "bytes" and _is_of_v2(step)
        filters = ("bilinear", "bicubic", "lanczos") if bytes_of_v2 else ("bilinear", "bicubic")
        if not exact and name not in filters:
            raise Refused(
                f"the transform resizes a tensor of {self.kind} by {name}, which is not supported ({', '.join(filters)} and "
                f"nearest-exact are): pass the preprocessing as options"
            )
        self.settings["interpolation"] = name
        self.settings["resize_as"] = "torch_float" if self.kind == "floats" else "torch" if bytes_of_v2 else "torch_rounded"
        if not exact and getattr(step, "antialias", True) in (False, None, "warn"):
            self.settings["antialias"] = False

    def finished(self) -> "dict[str, Any]":
        if self.kind == "bytes":
            raise Refused("the transform returns bytes from 0 to 255, but Assay passes floats: add ToTensor or ToDtype(scale=True)")
        if self.resize is None:
            raise Refused("the transform does not resize, but images differ in size: pass the preprocessing as options")
        short, both = self.resize
        crop = self.crop or both
        if short is None and self.crop not in (None, both):
            if both[0] != both[1]:
                raise Refused(f"a resize to {both} before a crop to {crop} is not supported: pass the preprocessing as options")
            self.settings.update(crop_mode="squash", resize_size=both[0])
        elif short is None:
            self.settings["crop_mode"] = "none"
        elif self.crop is None:
            raise Refused("a resize of the short side without a crop gives inputs of many sizes: pass the preprocessing as options")
        else:
            self.settings.update(crop_mode="center", resize_size=short)
        self.settings["input_size"] = [1 if "channel_order" in self.settings else 3, crop[0], crop[1]]
        self.settings.setdefault("mean", [0.0, 0.0, 0.0])
        self.settings.setdefault("std", [1.0, 1.0, 1.0])
        return self.settings


def of_transform(transform: Any, notes: "Optional[list[str]]" = None) -> "dict[str, Any]":
    """Settings from a transform of torchvision, timm or open_clip: a Compose of Resize, CenterCrop, ToTensor and Normalize, or
    weights.transforms().

    Transforms of albumentations work, too. notes: gets the differences in the last bits.
    """
    if is_of_albumentations(transform):
        return of_albumentations(transform, [] if notes is None else notes)
    if hasattr(transform, "crop_size") and hasattr(transform, "resize_size"):
        return of_torchvision(transform)
    steps = _Steps()
    for step in getattr(transform, "transforms", [transform]):
        steps.add(step)
    return steps.finished()


def of_processor(processor: Any) -> "tuple[dict[str, Any], list[str]]":
    """The dictionary of a Hugging Face image processor, which the program turns into settings, and notes on differences.

    The type of a processor that computes with tensors ends in "Fast", which the program checks (src/model/huggingface.cpp).
    """
    processor = getattr(processor, "image_processor", processor)  # part of a processor for images and text
    if not hasattr(processor, "to_dict"):
        raise Refused(f"{type(processor).__name__} is not an image processor of transformers")
    facts = {key: value for key, value in processor.to_dict().items() if value is not None}
    kind = type(processor).__name__
    bases = {base.__name__ for base in type(processor).__mro__}
    fast = bool(bases & {"BaseImageProcessorFast", "TorchvisionBackend"})
    facts["image_processor_type"] = kind if kind.endswith("Fast") or not fast else kind + "Fast"
    return _plain(facts), []


def _plain(value: Any) -> Any:
    """Converts to JSON: enums to their values, sizes to dictionaries."""
    if isinstance(value, dict) or hasattr(value, "items"):
        return {str(key): _plain(one) for key, one in value.items() if one is not None}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if hasattr(value, "__dataclass_fields__"):
        return {key: _plain(getattr(value, key)) for key in value.__dataclass_fields__ if getattr(value, key) is not None}
    value = getattr(value, "value", value)
    return value if isinstance(value, (bool, int, float, str)) else str(value)


def classes_of_config(config: Any) -> "Optional[dict[str, Any]]":
    """id2label of a transformers config, unless its names are only placeholders."""
    labels = getattr(config, "id2label", None)
    if not isinstance(labels, dict) or not labels:
        return None
    names = [labels.get(i, labels.get(str(i))) for i in range(len(labels))]
    if any(not isinstance(name, str) for name in names) or all(name == f"LABEL_{i}" for i, name in enumerate(names)):
        return None
    return {"names": names}
