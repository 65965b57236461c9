// Definitions that differ from the published ones, notes, and reasons for missing values. A dimension
// has each text once.
import type { QualityCell } from "../../schemas/described.ts";
import { type Dimension, dimensions } from "./dimensions.ts";
import type { Row } from "./tables.ts";

export interface Footnote {
  dimension: Dimension;
  text: string;
  models: number;
}

export interface Footnotes {
  list: Footnote[];
  /** Numbers counted from 1. */
  of: (row: Row, d: number) => number[];
}

function textsOf(cell: QualityCell | null): string[] {
  if (cell === null) return [];
  const absent = cell.value === null ? cell.undefined : undefined;
  const { definition, note } = cell;
  return [absent, definition === "published" ? "" : definition, note].filter(
    (text): text is string => text !== undefined && text !== "",
  );
}

export function footnotesOf(rows: readonly Row[]): Footnotes {
  const list: Footnote[] = [];
  const places = dimensions.map(() => new Map<string, number>());
  dimensions.forEach((dimension, d) => {
    for (const row of rows)
      for (const text of textsOf(row.cells[d] ?? null)) {
        const place = places[d]?.get(text);
        const known = place === undefined ? undefined : list[place - 1];
        if (known !== undefined) known.models += 1;
        else places[d]?.set(text, list.push({ dimension, text, models: 1 }));
      }
  });
  return {
    list,
    of: (row, d) => textsOf(row.cells[d] ?? null).flatMap((text) => places[d]?.get(text) ?? []),
  };
}
