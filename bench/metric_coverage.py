"""Coverage of the 95 % intervals of losses and calibration errors, through the program.

usage: python3 bench/metric_coverage.py PROGRAM FOLDER [draws]     (numpy; default: 200 draws of every world)

Worlds: ten classes, and two for BINARY_METRICS; 50, 300 and 2,000 images; a calibrated classifier and one whose logits are doubled. All draws of a world are one data set with
an attribute `draw`, and `score --subgroup draw` measures each. The truth is the value of 200,000 images. Noise biases calibration errors and
spreads between classes in small samples. For the columns after `own`, the truth is the mean over the draws.
"""

from __future__ import annotations

import csv
import subprocess
import sys
from pathlib import Path

import numpy as np

METRICS = (
    "top1,nll,brier,confidence,overconfidence,ece,ece_debiased,ace,accuracy_at_coverage,calibration_ks,class_accuracy_balance,"
    "class_confidence_balance,specificity,precision,recall,f1,kappa,matthews,precision:average=weighted,f1:average=weighted"
)
BINARY_METRICS = "binary_ece"


def measured(
    program: str, folder: Path, name: str, images: int, draws: int, factor: float, seed: int, classes: int
) -> "list[dict[str, str]]":
    random = np.random.default_rng(seed)
    scores = random.normal(size=(images * draws, classes)) * 1.5
    odds = np.exp(scores)
    upto = np.cumsum(odds / odds.sum(1, keepdims=True), axis=1)
    labels = np.minimum((random.random((len(scores), 1)) > upto).sum(1), classes - 1)
    np.save(folder / f"{name}.npy", (scores * factor).astype(np.float32))
    with open(folder / f"{name}.csv", "w") as file:
        file.write("path,label,draw\n")
        file.writelines(f"i{i}.jpg,{label},{i // images}\n" for i, label in enumerate(labels))
    out = str(folder / "runs")
    subprocess.run(
        [program, "import", str(folder / f"{name}.npy"), "--items", str(folder / f"{name}.csv"), "--out", out, "--dataset-name", name, "--name", "m", "-q"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    subgroup = ["--subgroup", "draw"] if draws > 1 else []
    text = subprocess.run([program, "score", f"{out}/{name}/m", "--metrics", METRICS if classes == 10 else BINARY_METRICS, "--csv", "-q", *subgroup], check=True, capture_output=True, text=True).stdout
    return [row for row in csv.DictReader(text.splitlines()) if (row["subgroup"] != "") == (draws > 1)]


def show_world(program: str, folder: Path, draws: int, factor: float, classes: int) -> None:
    world = f"{classes}-{factor}"
    truth = {row["definition"]: float(row["value"]) for row in measured(program, folder, f"truth{world}", 200_000, 1, factor, 1, classes)}
    for images in (50, 300, 2000):
        held: "dict[str, list[int]]" = {}
        rows = measured(program, folder, f"w{world}-{images}", images, draws, factor, 2, classes)
        values: "dict[str, list[float]]" = {}
        for row in rows:
            values.setdefault(row["definition"], []).append(float(row["value"]))
        for row in rows:
            own = held.setdefault(row["definition"], [0, 0, 0, 0])
            own[1] += 1
            if row["low"] == "":
                own[2] += 1
            else:
                own[0] += float(row["low"]) <= truth[row["definition"]] <= float(row["high"])
                own[3] += float(row["low"]) <= np.mean(values[row["definition"]]) <= float(row["high"])
        text = ", ".join(
            f"{name} {a / max(1, n - none):.3f} own {mean / max(1, n - none):.3f}" + (f" ({none} without)" if none else "")
            for name, (a, n, none, mean) in held.items()
        )
        print(f"{'calibrated' if factor == 1 else 'doubled logits'}, {classes} classes, {images} images: {text}", flush=True)


def main() -> None:
    program, folder, draws = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 200
    for factor in (1.0, 2.0):
        for classes in (10, 2):
            show_world(program, folder, draws, factor, classes)


if __name__ == "__main__":
    main()
