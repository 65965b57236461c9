#!/usr/bin/python3
"""Composites per second and core, by `assay patchml` and by a Pillow script that does the same work.

    bench/patchml.py ASSAY [FOLDER] [--limit N]

ASSAY is the program; FOLDER holds images in class folders (default: the project's sample of photographs), each of
which is one patch. The work: draw k images, decode them, resize the longer side to p (bicubic), and paste each at a
random offset in its cell. Then save a PNG of 512 x 512 pixels. Both read every image once beforehand (Assay to know
its size; the script does too) and write to the same disk. Times are processor time of one thread: user and system
of the whole process, with the start. The two draw different images, but a patch has the same pixels.

Pillow saves PNG with zlib's level 6 by default. Its level 1 is also shown, because Assay's files are a
little larger than those of level 6.
"""
import argparse
import json
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

from PIL import Image

GRIDS = {2: 256, 3: 256, 4: 256, 6: 170, 9: 128}
CANVAS = 512


def folder_bytes(folder):
    files = [p for p in pathlib.Path(folder).rglob("*.png")]
    return sum(p.stat().st_size for p in files) / max(1, len(files))


def composite(files, k, p, rng):
    canvas = Image.new("RGB", (CANVAS, CANVAS))
    columns = CANVAS // p
    for cell, file in enumerate(files):
        with Image.open(file) as image:
            patch = image.convert("RGB")
        scale = p / max(patch.size)
        width, height = (max(1, int(side * scale + 0.5)) for side in patch.size)
        patch = patch.resize((width, height), Image.BICUBIC)
        x = cell % columns * p + rng.randint(0, p - width)
        y = cell // columns * p + rng.randint(0, p - height)
        canvas.paste(patch, (x, y))
    return canvas


def pillow(files, limit, out, level):
    """Returns processor seconds and the number of composites."""
    start = time.process_time()
    made = 0
    for file in files:  # the pool: Pillow must decode every image first
        with Image.open(file) as image:
            image.convert("RGB")
    rng = random.Random(1)
    for k, p in GRIDS.items():
        pool = list(files)
        rng.shuffle(pool)
        os.makedirs(f"{out}/k{k}-p{p}", exist_ok=True)
        for i in range(min(limit, len(pool) // k)):
            image = composite(pool[i * k : i * k + k], k, p, rng)
            image.save(f"{out}/k{k}-p{p}/{i:06}.png", **({} if level is None else {"compress_level": level}))
            made += 1
    return time.process_time() - start, made


def assay(program, folder, limit, out, cache):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [program, "patchml", "--whole", folder, "--out", out, "--seed", "1", "--limit", str(limit)]
    command += ["--threads", "1", "--cache", str(cache), "--quiet", "--json"]
    result = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, result["datasets"][0]["composites"]


def main():
    here = pathlib.Path(__file__).resolve().parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("folder", nargs="?", default=str(here.parent.parent / "shared/data/imagenet_sample"))
    parser.add_argument("--limit", type=int, default=40, help="composites of each k")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    files = sorted(str(p) for p in pathlib.Path(options.folder).rglob("*") if p.is_file())
    if not files:
        sys.exit(f"no images under {options.folder}")
    ways = {
        "Assay": lambda out: assay(options.program, options.folder, options.limit, out, 256),
        "Assay, nothing kept": lambda out: assay(options.program, options.folder, options.limit, out, 0),
        "Pillow": lambda out: pillow(files, options.limit, out, None),
        "Pillow, PNG level 1": lambda out: pillow(files, options.limit, out, 1),
    }
    best, size = {}, {}
    for _ in range(options.rounds):  # the two run in turn, so that a busy machine affects both equally
        for name, work in ways.items():
            with tempfile.TemporaryDirectory() as out:
                seconds, made = work(out)
                best[name] = max(best.get(name, 0), made / seconds)
                size[name] = folder_bytes(out)
    print(f"{len(files)} images, {made} composites of k = {', '.join(map(str, GRIDS))}; one thread, best of {options.rounds}\n")
    print(f"{'':<22}{'composites/s':>13}{'bytes an image':>17}{'Assay is':>10}")
    for name, rate in best.items():
        print(f"{name:<22}{rate:>13.1f}{size[name]:>17,.0f}{best['Assay'] / rate:>9.2f}x")


if __name__ == "__main__":
    main()
