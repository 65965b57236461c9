"""A function of NumPy arrays as a model."""

from __future__ import annotations

import sys
from typing import Any, Callable

from . import array_losses, costs, fingerprints, given_gradients
from .losses import check_labels
from .models import Description, Model, as_rows, checked_shape, is_array, refuse_device, scores_in
from .wire import Batch, CostRequest, Refused


def _floats(value: Any, what: str, wanted: str) -> Any:
    """Converts the result of a function to an array: NumPy's own, or anything that NumPy or DLPack can read in CPU memory."""
    import numpy

    if fingerprints.is_tensor(value):
        value = value.detach().cpu().float().numpy()
    elif not hasattr(value, "__array__"):
        value = numpy.from_dlpack(value)
    array = numpy.asarray(value)
    if array.dtype.name == "bfloat16":  # a type that JAX adds to NumPy's
        array = array.astype(numpy.float32)
    if array.dtype.kind != "f":
        raise Refused(f"{what} of the type {array.dtype}; {wanted} floating-point numbers")
    return array


class ArrayModel(Model):
    """A function from a NumPy array to scores: NumPy's own, or anything that NumPy or DLPack can read in CPU memory.

    channels_last: the function takes n x H x W x 3.
    """

    def __init__(self, description: Description, call: Callable[[Any], Any], channels_last: bool = False):
        import numpy

        super().__init__(description)
        self._channels_last = channels_last
        description.libraries.insert(0, f"Python {sys.version.split()[0]}, NumPy {numpy.__version__}")
        self._call = call

    def place(self, device: str, process: int) -> None:
        refuse_device(device)

    def _run(self, x: Any) -> "tuple[Any, str]":
        x = self._as_taken(x)
        value, note = scores_in(self._call(x), self.output)
        return as_rows(_floats(value, "the function returns numbers", "scores are"), x.shape[0]), note

    def _as_taken(self, x: Any) -> Any:
        import numpy

        if self._channels_last and x.ndim == 4 and x.shape[1] == self.channels:  # a loader may return channels last
            return numpy.ascontiguousarray(x.transpose(0, 2, 3, 1))
        return x

    def probe(self, height: int, width: int) -> "tuple[int, list[str]]":
        import numpy

        value, note = self._run(numpy.zeros((1, self.channels, height, width), numpy.float32))
        return checked_shape(value.shape, 1, None), [note] if note else []

    def facts(self) -> "dict[str, Any]":
        return {"parameters": 0, "device": "cpu", "lanes": 0, "memory_format": "channels_last" if self._channels_last else "contiguous"}

    def scores_of(self, images: Any) -> Any:
        import numpy

        scores, _ = self._run(images.numpy() if fingerprints.is_tensor(images) else numpy.asarray(images))
        checked_shape(scores.shape, len(images), None)
        return scores.astype(numpy.float32)

    def gradient_of(self, images: Any, weights: Any) -> Any:
        import numpy

        assert self.gradient is not None
        x = self._as_taken(images)
        value = self.gradient(x, weights)
        if not is_array(value):
            raise Refused(f"gradient= of {self.description.name} returned {type(value).__name__}, not an array. {given_gradients.CONTRACT}")
        found = given_gradients.checked(_floats(value, f"gradient= of {self.description.name} returned numbers", "gradients are"), x.shape, self.description.name)
        return numpy.ascontiguousarray(found.transpose(0, 3, 1, 2) if x is not images else found).astype(numpy.float32)

    def compute(self, batch: Batch, buffer: Any) -> None:
        import numpy

        height, width, classes = self.sides_of(batch)
        if batch.loss is not None and self.gradient is None:
            raise Refused(
                "a function of NumPy arrays has no gradients. Pass gradient=, a function from (batch, weights) to the derivative of "
                "(weights * scores).sum() by the batch. Or pass an nn.Module, or a function of tensors (batches=\"torch\")"
            )
        floats = numpy.frombuffer(buffer, numpy.float32, batch.floats)
        images = numpy.ascontiguousarray(floats[:batch.input].reshape(batch.images, 3, height, width)[:, :self.channels])
        kept = images.copy() if batch.loss is not None else images  # a function may write into its input
        scores, _ = self._run(images)
        checked_shape(scores.shape, batch.images, classes)
        floats[batch.input:batch.gradient_at].reshape(batch.images, -1)[...] = scores
        if batch.loss is None:
            return
        labels = floats[batch.labels_at:batch.targets_at].view(numpy.int32).astype(numpy.int64)
        targets = floats[batch.targets_at:batch.floats].view(numpy.int32).astype(numpy.int64)
        check_labels(classes, labels, targets)
        with numpy.errstate(all="ignore"):  # scores that are not finite are counted by the program
            losses, derivative = array_losses.loss_of(batch.loss, scores.astype(numpy.float32), labels, targets)
        planes = floats[batch.gradient_at:batch.losses_at].reshape(batch.images, 3, height, width)
        planes[...] = 0
        planes[:, :self.channels] = self.gradient_of(kept, derivative)
        floats[batch.losses_at:batch.labels_at] = losses.view(numpy.float32)

    def cost(self, request: CostRequest) -> "dict[str, Any]":
        import numpy

        height, width, _ = self._last
        zeros = numpy.zeros((request.batch, self.channels, height, width), numpy.float32)
        seconds = costs.timed(lambda: self._run(zeros), request.warmup, request.runs)
        return {
            **costs.without_counts("the operations of a function of NumPy arrays are unknown"),
            **costs.without_weights("the weights of a function of NumPy arrays are unknown"),
            "seconds": seconds, "notes": ["timed on the threads that the function chooses"] if request.runs else [],
        }
