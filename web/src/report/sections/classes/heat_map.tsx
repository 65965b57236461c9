// How often classes are confused: the most frequent confusions, with darker colours for higher
// counts.
import { max } from "d3-array";
import { scaleLinear } from "d3-scale";
import { Chart } from "../../chart/chart.tsx";
import { type Mark, Marks } from "../../chart/marks.tsx";
import { countText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { Confusion } from "../../schemas/described.ts";
import { type ConfusedClasses, sameCell } from "./rows.ts";

interface HeatMapProps {
  classes: ConfusedClasses;
  nameOf: (id: string | null) => string;
  /** Space next to rows and columns, in pixels. */
  labelOf: (id: string | null) => string;
  chosen: Confusion | undefined;
  choose: (cell: Confusion) => void;
}

const side = 26;
const letters = 18;

export function HeatMap({ classes, nameOf, labelOf, chosen, choose }: HeatMapProps) {
  const { truths, predicted, cells } = classes;
  const most = max(cells, ({ count }) => count) ?? 1;
  const strength = scaleLinear([0, most], [0.12, 1]);
  const rows = new Map(truths.map((id, index) => [id, index * side]));
  const columns = new Map(predicted.map((id, index) => [id, index * side]));
  const left = 150;
  const top = 120;
  const width = left + predicted.length * side + 30;
  const marks: Mark[] = cells.map((cell) => {
    const x = columns.get(cell.predicted) ?? 0;
    const y = rows.get(cell.truth) ?? 0;
    const weight = strength(cell.count);
    const isChosen = chosen !== undefined && sameCell(chosen, cell.truth, cell.predicted);
    return {
      key: JSON.stringify([cell.truth, cell.predicted]),
      title: `${short(nameOf(cell.truth), 80)} as ${short(nameOf(cell.predicted), 80)}`,
      lines: [`${countText(cell.count)} ${cell.count === 1 ? "item" : "items"}`],
      x: x + side,
      y: y + side,
      press: () => choose(cell),
      draw: (
        <>
          <rect
            class={isChosen ? "cell chosen" : "cell"}
            x={x + 1}
            y={y + 1}
            width={side - 2}
            height={side - 2}
            style={{ fillOpacity: weight }}
          />
          <text
            class={weight > 0.55 ? "on-dark" : "on-light"}
            x={x + side / 2}
            y={y + side / 2}
            dy="0.33em"
            text-anchor="middle"
          >
            {cell.count}
          </text>
        </>
      ),
    };
  });
  return (
    <section class="scroll heat-map" tabIndex={0} aria-label="Confusions by class">
      <div style={{ inlineSize: `${width}px` }}>
        <Chart
          title="Most frequent confusions"
          height={top + truths.length * side + 12}
          margin={{ top, left, right: 30, bottom: 12 }}
          maxWidth={width}
          table={() => ({
            columns: ["label", "predicted", "items"],
            rows: cells.map((cell) => [
              short(nameOf(cell.truth), 100),
              short(nameOf(cell.predicted), 100),
              cell.count,
            ]),
          })}
        >
          {() => (
            <>
              <g class="axis" aria-hidden="true">
                <rect
                  class="cells-ground"
                  width={predicted.length * side}
                  height={truths.length * side}
                />
                <text class="axis-title" x={-8} y={-8} text-anchor="end">
                  label ↓ predicted →
                </text>
                {truths.map((id) => (
                  <text
                    key={id}
                    x={-8}
                    y={(rows.get(id) ?? 0) + side / 2}
                    dy="0.33em"
                    text-anchor="end"
                  >
                    {short(labelOf(id), letters)}
                  </text>
                ))}
                {predicted.map((id) => (
                  <text
                    key={id}
                    transform={`translate(${(columns.get(id) ?? 0) + side / 2 + 3} -8) rotate(-60)`}
                  >
                    {short(labelOf(id), letters)}
                  </text>
                ))}
              </g>
              <Marks label="Confusions" marks={marks} />
            </>
          )}
        </Chart>
      </div>
    </section>
  );
}
