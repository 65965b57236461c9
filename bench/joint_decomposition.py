"""Coverage of `assay replicate adjust --labels1 --labels2` in worlds whose truth is known.

usage: bench/joint_decomposition.py PROGRAM [DRAWS] [WORLD ...]

Prints the truth in points and the bias for each world and part. Also prints how many of the intervals of DRAWS (default 30) x 2
classifiers hold the truth. Worlds: rates of set 1 are Beta(6, 1) in 70 % of the images and uniform in the others. For set 2, the proportion is 55 %.
`tilt` moves an image with one more label from the high rates to the uniform ones. `step` is the loss by one more label at an equal
rate. `left` is set 1's advantage at an equal rate and number of labels.
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

FIRST, SECOND = np.array([0.84, 0.11, 0.05]), np.array([0.52, 0.24, 0.24])
PARTS = ("total", "remainder", "labels", "selection", "labels_first", "labels_last", "labels_given_rates", "selection_of_rates")
WORLDS = {
    "same": {},
    "curves": {"step": 0.08, "tilt": 0.0},
    "rates": {"tilt": 0.15},
    "both": {"step": 0.08, "tilt": 0.15, "left": 0.03},
    "equal_rates": {"step": 0.08, "left": 0.03, "high": (0.7, 0.7)},
    "ten": {"step": 0.08, "tilt": 0.15, "annotators": 10},
    # With 1,500 images, the rarest group of labels has about 75 images. The command refuses smaller groups.
    "small": {"step": 0.08, "tilt": 0.15, "images": 2000},
    "unequal": {"step": 0.08, "tilt": 0.15, "annotators": (5, 10, 40)},
    "steep": {"step": 0.08, "tilt": 0.15, "slope": 20.0},
}
CLASSES = 200


class World:
    def __init__(self, step=0.0, tilt=0.0, left=0.0, high=(0.7, 0.55), annotators=40, images=4000, slope=6.0):
        self.step, self.tilt, self.left, self.high, self.slope, self.images = step, tilt, left, high, slope, images
        self.annotators = np.atleast_1d(annotators)

    def share_high(self, side, g):
        return self.high[side] - self.tilt * g

    def accuracy(self, s, g, model, side):
        return 0.25 + 0.6 / (1 + np.exp(-self.slope * (s - 0.5))) - self.step * g - 0.04 * model + (self.left if side == 0 else 0)

    def truth(self, model):
        s = (np.arange(20000) + 0.5) / 20000
        density = [[self.share_high(side, g) * 6 * s**5 + 1 - self.share_high(side, g) for g in range(3)] for side in (0, 1)]
        curve = [self.accuracy(s, g, model, 1) for g in range(3)]
        pi = (FIRST, SECOND)
        a = {(c, r): sum(pi[c][g] * np.mean(density[r][g] * curve[g]) for g in range(3)) for c in (0, 1) for r in (0, 1)}
        whole = [sum(pi[c][g] * density[c][g] for g in range(3)) for c in (0, 1)]
        h = [sum(pi[c][g] * density[c][g] * curve[g] for g in range(3)) / whole[c] for c in (0, 1)]
        b = {(c, r): np.mean(whole[r] * h[c]) for c in (0, 1) for r in (0, 1)}
        total = a[0, 0] + self.left - a[1, 1]
        half = lambda x, first: (x[0, 1] - x[1, 1] + x[0, 0] - x[1, 0] if first else x[1, 0] - x[1, 1] + x[0, 0] - x[0, 1]) / 2
        return {"total": total, "remainder": self.left, "labels": half(a, True), "selection": half(a, False),
                "labels_first": a[0, 1] - a[1, 1], "labels_last": a[0, 0] - a[1, 0],
                "labels_given_rates": half(b, True), "selection_of_rates": half(b, False)}

    def write(self, folder, random):
        for side, shares in enumerate((FIRST, SECOND)):
            g = random.choice(3, self.images, p=shares)
            s = np.where(random.random(self.images) < self.share_high(side, g), random.beta(6, 1, self.images), random.random(self.images))
            n = self.annotators[random.integers(0, len(self.annotators), self.images)]
            k, luck = random.binomial(n, s), random.random(self.images)
            # Most of the randomness is common to the classifiers.
            hits = [np.where(random.random(self.images) < 0.7, luck, random.random(self.images)) < self.accuracy(s, g, m, side) for m in (0, 1)]
            rows = range(self.images)
            name = "12"[side]
            (folder / f"r{name}.csv").write_text("image,label,annotators,selected\n" + "".join(f"{name}-{i},{i % CLASSES},{n[i]},{k[i]}\n" for i in rows))
            (folder / f"l{name}.csv").write_text("image,labels\n" + "".join(f"{name}-{i},{' '.join(map(str, range(g[i] + 1)))}\n" for i in rows))
            (folder / f"h{name}.csv").write_text("image,a,b\n" + "".join(f"{name}-{i},{int(hits[0][i])},{int(hits[1][i])}\n" for i in rows))


def main():
    program, draws = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 30
    for name in sys.argv[3:] or WORLDS:
        world = World(**WORLDS[name])
        truth = [world.truth(m) for m in (0, 1)]
        errors, held = {p: [] for p in PARTS}, {p: [] for p in PARTS}
        for draw in range(draws):
            with tempfile.TemporaryDirectory() as path:
                folder = pathlib.Path(path)
                world.write(folder, np.random.default_rng([draw, list(WORLDS).index(name)]))
                done = subprocess.run(
                    [program, "replicate", "adjust", "r1.csv", "r2.csv", "--hits", "h1.csv", "h2.csv", "--labels1", "l1.csv", "--labels2", "l2.csv",
                     "--methods", "pl", "--json", "-q"], cwd=folder, capture_output=True, text=True, check=True)
            for row, true in zip(json.loads(done.stdout)["joint"]["classifiers"], truth):
                for p in PARTS:
                    errors[p].append(row[p]["value"] - true[p])
                    held[p].append(row[p]["interval"]["low"] <= true[p] <= row[p]["interval"]["high"])
        print(name, *(f"{p} {100 * truth[0][p]:.1f}; {100 * np.mean(errors[p]):+.1f}; {np.mean(held[p]):.2f}" for p in PARTS), sep="\n  ", flush=True)


main()
