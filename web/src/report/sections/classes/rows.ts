// The rows of the classes: filtered, ordered, matched between two models, and the classes of the
// most frequent confusions. Nothing here is measured anew.
import { ascending } from "d3-array";
import { matching } from "../../parts/some_of.tsx";
import type { ClassScore, Confusion } from "../../schemas/scores.ts";

export type ClassOrder = "accuracy" | "name" | "n" | "confidence" | "target_probability";

/** "-n": descending. What is not an order is the lowest accuracy first. */
export function orderOf(text: string): { key: ClassOrder; descending: boolean } {
  const descending = text.startsWith("-");
  const key = descending ? text.slice(1) : text;
  const known: ClassOrder[] = ["accuracy", "name", "n", "confidence", "target_probability"];
  return { key: known.find((order) => order === key) ?? "accuracy", descending };
}

function orderValue(row: ClassScore, key: ClassOrder): number | string | undefined {
  switch (key) {
    case "name":
      return row.name || row.id;
    case "n":
      return row.accuracy.n;
    case "accuracy":
      return row.accuracy.value ?? undefined;
    default:
      return row[key];
  }
}

/** What has no value stands last in either direction; equal ones keep their order. */
export function orderedClasses(
  rows: ClassScore[],
  key: ClassOrder,
  descending: boolean,
  filter: string,
): ClassScore[] {
  const names = new Set(matching(rows.map(textOf), filter));
  const kept = rows.filter((row) => names.has(textOf(row)));
  return kept.sort((a, b) => {
    const [left, right] = [orderValue(a, key), orderValue(b, key)];
    if (left === undefined || right === undefined)
      return Number(left === undefined) - Number(right === undefined);
    const order = typeof left === "string" ? compareText(left, right) : ascending(left, right);
    return descending ? -order : order;
  });
}

function compareText(a: string, b: string | number): number {
  return a.localeCompare(String(b), "en", { numeric: true });
}

export function textOf(row: ClassScore): string {
  return row.name === row.id || row.name === "" ? row.id : `${row.name} (${row.id})`;
}

export interface BothModels {
  id: string;
  text: string;
  a: ClassScore;
  b: ClassScore;
}

/** Classes of both models, by their ids. */
export function matched(a: ClassScore[], b: ClassScore[]): BothModels[] {
  const others = new Map(b.map((row) => [row.id, row]));
  return a.flatMap((row) => {
    const other = others.get(row.id);
    return other === undefined ? [] : [{ id: row.id, text: textOf(row), a: row, b: other }];
  });
}

/** null among the predicted: no class of the map. */
export interface ConfusedClasses {
  truths: string[];
  predicted: (string | null)[];
  /** Of those classes. */
  cells: Confusion[];
  /** Confusions whose classes have no place. */
  left: number;
}

/** The classes of the most frequent confusions, at most so many in each direction. */
export function confusedClasses(confusions: Confusion[], most: number): ConfusedClasses {
  const frequent = [...confusions].sort((a, b) => b.count - a.count);
  const truths = new Set<string>();
  const predicted = new Set<string | null>();
  const cells: Confusion[] = [];
  for (const cell of frequent) {
    const fits =
      (truths.has(cell.truth) || truths.size < most) &&
      (predicted.has(cell.predicted) || predicted.size < most);
    if (!fits) continue;
    truths.add(cell.truth);
    predicted.add(cell.predicted);
    cells.push(cell);
  }
  const order = new Map([...truths, ...predicted].map((id) => [id, 0]));
  let place = 0;
  for (const id of order.keys()) order.set(id, place++);
  const byPlace = (a: string | null, b: string | null) => (order.get(a) ?? 0) - (order.get(b) ?? 0);
  return {
    truths: [...truths].sort(byPlace),
    predicted: [...predicted].sort(byPlace),
    cells,
    left: confusions.length - cells.length,
  };
}

export function sameCell(cell: Confusion, truth: string, predicted: string | null): boolean {
  return cell.truth === truth && cell.predicted === predicted;
}
