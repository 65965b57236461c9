// Classes by name, matched between two models, and those of the most frequent confusions.
import type { ClassScore, Confusion } from "../../schemas/described.ts";

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

/** null as a predicted class means a class outside of the class map. */
export interface ConfusedClasses {
  truths: string[];
  predicted: (string | null)[];
  /** The confusions between those classes. */
  cells: Confusion[];
  /** The number of confusions with other classes. */
  left: number;
}

/** The classes of the most frequent confusions, at most this number in each direction. */
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
