#!/usr/bin/python3
"""Models that were exported incorrectly from PyTorch: traced in training mode, or with the batch size in the trace.

   training_mode.py PROGRAM

Every command that runs a model refuses them by name, or runs them in a way that works. Ends with 77 if PyTorch is not
installed."""
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import warnings

try:
    import torch
    from torch import nn
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

warnings.filterwarnings("ignore")
program = os.path.abspath(sys.argv[1])
scratch = tempfile.TemporaryDirectory()
os.chdir(scratch.name)

SIDE = 8
COLOURS = [(230, 40, 40), (40, 230, 40), (40, 40, 230), (230, 230, 40), (230, 40, 230), (40, 230, 230)]
PER_CLASS = 12


def check(holds, what):
    if not holds:
        sys.exit(f"training_mode: {what}")


def assay(*words, status=0):
    done = subprocess.run([program, *words], capture_output=True, text=True, timeout=60)
    check(done.returncode == status, f"assay {' '.join(words)}: status {done.returncode}, not {status}: {done.stderr}")
    return done


def bmp(colour):
    """An image of one colour."""
    rows = bytes(reversed(colour)) * SIDE * SIDE
    return b"BM" + struct.pack("<IHHIIIIHHIIIIII", 54 + len(rows), 0, 0, 54, 40, SIDE, SIDE, 1, 24, 0, len(rows), 0, 0, 0, 0) + rows


def write_images(folder):
    for c, colour in enumerate(COLOURS):
        (folder / str(c)).mkdir(parents=True)
        for k in range(PER_CLASS):
            shade = tuple(min(255, max(0, level + (k * 7 + 3 * channel) % 25 - 12)) for channel, level in enumerate(colour))
            (folder / str(c) / f"{k}.bmp").write_bytes(bmp(shade))


class Net(nn.Module):
    """Predicts the nearest colour by the means of the channels."""

    def __init__(self, *, normalise=False, dropout=0.0, batch_in_trace=False):
        super().__init__()
        self.normalise = nn.BatchNorm2d(3) if normalise else nn.Identity()
        self.dropout = nn.Dropout(dropout)
        self.batch_in_trace = batch_in_trace
        means = 1.02 * torch.tensor(COLOURS, dtype=torch.float32) / 255
        self.register_buffer("weights", 20 * means)
        self.register_buffer("bias", -10 * means.square().sum(1))

    def forward(self, x):
        x = self.normalise(x)
        # If the model reads the number of images as a number, it becomes a constant of the trace.
        n = int(x.shape[0]) if self.batch_in_trace else x.shape[0]
        context = x.reshape(n, 3, -1).mean(2)
        x = self.dropout(x / 50 + context[:, :, None, None])
        return x.mean((2, 3)) @ self.weights.T + self.bias


def save(name, model, images):
    torch.manual_seed(0)
    torch.jit.trace(model, torch.rand(images, 3, SIDE, SIDE), check_trace=False).save(f"{name}.pt")
    pathlib.Path(f"{name}.toml").write_text(
        f"input_size = [3, {SIDE}, {SIDE}]\ncrop_mode = \"none\"\nmean = [0, 0, 0]\nstd = [1, 1, 1]\noutputs = \"logits\"\n"
        f"num_classes = {len(COLOURS)}\n")


def accuracy(store):
    measured = json.loads(assay("score", store, "--metrics", "top1", "--json").stdout)
    return measured["measurements"][0]["value"]


write_images(pathlib.Path("images"))
save("good", Net().eval(), 2)
save("norm", Net(normalise=True), 2)  # eval() was not called
save("dropout", Net(dropout=0.5), 2)
save("baked", Net(batch_in_trace=True).eval(), 1)
inputs = ("-d", "images", "--out", "runs", "-j", "2")

# A good model gives no message.
done = assay("predict", "-m", "good.pt", *inputs)
check("warning" not in done.stderr, f"a good model: {done.stderr}")
check(accuracy("runs/images/good") > 0.95, "the good model is not good")
check("warning" not in assay("score", "runs/images/good").stderr, "score warns of a good model")

# If scores are random or depend on the batch, no command begins a store.
for name, says in (("norm", "Batch normalisation is in training mode"), ("dropout", "dropout, or another random step")):
    for command in (("predict",), ("attack", "--attack", "noise", "--eps", "4/255"), ("predict", "--corrupt", "fog", "--severities", "1")):
        done = assay(command[0], "-m", f"{name}.pt", *inputs, *command[1:], status=2)
        check(says in done.stderr and "model.eval()" in done.stderr and "`--no-trial`" in done.stderr,
              f"{command[0]} of {name}: {done.stderr}")
        check(not os.path.exists(f"runs/images/{name}"), f"{command[0]} began a store of {name}")
    done = assay("eval", f"{name}.pt", "images", "--out", "runs-eval", status=2)
    check(says in done.stderr, f"eval of {name}: {done.stderr}")
    done = assay("check", "-m", f"{name}.pt", "-d", "images", "--json", status=3)
    check("batch." in done.stdout and "model.eval()" in done.stdout, f"check of {name}: {done.stdout}")

# With the option, the scores are stored.
assay("predict", "-m", "dropout.pt", *inputs, "--no-trial")
check(os.path.exists("runs/images/dropout/manifest.json"), "--no-trial stored nothing")

# The number of images is in the trace. One image at a time works, so this is used.
done = assay("predict", "-m", "baked.pt", *inputs, "--json")
notes = json.loads(done.stdout)["stores"][0]["notes"]
check(any("one image at a time" in note for note in notes), f"baked: {notes}")
check(accuracy("runs/images/baked") > 0.95, "one image at a time does not work")
done = assay("eval", "baked.pt", "images", "--out", "runs-eval")
check("one image at a time" in done.stderr, f"eval of baked: {done.stderr}")
# Batches of the usual size 8 do not work.
assay("predict", "-m", "baked.pt", "-d", "images", "--out", "runs-wrong", "--no-trial")
check(accuracy("runs-wrong/images/baked") < 0.9, "batches are as good: this tests nothing")

# If labels are off by one class, score warns.
names = pathlib.Path("labels.csv")
names.write_text("path,label\n" + "".join(f"{c}/{k}.bmp,{max(c - 1, 0)}\n" for c in range(len(COLOURS)) for k in range(PER_CLASS)))
assay("predict", "-m", "good.pt", "-d", "images", "--list", "labels.csv", "--out", "runs-labels")
done = assay("score", "runs-labels")
check("off by one" in done.stderr + done.stdout and "`assay check -m" in done.stderr + done.stdout,
      f"labels off by one: {done.stderr}{done.stdout}")
print("training_mode: done")
