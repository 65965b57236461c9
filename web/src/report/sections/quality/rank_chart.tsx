// Ranks with their intervals, and the rank of each model with the weights of the report.
import { scaleBand, scaleLinear } from "d3-scale";
import { XAxis } from "../../chart/axis.tsx";
import { Chart } from "../../chart/chart.tsx";
import { Marks, SeriesMark, Whisker } from "../../chart/marks.tsx";
import { estimateLines, intervalText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { LiveModel } from "./live.ts";

const longest = 22;

interface RankChartProps {
  models: LiveModel[];
  /** Ranks among these models, or places among the published models. */
  of: "rank" | "place";
  changed: boolean;
}

export function RankChart({ models, of, changed }: RankChartProps) {
  const before = of === "rank" ? "rankBefore" : "placeBefore";
  const title = of === "rank" ? "Ranks" : "Places among the published models";
  const highest = Math.max(
    2,
    ...models.map((model) =>
      Math.max(model[of].value ?? 1, model[of].interval?.high ?? 1, model[before] ?? 1),
    ),
  );
  const lowest = Math.min(
    ...models.map((model) => Math.min(model[of].interval?.low ?? 1, model[before] ?? 1)),
  );
  return (
    <Chart
      title={`${title}, 1 is the best${changed ? "; hollow: by the weights of the report" : ""}`}
      height={models.length * 22 + 60}
      margin={{ left: 170 }}
      maxWidth={900}
      table={() => ({
        columns: ["model", of, "interval", "before"],
        rows: models.map((model) => [
          model.row.label,
          valueText(model[of]),
          intervalText(model[of]),
          model[before] ?? "",
        ]),
      })}
    >
      {(area) => {
        const x = scaleLinear().domain([lowest, highest]).range([0, area.width]);
        const names = models.map((_, index) => String(index));
        const y = scaleBand().domain(names).range([0, area.height]);
        const at = (index: number) => (y(String(index)) ?? 0) + y.bandwidth() / 2;
        return (
          <>
            <XAxis
              scale={x}
              area={area}
              title={of}
              format={(v) => (v % 1 === 0 ? String(v) : "")}
            />
            <g class="axis" aria-hidden="true">
              {models.map(({ row }, index) => (
                <text key={row.key} x={-9} y={at(index)} dy="0.32em" text-anchor="end">
                  {short(row.label, longest)}
                </text>
              ))}
            </g>
            <Marks
              label={title}
              marks={models.flatMap((model, index) => {
                const estimate = model[of];
                if (estimate.value === null) return [];
                const was = model[before];
                const px = x(estimate.value);
                const { interval } = estimate;
                return {
                  key: model.row.key,
                  x: px,
                  y: at(index),
                  title: model.row.label,
                  lines: [
                    ...estimateLines(estimate),
                    ...(changed && was !== null ? [`by the weights of the report: ${was}`] : []),
                  ],
                  draw: (
                    <g class="quality-point series-0">
                      {interval && (
                        <Whisker
                          level
                          x={px}
                          y={at(index)}
                          low={x(interval.low)}
                          high={x(interval.high)}
                        />
                      )}
                      {changed && was !== null && (
                        <circle class="quality-before" cx={x(was)} cy={at(index)} r={4.5} />
                      )}
                      <SeriesMark x={px} y={at(index)} index={0} />
                    </g>
                  ),
                };
              })}
            />
          </>
        );
      }}
    </Chart>
  );
}
