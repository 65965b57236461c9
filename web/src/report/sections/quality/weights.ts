// Weights of the nine dimensions: those of a result, and those in the address.
import type { QualityScore } from "../../schemas/described.ts";
import { dimensions } from "./dimensions.ts";
import type { Scale } from "./quba.ts";

/** Weights in the order of the dimensions. */
export function weightsOf(byName: Record<string, number>): number[] {
  const named = new Map(Object.entries(byName));
  return dimensions.map(({ name }) => named.get(name) ?? 0);
}

/** Null if the result of an older program lacks the data for other weights. */
export function scalesOf(score: Partial<QualityScore>): Scale[] | null {
  const known = new Map((score.dimensions ?? []).map((one) => [one.dimension, one]));
  const scales = dimensions.map(({ name }): Scale | null => {
    const one = known.get(name);
    if (one === undefined) return null;
    return {
      name,
      sign: one.higher_is_better ? 1 : -1,
      mean: one.mean ?? Number.NaN,
      deviation: one.deviation ?? Number.NaN,
    };
  });
  return scales.every((scale) => scale !== null) ? scales : null;
}

export function sameWeights(a: readonly number[], b: readonly number[]): boolean {
  return a.length === b.length && a.every((weight, d) => weight === b[d]);
}

export const mostWeight = 4;

/** Text for the address: "1,0.5,...", with numbers unrounded. */
export function weightsText(weights: readonly number[]): string {
  return weights.join(",");
}

/** Null if the text is not a number, or if all weights are 0. */
export function parseWeights(text: string): number[] | null {
  const weights = text.split(",").map((part) => (part === "" ? Number.NaN : Number(part)));
  const good =
    weights.length === dimensions.length &&
    weights.every((weight) => weight >= 0 && weight <= mostWeight) &&
    weights.some((weight) => weight > 0);
  return good ? weights : null;
}

/** "1" or "0.33", as sliders show it. */
export function weightText(weight: number): string {
  return String(Math.round(weight * 100) / 100);
}
