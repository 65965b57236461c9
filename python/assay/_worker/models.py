"""The common part of torch_model.py, array_model.py and onnx_files.py: a model with settings, identity, scores and gradients, for the
program.

Batches are n x 3 x H x W (float32, normalised) and scores n x C. A call computes on the thread that makes it.
"""

from __future__ import annotations

import sys
from typing import Any, Callable, Optional

from . import fingerprints, given_gradients
from .wire import Batch, CostRequest, OpenRequest, Refused


class Description:
    """The content of the message `described`, before a model is opened."""

    def __init__(self, name: str, format: str):
        self.name = name
        self.format = format
        self.identity: Optional[str] = None  # None until it is computed on request
        self.settings: "dict[str, Any]" = {}
        self.notes: "list[str]" = []
        self.processor_notes: "list[str]" = []
        self.image_processor: "Optional[dict[str, Any]]" = None
        self.model_type = ""
        self.libraries: "list[str]" = []
        self.data_files: "list[str]" = []  # for a file: other files in its folder with weights

    def json(self) -> "dict[str, Any]":
        out: "dict[str, Any]" = {
            "name": self.name, "format": self.format, "identity": self.identity or "", "settings": self.settings,
            "notes": self.notes + self.processor_notes,
        }
        if self.image_processor is not None:
            out["image_processor"] = self.image_processor
        if self.model_type:
            out["model_type"] = self.model_type
        if self.data_files:
            out["data_files"] = sorted(set(self.data_files))
        return out


def _shape(value: Any) -> str:
    shape = getattr(value, "shape", None)
    return f"{type(value).__name__} {' x '.join(map(str, shape))}" if shape is not None else type(value).__name__


def is_array(value: Any) -> bool:
    return fingerprints.is_tensor(value) or hasattr(value, "__array__") or hasattr(value, "__dlpack__")


def scores_in(value: Any, output: str) -> "tuple[Any, str]":
    """The scores among the results of a model, and a note if there were several: src/model/torch/scores.cpp has the same rules.

    output: the requested entry; "": the only tensor, or the one named "logits".
    """
    if is_array(value):
        if output not in ("", "0"):
            raise Refused(f"output {output!r} is requested, but the model returns one tensor")
        return value, ""
    if hasattr(value, "items"):
        parts = {str(name): part for name, part in value.items()}
    elif hasattr(value, "_fields"):
        parts = dict(zip(value._fields, value))
    elif isinstance(value, (list, tuple)):
        parts = {str(i): part for i, part in enumerate(value)}
    elif is_array(getattr(value, "logits", None)):
        parts = {"logits": value.logits}
    else:
        raise Refused(f"the model returns {type(value).__name__}, not a tensor of scores")
    listed = ", ".join(f"{name} ({_shape(part)})" for name, part in list(parts.items())[:20])
    if output:
        if output not in parts and output.isdigit() and int(output) < len(parts) and not hasattr(value, "items"):
            output = list(parts)[int(output)]
        if not is_array(parts.get(output)):
            raise Refused(f"the model has no tensor {output!r} among its outputs; it returns: {listed}")
        return parts[output], ""
    there = [name for name, part in parts.items() if part is not None]
    chosen = there[0] if len(there) == 1 else "logits"
    if not is_array(parts.get(chosen)):
        raise Refused(
            "the model returns several outputs; name the one that holds the scores with output_entry= (--output-entry): " + listed
        )
    note = f'the model returns several outputs ({listed}); "{chosen}" are its scores' if len(parts) > 1 else ""
    return parts[chosen], note


def as_rows(value: Any, images: int) -> Any:
    """One score per image as n x 1: binary classifiers return n numbers, or a single number."""
    shape = tuple(value.shape)
    return value.reshape(images, 1) if shape == (images,) or (shape == () and images == 1) else value


def checked_shape(shape: Any, images: int, classes: Optional[int]) -> int:
    """The number of classes of scores of this shape."""
    sizes = tuple(int(side) for side in shape)
    wanted = f"{images} x {classes}" if classes is not None else f"{images} x classes"
    if len(sizes) != 2 or sizes[0] != images or sizes[1] == 0 or (classes is not None and sizes[1] != classes):
        raise Refused(f"the model returned numbers of the shape ({', '.join(map(str, sizes))}) for {images} images; {wanted} were expected")
    return sizes[1]


class Model:
    """The interface for the server. As a context, it puts modules into evaluation mode and restores them afterwards."""

    def __init__(self, description: Description):
        self.description = description
        self.output = ""
        self.channels = 3  # 1: the model takes gray images, and gets the first of the buffer's three equal channels
        self.gradient: "Optional[Callable[[Any, Any], Any]]" = None  # only for a function; see given_gradients.py
        # Height, width and number of classes, by the number of floats of an image.
        self._opened: "dict[int, tuple[int, int, int]]" = {}
        self._last = (0, 0, 0)  # the size that was opened last
        self._threads: Optional[int] = None

    def __enter__(self) -> "Model":
        torch = sys.modules.get("torch")
        self._threads = None if torch is None else torch.get_num_threads()
        return self

    def __exit__(self, *_: Any) -> None:
        # Lanes change the number for new threads and for MKL. torch.get_num_threads() on this thread does not show that change.
        if self._threads is not None:
            sys.modules["torch"].set_num_threads(self._threads)

    def identify(self) -> None:
        """Fills the description's identity if it has none."""

    def framework(self) -> str:
        return ", ".join(self.description.libraries) or f"Python {sys.version.split()[0]}"

    def begin_lane(self) -> None:
        """Called on each thread that computes, once."""
        _one_thread()

    def open(self, request: OpenRequest) -> "dict[str, Any]":
        """Runs one image of zeros and describes the model."""
        self.check(request)
        floats = 3 * request.height * request.width
        there = self._opened.get(floats)
        if self._opened and (request.output != self.output or request.channels != self.channels or (there is not None and there[:2] != (request.height, request.width))):
            raise Refused("this model is already open with another output or another shape of the same number of pixels: run "
                "them one after the other", "usage")
        before, self.output = self.output, request.output
        self.channels = request.channels
        try:
            self.place(request.device, request.process)
            classes, notes = self.probe(request.height, request.width)
            if request.num_classes not in (None, classes, 2 if classes == 1 else classes):  # one score is two classes
                raise Refused(f"the model returns {classes} scores, but num_classes is {request.num_classes}")
            if self.gradient is not None and there is None:
                notes.append(given_gradients.check(
                    self.description.name, self.scores_of, self.gradient_of, self.channels, request.height, request.width,
                    request.scale, request.mean, request.std,
                ))
        except BaseException:
            self.output = before
            raise
        self._opened[floats] = self._last = (request.height, request.width, classes)
        return {**self.facts(), "classes": classes, "framework": self.framework(), "notes": notes}

    def check(self, request: OpenRequest) -> None:
        """Raises Refused if the model cannot compute as requested."""
        if request.precision != 0:
            raise Refused("a model in Python computes in its own precision: omit precision= , or convert the model (net.half())", "usage")
        if request.input_type == 2:
            raise Refused("a model in Python takes normalised float32 numbers: omit input_type=uint8", "usage")
        if request.layout == 2:
            raise Refused("a model in Python takes N x C x H x W: omit layout=nhwc", "usage")

    def place(self, device: str, process: int) -> None:
        """process: number of the program's process; processes share the devices."""
        raise NotImplementedError

    def probe(self, height: int, width: int) -> "tuple[int, list[str]]":
        raise NotImplementedError

    def facts(self) -> "dict[str, Any]":
        raise NotImplementedError

    def compute(self, batch: Batch, buffer: Any) -> None:
        """Computes the request `batch` on the floats in `buffer` (a mapping), in place."""
        raise NotImplementedError

    def cost(self, request: CostRequest) -> "dict[str, Any]":
        """The cost of a batch of zero images, in the fields of ModelCost (include/assay/model/cost.h), in the size that was opened last."""
        raise NotImplementedError

    def scores_of(self, images: Any) -> Any:
        """Scores, a float32 array, of a batch of any shape that the model takes, such as those of a loader, without the program."""
        raise NotImplementedError

    def gradient_of(self, images: Any, weights: Any) -> Any:
        """The result of `gradient` for a batch of NumPy arrays, as an array of the batch's shape."""
        raise NotImplementedError

    def sides_of(self, batch: Batch) -> "tuple[int, int, int]":
        """Height, width and classes of a batch: a model may have been opened for inputs of several sizes."""
        opened = self._opened.get(batch.input // batch.images if batch.images else 0)
        if opened is None or batch.input % batch.images or batch.output != batch.images * opened[2]:
            raise Refused("the batch has different sizes from those that the model was opened with", "internal")
        return opened


def _one_thread() -> None:
    """A batch is computed on the calling thread, so one thread computes per lane of the program."""
    torch = sys.modules.get("torch")
    if torch is not None and torch.get_num_threads() != 1:
        torch.set_num_threads(1)


def refuse_device(device: str) -> None:
    """The device of a function, which chooses its own."""
    if device not in ("auto", "cpu"):
        raise Refused(f"a function chooses its own device: omit device={device} , or pass the nn.Module", "usage")
