#!/usr/bin/env python3
"""Peak memory of each corruption on a whole large photograph, in bytes per pixel without the image itself.

    bench/corruption_memory.py build/release/bin/assay [WIDTH HEIGHT] [SEVERITIES]
"""

import os
import pathlib
import resource
import subprocess
import sys
import tempfile

NAMES = (os.environ.get("NAMES") or "gaussian_noise shot_noise impulse_noise defocus_blur glass_blur motion_blur zoom_blur snow frost fog "
         "brightness contrast elastic_transform pixelate jpeg_compression speckle_noise gaussian_blur spatter saturate "
         "frost_synthetic").split()


def peak(command):
    """The peak memory in bytes of the largest process that ran `command`."""
    child = os.fork()
    if child == 0:
        done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            print(done.stderr, file=sys.stderr)
        os._exit(done.returncode)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        raise SystemExit(f"failed: {' '.join(command)}")
    return usage.ru_maxrss * 1024


def write_image(path, width, height):
    """A BMP file of stripes in which all rows differ."""
    row = bytes((x * 7 + y) % 251 for y in range(3) for x in range(width))
    stride = (3 * width + 3) // 4 * 4
    with open(path, "wb") as file:
        size = 54 + stride * height
        file.write(b"BM" + size.to_bytes(4, "little") + bytes(4) + (54).to_bytes(4, "little"))
        file.write((40).to_bytes(4, "little") + width.to_bytes(4, "little") + height.to_bytes(4, "little"))
        file.write((1).to_bytes(2, "little") + (24).to_bytes(2, "little") + bytes(24))
        for y in range(height):
            turn = y * 13 % (3 * width)
            file.write((row[turn:] + row[:turn]) + bytes(stride - 3 * width))


def main():
    program = sys.argv[1]
    width, height = (int(v) for v in sys.argv[2:4]) if len(sys.argv) > 3 else (6000, 4000)
    severities = sys.argv[4] if len(sys.argv) > 4 else "3"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "images").mkdir()
        (folder / "photographs").mkdir()
        write_image(folder / "images/a.bmp", width, height)
        write_image(folder / "photographs/a.bmp", width, height)
        for name in NAMES:
            command = [program, "corrupt", str(folder / "images"), "--out", str(folder / name), "--corruptions", name,
                       "--severities", severities, "--resize", "0", "--crop", "0", "-j", "1", "-q"]
            if name == "frost":
                command += ["--frost", str(folder / "photographs")]
            used = peak(command)
            print(f"{name:20} {used / 2**20:8.0f} MiB  {used / (width * height):6.1f} bytes per pixel", flush=True)


if __name__ == "__main__":
    main()
