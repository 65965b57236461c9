// A point for each class on two axes in percent, with the diagonal where both are equal.
import { scaleLinear } from "d3-scale";
import { XAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { type Mark, Marks, SeriesMark, Whisker } from "../../chart/marks.tsx";
import { type Estimate, intervalText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";

export interface ClassPoint {
  key: string;
  name: string;
  x: Estimate;
  y: Estimate;
}

interface ScatterProps {
  title: string;
  xTitle: string;
  yTitle: string;
  points: ClassPoint[];
}

/**
 * With more points, their intervals would hide them. With many more points, none can be
 * focused separately.
 */
const withIntervals = 60;
const withMarks = 1500;

function describe(name: string, estimate: Estimate): string {
  const interval = intervalText(estimate);
  return `${name}: ${valueText(estimate)} %${interval && ` (${interval})`}`;
}

export function Scatter({ title, xTitle, yTitle, points }: ScatterProps) {
  const drawn = points.filter(({ x, y }) => x.value !== null && y.value !== null);
  const whiskers = drawn.length <= withIntervals;
  const draw = (area: Area) => {
    const x = scaleLinear([0, 100], [0, area.width]);
    const y = scaleLinear([0, 100], [area.height, 0]);
    const place = (point: ClassPoint): [number, number] => [
      x(100 * (point.x.value ?? 0)),
      y(100 * (point.y.value ?? 0)),
    ];
    const marks: Mark[] =
      drawn.length > withMarks
        ? []
        : drawn.map((point) => {
            const [left, top] = place(point);
            const [across, upright] = [point.x.interval, point.y.interval];
            return {
              key: point.key,
              title: short(point.name, 200),
              lines: [describe(xTitle, point.x), describe(yTitle, point.y)],
              x: left,
              y: top,
              draw: (
                <>
                  {whiskers && across !== undefined && (
                    <path
                      class="whisker faint"
                      d={`M${x(100 * across.low)} ${top}H${x(100 * across.high)}`}
                    />
                  )}
                  {whiskers && upright !== undefined && (
                    <g class="faint">
                      <Whisker
                        x={left}
                        y={top}
                        low={y(100 * upright.low)}
                        high={y(100 * upright.high)}
                      />
                    </g>
                  )}
                  <SeriesMark x={left} y={top} index={0} size={drawn.length > 300 ? 2.5 : 3.5} />
                </>
              ),
            };
          });
    return (
      <>
        <YAxis scale={y} area={area} title={`${short(yTitle, 40)}, %`} />
        <XAxis scale={x} area={area} title={`${short(xTitle, 40)}, %`} />
        <path class="diagonal" d={`M0 ${area.height}L${area.width} 0`} />
        {drawn.length > withMarks && (
          <path
            class="symbol series-0"
            d={drawn
              .map((point) => {
                const [left, top] = place(point);
                return `M${(left - 1.5).toFixed(1)} ${top.toFixed(1)}h3v3h-3z`;
              })
              .join("")}
          />
        )}
        <Marks label={title} marks={marks} />
      </>
    );
  };
  return (
    <Chart
      title={title}
      height={460}
      maxWidth={560}
      table={() => ({
        columns: ["class", `${short(xTitle, 40)}, %`, "", `${short(yTitle, 40)}, %`, ""],
        rows: points.map((point) => [
          short(point.name, 100),
          valueText(point.x),
          intervalText(point.x),
          valueText(point.y),
          intervalText(point.y),
        ]),
      })}
    >
      {draw}
    </Chart>
  );
}
