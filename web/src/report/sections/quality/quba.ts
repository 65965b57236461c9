// QUBA with any weights, as in the engine (src/quality/quba.cpp, score.cpp). It uses the same
// operations in the same order, so the numbers are bit-identical.

/** The constants that center and scale a dimension. Without a mean, it cannot be used. */
export interface Scale {
  name: string;
  sign: 1 | -1;
  mean: number;
  deviation: number;
}

/** The mean of the available dimensions. Null if none has a weight. */
export function quba(
  values: readonly (number | null)[],
  scales: readonly Scale[],
  weights: readonly number[],
): number | null {
  let sum = 0;
  let total = 0;
  for (let d = 0; d < scales.length; d++) {
    const weight = weights[d] ?? 0;
    const value = values[d] ?? null;
    const scale = scales[d] as Scale;
    if (weight === 0 || value === null) continue;
    sum += (weight * scale.sign * (value - scale.mean)) / scale.deviation;
    total += weight;
  }
  return total > 0 ? sum / total : null;
}

/** The number of values in `sorted` (ascending) that are larger. */
export function larger(sorted: Float64Array, value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return sorted.length - low;
}

/** 1 + the number of larger scores. Null for those without a score. */
export function ranks(scores: readonly (number | null)[]): (number | null)[] {
  const sorted = Float64Array.from(scores.filter((score) => score !== null)).sort();
  return scores.map((score) => (score === null ? null : 1 + larger(sorted, score)));
}

/** A quantile of sorted values, interpolated between neighbours (type 7). */
export function quantileSorted(sorted: Float64Array | Uint32Array, q: number): number {
  const position = q * (sorted.length - 1);
  const below = Math.floor(position);
  const above = Math.min(below + 1, sorted.length - 1);
  const at = sorted[below] as number;
  return at + (position - below) * ((sorted[above] as number) - at);
}
