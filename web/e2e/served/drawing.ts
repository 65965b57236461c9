// Images that can be identified: image number n is `base + n` pixels wide. So a test knows which
// image a page shows, for any encoding by the server.

import { deflateSync } from "node:zlib";

type Colour = [number, number, number];
const SHAPES: ((x: number, y: number) => boolean)[] = [
  (x, y) => x * x + y * y < 0.5,
  (x, y) => Math.abs(x) < 0.6 && Math.abs(y) < 0.6,
  (x, y) => y < 0.6 && y > 2 * Math.abs(x) - 0.7,
  (x, y) => (Math.abs(x) < 0.2 || Math.abs(y) < 0.2) && Math.max(Math.abs(x), Math.abs(y)) < 0.7,
  (x, y) => x * x + y * y < 0.5 && x * x + y * y > 0.2,
];

function hue(angle: number, light: number): Colour {
  const part = (shift: number) => Math.round(light * (128 + 120 * Math.cos(angle + shift)));
  return [part(0), part(2.1), part(4.2)];
}

/// A PNG of a shape in front of a gradient. `kind` chooses the shape.
export function drawn(width: number, height: number, kind: number, number: number): Buffer {
  const shape = SHAPES[kind % SHAPES.length] as (x: number, y: number) => boolean;
  const inside = hue(number * 0.7 + 3, 1);
  const row = 1 + 3 * width;
  const pixels = Buffer.alloc(row * height);
  const scale = Math.min(width, height) / 2;
  for (let y = 0; y < height; ++y) {
    const outside = hue(number * 0.7, 0.35 + (0.5 * y) / height);
    for (let x = 0; x < width; ++x) {
      const within = shape((x - width / 2) / scale, (y - height / 2) / scale);
      pixels.set(within ? inside : outside, y * row + 1 + 3 * x);
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2], 8); // 8 bits per channel, RGB
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]);
  const data = deflateSync(pixels, { level: 1 });
  return Buffer.concat([signature, piece("IHDR", header), piece("IDAT", data), piece("IEND")]);
}

function piece(name: string, data = Buffer.alloc(0)): Buffer {
  const out = Buffer.alloc(12 + data.length);
  out.writeUInt32BE(data.length, 0);
  out.write(name, 4, "latin1");
  data.copy(out, 8);
  out.writeUInt32BE(checksum(out.subarray(4, 8 + data.length)), 8 + data.length);
  return out;
}

const TABLE = Array.from({ length: 256 }, (_, n) => {
  let value = n;
  for (let bit = 0; bit < 8; ++bit) value = value & 1 ? 0xedb88320 ^ (value >>> 1) : value >>> 1;
  return value >>> 0;
});
function checksum(bytes: Buffer): number {
  let value = 0xffffffff;
  for (const byte of bytes) value = (TABLE[(value ^ byte) & 255] as number) ^ (value >>> 8);
  return (value ^ 0xffffffff) >>> 0;
}
