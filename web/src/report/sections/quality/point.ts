// The position of a model in a scatter plot.

import type { NumberScale } from "../../chart/axis.tsx";
import type { Tip } from "../../chart/chart.tsx";
import type { AxisChoice } from "./axes.ts";
import { type Placed, placed } from "./cells.ts";
import type { Row } from "./tables.ts";

export interface Point {
  row: Row;
  x: Placed;
  y: Placed;
}

/** Models without one of the two values, or without a logarithm, are omitted. */
export function pointsOf(rows: readonly Row[], x: AxisChoice, y: AxisChoice): Point[] {
  return rows.flatMap((row) => {
    const px = placed(x.of(row));
    const py = placed(y.of(row));
    if (px === null || py === null) return [];
    if ((x.logarithmic && px.value <= 0) || (y.logarithmic && py.value <= 0)) return [];
    return [{ row, x: px, y: py }];
  });
}

/** From the lowest to the highest drawn end, with a margin. */
export function domainOf(values: readonly Placed[], logarithmic: boolean): [number, number] {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  for (const { value, low: l, high: h } of values) {
    low = Math.min(low, logarithmic && (l ?? value) <= 0 ? value : (l ?? value));
    high = Math.max(high, h ?? value);
  }
  if (!(low <= high)) return logarithmic ? [1, 10] : [0, 1];
  if (logarithmic) return low === high ? [low / 2, high * 2] : [low / 1.15, high * 1.15];
  const room = low === high ? Math.abs(low) * 0.1 || 1 : (high - low) * 0.04;
  return [low - room, high + room];
}

export function tipOf(point: Point, at: [number, number], axes: [AxisChoice, AxisChoice]): Tip {
  const { row } = point;
  const tags = [...row.tags].map(([tag, value]) => `${tag}: ${value}`);
  const lines = axes.flatMap((axis) => axis.lines(row));
  const published = row.published ? ["published"] : [];
  return { x: at[0], y: at[1], title: row.label, lines: [...lines, ...tags, ...published] };
}

export function clampTo(scale: NumberScale, value: number): number {
  const [a = 0, b = 0] = scale.range();
  return Math.max(Math.min(a, b), Math.min(Math.max(a, b), scale(value)));
}
