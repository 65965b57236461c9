// Many points drawn as one path. The pointer finds the nearest one. Arrow keys go from one to the
// next along the x axis.
import { useMemo, useRef, useState } from "preact/hooks";
import { type Area, type Tip, useTip } from "../../chart/chart.tsx";

export interface CloudPoint {
  x: number;
  y: number;
  tip: () => Tip;
  press: () => void;
}

const reach = 24;

interface CloudProps {
  label: string;
  /** Points from left to right. */
  points: CloudPoint[];
  area: Area;
}

export function Cloud({ label, points, area }: CloudProps) {
  const showTip = useTip();
  const [at, setAt] = useState(-1);
  const ground = useRef<SVGRectElement>(null);
  const path = useMemo(
    () => points.map(({ x, y }) => `M${x.toFixed(1)} ${y.toFixed(1)}h0`).join(""),
    [points],
  );
  const go = (index: number) => {
    setAt(index);
    const point = points[index];
    showTip(point === undefined ? null : point.tip());
  };
  const onMove = (event: PointerEvent) => {
    const box = ground.current?.getBoundingClientRect();
    if (box === undefined) return;
    const scale = area.width / Math.max(1, box.width);
    const x = (event.clientX - box.left) * scale;
    const y = (event.clientY - box.top) * scale;
    let best = -1;
    let least = reach * reach;
    points.forEach((point, index) => {
      const distance = (point.x - x) ** 2 + (point.y - y) ** 2;
      if (distance <= least) {
        least = distance;
        best = index;
      }
    });
    if (best !== at) go(best);
  };
  const onKey = (event: KeyboardEvent) => {
    const steps = new Map([
      ["ArrowRight", 1],
      ["ArrowUp", 1],
      ["ArrowLeft", -1],
      ["ArrowDown", -1],
      ["PageUp", 20],
      ["PageDown", -20],
      ["Home", -points.length],
      ["End", points.length],
    ]);
    const step = steps.get(event.key);
    if (step !== undefined) {
      event.preventDefault();
      go(Math.max(0, Math.min(points.length - 1, at + step)));
    } else if (event.key === "Escape") {
      go(-1);
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      points[at]?.press();
    }
  };
  const current = points[at];
  return (
    <g
      class="quality-cloud"
      role="group"
      aria-label={`${label}: ${points.length} models, arrow keys go from one to the next`}
      tabIndex={0}
      onKeyDown={onKey}
      onFocus={() => at < 0 && points.length > 0 && go(0)}
      onBlur={() => go(-1)}
      onPointerMove={onMove}
      onClick={() => current?.press()}
    >
      <rect ref={ground} class="quality-ground" width={area.width} height={area.height} />
      <path class="quality-dots" d={path} />
      {current !== undefined && (
        <circle class="quality-found" cx={current.x} cy={current.y} r={6} />
      )}
    </g>
  );
}
