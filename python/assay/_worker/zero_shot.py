"""Zero-shot classification: a network for images and texts (open_clip) becomes a classifier through class names and templates.

The weights of a class are its texts' features: normalised, averaged over the templates, normalised again. Scores are logits: logit_scale
times the cosine of image and class, plus logit_bias if the network has one.
"""

from __future__ import annotations

import functools
import json
import os
import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Optional

from . import fingerprints
from .offline import Say
from .preprocessing import _filter_name
from .wire import Names, Refused

_PLACE = re.compile(r"\{c?\}")  # the placeholder of the class name in a template
_TEXTS_AT_ONCE = 64
_LISTS = {"openai": "OPENAI_IMAGENET_TEMPLATES", "simple": "SIMPLE_IMAGENET_TEMPLATES"}  # in open_clip


def templates_of(names: Names, library: Any) -> "list[Callable[[str], str]]":
    """Functions from a class name to a text."""
    given = names.templates
    if isinstance(given, str):
        try:
            return list(getattr(library, _LISTS[given]))
        except (KeyError, AttributeError):
            raise Refused(f"open_clip {library.__version__} has no templates named {given}: pass a file of them (--templates FILE)", "usage")
    return [functools.partial(_filled, text) for text in given]


def _filled(template: str, name: str) -> str:
    return _PLACE.sub(lambda _: name, template)


def classes_of(names: Names, library: Any) -> "list[str]":
    """The class names for texts. ImageNet's classes have open_clip's names, because WordNet's are lists of synonyms."""
    known = getattr(library, "IMAGENET_CLASSNAMES", ())
    out = []
    for name, number in zip(names.classes, names.imagenet):
        out.append(known[number] if 0 <= number < len(known) else name.replace("_", " "))
    return out


def settings_of(config: "dict[str, Any]") -> "dict[str, Any]":
    """Model settings from open_clip's preprocess_cfg. Raises Refused if Assay does not support it."""
    size = config.get("size", 224)
    sides = [size, size] if isinstance(size, int) else [int(side) for side in size]
    mode = config.get("resize_mode") or "shortest"
    filter_ = config.get("interpolation") or "bicubic"
    settings: "dict[str, Any]" = {
        "input_size": [3, *sides], "interpolation": _filter_name("bicubic" if filter_ == "random" else filter_),
        "mean": list(config["mean"]), "std": list(config["std"]), "outputs": "logits",
    }
    if mode == "squash":
        settings["crop_mode"] = "none"
    elif mode == "shortest" and sides[0] == sides[1]:
        settings.update(crop_mode="center", resize_size=sides[0])
    elif mode == "longest" and sides[0] == sides[1]:
        settings.update(crop_mode="border", resize_size=sides[0], fill=int(config.get("fill_color") or 0))
    else:
        raise Refused(
            f"open_clip resizes the images of this model with resize_mode {mode} to {sides[0]} x {sides[1]} pixels, which Assay "
            f"does not support. Pass the network as python:FILE.py:NAME, with options for its preprocessing"
        )
    return settings


def _device(torch: Any, asked: str) -> str:
    """The device for texts: that of the model. An invalid device is refused when the model is opened."""
    if asked == "auto" or asked.startswith("cuda"):
        if torch.cuda.is_available():
            return "cuda" if asked == "auto" else asked.split(",")[0]
    return "cpu"


def _features(library: Any, network: Any, tokenizer: Any, classes: "list[str]", templates: "list[Callable[[str], str]]", device: str) -> Any:
    """classes x features. Computed in parts of fixed sizes, one thread each, so that the bits do not depend on the number of threads."""
    import torch

    step = max(1, _TEXTS_AT_ONCE // len(templates))
    parts = [classes[at:at + step] for at in range(0, len(classes), step)]
    network.to(device)

    def of_part(part: "list[str]") -> Any:
        torch.set_num_threads(1)
        found = library.build_zero_shot_classifier(network, tokenizer, part, templates, num_classes_per_batch=None, device=device)
        return found.T.float().cpu()

    threads = len(os.sched_getaffinity(0)) if device == "cpu" else 1
    with ThreadPoolExecutor(threads) as pool:
        features = list(pool.map(of_part, parts))
    network.to("cpu")
    return torch.cat(features).contiguous()


def classifier_of(library: Any, network: Any, tokenizer: Any, names: Names, say: Say) -> "tuple[Any, str]":
    """The nn.Module from images to scores, and the identity of the network with these names and templates."""
    import torch

    classes, templates = classes_of(names, library), templates_of(names, library)
    network = network.float().eval()
    texts = len(classes) * len(templates)
    device = _device(torch, names.device)
    fewer = "; --templates simple takes 7 templates instead of 80" if names.templates == "openai" and texts > 10_000 and device == "cpu" else ""
    say(f"{len(classes)} class names in {len(templates)} templates make {texts} texts, such as \"{templates[0](classes[0])}\"{fewer}")
    weights = _features(library, network, tokenizer, classes, templates, device)
    if not bool(torch.isfinite(weights).all()):
        raise Refused("the features of the class names are not finite numbers: check that the weights belong to this architecture")
    told = [fingerprints.of_module(network), [[template(name) for template in templates] for name in classes]]
    return _module(network, weights), fingerprints.of_text("zero-shot " + json.dumps(told))


def _module(network: Any, weights: Any) -> Any:
    import torch

    nn: Any = torch.nn  # so that mypy reports the same if torch is not installed

    class ZeroShot(nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.network = network
            self.register_buffer("weights", weights)

        def forward(self, images: Any) -> Any:
            cosines = self.network.encode_image(images, normalize=True) @ self.weights.T
            scores = self.network.logit_scale.exp() * cosines
            bias: Optional[Any] = getattr(self.network, "logit_bias", None)
            return scores if bias is None else scores + bias

    return ZeroShot()
