// Ranks by the metrics side by side. Each model has a line, and the chosen ones have marks.
import { max } from "d3-array";
import { scaleLinear, scalePoint } from "d3-scale";
import { type Area, Chart } from "../../chart/chart.tsx";
import { linePath, type Mark, Marks, SeriesMark, Whisker } from "../../chart/marks.tsx";
import { short } from "../../parts/names.ts";
import type { GapResult } from "../../schemas/described.ts";
import type { GapMetric, GapSet } from "./metrics.ts";
import { metricNames } from "./series.ts";

interface RankLinesProps {
  gap: GapResult;
  set: GapSet;
  metrics: GapMetric[];
  chosen: number[];
}

export function RankLines({ gap, set, metrics, chosen }: RankLinesProps) {
  const last =
    max(gap.models, ({ ranks }) => max(metrics, (metric) => ranks[metric][set]?.rank ?? 1)) ?? 1;
  const draw = (area: Area) => {
    const x = scalePoint(metrics, [30, area.width - 30]);
    const y = scaleLinear([1, Math.max(2, last)], [8, area.height - 8]);
    const pointsOf = (index: number) =>
      metrics.map((metric): [number, number] | null => {
        const rank = gap.models[index]?.ranks[metric][set];
        return rank ? [x(metric) ?? 0, y(rank.rank)] : null;
      });
    const others = gap.models
      .map((_, index) => (chosen.includes(index) ? "" : linePath(pointsOf(index))))
      .join("");
    return (
      <>
        <g class="axis" aria-hidden="true">
          {metrics.map((metric) => (
            <g key={metric} transform={`translate(${x(metric)} 0)`}>
              <line y2={area.height} />
              <text y={area.height + 18} text-anchor="middle">
                {metricNames[metric]}
              </text>
            </g>
          ))}
          <text x={0} y={y(1)} dy="0.32em" text-anchor="end">
            1
          </text>
          <text x={0} y={y(last)} dy="0.32em" text-anchor="end">
            {last}
          </text>
        </g>
        <path class="rank-others" d={others} />
        {chosen.map((index, series) => {
          const model = gap.models[index];
          if (model === undefined) return null;
          const points = pointsOf(index);
          const marks: Mark[] = metrics.flatMap((metric, at) => {
            const rank = model.ranks[metric][set];
            const point = points[at];
            if (!rank || !point) return [];
            const { low, high } = rank;
            return [
              {
                key: metric,
                title: short(model.model, 200),
                lines: [
                  `rank ${rank.rank} by ${metricNames[metric]}`,
                  ...(low !== undefined && high !== undefined ? [`interval ${low} – ${high}`] : []),
                ],
                x: point[0],
                y: point[1],
                draw: (
                  <>
                    {low !== undefined && high !== undefined && (
                      <g class="series-ink">
                        <Whisker
                          x={point[0] + (series - chosen.length / 2) * 3}
                          y={point[1]}
                          low={y(low)}
                          high={y(high)}
                        />
                      </g>
                    )}
                    <SeriesMark x={point[0]} y={point[1]} index={series} />
                  </>
                ),
              },
            ];
          });
          return (
            <g key={index} class={`series-${series % 8}`}>
              <path class="curve" d={linePath(points)} />
              <Marks label={short(model.model, 100)} marks={marks} />
            </g>
          );
        })}
      </>
    );
  };
  return (
    <Chart
      title={`Ranks on ${short(gap[set].name, 40)}`}
      height={360}
      maxWidth={440}
      margin={{ left: 36, bottom: 30 }}
      table={() => ({
        columns: ["model", ...metrics.map((metric) => metricNames[metric])],
        rows: gap.models.map(({ model, ranks }) => [
          short(model, 100),
          ...metrics.map((metric) => ranks[metric][set]?.rank ?? "–"),
        ]),
      })}
    >
      {draw}
    </Chart>
  );
}
