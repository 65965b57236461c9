// A number with its interval, as in every result, and its form for people: with the digits that fit
// its interval, and proportions in percent. The rules are those of the command's tables.

import type { Estimate as Measured } from "./schemas/described.ts";

export type { Interval } from "./schemas/described.ts";
/** Missing in estimates that the page computes, if the number of items is unknown. */
export type Estimate = Omit<Measured, "n"> & { n?: number };
export type Unit = NonNullable<Estimate["unit"]>;

export function halfWidth(estimate: Estimate): number {
  const interval = estimate.interval;
  return interval === undefined ? 0 : (interval.high - interval.low) / 2;
}

/** Formats without the minus sign of a zero. */
function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return /^-0(\.0*)?$/.test(text) ? text.slice(1) : text;
}

/** "76.13", "0.01234": two digits of the uncertainty, or without one four digits of the value. */
export function numberText(value: number, half: number, unit: Unit = "number"): string {
  if (unit === "rank") return fixed(value, Number.isInteger(value) ? 0 : 1);
  const percent = unit === "proportion";
  const scale = percent ? 100 : 1;
  const step = half > 0 ? (half * scale) / 10 : Math.abs(value * scale) / 1000;
  const digits = step > 0 ? Math.min(9, Math.max(0, Math.ceil(-Math.log10(step)))) : 2;
  return fixed(value * scale, percent ? Math.min(4, Math.max(1, digits)) : Math.max(digits, 2));
}

export function valueText(estimate: Estimate): string {
  return estimate.value === null
    ? "–"
    : numberText(estimate.value, halfWidth(estimate), estimate.unit);
}

export function signedText(estimate: Estimate): string {
  const text = valueText(estimate);
  return estimate.value !== null && estimate.value > 0 ? `+${text}` : text;
}

/** "75.76 – 76.50", or "" without an interval. */
export function intervalText(estimate: Estimate): string {
  const interval = estimate.interval;
  if (interval === undefined) return "";
  const half = halfWidth(estimate);
  return `${numberText(interval.low, half, estimate.unit)} – ${numberText(interval.high, half, estimate.unit)}`;
}

/** The text next to the value is "±0.37" if both sides are equal to the printed digit, otherwise
 * "(75.76 – 76.50)", or "" without an interval. */
export function sidesText(estimate: Estimate): string {
  const { value, interval, unit } = estimate;
  if (interval === undefined || value === null) return "";
  const half = halfWidth(estimate);
  const text = (x: number) => numberText(x, half, unit);
  return text(value - interval.low) === text(interval.high - value)
    ? `±${text(half)}`
    : `(${intervalText(estimate)})`;
}

export function unitText(unit: Unit | undefined): string {
  return unit === "proportion" ? "%" : unit === "nats" ? "nats" : "";
}

export function countText(n: number): string {
  return n.toLocaleString("en-US");
}

export function pText(p: number): string {
  return p < 1e-6 ? "< 1e-6" : p < 0.001 ? p.toExponential(1) : p.toFixed(3);
}

/** The value in the unit of texts and charts: proportions in percent. */
export function shown(value: number, unit: Unit | undefined): number {
  return unit === "proportion" ? value * 100 : value;
}

/** All facts of one estimate for a tooltip, one on each line. */
export function estimateLines(estimate: Estimate): string[] {
  if (estimate.value === null) return [estimate.undefined ?? "not measured"];
  const unit = unitText(estimate.unit);
  const lines = [`${valueText(estimate)}${unit === "" ? "" : ` ${unit}`}`];
  const interval = estimate.interval;
  if (interval !== undefined)
    lines.push(`${Math.round(interval.level * 1000) / 10} %: ${intervalText(estimate)}`);
  if (estimate.n !== undefined && estimate.n > 0) lines.push(`n = ${countText(estimate.n)}`);
  if (estimate.note !== undefined && estimate.note !== "") lines.push(estimate.note);
  return lines;
}
