#!/usr/bin/python3
"""Runs torchvision's classifiers, one of each family, through Assay: traced, scripted, exported to ONNX and by
torch.export (.pt2).

    tests/model/torchvision_table.py build/release/bin/assay [--architectures resnet18,swin_t] [--forms trace,onnx13]
    tests/model/torchvision_table.py --save FOLDER [--forms pt2]     # on a machine with a newer PyTorch: writes models and logits
    tests/model/torchvision_table.py build/release/bin/assay --saved FOLDER --forms pt2     # with Assay: runs the models

Weights are random (nothing is downloaded). Prints a table of the largest difference of a logit to PyTorch's, in standard
deviations of the logits. The cell "-" means that PyTorch itself cannot export the form (the reason is below the table). Ends with
status 1 if a form that PyTorch exports does not run, or differs by more than 1e-3. Ends with status 77 if torchvision is not
installed.
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile
import warnings

try:
    import numpy as np
    if "--saved" not in sys.argv:
        import torch
        import torchvision
        from PIL import Image
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

FAMILIES = ("alexnet convnext_tiny densenet121 efficientnet_b0 efficientnet_v2_s googlenet inception_v3 maxvit_t mnasnet0_5 "
            "mobilenet_v2 mobilenet_v3_large mobilenet_v3_small regnet_x_400mf regnet_y_400mf resnet18 resnet50 "
            "resnext50_32x4d shufflenet_v2_x0_5 squeezenet1_0 swin_t swin_v2_t vgg11 vgg11_bn vit_b_32 wide_resnet50_2 "
            "squeezenet1_1").split()
FORMS = "trace script onnx11 onnx13 onnx16 pt2".split()
MEAN, STD = 0.5, 0.25
ALLOWED = 1e-3


def family_of(name):
    """The family of a torchvision model is its name without its size. Batch norm (vgg11_bn) makes a separate family."""
    stem, norm = name.removesuffix("_bn"), "_bn" if name.endswith("_bn") else ""
    if stem.startswith(("resnext", "wide_resnet")):
        stem = re.sub(r"_(\d+x\d+d|2)$", "", stem)
    stem = re.sub(r"_(tiny|small|base|large|[tsmlb]|b\d|x\d_\d|(\d+_)?\d+[mg]f|[blh]_\d+)$", "", stem)
    return (stem if "_v" in stem else re.sub(r"\d+(_\d+)?$", "", stem)) + norm


def missing_families(models):
    """The families of these torchvision models that have no model in FAMILIES."""
    return sorted({family_of(name) for name in models} - {family_of(name) for name in FAMILIES})


def images(folder, side, count=3):
    """Smooth random images of the input size, as files and as PyTorch's input."""
    rng = np.random.RandomState(side)
    batch = []
    (folder / "n01440764").mkdir(parents=True, exist_ok=True)
    for k in range(count):
        small = Image.fromarray(rng.randint(0, 256, (9, 9, 3), dtype=np.uint8))
        image = small.resize((side, side), Image.BICUBIC)
        image.save(folder / "n01440764" / f"{k}.png")
        batch.append((np.asarray(image, dtype=np.float32) / np.float32(255) - np.float32(MEAN)) / np.float32(STD))
    return torch.from_numpy(np.stack(batch).transpose(0, 3, 1, 2).copy())


def made(name, x):
    torch.manual_seed(0)
    options = {"weights": None}
    if name in ("googlenet", "inception_v3"):
        options["init_weights"] = True
    model = getattr(torchvision.models, name)(**options)
    for module in model.modules():
        # Layers that start with zeros hide everything before them.
        if isinstance(module, torch.nn.Linear) and not module.weight.any():
            torch.nn.init.normal_(module.weight, std=0.05)
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = None
    # One training pass sets the batch norms' statistics. Otherwise logits vanish or explode.
    with torch.no_grad():
        model.train()(x)
    return model.eval()


def export(model, x, form, path):
    if form == "pt2":
        # Does not use no_grad, because attention would become one fused operator, which torch.export refuses.
        batch = {0: torch.export.Dim("n", min=1, max=64)}
        torch.export.save(torch.export.export(model, (x,), dynamic_shapes=(batch,)), path)
        return
    with torch.no_grad():
        if form == "trace":
            torch.jit.trace(model, x, check_trace=False).save(path)
        elif form == "script":
            torch.jit.script(model).save(path)
        else:
            torch.onnx.export(model, x, path, opset_version=int(form[4:]), input_names=["x"], output_names=["y"],
                              dynamic_axes={"x": {0: "n"}, "y": {0: "n"}})


def run(assay, paths, data, runs, side):
    """The logits of each file, or its error message."""
    for path in paths:
        path.with_suffix(".toml").write_text(
            f'preset = "torchvision"\ninput_size = [3, {side}, {side}]\ncrop_mode = "none"\ninterpolation = "nearest"\n'
            f"mean = {MEAN}\nstd = {STD}\n")
    done = subprocess.run([assay, "predict", "--model", *paths, "--data", data, "--out", runs, "--device", "cpu", "--quiet"],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        return None, done.stderr.strip().splitlines()[0] if done.stderr.strip() else f"status {done.returncode}"
    shards = [sorted(runs.glob(f"*/{path.stem}/shards/[0-9]*[0-9].npy")) for path in paths]
    return [np.concatenate([np.load(f) for f in one]) for one in shards], ""


def first_line(error):
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0][:140]


def file_of(folder, form):
    return folder / (form + (".onnx" if form.startswith("onnx") else ".pt2" if form == "pt2" else ".pt"))


def make(name, forms, folder, remarks):
    """Writes the images, the logits and every form that PyTorch can export into `folder`."""
    x = images(folder / "data", side_of(name))
    model = made(name, x)
    with torch.no_grad():
        np.save(folder / "logits.npy", model(x).numpy())
    for form in forms:
        try:
            export(model, x, form, str(file_of(folder, form)))
        except Exception as error:  # exporters raise many types of exceptions
            remarks.append(f"{name}, {form}: PyTorch cannot export it: {first_line(error)}")
            file_of(folder, form).unlink(missing_ok=True)


def side_of(name):
    return 299 if name == "inception_v3" else 224


def compare(assay, name, form, folder, scratch, remarks):
    """Returns one cell of the table, and whether it is wrong."""
    path = file_of(folder, form)
    if not path.exists():
        return "-", False
    want = np.load(folder / "logits.npy")
    got, refusal = run(assay, [path], folder / "data", scratch / ("runs_" + form), side_of(name))
    if got is None:
        remarks.append(f"{name}, {form}: {refusal}")
        return "refused", True
    off = float(np.abs(got[0] - want).max() / want.std())
    return f"{off:.1e}", not off <= ALLOWED


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assay", nargs="?", help="the program")
    parser.add_argument("--architectures", default=",".join(FAMILIES))
    parser.add_argument("--forms", default=",".join(FORMS))
    parser.add_argument("--save", type=pathlib.Path, help="only write models, images and logits into this folder")
    parser.add_argument("--saved", type=pathlib.Path, help="run what --save wrote")
    options = parser.parse_args()
    if not options.assay and not options.save:
        parser.error("the program's path is missing")
    forms = options.forms.split(",")
    remarks, wrong = [], 0
    if not options.saved:
        warnings.filterwarnings("ignore")
        torch.set_num_threads(1)
        print(f"PyTorch {torch.__version__}, torchvision {torchvision.__version__}")
        if missing := missing_families(torchvision.models.list_models(module=torchvision.models)):
            print("families of torchvision that are not run:", ", ".join(missing))
    print(f"{'architecture':20}" + "".join(f"{form:>10}" for form in forms), flush=True)
    for name in options.architectures.split(","):
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            folder = (options.save or options.saved or scratch) / name
            if not options.saved:
                folder.mkdir(parents=True, exist_ok=True)
                make(name, forms, folder, remarks)
            if options.save:
                print(f"{name:20}" + "".join(f"{'saved' if file_of(folder, f).exists() else '-':>10}" for f in forms), flush=True)
                continue
            cells = []
            for form in forms:
                cell, bad = compare(options.assay, name, form, folder, scratch, remarks)
                cells.append(cell)
                wrong += bad
        print(f"{name:20}" + "".join(f"{cell:>10}" for cell in cells), flush=True)
    print("\n".join(remarks))
    if options.save:
        return 0
    print(f"{wrong} of the exported models do not run, or differ by more than {ALLOWED}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
