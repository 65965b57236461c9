#!/usr/bin/env python3
"""Checks whether `assay replicate match` claims bias if there is none, in simulations whose reference and candidates have the same
truth.

    replicate_match.py ASSAY [--runs 20] [--world NAME]

ASSAY is the built program. Each world draws both sets from the same mixture of selection rates, class by class, and writes how
many of its annotators selected each image. The runs of a world have different numbers of annotators who choose. Two shares are
printed: of intervals without 0, for held_out_minus_in_sample (the bias that the command reports) and for
held_out_minus_reference. Both should be near .05. The last worlds have candidates with other rates, and their bias is known.
"""
import argparse
import json
import math
import os
import random
import subprocess
import tempfile
from dataclasses import dataclass


@dataclass
class World:
    name: str
    reference: tuple  # numbers of annotators of the reference's images, with equal probabilities
    candidates: tuple
    choose: int  # number of annotators who choose (0: the default)
    classes: int = 150
    reference_images: int = 20
    candidate_images: int = 60
    per_class: int = 4
    spread: float = 0.0  # standard deviation of the classes' effect on the logit of the rate
    adaptive: bool = False  # the larger number is used only if the smaller one gave a false alarm
    easier: float = 0.0  # the amount by which the reference's rates are higher, on the logit scale


worlds = [
    World("3 annotators, 2 choose", (3,), (3,), 2),
    World("4 annotators, 3 choose", (4,), (4,), 3),
    World("5 annotators, 3 choose", (5,), (5,), 3),
    World("7 annotators, 5 choose", (7,), (7,), 5),
    World("10 annotators, 5 choose", (10,), (10,), 5),
    World("40 annotators, 20 choose", (40,), (40,), 20),
    World("reference 3, candidates 7", (3,), (7,), 0),
    World("reference 7, candidates 4, 3 choose", (7,), (4,), 3),
    World("reference 40, candidates 10, 7 choose", (40,), (10,), 7),
    World("3 to 7 mixed, 2 choose", (3, 5, 7), (3, 5, 7), 2),
    World("3, 5, 7 and 4, 10 mixed, 3 choose", (3, 5, 7), (4, 10), 3),
    World("classes differ, 5 annotators, 3 choose", (5,), (5,), 3, spread=1.5),
    World("classes differ, reference 3, candidates 10", (3,), (10,), 0, spread=1.5),
    World("few images a class, 4 annotators, 3 choose", (4,), (4,), 3, reference_images=3, candidate_images=8, per_class=2, spread=1.0),
    World("five large classes, 4 annotators, 3 choose", (4,), (4,), 3, classes=5, reference_images=400, candidate_images=1000,
          per_class=100, spread=1.0),
    World("one class, 5 annotators, 3 choose", (5,), (5,), 3, classes=1, reference_images=1000, candidate_images=3000, per_class=300),
    World("4 asked, 4 more if they disagree, 3 choose", (4, 8), (4, 8), 3, adaptive=True),
    World("biased: reference easier, 5 annotators, 3 choose", (5,), (5,), 3, easier=1.0),
    World("biased: reference easier, 10 annotators, 5 choose", (10,), (10,), 5, easier=1.0),
]


def rate(draw, shift):
    """Two thirds of the images are rather easy (beta(3, 1)). The others have uniform rates."""
    u = draw.random()
    s = u ** (1 / 3) if draw.random() < 2 / 3 else u
    return 1 / (1 + (1 - s) / max(s, 1e-12) * math.exp(-shift))


def write_set(path, draw, world, numbers, images, effects, prefix, easier=0.0):
    with open(path, "w") as out:
        out.write("image,label,annotators,selected\n")
        for c, effect in enumerate(effects):
            for i in range(images):
                s = rate(draw, effect + easier)
                n = min(numbers) if world.adaptive else draw.choice(numbers)
                k = sum(draw.random() < s for _ in range(n))
                if world.adaptive and 0 < k < n:
                    k += sum(draw.random() < s for _ in range(max(numbers) - n))
                    n = max(numbers)
                out.write(f"{prefix}{c}_{i},c{c},{n},{k}\n")


def run(assay, world, seed, folder):
    draw = random.Random(f"{world.name} {seed}")
    effects = [draw.gauss(0, world.spread) for _ in range(world.classes)]
    reference, candidates = os.path.join(folder, "reference.csv"), os.path.join(folder, "candidates.csv")
    write_set(reference, draw, world, world.reference, world.reference_images, effects, "o", world.easier)
    write_set(candidates, draw, world, world.candidates, world.candidate_images, effects, "r")
    words = [assay, "replicate", "match", reference, candidates, "--per-class", str(world.per_class), "--seed", str(seed + 1), "--json"]
    if world.choose:
        words += ["--annotators", str(world.choose)]
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode not in (0, 3):
        raise SystemExit(f"{world.name}: {done.stderr}")
    return json.loads(done.stdout)


def excludes_zero(estimate):
    return estimate["interval"]["low"] > 0 or estimate["interval"]["high"] < 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("assay")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--world", help="only worlds with this in their name")
    choice = parser.parse_args()
    print(f"{'world':52} {'claims bias':>12} {'off reference':>14} {'mean bias':>10} {'mean off':>9}   (of {choice.runs} runs; points)")
    with tempfile.TemporaryDirectory() as folder:
        for world in worlds:
            if choice.world and choice.world not in world.name:
                continue
            results = [run(choice.assay, world, seed, folder) for seed in range(choice.runs)]
            bias = [r["held_out_minus_in_sample"] for r in results]
            off = [r["held_out_minus_reference"] for r in results]
            if any(b.get("interval") is None for b in bias):
                print(f"{world.name:52} {'no comparison':>12}")
                continue

            def mean(estimates):
                return 100 * sum(e["value"] for e in estimates) / len(estimates)

            print(f"{world.name:52} {sum(map(excludes_zero, bias)):12} {sum(map(excludes_zero, off)):14} {mean(bias):10.2f} {mean(off):9.2f}",
                  flush=True)


if __name__ == "__main__":
    main()
