// Axes with their grids, for scales of d3-scale.
import type { ScaleBand, ScaleContinuousNumeric } from "d3-scale";
import type { Area } from "./chart.tsx";

export type NumberScale = ScaleContinuousNumeric<number, number>;
export type BandScale = ScaleBand<string>;

interface AxisProps {
  area: Area;
  title?: string;
  /** The approximate number of ticks. */
  ticks?: number;
  format?: (value: number) => string;
  grid?: boolean;
}

export function XAxis({
  scale,
  area,
  title,
  ticks,
  format,
  grid,
}: AxisProps & { scale: NumberScale }) {
  const count = ticks ?? Math.max(2, Math.floor(area.width / 90));
  const text = format ?? scale.tickFormat(count);
  return (
    <g class="axis" transform={`translate(0 ${area.height})`} aria-hidden="true">
      <line x2={area.width} />
      {scale.ticks(count).map((value) => (
        <g key={value} transform={`translate(${scale(value)} 0)`}>
          {grid !== false && <line class="grid" y2={-area.height} />}
          <line y2={5} />
          <text y={18} text-anchor="middle">
            {text(value)}
          </text>
        </g>
      ))}
      {title !== undefined && (
        <text class="axis-title" x={area.width / 2} y={38} text-anchor="middle">
          {title}
        </text>
      )}
    </g>
  );
}

export function YAxis({
  scale,
  area,
  title,
  ticks,
  format,
  grid,
  left,
}: AxisProps & { scale: NumberScale /** The position of the title. */; left?: number }) {
  const count = ticks ?? Math.max(2, Math.floor(area.height / 50));
  const text = format ?? scale.tickFormat(count);
  return (
    <g class="axis" aria-hidden="true">
      <line y2={area.height} />
      {scale.ticks(count).map((value) => (
        <g key={value} transform={`translate(0 ${scale(value)})`}>
          {grid !== false && <line class="grid" x2={area.width} />}
          <line x2={-5} />
          <text x={-9} dy="0.32em" text-anchor="end">
            {text(value)}
          </text>
        </g>
      ))}
      {title !== undefined && (
        <text
          class="axis-title"
          transform={`translate(${left ?? -44} ${area.height / 2}) rotate(-90)`}
          text-anchor="middle"
        >
          {title}
        </text>
      )}
    </g>
  );
}

/** The categories below the area. Long names are turned. */
export function BandAxis({
  scale,
  area,
  turned,
}: {
  scale: BandScale;
  area: Area;
  turned?: boolean;
}) {
  return (
    <g class="axis" transform={`translate(0 ${area.height})`} aria-hidden="true">
      <line x2={area.width} />
      {scale.domain().map((name) => {
        const x = (scale(name) ?? 0) + scale.bandwidth() / 2;
        return turned ? (
          <text key={name} transform={`translate(${x} 10) rotate(-40)`} text-anchor="end">
            {name}
          </text>
        ) : (
          <text key={name} x={x} y={18} text-anchor="middle">
            {name}
          </text>
        );
      })}
    </g>
  );
}

/** The categories to the left of the area. */
export function BandAxisLeft({ scale }: { scale: BandScale }) {
  return (
    <g class="axis" aria-hidden="true">
      {scale.domain().map((name) => (
        <text
          key={name}
          x={-9}
          y={(scale(name) ?? 0) + scale.bandwidth() / 2}
          dy="0.32em"
          text-anchor="end"
        >
          {name}
        </text>
      ))}
    </g>
  );
}
