// Estimates along a number such as a severity or a budget. Each series has a line with intervals.
import { scaleLinear } from "d3-scale";
import { XAxis, YAxis } from "../chart/axis.tsx";
import { type Area, Chart } from "../chart/chart.tsx";
import { linePath, type Mark, Marks, SeriesMark, Whisker } from "../chart/marks.tsx";
import {
  type Estimate,
  estimateLines,
  intervalText,
  shown,
  unitText,
  valueText,
} from "../estimate.ts";
import { once, short } from "./names.ts";

export interface LinePoint {
  x: number;
  estimate: Estimate;
  /** The name of the point. The default is the series and the position. */
  title?: string;
}

export interface Line {
  name: string;
  points: LinePoint[];
  /** The mark and colour. */
  series: number;
}

interface LinesProps {
  title: string;
  lines: Line[];
  xTitle: string;
  yTitle: string;
  /** The texts of the positions below the axis. The default is numbers. */
  place?: (x: number) => string;
  height?: number;
  maxWidth?: number;
}

/** Intervals of lines at the same position are drawn side by side. */
const apart = 5;

function ends({ value, interval }: Estimate): number[] {
  if (value === null) return [];
  return interval === undefined ? [value] : [value, interval.low, interval.high];
}

function marksOf(
  line: Line,
  at: (x: number) => number,
  y: (v: number) => number,
  place: (x: number) => string,
): Mark[] {
  return line.points.flatMap(({ x, estimate, title }) => {
    const { value, interval, unit } = estimate;
    if (value === null) return [];
    const [left, top] = [at(x), y(shown(value, unit))];
    return [
      {
        key: String(x),
        title: title ?? `${short(line.name, 100)}, ${place(x)}`,
        lines: estimateLines(estimate),
        x: left,
        y: top,
        draw: (
          <g class={`series-${line.series % 8}`}>
            {interval !== undefined && (
              <g class="series-ink">
                <Whisker
                  x={left}
                  y={top}
                  low={y(shown(interval.low, unit))}
                  high={y(shown(interval.high, unit))}
                />
              </g>
            )}
            <SeriesMark x={left} y={top} index={line.series} />
          </g>
        ),
      },
    ];
  });
}

export function Lines(props: LinesProps) {
  const { title, lines, xTitle, yTitle } = props;
  const place = props.place ?? String;
  const estimates = lines.flatMap(({ points }) => points.map(({ estimate }) => estimate));
  const unit = estimates.find(({ value }) => value !== null)?.unit;
  const values = estimates.flatMap(ends).map((value) => shown(value, unit));
  const places = once(lines.flatMap(({ points }) => points.map(({ x }) => x))).sort(
    (a, b) => a - b,
  );
  const [first, last] = [places[0], places.at(-1)];
  if (values.length === 0 || first === undefined || last === undefined) return null;
  const low = Math.min(...values);
  const high = Math.max(...values);
  const room = (high - low || 1) * 0.06;
  const least = unit === "proportion" && low >= 0 ? Math.max(0, low - room) : low - room;
  const most = unit === "proportion" && high <= 100 ? Math.min(100, high + room) : high + room;
  const draw = (area: Area) => {
    const x = scaleLinear([first, last], [14, area.width - 14]);
    const y = scaleLinear([least, most], [area.height, 0]);
    // Positions that are too close to each other share a text.
    const named = places.filter(
      (value, index) => index === 0 || x(value) - x(places[index - 1] ?? value) > 34,
    );
    return (
      <>
        <YAxis
          scale={y}
          area={area}
          title={`${yTitle}${unitText(unit) && `, ${unitText(unit)}`}`}
        />
        <XAxis scale={x} area={area} title={xTitle} ticks={0} />
        <g class="axis" transform={`translate(0 ${area.height})`} aria-hidden="true">
          {named.map((value) => (
            <text key={value} x={x(value)} y={18} text-anchor="middle">
              {place(value)}
            </text>
          ))}
        </g>
        {lines.map((line, index) => {
          const shift = (index - (lines.length - 1) / 2) * apart;
          const at = (value: number) => x(value) + shift;
          return (
            <g key={index}>
              <path
                class={`curve series-${line.series % 8}`}
                d={linePath(
                  line.points.map(({ x: value, estimate }) =>
                    estimate.value === null ? null : [at(value), y(shown(estimate.value, unit))],
                  ),
                )}
              />
              <Marks label={short(line.name, 100)} marks={marksOf(line, at, y, place)} />
            </g>
          );
        })}
      </>
    );
  };
  return (
    <Chart
      title={title}
      height={props.height ?? 360}
      maxWidth={props.maxWidth ?? 760}
      table={() => ({
        columns: ["name", xTitle, yTitle, "interval", "n"],
        rows: lines.flatMap(({ name, points }) =>
          points.map(({ x, estimate }) => [
            short(name, 100),
            place(x),
            estimate.value === null ? (estimate.undefined ?? "–") : valueText(estimate),
            intervalText(estimate),
            estimate.n ?? "",
          ]),
        ),
      })}
    >
      {draw}
    </Chart>
  );
}
