// Names next to points. A name that would cover another one is omitted.

import type { Area } from "../../chart/chart.tsx";
import { short } from "../../parts/names.ts";

interface Named {
  x: number;
  y: number;
  name: string;
}

const longest = 28;

export function PointNames({ area, points }: { area: Area; points: Named[] }) {
  const taken: { left: number; right: number; y: number }[] = [];
  return (
    <g class="quality-names" aria-hidden="true">
      {points.map(({ x, y, name }, index) => {
        const text = short(name, longest);
        const width = text.length * 6.6;
        const end = x + 10 + width > area.width;
        const left = end ? x - 10 - width : x + 10;
        const right = left + width;
        const meets = taken.some((t) => Math.abs(t.y - y) < 13 && left < t.right && t.left < right);
        if (meets) return null;
        taken.push({ left, right, y });
        return (
          <text key={index} x={end ? x - 10 : x + 10} y={y - 5} text-anchor={end ? "end" : "start"}>
            {text}
          </text>
        );
      })}
    </g>
  );
}
