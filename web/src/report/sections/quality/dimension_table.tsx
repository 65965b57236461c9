// Every model in every dimension, with intervals. A value that was measured in another way, or is
// doubtful, has the number of a footnote.
import { useMemo } from "preact/hooks";
import { estimateLines, intervalText, unitText } from "../../estimate.ts";
import { type DataColumn, DataTable } from "../../table/data_table.tsx";
import { cellText, estimateOf } from "./cells.ts";
import type { Chosen } from "./choice_state.ts";
import { Check } from "./controls.tsx";
import { type Dimension, dimensions, directionText } from "./dimensions.ts";
import { type Footnotes, footnotesOf } from "./footnotes.ts";
import type { Row } from "./tables.ts";

interface DimensionTableProps {
  rows: Row[];
  chosen: Chosen;
}

function columnOf(dimension: Dimension, d: number, footnotes: Footnotes): DataColumn<Row> {
  const { name, title, unit, higherIsBetter } = dimension;
  const of = (row: Row) => estimateOf(row.cells[d] ?? null, dimension);
  const part = (end: "low" | "high") => ({
    name: `${name}_${end}`,
    of: (row: Row) => of(row).interval?.[end] ?? null,
  });
  return {
    key: name,
    name: `${title}${unitText(unit) === "" ? "" : ` (${unitText(unit)})`}`,
    meaning: directionText(dimension),
    least: !higherIsBetter,
    value: (row) => of(row).value,
    shown: (row) => cellText(of(row)),
    cell: (row) => {
      const estimate = of(row);
      const marks = footnotes.of(row, d);
      return (
        <span title={estimateLines(estimate).join("\n")}>
          {cellText(estimate)}
          {marks.length > 0 && <sup>{marks.join(" ")}</sup>} <small>{intervalText(estimate)}</small>
        </span>
      );
    },
    parts: [part("low"), part("high")],
  };
}

export function DimensionTable({ rows, chosen }: DimensionTableProps) {
  const footnotes = useMemo(() => footnotesOf(rows), [rows]);
  const columns = useMemo(() => {
    const measured = dimensions.map((dimension, d) => columnOf(dimension, d, footnotes));
    return measured.filter((_, d) => rows.some((row) => (row.cells[d] ?? null) !== null));
  }, [rows, footnotes]);
  const model: DataColumn<Row> = {
    key: "model",
    name: "model",
    text: true,
    value: (row) => row.label,
    shown: (row) => row.label,
    cell: (row) => <Check label={row.label} on={chosen.has(row)} set={() => chosen.toggle(row)} />,
  };
  return (
    <div class="quality-dimensions">
      <DataTable
        id="quality.dimensions"
        label="All models in all dimensions"
        rows={rows}
        keyOf={(row) => row.key}
        columns={[model, ...columns]}
      />
      {footnotes.list.length > 0 && (
        <details class="quality-notes">
          <summary>How it was measured, and caveats ({footnotes.list.length})</summary>
          <ol>
            {footnotes.list.map(({ dimension, text, models }) => (
              <li key={`${dimension.name} ${text}`}>
                {dimension.title}: {text} ({models} {models === 1 ? "model" : "models"})
              </li>
            ))}
          </ol>
        </details>
      )}
    </div>
  );
}
