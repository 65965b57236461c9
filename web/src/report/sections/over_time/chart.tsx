// A line for each model through its runs, with intervals, and lines for the bounds of gates.
import { extent } from "d3-array";
import { scaleBand, scaleLinear, scaleUtc } from "d3-scale";
import { YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { linePath, type Mark, Marks, SeriesMark, Whisker } from "../../chart/marks.tsx";
import { estimateLines, intervalText, shown, unitText, valueText } from "../../estimate.ts";
import { once, short } from "../../parts/names.ts";
import type { Bound, Line } from "./points.ts";
import { compareRuns } from "./runs.ts";
import { VersionAxis } from "./version_axis.tsx";

interface LinesProps {
  /** Each entry has the number of its mark and colour. */
  lines: (Line & { series: number })[];
  bounds: Bound[];
  /** The metric and its data set. */
  name: string;
}

/** Draws a time axis if all runs have a date, otherwise versions at equal distances. */
function placed(lines: Line[], area: Area) {
  const runs = lines.flatMap(({ points }) => points.map(({ run }) => run)).sort(compareRuns);
  const names = once(runs.map(({ when }) => when));
  const [first, last] = extent(runs, ({ time }) => time ?? undefined);
  if (runs.every(({ time }) => time !== null) && first !== undefined && first < last) {
    const scale = scaleUtc([first, last], [area.width * 0.03, area.width * 0.97]);
    const text = scale.tickFormat();
    const ticks = scale
      .ticks(Math.max(2, Math.floor(area.width / 110)))
      .map((tick) => ({ at: scale(tick), text: text(tick) }));
    return { at: (time: number | null, _: string) => scale(time ?? first), ticks };
  }
  const scale = scaleBand(names, [0, area.width]);
  const at = (when: string) => (scale(when) ?? 0) + scale.bandwidth() / 2;
  return {
    at: (_: number | null, when: string) => at(when),
    ticks: names.map((when) => ({ at: at(when), text: short(when, 16) })),
  };
}

export function Lines({ lines, bounds, name }: LinesProps) {
  const unit = lines[0]?.points[0]?.measurement.unit;
  const ends = lines.flatMap(({ points }) =>
    points.flatMap(({ measurement: { value, interval } }) =>
      value === null ? [] : [value, interval?.low ?? value, interval?.high ?? value],
    ),
  );
  const [low = 0, high = 1] = extent([...ends, ...bounds.map(({ bound }) => bound)]);
  const room = (high - low || Math.abs(high) || 1) * 0.08;
  const broken = new Set(bounds.flatMap((bound) => bound.broken));
  const draw = (area: Area) => {
    const { at, ticks } = placed(lines, area);
    const y = scaleLinear([shown(low - room, unit), shown(high + room, unit)], [area.height, 0]);
    const height = (value: number) => y(shown(value, unit));
    return (
      <>
        <YAxis
          scale={y}
          area={area}
          title={`${short(name, 44)}${unit ? `, ${unitText(unit)}` : ""}`}
        />
        <VersionAxis ticks={ticks} area={area} />
        {bounds.map(({ gate, bound }) => (
          <g key={gate} class="bound" aria-hidden="true">
            <path d={`M0 ${height(bound)}H${area.width}`} />
            <text x={area.width} y={height(bound) - 5} text-anchor="end">
              {short(gate, 40)}
            </text>
          </g>
        ))}
        {lines.map(({ family, points, series }) => (
          <path
            key={family}
            class={`curve series-${series % 8}`}
            aria-hidden="true"
            d={linePath(
              points.map(({ run, measurement: { value } }) =>
                value === null ? null : [at(run.time, run.when), height(value)],
              ),
            )}
          />
        ))}
        {lines.map(({ family, points, series }) => {
          const marks: Mark[] = points.flatMap(({ run, measurement }) => {
            const { value, interval } = measurement;
            if (value === null) return [];
            const place = { x: at(run.time, run.when), y: height(value) };
            const gates = bounds.filter((bound) => bound.broken.includes(run.model));
            const lines = [
              run.when,
              ...estimateLines(measurement),
              ...gates.map(({ gate }) => `breaks ${gate}`),
            ];
            return [
              {
                key: run.model,
                title: short(run.model, 200),
                lines,
                ...place,
                draw: (
                  <g class={`series-${series % 8} series-ink`}>
                    {interval !== undefined && (
                      <Whisker {...place} low={height(interval.low)} high={height(interval.high)} />
                    )}
                    <SeriesMark {...place} index={series} size={4.5} />
                    {broken.has(run.model) && (
                      <circle class="broken" cx={place.x} cy={place.y} r={9} />
                    )}
                  </g>
                ),
              },
            ];
          });
          return <Marks key={family} label={short(family, 200)} marks={marks} />;
        })}
      </>
    );
  };
  return (
    <Chart
      title={name}
      height={400}
      maxWidth={1000}
      margin={{ right: 24 }}
      table={() => ({
        columns: ["run", "model", "of", "value", "interval"],
        rows: lines.flatMap(({ family, points }) =>
          points.map(({ run, measurement }) => [
            run.when,
            run.model,
            family,
            measurement.value === null ? (measurement.undefined ?? "–") : valueText(measurement),
            intervalText(measurement),
          ]),
        ),
      })}
    >
      {draw}
    </Chart>
  );
}
