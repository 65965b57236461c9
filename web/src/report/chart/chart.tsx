// The frame of every chart. It is as wide as possible. It has a name for screen readers, a table of
// its numbers that opens with one press, and one tooltip for the focused mark.
import type { ComponentChildren } from "preact";
import { createContext } from "preact";
import { useContext, useEffect, useId, useRef, useState } from "preact/hooks";
import { PlainTable, type PlainTableData } from "../table/plain.tsx";

/** The area inside the axes, in pixels. The origin is its upper left corner. */
export interface Area {
  width: number;
  height: number;
}

export interface Margin {
  top: number;
  right: number;
  bottom: number;
  left: number;
}

export interface Tip {
  /** In pixels from the area's origin. */
  x: number;
  y: number;
  title: string;
  lines: string[];
}

const TipContext = createContext<(tip: Tip | null) => void>(() => undefined);

/** Shows a tooltip, or hides it (null). */
export function useTip(): (tip: Tip | null) => void {
  return useContext(TipContext);
}

const usual: Margin = { top: 12, right: 16, bottom: 44, left: 56 };

interface ChartProps {
  /** The heading above the chart. `summary` describes the chart for screen readers. */
  title: string;
  summary?: string;
  height?: number;
  margin?: Partial<Margin>;
  /** The largest width in pixels; by default the available width. */
  maxWidth?: number;
  /** The numbers that the chart shows. */
  table: () => PlainTableData;
  /** Content above the drawing, such as legends and choices. */
  controls?: ComponentChildren;
  children: (area: Area) => ComponentChildren;
}

export function Chart(props: ChartProps) {
  const { title, summary, table, controls, children, maxWidth } = props;
  const height = props.height ?? 360;
  const margin = { ...usual, ...props.margin };
  const holder = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(640);
  const [tip, setTip] = useState<Tip | null>(null);
  const [asTable, setAsTable] = useState(false);
  const id = useId();
  useEffect(() => {
    const element = holder.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(([entry]) => {
      const room = entry?.contentRect.width ?? 0;
      if (room > 0) setWidth(Math.max(240, Math.min(room, maxWidth ?? 1e6)));
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [maxWidth]);
  const area: Area = {
    width: Math.max(10, width - margin.left - margin.right),
    height: Math.max(10, height - margin.top - margin.bottom),
  };
  return (
    <figure class="chart" aria-labelledby={id}>
      <figcaption id={id}>
        <span>{title}</span>
        <button
          type="button"
          class="link no-print"
          aria-pressed={asTable}
          onClick={() => setAsTable(!asTable)}
        >
          {asTable ? "as a plot" : "as a table"}
        </button>
      </figcaption>
      {controls}
      <div class="drawing" ref={holder} onPointerLeave={() => setTip(null)}>
        {asTable ? (
          <PlainTable label={title} data={table()} />
        ) : (
          <>
            <svg
              viewBox={`0 0 ${width} ${height}`}
              width={width}
              height={height}
              role="group"
              aria-label={summary ?? title}
            >
              <g transform={`translate(${margin.left} ${margin.top})`}>
                <TipContext.Provider value={setTip}>{children(area)}</TipContext.Provider>
              </g>
            </svg>
            {tip !== null && (
              <div
                class="tip"
                role="status"
                style={{
                  left: `${Math.min(tip.x + margin.left + 12, Math.max(0, width - 220))}px`,
                  top: `${tip.y + margin.top + 12}px`,
                }}
              >
                <strong>{tip.title}</strong>
                {tip.lines.map((line) => (
                  <span key={line}>{line}</span>
                ))}
              </div>
            )}
          </>
        )}
      </div>
    </figure>
  );
}
