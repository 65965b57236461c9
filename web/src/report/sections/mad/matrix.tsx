// A matrix over pairs of classifiers: a cell shows its value, and its background shows the side of
// the middle and the distance from it.
import { max } from "d3-array";
import { Chart } from "../../chart/chart.tsx";
import { type Mark, Marks } from "../../chart/marks.tsx";
import { numberText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { Cell, Ranked } from "./competitions.ts";

export interface MatrixKind {
  key: string;
  text: string;
  /** What a cell says about the classifier of its row, for a tooltip. */
  says: string;
  middle: number;
  signed?: boolean;
  probability?: boolean;
}

interface MatrixProps {
  kind: MatrixKind;
  chosen: Ranked[];
  cells: Cell[];
  /** The settled images of a pair. */
  imagesOf: (cell: Cell) => number | undefined;
}

const side = 46;
const letters = 20;

export function cellText(value: number, kind: MatrixKind): string {
  if (kind.signed === true) return `${value > 0 ? "+" : ""}${numberText(value, 0.5)}`;
  // A probability is never shown as certain.
  if (kind.probability === true && value < 0.0005) return "< .001";
  if (kind.probability === true && value >= 0.9995) return "> .999";
  return numberText(value, 0.05);
}

export function Matrix({ kind, chosen, cells, imagesOf }: MatrixProps) {
  const places = new Map(chosen.map(({ index }, at) => [index, at * side]));
  const most = max(cells, ({ value }) => Math.abs(value - kind.middle)) || 1;
  const left = 160;
  const top = 130;
  const extent = chosen.length * side;
  const width = left + extent + 60;
  const nameOf = ({ of }: Ranked) => short(of.classifier, letters);
  const marks: Mark[] = cells.map((cell) => {
    const { row, column, value } = cell;
    const x = places.get(column.index) ?? 0;
    const y = places.get(row.index) ?? 0;
    // The background is light enough that the value can be read.
    const weight = (0.55 * Math.abs(value - kind.middle)) / most;
    const images = imagesOf(cell);
    const unseen = images === 0;
    return {
      key: `${row.index} ${column.index}`,
      title: `${short(row.of.classifier, 80)} beside ${short(column.of.classifier, 80)}`,
      lines: [
        `${kind.says}: ${cellText(value, kind)}`,
        ...(images === undefined ? [] : [unseen ? "no settled image" : `${images} images`]),
      ],
      x: x + side,
      y: y + side / 2,
      draw: (
        <>
          <rect
            class={`cell ${unseen ? "unseen" : value >= kind.middle ? "above" : "below"}`}
            x={x + 1}
            y={y + 1}
            width={side - 2}
            height={side - 2}
            style={{ fillOpacity: unseen ? 1 : weight }}
          />
          <text
            class="cell-value"
            x={x + side / 2}
            y={y + side / 2}
            dy="0.33em"
            text-anchor="middle"
          >
            {unseen ? `(${cellText(value, kind)})` : cellText(value, kind)}
          </text>
        </>
      ),
    };
  });
  return (
    <section class="scroll heat-map" tabIndex={0} aria-label={kind.text}>
      <div style={{ inlineSize: `${width}px` }}>
        <Chart
          title={kind.text}
          height={top + extent + 12}
          margin={{ top, left, right: 60, bottom: 12 }}
          maxWidth={width}
          table={() => ({
            columns: ["row", "column", kind.says],
            rows: cells.map(({ row, column, value }) => [
              short(row.of.classifier, 200),
              short(column.of.classifier, 200),
              cellText(value, kind),
            ]),
          })}
        >
          {() => (
            <>
              <g class="axis" aria-hidden="true">
                <rect class="cells-ground" width={extent} height={extent} />
                {chosen.map((entry) => {
                  const at = (places.get(entry.index) ?? 0) + side / 2;
                  return (
                    <g key={entry.index}>
                      <text x={-8} y={at} dy="0.33em" text-anchor="end">
                        {nameOf(entry)}
                      </text>
                      <text transform={`translate(${at + 3} -8) rotate(-50)`}>{nameOf(entry)}</text>
                    </g>
                  );
                })}
              </g>
              <Marks label={kind.text} marks={marks} />
            </>
          )}
        </Chart>
      </div>
    </section>
  );
}
