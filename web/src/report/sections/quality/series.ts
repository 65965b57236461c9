// Which series a model belongs to: given by the value of a tag, or by its table.
import { distinct } from "../../parts/names.ts";
import type { QualityTable, Row } from "./tables.ts";

export interface Series {
  names: string[];
  of: (row: Row) => number;
}

const most = 8;
export const byTable = "(table)";

/** The seven most frequent values, followed by all others. */
export function seriesBy(tag: string, rows: readonly Row[], tables: QualityTable[]): Series {
  if (tag === byTable) {
    const names = tables.filter(({ published }) => !published).map(({ source }) => source);
    return {
      names: distinct(names).slice(0, most),
      of: (row) => Math.min(most, Math.max(1, Number.parseInt(row.key, 10) || 1)) - 1,
    };
  }
  if (tag === "") return { names: [], of: () => 0 };
  const count = new Map<string, number>();
  for (const row of rows) {
    const value = row.tags.get(tag) ?? "";
    count.set(value, (count.get(value) ?? 0) + 1);
  }
  const values = [...count].sort((a, b) => b[1] - a[1]).map(([value]) => value);
  const kept = values.length > most ? values.slice(0, most - 1) : values;
  const place = new Map(kept.map((value, index) => [value, index]));
  const names = kept.map((value) => (value === "" ? `no ${tag}` : value));
  if (values.length > kept.length) names.push("others");
  return { names: distinct(names), of: (row) => place.get(row.tags.get(tag) ?? "") ?? most - 1 };
}

/** Tags by which points can be distinguished, in order. */
export function usefulTags(tags: readonly string[], rows: readonly Row[]): string[] {
  return tags.filter((tag) => new Set(rows.map((row) => row.tags.get(tag) ?? "")).size > 1);
}
