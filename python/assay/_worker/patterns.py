"""Lists the models that match a pattern, from the library's own list: timm:resnet*, torchvision:*, open_clip:ViT-B-32/*, hf:google/vit-*.

No model is downloaded or built. For hf:, the hub lists the models of one owner.
"""

from __future__ import annotations

import fnmatch
from typing import Any, Optional, Tuple

from .hubs import package
from .offline import is_offline, refused_by_hub
from .wire import Refused

_IMAGENET = 1000


# A name such as "timm:resnet18.a1_in1k", and its top-1 accuracy on ImageNet (a proportion) if the library lists it.
Match = Tuple[str, Optional[float]]


def _timm(pattern: str) -> "tuple[str, list[Match], int]":
    timm = package("timm")
    from timm.models import get_pretrained_cfg

    names = timm.list_models(pattern, pretrained=True)
    classes = {name: getattr(get_pretrained_cfg(name, allow_unregistered=True), "num_classes", None) for name in names}
    # Models of other classes, and those without a classifier, cannot be compared with the others.
    kept = [name for name in names if classes[name] == _IMAGENET] or names
    return f"timm {timm.__version__}", [(f"timm:{name}", None) for name in kept], len(names) - len(kept)


def _torchvision(pattern: str) -> "tuple[str, list[Match], int]":
    models = package("torchvision.models", "torch torchvision")
    version = package("torchvision").__version__.split("+")[0]
    found = []
    for name in models.list_models(module=models):
        for weights in models.get_model_weights(name):
            if fnmatch.fnmatchcase(name, pattern) or fnmatch.fnmatchcase(f"{name}.{weights.name}", pattern):
                found.append((f"torchvision:{name}.{weights.name}", _accuracy(weights.meta)))
    return f"torchvision {version}", found, 0


def _accuracy(meta: Any) -> Optional[float]:
    percent = (meta.get("_metrics") or {}).get("ImageNet-1K", {}).get("acc@1")
    return None if percent is None else round(percent / 100, 6)


def _open_clip(pattern: str) -> "tuple[str, list[Match], int]":
    library = package("open_clip")
    names = [f"{arch}/{tag}" for arch, tag in library.list_pretrained()]
    return f"open_clip {library.__version__}", [(f"open_clip:{name}", None) for name in names if fnmatch.fnmatchcase(name, pattern)], 0


def _hugging_face(pattern: str) -> "tuple[str, list[Match], int]":
    owner, slash, _ = pattern.partition("/")
    if not slash or not owner or any(c in owner for c in "*?["):
        raise Refused(f"hf:{pattern}: name the owner, as in hf:google/vit-*; a list of all models of the hub would be too long", "usage")
    library = package("huggingface_hub", "transformers")
    if is_offline():
        raise Refused(
            f"hf:{pattern}: only the hub lists the models of {owner}, and this call is offline (--offline, ASSAY_OFFLINE, HF_HUB_OFFLINE). "
            "Name the models, or make the call online once: --draw-models lists them in the folder of the results", "unreachable"
        )
    try:
        models = list(library.HfApi().list_models(author=owner, filter=["image-classification", "transformers"]))
    except Exception as error:
        raise refused_by_hub(f"the list of {owner}'s models", error)
    names = sorted({str(model.id) for model in models})
    found: "list[Match]" = [(f"hf:{name}", None) for name in names if fnmatch.fnmatchcase(name, pattern)]
    return f"{owner} on the hub ({len(names)} classifiers of transformers)", found, 0


_LISTS = {"timm": _timm, "torchvision": _torchvision, "open_clip": _open_clip, "hf": _hugging_face}


def matches_of(text: str) -> "dict[str, Any]":
    """Returns library, names (sorted [source, accuracy or None]) and left_out (the number of models whose classes are not
    ImageNet's)."""
    prefix, _, pattern = text.partition(":")
    if prefix not in _LISTS:
        raise Refused(f"{text}: patterns work for {', '.join(f'{one}:PATTERN' for one in _LISTS)}; there is no list of "
            f"the models of {prefix}:", "usage")
    library, found, left_out = _LISTS[prefix](pattern)
    if not found:
        raise Refused(f"{library} has no model with weights that {pattern} matches", "usage")
    return {"library": library, "names": [list(one) for one in sorted(found, key=lambda one: one[0])], "left_out": left_out}


__all__ = ["matches_of"]
