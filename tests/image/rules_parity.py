#!/usr/bin/env python3
"""Compares the inputs that Assay prepares with those of the libraries, rule by rule, on real photographs.

    tests/image/rules_parity.py PIXEL_TOOL ASSAY FOLDER [--every N] [--only TEXT] [--few]

PIXEL_TOOL is the executable of pixel_tool.cpp, ASSAY is the program, and FOLDER holds images (any depth). The rules are those of the
installed packages. They are the presets of torchvision's weights and the image processors of transformers, both of images and of
tensors. They are also timm's data configs, open_clip's transforms, resizes of float tensors (torchvision, kornia), and OpenCV's.
Each is read from the library's object or file as `assay predict` reads it. A line of the output has a rule, the number of images with equal
bits, the largest difference of an input, and the reason if known. --few takes the first rules of each library. Status 1: a
rule differs without a known reason. A Python without torch and torchvision uses that of tools/torch-python. Without that, it prints
SKIPPED and exits with status 77.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    import torch
    import torchvision
    import PIL
    from PIL import Image
except ImportError as error:
    ROOT = pathlib.Path(__file__).resolve().parents[2]
    found = subprocess.run([ROOT / "tools/torch-python", "--if-there"], capture_output=True, text=True)
    if found.returncode or "ASSAY_TORCH_TRIED" in os.environ:
        print(f"SKIPPED: {sys.executable} has no {error.name}: {found.stderr or 'nor has tools/torch-python'}")
        sys.exit(77)
    os.environ["ASSAY_TORCH_TRIED"] = "1"
    os.execv(found.stdout.strip(), [found.stdout.strip(), *sys.argv])

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))

from assay._worker import preprocessing
from assay._worker.wire import Refused
from library_rules import Rule, all_rules
from pillow_parity import Tool

FEW = 3


class Resolver:
    """The program's preprocessing for settings, or for the file of a processor."""

    def __init__(self, program, scratch):
        self.program, self.scratch, self.made = program, scratch, 0
        image = scratch / "images/a/1.png"
        image.parent.mkdir(parents=True)
        Image.new("RGB", (8, 8)).save(image)

    def preprocess(self, rule):
        folder = self.scratch / str(self.made)
        self.made += 1
        folder.mkdir()
        (folder / "model.onnx").write_bytes(b"")
        (folder / rule.file).write_text(json.dumps(rule.settings))
        command = [self.program, "predict", "-m", folder / "model.onnx", "-d", self.scratch / "images", "--dry-run", "--json"]
        if rule.of_images and int(PIL.__version__.split(".")[0]) >= 13:
            command += ["--resize-as", "pillow13"]
        found = subprocess.run(command, capture_output=True, text=True)
        if found.returncode:
            raise Refused(found.stderr.strip().splitlines()[0])
        return json.loads(found.stdout)["models"][0]["preprocess"]


def rules_of(options):
    rules = []
    for library, make in all_rules().items():
        try:
            made = make(preprocessing)
        except ImportError as error:
            print(f"{library}: SKIPPED, this Python has no {error.name}")
            continue
        if options.only:
            made = [rule for rule in made if options.only in f"{library}: {rule.name}"]
        for rule in made[:FEW] if options.few else made:
            rule.name = f"{library}: {rule.name}"
            rules.append(rule)
    return rules


def compare(tool, rule, path, image):
    theirs = np.ascontiguousarray(rule.theirs(image))
    ours = tool.ask("input", path, rule.question)
    if theirs.shape[0] == 1:
        ours = ours[:1]
    rule.images += 1
    if ours.shape != theirs.shape:
        rule.largest = float("inf")
    elif ours.tobytes() == theirs.tobytes():
        rule.equal += 1
    else:
        difference = np.abs(ours.astype(np.float64) - theirs)
        rule.largest = max(rule.largest, float(difference.max()))
        rule.numbers = max(rule.numbers, int((difference > 0).sum()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tool")
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--every", type=int, default=1, help="take every Nth image")
    parser.add_argument("--only", help="take the rules whose names hold this")
    parser.add_argument("--few", action="store_true", help="take the first rules of each library")
    options = parser.parse_args()
    capability = torch.backends.cpu.get_cpu_capability()
    if capability not in ("AVX2", "AVX512"):
        print(f"SKIPPED: this processor has {capability}, and PyTorch adds in another order without AVX2")
        return 77
    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    suffixes = {".jpeg", ".jpg", ".png", ".webp", ".bmp", ".tif", ".tiff"}
    paths = sorted(p for p in options.folder.rglob("*") if p.suffix.lower() in suffixes)[:: options.every]
    if not paths:
        sys.exit(f"no images under {options.folder}")
    rules, refused = [], []
    with tempfile.TemporaryDirectory() as scratch:
        resolver = Resolver(options.program, pathlib.Path(scratch))
        for rule in rules_of(options):
            try:
                rule.question = json.dumps(resolver.preprocess(rule))
                rules.append(rule)
            except Refused as error:
                refused.append((rule, error))
    tool = Tool(options.tool)
    for path in paths:
        image = Image.open(path).convert("RGB")
        for rule in rules:
            compare(tool, rule, path, image)
    print(f"torch {torch.__version__}, {capability}, torchvision {torchvision.__version__}, Pillow {PIL.__version__}, {len(paths)} images of {options.folder.name}")
    print(f"{'rule':<84}{'equal':>10}  largest difference")
    for rule in rules:
        why = "" if rule.equal == rule.images else f"{rule.largest:.3g}, at most {rule.numbers} numbers of an image"
        print(f"{rule.name:<84}{rule.equal:>6} / {rule.images}  {why}{f' ({rule.known})' if why and rule.known else ''}")
    for rule, error in refused:
        print(f"{rule.name:<84}   refused  {rule.known or error}")
    return 1 if any(rule.equal < rule.images and not rule.known for rule in rules) or (refused and not all(r.known for r, _ in refused)) else 0


if __name__ == "__main__":
    sys.exit(main())
