"""An nn.Module, or a function of tensors, as a model."""

from __future__ import annotations

from typing import Any, Callable

from . import costs, fingerprints, given_gradients
from .losses import check_labels, loss_of
from .models import Description, Model, as_rows, checked_shape, refuse_device, scores_in
from .wire import Batch, CostRequest, Refused

LANES_OF_CUDA = 2  # one batch is copied while another is computed


def _same_device(module: Any) -> Any:
    """The device of a module's first parameter or buffer; the CPU if it has none."""
    import torch

    for tensor in (*module.parameters(), *module.buffers()):
        return tensor.device
    return torch.device("cpu")


def _device_text(device: Any) -> str:
    import torch

    return f"cuda ({torch.cuda.get_device_name(device)})" if device.type == "cuda" else str(device.type)


def _stands_alone(weight: Any) -> bool:
    """Whether the tensor shares its memory with no other process or tensor."""
    storage = weight.untyped_storage() if hasattr(weight, "untyped_storage") else weight.storage()
    return not weight.is_shared() and storage.nbytes() == weight.numel() * weight.element_size()


def _cuts_products(torch: Any) -> bool:
    """Whether this process allows TF32 for float32 numbers on CUDA."""
    try:
        return bool(torch.backends.cuda.matmul.allow_tf32 or torch.backends.cudnn.allow_tf32)
    except RuntimeError:  # torch raises it if TF32 was set by the newer names
        return True


def _evaluate(module: Any) -> None:
    """Puts a module into evaluation mode. A graph of torch.export has the mode in which it was exported. Refuses one in training mode.

    Such a graph may be a part of the module, and its refusal of eval() then ends that of the whole.
    """
    parts = [(one, one.training) for one in module.modules()]
    try:
        module.eval()
    except NotImplementedError:
        from torch.fx.graph import Graph

        for one, _ in parts:
            one.training = False
            graph = getattr(one, "graph", None)
            for node in graph.nodes if isinstance(graph, Graph) else ():
                name = str(node.target)
                if (".dropout" in name and len(node.args) > 2 and node.args[2] is True) or (".batch_norm." in name and node.args[5] is True):
                    for each, training in parts:
                        each.training = training
                    raise Refused(f"the model was exported in training mode ({name}): call net.eval() before torch.export.export(net, ...)") from None


class TorchModel(Model):
    """An nn.Module, or a function from a tensor to a tensor."""

    def __init__(self, description: Description, call: Callable[[Any], Any], module: Any = None, movable: bool = False):
        import torch

        super().__init__(description)
        description.libraries.insert(0, f"PyTorch {torch.__version__.split('+')[0]}")
        self._call = call
        self._module = module
        self._movable = movable
        self._device = torch.device("cpu") if module is None else _same_device(module)
        self._memory_format = torch.contiguous_format
        self._training: "list[Any]" = []
        self._wanting: "list[Any]" = []
        # A function converts its input by itself, so it gets float32.
        own: Any = module if call is module else None
        floating = [p.dtype for p in own.parameters() if p.is_floating_point()] if own is not None else []
        self._dtype = floating[0] if floating else torch.float32

    def __enter__(self) -> "Model":
        super().__enter__()
        if self._module is not None:
            self._training = [one for one in self._module.modules() if one.training]
            self._wanting = [one for one in self._module.parameters() if one.requires_grad]
            _evaluate(self._module)
            for parameter in self._wanting:  # gradients are needed only for the input
                parameter.requires_grad_(False)
        return self

    def __exit__(self, *_: Any) -> None:
        import torch

        if self._module is not None:
            if self._memory_format is torch.channels_last:
                self._module.to(memory_format=torch.contiguous_format)
                self._memory_format = torch.contiguous_format
            for parameter in self._wanting:
                parameter.requires_grad_(True)
            for one in self._training:
                one.training = True
        super().__exit__()

    def identify(self) -> None:
        if self.description.identity is None and self._module is not None:
            self.description.identity = fingerprints.of_module(self._module)

    def place(self, device: str, process: int) -> None:
        import torch

        if self._module is None:
            return refuse_device(device)
        if device == "auto":
            wanted = "cuda" if self._movable and torch.cuda.is_available() else ""
        else:
            wanted = device
        if not wanted:
            return
        if "," in wanted:
            raise Refused(f"a model in Python computes on one device: device={wanted} names several; cuda:0 is one", "usage")
        try:
            asked = torch.device(wanted)
        except RuntimeError as error:
            raise Refused(f"no device {wanted}: {error}", "usage")
        if asked.type == self._device.type and asked.index in (None, self._device.index):
            return
        if not self._movable:
            raise Refused(
                f"the module is on {self._device}, and device={wanted} is requested: move it yourself (net.to({wanted!r})), or omit it",
                "usage",
            )
        if asked.type == "cuda" and not torch.cuda.is_available():
            raise Refused(f"no device {wanted}: this PyTorch ({torch.__version__}) sees no CUDA device; use cpu", "usage")
        if asked.type == "cuda" and asked.index is None:
            asked = torch.device(f"cuda:{process % torch.cuda.device_count()}")
        self._module.to(asked)
        self._device = _same_device(self._module)

    def _run(self, x: Any) -> "tuple[Any, str]":
        value, note = scores_in(self._call(x), self.output)
        if not fingerprints.is_tensor(value):
            import torch

            value = torch.as_tensor(value)
        return as_rows(value, x.shape[0]), note

    def _zeros(self, height: int, width: int, images: int = 1) -> Any:
        import torch

        zeros: Any = torch.zeros(images, self.channels, height, width, dtype=self._dtype)
        return zeros.to(self._device, memory_format=self._memory_format)

    def probe(self, height: int, width: int) -> "tuple[int, list[str]]":
        import torch

        with torch.no_grad():
            self._take_channels_last(height, width)
            try:
                value, note = self._run(self._zeros(height, width))
            except RuntimeError as error:
                self._refuse_channels(str(error))
                raise
        if not value.is_floating_point():
            raise Refused(f"the model returns numbers of the type {value.dtype}; scores are floating-point numbers")
        return checked_shape(value.shape, 1, None), [note] if note else []

    def _refuse_channels(self, error: str) -> None:
        """Raises Refused if the error of a convolution shows that the model takes gray images, or no images.
        src/model/torch/network.cpp reads the same errors."""
        if self.channels == 3 and "to have 1 channels, but got 3 channels" in error:
            raise Refused(
                "the model takes images of one channel. Pass channel_order=\"gray\" with mean= and std= of one number each (--channel-order gray), or a "
                "transform= that begins with Grayscale(). For one of several models, settings={name: {\"channel_order\": \"gray\", ...}} says it"
            )
        if self.channels == 1 and "to have 3 channels, but got 1 channels" in error:
            raise Refused("the model takes images of three channels, but its settings say gray: omit channel_order=\"gray\"")

    def _take_channels_last(self, height: int, width: int) -> None:
        """Chooses a memory format with faster convolutions on a CPU, by a fixed rule because the bits depend on it."""
        import torch

        weights = [] if self._module is None else [w for w in self._module.parameters() if w.dim() == 4]
        if self._device.type != "cpu" or self._memory_format is torch.channels_last or not weights:
            return
        if not all(w.is_contiguous() and (self._movable or _stands_alone(w)) for w in weights):
            return
        self._memory_format = torch.channels_last
        try:
            self._module.to(memory_format=torch.channels_last)
            self._run(self._zeros(height, width))
        except Exception:  # the usual format works, or reports the error
            self._memory_format = torch.contiguous_format
            self._module.to(memory_format=torch.contiguous_format)

    def facts(self) -> "dict[str, Any]":
        import torch

        parameters = 0 if self._module is None else sum(p.numel() for p in self._module.parameters())
        return {
            "parameters": parameters, "device": _device_text(self._device), "lanes": 0 if self._device.type == "cpu" else LANES_OF_CUDA,
            "memory_format": "channels_last" if self._memory_format is torch.channels_last else "contiguous",
            "precision": int(self._device.type == "cuda" and _cuts_products(torch)),  # fp32 or tf32
        }

    def scores_of(self, images: Any) -> Any:
        import torch

        with torch.no_grad():
            x = torch.as_tensor(images).to(self._device)
            x = x.to(self._dtype) if x.is_floating_point() else x
            scores, _ = self._run(x.contiguous(memory_format=self._memory_format) if x.dim() == 4 else x)
            checked_shape(scores.shape, len(images), None)
            return scores.to("cpu", torch.float32).numpy()

    def compute(self, batch: Batch, buffer: Any) -> None:
        import torch

        height, width, classes = self.sides_of(batch)
        floats = torch.frombuffer(buffer, dtype=torch.float32, count=batch.floats)
        images = floats[:batch.input].view(batch.images, 3, height, width)[:, :self.channels]
        out = floats[batch.input:batch.gradient_at].view(batch.images, -1)
        if batch.loss is None:
            with torch.no_grad():
                # A model may write into its input. It may get the buffer's own memory, because it is not read again.
                x = images.to(self._device, self._dtype).contiguous(memory_format=self._memory_format)
                scores, _ = self._run(x)
                checked_shape(scores.shape, batch.images, classes)
                out.copy_(scores)
            return
        self._gradients(batch, floats, images, out, classes)

    def _gradients(self, batch: Batch, floats: Any, images: Any, out: Any, classes: int) -> None:
        import torch

        labels = floats[batch.labels_at:batch.targets_at].view(torch.int32)
        targets = floats[batch.targets_at:batch.floats].view(torch.int32)
        check_labels(classes, labels, targets)
        with torch.set_grad_enabled(True):
            leaf = images.to(self._device, copy=True).requires_grad_()
            # This is a copy, because a model may write into its input, which torch refuses for a leaf.
            scores, _ = self._run(leaf.to(self._dtype).clone(memory_format=self._memory_format))
            checked_shape(scores.shape, batch.images, classes)
            if self.gradient is None and not scores.requires_grad:
                raise Refused("the model has no gradient, because its scores are detached from its input (detach(), no_grad() or "
                    "integers inside?)")
            losses, derivative = loss_of(batch.loss or 0, scores.detach().float(), labels.to(self._device), targets.to(self._device))
            if self.gradient is not None:
                gradient = self._given(images.to(self._device, copy=True), derivative)
            else:
                (gradient,) = torch.autograd.grad(scores, leaf, derivative.to(scores.dtype), allow_unused=True)
        if gradient is None:
            raise Refused("the model has no gradient, because its scores are detached from its input")
        out.copy_(scores.detach())
        planes = floats[batch.gradient_at:batch.losses_at].zero_().view(batch.images, 3, *images.shape[2:])
        planes[:, :self.channels].copy_(gradient)
        floats[batch.losses_at:batch.labels_at].copy_(losses.to("cpu", torch.float64).contiguous().view(torch.float32))

    def _given(self, images: Any, weights: Any) -> Any:
        """Calls gradient= with tensors."""
        import torch

        assert self.gradient is not None
        return given_gradients.checked(torch.as_tensor(self.gradient(images, weights)).detach(), images.shape, self.description.name)

    def gradient_of(self, images: Any, weights: Any) -> Any:
        import torch

        return self._given(torch.as_tensor(images).to(self._device), torch.as_tensor(weights).to(self._device)).to("cpu", torch.float32).numpy()

    def cost(self, request: CostRequest) -> "dict[str, Any]":
        import torch

        height, width, _ = self._last

        def run() -> Any:
            return self._run(self._zeros(height, width, request.batch))[0].cpu()  # waits for the device

        with torch.no_grad():
            given = self._zeros(height, width, request.batch)
            with costs.Watch(given) as watch:
                scores = self._run(given)[0]
            counted = watch.finish(scores)
            torch.set_num_threads(request.threads)
            try:
                seconds = costs.timed(run, request.warmup, request.runs)
            finally:
                torch.set_num_threads(1)
        if self._module is not None:
            weights: "dict[str, Any]" = costs.weights_of(self._module)
        else:
            weights = costs.without_weights("the weights of a function without an nn.Module are unknown")
        return {**counted, **weights, "seconds": seconds}
