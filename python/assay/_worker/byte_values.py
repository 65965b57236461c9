"""The numbers that the bytes of an image become: scale, mean and standard deviation, as src/image/preprocess.cpp computes them."""

from __future__ import annotations

import struct
from typing import Any


def _float32(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


# The float32 nearest to 1/255. Bytes are multiplied by it, while the setting 1/255 divides them by 255 (docs/models.md).
FLOAT_255TH = _float32(1 / 255)


def byte_tables(how: "dict[str, Any]") -> "list[Any]":
    """The number for each byte and channel, computed in float32 as byte_values() in src/image/preprocess.cpp does."""
    import numpy

    scale = float(how["scale"])
    bytes_ = numpy.arange(256, dtype=numpy.float32)
    by_255 = _float32(scale) == FLOAT_255TH and scale != FLOAT_255TH
    values = bytes_ / numpy.float32(255) if by_255 else bytes_ * numpy.float32(scale)
    return [(values - numpy.float32(mean)) / numpy.float32(std) for mean, std in zip(how["mean"], how["std"])]


__all__ = ["FLOAT_255TH", "byte_tables"]
