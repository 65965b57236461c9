// One metric on the second data set against the first, with a point for each model, the diagonal, and
// the line over the models.
import { scaleLinear } from "d3-scale";
import { XAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { type Mark, Marks, SeriesMark, Whisker } from "../../chart/marks.tsx";
import { estimateLines, intervalText, signedText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { GapResult } from "../../schemas/described.ts";
import type { GapMetric } from "./metrics.ts";
import { metricNames } from "./series.ts";

interface PlaneProps {
  gap: GapResult;
  metric: GapMetric;
  domain: [number, number];
  /** The indices of the marked models. */
  chosen: number[];
}

const withIntervals = 40;
/** With more models, only the chosen ones can be focused. */
const withMarks = 500;

export function Plane({ gap, metric, domain, chosen }: PlaneProps) {
  const line = gap.lines.find((entry) => entry.metric === metric);
  const series = new Map(chosen.map((model, index) => [model, index]));
  const draw = (area: Area) => {
    const x = scaleLinear(domain, [0, area.width]);
    const y = scaleLinear(domain, [area.height, 0]);
    const whiskers = gap.models.length <= withIntervals;
    const marks: Mark[] = gap.models.flatMap(({ model, metrics }, index) => {
      const { first, second, gap: difference } = metrics[metric];
      if (first.value === null || second.value === null) return [];
      if (gap.models.length > withMarks && !series.has(index)) return [];
      const [left, top] = [x(100 * first.value), y(100 * second.value)];
      return [
        {
          key: String(index),
          title: short(model, 200),
          lines: [
            `${short(gap.first.name, 40)}: ${estimateLines(first)[0] ?? ""} ${intervalText(first) && `(${intervalText(first)})`}`,
            `${short(gap.second.name, 40)}: ${estimateLines(second)[0] ?? ""} ${intervalText(second) && `(${intervalText(second)})`}`,
            `gap ${signedText(difference)} points`,
          ],
          x: left,
          y: top,
          draw: (
            <>
              {whiskers && first.interval !== undefined && second.interval !== undefined && (
                <g class="faint">
                  <Whisker
                    x={0}
                    y={top}
                    low={x(100 * first.interval.low)}
                    high={x(100 * first.interval.high)}
                    level
                  />
                  <Whisker
                    x={left}
                    y={0}
                    low={y(100 * second.interval.low)}
                    high={y(100 * second.interval.high)}
                  />
                </g>
              )}
              {series.has(index) ? (
                <SeriesMark x={left} y={top} index={series.get(index) ?? 0} size={5} />
              ) : (
                <circle class="other" cx={left} cy={top} r={whiskers ? 3 : 2} />
              )}
            </>
          ),
        },
      ];
    });
    const others =
      gap.models.length <= withMarks
        ? ""
        : gap.models
            .map(({ metrics }) => {
              const { first, second } = metrics[metric];
              if (first.value === null || second.value === null) return "";
              const [left, top] = [x(100 * first.value), y(100 * second.value)];
              return `M${(left - 1).toFixed(1)} ${(top - 1).toFixed(1)}h2v2h-2z`;
            })
            .join("");
    const [slope, intercept] = [line?.slope.value, line?.intercept.value];
    const ends =
      slope === null || slope === undefined || intercept === null || intercept === undefined
        ? null
        : domain.map((end) => `${x(end)} ${y(slope * end + 100 * intercept)}`);
    return (
      <>
        <YAxis scale={y} area={area} title={`${short(gap.second.name, 30)}, %`} />
        <XAxis scale={x} area={area} title={`${short(gap.first.name, 30)}, %`} />
        <svg width={area.width} height={area.height} overflow="hidden" aria-hidden="true">
          <path class="diagonal" d={`M0 ${area.height}L${area.width} 0`} />
          {ends !== null && <path class="fitted" d={`M${ends.join("L")}`} />}
        </svg>
        <path class="other" d={others} />
        <Marks label={`${metricNames[metric]} on both data sets`} marks={marks} />
      </>
    );
  };
  return (
    <>
      <Chart
        title={`${metricNames[metric]} on both`}
        height={380}
        maxWidth={460}
        table={() => ({
          columns: ["model", short(gap.first.name, 40), short(gap.second.name, 40)],
          rows: gap.models.map(({ model, metrics }) => [
            short(model, 100),
            valueText(metrics[metric].first),
            valueText(metrics[metric].second),
          ]),
        })}
      >
        {draw}
      </Chart>
      {line !== undefined && (
        <p class="note">
          Line over {line.models} models: slope {valueText(line.slope)}
          {intervalText(line.slope) && ` (${intervalText(line.slope)})`}; on the dashed diagonal
          there is no gap.
        </p>
      )}
    </>
  );
}
