#!/usr/bin/python3
"""Models with misleading gradients or invalid scores, and the verdict of `assay attack` on each.

   masked_models.py PROGRAM

The base is a linear classifier of faint patterns: FGSM at 8/255 fools it on every image, so a high accuracy under attack is wrong.
Ends with 77 if PyTorch is not installed."""
import json
import os
import pathlib
import random
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

SIDE = 16
CLASSES = 10
PER_CLASS = 10
NUMBERS = 3 * SIDE * SIDE
draws = random.Random(7)
PATTERNS = [[draws.choice((-1, 1)) for _ in range(NUMBERS)] for _ in range(CLASSES)]


def check(holds, what):
    if not holds:
        sys.exit(f"masked_models: {what}")


def bmp(planes):
    """`planes` has the indices [channel][row][column], values 0..255 and the channels red, green, blue."""
    rows = bytearray()
    for row in reversed(range(SIDE)):
        for column in range(SIDE):
            rows += bytes(planes[channel][row][column] for channel in (2, 1, 0))
    return b"BM" + struct.pack("<IHHIIIIHHIIIIII", 54 + len(rows), 0, 0, 54, 40, SIDE, SIDE, 1, 24, 0, len(rows), 0, 0, 0, 0) + rows


def write_images(folder, black):
    """Gray 128 with the pattern of the class (5 levels) and noise. `black`: every third image has one black pixel."""
    for c in range(CLASSES):
        (folder / f"{c:02}").mkdir(parents=True)
        for k in range(PER_CLASS):
            values = [min(255, max(0, round(128 + 5 * PATTERNS[c][i] + draws.gauss(0, 12)))) for i in range(NUMBERS)]
            if black and k % 3 == 0:
                values[0] = 0
            planes = [[values[(p * SIDE + row) * SIDE:(p * SIDE + row + 1) * SIDE] for row in range(SIDE)] for p in range(3)]
            (folder / f"{c:02}" / f"{k}.bmp").write_bytes(bmp(planes))


class Base(nn.Module):
    """Scores of about 2 for the pattern in the image, and 0 for the others."""

    def __init__(self):
        super().__init__()
        self.register_buffer("weights", torch.tensor(PATTERNS, dtype=torch.float32) / 5)

    def forward(self, x):
        return (x.reshape(x.shape[0], -1) - 0.5) @ self.weights.T


class Before(Base):
    """A model that changes its images first."""

    def __init__(self, change):
        super().__init__()
        self.change = change

    def forward(self, x):
        return super().forward(self.change(x))


class After(Base):
    """A model that changes its scores."""

    def __init__(self, change):
        super().__init__()
        self.change = change

    def forward(self, x):
        return self.change(super().forward(x))


class WithDropout(Base):
    def __init__(self):
        super().__init__()
        self.dropout = nn.Dropout(0.3)

    def forward(self, x):
        return super().forward(0.5 + self.dropout(x - 0.5))


class WithBatchStatistics(Base):
    def __init__(self):
        super().__init__()
        self.normalise = nn.BatchNorm2d(3, affine=False)

    def forward(self, x):
        return super().forward(0.5 + 0.05 * self.normalise(x))


class RandomResize(Base):
    """This model is scripted, because a trace would keep the size drawn while tracing."""

    def forward(self, x):
        side = x.shape[2]
        drawn = int(torch.randint(side - 4, side + 1, [1]))
        small = torch.nn.functional.interpolate(x, size=[drawn, drawn], mode="bilinear", align_corners=False)
        whole = torch.nn.functional.interpolate(small, size=[side, side], mode="bilinear", align_corners=False)
        return (whole.reshape(whole.shape[0], -1) - 0.5) @ self.weights.T


def not_a_number(z):
    return torch.where(z[:, :1] > 1.0, torch.full_like(z, float("nan")), z)


def save(name, model, outputs="logits"):
    torch.manual_seed(0)
    example = torch.rand(2, 3, SIDE, SIDE)
    if isinstance(model, RandomResize):
        script = torch.jit.script(model)
    else:
        script = torch.jit.trace(model, example, check_trace=False)
    script.save(f"{name}.pt")
    pathlib.Path(f"{name}.toml").write_text(
        f"input_size = [3, {SIDE}, {SIDE}]\ncrop_mode = \"none\"\nmean = [0, 0, 0]\nstd = [1, 1, 1]\noutputs = \"{outputs}\"\n"
        f"num_classes = {CLASSES}\n")


def attack(name, *more, data="images"):
    done = subprocess.run([program, "attack", "-m", f"{name}.pt", "-d", data, "--out", "runs", "-j", "2", "--json", *more],
                          capture_output=True, text=True, timeout=120)
    result = json.loads(done.stdout)["models"][0] if done.stdout else {}
    return done, result


write_images(pathlib.Path("images"), False)
write_images(pathlib.Path("black"), True)
save("sound", Base())
save("round8", Before(lambda x: torch.round(7 * x) / 7))
save("round32", Before(lambda x: torch.round(31 * x) / 31))
save("tanh", After(lambda z: 10 * torch.tanh(1000 * (z - 1))))
save("thousand", After(lambda z: 1000 * z))
save("resize", RandomResize())
save("dropout", WithDropout().train())
save("batch", WithBatchStatistics().train())
save("softmax", After(lambda z: torch.softmax(20 * z, 1)))
save("nan", After(not_a_number))
save("roots", Before(lambda x: torch.sqrt(x) * torch.sqrt(x)))

# A sound model has no sign of a masked gradient, and its store says so.
done, result = attack("sound")
check(done.returncode == 0 and result["control"]["verdict"] == "no sign of masking", f"sound: {done.stderr}")
check("the attack is" not in done.stderr, f"sound: {done.stderr}")

# If the gradient is masked, a high accuracy under attack is doubtful, and gates on it fail.
for name in ("round8", "round32", "tanh", "thousand"):
    done, result = attack(name)
    under = {one["attack"]: one["robust"] for one in result["attacks"]}
    check(under["pgd"] > result["correct"] / 2, f"{name} is not masked: {under}")
    check(result["control"]["verdict"] == "doubtful", f"{name}: {result['control']}")
    check("the attack is doubtful" in done.stderr, f"{name}: {done.stderr}")
    gate = subprocess.run([program, "score", f"runs/images/{name}@pgd-linf-8_255", "--gate", "top1 >= 0.1"],
                          capture_output=True, text=True, timeout=60)
    check(gate.returncode == 1 and "the attack is doubtful" in gate.stdout + gate.stderr, f"gate on {name}: {gate.stdout}{gate.stderr}")

# Scores that are random, depend on the batch, or are not finite. Models that the trial refuses are attacked with --no-trial.
for name, sign in (("resize", "random"), ("dropout", "random"), ("batch", "batch"), ("softmax", "outputs"), ("nan", "outputs")):
    done, result = attack(name, "--no-trial")
    found = [one["name"] for one in result["control"]["signs"] if one["found"]]
    check(result["control"]["verdict"] == "not usable" and sign in found, f"{name}: {result['control']}")

# The square root has no derivative at 0. Such elements count as 0, and the attack continues.
done, result = attack("roots", data="black")
check([one["robust"] for one in result["attacks"]][1:] == [0, 0], f"roots: {result['attacks']}")
check("elements of the gradient, of 40 of 100 images" in done.stderr, f"roots: {done.stderr}")

done, result = attack("sound", "--no-control")
check(result["control"]["verdict"] == "not checked", f"--no-control: {result['control']}")
print("masked_models: done")
