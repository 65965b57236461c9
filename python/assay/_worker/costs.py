"""Measures the cost of a PyTorch model: operators counted as they run, activations, and run times (docs/cost.md).

Operators are watched where PyTorch hands them to a device, below autograd: a linear layer appears as a matrix product. The rules
are those of src/model/torch/cost_products.cpp, and a test checks that both give the same numbers.
"""

from __future__ import annotations

import importlib
import time
from typing import Any, Callable, Optional

from .operator_kinds import ELEMENTWISE, POOLING, PRODUCT, UNKNOWN, kind_of

MOST_NODES = 20_000

# The multiply-accumulates by operands and results, and how many of them multiply two computed operands (as attention does).
Macs = Callable[["list[Any]", "list[Any]"], "Optional[tuple[int, int]]"]


def _each(weight: Any) -> int:
    return int(weight.numel()) // max(int(weight.shape[0]), 1)


def _convolution(operands: "list[Any]", results: "list[Any]") -> "Optional[tuple[int, int]]":
    transposed = len(operands) > 6 and operands[6] is True
    return (operands[0] if transposed else results[0]).numel() * _each(operands[1]), 0


def _plain_convolution(operands: "list[Any]", results: "list[Any]") -> "Optional[tuple[int, int]]":
    return results[0].numel() * _each(operands[1]), 0


def _product(left: int) -> Macs:
    def macs(operands: "list[Any]", results: "list[Any]") -> "Optional[tuple[int, int]]":
        all_ = int(results[0].numel()) * int(operands[left].shape[-1])
        return all_, all_

    return macs


def _summed_product(operands: "list[Any]", results: "list[Any]") -> "Optional[tuple[int, int]]":
    all_ = int(operands[1].numel()) * int(operands[2].shape[2])
    return all_, all_


def _attention(operands: "list[Any]", results: "list[Any]") -> "Optional[tuple[int, int]]":
    query, key, value = operands[:3]
    all_ = query.numel() // query.shape[-1] * key.shape[-2] * (query.shape[-1] + value.shape[-1])
    return all_, all_


def _projected_attention(operands: "list[Any]", results: "list[Any]") -> "Optional[tuple[int, int]]":
    query, key, value = operands[:3]
    between = 2 * query.numel() * key.shape[1]
    return (2 * query.numel() + key.numel() + value.numel()) * query.shape[2] + between, between


def _encoder_layer(operands: "list[Any]", results: "list[Any]") -> "Optional[tuple[int, int]]":
    source, mlp = operands[0], operands[14]
    between = 2 * source.numel() * source.shape[1]
    return source.numel() * (4 * source.shape[2] + 2 * mlp.shape[0]) + between, between


def _unpacked(packed: Any) -> Any:
    return (packed.unpack() if hasattr(packed, "unpack") else packed.__getstate__()[0])[0]


def _quantised_convolution(operands: "list[Any]", results: "list[Any]") -> "Optional[tuple[int, int]]":
    return results[0].numel() * _each(_unpacked(operands[1])), 0


def _quantised_linear(operands: "list[Any]", results: "list[Any]") -> "Optional[tuple[int, int]]":
    return operands[0].numel() * _unpacked(operands[1]).shape[0], 0


# The rule of each operator, and the positions of its two factors.
_PRODUCTS: "dict[str, tuple[Macs, int, int]]" = {
    **dict.fromkeys(("convolution", "_convolution", "convolution_overrideable"), (_convolution, 0, 1)),
    **dict.fromkeys(
        (
            "conv1d", "conv2d", "conv3d", "_slow_conv2d_forward", "slow_conv3d", "slow_conv_dilated2d", "slow_conv_dilated3d", "thnn_conv2d",
            "_conv_depthwise2d", "conv_depthwise3d", "mkldnn_convolution", "cudnn_convolution",
        ),
        (_plain_convolution, 0, 1),
    ),
    **dict.fromkeys(("linear", "matmul", "linalg_matmul", "mm", "bmm", "mv", "dot", "vdot", "inner"), (_product(0), 0, 1)),
    **dict.fromkeys(("addmm", "_addmm_activation", "addmv", "baddbmm"), (_product(1), 1, 2)),
    "addbmm": (_summed_product, 1, 2),
    **dict.fromkeys(
        (
            "scaled_dot_product_attention", "_scaled_dot_product_attention", "_scaled_dot_product_attention_math",
            "_scaled_dot_product_flash_attention", "_scaled_dot_product_flash_attention_for_cpu", "_scaled_dot_product_efficient_attention",
            "_scaled_dot_product_cudnn_attention",
        ),
        (_attention, 0, 1),
    ),
    "_native_multi_head_attention": (_projected_attention, 0, 1),
    "_transformer_encoder_layer_fwd": (_encoder_layer, 0, 0),
    **dict.fromkeys(
        [f"quantized::conv{sides}d{more}" for sides in (1, 2, 3) for more in ("", "_relu")], (_quantised_convolution, 0, 0)
    ),
    **dict.fromkeys(
        [f"quantized::linear{more}" for more in ("", "_relu", "_dynamic", "_relu_dynamic")], (_quantised_linear, 0, 0)
    ),
}


def _tensors(value: Any, out: "list[Any]") -> "list[Any]":
    import torch

    if isinstance(value, torch.Tensor):
        out.append(value)
    elif isinstance(value, (list, tuple)):
        for one in value:
            _tensors(one, out)
    elif isinstance(value, dict):
        for one in value.values():
            _tensors(one, out)
    return out


def _storage(tensor: Any) -> Any:
    return tensor.untyped_storage() if hasattr(tensor, "untyped_storage") else tensor.storage().untyped()


class _Met:
    """A tensor storage that was seen. `kept`: no other storage gets its address, although its bytes may be freed."""

    def __init__(self, storage: Any, now: int, constant: bool):
        reductions: Any = importlib.import_module("torch.multiprocessing.reductions")
        self.kept = reductions.StorageWeakRef(storage)
        self.bytes = int(storage.nbytes())
        self.constant = constant  # true if not the result of a watched operator
        self.activation = False  # true if it depends on the image
        self.made_at = self.last_use = now


class Watch:
    """Counts the operators that run inside the context. `given`: the images."""

    def __init__(self, given: Any):
        self.operators: "dict[tuple[str, int], dict[str, Any]]" = {}
        self.nodes: "list[dict[str, Any]]" = []
        self.now = 0
        self._storages: "dict[int, _Met]" = {}
        first = self._met(given)
        first.constant, first.activation = False, True
        self._images = given

    def __enter__(self) -> "Watch":
        dispatch: Any = importlib.import_module("torch.utils._python_dispatch")
        watch = self

        class Mode(dispatch.TorchDispatchMode):  # type: ignore[misc]
            def __torch_dispatch__(self, function: Any, types: Any, arguments: Any = (), named: Any = None) -> Any:
                operands = [*arguments, *(named or {}).values()]
                activation = watch._begin(operands)
                result = function(*arguments, **(named or {}))
                watch._end(function._schema.name, operands, result, activation)
                return result

        self._mode: Any = Mode()
        self._mode.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._mode.__exit__(*error)

    def _met(self, tensor: Any) -> _Met:
        storage = _storage(tensor)
        met = self._storages.get(storage._cdata)
        if met is None:
            met = self._storages[storage._cdata] = _Met(storage, self.now, True)
        return met

    def _begin(self, operands: "list[Any]") -> bool:
        """Whether any of the tensors depends on the image."""
        activation = False
        for tensor in _tensors(operands, []):
            met = self._met(tensor)
            met.last_use = self.now
            activation = activation or met.activation
        return activation

    def _end(self, name: str, operands: "list[Any]", result: Any, activation: bool) -> None:
        results = _tensors(result, [])
        if not results:
            return
        for tensor in results:
            storage = _storage(tensor)
            fresh = storage._cdata not in self._storages
            met = self._met(tensor)
            if fresh:
                met.constant = False
            met.activation = met.activation or (activation and not met.constant)
            met.bytes = max(met.bytes, int(storage.nbytes()))
            met.last_use = self.now
        macs = self._count(name, operands, results)
        if len(self.nodes) < MOST_NODES:
            shape = " x ".join(map(str, results[0].shape))
            self.nodes.append({"name": name, "op": name, "shape": shape, "macs": macs, "live_bytes": 0})
        self.now += 1

    def _count(self, name: str, operands: "list[Any]", results: "list[Any]") -> int:
        short = name[len("aten::"):] if name.startswith("aten::") else name
        macs, of_attention, kind = 0, 0, kind_of(name)
        if short in _PRODUCTS:
            rule, left, right = _PRODUCTS[short]
            try:
                macs, between = map(int, rule(operands, results) or (0, 0))
                kind = PRODUCT
            except Exception:  # operands of a kind that the rule does not support
                macs, between, kind = 0, 0, UNKNOWN
            if between and self._is_activation(operands[left]) and self._is_activation(operands[right]):
                of_attention = between
        operator = self.operators.setdefault(
            (name, kind),
            {"name": name, "kind": kind, "integer": name.startswith("quantized::") and kind == PRODUCT, "calls": 0, "macs": 0,
             "activation_macs": 0, "elements": 0},
        )
        operator["calls"] += 1
        operator["macs"] += macs
        operator["activation_macs"] += of_attention
        if ELEMENTWISE <= kind <= POOLING:
            inputs = _tensors(operands, []) if kind == POOLING else []
            operator["elements"] += max(int(one.numel()) for one in (results[:1] + inputs[:1]))
        return macs

    def _is_activation(self, tensor: Any) -> bool:
        met = self._storages.get(_storage(tensor)._cdata)
        return met is not None and met.activation

    def finish(self, scores: Any) -> "dict[str, Any]":
        """Operators, nodes and the peak memory. `scores` are counted as used until the end."""
        if self.now:
            self._met(scores).last_use = self.now - 1
        change = [0] * (self.now + 2)
        for met in self._storages.values():
            if not met.constant and self.now:
                change[min(met.made_at, self.now - 1)] += met.bytes
                change[min(met.last_use, self.now - 1) + 1] -= met.bytes
        live, peak, at = 0, 0, 0
        for i in range(self.now):
            live += change[i]
            if i < len(self.nodes):
                self.nodes[i]["live_bytes"] = live
            if live > peak:
                peak, at = live, i
        node = self.nodes[at] if at < len(self.nodes) else None
        place = f"node {at + 1}" + (f": {node['op']} ({node['shape']})" if node else "")
        operators = sorted(self.operators.values(), key=lambda one: (-one["macs"], one["name"]))
        return {"operators": operators, "nodes": self.nodes, "executed_nodes": self.now, "peak_bytes": peak, "peak_node": place if self.now else ""}


def weights_of(module: Any) -> "dict[str, int]":
    """Numbers of the parameters and of the buffers, shared ones once, and the bytes of both."""
    parameters = {id(one): one for one in module.parameters()}
    buffers = {id(one): one for one in module.buffers() if id(one) not in parameters}
    every = [*parameters.values(), *buffers.values()]
    return {
        "parameters": sum(one.numel() for one in parameters.values()), "buffers": sum(one.numel() for one in buffers.values()),
        "bytes": sum(one.numel() * one.element_size() for one in every),
    }


def timed(run: Callable[[], Any], warmup: int, runs: int) -> "list[float]":
    """Seconds of each run, after warm-up runs."""
    seconds = []
    for i in range(warmup + runs if runs else 0):
        start = time.perf_counter()
        run()
        if i >= warmup:
            seconds.append(time.perf_counter() - start)
    return seconds


def without_counts(reason: str) -> "dict[str, Any]":
    """The cost of a model whose operators cannot be watched."""
    return {"operators": [], "nodes": [], "executed_nodes": 0, "peak_bytes": 0, "peak_node": "", "no_operators": reason}


def without_weights(reason: str) -> "dict[str, Any]":
    return {"parameters": 0, "buffers": 0, "bytes": 0, "no_weights": reason}


__all__ = ["Watch", "timed", "weights_of", "without_counts", "without_weights"]
