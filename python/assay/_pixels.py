"""Prepares Pillow images in this process for a model, like src/image/preprocess.cpp."""

from __future__ import annotations

from typing import Any

from ._library import Error
from ._worker.byte_values import byte_tables


def is_image(value: Any) -> bool:
    """Whether it is a Pillow image; this does not import Pillow."""
    return hasattr(value, "convert") and hasattr(value, "resize") and hasattr(value, "mode") and isinstance(getattr(value, "size", None), tuple)


def rgb_of(image: Any, id_: str) -> Any:
    """The image in RGB. Raises Error if it is not a Pillow image or cannot be decoded."""
    if not is_image(image):
        raise Error(f"{id_}: {type(image).__name__} , but earlier items were Pillow images: every item needs one", "bad_input")
    try:
        return image.convert("RGB")
    except (OSError, SyntaxError, ValueError) as error:
        raise Error(f"{id_}: the image cannot be decoded: {type(error).__name__}: {error}", "bad_input") from error


class Pixels:
    """One preprocessing: the object `preprocess` of `assay predict --dry-run --json`."""

    def __init__(self, how: "dict[str, Any]"):
        self.how = how
        self.height, self.width = int(how["height"]), int(how["width"])
        self.gray = how.get("channel_order") == "gray"
        self.floor = how.get("crop_start", "round") == "floor"
        self.rule = rule = str(how.get("resize_as", "pillow"))
        if rule not in ("pillow", "pillow13"):
            raise Error(
                f"images in this process are resized by Pillow, but this preprocessing resizes like "
                f"{'OpenCV' if rule == 'opencv' else 'PyTorch'} does. "
                "Store the images in a folder, or give resize_as=\"pillow\""
            )

    def _keep_ratio(self, height: float, width: float, size: "tuple[int, int]", inside: bool) -> "tuple[int, int]":
        """timm's ResizeKeepRatio: (width, height) with the longer (inside) or the shorter side at its target."""
        ratios = (size[1] / height, size[0] / width)
        ratio = max(ratios) if inside else min(ratios)
        return round(size[0] / ratio), round(size[1] / ratio)

    def resized(self, size: "tuple[int, int]") -> "tuple[int, int]":
        """(width, height) after the resize of an image of this (width, height)."""
        how = self.how
        if how["crop_mode"] == "none":
            return self.width, self.height
        if how["resize_size"]:
            height = width = int(how["resize_size"])
        else:
            height, width = int(self.height / how["crop_pct"]), int(self.width / how["crop_pct"])
        if how["crop_mode"] == "squash":
            return width, height
        if how["crop_mode"] == "border":
            return self._keep_ratio(height, width, size, True)
        if height != width:
            return self._keep_ratio(height, width, size, False)
        short, long = min(size), max(size)
        other = int(height * long / short)
        return (height, other) if size[0] <= size[1] else (other, height)

    def _in_passes(self, image: Any, size: "tuple[int, int]", interpolation: Any) -> Any:
        """The image of this (width, height), with the same pixels for every version of Pillow. Version 13 resizes the rows first in
        some cases, older versions never do."""
        shorter, narrower = image.size[1] - size[1], image.size[0] - size[0]
        rows_first = self.rule == "pillow13" and shorter > 0 and 2 * narrower < shorter
        first = (image.size[0], size[1]) if rows_first else (size[0], image.size[1])
        return image.resize(first, interpolation).resize(size, interpolation)

    def window(self, image: Any, id_: str) -> Any:
        """The resized and cropped image, height x width x 3 bytes. Raises Error if it is not a Pillow image or cannot be decoded."""
        import numpy
        from PIL import Image

        image = rgb_of(image, id_)
        if self.gray:
            image = image.convert("L").convert("RGB")
        width, height = self.resized(image.size)
        if image.size != (width, height):
            image = self._in_passes(image, (width, height), getattr(Image, str(self.how["interpolation"]).upper()))
        left, top = _start(width, self.width, self.floor), _start(height, self.height, self.floor)
        pixels = numpy.asarray(image)
        if (left, top, width, height) == (0, 0, self.width, self.height):
            return pixels
        out = numpy.empty((self.height, self.width, 3), numpy.uint8)
        out[...] = self.how["fill"] if not self.gray else _luma(*self.how["fill"])
        x, y = max(left, 0), max(top, 0)
        part = pixels[y:top + self.height, x:left + self.width]
        out[y - top:y - top + part.shape[0], x - left:x - left + part.shape[1]] = part
        return out

    def batch(self, images: "list[Any]", ids: "list[str]") -> Any:
        """n x 3 x height x width, float32; for gray preprocessing n x 1 x height x width."""
        import numpy

        out = numpy.empty((len(images), 3, self.height, self.width), numpy.float32)
        tables = byte_tables(self.how)
        for i, (image, id_) in enumerate(zip(images, ids)):
            window = self.window(image, id_)
            if self.how["channel_order"] == "bgr":
                window = window[..., ::-1]
            for channel in range(3):
                out[i, channel] = tables[channel][window[..., channel]]
        return numpy.ascontiguousarray(out[:, :1]) if self.gray else out


def _luma(r: int, g: int, b: int) -> int:
    """A colour as Pillow's convert("L") computes it: luma() of src/image/preprocess.cpp."""
    return (19595 * r + 38470 * g + 7471 * b + 0x8000) >> 16


def _start(size: int, crop: int, floor: bool) -> int:
    """torchvision's CenterCrop: halves are rounded to even (transformers: down). An image smaller than the crop is padded first."""
    if size < crop:
        return -((crop - size) // 2)
    return (size - crop) // 2 if floor else round((size - crop) / 2)


__all__ = ["Pixels", "is_image", "rgb_of"]
