// The drawn points of the scatter plot.
import { scaleLinear, scaleLog } from "d3-scale";
import type { NumberScale } from "../../chart/axis.tsx";
import { type Mark, SeriesMark, Whisker } from "../../chart/marks.tsx";
import type { AxisChoice } from "./axes.ts";
import type { Chosen } from "./choice_state.ts";
import type { CloudPoint } from "./cloud.tsx";
import { clampTo, domainOf, type Point, tipOf } from "./point.ts";
import type { Series } from "./series.ts";

export function scaleOf(
  points: Point[],
  axis: "x" | "y",
  choice: AxisChoice,
  range: [number, number],
) {
  const domain = domainOf(
    points.map((point) => point[axis]),
    choice.logarithmic,
  );
  const scale: NumberScale = choice.logarithmic ? scaleLog() : scaleLinear();
  return scale.domain(domain).range(range) as NumberScale;
}

export interface Placing {
  x: NumberScale;
  y: NumberScale;
  axes: [AxisChoice, AxisChoice];
  /** Rings around models that no other beats. */
  rings: boolean;
}

export interface MarkLook {
  chosen: Chosen;
  unbeaten: Set<string>;
  likeBest: Set<string>;
  /** Marks for many points. */
  small: boolean;
}

export function markOf(point: Point, placing: Placing, series: Series, look: MarkLook): Mark {
  const { x, y, axes, rings } = placing;
  const { row } = point;
  const at: [number, number] = [x(point.x.value), y(point.y.value)];
  const index = series.of(row);
  const tip = tipOf(point, at, axes);
  const unbeaten = look.unbeaten.has(row.key);
  if (unbeaten) tip.lines.push("no other model is better in every dimension");
  if (look.likeBest.has(row.key)) tip.lines.push("not significantly behind the best score");
  const size = look.small ? 3 : 4.5;
  return {
    ...tip,
    key: row.key,
    press: () => look.chosen.toggle(row),
    draw: (
      <g class={`quality-point series-${index % 8}`}>
        {point.y.low !== undefined && point.y.high !== undefined && (
          <Whisker
            x={at[0]}
            y={at[1]}
            low={clampTo(y, point.y.low)}
            high={clampTo(y, point.y.high)}
          />
        )}
        {point.x.low !== undefined && point.x.high !== undefined && (
          <Whisker
            level
            x={at[0]}
            y={at[1]}
            low={clampTo(x, point.x.low)}
            high={clampTo(x, point.x.high)}
          />
        )}
        {unbeaten && rings && (
          <circle class="quality-unbeaten" cx={at[0]} cy={at[1]} r={size + 4} />
        )}
        {look.chosen.has(row) && (
          <circle class="quality-chosen" cx={at[0]} cy={at[1]} r={size + 3} />
        )}
        <SeriesMark x={at[0]} y={at[1]} index={index} size={size} />
      </g>
    ),
  };
}

export function cloudOf(
  points: Point[],
  { x, y, axes }: Placing,
  press: (point: Point) => void,
): CloudPoint[] {
  return points
    .map((point) => {
      const at: [number, number] = [x(point.x.value), y(point.y.value)];
      return { x: at[0], y: at[1], tip: () => tipOf(point, at, axes), press: () => press(point) };
    })
    .sort((a, b) => a.x - b.x);
}

/** The name without its intervals. */
export function bare(row: Point["row"], { x, y }: Omit<Point, "row">): Point {
  return { row, x: { value: x.value }, y: { value: y.value } };
}

/** Powers of ten and their doubles, for a logarithmic axis. */
export function axisFormat(choice: AxisChoice): { format?: (value: number) => string } {
  if (!choice.logarithmic) return {};
  return {
    format: (value) =>
      /^[125]/.test(value.toExponential()) ? String(Number(value.toPrecision(1))) : "",
  };
}
