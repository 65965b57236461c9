// PNG images of simple shapes, so that no test needs files.

import { crc32, deflateSync } from "node:zlib";

type Colour = [number, number, number];

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body) >>> 0);
  return Buffer.concat([length, body, sum]);
}

/// An image of `width` x `height` with a shape that depends on `seed`: a circle, a square, stripes.
export function shapeImage(seed: number, width: number, height: number): Buffer {
  const colour = (shift: number): Colour => {
    const turn = ((seed * 67 + shift) % 360) / 60;
    const part = (offset: number) => 0.5 + 0.5 * Math.cos(((turn + offset) * Math.PI) / 3);
    return [part(0), part(2), part(4)].map((value) => Math.round(60 + 170 * value)) as Colour;
  };
  const ground = colour(0);
  const shape = colour(150);
  const rows = Buffer.alloc((width * 3 + 1) * height);
  let at = 0;
  for (let y = 0; y < height; y += 1) {
    at += 1; // no PNG filter
    for (let x = 0; x < width; x += 1) {
      const [u, v] = [(x + 0.5) / width - 0.5, (y + 0.5) / height - 0.5];
      const inside = [
        u * u + v * v < 0.09,
        Math.max(Math.abs(u), Math.abs(v)) < 0.28,
        Math.sin((u + v) * 30) > 0.3,
      ][seed % 3];
      const shade = 0.75 + 0.25 * (1 - (u + v));
      for (const part of inside ? shape : ground) {
        rows[at] = Math.min(255, part * shade);
        at += 1;
      }
    }
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows, { level: 6 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}
