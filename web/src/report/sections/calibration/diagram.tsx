// A reliability diagram. It shows accuracy by confidence with its intervals, the gap to the
// diagonal of perfect calibration, and below it how many items each bin holds.
import { scaleLinear } from "d3-scale";
import { XAxis, YAxis } from "../../chart/axis.tsx";
import { type Area, Chart } from "../../chart/chart.tsx";
import { type Mark, Marks, SeriesMark, Whisker } from "../../chart/marks.tsx";
import { countText, estimateLines, intervalText, numberText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { ReliabilityBin } from "../../schemas/described.ts";
import { binName, sideOf } from "./metrics.ts";

/** The bin of confidences of exactly 1 has no width, so it is drawn as a bar next to the others. */
const edge = 7;

interface DiagramProps {
  name: string;
  bins: ReliabilityBin[];
  /** For one of several diagrams side by side. */
  small?: boolean;
}

function confidenceText(bin: ReliabilityBin): string {
  return bin.confidence === null ? "–" : numberText(bin.confidence, 0.005, "proportion");
}

export function Diagram({ name, bins, small }: DiagramProps) {
  const below = small === true ? 46 : 84;
  const most = Math.max(1, ...bins.map(({ accuracy }) => accuracy.n ?? 0));
  const draw = (area: Area) => {
    const height = area.height - below - 14;
    const x = scaleLinear([0, 100], [0, area.width - edge]);
    const y = scaleLinear([0, 100], [height, 0]);
    const items = scaleLinear([0, most], [below, 0]).nice(2);
    const upper = { width: area.width, height };
    const lower = { width: area.width, height: below };
    const place = (bin: ReliabilityBin) =>
      bin.low === bin.high
        ? { left: x(100) + 1, width: edge - 1 }
        : {
            left: x(100 * bin.low) + 0.5,
            width: Math.max(1, x(100 * bin.high) - x(100 * bin.low) - 1),
          };
    const marks: Mark[] = bins.map((bin, index) => {
      const { accuracy, confidence } = bin;
      const { left, width } = place(bin);
      const at = confidence === null ? left + width / 2 : x(100 * confidence);
      const value = accuracy.value;
      return {
        key: String(index),
        title: binName(bin),
        lines:
          value === null
            ? estimateLines(accuracy)
            : [
                `accuracy ${estimateLines(accuracy)[0] ?? ""}`,
                ...estimateLines(accuracy).slice(1),
                `mean confidence ${confidenceText(bin)} %`,
              ],
        x: at,
        y: value === null ? height : y(100 * value),
        draw: (
          <>
            <rect class="hit" x={left} width={width} height={height} />
            {value !== null && (
              <>
                <rect
                  class="accuracy-bar"
                  x={left}
                  y={y(100 * value)}
                  width={width}
                  height={height - y(100 * value)}
                />
                {confidence !== null && (
                  <path
                    class={`gap-${sideOf(bin)}`}
                    d={`M${at} ${y(100 * value)}V${y(100 * confidence)}`}
                  />
                )}
                {accuracy.interval !== undefined && (
                  <Whisker
                    x={at}
                    y={0}
                    low={y(100 * accuracy.interval.low)}
                    high={y(100 * accuracy.interval.high)}
                  />
                )}
                <SeriesMark x={at} y={y(100 * value)} index={0} size={small === true ? 2.5 : 3.5} />
              </>
            )}
          </>
        ),
      };
    });
    return (
      <>
        <YAxis
          scale={y}
          area={upper}
          title="accuracy, %"
          ticks={small === true ? 3 : 6}
          left={-42}
        />
        <XAxis scale={x} area={upper} ticks={5} format={() => ""} />
        <path class="diagonal" d={`M0 ${height}L${x(100)} 0`} />
        <Marks label={`Accuracy by confidence of ${short(name, 80)}`} marks={marks} />
        <g transform={`translate(0 ${height + 14})`} class="confidence-histogram">
          <YAxis scale={items} area={lower} ticks={2} title="items" left={-42} />
          {bins.map((bin, index) => {
            const { left, width } = place(bin);
            const top = items(bin.accuracy.n ?? 0);
            return (
              <rect key={index} x={left} y={top} width={width} height={Math.max(0, below - top)} />
            );
          })}
          <XAxis scale={x} area={lower} ticks={5} grid={false} title="confidence, %" />
        </g>
      </>
    );
  };
  return (
    <Chart
      title={short(name, 60)}
      summary={`Reliability diagram of ${short(name, 120)}`}
      height={small === true ? 300 : 520}
      maxWidth={small === true ? 420 : 620}
      table={() => ({
        columns: [
          "confidence",
          "items",
          "correct",
          "accuracy, %",
          "interval",
          "mean confidence, %",
        ],
        rows: bins.map((bin) => [
          binName(bin).replace("confidence ", ""),
          countText(bin.accuracy.n ?? 0),
          countText(bin.correct),
          valueText(bin.accuracy),
          intervalText(bin.accuracy),
          confidenceText(bin),
        ]),
      })}
    >
      {draw}
    </Chart>
  );
}
