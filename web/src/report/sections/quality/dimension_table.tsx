// Every model in every dimension, with intervals; what was measured in another way, or is doubtful,
// carries a number of a footnote.
import { useMemo } from "preact/hooks";
import { intervalText, unitText, valueText } from "../../estimate.ts";
import { useAddress } from "../../state.ts";
import { estimateOf } from "./cells.ts";
import type { Chosen } from "./choice_state.ts";
import { Check } from "./controls.tsx";
import { type Dimension, dimensions } from "./dimensions.ts";
import { footnotesOf } from "./footnotes.ts";
import type { Row } from "./tables.ts";

/** Rows until all are asked for. */
const most = 20;

interface DimensionTableProps {
  rows: Row[];
  chosen: Chosen;
}

function head({ title, unit, higherIsBetter }: Dimension) {
  const shown = unitText(unit);
  return (
    <>
      {title}
      {shown !== "" && ` (${shown})`}
      <small>{higherIsBetter ? "high is better" : "low is better"}</small>
    </>
  );
}

export function DimensionTable({ rows, chosen }: DimensionTableProps) {
  const [all, setAll] = useAddress("quality.rows", "few");
  const footnotes = useMemo(() => footnotesOf(rows), [rows]);
  const shown = all === "all" ? rows : rows.slice(0, most);
  return (
    <>
      <section class="scroll quality-dimensions" tabIndex={0} aria-label="Quality dimensions">
        <table>
          <thead>
            <tr>
              <th scope="col">model</th>
              {dimensions.map((dimension) => (
                <th key={dimension.name} scope="col">
                  {head(dimension)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr key={row.key} class={chosen.has(row) ? "quality-picked" : ""}>
                <th scope="row">
                  <Check label={row.label} on={chosen.has(row)} set={() => chosen.toggle(row)} />
                </th>
                {dimensions.map((dimension, d) => (
                  <DimensionCell
                    key={dimension.name}
                    row={row}
                    d={d}
                    dimension={dimension}
                    marks={footnotes.of(row, d)}
                  />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {rows.length > most && (
        <Check
          label={`all ${rows.length} models`}
          on={all === "all"}
          set={(on) => setAll(on ? "all" : "few")}
        />
      )}
      {footnotes.list.length > 0 && (
        <details class="quality-notes">
          <summary>How it was measured, and doubts ({footnotes.list.length})</summary>
          <ol>
            {footnotes.list.map(({ dimension, text, models }) => (
              <li key={`${dimension.name} ${text}`}>
                {dimension.title}: {text} ({models} {models === 1 ? "model" : "models"})
              </li>
            ))}
          </ol>
        </details>
      )}
    </>
  );
}

interface DimensionCellProps {
  row: Row;
  d: number;
  dimension: Dimension;
  marks: number[];
}

function DimensionCell({ row, d, dimension, marks }: DimensionCellProps) {
  const cell = row.cells[d] ?? null;
  const estimate = estimateOf(cell, dimension);
  return (
    <td title={estimate.value === null ? estimate.undefined : undefined}>
      {valueText(estimate)}
      {marks.length > 0 && <sup>{marks.join(" ")}</sup>}
      <small>{intervalText(estimate)}</small>
    </td>
  );
}
