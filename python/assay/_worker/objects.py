"""From an object to a model: what an nn.Module or a function says of itself, and what its user says of it."""

from __future__ import annotations

import sys
from typing import Any, Optional

from . import fingerprints, preprocessing
from .models import ArrayModel, Description, Model, TorchModel
from .wire import Refused


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
    """The image processor that lies beside the weights that a module of transformers came from; nothing is downloaded for it."""
    if not name:
        return
    try:
        processor = transformers.AutoImageProcessor.from_pretrained(name, local_files_only=True)
        description.image_processor, notes = preprocessing.of_processor(processor)
    except Exception:  # then the caller says how images are prepared
        return
    description.notes += notes


def safe_name(name: str) -> str:
    """As a folder's name: no slashes, no control characters, no dot at its begin, at most 200 characters."""
    kept = "".join("_" if c in "/\\" or ord(c) < 0x20 or ord(c) == 0x7F else c for c in name).lstrip(".")
    return kept[:200] or "model"


class Given:
    """What the caller says about a model: options of assay.predict beside those of the command."""

    KEYS = ("identity", "weights", "transform", "processor", "settings", "batches")

    def __init__(self, options: "Optional[dict[str, Any]]" = None):
        given = dict(options or {})
        self.identity: Any = given.pop("identity", None)
        self.weights: Any = given.pop("weights", None)
        self.transform: Any = given.pop("transform", None)
        self.processor: Any = given.pop("processor", None)
        self.settings: Any = given.pop("settings", None)
        self.batches: Any = given.pop("batches", None)
        if self.batches not in (None, "torch", "numpy"):
            raise Refused(f"batches={self.batches!r}: \"torch\" and \"numpy\" are allowed", "usage")
        several = [key for key in ("weights", "transform", "processor") if getattr(self, key) is not None]
        if len(several) > 1:
            raise Refused(f"{' and '.join(several)} both say how images are prepared: keep one", "usage")

    def settle(self, description: Description) -> None:
        """Writes what was given over what the object says of itself."""
        if self.weights is not None:
            weights = preprocessing.torchvision_weights(self.weights)
            description.settings = preprocessing.of_torchvision(weights.transforms())
        if self.transform is not None:
            classes = description.settings.get("classes")
            description.settings = preprocessing.of_transform(self.transform)
            if classes is not None:
                description.settings["classes"] = classes
        if self.processor is not None:
            description.image_processor, notes = preprocessing.of_processor(self.processor)
            description.notes += notes
        if self.settings is not None:
            if not isinstance(self.settings, dict):
                raise Refused("settings= is a dictionary of the keys of a model settings file (docs/models.md)", "usage")
            description.settings.update(self.settings)
        if self.identity is not None:
            description.identity = fingerprints.of_text(str(self.identity))


def model_of(value: Any, name: str = "", given: Optional[Given] = None, format: str = "python", movable: bool = False) -> Model:
    """The model behind an nn.Module or a function. Raises Refused: it is neither.

    movable: the module is ours, so that it may go to the device that is asked for.
    """
    given = given or Given()
    description = Description(name, format)
    own = getattr(value, "assay_settings", None)
    if fingerprints.is_module(value):
        _describe_module(value, description)
        description.name = safe_name(description.name or type(value).__name__)
        model: Model = TorchModel(description, value, value, movable)
    elif callable(value):
        identity, torch = fingerprints.of_function(value)
        description.identity = identity or ""
        description.name = safe_name(description.name or getattr(value, "__name__", type(value).__name__).strip("<>"))
        kind = given.batches or ("torch" if torch else "numpy")
        if given.batches is None:
            other = "numpy" if kind == "torch" else "torch"
            what = "torch tensors" if kind == "torch" else "NumPy arrays"
            description.notes.append(f"the function {description.name} is given {what} (batches=\"{other}\" changes it)")
        owner = _module_in(value)
        model = TorchModel(description, value, owner) if kind == "torch" else ArrayModel(description, value)
    else:
        raise Refused(f"{type(value).__name__} is no model: give an nn.Module, a function from a batch to scores, or the path of a file", "usage")
    if isinstance(own, dict):
        description.settings.update(own)
    given.settle(description)
    return model


def _module_in(function: Any) -> Any:
    """The one module that a function closes over or is bound to, which is then put into evaluation mode; None: none, or several."""
    values = [getattr(function, "__self__", None)]
    for cell in getattr(function, "__closure__", None) or ():
        try:
            values.append(cell.cell_contents)
        except ValueError:
            continue
    code = getattr(function, "__code__", None)
    if code is not None:
        values += [function.__globals__.get(name) for name in code.co_names]
    modules = {id(value): value for value in values if fingerprints.is_module(value)}
    return next(iter(modules.values())) if len(modules) == 1 else None


