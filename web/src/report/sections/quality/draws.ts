// Intervals of scores, ranks and places under any weights, from the engine's draws.
import type { Interval } from "../../estimate.ts";
import type { DrawnRow, Noise } from "./noise.ts";
import { isJoint } from "./noise.ts";
import { upperHalfQuantile } from "./normal.ts";
import { larger, quantileSorted, quba, ranks, type Scale } from "./quba.ts";

export interface DrawnScore {
  standardError: number;
  score: Interval;
  rank: Interval;
  /** Null if there are no other models for a comparison. */
  place: Interval | null;
  best: number;
  top5: number;
}

/** The drawn scores by replicate, at [r * rows + row]. */
function* drawScores(
  rows: readonly DrawnRow[],
  noise: Noise,
  scales: readonly Scale[],
  weights: readonly number[],
): Generator<void, Float64Array> {
  const { replicates, dimensions } = noise;
  const scores = new Float64Array(replicates * rows.length);
  for (let i = 0; i < rows.length; i++) {
    const cells = rows[i]?.cells ?? [];
    const normals = noise.normals[i] as Float32Array;
    const joint = noise.joint[i] ?? [];
    const entering = scales.flatMap((scale, d) => {
      const cell = cells[d] ?? null;
      const weight = weights[d] ?? 0;
      if (weight === 0 || cell === null || cell.value === null) return [];
      const error = isJoint(cell) ? 0 : (cell.standard_error ?? 0);
      return [{ d, weight, factor: weight * scale.sign, scale, value: cell.value, error }];
    });
    for (let r = 0; r < replicates; r++) {
      let sum = 0;
      let total = 0;
      for (const { d, weight, factor, scale, value, error } of entering) {
        let x = value + error * (normals[r * dimensions + d] as number);
        const shared = joint[d];
        if (shared) x += shared[r] as number;
        sum += (factor * (x - scale.mean)) / scale.deviation;
        total += weight;
      }
      scores[r * rows.length + i] = sum / total;
    }
    yield;
  }
  return scores;
}

/** Places as integers. The observed place is among the likely ones. */
function placesInterval(drawn: Uint32Array, observed: number, level: number): Interval {
  const sorted = drawn.sort();
  const tail = (1 - level) / 2;
  return {
    low: Math.min(Math.floor(quantileSorted(sorted, tail)), observed),
    high: Math.max(Math.ceil(quantileSorted(sorted, 1 - tail)), observed),
    level,
    method: "draws.percentile",
  };
}

export interface Drawn {
  rows: readonly DrawnRow[];
  noise: Noise;
}

const valuesOf = (row: DrawnRow) => row.cells.map((cell) => cell?.value ?? null);

/** Computes the intervals of every row of `own`, which must all have a score, step by step. */
export function* drawIntervals(
  own: Drawn,
  others: Drawn | null,
  scales: readonly Scale[],
  weights: readonly number[],
  level: number,
): Generator<void, DrawnScore[]> {
  const n = own.rows.length;
  const { replicates } = own.noise;
  const scores = yield* drawScores(own.rows, own.noise, scales, weights);
  const among =
    others === null ? null : yield* drawScores(others.rows, others.noise, scales, weights);
  const m = others?.rows.length ?? 0;
  const rankOf = own.rows.map(() => new Uint32Array(replicates));
  const placeOf = own.rows.map(() => new Uint32Array(among === null ? 0 : replicates));
  for (let r = 0; r < replicates; r++) {
    const drawn = scores.subarray(r * n, (r + 1) * n);
    const sorted = drawn.slice().sort();
    const sortedOthers = among?.subarray(r * m, (r + 1) * m).sort();
    for (let i = 0; i < n; i++) {
      const score = drawn[i] as number;
      (rankOf[i] as Uint32Array)[r] = 1 + larger(sorted, score);
      if (sortedOthers) (placeOf[i] as Uint32Array)[r] = 1 + larger(sortedOthers, score);
    }
    if (r % 8 === 7) yield;
  }
  const observed = own.rows.map((row) => quba(valuesOf(row), scales, weights));
  const observedRank = ranks(observed);
  const sortedOthers = Float64Array.from(
    (others?.rows ?? []).flatMap((row) => quba(valuesOf(row), scales, weights) ?? []),
  ).sort();
  const z = upperHalfQuantile(level);
  const all: DrawnScore[] = [];
  for (let i = 0; i < n; i++) {
    const score = observed[i] ?? 0;
    const drawnRanks = rankOf[i] as Uint32Array;
    // This is Welford's algorithm.
    let mean = 0;
    let squares = 0;
    let best = 0;
    let top5 = 0;
    for (let r = 0; r < replicates; r++) {
      const before = mean;
      const drawn = scores[r * n + i] as number;
      mean += (drawn - before) / (r + 1);
      squares += (drawn - before) * (drawn - mean);
      const rank = drawnRanks[r] as number;
      if (rank === 1) best++;
      if (rank <= 5) top5++;
    }
    const error = Math.sqrt(squares / (replicates - 1));
    all.push({
      standardError: error,
      score: { low: score - z * error, high: score + z * error, level, method: "draws.normal" },
      rank: placesInterval(drawnRanks, observedRank[i] ?? 1, level),
      place:
        among === null
          ? null
          : placesInterval(placeOf[i] as Uint32Array, 1 + larger(sortedOthers, score), level),
      best: best / replicates,
      top5: top5 / replicates,
    });
    if (i % 16 === 15) yield;
  }
  return all;
}

/** Runs all steps at once. */
export function finish<T>(steps: Generator<void, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}
