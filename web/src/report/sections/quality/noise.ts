// The errors that the engine draws for the cells of a table (src/quality/quba_scores.cpp,
// joint.cpp): each model has its own standard normals. Cells with shares of images get sums over
// normals that all models share. They do not depend on weights, so they are drawn once.
import type { QualityCell } from "../../schemas/described.ts";
import { fillNormal, keyOf } from "./random.ts";

export interface DrawnRow {
  /** Position in the table, from 0. */
  index: number;
  /** Values in the order of the dimensions. Null if not measured. */
  cells: (QualityCell | null)[];
}

export interface Noise {
  replicates: number;
  dimensions: number;
  /** For each row, `replicates` x `dimensions` standard normal numbers. */
  normals: Float32Array[];
  /** The joint part of a cell with shares, by row and dimension. Null: drawn independently. */
  joint: (Float32Array | null)[][];
}

export function isJoint(cell: QualityCell | null): boolean {
  return (cell?.value ?? null) !== null && (cell?.shares?.length ?? 0) > 0;
}

/** The number of operations for shared parts, which is parts times replicates. */
export function jointWork(rows: readonly DrawnRow[], replicates: number): number {
  let parts = 0;
  for (const { cells } of rows)
    for (const cell of cells)
      if (isJoint(cell)) for (const share of cell?.shares ?? []) parts += share.parts.length;
  return parts * replicates;
}

interface Term {
  sum: Float32Array;
  parts: Float32Array;
}

function* drawJoint(
  terms: Map<string, Term[]>,
  replicates: number,
  seed: number,
): Generator<void, void> {
  // Sums have single precision, so the order of the data sets matters.
  for (const data of [...terms.keys()].sort()) {
    const all = terms.get(data) ?? [];
    const groups = Math.max(...all.map(({ parts }) => parts.length));
    const key = keyOf(seed, `quality shares ${data}`);
    const normals = new Float32Array(groups);
    const bits = new Uint32Array(groups);
    for (let r = 0; r < replicates; r++) {
      fillNormal(key, r, normals, bits);
      for (const { sum, parts } of all) {
        let s = sum[r] as number;
        for (let g = 0; g < parts.length; g++)
          s = Math.fround(s + Math.fround((parts[g] as number) * (normals[g] as number)));
        sum[r] = s;
      }
      if (r % 16 === 15) yield;
    }
  }
}

/** Runs step by step, with about a millisecond for each step. */
export function* drawNoise(
  rows: readonly DrawnRow[],
  purpose: string,
  replicates: number,
  seed: number,
): Generator<void, Noise> {
  const dimensions = rows[0]?.cells.length ?? 0;
  const key = keyOf(seed, purpose);
  const bits = new Uint32Array(replicates * dimensions);
  const normals: Float32Array[] = [];
  const joint: (Float32Array | null)[][] = [];
  const terms = new Map<string, Term[]>();
  for (const { index, cells } of rows) {
    const own = new Float32Array(replicates * dimensions);
    fillNormal(key, index, own, bits);
    normals.push(own);
    joint.push(
      cells.map((cell) => {
        if (!isJoint(cell)) return null;
        const sum = new Float32Array(replicates);
        for (const share of cell?.shares ?? []) {
          const list = terms.get(share.data) ?? [];
          list.push({ sum, parts: Float32Array.from(share.parts) });
          terms.set(share.data, list);
        }
        return sum;
      }),
    );
    yield;
  }
  yield* drawJoint(terms, replicates, seed);
  return { replicates, dimensions, normals, joint };
}
