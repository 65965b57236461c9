// Names next to the points of a scatter plot, if there is space.

export interface NamedPlace {
  x: number;
  y: number;
  name: string;
}

/** The approximate width of a letter and the height of a line, in pixels. */
const letter = 6.8;
const line = 14;

/** The points whose names do not overlap. The names of other points are in the tooltip. */
export function withRoom(places: NamedPlace[], width: number) {
  const kept: { x: number; y: number; name: string; left: number; right: number }[] = [];
  for (const { x, y, name } of places.slice(0, 400)) {
    const long = name.length * letter;
    const before = x + 8 + long > width;
    const left = before ? x - 8 - long : x + 8;
    const right = left + long;
    const meets = kept.some(
      (other) => left < other.right && right > other.left && Math.abs(y - other.y) < line,
    );
    if (!meets) kept.push({ x: before ? right : left, y: y - 7, name, left, right });
  }
  return kept.map(({ x, y, name, left }) => ({ x, y, name, before: x !== left }));
}

export function PointNames({ places, width }: { places: NamedPlace[]; width: number }) {
  return (
    <g aria-hidden="true">
      {withRoom(places, width).map(({ x, y, name, before }, index) => (
        <text key={index} class="point-name" x={x} y={y} text-anchor={before ? "end" : "start"}>
          {name}
        </text>
      ))}
    </g>
  );
}
