#!/usr/bin/python3
"""Writes tests/data/fixtures/pixels.bin and pixels.tsv. They hold a small image of every kind that is read, with the pixels
that Pillow 9.4 reads. They also hold damaged and hostile files that must be refused, and a few of Pillow's resizes.
The files small_formats.bin and small_formats.tsv have the same layout for PBM, PGM, PPM and GIF.

    tests/image/make_pixel_fixtures.py [FOLDER [small_formats]]

With `small_formats`, only these change. pixels.tsv has a line per entry: kind, name, offset, size, width, height, offset of the
R, G, B bytes. Kinds: `same` (the decoded pixels equal Pillow's), `refuse` (an error), `resize` (of the image `noise`; the name is
FILTER WxH).
Pillow's answer decides between `same` and `refuse`, except for the names in REFUSED_ON_PURPOSE.
"""
import io
import pathlib
import struct
import sys
import warnings
import zlib

import numpy as np
from PIL import Image

W, H = 13, 9
II, MM = "<", ">"
rng = np.random.default_rng(20240229)
warnings.simplefilter("ignore")

# Pillow reads some of these files incorrectly (BMP, GIF, TIFF), or without a check (the CRC of a PNG's data). It reads others by
# filling in missing data (short files), or with a colour engine (Lab).
REFUSED_ON_PURPOSE = {
    "bmp 8 black and white",
    "bmp rle4 odd count",
    "bmp rle8 delta",
    "gif own ramp",
    "jpeg 13000 x 13000",
    "png bad data crc",
    "png short data",
    "tiff float big deflate",
    "tiff grey 32 signed big deflate",
    "tiff lab",
    "tiff short data",
    "tiff ycbcr raw",
}


def noise(*shape):
    return rng.integers(0, 256, shape, dtype=np.uint8)


def smooth(height, width, channels):
    y, x = np.mgrid[0:height, 0:width]
    planes = [127 + 120 * np.sin((x * (c + 1) + y * (3 - c)) / 5.0 + c) for c in range(channels)]
    return np.stack(planes, -1).astype(np.uint8)


def saved(image, **options):
    out = io.BytesIO()
    image.save(out, **options)
    return out.getvalue()


# ---------------------------------------------------------------- JPEG


def segments(jpeg):
    """Yields (marker, segment) up to the scan, and then the rest."""
    at, found = 2, []
    while True:
        marker, length = struct.unpack(">HH", jpeg[at : at + 4])
        if marker == 0xFFDA:
            return found, jpeg[at:]
        found.append((marker, jpeg[at : at + 2 + length]))
        at += 2 + length


def with_adobe(jpeg, transform):
    """The same scan with an Adobe marker for a different color transform."""
    found, rest = segments(jpeg)
    adobe = b"\xff\xee" + struct.pack(">H", 14) + b"Adobe" + struct.pack(">HHHB", 100, 0, 0, transform)
    kept = b"".join(s for m, s in found if m not in (0xFFE0, 0xFFEE))
    return b"\xff\xd8" + adobe + kept + rest


def jpegs():
    rgb = Image.fromarray(smooth(21, 19, 3))
    cmyk = Image.fromarray(smooth(21, 19, 4), "CMYK")
    yield "jpeg grey", saved(Image.fromarray(smooth(21, 19, 1)[..., 0]), format="JPEG")
    for s, name in enumerate(["444", "422", "420"]):
        yield f"jpeg {name}", saved(rgb, format="JPEG", subsampling=s, quality=90)
    yield "jpeg progressive", saved(rgb, format="JPEG", progressive=True, quality=80)
    yield "jpeg noise", saved(Image.fromarray(noise(17, 16, 3)), format="JPEG", quality=60)
    yield "jpeg one pixel", saved(Image.fromarray(noise(1, 1, 3)), format="JPEG")
    yield "jpeg cmyk", saved(cmyk, format="JPEG", quality=90)
    yield "jpeg cmyk progressive", saved(cmyk, format="JPEG", quality=90, progressive=True)
    yield "jpeg cmyk without adobe", with_adobe(saved(cmyk, format="JPEG"), 0).replace(b"Adobe", b"Adobi")
    yield "jpeg ycck", with_adobe(saved(cmyk, format="JPEG", quality=90), 2)
    yield "jpeg adobe rgb", with_adobe(saved(rgb, format="JPEG", subsampling=0, quality=90), 0)
    exif = Image.Exif()
    exif[0x0112] = 6
    yield "jpeg exif turned", saved(rgb, format="JPEG", exif=exif)
    whole = saved(rgb, format="JPEG", quality=75)
    yield "jpeg junk after the end", whole + b"junk" * 5
    try:
        import cv2

        options = [cv2.IMWRITE_JPEG_RST_INTERVAL, 2, cv2.IMWRITE_JPEG_QUALITY, 70]
        yield "jpeg restarts", cv2.imencode(".jpg", smooth(40, 35, 3), options)[1].tobytes()
    except ImportError:
        pass
    yield "jpeg without its end", whole[:-2]
    yield "jpeg half", whole[: len(whole) // 2 + 150]
    yield "jpeg half progressive", saved(rgb, format="JPEG", progressive=True)[:-30]
    found, rest = segments(whole)
    frame = next(s for m, s in found if m == 0xFFC0)
    yield "jpeg 65000 x 65000", whole.replace(frame, frame[:5] + struct.pack(">HH", 65000, 65000) + frame[9:])
    yield "jpeg 13000 x 13000", whole.replace(frame, frame[:5] + struct.pack(">HH", 13000, 13000) + frame[9:])
    yield "jpeg no rows", whole.replace(frame, frame[:5] + struct.pack(">HH", 0, 19) + frame[9:])
    yield "jpeg no columns", whole.replace(frame, frame[:5] + struct.pack(">HH", 21, 0) + frame[9:])
    yield "jpeg 12 bits", whole.replace(frame, frame[:4] + b"\x0c" + frame[5:])
    yield "jpeg only its start", b"\xff\xd8\xff"
    yield "jpeg no tables", b"\xff\xd8" + frame + rest


# ---------------------------------------------------------------- PNG


def chunk(name, data, crc=None):
    crc = zlib.crc32(name + data) if crc is None else crc
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", crc)


def pack_samples(samples, bits):
    """Converts rows of samples (height x n) to rows of bytes, most significant bits first."""
    if bits == 16:
        return [row.astype(">u2").tobytes() for row in samples]
    rows = []
    for row in samples:
        digits = "".join(format(int(v), f"0{bits}b") for v in row)
        digits += "0" * (-len(digits) % 8)
        rows.append(bytes(int(digits[i : i + 8], 2) for i in range(0, len(digits), 8)))
    return rows


def png(samples, bits, colour, palette=None, trns=None, interlaced=False, size=None, data=None, crc=None, extra=b""):
    """`samples` is height x width x channels, with numbers below 2**bits."""
    height, width, channels = samples.shape
    passes = [(0, 0, 1, 1)]
    if interlaced:
        passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
    raw = b""
    for x0, y0, dx, dy in passes:
        part = samples[y0::dy, x0::dx]
        if part.size:
            raw += b"".join(b"\0" + row for row in pack_samples(part.reshape(part.shape[0], -1), bits))
    head = struct.pack(">IIBBBBB", *(size or (width, height)), bits, colour, 0, 0, int(interlaced))
    out = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + extra
    if palette is not None:
        out += chunk(b"PLTE", palette.tobytes())
    if trns is not None:
        out += chunk(b"tRNS", trns)
    return out + chunk(b"IDAT", zlib.compress(raw, 9) if data is None else data, crc) + chunk(b"IEND", b"")


def pngs():
    kinds = {"grey": (0, 1), "rgb": (2, 3), "palette": (3, 1), "grey alpha": (4, 2), "rgb alpha": (6, 4)}
    depths = {"grey": [1, 2, 4, 8, 16], "palette": [1, 2, 4, 8]}
    for name, (colour, channels) in kinds.items():
        for bits in depths.get(name, [8, 16]):
            for interlaced in [False, True]:
                samples = rng.integers(0, 1 << bits, (H, W, channels))
                palette = noise(1 << bits, 3) if colour == 3 else None
                yield f"png {name} {bits}" + " interlaced" * interlaced, png(
                    samples, bits, colour, palette, interlaced=interlaced
                )
    dark = rng.integers(0, 300, (H, W, 1))
    yield "png grey 16 dark", png(dark, 16, 0)
    yield "png palette transparent", png(
        rng.integers(0, 16, (H, W, 1)), 4, 3, noise(16, 3), trns=bytes([0, 128, 255, 7])
    )
    yield "png palette short", png(rng.integers(0, 16, (H, W, 1)), 4, 3, noise(5, 3))
    yield "png grey transparent", png(rng.integers(0, 256, (H, W, 1)), 8, 0, trns=b"\0\x11")
    yield "png rgb transparent", png(rng.integers(0, 256, (H, W, 3)), 8, 2, trns=b"\0\x11\0\x12\0\x13")
    yield "png gamma", png(
        rng.integers(0, 256, (H, W, 3)), 8, 2, extra=chunk(b"gAMA", struct.pack(">I", 220000)) + chunk(b"tEXt", b"a\0b")
    )
    frames = [Image.fromarray(noise(5, 6, 3)) for _ in range(3)]
    for apart in [False, True]:
        yield "png animated" + " after a still" * apart, saved(
            frames[0], format="PNG", save_all=True, append_images=frames[1:], default_image=apart
        )
    big = saved(Image.fromarray(smooth(40, 60, 3)), format="PNG")
    yield "png filters", big
    yield "png half", big[: len(big) // 2]
    yield "png cut in its header", big[:20]
    some = rng.integers(0, 256, (H, W, 3))
    yield "png bad header crc", big[:29] + bytes([big[29] ^ 1]) + big[30:]
    yield "png bad data crc", png(some, 8, 2, crc=1234)
    yield "png bad data", png(some, 8, 2, data=b"not a deflate stream")
    yield "png short data", png(some, 8, 2, size=(W, H + 5))
    yield "png no data", png(some, 8, 2, data=zlib.compress(b""))
    yield "png no columns", png(some, 8, 2, size=(0, H))
    yield "png no rows", png(some, 8, 2, size=(W, 0))
    yield "png 65000 x 65000", png(some, 8, 2, size=(65000, 65000))
    yield "png 13000 x 13000", png(some, 8, 2, size=(13000, 13000))
    yield "png 4000000000 wide", png(some, 8, 2, size=(4000000000, 1))
    yield "png bad depth", png(some, 8, 2).replace(chunk(b"IHDR", struct.pack(">IIBBBBB", W, H, 8, 2, 0, 0, 0)),
                                                   chunk(b"IHDR", struct.pack(">IIBBBBB", W, H, 3, 2, 0, 0, 0)))


# ---------------------------------------------------------------- WebP


def riff(*chunks):
    body = b"WEBP"
    for name, data in chunks:
        body += name + struct.pack("<I", len(data)) + data + b"\0" * (len(data) % 2)
    return b"RIFF" + struct.pack("<I", len(body)) + body


def u24(value):
    return struct.pack("<I", value)[:3]


def webps():
    rgb = Image.fromarray(smooth(18, 23, 3))
    rgba = Image.fromarray(np.dstack([smooth(18, 23, 3), noise(18, 23)]))
    yield "webp lossy", saved(rgb, format="WEBP", quality=70)
    yield "webp lossless", saved(Image.fromarray(noise(H, W, 3)), format="WEBP", lossless=True)
    yield "webp lossy alpha", saved(rgba, format="WEBP", quality=70)
    yield "webp lossless alpha", saved(rgba, format="WEBP", lossless=True, exact=True)
    exif = Image.Exif()
    exif[0x0112] = 6
    yield "webp exif turned", saved(rgb, format="WEBP", quality=50, exif=exif)
    frames = [Image.fromarray(noise(12, 14, 3)) for _ in range(2)]
    yield "webp animated", saved(frames[0], format="WEBP", save_all=True, append_images=frames[1:], lossless=True)
    still = saved(Image.fromarray(noise(6, 8, 4)), format="WEBP", lossless=True, exact=True)
    payload = still[12:]
    head = ("VP8X", bytes([0x12, 0, 0, 0]) + u24(19) + u24(14))
    frame = u24(2) + u24(1) + u24(7) + u24(5) + u24(100) + b"\0" + payload
    yield "webp frame within", riff((b"VP8X", head[1]), (b"ANIM", bytes([9, 8, 7, 200, 0, 0])), (b"ANMF", frame))
    outside = u24(20) + u24(1) + u24(7) + u24(5) + u24(100) + b"\0" + payload
    yield "webp frame outside", riff((b"VP8X", head[1]), (b"ANIM", bytes(6)), (b"ANMF", outside))
    yield "webp half", saved(rgb, format="WEBP")[:100]
    yield "webp only its start", b"RIFF\x10\0\0\0WEBP"
    broken = bytearray(saved(rgb, format="WEBP", quality=70))
    broken[23:26] = b"xyz"  # the start code of VP8
    yield "webp broken", bytes(broken)


# ---------------------------------------------------------------- BMP


def bmp(bits, rows, width=W, height=H, palette=b"", compression=0, masks=b"", size=40, colours=0, down=False, offset=True):
    h = -height if down else height
    if size == 12:
        info = struct.pack("<IHHHH", 12, width, height, 1, bits)
    else:
        info = struct.pack("<IiiHHIIiiII", size, width, h, 1, bits, compression, len(rows), 2835, 2835, colours, 0)
        info = (info + (masks if size > 40 else b"")).ljust(size, b"\0") + (masks if size == 40 else b"")
    start = 14 + len(info) + len(palette)
    return b"BM" + struct.pack("<IHHI", start + len(rows), 0, 0, start if offset else 0) + info + palette + rows


def bmp_rows(samples, bits):
    """Converts height x width x channels to rows of 4-byte units, bottom row first."""
    if bits == 16:
        packed = [row.astype("<u2").tobytes() for row in samples.reshape(samples.shape[0], -1)]
    else:
        packed = pack_samples(samples.reshape(samples.shape[0], -1), min(bits, 8))
    return b"".join(row + b"\0" * (-len(row) % 4) for row in packed[::-1])


def bmps():
    colours = {1: 2, 4: 16, 8: 256}
    for bits, count in colours.items():
        samples = rng.integers(0, count, (H, W, 1))
        rows, palette = bmp_rows(samples, bits), noise(count, 4).tobytes()
        yield f"bmp {bits}", bmp(bits, rows, palette=palette)
        yield f"bmp {bits} top-down", bmp(bits, rows, palette=palette, down=True)
        yield f"bmp {bits} os/2", bmp(bits, rows, palette=noise(count, 3).tobytes(), size=12)
        yield f"bmp {bits} few colours", bmp(bits, rows, palette=palette[: 4 * (count // 2 + 1)], colours=count // 2 + 1)
    grey = np.repeat(np.arange(256, dtype=np.uint8), 4).tobytes()
    rows8 = bmp_rows(rng.integers(0, 256, (H, W, 1)), 8)
    yield "bmp 8 grey", bmp(8, rows8, palette=grey)
    yield "bmp 1 black and white", bmp(1, bmp_rows(rng.integers(0, 2, (H, W, 1)), 1), palette=b"\0\0\0\0\xff\xff\xff\0")
    yield "bmp 8 no offset", bmp(8, rows8, palette=noise(256, 4).tobytes(), offset=False)
    rows16 = bmp_rows(rng.integers(0, 65536, (H, W, 1)), 16)
    yield "bmp 16", bmp(16, rows16)
    m565, m555 = struct.pack("<III", 0xF800, 0x7E0, 0x1F), struct.pack("<III", 0x7C00, 0x3E0, 0x1F)
    yield "bmp 16 565", bmp(16, rows16, compression=3, masks=m565)
    yield "bmp 16 555", bmp(16, rows16, compression=3, masks=m555)
    yield "bmp 16 565 v4", bmp(16, rows16, compression=3, masks=m565 + bytes(4), size=108)
    yield "bmp 16 odd masks", bmp(16, rows16, compression=3, masks=struct.pack("<III", 0xF000, 0xF00, 0xF0))
    rows24 = bmp_rows(noise(H, W, 3), 8)
    yield "bmp 24", bmp(24, rows24)
    yield "bmp 24 top-down", bmp(24, rows24, down=True)
    yield "bmp 24 os/2", bmp(24, rows24, size=12)
    yield "bmp 24 v5", bmp(24, rows24, size=124)
    yield "bmp 24 masks", bmp(24, rows24, compression=3, masks=struct.pack("<III", 0xFF0000, 0xFF00, 0xFF))
    rows32 = bmp_rows(noise(H, W, 4), 8)
    yield "bmp 32", bmp(32, rows32)
    for name, masks in {
        "bgrx": (0xFF0000, 0xFF00, 0xFF, 0),
        "xbgr": (0xFF000000, 0xFF0000, 0xFF00, 0),
        "abgr": (0xFF000000, 0xFF0000, 0xFF00, 0xFF),
        "rgba": (0xFF, 0xFF00, 0xFF0000, 0xFF000000),
        "bgra": (0xFF0000, 0xFF00, 0xFF, 0xFF000000),
        "zero": (0, 0, 0, 0),
        "odd": (0xFF, 0xFF0000, 0xFF00, 0),
    }.items():
        yield f"bmp 32 {name}", bmp(32, rows32, compression=3, masks=struct.pack("<IIII", *masks), size=124)
    yield "bmp 32 masks v3", bmp(32, rows32, compression=3, masks=struct.pack("<III", 0xFF0000, 0xFF00, 0xFF))
    yield "bmp saved by Pillow", saved(Image.fromarray(noise(H, W, 3)), format="BMP")
    palette16, palette256 = noise(16, 4).tobytes(), noise(256, 4).tobytes()
    runs = bytes([6, 1, 7, 2, 0, 0, 0, 5, 9, 8, 7, 6, 5, 0, 8, 77, 0, 0, 20, 3, 0, 0, 0, 1])
    full = runs[:-2] + bytes([13, 4, 0, 0]) * 6 + b"\0\1"
    yield "bmp rle8", bmp(8, full, palette=palette256, compression=1)
    yield "bmp rle8 top-down", bmp(8, full, palette=palette256, compression=1, down=True)
    yield "bmp rle8 too short", bmp(8, runs, palette=palette256, compression=1)
    yield "bmp rle8 delta", bmp(8, bytes([13, 1, 0, 2, 1, 1, 1, 1]) + bytes([13, 4]) * 12 + b"\0\1", palette=palette256, compression=1)
    full4 = bytes([13, 0x12, 0, 0, 0, 4, 0x34, 0x56, 9, 0x78, 0, 0]) + bytes([13, 0x9A, 0, 0]) * 7 + b"\0\1"
    yield "bmp rle4", bmp(4, full4, palette=palette16, compression=2)
    odd4 = bytes([0, 5, 0x12, 0x34, 0x50, 0, 8, 0x78, 0, 0]) + bytes([13, 0x9A, 0, 0]) * 8 + b"\0\1"
    yield "bmp rle4 odd count", bmp(4, odd4, palette=palette16, compression=2)
    yield "bmp 8 black and white", bmp(8, rows8, palette=b"\0\0\0\0\xff\xff\xff\0", colours=2)
    yield "bmp 4 grey ramp", bmp(4, bmp_rows(rng.integers(0, 16, (H, W, 1)), 4), palette=grey[:64])
    yield "bmp 24 short", bmp(24, rows24)[:-40]
    yield "bmp 24 without the last padding", bmp(24, rows24)[:-1]
    yield "bmp 2 bits", bmp(2, rows24, palette=noise(4, 4).tobytes())
    yield "bmp jpeg inside", bmp(24, rows24, compression=4)
    yield "bmp odd header", bmp(24, rows24, size=52)
    yield "bmp no columns", bmp(24, b"", width=0)
    yield "bmp 65000 x 65000", bmp(24, rows24, width=65000, height=65000)
    yield "bmp 13000 x 13000", bmp(24, rows24, width=13000, height=13000)
    yield "bmp negative width", bmp(24, rows24, width=-5)
    yield "bmp only its start", b"BM\0\0"


# ---------------------------------------------------------------- TIFF


def tiff(order, tags, blocks, tiled=False):
    """`tags` is {number: (type, values)}, and `blocks` has the strips or tiles."""
    sizes = {1: 1, 3: 2, 4: 4}
    codes = {1: "B", 3: "H", 4: "I"}
    entries = dict(tags)
    at, offsets, body = 8, [], b""
    for block in blocks:
        offsets.append(at + len(body))
        body += block + b"\0" * (len(block) % 2)
    entries[324 if tiled else 273] = (4, offsets)
    entries[325 if tiled else 279] = (4, [len(b) for b in blocks])
    ifd_at = at + len(body)
    extra_at = ifd_at + 2 + 12 * len(entries) + 4
    ifd, extra = struct.pack(order + "H", len(entries)), b""
    for number in sorted(entries):
        kind, values = entries[number]
        packed = struct.pack(order + codes[kind] * len(values), *values)
        ifd += struct.pack(order + "HHI", number, kind, len(values))
        if len(packed) <= 4:
            ifd += packed.ljust(4, b"\0")
        else:
            ifd += struct.pack(order + "I", extra_at + len(extra))
            extra += packed + b"\0" * (len(packed) % 2)
    magic = b"II*\0" if order == II else b"MM\0*"
    return magic + struct.pack(order + "I", ifd_at) + body + ifd + struct.pack(order + "I", 0) + extra


def tiff_rows(samples, bits, order, kind="u"):
    flat = samples.reshape(samples.shape[0], -1)
    if bits <= 8:
        return pack_samples(flat, bits)
    return [row.astype(f"{order}{kind}{bits // 8}").tobytes() for row in flat]


def simple_tiff(samples, bits, photometric, order=II, kind="u", more=None, deflate=False, rows_per_strip=4, planar=False, size=None):
    height, width, channels = samples.shape
    tags = {
        256: (4, [width]),
        257: (4, [height]),
        258: (3, [bits] * channels),
        259: (3, [8 if deflate else 1]),
        262: (3, [photometric]),
        277: (3, [channels]),
        278: (4, [rows_per_strip]),
        284: (3, [2 if planar else 1]),
        339: (3, [{"u": 1, "i": 2, "f": 3}[kind]] * channels),
    }
    tags.update(more or {})
    if size:
        tags[256], tags[257] = (4, [size[0]]), (4, [size[1]])
    planes = [samples[..., c : c + 1] for c in range(channels)] if planar else [samples]
    blocks = []
    for plane in planes:
        rows = tiff_rows(plane, bits, order, kind)
        for y in range(0, height, rows_per_strip):
            block = b"".join(rows[y : y + rows_per_strip])
            blocks.append(zlib.compress(block) if deflate else block)
    return tiff(order, tags, blocks)


def tiled_tiff(samples, photometric, deflate, planar=False):
    height, width, channels = samples.shape
    blocks = []
    padded = np.zeros((16 * -(-height // 16), 16 * -(-width // 16), channels), np.uint8)
    padded[:height, :width] = samples
    planes = [padded[..., c : c + 1] for c in range(channels)] if planar else [padded]
    for plane in planes:
        for y in range(0, height, 16):
            for x in range(0, width, 16):
                block = plane[y : y + 16, x : x + 16].tobytes()
                blocks.append(zlib.compress(block) if deflate else block)
    tags = {
        256: (4, [width]),
        257: (4, [height]),
        258: (3, [8] * channels),
        259: (3, [8 if deflate else 1]),
        262: (3, [photometric]),
        277: (3, [channels]),
        284: (3, [2 if planar else 1]),
        322: (4, [16]),
        323: (4, [16]),
    }
    return tiff(II, tags, blocks, tiled=True)


def tiffs():
    rgb = Image.fromarray(noise(H, W, 3))
    for compression in ["raw", "tiff_lzw", "tiff_adobe_deflate", "packbits", "lzma", "zstd", "webp", "jpeg"]:
        try:
            yield f"tiff rgb {compression}", saved(rgb, format="TIFF", compression=compression)
        except OSError:
            print(f"this libtiff does not write {compression}")
    for mode, shape in {"L": (H, W), "RGBA": (H, W, 4), "CMYK": (H, W, 4), "LA": (H, W, 2)}.items():
        image = Image.fromarray(noise(*shape), mode)
        for compression in ["raw", "tiff_lzw"]:
            yield f"tiff {mode} {compression}", saved(image, format="TIFF", compression=compression)
    yield "tiff L jpeg", saved(Image.fromarray(smooth(20, 30, 1)[..., 0]), format="TIFF", compression="jpeg")
    two = Image.fromarray(noise(16, 40) > 100)
    for compression in ["raw", "group3", "group4", "tiff_ccitt", "packbits"]:
        yield f"tiff 1 {compression}", saved(two, format="TIFF", compression=compression)
    yield "tiff I;16", saved(Image.fromarray(rng.integers(0, 600, (H, W)).astype(np.uint16)), format="TIFF")
    yield "tiff I", saved(Image.fromarray(rng.integers(-300, 600, (H, W)).astype(np.int32)), format="TIFF")
    floats = rng.normal(100, 150, (H, W)).astype(np.float32)
    floats[0, :4] = [np.nan, np.inf, -np.inf, 1e30]
    yield "tiff F", saved(Image.fromarray(floats), format="TIFF")
    colour_map = (3, [int(v) for v in rng.integers(0, 65536, 768)])
    for order in [II, MM]:
        name = "little" if order == II else "big"
        for deflate in [False, True]:
            tail = name + " deflate" * deflate
            for bits in [1, 2, 4, 8]:
                samples = rng.integers(0, 1 << bits, (H, W, 1))
                for photometric in [0, 1]:
                    yield f"tiff grey {bits} kind {photometric} {tail}", simple_tiff(samples, bits, photometric, order, deflate=deflate)
                few = (3, [int(v) for v in rng.integers(0, 65536, 3 << bits)])
                yield f"tiff palette {bits} {tail}", simple_tiff(samples, bits, 3, order, more={320: few}, deflate=deflate)
            wide = rng.integers(0, 600, (H, W, 1))
            for photometric in [0, 1]:
                yield f"tiff grey 16 kind {photometric} {tail}", simple_tiff(wide, 16, photometric, order, deflate=deflate)
            yield f"tiff grey 16 signed {tail}", simple_tiff(wide - 200, 16, 1, order, "i", deflate=deflate)
            yield f"tiff grey 32 {tail}", simple_tiff(wide * 9000000, 32, 1, order, deflate=deflate)
            yield f"tiff grey 32 signed {tail}", simple_tiff(wide - 200, 32, 1, order, "i", deflate=deflate)
            yield f"tiff float {tail}", simple_tiff(wide - 200.5, 32, 1, order, "f", deflate=deflate)
            yield f"tiff rgb 16 {tail}", simple_tiff(rng.integers(0, 65536, (H, W, 3)), 16, 2, order, deflate=deflate)
            for extra in [0, 1, 2]:
                more = {338: (3, [extra])}
                yield f"tiff rgb extra {extra} {tail}", simple_tiff(noise(H, W, 4), 8, 2, order, more=more, deflate=deflate)
                wide4 = rng.integers(0, 65536, (H, W, 4))
                yield f"tiff rgb 16 extra {extra} {tail}", simple_tiff(wide4, 16, 2, order, more=more, deflate=deflate)
            yield f"tiff rgb no name for the fourth {tail}", simple_tiff(noise(H, W, 4), 8, 2, order, deflate=deflate)
            yield f"tiff cmyk 16 {tail}", simple_tiff(rng.integers(0, 65536, (H, W, 4)), 16, 5, order, deflate=deflate)
            yield f"tiff rgb planes {tail}", simple_tiff(noise(H, W, 3), 8, 2, order, planar=True, deflate=deflate)
    bits = rng.integers(0, 2, (H, W, 1))
    yield "tiff grey 1 fill order 2", simple_tiff(bits, 1, 1, more={266: (3, [2])})
    yield "tiff grey 1 fill order 2 deflate", simple_tiff(bits, 1, 1, more={266: (3, [2])}, deflate=True)
    yield "tiff palette alpha", simple_tiff(noise(H, W, 2), 8, 3, more={320: colour_map, 338: (3, [2])})
    yield "tiff cmyk extra", simple_tiff(noise(H, W, 5), 8, 5, more={338: (3, [0])})
    yield "tiff rgb two extras", simple_tiff(noise(H, W, 5), 8, 2, more={338: (3, [2, 0])})
    for name, planar in [("", False), (" planes", True)]:
        for deflate in [False, True]:
            tail = name + " deflate" * deflate
            yield f"tiff tiles rgb{tail}", tiled_tiff(noise(21, 37, 3), 2, deflate, planar)
    yield "tiff tiles grey", tiled_tiff(noise(21, 37, 1), 1, True)
    small = noise(3, 4, 3)
    for orientation in range(0, 10):
        yield f"tiff orientation {orientation}", simple_tiff(small, 8, 2, more={274: (3, [orientation])})
        yield f"tiff orientation {orientation} deflate", simple_tiff(small, 8, 2, more={274: (3, [orientation])}, deflate=True)
    pages = [Image.fromarray(noise(4, 5, 3)) for _ in range(2)]
    yield "tiff two pages", saved(pages[0], format="TIFF", save_all=True, append_images=pages[1:])
    yield "tiff ycbcr jpeg", saved(Image.fromarray(smooth(20, 30, 3)).convert("YCbCr"), format="TIFF", compression="jpeg")
    ycbcr = {530: (3, [1, 1])}
    yield "tiff ycbcr deflate", simple_tiff(smooth(H, W, 3), 8, 6, more=ycbcr, deflate=True)
    yield "tiff ycbcr raw", simple_tiff(smooth(H, W, 3), 8, 6, more=ycbcr)
    yield "tiff lab", simple_tiff(noise(H, W, 3), 8, 8)
    yield "tiff 3 bits", simple_tiff(rng.integers(0, 8, (H, W, 1)), 3, 1)
    yield "tiff signed bytes", simple_tiff(noise(H, W, 1), 8, 1, more={339: (3, [2])})
    yield "tiff two greys", simple_tiff(noise(H, W, 2), 8, 1)
    whole = simple_tiff(noise(H, W, 3), 8, 2)
    yield "tiff half", whole[:100]
    yield "tiff only its start", whole[:8]
    yield "tiff short data", simple_tiff(noise(H, W, 3), 8, 2, size=(W, 4 * H))
    yield "tiff 65000 x 65000", simple_tiff(noise(H, W, 3), 8, 2, size=(65000, 65000))
    yield "tiff 13000 x 13000", simple_tiff(noise(H, W, 3), 8, 2, size=(13000, 13000))
    yield "tiff no columns", simple_tiff(noise(H, W, 3), 8, 2, size=(0, H))
    yield "tiff bad deflate", simple_tiff(noise(H, W, 3), 8, 2, more={259: (3, [8])})
    yield "tiff unknown compression", simple_tiff(noise(H, W, 3), 8, 2, more={259: (3, [777])})


def others():
    yield "empty", b""
    yield "text named .jpg", b"This is no image.\n" * 3
    yield "one byte", b"\xff"
    yield "zeros", bytes(1000)
    noise(H, W)  # without this, later random draws would change


# ---------------------------------------------------------------- PBM, PGM, PPM


def netpbm(kind, header, data):
    return b"P%d" % kind + header + data


def netpbms():
    grey, rgb = noise(H, W), noise(H, W, 3)
    size = b"\n%d %d\n" % (W, H)
    yield "pgm saved by Pillow", saved(Image.fromarray(grey), format="PPM")
    yield "ppm saved by Pillow", saved(Image.fromarray(rgb), format="PPM")
    yield "pbm saved by Pillow", saved(Image.fromarray(grey > 100), format="PPM")
    yield "pgm 16 saved by Pillow", saved(Image.fromarray(rng.integers(0, 600, (H, W)).astype(np.int32)), format="PPM")
    for most in [1, 7, 100, 254, 256, 999, 65534, 65535]:
        kind = "u1" if most < 256 else ">u2"
        head = size + b"%d\n" % most
        wide, wide3 = rng.integers(0, most + 1, (H, W)), rng.integers(0, most + 1, (H, W, 3))
        yield f"pgm {most}", netpbm(5, head, wide.astype(kind).tobytes())
        yield f"ppm {most}", netpbm(6, head, wide3.astype(kind).tobytes())
        yield f"pgm plain {most}", netpbm(2, head, b"\n".join(b" ".join(b"%d" % v for v in row) for row in wide))
        yield f"ppm plain {most}", netpbm(3, head, b"\t".join(b"%d" % v for v in wide3.reshape(-1)) + b"\n")
    yield "pgm above its largest", netpbm(5, size + b"100\n", grey.tobytes())
    yield "pgm plain above its largest", netpbm(2, size + b"100\n", b" ".join(b"%d" % v for v in grey.reshape(-1)))
    bits = grey > 100
    yield "pbm plain", netpbm(1, size, b"\n".join(b"".join(b"%d" % v for v in row) for row in bits))
    yield "pbm plain with blanks", netpbm(1, size, b" ".join(b"%d" % v for v in bits.reshape(-1)))
    yield "pbm plain with a 2", netpbm(1, size, b"2" + b"0" * (W * H))
    yield "pgm with comments", netpbm(5, b"\n# one\n%d # two\n%d\n255\n" % (W, H), grey.tobytes())
    yield "pgm comment within a number", netpbm(5, b"\n1#\n3 9\n255\n", grey.tobytes())
    yield "pgm plain with comments", netpbm(2, size + b"255\n", b"# a\n" + b" # b\n".join(b"%d" % v for v in grey.reshape(-1)) + b" ")
    yield "pgm one line", netpbm(5, b" %d\t%d\r255 " % (W, H), grey.tobytes())
    yield "pgm data that look like a comment", netpbm(5, b" %d %d 255\n" % (W, H), b"#" * (W * H))
    yield "ppm junk after the end", netpbm(6, size + b"255\n", rgb.tobytes() + b"junk")
    for kind, data in [(4, np.packbits(bits, axis=1).tobytes()), (5, grey.tobytes()), (6, rgb.tobytes())]:
        yield f"netpbm {kind} short", netpbm(kind, size + b"255\n" * (kind > 4), data[:-1])
    yield "netpbm 2 short", netpbm(2, size + b"255\n", b"1 " * (W * H - 1))
    yield "netpbm 1 short", netpbm(1, size, b"1 " * (W * H - 1))
    yield "ppm no largest", netpbm(6, size, b"")
    yield "ppm largest 0", netpbm(6, size + b"0\n", rgb.tobytes())
    yield "ppm largest 65536", netpbm(6, size + b"65536\n", 2 * rgb.tobytes())
    yield "ppm a word for a size", netpbm(6, b"\nx 9\n255\n", rgb.tobytes())
    yield "ppm negative", netpbm(6, b"\n-13 9\n255\n", rgb.tobytes())
    yield "ppm 65000 x 65000", netpbm(6, b"\n65000 65000\n255\n", rgb.tobytes())
    yield "ppm no columns", netpbm(6, b"\n0 9\n255\n", b"")
    yield "ppm a long number", netpbm(6, b"\n00000000013 9\n255\n", rgb.tobytes())
    yield "netpbm 7", netpbm(7, b"\nWIDTH 13\nHEIGHT 9\nDEPTH 1\nMAXVAL 255\nENDHDR\n", grey.tobytes())
    yield "ppm only its start", b"P6"


# ---------------------------------------------------------------- GIF


def gif_codes(indices, bits, clears=False):
    """Blocks of codes: every index is its own code, and the table is cleared before the codes become longer."""
    out, held, used = bytearray(), 0, 0
    clear = 1 << bits

    def put(code):
        nonlocal held, used
        held |= code << used
        used += bits + 1
        while used >= 8:
            out.append(held & 255)
            held >>= 8
            used -= 8

    for i, index in enumerate(indices):
        if i % (clear - 2) == 0:
            put(clear)
        put(int(index))
    put(clear + 1)
    out.append(held & 255)
    blocks = b"".join(bytes([len(out[i : i + 255])]) + bytes(out[i : i + 255]) for i in range(0, len(out), 255))
    return bytes([bits]) + blocks + b"\0"


def gif(indices, colours=None, own=None, screen=None, at=(0, 0), interlaced=False, before=b"", bits=8, size=None, codes=None, end=b";"):
    """`colours` is the palette of all frames, and `own` is that of this frame."""
    height, width = indices.shape

    def flags(palette):
        return 0 if palette is None else 0x80 | (len(palette).bit_length() - 2)

    rows = list(range(height))
    if interlaced:
        rows = [*range(0, height, 8), *range(4, height, 8), *range(2, height, 4), *range(1, height, 2)]
    out = b"GIF89a" + struct.pack("<HHBBB", *(screen or (width, height)), flags(colours), 0, 0)
    out += b"" if colours is None else colours.tobytes()
    out += before + b"," + struct.pack("<HHHHB", *at, *(size or (width, height)), flags(own) | 64 * interlaced)
    out += b"" if own is None else own.tobytes()
    return out + (gif_codes(indices[rows].reshape(-1), bits) if codes is None else codes) + end


def gifs():
    indices = noise(H, W)
    colours, ramp = noise(256, 3), np.repeat(np.arange(256, dtype=np.uint8), 3).reshape(-1, 3)
    control = b"!\xf9\x04\x01\x05\x00\x21\x00"
    yield "gif saved by Pillow", saved(Image.fromarray(indices), format="GIF")
    yield "gif saved by Pillow in colours", saved(Image.fromarray(smooth(40, 60, 3)).quantize(50), format="GIF")
    yield "gif runs", saved(Image.fromarray(np.repeat(noise(20, 3), 70, axis=1)), format="GIF")
    yield "gif noise that fills the table", saved(Image.fromarray(noise(100, 120)), format="GIF")
    frames = [Image.fromarray(noise(H, W)) for _ in range(3)]
    yield "gif animated", saved(frames[0], format="GIF", save_all=True, append_images=frames[1:])
    yield "gif 87a", gif(indices, colours).replace(b"GIF89a", b"GIF87a")
    yield "gif grey ramp", gif(indices, ramp)
    yield "gif own palette", gif(indices, colours, own=noise(256, 3))
    yield "gif own ramp", gif(indices, colours, own=ramp)
    yield "gif no palette", gif(indices)
    yield "gif few colours", gif(indices, colours[:16])
    yield "gif 2 bits", gif(indices % 4, colours[:4], bits=2)
    yield "gif interlaced", gif(indices, colours, interlaced=True)
    for height in [1, 2, 3, 5, 8]:
        yield f"gif interlaced {height}", gif(indices[:height], colours, interlaced=True)
    yield "gif within", gif(indices, colours, screen=(20, 15), at=(3, 2))
    yield "gif within grey", gif(indices, ramp, screen=(20, 15), at=(3, 2))
    yield "gif within own palette", gif(indices, colours, own=noise(256, 3), screen=(20, 15), at=(3, 2))
    yield "gif within transparent", gif(indices, colours, screen=(20, 15), at=(3, 2), before=control)
    yield "gif transparent", gif(indices, colours, before=control)
    yield "gif outside", gif(indices, colours, screen=(5, 4), at=(3, 2))
    yield "gif comment", gif(indices, colours, before=b"!\xfe\x03abc\x02de\x00" + b"!\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00")
    yield "gif without its end", gif(indices, colours, end=b"")
    whole = gif(indices, colours)
    yield "gif half", whole[: len(whole) - 60]
    yield "gif only its start", b"GIF89a"
    yield "gif no image", whole[:781] + b";"
    yield "gif cut palette", whole[:100]
    yield "gif end before its pixels", gif(indices, colours, codes=gif_codes(indices.reshape(-1)[:50], 8))
    yield "gif code before it is defined", gif(indices, colours, codes=b"\x08\x05\x00\xff\xff\xff\xff\x00")
    yield "gif 13 bits", gif(indices, colours, codes=b"\x0d" + gif_codes(indices.reshape(-1), 8)[1:])
    yield "gif 65000 x 65000", gif(indices, colours, size=(65000, 65000))
    yield "gif no columns", gif(indices, colours, size=(0, H), screen=(0, H))


# ---------------------------------------------------------------- writing


def decoded(data):
    """Returns Pillow's pixels, or None if Pillow refuses the file."""
    try:
        image = Image.open(io.BytesIO(data))
        return np.asarray(image.convert("RGB")), image.format
    except Exception:  # Pillow raises many types of exceptions
        return None, None


FILTERS = {"nearest": 0, "lanczos": 1, "bilinear": 2, "bicubic": 3, "box": 4, "hamming": 5}
SIZES = [(9, 7), (40, 25), (23, 30), (5, 17), (1, 1), (70, 3)]


def main():
    folder = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else pathlib.Path(__file__).parents[1] / "data" / "fixtures"
    folder.mkdir(parents=True, exist_ok=True)
    if len(sys.argv) <= 2:
        write(folder / "pixels", [jpegs, pngs, webps, bmps, tiffs, others], True)
    global rng
    rng = np.random.default_rng(20251126)
    write(folder / "small_formats", [netpbms, gifs], False)


def write(path, makers, resizes):
    blob, lines = bytearray(), ["# kind\tname\toffset\tsize\twidth\theight\tpixels at"]

    def add(kind, name, data, pixels):
        at = len(blob)
        blob.extend(data)
        height, width = (0, 0) if pixels is None else pixels.shape[:2]
        pixels_at = len(blob)
        if pixels is not None:
            blob.extend(pixels.tobytes())
        lines.append(f"{kind}\t{name}\t{at}\t{len(data)}\t{width}\t{height}\t{pixels_at}")

    for make in makers:
        for name, data in make():
            pixels, _ = decoded(data)
            if name in REFUSED_ON_PURPOSE:
                pixels = None
            add("refuse" if pixels is None else "same", name, data, pixels)
    if resizes:
        source = Image.fromarray(noise(17, 23, 3))
        add("same", "noise", saved(source, format="BMP"), np.asarray(source))
        for name, number in FILTERS.items():
            for size in SIZES:
                add("resize", f"{name} {size[0]}x{size[1]}", b"", np.asarray(source.resize(size, number)))
    path.with_suffix(".bin").write_bytes(bytes(blob))
    path.with_suffix(".tsv").write_text("\n".join(lines) + "\n")
    print(f"{path.name}: {len(lines) - 1} entries, {len(blob)} bytes")


if __name__ == "__main__":
    main()
