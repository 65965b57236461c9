// Cells of a table as estimates, and as positions on an axis.
import {
  type Estimate,
  estimateLines,
  numberText,
  shown,
  unitText,
  valueText,
} from "../../estimate.ts";
import type { QualityCell } from "../../schemas/described.ts";
import { type Dimension, directionText } from "./dimensions.ts";

export function estimateOf(cell: QualityCell | null, dimension: Dimension): Estimate {
  if (cell === null) return { value: null, undefined: "not measured" };
  const { value, interval, n, standard_error, note } = cell;
  return {
    value,
    // A dimension has the same unit for all tables.
    unit: dimension.unit,
    ...(cell.undefined !== undefined && { undefined: cell.undefined }),
    ...(interval !== undefined && { interval }),
    ...(n !== undefined && { n }),
    ...(standard_error !== undefined && { standard_error }),
    ...(note !== undefined && { note }),
  };
}

/** The value with the digits that fit its interval or its standard error. */
export function cellText(estimate: Estimate): string {
  const { value, interval, standard_error: error, unit } = estimate;
  return value === null || interval !== undefined || error === undefined
    ? valueText(estimate)
    : numberText(value, error, unit);
}

/** In the shown unit. low and high are ends of the interval, or one standard error away. */
export interface Placed {
  value: number;
  low?: number;
  high?: number;
}

export function placed(estimate: Estimate): Placed | null {
  const { value, unit, interval, standard_error: error } = estimate;
  if (value === null) return null;
  const at = { value: shown(value, unit) };
  if (interval !== undefined)
    return { ...at, low: shown(interval.low, unit), high: shown(interval.high, unit) };
  if (error !== undefined && error > 0)
    return { ...at, low: shown(value - error, unit), high: shown(value + error, unit) };
  return at;
}

/** A text such as "accuracy: 75.50 %", the interval or standard error, and the method. */
export function cellLines(estimate: Estimate, title: string, definition?: string): string[] {
  const [first, ...more] = estimateLines(estimate);
  const { interval, standard_error: error, unit } = estimate;
  const unitName = unitText(unit);
  const value = `${cellText(estimate)}${unitName === "" ? "" : ` ${unitName}`}`;
  const lines = [`${title}: ${estimate.value === null ? first : value}`, ...more];
  if (estimate.value !== null && interval === undefined && error !== undefined)
    lines.push(`standard error ${numberText(error, error, unit)}`);
  if (definition !== undefined && definition !== "") lines.push(definition);
  return lines;
}

export function axisTitle(dimension: Dimension): string {
  const unit = dimension.unit === "proportion" ? " (%)" : "";
  return `${dimension.title}${unit}, ${directionText(dimension)}`;
}
