// Corruptions and severities of one model. A darker colour means a lower remaining
// accuracy.
import { scaleLinear } from "d3-scale";
import { Chart } from "../../chart/chart.tsx";
import { type Mark, Marks } from "../../chart/marks.tsx";
import { estimateLines, intervalText, valueText } from "../../estimate.ts";
import { once, short } from "../../parts/names.ts";
import type { CorruptedModel } from "../../schemas/described.ts";
import { familyOf, wordsOf } from "./families.ts";

const rowHeight = 24;
const columnWidth = 62;
const left = 172;

export function Grid({ model }: { model: CorruptedModel }) {
  const corruptions = model.corruptions.map(({ corruption }) => corruption);
  const rows = once([...corruptions, ...model.versions.map(({ corruption }) => corruption)]);
  const severities = once(model.versions.map(({ severity }) => severity)).sort((a, b) => a - b);
  const clean = model.clean.value ?? 1;
  // The scale goes from the accuracy on clean images to 0.
  const loss = scaleLinear([clean, 0], [0.04, 0.95]).clamp(true);
  const columns = [...severities.map(String), "mean"];
  const width = left + columns.length * columnWidth + 20;
  const cell = (row: number, column: number, value: number, text: string) => {
    const weight = loss(value);
    const [x, y] = [column * columnWidth, row * rowHeight];
    return (
      <>
        <rect
          class="loss"
          x={x + 1}
          y={y + 1}
          width={columnWidth - 2}
          height={rowHeight - 2}
          style={{ fillOpacity: weight }}
        />
        <text
          class={weight > 0.55 ? "on-dark" : "on-light"}
          x={x + columnWidth / 2}
          y={y + rowHeight / 2}
          dy="0.33em"
          text-anchor="middle"
        >
          {text}
        </text>
      </>
    );
  };
  const versions: Mark[] = model.versions.flatMap(({ corruption, severity, dataset, accuracy }) => {
    const [row, column] = [rows.indexOf(corruption), severities.indexOf(severity)];
    if (accuracy.value === null) return [];
    return [
      {
        key: JSON.stringify([corruption, severity]),
        title: `${wordsOf(corruption)}, severity ${severity}`,
        lines: [...estimateLines(accuracy), dataset],
        x: (column + 1) * columnWidth,
        y: (row + 1) * rowHeight,
        draw: cell(row, column, accuracy.value, valueText(accuracy)),
      },
    ];
  });
  const means: Mark[] = model.corruptions.flatMap(({ corruption, accuracy, relative }) => {
    const row = rows.indexOf(corruption);
    if (accuracy.value === null) return [];
    return [
      {
        key: `${corruption} mean`,
        title: `${wordsOf(corruption)}, mean over severities`,
        lines: [
          ...estimateLines(accuracy),
          `relative to clean: ${valueText(relative)} (${intervalText(relative)})`,
        ],
        x: severities.length * columnWidth,
        y: (row + 1) * rowHeight,
        draw: cell(row, severities.length, accuracy.value, valueText(accuracy)),
      },
    ];
  });
  return (
    <section class="scroll corruption-grid" tabIndex={0} aria-label="Accuracy by corruption">
      <div style={{ inlineSize: `${width}px` }}>
        <Chart
          title={`${short(model.model, 60)}: accuracy by corruption and severity, %`}
          height={34 + rows.length * rowHeight}
          margin={{ top: 26, left, right: 12, bottom: 8 }}
          maxWidth={width}
          table={() => ({
            columns: ["corruption", "severity", "accuracy, %", "interval", "n"],
            rows: model.versions.map(({ corruption, severity, accuracy }) => [
              wordsOf(corruption),
              severity,
              accuracy.value === null ? (accuracy.undefined ?? "–") : valueText(accuracy),
              intervalText(accuracy),
              accuracy.n ?? "",
            ]),
          })}
        >
          {() => (
            <>
              <g class="axis" aria-hidden="true">
                {columns.map((text, column) => (
                  <text key={text} x={(column + 0.5) * columnWidth} y={-8} text-anchor="middle">
                    {text}
                  </text>
                ))}
                {rows.map((corruption, row) => (
                  <text
                    key={corruption}
                    x={-8}
                    y={(row + 0.5) * rowHeight}
                    dy="0.33em"
                    text-anchor="end"
                  >
                    {wordsOf(corruption)}
                  </text>
                ))}
                {rows.map((corruption, row) =>
                  familyOf(corruption) === familyOf(rows[row - 1] ?? "") && row > 0 ? null : (
                    <g key={corruption}>
                      <text class="family" x={-left + 2} y={(row + 0.5) * rowHeight} dy="0.33em">
                        {familyOf(corruption)}
                      </text>
                      {row > 0 && (
                        <path
                          class="family-line"
                          d={`M${-left} ${row * rowHeight}H${columns.length * columnWidth}`}
                        />
                      )}
                    </g>
                  ),
                )}
              </g>
              <Marks label="Accuracy by corruption and severity" marks={versions} />
              <Marks label="Means over severities" marks={means} />
            </>
          )}
        </Chart>
      </div>
    </section>
  );
}
