"""Compares `assay inspect` with CleanVision on one folder of photographs with planted faults.

Makes COUNT photographs (JPEG) from crops of the images below SOURCE, 1 % of them for each planted fault:

- copies: the same bytes under another name;
- near copies: reduced to 60 % and saved again with quality 75;
- dark: all pixels times 0.05;
- white: the distance from white times 0.04;
- blurred: a Gaussian with a standard deviation of 8 pixels;
- flat: the distance from the grey of level 128 times 0.02;
- narrow: 12 times as wide as high;
- tiny: 24 x 24 pixels.

Prints for each program seconds and processor seconds per 1,000 images, the peak memory of its largest process, and for each
fault how many of the planted images it found and how many others it reported. A copy is found if it shares a group with its
original. The folder is deleted at the end.

    python3 bench/inspect_peers.py ASSAY SOURCE [COUNT] [FOLDER]     # needs cleanvision and Pillow
"""

from __future__ import annotations

import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import time

from PIL import Image, ImageFilter

FAULTS = ("copy", "near", "dark", "white", "blurred", "flat", "narrow", "tiny")
KINDS = {
    "dark": "dark",
    "white": "nearly_white",
    "blurred": "blurred",
    "flat": "low_information",
    "narrow": "long_and_narrow",
    "tiny": "odd_size",
}
ISSUES = {
    "dark": "is_dark_issue",
    "white": "is_light_issue",
    "blurred": "is_blurry_issue",
    "flat": "is_low_information_issue",
    "narrow": "is_odd_aspect_ratio_issue",
    "tiny": "is_odd_size_issue",
}
CHANGES = {
    "dark": lambda image: image.point(lambda v: v // 20),
    "white": lambda image: image.point(lambda v: 255 - (255 - v) // 25),
    "blurred": lambda image: image.filter(ImageFilter.GaussianBlur(8)),
    "flat": lambda image: image.point(lambda v: round(128 + (v - 128) / 50)),
    "narrow": lambda image: image.resize((12 * 100, 100)),
    "tiny": lambda image: image.resize((24, 24), Image.BOX),
}
CLEANVISION = """
import json, sys
from cleanvision import Imagelab
lab = Imagelab(data_path=sys.argv[1])
lab.find_issues(verbose=False)
flags = {c: [str(p) for p in lab.issues.index[lab.issues[c]]] for c in lab.issues.columns if c.startswith("is_")}
sets = {k: [[str(p) for p in s] for s in lab.info[k]["sets"]] for k in ("exact_duplicates", "near_duplicates")}
json.dump({"flags": flags, "sets": sets}, open(sys.argv[2], "w"))
"""


def crop_of(image, draw):
    """A window of about half the area, so that no two of one photograph look alike as a rule."""
    width, height = image.size
    part = draw.uniform(0.55, 0.8)
    w, h = int(width * part), int(height * part)
    x, y = draw.randint(0, width - w), draw.randint(0, height - h)
    return image.crop((x, y, x + w, y + h)).resize((draw.randint(240, 400), draw.randint(240, 400)), Image.BICUBIC)


def plant(folder, sources, count):
    """Writes the photographs; returns the names of the planted ones, with their originals for copies."""
    draw = random.Random(1)
    planted = {fault: {} for fault in FAULTS}
    each = count // 100
    plain = count - each * len(FAULTS)
    for i in range(plain):
        with Image.open(sources[i % len(sources)]) as image:
            crop_of(image.convert("RGB"), draw).save(folder / f"p{i:06}.jpg", quality=draw.randint(80, 95))
    originals = draw.sample(range(plain), each * len(FAULTS))
    for i, original in enumerate(originals):
        fault, name, source = FAULTS[i % len(FAULTS)], f"q{i:06}.jpg", f"p{original:06}.jpg"
        planted[fault][name] = source
        if fault == "copy":
            shutil.copyfile(folder / source, folder / name)
            continue
        with Image.open(folder / source) as image:
            width, height = image.size
            if fault == "near":
                image.resize((width * 6 // 10, height * 6 // 10), Image.BICUBIC).save(folder / name, quality=75)
                continue
            CHANGES[fault](image).save(folder / name, quality=90)
        (folder / source).unlink()  # the faulty image replaces its original, which may look like it
    return planted


def measured(command):
    """Wall seconds, processor seconds of all processes, and MB of the largest one."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in (0, 3):
        sys.exit(f"status {process.returncode}: {' '.join(map(str, command))}")
    return time.monotonic() - start, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def assay_findings(assay, folder, out):
    figures = measured([assay, "inspect", folder, "--json", "--examples", "1000000", "-q", "-o", out])
    result = json.loads(out.read_text())
    groups = {
        fault: [[pathlib.PurePath(m["id"]).name for m in group["members"]] for group in result[field]["examples"]]
        for fault, field in (("copy", "same_files"), ("near", "near_duplicates"))
    }
    kinds = {unusual["kind"]: unusual["examples"] for unusual in result["unusual"]}
    flags = {fault: {pathlib.PurePath(e["image"]["id"]).name for e in kinds[kind]} for fault, kind in KINDS.items()}
    return figures, groups, flags


def cleanvision_findings(folder, out):
    figures = measured([sys.executable, "-c", CLEANVISION, folder, out])
    result = json.loads(out.read_text())

    def names(paths):
        return [pathlib.PurePath(p).name for p in paths]

    groups = {
        fault: [names(group) for group in result["sets"][field]]
        for fault, field in (("copy", "exact_duplicates"), ("near", "near_duplicates"))
    }
    flags = {fault: set(names(result["flags"].get(column, []))) for fault, column in ISSUES.items()}
    return figures, groups, flags


def found_text(fault, planted, groups, flags):
    """ "19 of 20, 3 others"."""
    wanted = planted[fault]
    if fault in groups:
        pairs = {(a, b) for group in groups[fault] for a in group for b in group if a != b}
        found = sum((name, original) in pairs for name, original in wanted.items())
        of_planted = {*wanted, *wanted.values()}
        others = {a for a, b in pairs if a not in of_planted}
    else:
        found = sum(name in flags[fault] for name in wanted)
        others = flags[fault] - set(wanted)
    return f"{found} of {len(wanted)}, {len(others)} others"


def main():
    assay, source = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    count = int(sys.argv[3]) if len(sys.argv) > 3 else 10_000
    if count < 100 or count % 100:
        sys.exit(f"COUNT is {count}; allowed: multiples of 100")
    sources = sorted(p for p in source.rglob("*") if p.suffix.lower() in (".jpg", ".jpeg"))
    if not sources:
        sys.exit(f"no JPEG files below {source}")
    with tempfile.TemporaryDirectory(dir=sys.argv[4] if len(sys.argv) > 4 else None) as scratch:
        folder = pathlib.Path(scratch) / "photographs"
        folder.mkdir()
        planted = plant(folder, sources, count)
        files = list(folder.iterdir())
        images = len(files)
        print(f"{images} images, {sum(f.stat().st_size for f in files) / 1e6:.0f} MB")
        out = pathlib.Path(scratch) / "found.json"
        runs = {
            "assay inspect": lambda: assay_findings(assay, folder, out),
            "CleanVision": lambda: cleanvision_findings(folder, out),
        }
        for name, run in runs.items():
            (wall, processor, memory), groups, flags = run()
            per = 1000 / images
            print(f"{name}: {wall * per:.2f} s, {processor * per:.2f} s of processor time per 1,000, {memory:.0f} MB")
            for fault in FAULTS:
                print(f"    {fault}: {found_text(fault, planted, groups, flags)}", flush=True)


if __name__ == "__main__":
    main()
