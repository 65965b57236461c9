// Two deciders, correct or incorrect, as four squares. Their areas are the numbers of items.
import { max } from "d3-array";
import { scaleSqrt } from "d3-scale";
import { Chart } from "../../chart/chart.tsx";
import { type Mark, Marks } from "../../chart/marks.tsx";
import { countText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";

export interface FourCounts {
  both: number;
  first: number;
  second: number;
  neither: number;
}

interface SquaresProps {
  title: string;
  first: string;
  second: string;
  counts: FourCounts;
}

const side = 120;

export function Squares({ title, first, second, counts }: SquaresProps) {
  const cells = [
    { key: "both", x: 0, y: 0, count: counts.both, text: "both correct" },
    { key: "first", x: 1, y: 0, count: counts.first, text: `only ${short(first, 40)} correct` },
    { key: "second", x: 0, y: 1, count: counts.second, text: `only ${short(second, 40)} correct` },
    { key: "neither", x: 1, y: 1, count: counts.neither, text: "both incorrect" },
  ];
  const length = scaleSqrt([0, max(cells, ({ count }) => count) ?? 1], [0, side - 10]);
  const marks: Mark[] = cells.map(({ key, x, y, count, text }) => {
    const size = count > 0 ? length(count) : 0;
    const [cx, cy] = [(x + 0.5) * side, (y + 0.5) * side];
    return {
      key,
      title: text,
      lines: [`${countText(count)} items`],
      x: cx,
      y: cy,
      draw: (
        <>
          <rect class="ground" x={x * side} y={y * side} width={side} height={side} />
          <rect
            class={`square of-${key}`}
            x={cx - size / 2}
            y={cy - size / 2}
            width={size}
            height={size}
          />
          <text x={cx} y={cy} dy="0.35em" text-anchor="middle">
            {countText(count)}
          </text>
        </>
      ),
    };
  });
  return (
    <Chart
      title={title}
      height={2 * side + 54}
      margin={{ top: 46, left: 120, right: 8, bottom: 8 }}
      maxWidth={2 * side + 128}
      table={() => ({
        columns: ["which", "items"],
        rows: cells.map(({ text, count }) => [text, countText(count)]),
      })}
    >
      {() => (
        <g class="squares">
          <g class="axis" aria-hidden="true">
            <text class="axis-title" x={side} y={-28} text-anchor="middle">
              {short(second, 30)}
            </text>
            <text x={side / 2} y={-8} text-anchor="middle">
              correct
            </text>
            <text x={1.5 * side} y={-8} text-anchor="middle">
              incorrect
            </text>
            <text class="axis-title" x={-8} y={side / 2 - 18} text-anchor="end">
              {short(first, 16)}
            </text>
            <text x={-8} y={side / 2} dy="0.35em" text-anchor="end">
              correct
            </text>
            <text x={-8} y={1.5 * side} dy="0.35em" text-anchor="end">
              incorrect
            </text>
          </g>
          <Marks label={title} marks={marks} />
        </g>
      )}
    </Chart>
  );
}
