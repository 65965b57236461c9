#!/usr/bin/env python3
"""Runs 52 architectures of torchvision, timm and transformers through Assay in the forms that people export, beside PyTorch and
ONNX Runtime on the same images.

    tests/model/architecture_table.py build/release/bin/assay                     # all of them, one to two hours on two cores
    tests/model/architecture_table.py build/release/bin/assay --architectures tv:resnet18,timm:levit_128s --forms onnx18,qdq
    tests/model/architecture_table.py build/release/bin/assay --some              # four of them, within a minute

Weights are drawn from a seed: nothing is downloaded but packages. It makes an environment of its own over the Python of
tools/torch-python (--if-there: only over one that was made before). Each architecture is tried in four of the forms, in turn;
--forms tries others. Prints a table: the largest difference of a logit to the peer's, in standard deviations of the logits. The
peer of an int8 or half-precision file is ONNX Runtime, or PyTorch's own quantised program; that of all others is PyTorch. Behind a slash:
what the peer itself moves by the int8 or half-precision numbers, which is then what may differ; else it is 1e-3. "-": the
exporter itself fails (the reason is below its row). Ends with status 1 when a file does not run or differs by more than its form
allows, with 77 where there is no such Python.
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = "onnx onnxscript onnxruntime onnxsim torchao".split()

# Prefix, name, side of the input.
TORCHVISION = """alexnet:96 convnext_tiny:64 densenet121:64 efficientnet_b0:64 efficientnet_v2_s:64 googlenet:96 inception_v3:96 mnasnet0_5:64
mobilenet_v3_small:64 regnet_y_400mf:64 resnet18:64 resnext50_32x4d:64 shufflenet_v2_x0_5:64 squeezenet1_1:64 swin_t:64 swin_v2_t:64
vgg11_bn:64 vit_b_32:64"""
TIMM = """cait_xxs24_224:64 coat_lite_tiny:64 convnextv2_atto:64 cspresnet50:64 davit_tiny:64 dla34:64 edgenext_xx_small:64 efficientvit_b0:64
eva02_tiny_patch14_224:56 fastvit_t8:64 ghostnet_050:64 hrnet_w18_small:64 inception_next_atto:64 levit_128s:224 mixer_s32_224:224
mobilenetv4_conv_small:64 mobileone_s0:64 mobilevit_xxs:64 pit_ti_224:224 poolformer_s12:64 pvt_v2_b0:64 repvgg_a0:64 sequencer2d_s:64
skresnet18:64 xcit_nano_12_p16_224:64 volo_d1_224:64"""
TRANSFORMERS = "ViT:32 Swin:64 ConvNext:64 MobileViT:64 Dinov2:28 Beit:32 PoolFormer:64 Segformer:64"
FAMILIES = [f"{prefix}:{one}" for prefix, names in (("tv", TORCHVISION), ("timm", TIMM), ("hf", TRANSFORMERS)) for one in names.split()]
SOME = ["tv:mobilenet_v3_small:64", "tv:resnet18:64", "timm:mobilevit_xxs:64", "hf:ViT:32"]

FORMS = "onnx17 onnx18 onnx20 onnx21 onnx23 batch1 simplified half qdq qoperator pt2 pt2e".split()
ALLOWED = 1e-3
IN_TURN = [
    ("onnx18", "pt2", "qdq", "batch1"), ("onnx17", "pt2", "half", "simplified"), ("onnx20", "pt2", "qoperator", "batch1"),
    ("onnx23", "pt2", "pt2e", "half"), ("onnx21", "pt2", "qdq", "simplified"),
]
CLASSES = 10


def in_environment(if_there):
    """Starts this script again in the environment that has all packages."""
    made = subprocess.run([HERE.parent.parent / "tools/torch-python", *(["--if-there"] if if_there else [])], stdout=subprocess.PIPE, text=True)
    if made.returncode != 0:
        sys.exit(made.returncode)
    base = made.stdout.strip()
    folder = pathlib.Path(os.environ.get("XDG_CACHE_HOME", pathlib.Path.home() / ".cache")) / "assay/architecture-python"
    python, done = folder / "bin/python", folder / "installed"
    if not done.is_file() or done.read_text() != base + " " + " ".join(PACKAGES):
        if if_there:
            print(f"SKIPPED: no environment {folder}: call this script without --if-there first", file=sys.stderr)
            sys.exit(77)
        subprocess.run([base, "-m", "venv", "--clear", folder], check=True)
        places = "import sysconfig; print(sysconfig.get_path('purelib'))"
        there, own = (subprocess.run([one, "-c", places], check=True, capture_output=True, text=True).stdout.strip() for one in (base, python))
        (pathlib.Path(own) / "torch-python.pth").write_text(there + "\n")
        if subprocess.run([python, "-m", "pip", "install", "--quiet", "--retries", "1", "--timeout", "15", *PACKAGES], stdout=sys.stderr).returncode != 0:
            print(f"SKIPPED: no registry of Python packages gives {' '.join(PACKAGES)}", file=sys.stderr)
            sys.exit(77)
        done.write_text(base + " " + " ".join(PACKAGES))
    os.execve(python, [str(python), __file__, *sys.argv[1:]], {**os.environ, "ASSAY_ARCHITECTURES_INSIDE": "1"})


def network(prefix, name, side):
    if prefix == "tv":
        import torchvision

        more = {"init_weights": True} if name in ("googlenet", "inception_v3") else {}
        more |= {"image_size": side} if name.startswith("vit") else {}
        return getattr(torchvision.models, name)(weights=None, num_classes=CLASSES, **more)
    if prefix == "timm":
        import timm

        try:
            return timm.create_model(name, num_classes=CLASSES, img_size=side)
        except TypeError:
            return timm.create_model(name, num_classes=CLASSES)
    import transformers

    small = {
        "ViT": dict(image_size=side, patch_size=8, hidden_size=48, num_hidden_layers=3, num_attention_heads=4, intermediate_size=96),
        "Beit": dict(image_size=side, patch_size=8, hidden_size=48, num_hidden_layers=3, num_attention_heads=4, intermediate_size=96,
                     use_relative_position_bias=True, layer_scale_init_value=0.5),
        "Dinov2": dict(image_size=side, patch_size=14, hidden_size=48, num_hidden_layers=3, num_attention_heads=4),
        "Swin": dict(image_size=side, embed_dim=24, depths=[2, 2], num_heads=[2, 4], window_size=4),
        "ConvNext": dict(hidden_sizes=[16, 24, 32, 48], depths=[1, 1, 2, 1], layer_scale_init_value=0.5),
    }.get(name, {})
    config = getattr(transformers, f"{name}Config")(num_labels=CLASSES, **small)

    import torch

    class Logits(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.model = getattr(transformers, f"{name}ForImageClassification")(config)

        def forward(self, x):
            return self.model(pixel_values=x).logits

    return Logits()


def made(prefix, name, side, x):
    import torch

    torch.manual_seed(0)
    model = network(prefix, name, side)
    for module in model.modules():
        if isinstance(module, torch.nn.BatchNorm2d):
            module.momentum = None
    for parameter in model.parameters():
        # Layers that begin at nothing hide everything before them.
        if parameter.dim() > 0 and parameter.requires_grad and parameter.detach().abs().max() < 2e-2:
            torch.nn.init.normal_(parameter, std=0.1)
    with torch.no_grad():
        model.train()(x)  # sets the statistics of batch norms
    return model.eval()


class Forms:
    """The files of one architecture, each made when it is asked for. A method returns the file and the peer's logits."""

    def __init__(self, model, x, folder):
        import torch

        self.model, self.x, self.folder = model, x, folder
        with torch.no_grad():
            self.logits = model(x).numpy()

    def exported(self, opset, batch=None):
        import torch

        path = self.folder / f"onnx{opset}_{batch or 'n'}.onnx"
        if not path.exists():
            x = self.x if batch is None else self.x[:batch]
            more = {} if batch else {"dynamic_shapes": ({0: torch.export.Dim("n", min=1, max=64)},)}
            torch.onnx.export(self.model, (x,), path, opset_version=opset, input_names=["x"], output_names=["y"], dynamo=True, external_data=False,
                              verbose=False, **more)
        return path

    def onnx(self, opset):
        return self.exported(opset), self.logits

    def batch1(self):
        return self.exported(18, 1), self.logits

    def simplified(self):
        import onnx
        import onnxsim

        path = self.folder / "simplified.onnx"
        simple, same = onnxsim.simplify(onnx.load(self.exported(18)))
        assert same, "the simplifier says that the result differs"
        onnx.save(simple, path)
        return path, self.logits

    def half(self):
        import onnx
        from onnxruntime.transformers.float16 import convert_float_to_float16

        path = self.folder / "half.onnx"
        onnx.save(convert_float_to_float16(onnx.load(self.exported(18))), path)
        return path, self.of_onnxruntime(path)

    def quantised(self, form):
        from onnxruntime import quantization

        x = self.x.numpy()

        class Reader(quantization.CalibrationDataReader):
            left = iter([{"x": x}])

            def get_next(self):
                return next(self.left, None)

        path = self.folder / f"{form.name}.onnx"
        quantization.quantize_static(self.exported(18), path, Reader(), quant_format=form, per_channel=form == quantization.QuantFormat.QDQ)
        return path, self.of_onnxruntime(path)

    def qdq(self):
        from onnxruntime.quantization import QuantFormat

        return self.quantised(QuantFormat.QDQ)

    def qoperator(self):
        from onnxruntime.quantization import QuantFormat

        return self.quantised(QuantFormat.QOperator)

    def of_onnxruntime(self, path):
        import numpy as np
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        half = session.get_inputs()[0].type == "tensor(float16)"
        return session.run(None, {"x": self.x.numpy().astype(np.float16 if half else np.float32)})[0].astype(np.float32)

    def program(self):
        import torch

        return torch.export.export(self.model, (self.x,), dynamic_shapes=({0: torch.export.Dim("n", min=1, max=64)},))

    def pt2(self):
        import torch

        torch.export.save(self.program(), self.folder / "program.pt2")
        return self.folder / "program.pt2", self.logits

    def pt2e(self):
        import torch
        from torchao.quantization.pt2e import quantize_pt2e
        from torchao.quantization.pt2e.quantizer import x86_inductor_quantizer as x86

        quantizer = x86.X86InductorQuantizer().set_global(x86.get_default_x86_inductor_quantization_config())
        prepared = quantize_pt2e.prepare_pt2e(self.program().module(), quantizer)
        with torch.no_grad():
            prepared(self.x)
            converted = quantize_pt2e.convert_pt2e(prepared)
            program = torch.export.export(converted, (self.x,), dynamic_shapes=({0: torch.export.Dim("n", min=1, max=64)},))
            torch.export.save(program, self.folder / "pt2e.pt2")
            return self.folder / "pt2e.pt2", converted(self.x).numpy()

    def form(self, name):
        return self.onnx(int(name[4:])) if name.startswith("onnx") else getattr(self, name)()


def refused_package(assay, folder):
    """A package that AOTInductor compiled has no graph, and is refused by its name. Returns what is wrong, or why it was not tried."""
    import torch
    import torchvision_table

    x = torchvision_table.images(folder / "data", 32)
    model = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()).eval()
    try:
        torch._inductor.aoti_compile_and_package(torch.export.export(model, (x,)), package_path=str(folder / "compiled.pt2"))
    except Exception as error:
        return "", f"AOTInductor: not tried, it compiles nothing here: {torchvision_table.first_line(error)}"
    got, refusal = torchvision_table.run(assay, folder / "compiled.pt2", folder / "data/n01440764", folder / "runs", 32)
    said = got is None and "AOTInductor" in refusal
    return "" if said else f"AOTInductor's package is not refused by its name: {refusal}", f"AOTInductor: {refusal}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assay", help="the program")
    parser.add_argument("--architectures", help="of those in this file: tv:resnet18,timm:levit_128s,hf:ViT")
    parser.add_argument("--forms", help=f"{','.join(FORMS)}; default: four of them, in turn")
    parser.add_argument("--some", action="store_true", help="four architectures in two forms each")
    parser.add_argument("--if-there", action="store_true", help="install nothing")
    options = parser.parse_args()
    if "ASSAY_ARCHITECTURES_INSIDE" not in os.environ:
        in_environment(options.if_there)
    warnings.filterwarnings("ignore")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import logging

    logging.disable(logging.WARNING)
    sys.path.insert(0, str(HERE))
    import numpy as np
    import torch
    import torchvision_table

    torch.set_num_threads(2)
    wanted = SOME if options.some else FAMILIES
    if options.architectures:
        asked = options.architectures.split(",")
        wanted = [one for one in FAMILIES if one.rsplit(":", 1)[0] in asked]
        if len(wanted) != len(asked):
            parser.error(f"unknown architectures in {options.architectures}; known: {' '.join(one.rsplit(':', 1)[0] for one in FAMILIES)}")
    versions = []
    for package in ("torch", "torchvision", "timm", "transformers", *PACKAGES):
        try:
            from importlib.metadata import version

            versions.append(f"{package} {version(package)}")
        except ImportError:
            versions.append(f"no {package}")
    print(", ".join(versions), flush=True)
    wrong, tried = 0, 0
    for place, one in enumerate(wanted):
        prefix, name, side = one.split(":")
        forms = options.forms.split(",") if options.forms else IN_TURN[place % len(IN_TURN)][:2 if options.some else 4]
        began, cells, remarks = time.monotonic(), [], []
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            x = torchvision_table.images(scratch / "data", int(side))
            files = Forms(made(prefix, name, int(side), x), x, scratch)
            for form in forms:
                try:
                    path, want = files.form(form)
                except Exception as error:  # whatever an exporter raises
                    remarks.append(f"{name}, {form}: cannot be exported: {torchvision_table.first_line(error)}")
                    cells.append(f"{form} -")
                    continue
                tried += 1
                got, refusal = torchvision_table.run(options.assay, path, scratch / "data/n01440764", scratch / ("runs_" + form), int(side))
                if got is None:
                    remarks.append(f"{name}, {form}: {refusal}")
                    cells.append(f"{form} refused")
                    wrong += 1
                    continue
                off, moved = (float(np.abs(one - want).max() / want.std()) for one in (got, files.logits))
                right = off <= max(ALLOWED, moved)
                wrong += not right
                cells.append(f"{form} {off:.1e}{f'/{moved:.1e}' if moved > 0 else ''}{'' if right else ' WRONG'}")
        print(f"{prefix + ':' + name:32}" + "".join(f"{cell:24}" for cell in cells) + f"{time.monotonic() - began:5.0f} s", flush=True)
        for remark in remarks:
            print("    " + remark, flush=True)
    if not options.some and not options.architectures:
        with tempfile.TemporaryDirectory() as scratch:
            fault, remark = refused_package(options.assay, pathlib.Path(scratch))
            wrong += bool(fault)
            print(fault or remark)
    print(f"{wrong} of {tried} files do not run, or differ by more than they may")
    return 1 if wrong or not tried else 0


if __name__ == "__main__":
    sys.exit(main())
