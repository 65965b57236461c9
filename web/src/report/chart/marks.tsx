// The marks of charts. A group of marks is one stop of the Tab key. Arrow keys move between its
// marks, and each mark has a description.
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import { type Tip, useTip } from "./chart.tsx";

export interface Mark extends Tip {
  /** A key that is unique within the group. */
  key: string;
  draw: ComponentChildren;
  /** Called on Enter and click. */
  press?: () => void;
}

export function Marks({ label, marks }: { label: string; marks: Mark[] }) {
  const [current, setCurrent] = useState(0);
  const showTip = useTip();
  const group = useRef<SVGGElement>(null);
  const at = Math.min(current, marks.length - 1);
  const go = (to: number) => {
    const next = Math.max(0, Math.min(marks.length - 1, to));
    setCurrent(next);
    const element = group.current?.children[next];
    if (element instanceof SVGElement) element.focus();
  };
  const onKey = (event: KeyboardEvent) => {
    const steps: Record<string, number> = {
      ArrowRight: 1,
      ArrowDown: 1,
      ArrowLeft: -1,
      ArrowUp: -1,
      Home: -marks.length,
      End: marks.length,
    };
    const step = steps[event.key];
    if (step !== undefined) {
      event.preventDefault();
      go(at + step);
    } else if (event.key === "Escape") {
      showTip(null);
    } else if (event.key === "Enter" || event.key === " ") {
      const press = marks[at]?.press;
      if (press !== undefined) {
        event.preventDefault();
        press();
      }
    }
  };
  return (
    <g role="list" aria-label={label} ref={group} onKeyDown={onKey}>
      {marks.map((mark, index) => (
        <g
          key={mark.key}
          role="listitem"
          class={mark.press === undefined ? "mark" : "mark pressable"}
          tabIndex={index === at ? 0 : -1}
          aria-label={[mark.title, ...mark.lines].join(", ")}
          onPointerEnter={() => showTip(mark)}
          onFocus={() => {
            setCurrent(index);
            showTip(mark);
          }}
          onBlur={() => showTip(null)}
          onClick={mark.press}
        >
          {mark.draw}
        </g>
      ))}
    </g>
  );
}

/** An interval as a vertical or horizontal line with ends. */
export function Whisker({
  x,
  y,
  low,
  high,
  level,
}: {
  x: number;
  y: number;
  low: number;
  high: number;
  level?: boolean;
}) {
  const end = 3;
  return level === true ? (
    <path
      class="whisker"
      d={`M${low} ${y}H${high}M${low} ${y - end}v${2 * end}M${high} ${y - end}v${2 * end}`}
    />
  ) : (
    <path
      class="whisker"
      d={`M${x} ${low}V${high}M${x - end} ${low}h${2 * end}M${x - end} ${high}h${2 * end}`}
    />
  );
}

/** A line through points. It is interrupted at null. */
export function linePath(points: ([number, number] | null)[]): string {
  let path = "";
  let pen = "M";
  for (const point of points) {
    if (point === null) {
      pen = "M";
      continue;
    }
    path += `${pen}${point[0].toFixed(2)} ${point[1].toFixed(2)}`;
    pen = "L";
  }
  return path;
}

/** Eight shapes, so that series can be distinguished without colour. */
const shapes: ((r: number) => string)[] = [
  (r) => `M${-r} 0a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0`,
  (r) => `M${-r} ${-r}h${2 * r}v${2 * r}h${-2 * r}z`,
  (r) => `M0 ${-1.25 * r}L${1.15 * r} ${0.85 * r}H${-1.15 * r}z`,
  (r) => `M0 ${-1.3 * r}L${1.3 * r} 0L0 ${1.3 * r}L${-1.3 * r} 0z`,
  (r) => `M0 ${1.25 * r}L${1.15 * r} ${-0.85 * r}H${-1.15 * r}z`,
  (r) => `M${-r} ${-r}L${r} ${r}M${-r} ${r}L${r} ${-r}`,
  (r) => `M0 ${-1.2 * r}V${1.2 * r}M${-1.2 * r} 0H${1.2 * r}`,
  (r) => `M${-1.2 * r} ${-0.5 * r}h${2.4 * r}v${r}h${-2.4 * r}z`,
];

/** The mark of series `index`. Its colour is that of the class `series-N`. */
export function SeriesMark({
  x,
  y,
  index,
  size,
}: {
  x: number;
  y: number;
  index: number;
  size?: number;
}) {
  const shape = shapes[index % shapes.length] ?? shapes[0];
  return (
    <path
      class={`symbol series-${index % 8}`}
      transform={`translate(${x.toFixed(2)} ${y.toFixed(2)})`}
      d={shape?.(size ?? 4)}
    />
  );
}

export function Legend({ names }: { names: string[] }) {
  return (
    <ul class="legend">
      {names.map((name, index) => (
        <li key={name}>
          <svg width="14" height="14" aria-hidden="true">
            <SeriesMark x={7} y={7} index={index} />
          </svg>
          {name}
        </li>
      ))}
    </ul>
  );
}
