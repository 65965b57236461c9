// Accuracy on the replication against that on the original, as measured and as adjusted. The plot
// has the models' points with their intervals, the line of equal accuracies and the fitted lines.
import { extent } from "d3-array";
import { scaleLinear } from "d3-scale";
import { XAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { Legend, type Mark, Marks, SeriesMark, Whisker } from "../../chart/marks.tsx";
import { type Estimate, estimateLines, intervalText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { AdjustMethod, ReplicateLine } from "../../schemas/described.ts";
import { lineAt, type Study } from "./studies.ts";

/** With more models than this, intervals would hide the points, so they are not drawn. */
const whiskered = 80;
/** With more models than this, only the table names them. */
const focusable = 700;

interface Point {
  key: string;
  name: string;
  series: number;
  of: string;
  x: Estimate;
  y: Estimate;
}

export function pointsOf(study: Study, method: AdjustMethod): Point[] {
  return study.adjust.classifiers.flatMap(({ original, replication }, index) => {
    const name = study.models[index] ?? "";
    const adjusted = method.classifiers?.[index]?.adjusted;
    const raw = { key: `${index} raw`, name, series: 0, of: "measured", x: original };
    return [
      { ...raw, y: replication },
      ...(adjusted === undefined
        ? []
        : [{ ...raw, key: `${index} adjusted`, series: 1, of: "adjusted", y: adjusted }]),
    ];
  });
}

export function domainOf(points: Point[], intervals: boolean): [number, number] {
  const values = points.flatMap(({ x, y }) =>
    [x, y].flatMap(({ value, interval }) =>
      value === null
        ? []
        : interval === undefined || !intervals
          ? [value]
          : [value, interval.low, interval.high],
    ),
  );
  const [low, high] = extent(values);
  if (low === undefined || high === undefined) return [0, 1];
  const room = (high - low || 0.1) * 0.03;
  return [Math.max(0, low - room), Math.min(1, high + room)];
}

export function Scatter({ study, method }: { study: Study; method: AdjustMethod }) {
  const points = pointsOf(study, method).filter(({ x, y }) => x.value !== null && y.value !== null);
  const intervals = study.models.length <= whiskered;
  const domain = domainOf(points, intervals);
  const percent = domain.map((value) => 100 * value);
  const draw = (area: Area) => {
    const x = scaleLinear(percent, [0, area.width]);
    const y = scaleLinear(percent, [area.height, 0]);
    const line = (fitted: ReplicateLine) => {
      const ends = domain.map((at) => [at, lineAt(fitted, at)] as const);
      if (ends.some(([, value]) => value === null)) return "";
      return ends
        .map(
          ([at, value], end) => `${end === 0 ? "M" : "L"}${x(100 * at)} ${y(100 * (value ?? 0))}`,
        )
        .join("");
    };
    const drawn = (point: Point) => {
      const at = { x: x(100 * (point.x.value ?? 0)), y: y(100 * (point.y.value ?? 0)) };
      const across = point.x.interval;
      const up = point.y.interval;
      return (
        <g class={`series-${point.series}`}>
          <circle class="hit" cx={at.x} cy={at.y} r={9} />
          {intervals && (
            <g class="series-ink faint">
              {up !== undefined && (
                <Whisker {...at} low={y(100 * up.low)} high={y(100 * up.high)} />
              )}
              {across !== undefined && (
                <Whisker {...at} low={x(100 * across.low)} high={x(100 * across.high)} level />
              )}
            </g>
          )}
          <SeriesMark {...at} index={point.series} size={intervals ? 4 : 2.5} />
        </g>
      );
    };
    const marks: Mark[] = points.map((point) => ({
      key: point.key,
      title: `${short(point.name, 120)}, ${point.of}`,
      lines: [
        `original: ${estimateLines(point.x).slice(0, 2).join(", ")}`,
        `replication: ${estimateLines(point.y).slice(0, 2).join(", ")}`,
      ],
      x: x(100 * (point.x.value ?? 0)),
      y: y(100 * (point.y.value ?? 0)),
      draw: drawn(point),
    }));
    return (
      <>
        <XAxis scale={x} area={area} title="accuracy on the original, %" />
        <YAxis scale={y} area={area} title="accuracy on the replication, %" />
        <clipPath id="replication-scatter">
          <rect width={area.width} height={area.height} />
        </clipPath>
        <g clip-path="url(#replication-scatter)">
          <path class="diagonal" d={`M0 ${area.height}L${area.width} 0`} />
          {study.adjust.line && <path class="fitted series-0" d={line(study.adjust.line)} />}
          {method.line && <path class="fitted series-1" d={line(method.line)} />}
        </g>
        {marks.length <= 2 * focusable ? (
          <Marks label="Models" marks={marks} />
        ) : (
          [0, 1].map((series) => (
            <path
              key={series}
              class={`cloud series-${series}`}
              d={points
                .filter((point) => point.series === series)
                .map(({ x: a, y: b }) => `M${x(100 * (a.value ?? 0))} ${y(100 * (b.value ?? 0))}h0`)
                .join("")}
            />
          ))
        )}
      </>
    );
  };
  return (
    <Chart
      title="Accuracy on the replication and on the original"
      summary={`Accuracies of ${study.models.length} models on the replication against the original, as measured and as adjusted by ${method.id}`}
      height={520}
      maxWidth={620}
      controls={<Legend names={["as measured", `adjusted by ${method.id}`]} />}
      table={() => ({
        columns: [
          "model",
          "",
          "original, %",
          "interval (original)",
          "replication, %",
          "interval (replication)",
        ],
        rows: points.map(({ name, of, x, y }) => [
          short(name, 200),
          of,
          valueText(x),
          intervalText(x),
          valueText(y),
          intervalText(y),
        ]),
      })}
    >
      {draw}
    </Chart>
  );
}
