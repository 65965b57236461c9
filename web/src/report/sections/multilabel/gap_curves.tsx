// The accuracy of all models on both data sets, in the order of top-1 on the first. The area between
// the two lines is the gap.
import { scaleLinear } from "d3-scale";
import { XAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { linePath, type Mark, Marks } from "../../chart/marks.tsx";
import { intervalText, signedText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { GapPair, GapResult } from "../../schemas/described.ts";
import type { GapMetric, GapSet } from "./metrics.ts";
import { metricNames, sets } from "./series.ts";

/** With more models, they are points of one line that cannot be focused. */
const withMarks = 500;

export function domainOf(gap: GapResult, metrics: GapMetric[]): [number, number] {
  let [low, high] = [1, 0];
  for (const { metrics: all } of gap.models)
    for (const metric of metrics)
      for (const set of sets) {
        const value = all[metric][set].value;
        if (value === null) continue;
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
  const room = 0.04 * Math.max(0.02, high - low);
  return [100 * Math.max(0, low - room), 100 * Math.min(1, high + room)];
}

function lines(pair: GapPair, first: string, second: string): string[] {
  const said = (name: string, set: GapSet) =>
    `${short(name, 40)}: ${valueText(pair[set])} %${intervalText(pair[set]) && ` (${intervalText(pair[set])})`}`;
  return [said(first, "first"), said(second, "second"), `gap ${signedText(pair.gap)} points`];
}

interface GapCurvesProps {
  gap: GapResult;
  metric: GapMetric;
  domain: [number, number];
}

export function GapCurves({ gap, metric, domain }: GapCurvesProps) {
  const pairs = gap.models.map(({ model, metrics }) => ({ model, pair: metrics[metric] }));
  const draw = (area: Area) => {
    const x = scaleLinear([0.5, pairs.length + 0.5], [0, area.width]);
    const y = scaleLinear(domain, [area.height, 0]);
    const pointsOf = (set: GapSet) =>
      pairs.map(({ pair }, index): [number, number] | null => {
        const value = pair[set].value;
        return value === null ? null : [x(index + 1), y(100 * value)];
      });
    const [first, second] = [pointsOf("first"), pointsOf("second")];
    const gaps = first
      .map((point, index) => {
        const other = second[index];
        return point && other
          ? `M${point[0].toFixed(1)} ${point[1].toFixed(1)}V${other[1].toFixed(1)}`
          : "";
      })
      .join("");
    const width = Math.max(1, area.width / Math.max(1, pairs.length));
    const marks: Mark[] =
      pairs.length > withMarks
        ? []
        : pairs.flatMap(({ model, pair }, index) => {
            const top = first[index]?.[1] ?? second[index]?.[1];
            if (top === undefined) return [];
            return [
              {
                key: String(index),
                title: short(model, 200),
                lines: lines(pair, gap.first.name, gap.second.name),
                x: x(index + 1),
                y: top,
                draw: <rect class="hit" x={x(index + 0.5)} width={width} height={area.height} />,
              },
            ];
          });
    return (
      <>
        <YAxis scale={y} area={area} title={`${metricNames[metric]}, %`} />
        <XAxis
          scale={x}
          area={area}
          title={`models by top-1 on ${short(gap.first.name, 24)}`}
          format={(value) => (Number.isInteger(value) ? String(value) : "")}
          grid={false}
        />
        <path class="gap-bars" d={gaps} style={{ strokeWidth: `${Math.min(6, width * 0.6)}px` }} />
        <path class="curve series-0" d={linePath(first)} />
        <path class="curve series-1 set-second" d={linePath(second)} />
        <Marks label={`${metricNames[metric]} of the models`} marks={marks} />
      </>
    );
  };
  return (
    <Chart
      title={metricNames[metric]}
      height={300}
      maxWidth={620}
      table={() => ({
        columns: [
          "model",
          gap.first.name,
          "interval",
          gap.second.name,
          "interval",
          "gap",
          "interval",
        ].map((name) => short(name, 40)),
        rows: pairs.map(({ model, pair }) => [
          short(model, 100),
          valueText(pair.first),
          intervalText(pair.first),
          valueText(pair.second),
          intervalText(pair.second),
          signedText(pair.gap),
          intervalText(pair.gap),
        ]),
      })}
    >
      {draw}
    </Chart>
  );
}
