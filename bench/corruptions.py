#!/usr/bin/env python3
"""Times published corruptions in numpy, scipy and Pillow, in milliseconds of processor time per image of 224 x 224 pixels.

    bench/corruptions.py IMAGE          compare with: build/bench/bin/bench_corruptions

Each is measured at severity 3. Corruptions that need OpenCV, scikit-image or ImageMagick are omitted.
"""
import io
import sys
import time

import numpy as np
from PIL import Image
from scipy.ndimage import gaussian_filter, zoom


def blurred(values, sigma):
    return np.stack([gaussian_filter(values[..., c], sigma, mode="nearest", truncate=4) for c in range(3)], -1)


def unit(image):
    return np.asarray(image) / 255.0


def to_bytes(values):
    return np.uint8(np.clip(values, 0, 1) * 255)


def gaussian_noise(image):
    values = unit(image)
    return to_bytes(values + np.random.normal(size=values.shape, scale=0.18))


def speckle_noise(image):
    values = unit(image)
    return to_bytes(values + values * np.random.normal(size=values.shape, scale=0.35))


def shot_noise(image):
    return to_bytes(np.random.poisson(unit(image) * 12) / 12)


def gaussian_blur(image):
    return to_bytes(blurred(unit(image), 3))


def glass_blur(image, sigma=1, reach=2, passes=3):
    pixels = to_bytes(blurred(unit(image), sigma))
    side = pixels.shape[0]
    for _ in range(passes):
        for y in range(side - reach, reach, -1):
            for x in range(side - reach, reach, -1):
                dx, dy = np.random.randint(-reach, reach, size=2)
                pixels[y, x] = pixels[y + dy, x + dx]
    return to_bytes(blurred(pixels / 255.0, sigma))


def zoom_blur(image):
    values = unit(image).astype(np.float32)
    total, side = values.copy(), values.shape[0]
    factors = np.arange(1, 1.21, 0.02)
    for factor in factors:
        inner = int(np.ceil(side / factor))
        first = (side - inner) // 2
        large = zoom(values[first:first + inner, first:first + inner], (factor, factor, 1), order=1)
        cut = (large.shape[0] - side) // 2
        total += large[cut:cut + side, cut:cut + side]
    return to_bytes(total / (len(factors) + 1))


def contrast(image):
    values = unit(image)
    mean = values.mean((0, 1), keepdims=True)
    return to_bytes((values - mean) * 0.2 + mean)


def pixelate(image):
    side = int(224 * 0.4)
    return image.resize((side, side), Image.BOX).resize((224, 224), Image.BOX)


def jpeg_compression(image):
    file = io.BytesIO()
    image.save(file, "JPEG", quality=15)
    return Image.open(file).convert("RGB")


def main():
    image = Image.open(sys.argv[1]).convert("RGB").resize((224, 224))
    for corruption in (gaussian_noise, shot_noise, speckle_noise, gaussian_blur, glass_blur, zoom_blur, contrast, pixelate,
                       jpeg_compression):
        times = []
        for _ in range(3 if corruption is glass_blur else 15):
            start = time.process_time()
            corruption(image)
            times.append(time.process_time() - start)
        print(f"{corruption.__name__:18} {1000 * sorted(times)[len(times) // 2]:8.2f} ms")


if __name__ == "__main__":
    main()
