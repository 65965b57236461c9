// Accuracy under corruptions against clean accuracy, with a point for each model.
import { scaleLinear } from "d3-scale";
import { XAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { type Mark, Marks, SeriesMark, Whisker } from "../../chart/marks.tsx";
import { intervalText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { CorruptedModel } from "../../schemas/described.ts";

/** With more models, single marks cannot be found, so they are drawn as one. */
const focusable = 1000;
/** With more models, names would overlap. */
const named = 24;

export function CleanAgainstCorrupted({ models }: { models: CorruptedModel[] }) {
  const points = models.flatMap((model) => {
    const mean = model.paper.accuracy.value === null ? model.present : model.paper;
    const [x, y] = [model.clean.value, mean.accuracy.value];
    return x === null || y === null ? [] : [{ model, mean, x: 100 * x, y: 100 * y }];
  });
  if (points.length === 0) return null;
  const high = Math.min(100, Math.max(...points.map(({ x, y }) => Math.max(x, y))) + 5);
  const low = Math.max(0, Math.min(...points.map(({ x, y }) => Math.min(x, y))) - 5);
  const draw = (area: Area) => {
    const x = scaleLinear([low, high], [0, area.width]);
    const y = scaleLinear([low, high], [area.height, 0]);
    const marks: Mark[] = points.map(({ model, mean, x: left, y: top }) => {
      const at = { x: x(left), y: y(top) };
      const [across, upwards] = [model.clean.interval, mean.accuracy.interval];
      return {
        key: model.model,
        title: short(model.model, 200),
        lines: [
          `clean ${valueText(model.clean)} % (${intervalText(model.clean)})`,
          `corrupted ${valueText(mean.accuracy)} % (${intervalText(mean.accuracy)})`,
          `relative ${valueText(mean.relative)} (${intervalText(mean.relative)})`,
        ],
        ...at,
        draw: (
          <g class="series-0 series-ink">
            {points.length <= 80 && across !== undefined && (
              <Whisker {...at} low={x(100 * across.low)} high={x(100 * across.high)} level />
            )}
            {points.length <= 80 && upwards !== undefined && (
              <Whisker {...at} low={y(100 * upwards.low)} high={y(100 * upwards.high)} />
            )}
            <SeriesMark {...at} index={0} />
            {points.length <= named && (
              <text class="point-name" x={at.x + 8} y={at.y - 7}>
                {short(model.model, 20)}
              </text>
            )}
          </g>
        ),
      };
    });
    return (
      <>
        <XAxis scale={x} area={area} title="accuracy on clean images, %" />
        <YAxis scale={y} area={area} title="mean accuracy under corruptions, %" />
        <path class="diagonal" d={`M${x(low)} ${y(low)}L${x(high)} ${y(high)}`} />
        {points.length <= focusable ? (
          <Marks label="Models" marks={marks} />
        ) : (
          <path
            class="cloud series-0"
            d={points
              .map((point) => `M${x(point.x).toFixed(1)} ${y(point.y).toFixed(1)}h0`)
              .join("")}
          />
        )}
      </>
    );
  };
  return (
    <Chart
      title="Corrupted against clean accuracy"
      height={440}
      maxWidth={620}
      table={() => ({
        columns: ["model", "clean, %", "interval", "corrupted, %", "interval of it"],
        rows: points.map(({ model, mean }) => [
          model.model,
          valueText(model.clean),
          intervalText(model.clean),
          valueText(mean.accuracy),
          intervalText(mean.accuracy),
        ]),
      })}
    >
      {draw}
    </Chart>
  );
}
