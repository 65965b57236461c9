"""Turns an object into a model, from the facts in an nn.Module or a function and from the user's options."""

from __future__ import annotations

import sys
from typing import Any, Optional

from . import fingerprints, given_gradients, preprocessing
from .array_model import ArrayModel
from .models import Description, Model
from .torch_model import TorchModel
from .wire import Refused, cut

_LABELS = ("classes", "label_names", "label_descriptions")
# The other settings that an explicit setting replaces.
_RIVALS = {"input_size": ("test_input_size",), "crop_pct": ("test_crop_pct", "resize_size"), "resize_size": ("crop_pct", "test_crop_pct")}


def _timm_version() -> str:
    timm = sys.modules.get("timm")
    return f"timm {timm.__version__}" if timm is not None else ""


def _describe_module(module: Any, description: Description) -> None:
    """Settings and a name from what the module carries: timm's pretrained_cfg, transformers' config."""
    config = getattr(module, "pretrained_cfg", None) or getattr(module, "default_cfg", None)
    if isinstance(config, dict) and "input_size" in config:
        classes = getattr(module, "num_classes", None)
        description.settings = preprocessing.of_timm(config, classes if isinstance(classes, int) else None)
        if _timm_version():
            description.libraries.append(_timm_version())
        if not description.name and config.get("architecture"):
            tag = config.get("tag")
            description.name = f"{config['architecture']}.{tag}" if tag else str(config["architecture"])
        return
    config = getattr(module, "config", None)
    if config is not None and hasattr(config, "model_type") and hasattr(config, "to_dict"):
        description.model_type = str(config.model_type)
        classes = preprocessing.classes_of_config(config)
        if classes is not None:
            description.settings["classes"] = classes
        transformers = sys.modules.get("transformers")
        if transformers is not None:
            description.libraries.append(f"transformers {transformers.__version__}")
            _describe_processor(transformers, str(getattr(config, "_name_or_path", "") or ""), description)
        name = str(getattr(config, "_name_or_path", "") or "").rstrip("/").rsplit("/", 1)[-1]
        description.name = description.name or name
    torchvision = sys.modules.get("torchvision")
    if torchvision is not None and type(module).__module__.startswith("torchvision.models"):
        description.libraries.append(f"torchvision {torchvision.__version__.split('+')[0]}")
        if not description.name:
            description.name = type(module).__name__.lower()


def _describe_processor(transformers: Any, name: str, description: Description) -> None:
    """The image processor next to the weights of a transformers module; nothing is downloaded."""
    if not name:
        return
    try:
        processor = transformers.AutoImageProcessor.from_pretrained(name, local_files_only=True, trust_remote_code=False)
        description.image_processor, description.processor_notes = preprocessing.of_processor(processor)
    except Exception:  # then the caller describes the preprocessing
        return


def safe_name(name: str) -> str:
    """Makes a folder name: no slashes, no control characters, no leading dot, at most 200 bytes of UTF-8."""
    kept = "".join("_" if c in "/\\" or ord(c) < 0x20 or ord(c) == 0x7F else c for c in name).lstrip(".")
    return cut(kept, 200).decode() or "model"


def _say(description: Description, settings: "dict[str, Any]") -> None:
    """Overrides the object's settings. If two set the same thing, the later one wins."""
    for key in settings:
        for rival in _RIVALS.get(key, ()):
            description.settings.pop(rival, None)
    description.settings.update(settings)


class Given:
    """The caller's options for a model: those of assay.predict beyond those of the command."""

    KEYS = ("identity", "weights", "transform", "processor", "settings", "batches", "channels_last", "gradient")

    def __init__(self, options: "Optional[dict[str, Any]]" = None):
        given = dict(options or {})
        self.identity: Any = given.pop("identity", None)
        self.weights: Any = given.pop("weights", None)
        self.transform: Any = given.pop("transform", None)
        self.processor: Any = given.pop("processor", None)
        self.settings: Any = given.pop("settings", None)
        self.batches: Any = given.pop("batches", None)
        self.channels_last: Optional[bool] = given.pop("channels_last", None)
        self.gradient: Any = given.pop("gradient", None)
        if self.gradient is not None and not callable(self.gradient):
            raise Refused(f"gradient= is a {type(self.gradient).__name__}, not a function. {given_gradients.CONTRACT}", "usage")
        if self.batches not in (None, "torch", "numpy"):
            raise Refused(f"batches={self.batches!r}: allowed: \"torch\", \"numpy\"", "usage")
        several = [key for key in ("weights", "transform", "processor") if getattr(self, key) is not None]
        if len(several) > 1:
            raise Refused(f"{' and '.join(several)} both define the preprocessing: keep one", "usage")

    def settle(self, description: Description) -> None:
        """Overrides the object's settings with those of the caller."""
        labels = {key: value for key, value in description.settings.items() if key in _LABELS}
        if self.weights is not None:
            weights = preprocessing.torchvision_weights(self.weights)
            description.settings = {**labels, **preprocessing.of_torchvision(weights.transforms())}
        if self.transform is not None:
            description.settings = {**labels, **preprocessing.of_transform(self.transform, description.notes)}
        if self.weights is not None or self.transform is not None:
            description.image_processor, description.processor_notes = None, []
        if self.processor is not None:
            description.settings = labels
            description.image_processor, description.processor_notes = preprocessing.of_processor(self.processor)
        if self.settings is not None:
            if not isinstance(self.settings, dict):
                raise Refused("settings= must be a dictionary with the keys of a model settings file (docs/models.md)", "usage")
            _say(description, self.settings)
        if self.identity is not None:
            description.identity = fingerprints.of_text(str(self.identity))


def model_of(value: Any, name: str = "", given: Optional[Given] = None, format: str = "python", movable: bool = False) -> Model:
    """The model for an nn.Module or a function. Raises Refused for anything else.

    movable: the module belongs to Assay, so it may be moved to the requested device.
    """
    given = given or Given()
    description = Description(name, format)
    if type(value).__name__ == "ExportedProgram" and type(value).__module__.startswith("torch.export"):
        value = value.module()  # the program itself cannot be called
    own = getattr(value, "assay_settings", None)
    if fingerprints.is_module(value):
        if given.channels_last:
            raise Refused("channels_last= is for functions of NumPy arrays; a PyTorch module takes n x 3 x H x W", "usage")
        if given.gradient is not None:
            raise Refused("gradient= is for functions; the gradient of a module comes from autograd: omit it, or pass a "
                "dictionary by model name", "usage")
        _describe_module(value, description)
        description.name = safe_name(description.name or type(value).__name__)
        model: Model = TorchModel(description, value, value, movable)
    elif callable(value):
        identity, torch, modules = fingerprints.of_function(value)
        description.identity = identity or ""
        description.name = safe_name(description.name or getattr(value, "__name__", type(value).__name__).strip("<>"))
        kind = given.batches or ("torch" if torch else "numpy")
        if given.batches is None:
            other = "numpy" if kind == "torch" else "torch"
            what = "torch tensors" if kind == "torch" else "NumPy arrays"
            description.notes.append(f"the function {description.name} is given {what} (batches=\"{other}\" changes it)")
        channels_last = given.channels_last
        if channels_last is None and (channels_last := _takes_channels_last(value)):
            description.notes.append(f"{description.name} is given batches with the channels last, as its input_shape says (channels_last=False changes it)")
        if kind == "torch" and channels_last:
            raise Refused("channels_last= is of functions of NumPy arrays: give batches=\"numpy\", too, or let the function permute its tensor", "usage")
        if channels_last and identity:  # another order gives other scores
            description.identity = fingerprints.of_text(f"{identity} channels_last")
        if given.gradient is not None and identity:  # with another gradient, attacks find other images
            of_gradient = fingerprints.of_function(given.gradient)[0]
            description.identity = fingerprints.of_text(f"{description.identity} gradient {of_gradient}") if of_gradient else ""
        model = TorchModel(description, value, _one_of(modules)) if kind == "torch" else ArrayModel(description, value, bool(channels_last))
    else:
        raise Refused(f"{type(value).__name__} is not a model: pass an nn.Module, a function from a batch to scores, or the path "
            f"of a file", "usage")
    model.gradient = given.gradient
    if isinstance(own, dict):
        _say(description, own)
    given.settle(description)
    return model


def _takes_channels_last(value: Any) -> bool:
    """Whether it is a Keras model with an input of n x H x W x 3."""
    shape = getattr(value, "input_shape", None) if fingerprints.is_keras(value) else None
    return isinstance(shape, tuple) and len(shape) == 4 and shape[3] == 3 and shape[1] != 3


def _one_of(modules: "list[Any]") -> Any:
    """All modules of a function in one module, which is put into evaluation mode; None if it uses none."""
    if len(modules) < 2:
        return modules[0] if modules else None
    import torch

    return torch.nn.ModuleList(modules)
