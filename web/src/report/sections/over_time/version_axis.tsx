// The axis below the plot, with dates or versions. Names are shown if there is space.
import type { Area } from "../../chart/chart.tsx";

interface Tick {
  at: number;
  text: string;
}

/** The approximate width of a letter in pixels. */
const letter = 7;

/** Shows every n-th name, so that names do not overlap. */
export function spaced(ticks: Tick[], width: number): Tick[] {
  const widest = Math.max(4, ...ticks.map(({ text }) => text.length)) * letter + 12;
  const most = Math.max(1, Math.floor(width / widest));
  const step = Math.max(1, Math.ceil(ticks.length / most));
  return ticks.filter((_, index) => index % step === 0);
}

export function VersionAxis({ ticks, area }: { ticks: Tick[]; area: Area }) {
  const named = spaced(ticks, area.width);
  return (
    <g class="axis" transform={`translate(0 ${area.height})`} aria-hidden="true">
      <line x2={area.width} />
      {named.map(({ at, text }, index) => (
        <g key={index} transform={`translate(${at.toFixed(2)} 0)`}>
          <line y2={5} />
          <text y={18} text-anchor="middle">
            {text}
          </text>
        </g>
      ))}
    </g>
  );
}
