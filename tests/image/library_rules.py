"""The preprocessing of libraries, for rules_parity.py: each rule has the library's description, and its result for an
image."""
from dataclasses import dataclass, field
from typing import Any, Callable

import numpy as np
import torch


@dataclass
class Rule:
    name: str
    settings: "dict[str, Any]"  # text of a model settings file, or of the library's own file
    theirs: Callable[[Any], Any]  # function from a Pillow image to channels x height x width
    known: str = ""  # the reason if the rule differs or is refused
    file: str = "model.json"
    of_images: bool = False  # whether Pillow resizes
    question: str = ""
    images: int = 0
    equal: int = 0
    largest: float = 0.0
    numbers: int = 0
    names: "list[str]" = field(default_factory=list)


def _bytes_of(image):
    from torchvision.transforms.v2.functional import pil_to_tensor

    return pil_to_tensor(image)


def _distinct(rules):
    """One rule for each distinct settings, with the name of the first model and the number of other models."""
    found = {}
    for rule in rules:
        found.setdefault(repr(sorted(rule.settings.items())), rule).names.append(rule.name)
    for rule in found.values():
        if len(rule.names) > 1:
            rule.name += f" and {len(rule.names) - 1} more"
    return list(found.values())


def torchvision_rules(preprocessing):
    """The presets of torchvision's classifier weights, applied to images and to tensors."""
    import torchvision.models as models

    images = []
    for name in models.list_models(module=models):
        for weights in models.get_model_weights(name):
            transform = weights.transforms()
            images.append(Rule(str(weights), preprocessing.of_torchvision(transform), lambda image, t=transform: t(image).numpy(), of_images=True))
    images = _distinct(images)
    tensors = [
        Rule(f"{rule.name}, a tensor", {**rule.settings, "resize_as": "torch_rounded"}, lambda image, t=rule.theirs: t(_bytes_of(image)))
        for rule in images
    ]
    return [*images, *tensors]


def timm_rules(preprocessing):
    """The data configs of all pretrained models, with each model at its smallest size."""
    import timm
    from timm.data import create_transform, resolve_data_config

    smallest = {}
    for name in timm.list_pretrained():
        config = timm.get_pretrained_cfg(name).to_dict()
        if config.get("num_classes") != 1000:
            continue
        data = resolve_data_config(pretrained_cfg=config, use_test_size=True)
        key = repr([data[key] for key in ("interpolation", "crop_pct", "crop_mode", "mean", "std")] + [data["input_size"][1] == data["input_size"][2]])
        if key not in smallest or data["input_size"] < smallest[key][1]["input_size"]:
            smallest[key] = (name, data, config)
    rules = []
    for name, data, config in smallest.values():
        transform = create_transform(**data, is_training=False)
        rules.append(Rule(
            name, {"pretrained_cfg": preprocessing.of_timm(config, None)}, lambda image, t=transform: t(image).numpy(), of_images=True,
            known="a crop_pct above 1 is refused" if data["crop_pct"] > 1 else "",
        ))
    return rules


# These are the image processors of classifiers.
_KINDS = (
    "ViT", "DeiT", "Beit", "Siglip", "Pvt", "CLIP", "ChineseCLIP", "Bit", "ConvNext", "Levit", "PoolFormer", "MobileNetV1", "MobileNetV2",
    "MobileViT", "EfficientNet", "DINOv3ViT",
)
_SIZES = {"Bit": {"shortest_edge": 256}}
_TOP = "it divides by the standard deviation twice, Assay by the product once"


def transformers_rules(preprocessing):
    """The processors of images (slow) and of tensors (fast), with their default arguments."""
    import transformers

    rules = []
    for kind in _KINDS:
        for end, what in (("ImageProcessor", "tensors"), ("ImageProcessorPil", "images")):
            cls = getattr(transformers, kind + end, None)
            if cls is None or "Dummy" in type(cls).__name__:
                continue
            sizes = [{}, {"size": {"shortest_edge": 224}}] if kind == "ConvNext" else [{"size": _SIZES[kind]} if kind in _SIZES else {}]
            for given in sizes:
                processor = cls(**given)
                rules.append(Rule(
                    f"{kind}{' 224' if 'size' in given and kind == 'ConvNext' else ''}, {what}", preprocessing.of_processor(processor)[0],
                    lambda image, p=processor: np.asarray(p(image, return_tensors="np")["pixel_values"][0]),
                    known=_TOP if kind == "EfficientNet" else "", file="preprocessor_config.json", of_images=end == "ImageProcessorPil",
                ))
    return rules


def open_clip_rules(preprocessing):
    from assay._worker.zero_shot import settings_of
    from open_clip.transform import PreprocessCfg, image_transform_v2

    rules = []
    for mode in ("shortest", "squash", "longest"):
        for interpolation in ("bicubic", "bilinear"):
            config = PreprocessCfg(size=224, resize_mode=mode, interpolation=interpolation)
            transform = image_transform_v2(config, is_train=False)
            settings = settings_of(vars(config))
            rules.append(Rule(f"{mode}, {interpolation}", settings, lambda image, t=transform: t(image).numpy(), of_images=True))
    return rules


_MEAN, _STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def tensor_rules(preprocessing):
    """Resizes of tensors of floats and of bytes by both versions of torchvision."""
    from torchvision import transforms as v1
    from torchvision.transforms import v2

    modes = (v1.InterpolationMode.BILINEAR, v1.InterpolationMode.BICUBIC)
    rules = []

    def add(name, steps):
        transform = v1.Compose(steps)
        rules.append(Rule(name, preprocessing.of_transform(transform), lambda image: transform(image).numpy()))

    normalize = v1.Normalize(_MEAN, _STD)
    for mode in modes:
        for antialias in (True, False):
            how = f"{mode.value}{'' if antialias else ' without antialias'}"
            for size, crop in ((256, 224), (384, 384), (32, 32)):
                resize = v1.Resize(size, mode, antialias=antialias)
                add(f"ToTensor, Resize {size}, {how}", [v1.ToTensor(), resize, v1.CenterCrop(crop), normalize])
            straight = v2.Resize((224, 224), mode, antialias=antialias)
            add(f"ToTensor, v2.Resize 224 x 224, {how}", [v1.ToTensor(), straight])
            add(f"v2.ToImage, ToDtype, Resize 224 x 224, {how}", [v2.ToImage(), v2.ToDtype(torch.float32, scale=True), straight, v2.Normalize(_MEAN, _STD)])
            add(f"PILToTensor, Resize 256, {how}", [v1.PILToTensor(), v1.Resize(256, mode, antialias=antialias), v1.CenterCrop(224), v1.ConvertImageDtype(torch.float32), normalize])
            add(f"PILToTensor, v2.Resize 256, {how}", [v1.PILToTensor(), v2.Resize(256, mode, antialias=antialias), v1.CenterCrop(224), v1.ConvertImageDtype(torch.float32), normalize])
            # Floats from 0 to 255, which no transform of torchvision makes in one step.
            settings = {"input_size": [3, 240, 320], "interpolation": mode.value, "resize_as": "torch_float", "antialias": antialias, "crop_mode": "none", "scale": 1, "mean": 0, "std": 1}
            rules.append(Rule(f"interpolate of 0 to 255, {how}", settings, lambda image, m=mode.value, a=antialias: torch.nn.functional.interpolate(
                _bytes_of(image)[None].float(), (240, 320), mode=m, align_corners=False, antialias=a)[0].numpy()))
            gray = {**settings, "channel_order": "gray", "scale": 1 / 255}
            rules.append(Rule(f"ToTensor of a gray image, Resize 240 x 320, {how}", gray, lambda image, m=mode, a=antialias: v1.Resize(
                (240, 320), m, antialias=a)(v1.functional.to_tensor(image.convert("L"))).numpy()))
    return rules


def kornia_rules(preprocessing):
    from kornia.geometry.transform import resize

    rules = []
    for mode in ("bilinear", "bicubic"):
        settings = {"input_size": [3, 224, 224], "interpolation": mode, "resize_as": "torch_float", "antialias": False, "crop_mode": "none", "mean": 0, "std": 1}
        rules.append(Rule(f"resize 224 x 224, {mode}", settings, lambda image, m=mode: resize(
            _bytes_of(image)[None].float().div(255), (224, 224), interpolation=m, align_corners=False)[0].numpy()))
    return rules


def opencv_rules(preprocessing):
    import cv2

    cv2.ipp.setUseIPP(False)
    rules = []
    for name, mode in (("nearest", cv2.INTER_NEAREST), ("bilinear", cv2.INTER_LINEAR), ("bicubic", cv2.INTER_CUBIC), ("box", cv2.INTER_AREA)):
        settings = {"input_size": [3, 224, 224], "interpolation": name, "resize_as": "opencv", "crop_mode": "none", "scale": 1, "mean": 0, "std": 1}
        rules.append(Rule(f"resize 224 x 224, {name}", settings, lambda image, m=mode: cv2.resize(np.asarray(image), (224, 224), interpolation=m).transpose(2, 0, 1).astype(np.float32)))
    return rules


def all_rules():
    return {
        "tensors": tensor_rules, "transformers": transformers_rules, "torchvision": torchvision_rules, "timm": timm_rules,
        "open_clip": open_clip_rules, "kornia": kornia_rules, "OpenCV": opencv_rules,
    }
