// A scatter plot of a model's cost and its accuracy.
import { extent } from "d3-array";
import { scaleLinear, scaleLog } from "d3-scale";
import { XAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { type Mark, Marks, SeriesMark, Whisker } from "../../chart/marks.tsx";
import { estimateLines, intervalText, shown, unitText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { Measurement, ModelCost } from "../../schemas/described.ts";
import type { CostMeasure } from "./measures.ts";
import { PointNames } from "./point_names.tsx";

export interface CostPoint {
  model: ModelCost;
  value: number;
  quality: Measurement & { value: number };
}

interface ScatterProps {
  points: CostPoint[];
  measure: CostMeasure;
  /** The metric and its data set. */
  name: string;
}

export function Scatter({ points, measure, name }: ScatterProps) {
  const unit = points[0]?.quality.unit;
  const ends = points.flatMap(({ quality }) => [
    quality.value,
    quality.interval?.low ?? quality.value,
    quality.interval?.high ?? quality.value,
  ]);
  const [low = 0, high = 1] = extent(ends);
  const room = (high - low || 0.1) * 0.08;
  const [least = 1, most = 10] = extent(
    points.flatMap(({ model, value }) => [value, ...(measure.spread?.(model) ?? [])]),
  );
  // The ticks of a logarithmic axis are few enough that their texts do not overlap.
  const tickText = (value: number) =>
    /^[125]/.test(value.toExponential()) ? measure.text(value) : "";
  const draw = (area: Area) => {
    // The axis extends a twentieth beyond the ends, so that no mark is on an axis.
    const x = scaleLog([least * 0.8, most * 1.25], [0, area.width]);
    const y = scaleLinear([shown(low - room, unit), shown(high + room, unit)], [area.height, 0]);
    const marks: Mark[] = points.map(({ model, value, quality }) => {
      const at = { x: x(value), y: y(shown(quality.value, unit)) };
      const spread = measure.spread?.(model) ?? null;
      return {
        key: model.path,
        title: short(model.model, 200),
        lines: [
          ...estimateLines(quality),
          `${measure.name}: ${measure.text(value)}`,
          ...(spread === null ? [] : [`quartiles ${spread.map(measure.text).join(" – ")}`]),
        ],
        ...at,
        draw: (
          <g class="series-0 series-ink">
            {quality.interval !== undefined && (
              <Whisker
                x={at.x}
                y={at.y}
                low={y(shown(quality.interval.low, unit))}
                high={y(shown(quality.interval.high, unit))}
              />
            )}
            {spread !== null && <Whisker {...at} low={x(spread[0])} high={x(spread[1])} level />}
            <SeriesMark {...at} index={0} />
          </g>
        ),
      };
    });
    return (
      <>
        <XAxis scale={x} area={area} title={measure.name} ticks={5} format={tickText} />
        <YAxis scale={y} area={area} title={`${name}${unitText(unit) && `, ${unitText(unit)}`}`} />
        <PointNames
          places={marks.map(({ x, y, title }) => ({ x, y, name: short(title, 20) }))}
          width={area.width}
        />
        <Marks label="Models" marks={marks} />
      </>
    );
  };
  return (
    <Chart
      title={`${name} against ${measure.name}`}
      height={420}
      maxWidth={900}
      table={() => ({
        columns: ["model", measure.name, name, "interval"],
        rows: points.map(({ model, value, quality }) => [
          model.model,
          measure.text(value),
          valueText(quality),
          intervalText(quality),
        ]),
      })}
    >
      {draw}
    </Chart>
  );
}
