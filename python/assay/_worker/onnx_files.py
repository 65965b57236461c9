"""Runs ONNX files with the onnxruntime package: one session for all threads of the program, on the CPU, one thread per batch.

Batches go from the shared buffer into the session and scores back into it without a copy, if the file has float32 inputs and outputs.
"""

from __future__ import annotations

import os
import sys
from typing import Any

from . import costs
from .hubs import package
from .models import Description, Model, as_rows, checked_shape
from .onnx_graph import Graph
from .wire import Batch, CostRequest, OpenRequest, Refused

_PROVIDER = "CPUExecutionProvider"
_TYPES = {"tensor(float)": "float32", "tensor(float16)": "float16", "tensor(double)": "float64", "tensor(uint8)": "uint8"}
# With these operators, the result for an image depends on the other images of its batch.
_OF_THE_BATCH = ("DynamicQuantizeLinear", "com.microsoft::DynamicQuantizeMatMul")
_NO_MEMORY = ("Failed to allocate memory", "bad_alloc", "out of memory")
_UINT8, _NHWC = 2, 2  # in `open`


def _line(error: BaseException) -> str:
    text = "".join(c if c.isprintable() else " " for c in str(error))  # the text may contain names from a hostile file
    return " ".join(text.split())[:600]


class OnnxModel(Model):
    """A file for onnxruntime. Raises Refused if the package is missing, the file is damaged, or its input is not that of an image
    classifier."""

    def __init__(self, path: str):
        runtime: Any = package("onnxruntime", "onnxruntime")
        description = Description(os.path.splitext(os.path.basename(path))[0], "onnx")
        super().__init__(description)
        self._version = str(runtime.__version__)
        description.libraries.append(f"ONNX Runtime {self._version}")
        self._path = path
        graph = Graph(path)
        description.data_files = sorted(graph.data_files)
        self._graph, self._runtime = graph, runtime
        self._parameters = graph.parameters
        self._session = self._started(runtime)
        self._input, self._sizes, self._type = self._only_input()
        batch = self._sizes[0]
        self._fixed_batch = batch if isinstance(batch, int) and batch > 0 else 0
        self._one_at_a_time = any(name in graph.operators for name in _OF_THE_BATCH)
        self._others = [name for name in runtime.get_available_providers() if name not in (_PROVIDER, "AzureExecutionProvider")]
        self._channels_last = False
        self._byte_factor: Any = None
        self._byte_shift: Any = None
        self._place = 0  # index of the output with the scores
        self._classes = 0
        self._flat = False  # true if it returns one number per image and not rows

    def _started(self, runtime: Any, threads: int = 1) -> Any:
        if hasattr(runtime, "set_default_logger_severity"):
            runtime.set_default_logger_severity(4)  # logs only fatal errors
        options = runtime.SessionOptions()
        # One thread per batch, so that results are bit-identical for any number of threads.
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        options.use_deterministic_compute = True
        options.log_severity_level = 4
        try:
            return runtime.InferenceSession(self._path, sess_options=options, providers=[_PROVIDER])
        except Exception as error:
            raise self._refused("does not open", error)

    def _refused(self, what: str, error: BaseException) -> Refused:
        text = _line(error)
        if isinstance(error, MemoryError) or any(part in text for part in _NO_MEMORY):
            return Refused(f"ONNX Runtime has no memory for {self._path}: {text}", "out_of_memory")
        return Refused(f"ONNX Runtime {self._version} {what} {self._path}: {text}")

    def _only_input(self) -> "tuple[str, list[Any], str]":
        inputs = self._session.get_inputs()
        listed = ", ".join(f"{one.name} ({one.type} {' x '.join(map(str, one.shape))})" for one in inputs)
        if len(inputs) != 1:
            raise Refused(f"{self._path} has {len(inputs)} inputs ({listed or 'none'}); a classifier has one input, the images")
        one = inputs[0]
        if one.type not in _TYPES:
            raise Refused(f"{self._path} takes {listed}; allowed: {', '.join(_TYPES)}")
        sizes = list(one.shape)
        if sizes and len(sizes) != 4:
            raise Refused(f"{self._path} takes {listed}; images are N x 3 x H x W, or N x H x W x 3")
        return one.name, sizes or [None] * 4, _TYPES[one.type]

    def check(self, request: OpenRequest) -> None:
        import numpy

        if request.precision != 0:
            raise Refused("the runtime onnxruntime computes in the numbers of the file: omit --precision", "usage")
        if request.input_type and (request.input_type == _UINT8) != (self._type == "uint8"):
            declared = "bytes (uint8)" if self._type == "uint8" else "floats"
            raise Refused(f"the model takes {declared}, but input_type is {'uint8' if request.input_type == _UINT8 else 'float32'}")
        sides, channels = self._sizes, request.channels
        if channels == 3 and sides[1] == 1:
            raise Refused("the model takes images of one channel: pass --channel-order gray with --mean and --std", "bad_input")
        last = sides[3] == channels and sides[1] != channels
        first = sides[1] == channels and sides[3] != channels
        if request.layout and ((request.layout == _NHWC and first) or (request.layout != _NHWC and last)):
            raise Refused(f"the model takes images of {' x '.join(map(str, sides[1:]))}, but layout is {'nhwc' if request.layout == _NHWC else 'nchw'}")
        self._channels_last = request.layout == _NHWC if request.layout else last
        wanted = (request.height, request.width, channels) if self._channels_last else (channels, request.height, request.width)
        for declared_side, side in zip(sides[1:], wanted):
            if isinstance(declared_side, int) and declared_side > 0 and declared_side != side:
                raise Refused(
                    f"the model takes images of {' x '.join(map(str, sides[1:]))}; they are prepared as {' x '.join(map(str, wanted))} "
                    "(change this with --input-size)"
                )
        by_channel = (1, 3, 1, 1)
        self._byte_factor = numpy.array([s / request.scale for s in request.std], numpy.float32).reshape(by_channel)
        self._byte_shift = numpy.array([m / request.scale for m in request.mean], numpy.float32).reshape(by_channel)
        self._place = self._chosen_output(request.output)

    def _chosen_output(self, wanted: str) -> int:
        names = [one.name for one in self._session.get_outputs()]
        if wanted in names:
            return names.index(wanted)
        if wanted.isdigit() and int(wanted) < len(names):
            return int(wanted)
        if wanted:
            raise Refused(f'the model has no output "{wanted}"; it returns: {", ".join(names)}')
        if len(names) == 1:
            return 0
        if "logits" in names:
            return names.index("logits")
        raise Refused(
            'the model returns several outputs; name the one that holds the scores with --output-entry, or as "output" in the sidecar: '
            + ", ".join(names)
        )

    def place(self, device: str, process: int) -> None:
        if device not in ("auto", "cpu"):
            raise Refused(f"the runtime onnxruntime computes on the processor ({_PROVIDER}): --device {device} needs --runtime libtorch", "usage")

    def probe(self, height: int, width: int) -> "tuple[int, list[str]]":
        import numpy

        images = self._fixed_batch or 1
        outputs = self._session.get_outputs()
        one = outputs[self._place]
        try:
            (value,) = self._session.run([one.name], {self._input: self._given(numpy.zeros((images, 3, height, width), numpy.float32))})
        except Exception as error:
            raise self._refused("does not run", error)
        if not hasattr(value, "dtype") or value.dtype.kind != "f":
            raise Refused(f"the model returns {getattr(value, 'dtype', type(value).__name__)} as {one.name}; scores are floating-point numbers")
        self._flat = value.ndim < 2
        self._classes = checked_shape(as_rows(value, images).shape, images, None)
        return self._classes, self._notes([other.name for other in outputs])

    def _notes(self, outputs: "list[str]") -> "list[str]":
        notes = [f"computed by ONNX Runtime {self._version} in {sys.executable}"]
        if self._others:
            notes.append(f"this onnxruntime has {', '.join(self._others)}; Assay computes on the processor")
        if len(outputs) > 1:
            notes.append(f'the model returns several outputs ({", ".join(outputs)}); "{outputs[self._place]}" are its scores')
        if self._type == "uint8":
            notes.append("the model takes bytes: scale, mean and std of the preprocessing are not applied")
        elif self._type != "float32":
            notes.append(f"the model takes numbers of the type {self._type}: the images are rounded to them")
        if self._channels_last:
            notes.append("the model takes images with the channels last")
        if self._one_at_a_time:
            notes.append("the model quantises by the range of a batch, so it is given one image at a time")
        return notes

    def facts(self) -> "dict[str, Any]":
        return {
            "parameters": self._parameters, "device": "cpu", "lanes": 0, "memory_format": "contiguous", "fixed_batch": self._fixed_batch,
            "missing_limits": ["files and sockets: ONNX Runtime runs with your rights"],
        }

    def _given(self, images: Any) -> Any:
        """Converts normalised n x 3 x H x W floats to the input of the file. Returns them unchanged if the file takes such
        floats."""
        import numpy

        if self._type == "uint8":
            images = numpy.clip(numpy.rint(images * self._byte_factor + self._byte_shift), 0, 255).astype(numpy.uint8)
        elif self._type != "float32":
            images = images.astype(self._type)
        if self.channels == 1:
            images = numpy.ascontiguousarray(images[:, :1])
        return numpy.ascontiguousarray(images.transpose(0, 2, 3, 1)) if self._channels_last else images

    def compute(self, batch: Batch, buffer: Any) -> None:
        import numpy

        if batch.loss is not None:
            raise Refused("ONNX Runtime has no gradients: use Assay's own runtime (--runtime libtorch)", "usage")
        height, width, classes = self.sides_of(batch)
        floats = numpy.frombuffer(buffer, numpy.float32, batch.gradient_at)
        images = floats[:batch.input].reshape(batch.images, 3, height, width)
        scores = floats[batch.input:].reshape(batch.images, classes)
        step = 1 if self._one_at_a_time else self._fixed_batch or batch.images
        for first in range(0, batch.images, step):
            self._scores_of(images[first:first + step], scores[first:first + step])

    def cost(self, request: CostRequest) -> "dict[str, Any]":
        import numpy

        height, width, _ = self._last
        if self._fixed_batch and request.batch != self._fixed_batch:
            raise Refused(f"the model takes exactly {self._fixed_batch} images at once, but the batch has {request.batch}")
        zeros = self._given(numpy.zeros((request.batch, 3, height, width), numpy.float32))
        name = self._session.get_outputs()[self._place].name
        session = self._session if request.threads == 1 or not request.runs else self._started(self._runtime, request.threads)
        try:
            seconds = costs.timed(lambda: session.run([name], {self._input: zeros}), request.warmup, request.runs)
        except Exception as error:
            raise self._refused("does not run", error)
        return {
            **costs.without_counts("ONNX Runtime does not report its operations; count them with --runtime libtorch"), "parameters": self._parameters,
            "buffers": self._graph.buffers, "bytes": self._graph.bytes, "seconds": seconds,
        }

    def _scores_of(self, images: Any, scores: Any) -> None:
        import numpy

        count = len(images)
        if self._fixed_batch > count:
            # Pads with copies of an image, because other values could change the range with which a file quantises.
            images = numpy.concatenate([images, numpy.repeat(images[:1], self._fixed_batch - count, axis=0)])
        one = self._session.get_outputs()[self._place]
        given = self._given(images)
        try:
            if one.type == "tensor(float)" and len(given) == count and not self._flat:
                self._into(one.name, given, scores)
                return
            (value,) = self._session.run([one.name], {self._input: given})
        except Exception as error:
            raise self._refused("does not run", error)
        value = as_rows(value, len(given))
        checked_shape(value.shape, len(given), scores.shape[1])
        scores[...] = value[:count]

    def _into(self, name: str, given: Any, scores: Any) -> None:
        """Binds the session to the memory of these arrays. An output of another shape is an error of the session."""
        import numpy

        binding = self._session.io_binding()
        binding.bind_cpu_input(self._input, given)
        binding.bind_output(name, "cpu", 0, numpy.float32, list(scores.shape), scores.ctypes.data)
        self._session.run_with_iobinding(binding)


__all__ = ["OnnxModel"]
