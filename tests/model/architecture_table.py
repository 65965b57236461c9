#!/usr/bin/env python3
"""Runs 142 architectures of torchvision, timm and transformers through Assay in the forms that people export. Compares with PyTorch
and ONNX Runtime on the same images.

    tests/model/architecture_table.py build/release/bin/assay                     # five forms of each, an hour on two cores
    tests/model/architecture_table.py build/release/bin/assay --architectures timm:levit_128s,torchvision:swin_t --forms onnx18,qdq
    tests/model/architecture_table.py build/release/bin/assay --forms all         # every form of each, some hours
    tests/model/architecture_table.py build/release/bin/assay --some              # four architectures, within a minute

ASSAY_PLUGIN_DIR chooses the LibTorch, as for every command. Weights are drawn from a seed: only packages are downloaded. The
script makes its own environment on top of the Python of tools/torch-python (--if-there: only over one that was made before).

A cell is the largest difference of a logit to the peer's, in standard deviations of the logits. The peer of a float file is
PyTorch; ONNX Runtime on the same file is checked, too. The peer of an int8 or half-precision file is ONNX Runtime, or PyTorch's own
quantised program. After a slash is the change in the peer itself with these numbers, which is then the allowed difference. The cell "-"
means that the exporter itself fails (the reason is below its row). Ends with status 1 if a file does not run, or differs by more
than its form allows. Ends with status 77 without such a Python.
"""
import argparse
import collections
import copy
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

import architectures

HERE = pathlib.Path(__file__).resolve().parent
PACKAGES = "onnx onnxscript onnxruntime onnxsim torchao".split()

# The forms of every architecture, and three further forms for each, in turn.
ALWAYS = ["pt2", "onnx18"]
IN_TURN = """old17 qdq batch1 trace half onnx20 pt2e qoperator simplified script onnx21 pt2batch1 onnx23 pt2half onnx19
onnx22 dynamic""".split()
FORMS = ALWAYS + IN_TURN
# Sums of float32 in another order change a logit by up to 1e-4 of the spread. PyTorch and ONNX Runtime differ by the same amount.
ALLOWED = 1e-3


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


class Forms:
    """The files of one architecture, each written when it is requested. A method returns the file and the peer's logits."""

    def __init__(self, model, x, folder):
        import torch

        self.model, self.x, self.folder = model, x, folder
        self.programs = {}
        with torch.no_grad():
            self.logits = model(x).numpy()

    def program(self, batch=None):
        """Files of torch.export, with a dynamic batch size or a fixed one."""
        import torch

        if batch not in self.programs:
            shapes = None if batch else ({0: torch.export.Dim("n", min=1, max=64)},)
            self.programs[batch] = torch.export.export(self.model, (self.x if batch is None else self.x[:batch],), dynamic_shapes=shapes)
        return self.programs[batch]

    def exported(self, opset, batch=None):
        import torch

        path = self.folder / f"onnx{opset}{'batch' if batch else ''}.onnx"
        if not path.exists():
            torch.onnx.export(self.program(batch), (), path, opset_version=opset, input_names=["x"], output_names=["y"], dynamo=True,
                              external_data=False, verbose=False)
        return path

    def onnx(self, opset):
        return self.exported(opset), self.logits

    def batch1(self):
        return self.exported(18, 1), self.logits

    def old17(self):
        """The tracing exporter, which was the default of torch.onnx.export before 2.9."""
        import torch

        torch.onnx.export(self.model, self.x, self.folder / "old17.onnx", opset_version=17, input_names=["x"], output_names=["y"], dynamo=False,
                          dynamic_axes={"x": {0: "n"}, "y": {0: "n"}})
        return self.folder / "old17.onnx", self.logits

    def simplified(self):
        import onnx
        import onnxsim

        simple, same = onnxsim.simplify(onnx.load(self.exported(18)))
        assert same, "the simplifier says that the result differs"
        onnx.save(simple, self.folder / "simplified.onnx")
        return self.folder / "simplified.onnx", self.logits

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

        path = self.folder / f"{form.name.lower()}.onnx"
        quantization.quantize_static(self.exported(18), path, Reader(), quant_format=form, per_channel=form == quantization.QuantFormat.QDQ)
        return path, self.of_onnxruntime(path)

    def qdq(self):
        from onnxruntime.quantization import QuantFormat

        return self.quantised(QuantFormat.QDQ)

    def qoperator(self):
        from onnxruntime.quantization import QuantFormat

        return self.quantised(QuantFormat.QOperator)

    def dynamic(self):
        """Ranges are computed in each batch, so Assay passes one image at a time to such a file."""
        import numpy as np
        from onnxruntime import quantization

        path = self.folder / "dynamic.onnx"
        quantization.quantize_dynamic(self.exported(18), path, weight_type=quantization.QuantType.QUInt8)
        return path, np.concatenate([self.of_onnxruntime(path, self.x[k:k + 1]) for k in range(len(self.x))])

    def of_onnxruntime(self, path, x=None):
        import numpy as np
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.log_severity_level = 4
        options.intra_op_num_threads = 1
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
        x = (self.x if x is None else x).numpy()
        x = x.astype(np.float16) if session.get_inputs()[0].type == "tensor(float16)" else x
        batch = session.get_inputs()[0].shape[0]
        parts = [x[k:k + batch] for k in range(0, len(x), batch)] if isinstance(batch, int) else [x]
        return np.concatenate([session.run(None, {"x": part})[0].astype(np.float32) for part in parts])

    def trace(self):
        import torch

        torch.jit.trace(self.model, self.x, check_trace=False).save(self.folder / "trace.pt")
        return self.folder / "trace.pt", self.logits

    def script(self):
        import torch

        torch.jit.script(self.model).save(self.folder / "script.pt")
        return self.folder / "script.pt", self.logits

    def save(self, program, name):
        import torch

        torch.export.save(program, self.folder / f"{name}.pt2")
        return self.folder / f"{name}.pt2"

    def pt2(self):
        return self.save(self.program(), "pt2"), self.logits

    def pt2batch1(self):
        return self.save(self.program(1), "pt2batch1"), self.logits

    def pt2half(self):
        """Assay computes weights of half precision in single precision on a CPU, as the peer does."""
        import torch

        half = copy.deepcopy(self.model).half()
        program = torch.export.export(half, (self.x.half(),), dynamic_shapes=({0: torch.export.Dim("n", min=1, max=64)},))
        with torch.no_grad():
            return self.save(program, "pt2half"), half.float()(self.x).numpy()

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
            return self.save(program, "pt2e"), converted(self.x).numpy()

    def form(self, name):
        return self.onnx(int(name[4:])) if name.startswith("onnx") else getattr(self, name)()


def run_all(assay, paths, data, runs, side):
    """The logits of each file, or its error message. Runs one call for all files, or one call each if that fails."""
    import torchvision_table

    found = torchvision_table.run(assay, paths, data, runs, side) if len(paths) > 1 else None
    if found and found[0] is not None:
        return [(logits, "") for logits in found[0]]
    alone = [torchvision_table.run(assay, [path], data, runs.with_name(f"{runs.name}_{path.stem}"), side) for path in paths]
    return [(logits and logits[0], refusal) for logits, refusal in alone]


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
    got, refusal = torchvision_table.run(assay, [folder / "compiled.pt2"], folder / "data/n01440764", folder / "runs", 32)
    said = got is None and "AOTInductor" in refusal and "torch.export" in refusal
    return "" if said else f"AOTInductor's package is not refused by its name: {refusal}", f"AOTInductor: {refusal}"


class Tally:
    """The number of files of each form and library that ran and agreed, and the largest difference."""

    def __init__(self):
        self.cells = collections.defaultdict(lambda: [0, 0, 0, 0.0])
        self.wrong, self.tried, self.ran, self.same_class, self.images = 0, 0, 0, 0, 0

    def add(self, library, form, off, right):
        """`off` is the difference, or None if the file did not run."""
        cell = self.cells[form, library]
        cell[0] += 1
        cell[1] += off is not None
        cell[2] += right
        cell[3] = max(cell[3], off or 0.0)
        self.tried += 1
        self.ran += off is not None
        self.wrong += not right

    def table(self):
        libraries = sorted({library for _, library in self.cells}, key=["torchvision", "timm", "transformers"].index)
        lines = ["| form | " + " | ".join(libraries) + " | largest difference |", "|---|" + "---:|" * (len(libraries) + 1)]
        for form in FORMS:
            row = [self.cells.get((form, library)) for library in libraries]
            if any(row):
                counts = [f"{cell[2]} of {cell[0]}" if cell else "" for cell in row]
                lines.append(f"| {form} | " + " | ".join(counts) + f" | {max(cell[3] for cell in row if cell):.1e} |")
        return "\n".join(lines)


def tried(one, assay, forms, tally):
    """Runs the forms of one architecture. Returns its cells and the remarks below them."""
    import numpy as np
    import torchvision_table

    cells, remarks, wants = {}, [], {}
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        x = torchvision_table.images(scratch / "data", one.side)
        files = Forms(architectures.made(one, x), x, scratch)
        for form in forms:
            try:
                path, want = files.form(form)
                wants[form] = (path, want, files.of_onnxruntime(path) if path.suffix == ".onnx" else want)
            except Exception as error:  # exporters raise many types of exceptions
                remarks.append(f"{one.name}, {form}: cannot be exported: {type(error).__name__}: {torchvision_table.first_line(error)}")
                cells[form] = "-"
        found = run_all(assay, [path for path, _, _ in wants.values()], scratch / "data/n01440764", scratch / "runs", one.side)
        for (form, (_, want, runtime)), (got, refusal) in zip(wants.items(), found):
            if got is None:
                remarks.append(f"{one.name}, {form}: {refusal}")
                cells[form] = "refused"
                tally.add(one.library, form, None, False)
                continue
            off, beside, peers, moved = (float(np.abs(a - b).max() / want.std())
                                         for a, b in ((got, want), (got, runtime), (runtime, want), (want, files.logits)))
            if form == "dynamic":  # Assay gets one image at a time
                beside, peers = off, 0.0
            # ONNX Runtime may differ more from PyTorch. In this case, Assay must be as close to both. Assay computes half precision in
            # single precision, so the rounding of weights and that of ONNX Runtime's arithmetic may add up.
            limit = max(ALLOWED, peers, {"half": 2 * moved, "pt2half": 0.0}.get(form, moved))
            right = max(off, beside) <= limit
            same = int((got.argmax(1) == want.argmax(1)).sum())
            if moved == 0:
                right = right and same == len(got)
            tally.same_class += same
            tally.images += len(got)
            tally.add(one.library, form, off, right)
            cells[form] = f"{off:.1e}" + (f"/{moved:.1e}" if moved > 0 else "") + ("" if right else " WRONG")
            if not right:
                remarks.append(f"{one.name}, {form}: {off:.1e} from the peer, {beside:.1e} from ONNX Runtime, which is {peers:.1e} from the peer")
    return cells, remarks


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("assay", help="the program")
    parser.add_argument("--architectures", help="of those in architectures.py: torchvision:resnet18,timm:levit_128s,transformers:ViT, or timm:*")
    parser.add_argument("--forms", help=f"all, or of {','.join(FORMS)}; default: {','.join(ALWAYS)} and three more, in turn")
    parser.add_argument("--some", action="store_true", help="four architectures")
    parser.add_argument("--if-there", action="store_true", help="install nothing")
    options = parser.parse_args()
    if "ASSAY_ARCHITECTURES_INSIDE" not in os.environ:
        in_environment(options.if_there)
    warnings.filterwarnings("ignore")
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    import fnmatch
    import logging
    from importlib.metadata import version

    logging.disable(logging.WARNING)
    import torch

    torch.set_num_threads(1)
    torch.set_grad_enabled(False)  # with this attention, PyTorch 2.14 cannot export a bias to ONNX
    patterns = options.architectures.split(",") if options.architectures else architectures.SOME if options.some else ["*"]
    for pattern in patterns:
        if not any(fnmatch.fnmatchcase(one.full_name, pattern) for one in architectures.ALL):
            parser.error(f"unknown architecture {pattern}; known: {' '.join(one.full_name for one in architectures.ALL)}")
    asked = {"all": FORMS}.get(options.forms, options.forms.split(",")) if options.forms else None
    if unknown := set(asked or []) - set(FORMS):
        parser.error(f"unknown forms {' '.join(sorted(unknown))}; known: {' '.join(FORMS)}")
    print(", ".join(f"{package} {version(package)}" for package in ("torch", "torchvision", "timm", "transformers", *PACKAGES)), flush=True)
    print(next((line for line in subprocess.run([options.assay, "version"], capture_output=True, text=True, check=True).stdout.splitlines()
                if line.startswith("models")), ""), flush=True)
    tally = Tally()
    for place, one in enumerate(architectures.ALL):
        if not any(fnmatch.fnmatchcase(one.full_name, pattern) for pattern in patterns):
            continue
        began = time.monotonic()
        forms = asked or ALWAYS + [IN_TURN[(3 * place + k) % len(IN_TURN)] for k in range(3)]
        try:
            cells, remarks = tried(one, options.assay, forms, tally)
        except Exception as error:  # the library's own config
            cells, remarks = {}, [f"cannot be made: {type(error).__name__}: {error}"]
            tally.wrong += 1
        print(f"{one.full_name:42}" + "  ".join(f"{form} {cells[form]}" for form in forms if form in cells) + f"  {time.monotonic() - began:.0f} s", flush=True)
        for remark in remarks:
            print("    " + remark, flush=True)
    if not options.some and not options.architectures:
        with tempfile.TemporaryDirectory() as scratch:
            fault, remark = refused_package(options.assay, pathlib.Path(scratch))
            tally.wrong += bool(fault)
            print(fault or remark)
    print(tally.table())
    print(f"{tally.ran} of {tally.tried} files run; {tally.same_class} of {tally.images} images have the peer's class; "
          f"{tally.wrong} files do not run, or differ by more than they may")
    return 1 if tally.wrong or not tally.tried else 0


if __name__ == "__main__":
    sys.exit(main())
