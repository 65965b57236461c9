// Agreement by labels per image. The plot has a box for each data set over the models, a dot for
// each model, and a line for each chosen one.
import { max, min } from "d3-array";
import { scaleBand, scaleLinear } from "d3-scale";
import { BandAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { linePath, type Mark, Marks, SeriesMark } from "../../chart/marks.tsx";
import { numberText } from "../../estimate.ts";
import { once, short } from "../../parts/names.ts";
import type { GapBox, GapResult } from "../../schemas/described.ts";
import type { GapSet } from "./metrics.ts";
import { sets } from "./series.ts";
import { SetLegend } from "./set_legend.tsx";

interface BoxesProps {
  gap: GapResult;
  /** The indices of the models that have lines. */
  chosen: number[];
}

const percent = (value: number) => `${numberText(value, 0, "proportion")} %`;

function boxLines(box: GapBox["box"]): string[] {
  if (box === undefined) return ["no box: no model has a value"];
  return [
    `median ${percent(box.median)}`,
    `quartiles ${percent(box.lower_quartile)} and ${percent(box.upper_quartile)}`,
    `whiskers ${percent(box.low_whisker)} and ${percent(box.high_whisker)}`,
    `${box.outliers.length} outliers`,
  ];
}

/** Each model has its own position, the same in each box, so that dots do not hide each other. */
export function jitter(index: number): number {
  return ((index * 0.618034) % 1) - 0.5;
}

export function Boxes({ gap, chosen }: BoxesProps) {
  const labels = once(gap.boxes.map((box) => String(box.labels)));
  const radius = gap.models.length > 60 ? 1.2 : 2.4;
  const nameOf = (set: GapSet) => gap[set].name;
  const values = gap.boxes.flatMap(({ points, box }) => [
    ...points.filter((point) => point !== null),
    ...(box === undefined ? [] : [box.low_whisker, box.high_whisker]),
  ]);
  const low = Math.max(0, (min(values) ?? 0) - 0.05);
  const high = Math.min(1, (max(values) ?? 1) + 0.05);
  const draw = (area: Area) => {
    const x = scaleBand(labels, [0, area.width]).paddingInner(0.3).paddingOuter(0.15);
    const y = scaleLinear([100 * low, 100 * high], [area.height, 0]);
    const half = x.bandwidth() / 2;
    const middle = (box: GapBox) =>
      (x(String(box.labels)) ?? 0) + half * (box.set === "first" ? 0.5 : 1.5);
    const at = (value: number) => y(100 * value);
    const marks: Mark[] = gap.boxes.map((box) => {
      const centre = middle(box);
      const width = half * 0.72;
      const index = box.set === "first" ? 0 : 1;
      const shape = box.box;
      const dots = box.points
        .map((point, model) =>
          point === null
            ? ""
            : `M${(centre + jitter(model) * width * 0.8 - radius).toFixed(1)} ${at(point).toFixed(1)}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0`,
        )
        .join("");
      return {
        key: `${box.labels} ${box.set}`,
        title: `${short(nameOf(box.set), 100)}, labels: ${box.labels}`,
        lines: boxLines(shape),
        x: centre,
        y: shape === undefined ? area.height : at(shape.median),
        draw: (
          <g class={`series-${index}`}>
            {shape !== undefined && (
              <>
                <path
                  class="box-whisker"
                  d={`M${centre} ${at(shape.low_whisker)}V${at(shape.lower_quartile)}M${centre} ${at(shape.upper_quartile)}V${at(shape.high_whisker)}M${centre - 6} ${at(shape.low_whisker)}h12M${centre - 6} ${at(shape.high_whisker)}h12`}
                />
                <rect
                  class={`box set-${index}`}
                  x={centre - width / 2}
                  y={at(shape.upper_quartile)}
                  width={width}
                  height={Math.max(1, at(shape.lower_quartile) - at(shape.upper_quartile))}
                />
                <path class="median" d={`M${centre - width / 2} ${at(shape.median)}h${width}`} />
              </>
            )}
            <path class="dots" d={dots} />
          </g>
        ),
      };
    });
    return (
      <>
        <YAxis scale={y} area={area} title="agreement, %" />
        <BandAxis scale={x} area={area} />
        <text class="axis-title" x={area.width / 2} y={area.height + 38} text-anchor="middle">
          valid labels per image
        </text>
        <Marks label="Boxes" marks={marks} />
        {chosen.map((model, series) => (
          <g key={model} class={`series-${series % 8}`} aria-hidden="true">
            {sets.map((set) => {
              const own = gap.boxes.filter((box) => box.set === set);
              const points = own.map((box): [number, number] | null => {
                const point = box.points[model];
                return point === null || point === undefined ? null : [middle(box), at(point)];
              });
              return (
                <g key={set}>
                  <path class={`curve set-${set}`} d={linePath(points)} />
                  {points.map((point, index) =>
                    point === null ? null : (
                      <SeriesMark key={index} x={point[0]} y={point[1]} index={series} />
                    ),
                  )}
                </g>
              );
            })}
          </g>
        ))}
      </>
    );
  };
  return (
    <Chart
      title="Agreement by labels per image, over the models"
      height={440}
      maxWidth={1000}
      controls={<SetLegend names={[nameOf("first"), nameOf("second")]} />}
      table={() => ({
        columns: [
          "labels, data set",
          "low whisker",
          "quartile",
          "median",
          "quartile",
          "high whisker",
          ...chosen.map((index) => short(gap.models[index]?.model ?? "", 40)),
        ],
        rows: gap.boxes.map(({ labels: g, set, box, points }) => [
          `${g}, ${short(nameOf(set), 40)}`,
          ...(box === undefined
            ? ["–", "–", "–", "–", "–"]
            : [
                box.low_whisker,
                box.lower_quartile,
                box.median,
                box.upper_quartile,
                box.high_whisker,
              ].map(percent)),
          ...chosen.map((index) => {
            const point = points[index];
            return point === null || point === undefined ? "–" : percent(point);
          }),
        ]),
      })}
    >
      {draw}
    </Chart>
  );
}
