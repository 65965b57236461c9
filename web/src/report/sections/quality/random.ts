// The engine's random numbers (src/core/random.h), bit-identical: Philox4x32-10 (Salmon, Moraes,
// Dror, Shaw, SC 2011), which is counter-based, and fast standard normals.
import { upperHalfQuantile } from "./normal.ts";

const mask = (1n << 64n) - 1n;

/** FNV-1a over the UTF-8 bytes of the text. */
function hashText(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text))
    hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & mask;
  return hash;
}

/** SplitMix64's finalizer. */
function mix(x: bigint): bigint {
  let y = (x + 0x9e3779b97f4a7c15n) & mask;
  y = ((y ^ (y >> 30n)) * 0xbf58476d1ce4e5b9n) & mask;
  y = ((y ^ (y >> 27n)) * 0x94d049bb133111ebn) & mask;
  return y ^ (y >> 31n);
}

/** The upper half of a product of two 32-bit numbers. */
function high(a: number, b: number): number {
  const a0 = a & 0xffff;
  const a1 = a >>> 16;
  const b0 = b & 0xffff;
  const b1 = b >>> 16;
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  const other = a0 * b1 + (middle & 0xffff);
  return (a1 * b1 + (middle >>> 16) + (other >>> 16)) >>> 0;
}

export interface Key {
  low: number;
  high: number;
}

export function keyOf(seed: number, purpose: string): Key {
  const key = mix(BigInt(seed) ^ mix(hashText(purpose)));
  return { low: Number(key & 0xffffffffn), high: Number(key >> 32n) };
}

/** The first `out.length` 32-bit draws of stream `item`. */
export function fillBits(key: Key, item: number, out: Uint32Array): void {
  const itemLow = item >>> 0;
  const itemHigh = Math.floor(item / 4294967296) >>> 0;
  for (let block = 0; block * 4 < out.length; block++) {
    let c0 = block;
    let c1 = 0;
    let c2 = itemLow;
    let c3 = itemHigh;
    let k0 = key.low | 0;
    let k1 = key.high | 0;
    for (let round = 0; round < 10; round++) {
      const high0 = high(0xd2511f53, c0);
      const high1 = high(0xcd9e8d57, c2);
      const low0 = Math.imul(0xd2511f53, c0);
      const low1 = Math.imul(0xcd9e8d57, c2);
      c0 = (high1 ^ c1 ^ k0) >>> 0;
      c1 = low1;
      c2 = (high0 ^ c3 ^ k1) >>> 0;
      c3 = low0;
      k0 = (k0 + 0x9e3779b9) | 0;
      k1 = (k1 + 0xbb67ae85) | 0;
    }
    // Draws beyond the end are not kept.
    const at = 4 * block;
    out[at] = c0;
    out[at + 1] = c1;
    out[at + 2] = c2;
    out[at + 3] = c3;
  }
}

const cells = 4096;
const exactFrom = 4032;
let table: Float32Array | undefined;

/** Quantiles of |z| for standard normal z. */
function quantiles(): Float32Array {
  if (table === undefined) {
    table = new Float32Array(exactFrom + 1);
    for (let i = 0; i <= exactFrom; i++) table[i] = upperHalfQuantile(i / cells);
  }
  return table;
}

/** Standard normals as in the engine's fill_normal(). The highest bit is the sign. */
export function fillNormal(key: Key, item: number, out: Float32Array, bits: Uint32Array): void {
  fillBits(key, item, bits);
  const quantile = quantiles();
  for (let i = 0; i < out.length; i++) {
    const drawn = bits[i] as number;
    const place = drawn & 0x7fffffff;
    const cell = place >>> 19;
    let z: number;
    if (cell < exactFrom) {
      const below = quantile[cell] as number;
      const step = Math.fround((quantile[cell + 1] as number) - below);
      z = Math.fround(below + Math.fround(step * ((place & 0x7ffff) / 524288)));
    } else {
      z = Math.fround(upperHalfQuantile((place + 0.5) / 2147483648));
    }
    out[i] = drawn >= 0x80000000 ? -z : z;
  }
}
