// Axes of the parallel coordinates: from the worst to the best value of all models in the report.
import { type Dimension, dimensions } from "./dimensions.ts";
import type { Row } from "./tables.ts";

export type Ends = [worst: number, best: number] | null;

/** The axes in the order of the dimensions. Null if no model has a measurement. */
export function axisEnds(rows: readonly Row[]): Ends[] {
  return dimensions.map(({ higherIsBetter, logarithmic }, d): Ends => {
    let low = Number.POSITIVE_INFINITY;
    let high = Number.NEGATIVE_INFINITY;
    for (const { cells } of rows) {
      const value = cells[d]?.value ?? null;
      if (value === null || (logarithmic && value <= 0)) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    if (!(low <= high)) return null;
    return higherIsBetter ? [low, high] : [high, low];
  });
}

/** 0 is the worst and 1 the best. Null if there is nothing to draw. */
export function heightOn(
  ends: Ends | undefined,
  value: number | null,
  { logarithmic }: Dimension,
): number | null {
  if (!ends || value === null || (logarithmic && value <= 0)) return null;
  const [worst, best] = ends;
  if (worst === best) return 0.5;
  const at = (x: number) => (logarithmic ? Math.log(x) : x);
  return (at(value) - at(worst)) / (at(best) - at(worst));
}
