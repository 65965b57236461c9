// A list of estimates with their intervals, over one axis.
import { scaleLinear } from "d3-scale";
import { XAxis } from "../chart/axis.tsx";
import type { Area } from "../chart/chart.tsx";
import { Chart } from "../chart/chart.tsx";
import { type Mark, Marks, SeriesMark, Whisker } from "../chart/marks.tsx";
import {
  type Estimate,
  estimateLines,
  intervalText,
  shown,
  signedText,
  type Unit,
  unitText,
  valueText,
} from "../estimate.ts";
import { short } from "./names.ts";

export interface ForestRow {
  key: string;
  name: string;
  estimate: Estimate;
  /** The mark and colour. The default is series 0. */
  series?: number;
  /** A value for comparison, drawn as a vertical tick. */
  reference?: { value: number; name: string };
  /** Words at the right end, such as a verdict. */
  remark?: string;
  tone?: "good" | "bad";
  /** Further lines of the tooltip. */
  lines?: string[];
}

interface ForestProps {
  title: string;
  axis: string;
  rows: ForestRow[];
  unit: Unit | undefined;
  /** Whether values are differences. Then 0 has a line and values have signs. */
  difference?: boolean;
  /** One value for all rows with its interval, such as the agreement among people. */
  band?: { name: string; estimate: Estimate };
  maxWidth?: number;
}

const rowHeight = 26;
/** The width of a name next to its row. */
const letters = 26;

export function forestDomain(rows: ForestRow[], unit: Unit | undefined, more: number[]): number[] {
  const values = [...more];
  for (const { estimate, reference } of rows) {
    if (estimate.value === null) continue;
    values.push(estimate.value);
    if (estimate.interval !== undefined) values.push(estimate.interval.low, estimate.interval.high);
    if (reference !== undefined) values.push(reference.value);
  }
  const low = values.length > 0 ? Math.min(...values) : 0;
  const high = values.length > 0 ? Math.max(...values) : 1;
  const room = (high - low || Math.abs(high) || 1) * 0.05;
  return [shown(low - room, unit), shown(high + room, unit)];
}

function textOf(row: ForestRow, difference: boolean): string {
  return difference ? signedText(row.estimate) : valueText(row.estimate);
}

function bandValues(estimate: Estimate | undefined): number[] {
  if (estimate === undefined || estimate.value === null) return [];
  const interval = estimate.interval;
  return interval === undefined ? [estimate.value] : [interval.low, interval.high];
}

export function Forest(props: ForestProps) {
  const { title, axis, rows, unit, maxWidth } = props;
  const difference = props.difference === true;
  const longest = Math.max(4, ...rows.map(({ name }) => short(name, letters).length));
  const left = 16 + 7 * longest;
  const remarks = rows.some(({ remark }) => remark !== undefined);
  const more = [...(difference ? [0] : []), ...bandValues(props.band?.estimate)];
  const domain = forestDomain(rows, unit, more);
  const draw = (area: Area) => {
    const x = scaleLinear(domain, [0, area.width]);
    const at = (value: number) => x(shown(value, unit));
    const band = props.band;
    const marks: Mark[] = rows.map((row, index) => {
      const y = (index + 0.5) * rowHeight;
      const { estimate, reference } = row;
      const lines = [...estimateLines(estimate), ...(row.lines ?? [])];
      if (reference !== undefined)
        lines.push(`${reference.name}: ${valueText({ ...estimate, value: reference.value })}`);
      if (row.remark !== undefined) lines.push(row.remark);
      return {
        key: row.key,
        title: short(row.name, 200),
        lines,
        x: estimate.value === null ? 0 : at(estimate.value),
        y,
        draw: (
          <g class={`series-${(row.series ?? 0) % 8}`}>
            <rect class="hit" y={y - rowHeight / 2} width={area.width} height={rowHeight} />
            {reference !== undefined && (
              <path class="reference-tick" d={`M${at(reference.value)} ${y - 8}v16`} />
            )}
            {estimate.value === null ? (
              <text class="undefined" y={y} dy="0.32em">
                {short(estimate.undefined ?? "not measured", Math.floor(area.width / 7))}
              </text>
            ) : (
              <>
                {estimate.interval !== undefined && (
                  <g class="series-ink">
                    <Whisker
                      x={0}
                      y={y}
                      low={at(estimate.interval.low)}
                      high={at(estimate.interval.high)}
                      level
                    />
                  </g>
                )}
                <SeriesMark x={at(estimate.value)} y={y} index={row.series ?? 0} />
              </>
            )}
          </g>
        ),
      };
    });
    return (
      <>
        {band !== undefined && band.estimate.value !== null && (
          <g class="reference">
            {band.estimate.interval !== undefined && (
              <rect
                x={at(band.estimate.interval.low)}
                width={at(band.estimate.interval.high) - at(band.estimate.interval.low)}
                height={area.height}
              />
            )}
            <path d={`M${at(band.estimate.value)} 0V${area.height}`} />
          </g>
        )}
        <XAxis scale={x} area={area} title={axis} />
        {difference && <path class="zero-line" d={`M${x(0)} 0V${area.height}`} />}
        <g class="axis" aria-hidden="true">
          {rows.map((row, index) => (
            <text key={row.key} x={-9} y={(index + 0.5) * rowHeight} dy="0.32em" text-anchor="end">
              {short(row.name, letters)}
            </text>
          ))}
          {rows.map((row, index) =>
            row.remark === undefined ? null : (
              <text
                key={row.key}
                class={`remark ${row.tone ?? ""}`}
                x={area.width + 10}
                y={(index + 0.5) * rowHeight}
                dy="0.32em"
              >
                {row.remark}
              </text>
            ),
          )}
        </g>
        <Marks label={title} marks={marks} />
      </>
    );
  };
  return (
    <Chart
      title={title}
      height={rows.length * rowHeight + 56}
      margin={{ top: 8, bottom: 48, left, right: remarks ? 132 : 16 }}
      maxWidth={maxWidth ?? 900}
      table={() => ({
        columns: [
          "name",
          `value${unitText(unit) && `, ${unitText(unit)}`}`,
          "interval",
          "n",
          "remark",
        ],
        rows: rows.map((row) => [
          short(row.name, 200),
          row.estimate.value === null ? (row.estimate.undefined ?? "–") : textOf(row, difference),
          intervalText(row.estimate),
          row.estimate.n ?? "",
          row.remark ?? "",
        ]),
      })}
    >
      {draw}
    </Chart>
  );
}
