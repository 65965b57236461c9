// Agreement against the number of labels per image, as a line with intervals for each model.
import { max, min } from "d3-array";
import { scaleLinear } from "d3-scale";
import { XAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { linePath, type Mark, Marks, SeriesMark, Whisker } from "../../chart/marks.tsx";
import { type Estimate, estimateLines, intervalText, valueText } from "../../estimate.ts";
import { once, short } from "../../parts/names.ts";
import type { Step } from "./series.ts";

export interface StepSeries {
  name: string;
  steps: Step[];
  /** The index of the mark and color that the plot uses for this series. */
  series: number;
  dashed?: boolean;
}

interface StepsProps {
  title: string;
  lines: StepSeries[];
  /** The values of all models, with a dot for each. */
  dots?: Step[];
}

/** Intervals of lines at the same number of labels are drawn side by side. */
const apart = 5;

function ends(estimate: Estimate): number[] {
  if (estimate.value === null) return [];
  const interval = estimate.interval;
  return [estimate.value, ...(interval === undefined ? [] : [interval.low, interval.high])];
}

export function Steps({ title, lines, dots }: StepsProps) {
  const labels = once(lines.flatMap(({ steps }) => steps.map((step) => step.labels))).sort(
    (a, b) => a - b,
  );
  const values = [
    ...lines.flatMap(({ steps }) => steps.flatMap(({ estimate }) => ends(estimate))),
    ...(dots ?? []).flatMap(({ estimate }) => estimate.value ?? []),
  ];
  if (labels.length === 0 || values.length === 0) return null;
  const low = Math.max(0, (min(values) ?? 0) - 0.03);
  const high = Math.min(1, (max(values) ?? 1) + 0.03);
  const draw = (area: Area) => {
    const x = scaleLinear([(labels[0] ?? 0) - 0.5, (labels.at(-1) ?? 1) + 0.5], [0, area.width]);
    const y = scaleLinear([100 * low, 100 * high], [area.height, 0]);
    return (
      <>
        <YAxis scale={y} area={area} title="agreement, %" />
        <XAxis
          scale={x}
          area={area}
          title="valid labels per image"
          ticks={labels.length}
          format={(value) => (labels.includes(value) ? String(value) : "")}
        />
        <path
          class="round-dots"
          d={(dots ?? [])
            .map(({ labels: g, estimate }) =>
              estimate.value === null
                ? ""
                : `M${x(g).toFixed(1)} ${y(100 * estimate.value).toFixed(1)}h0`,
            )
            .join("")}
        />
        {lines.map(({ name, steps, series, dashed }, line) => {
          const shift = (line - (lines.length - 1) / 2) * apart;
          const points = steps.map(({ labels: g, estimate }): [number, number] | null =>
            estimate.value === null ? null : [x(g) + shift, y(100 * estimate.value)],
          );
          const marks: Mark[] = steps.flatMap(({ labels: g, estimate }, index) => {
            const point = points[index];
            if (!point) return [];
            const interval = estimate.interval;
            return [
              {
                key: String(g),
                title: `${short(name, 100)}, labels: ${g}`,
                lines: estimateLines(estimate),
                x: point[0],
                y: point[1],
                draw: (
                  <g class={`series-${series % 8}`}>
                    {interval !== undefined && (
                      <g class="series-ink">
                        <Whisker
                          x={point[0]}
                          y={point[1]}
                          low={y(100 * interval.low)}
                          high={y(100 * interval.high)}
                        />
                      </g>
                    )}
                    <SeriesMark x={point[0]} y={point[1]} index={series} />
                  </g>
                ),
              },
            ];
          });
          return (
            <g key={line}>
              <path
                class={`curve series-${series % 8}${dashed === true ? " set-second" : ""}`}
                d={linePath(points)}
              />
              <Marks label={short(name, 100)} marks={marks} />
            </g>
          );
        })}
      </>
    );
  };
  return (
    <Chart
      title={title}
      height={380}
      maxWidth={720}
      table={() => ({
        columns: ["model", ...labels.flatMap((g) => [`${g} labels, %`, "interval", "n"])],
        rows: lines.map(({ name, steps }) => [
          short(name, 100),
          ...labels.flatMap((g) => {
            const estimate = steps.find((step) => step.labels === g)?.estimate;
            return estimate === undefined
              ? ["", "", ""]
              : [valueText(estimate), intervalText(estimate), estimate.n ?? ""];
          }),
        ]),
      })}
    >
      {draw}
    </Chart>
  );
}
