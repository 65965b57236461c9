"""A short text that identifies a model, so that a store is never resumed with different weights or code.

A module: its structure as it prints itself, and the name, type, shape and bytes of each tensor. Also plain attributes, and the code of
classes that are the user's own. A function: its code and all that it refers to. Classes and modules of libraries count by name.
"""

from __future__ import annotations

import ctypes
import dis
import functools
import hashlib
import re
import sys
import sysconfig
import types
from typing import Any, Optional

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_DEEPEST = 20


def _is_users(name: str) -> bool:
    """Whether a module of this name is the user's own code: neither of the standard library nor of an installed package."""
    top = name.partition(".")[0]
    file = str(getattr(sys.modules.get(top), "__file__", None) or "")
    standard = getattr(sys, "stdlib_module_names", None)  # from Python 3.10 on
    if standard is None:
        standard = [] if file and not file.startswith(sysconfig.get_path("stdlib")) else [top]
    if top in ("torch", "torchvision", "timm", "transformers", "builtins") or (top in standard and top != "__main__"):
        return False
    return "site-packages" not in file and "dist-packages" not in file


def is_module(value: Any) -> bool:
    """Whether it is an nn.Module; this does not import torch."""
    torch = sys.modules.get("torch")
    return torch is not None and hasattr(torch, "nn") and isinstance(value, torch.nn.Module)


def is_tensor(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and hasattr(torch, "is_tensor") and bool(torch.is_tensor(value))


def of_module(module: Any) -> str:
    """32 hex digits. Reads each tensor once: about a second for each gigabyte."""
    walk = _Walk()
    walk.add(module, 0)
    return str(walk.hash.hexdigest())


def of_text(text: str) -> str:
    hash_ = _new()
    hash_.update(text.encode(errors="surrogatepass"))
    return str(hash_.hexdigest())


def of_function(function: Any) -> "tuple[Optional[str], bool, list[Any]]":
    """Fingerprints a function and everything that it uses. Returns 32 hex digits (None if something has no stable contents), whether
    it uses torch, and its nn.Modules."""
    walk = _Walk()
    walk.add(function, 0)
    return walk.hash.hexdigest() if walk.known else None, walk.torch, walk.modules


def _new() -> Any:
    return hashlib.blake2b(digest_size=16)


def _add_tensor(hash_: Any, tensor: Any) -> None:
    import torch

    tensor = tensor.detach()
    hash_.update(f"{tensor.dtype} {tuple(tensor.shape)}\n".encode())
    if tensor.is_quantized:
        hash_.update(f"{tensor.qscheme()}\n".encode())
        if tensor.qscheme() in (torch.per_tensor_affine, torch.per_tensor_symmetric):
            hash_.update(f"{tensor.q_scale()!r} {tensor.q_zero_point()!r}\n".encode())
        else:
            _add_tensor(hash_, tensor.q_per_channel_scales())
            _add_tensor(hash_, tensor.q_per_channel_zero_points())
        tensor = tensor.int_repr()
    if tensor.layout is not torch.strided:
        tensor = tensor.to_dense()
    tensor = tensor.cpu().contiguous()
    size = tensor.numel() * tensor.element_size()
    if size:
        hash_.update((ctypes.c_char * size).from_address(tensor.data_ptr()))


def _add_value(hash_: Any, value: Any) -> None:
    """An entry of a state dict: a tensor, or another value that a module stores."""
    if is_tensor(value):
        _add_tensor(hash_, value)
    elif isinstance(value, (list, tuple)):
        hash_.update(f"{len(value)}\n".encode())
        for one in value:
            _add_value(hash_, one)
    elif isinstance(value, dict):
        hash_.update(f"{len(value)}\n".encode())
        for name, one in value.items():
            hash_.update(f"{name!r}\n".encode())
            _add_value(hash_, one)
    else:
        hash_.update(f"{_ADDRESS.sub('', repr(value))}\n".encode())


def _add_module(hash_: Any, module: Any) -> None:
    kind = type(module)
    hash_.update(f"{kind.__module__}.{kind.__qualname__}\n{_ADDRESS.sub('', repr(module))}\n".encode(errors="replace"))
    state = module.state_dict()
    for name, value in state.items():
        hash_.update(f"{name}\n".encode(errors="replace"))
        _add_value(hash_, value)
    for name, buffer in module.named_buffers():
        if name not in state:  # a buffer that is not in a checkpoint also counts
            hash_.update(f"{name}\n".encode(errors="replace"))
            _add_value(hash_, buffer)


def _is_plain(value: Any) -> bool:
    """Numbers, texts, tensors, arrays, and lists of them."""
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return value is None or isinstance(value, (bool, int, float, complex, str, bytes)) or is_tensor(value) or _is_array(value)


def _has(value: Any, *names: str) -> bool:
    """Whether it has these attributes; modules that are loaded on their first use may raise anything."""
    try:
        return all(hasattr(value, name) for name in names)
    except Exception:
        return False


def _is_array(value: Any) -> bool:
    return _has(value, "__array_interface__", "tobytes") or (_owner(value) in ("jax", "jaxlib") and _has(value, "__array__", "dtype"))


def _owner(value: Any) -> str:
    """The package of its class."""
    return str(type(value).__module__).partition(".")[0]


# Functions and classes of these libraries count by name and version. Their code would include the whole library.
_BY_NAME = ("jax", "jaxlib", "flax", "keras", "tf_keras", "tensorflow", "equinox", "haiku")


def _library_of(value: Any) -> str:
    """"jax 0.4.30" of a function or a class of such a library; "" for any other."""
    top = str(getattr(value, "__module__", None) or "").partition(".")[0]
    return f"{top} {getattr(sys.modules.get(top), '__version__', '')}" if top in _BY_NAME else ""


def is_keras(value: Any) -> bool:
    """Whether it is a Keras model, with any backend."""
    packages = {str(kind.__module__).partition(".")[0] for kind in type(value).__mro__}
    return bool(packages & {"keras", "tf_keras", "tensorflow"}) and _has(value, "get_weights", "get_config", "layers")


def _globals_of(code: types.CodeType) -> "list[str]":
    """The names of globals that a function and its inner functions use."""
    names = {i.argval for i in dis.get_instructions(code) if i.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(_globals_of(constant))
    return sorted(names)


class _Walk:
    """Hashes a value and everything that it refers to."""

    def __init__(self) -> None:
        self.hash = _new()
        self.torch = False
        self.known = True  # False if a part has no stable contents, such as an open session of another library
        self.modules: "list[Any]" = []
        self._of_module = False  # within the code of a module's class: its data is not followed
        self._seen: "dict[int, tuple[int, Any]]" = {}  # the values are kept alive, so that no two of them have the same id()

    def _text(self, text: str) -> None:
        self.hash.update(f"{text}\n".encode(errors="surrogatepass"))

    def _unknown(self, value: Any) -> None:
        self.known = False
        self._text(f"unknown {type(value).__module__}.{type(value).__qualname__}")

    def add(self, value: Any, depth: int) -> None:
        if value is None or isinstance(value, (bool, int, float, complex, str, bytes, type(...))):
            return self._text(f"{type(value).__name__} {value!r}")
        if id(value) in self._seen:
            return self._text(f"seen {self._seen[id(value)][0]}")
        self._seen[id(value)] = len(self._seen), value
        if depth > _DEEPEST:
            return self._unknown(value)
        if is_module(value):
            self.torch = True
            self.modules.append(value)
            return self._module(value)
        if is_tensor(value):
            self.torch = True
            return _add_tensor(self.hash, value)
        if isinstance(value, types.ModuleType):
            top = value.__name__.partition(".")[0]
            self.torch = self.torch or top in ("torch", "timm", "torchvision")
            if _is_users(value.__name__) and not hasattr(sys.modules.get(top), "__version__"):
                return self._unknown(value)
            return self._text(f"module {value.__name__} {getattr(value, '__version__', '')}")
        self._others(value, depth + 1)

    def _module(self, module: Any) -> None:
        """Adds the values that the function computes with; code without an identity is skipped."""
        _add_module(self.hash, module)
        before = self.known, self._of_module
        self._of_module = True
        for name, one in module.named_modules():
            self._text(name)
            for kind in type(one).__mro__:
                if _is_users(kind.__module__):
                    self.add(kind, 0)
            for key, value in sorted(vars(one).items()):
                # name_or_path is the place where transformers found the weights.
                if key.startswith("_") or key in ("training", "name_or_path"):
                    continue
                if _is_plain(value) or isinstance(value, (types.FunctionType, types.MethodType)):
                    self._text(key)
                    self.add(value, 0)
        self.known, self._of_module = before

    def _class(self, kind: type, depth: int) -> None:
        """Adds the code of a class's functions and its plain values."""
        self._text(f"class {kind.__module__}.{kind.__qualname__}")
        for name, value in sorted(vars(kind).items()):
            if name.startswith("__annotate"):  # from Python 3.14 on, a function that makes the annotations
                continue
            parts = [getattr(value, "__func__", value)]
            if isinstance(value, property):
                parts = [value.fget, value.fset]
            for part in parts:
                if isinstance(part, types.FunctionType) or (_is_plain(part) and not name.startswith("__")):
                    self._text(name)
                    self.add(part, depth)

    def _keras(self, model: Any, depth: int) -> None:
        """Its layers with their settings, its weights, and the code of classes that are the user's own."""
        import json

        try:
            text = json.dumps(model.get_config(), sort_keys=True, default=repr)
            names = dict.fromkeys(re.findall(r'"name": ("[^"\\]*")', text))
            for i, name in enumerate(names):  # names depend on the number of layers that this process made before
                text = text.replace(name, f'"#{i}"')
            self._text(_ADDRESS.sub("", text))
        except Exception:  # a subclass without a config; its code is hashed below
            self._text(_ADDRESS.sub("", repr(model)))
        kinds = {type(one) for one in [model, *model.layers]}
        for kind in sorted((one for kind in kinds for one in kind.__mro__ if _is_users(one.__module__)), key=lambda one: one.__qualname__):
            self.add(kind, depth)
        for weight in model.get_weights():
            self.add(weight, depth)

    def _enclosed(self, function: types.FunctionType, depth: int) -> None:
        """Adds the contents of a function that a library made, such as haiku.transform, except those without an identity."""
        before = self.known
        for cell in function.__closure__ or ():
            try:
                contents = cell.cell_contents
            except ValueError:  # the value is not set yet
                continue
            if isinstance(contents, (types.FunctionType, types.MethodType, functools.partial, tuple, list)) or _is_plain(contents):
                self.add(contents, depth)
        self.known = before

    def _others(self, value: Any, depth: int) -> None:
        if isinstance(value, (types.FunctionType, type)) and (library := _library_of(value)):
            self._text(f"{library} {value.__module__}.{value.__qualname__}")
            if isinstance(value, types.FunctionType):
                self._enclosed(value, depth)
            return
        if isinstance(value, type) and _is_users(value.__module__):
            return self._class(value, depth)
        if isinstance(value, (types.BuiltinFunctionType, type)) or type(value).__name__ == "ufunc":
            owner = str(getattr(value, "__module__", ""))
            self.torch = self.torch or owner.split(".")[0] == "torch"
            return self._text(f"{owner}.{getattr(value, '__qualname__', getattr(value, '__name__', ''))}")
        if isinstance(value, types.FunctionType):
            return self._function(value, depth)
        if isinstance(value, types.CodeType):
            return self._code(value, depth)
        if isinstance(value, types.MethodType):
            self.add(value.__func__, depth)
            return self.add(value.__self__, depth)
        if isinstance(value, functools.partial):
            return self._items([value.func, *value.args, *sorted(value.keywords.items())], depth)
        if isinstance(value, (list, tuple)):
            return self._items(list(value), depth)
        if isinstance(value, slice):  # from Python 3.14 on, a constant of code such as x[:, 0]
            return self._items(["slice", value.start, value.stop, value.step], depth)
        if isinstance(value, (set, frozenset)):
            return self._items(sorted(value, key=repr), depth)
        if isinstance(value, dict):
            return self._items([part for item in value.items() for part in item], depth)
        if _is_array(value):
            import numpy

            self._text(f"{value.dtype} {value.shape}")
            return self.hash.update(numpy.asarray(value).tobytes())  # type: ignore[no-any-return]
        if is_keras(value):
            return self._keras(value, depth)
        if _owner(value) in ("jax", "jaxlib") and _has(value, "__wrapped__"):  # jit
            return self.add(value.__wrapped__, depth)
        if isinstance(getattr(type(value), "__call__", None), types.FunctionType) and hasattr(value, "__dict__"):
            self._text(f"{type(value).__module__}.{type(value).__qualname__}")
            for kind in type(value).__mro__:
                self.add(kind, depth)
            self.add(getattr(type(value), "__call__"), depth)
            return self.add(vars(value), depth)
        self._unknown(value)

    def _items(self, values: "list[Any]", depth: int) -> None:
        self._text(str(len(values)))
        for value in values:
            self.add(value, depth)

    def _code(self, code: types.CodeType, depth: int) -> None:
        self.hash.update(code.co_code)
        self._items([*code.co_names, *code.co_varnames], depth)
        self._items([None if i == 0 and isinstance(c, str) else c for i, c in enumerate(code.co_consts)], depth)

    def _function(self, function: types.FunctionType, depth: int) -> None:
        self._text(f"function {function.__qualname__}")
        self._code(function.__code__, depth)
        self.add(function.__defaults__, depth)
        self.add(function.__kwdefaults__, depth)
        for cell in function.__closure__ or ():
            try:
                contents = cell.cell_contents
            except ValueError:  # the value is not set yet
                self._text("empty")
                continue
            self._used(contents, depth)
        if self._of_module and not _is_users(str(function.__module__)):
            return
        for name in _globals_of(function.__code__):
            if name in function.__globals__:
                self._text(name)
                self._used(function.__globals__[name], depth)

    def _used(self, value: Any, depth: int) -> None:
        """Adds what a function refers to. A module's class may refer to loaders and optimisers in functions for training."""
        if not self._of_module or _is_plain(value) or isinstance(value, (types.FunctionType, type)):
            self.add(value, depth)
