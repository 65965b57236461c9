// The chosen models over all dimensions, with a line for each. Better values are higher on every
// axis.
import { Chart } from "../../chart/chart.tsx";
import { linePath, Marks, SeriesMark } from "../../chart/marks.tsx";
import { numberText, valueText } from "../../estimate.ts";
import { estimateOf } from "./cells.ts";
import { type Chosen, mostChosen } from "./choice_state.ts";
import { dimensions } from "./dimensions.ts";
import { ModelPicker } from "./model_picker.tsx";
import { useNarrow } from "./narrow.ts";
import { axisEnds, heightOn } from "./parallel_axes.ts";
import type { Row } from "./tables.ts";

interface ParallelProps {
  chosen: Chosen;
  all: Map<string, Row>;
}

export function Parallel({ chosen, all }: ParallelProps) {
  const narrow = useNarrow();
  const ends = axisEnds([...all.values()]);
  const tableRows = () =>
    chosen.rows.map((row) => [
      row.label,
      ...dimensions.map((dimension, d) => valueText(estimateOf(row.cells[d] ?? null, dimension))),
    ]);
  return (
    <Chart
      title="Chosen models over all dimensions: better is up on every axis"
      height={400}
      margin={{ left: narrow ? 20 : 50, right: narrow ? 20 : 50, top: 24, bottom: 52 }}
      controls={<ModelPicker chosen={chosen} all={all} />}
      table={() => ({
        columns: ["model", ...dimensions.map(({ title }) => title)],
        rows: tableRows(),
      })}
    >
      {(area) => {
        const across = (d: number) => (d * area.width) / (dimensions.length - 1);
        return (
          <>
            <g class="axis" aria-hidden="true">
              {dimensions.map((dimension, d) => {
                const [worst, best] = ends[d] ?? [null, null];
                // The number of digits that distinguish the two ends.
                const half = worst === null || best === null ? 0 : Math.abs(best - worst) / 5;
                const text = (value: number | null) =>
                  value === null
                    ? ""
                    : Math.abs(value) >= 100
                      ? value.toFixed(0)
                      : numberText(value, half, dimension.unit);
                return (
                  <g key={dimension.name} transform={`translate(${across(d)} 0)`}>
                    <line y2={area.height} />
                    <text y={-8} text-anchor="middle">
                      {text(best)}
                    </text>
                    <text y={area.height + 18} text-anchor="middle">
                      {text(worst)}
                    </text>
                    <text class="axis-title" y={area.height + 38} text-anchor="middle">
                      {narrow
                        ? dimension.short
                        : dimension.title
                            .replace(" robustness", " rob.")
                            .replace(" (millions)", "")}
                    </text>
                  </g>
                );
              })}
            </g>
            <Marks
              label="Chosen models"
              marks={chosen.rows.map((row, index) => {
                const points = dimensions.map((dimension, d): [number, number] | null => {
                  const up = heightOn(ends[d], row.cells[d]?.value ?? null, dimension);
                  return up === null ? null : [across(d), area.height * (1 - up)];
                });
                const first = points.find((point) => point !== null) ?? [0, 0];
                return {
                  key: row.key,
                  x: first[0],
                  y: first[1],
                  title: row.label,
                  lines: dimensions.map(
                    (dimension, d) =>
                      `${dimension.title}: ${valueText(estimateOf(row.cells[d] ?? null, dimension))}`,
                  ),
                  draw: (
                    <g
                      class={`quality-line series-${index % 8}${index >= 8 ? " quality-dashed" : ""}`}
                    >
                      <path class="quality-wide" d={linePath(points)} />
                      <path class="curve" d={linePath(points)} />
                      {points.map(
                        (point, d) =>
                          point !== null && (
                            <SeriesMark key={d} x={point[0]} y={point[1]} index={index} />
                          ),
                      )}
                    </g>
                  ),
                };
              })}
            />
            {chosen.rows.length === 0 && (
              <text
                class="quality-empty"
                x={area.width / 2}
                y={area.height / 2}
                text-anchor="middle"
              >
                Choose up to {mostChosen} models.
              </text>
            )}
          </>
        );
      }}
    </Chart>
  );
}
