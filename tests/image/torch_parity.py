#!/usr/bin/env python3
"""Compares Assay's version of PyTorch's resize with PyTorch's own, byte for byte, on real photographs.

    tests/image/torch_parity.py PIXEL_TOOL FOLDER [--every N] [--assay PROGRAM]

PIXEL_TOOL is the executable of pixel_tool.cpp. FOLDER holds images (any depth). For every image, compares torchvision's v2
Resize and CenterCrop of a tensor of bytes at the usual input sizes. Also compares plain resizes up, down and with odd aspect
ratios, and the floats after ToDtype and Normalize. With --assay, also compares the fast image processors of transformers, by
the settings that the program reads from their files. Prints how many images differ and by how much. The status is 1 if one differs. A
Python without torch and torchvision uses that of tools/torch-python, and without that prints SKIPPED, with status 77.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

try:
    import numpy as np
    import torch
    import torchvision.transforms.v2 as v2
    from PIL import Image
except ImportError as error:
    ROOT = pathlib.Path(__file__).resolve().parents[2]
    found = subprocess.run([ROOT / "tools/torch-python", "--if-there"], capture_output=True, text=True)
    if found.returncode or "ASSAY_TORCH_TRIED" in os.environ:
        print(f"SKIPPED: {sys.executable} has no {error.name}: {found.stderr or 'nor has tools/torch-python'}")
        sys.exit(77)
    os.environ["ASSAY_TORCH_TRIED"] = "1"
    os.execv(found.stdout.strip(), [found.stdout.strip(), *sys.argv])

from pillow_parity import Tool
from tally import Tally

FILTERS = {
    "bilinear": v2.InterpolationMode.BILINEAR,
    "bicubic": v2.InterpolationMode.BICUBIC,
    "lanczos": v2.InterpolationMode.LANCZOS,
}
WINDOWS = {224: 256, 256: 292, 384: 384}  # x
SIZES = [(64, 64), (500, 333), (31, 190), (401, 17), (1, 7), (3, 300), (1024, 900)]
MEAN, STD = [0.485, 0.456, 0.406], [0.229, 0.224, 0.225]


def pixels(tensor):
    return np.ascontiguousarray(tensor.numpy().transpose(1, 2, 0))


def compare_resizes(tool, tally, path, tensor):
    for name, mode in FILTERS.items():
        for size, resize in WINDOWS.items():
            p = {"height": size, "width": size, "resize_size": resize, "interpolation": name, "resize_as": "torch"}
            theirs = v2.CenterCrop(size)(v2.Resize(resize, interpolation=mode)(tensor))
            tally.add(f"{name}, {resize} > {size}", path, tool.ask("crop", path, json.dumps(p)), pixels(theirs))
        for width, height in SIZES:
            theirs = v2.Resize((height, width), interpolation=mode)(tensor)
            ours = tool.ask("resize", path, name, width, height, 0, 0, width, height, "torch")
            tally.add(f"{name}, odd sizes", path, ours, pixels(theirs))
    whole = v2.Compose([v2.Resize(256), v2.CenterCrop(224), v2.ToDtype(torch.float32, scale=True), v2.Normalize(MEAN, STD)])
    p = {"interpolation": "bilinear", "resize_size": 256, "resize_as": "torch", "mean": MEAN, "std": STD}
    p["scale"] = float(np.float32(1 / 255))
    tally.add("floats of Resize ... Normalize", path, tool.ask("input", path, json.dumps(p)), whole(tensor).numpy())


def processors():
    """Fast image processors with the sizes of published classifiers."""
    import transformers as t

    side = {"shortest_edge": 224}
    return {
        "ViT 224": t.ViTImageProcessor(), "ViT 384": t.ViTImageProcessor(size={"height": 384, "width": 384}), "DeiT": t.DeiTImageProcessor(),
        "BEiT": t.BeitImageProcessor(), "SigLIP": t.SiglipImageProcessor(), "PVT": t.PvtImageProcessor(), "CLIP": t.CLIPImageProcessor(),
        "BiT": t.BitImageProcessor(size={"shortest_edge": 256}), "ConvNeXT 224": t.ConvNextImageProcessor(size=side),
        "ConvNeXT 384": t.ConvNextImageProcessor(), "LeViT": t.LevitImageProcessor(), "PoolFormer": t.PoolFormerImageProcessor(),
        "MobileNet v2": t.MobileNetV2ImageProcessor(), "MobileViT": t.MobileViTImageProcessor(), "EfficientNet": t.EfficientNetImageProcessor(),
        "EfficientNet, nearest": t.EfficientNetImageProcessor(resample=0, include_top=False),
    }


def settings_of(assay, processor, folder):
    """The settings that the program reads from the file of a processor."""
    facts = json.loads(processor.to_json_string())
    facts["image_processor_type"] = type(processor).__name__.removesuffix("Fast") + "Fast"
    folder.mkdir()
    (folder / "preprocessor_config.json").write_text(json.dumps(facts))
    (folder / "model.onnx").write_bytes(b"")
    image = folder / "images/a/1.png"
    image.parent.mkdir(parents=True)
    Image.new("RGB", (8, 8)).save(image)
    command = [assay, "predict", "-m", folder / "model.onnx", "-d", folder / "images", "--dry-run", "--json"]
    found = subprocess.run(command, capture_output=True, text=True)
    if found.returncode:
        sys.exit(f"{command}: {found.stderr}")
    return json.loads(found.stdout)["models"][0]["preprocess"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="take every Nth image")
    parser.add_argument("--assay", help="the program: compare the image processors of transformers, too")
    options = parser.parse_args()
    capability = torch.backends.cpu.get_cpu_capability()
    if capability not in ("AVX2", "AVX512"):
        print(f"SKIPPED: this processor has {capability}, and torchvision resizes with floats without AVX2")
        sys.exit(77)
    torch.set_num_threads(1)
    tool, tally, inputs = Tool(options.tool), Tally(), {}
    if options.assay:
        with tempfile.TemporaryDirectory() as scratch:
            for i, (name, processor) in enumerate(processors().items()):
                inputs[name] = (processor, settings_of(options.assay, processor, pathlib.Path(scratch) / str(i)))
    suffixes = {".jpeg", ".jpg", ".png", ".webp", ".bmp", ".tif", ".tiff"}
    paths = sorted(p for p in options.folder.rglob("*") if p.suffix.lower() in suffixes)[:: options.every]
    if not paths:
        sys.exit(f"no images under {options.folder}")
    print(f"torch {torch.__version__}, {capability}, {len(paths)} images of {options.folder.name}")
    for path in paths:
        image = Image.open(path).convert("RGB")
        compare_resizes(tool, tally, path, v2.functional.pil_to_tensor(image))
        for name, (processor, settings) in inputs.items():
            theirs = processor(image, return_tensors="pt")["pixel_values"][0].numpy()
            tally.add(f"transformers: {name}", path, tool.ask("input", path, json.dumps(settings)), theirs)
    tally.report()
    sys.exit(tally.status())


if __name__ == "__main__":
    main()
