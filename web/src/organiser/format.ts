// Numbers in the form that people read. An undefined value is a dash, with its reason as a title.

import type { Estimate } from "./api";

export const DASH = "–";

export function count(value: number): string {
  return value.toLocaleString("en");
}

export function percent(value: number, digits = 0): string {
  return `${(value * 100).toFixed(digits)}\u00a0%`;
}

/// Such as "93 % (90 to 95)".
export function proportion(estimate: Estimate): string {
  const { value, low, high } = estimate;
  if (value === null) return DASH;
  if (typeof low !== "number" || typeof high !== "number") return percent(value);
  return `${percent(value)} (${(low * 100).toFixed(0)} to ${(high * 100).toFixed(0)})`;
}

export function part(of: number, all: number): string {
  return all > 0 ? percent(of / all) : DASH;
}

export function hours(value: number | null): string {
  if (value === null) return DASH;
  if (value === 0) return "0 min";
  if (value < 1) return `${Math.max(1, Math.round(value * 60))} min`;
  return value < 10 ? `${value.toFixed(1)} h` : `${Math.round(value)} h`;
}

/// The age of figures if it matters. Null up to ten seconds, or if it is unknown.
export function age(seconds: number | null | undefined): string | null {
  if (typeof seconds !== "number" || seconds <= 10) return null;
  return seconds < 60 ? `${Math.round(seconds)} s` : hours(seconds / 3600);
}

export function seconds(value: number | null): string {
  return value === null ? DASH : `${value.toFixed(1)} s`;
}
