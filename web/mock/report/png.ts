// Small images made by rule, as data: addresses.
import { crc32, deflateSync } from "node:zlib";

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const whole = Buffer.alloc(body.length + 8);
  whole.writeUInt32BE(data.length, 0);
  body.copy(whole, 4);
  whole.writeUInt32BE(crc32(body), body.length + 4);
  return whole;
}

/** A square; `value` of a column, a row and a channel is in [0, 1]. */
export function pngOf(side: number, value: (x: number, y: number, c: number) => number): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  // Eight bits, red, green and blue.
  header.set([8, 2], 8);
  // Before each row the number of its filter: none.
  const rows = Buffer.alloc(side * (1 + 3 * side));
  for (let y = 0; y < side; y += 1)
    for (let x = 0; x < side; x += 1)
      for (let c = 0; c < 3; c += 1)
        rows[y * (1 + 3 * side) + 1 + 3 * x + c] = Math.round(
          255 * Math.min(1, Math.max(0, value(x, y, c))),
        );
  const png = Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk("IHDR", header),
    chunk("IDAT", deflateSync(rows)),
    chunk("IEND", Buffer.alloc(0)),
  ]);
  return `data:image/png;base64,${png.toString("base64")}`;
}
