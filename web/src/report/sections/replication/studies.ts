// The studies of a document: an adjustment, and the numbers of its figures if there are any.
import { type ReportDocument, resultsOf } from "../../document.ts";
import type { Estimate } from "../../estimate.ts";
import { distinct } from "../../parts/names.ts";
import type {
  AnnotatorsRow,
  ReplicateAdjust,
  ReplicateFigures,
  ReplicateLine,
} from "../../schemas/described.ts";

export interface Study {
  name: string;
  adjust: ReplicateAdjust;
  figures: ReplicateFigures | undefined;
  /** The unique names of the classifiers, in order. */
  models: string[];
}

/**
 * Results do not name each other's files. So the same classifiers with the same accuracies count
 * as one study.
 */
export function belongTo(adjust: ReplicateAdjust, figures: ReplicateFigures): boolean {
  const theirs = figures.scatter.classifiers;
  return (
    theirs.length === adjust.classifiers.length &&
    adjust.classifiers.every(({ name, original, replication }, index) => {
      const other = theirs[index];
      return (
        other?.name === name &&
        other.original.value === original.value &&
        other.replication.value === replication.value
      );
    })
  );
}

export function studiesOf(document: ReportDocument): Study[] {
  const figures = resultsOf<ReplicateFigures>(document, "assay.replicate_figures");
  const all = resultsOf<ReplicateAdjust>(document, "assay.replicate_adjust");
  const names = distinct(all.map(({ source }) => source));
  return all.map(({ result }, index) => ({
    name: names[index] ?? "",
    adjust: result,
    figures: figures.find((entry) => belongTo(result, entry.result))?.result,
    models: distinct(result.classifiers.map(({ name }) => name)),
  }));
}

/** The value of the line at x. Null if unknown. */
export function lineAt(line: ReplicateLine, x: number): number | null {
  const { slope, intercept } = line;
  return slope.value === null || intercept.value === null
    ? null
    : intercept.value + slope.value * x;
}

/** The quantities that are plotted against the number of annotators, by name. */
export const quantities = [
  { key: "adjusted", text: "Adjusted accuracy, mean" },
  { key: "remaining", text: "Remaining gap, mean" },
  { key: "selection_bias", text: "Selection bias, mean" },
  { key: "slope", text: "Slope of the line" },
] as const;

export type Quantity = (typeof quantities)[number]["key"];

export function quantityOf(row: AnnotatorsRow, quantity: Quantity): Estimate {
  return quantity === "slope" ? (row.line?.slope ?? { value: null }) : row[quantity];
}

/** The same quantities without an adjustment. */
export function measuredOf({ adjust }: Study, quantity: Quantity): Estimate {
  if (quantity === "adjusted") return adjust.mean.replication;
  if (quantity === "slope") return adjust.line?.slope ?? { value: null };
  // In measured accuracies, nothing is attributed to the selection.
  return quantity === "remaining"
    ? (adjust.methods[0]?.mean?.gap.gap ?? { value: null })
    : { value: null };
}

/** The estimates by method in order, each from few annotators to many. */
export function byMethod<T extends { method: string; annotators: number }>(
  rows: T[],
): Map<string, T[]> {
  const all = new Map<string, T[]>();
  for (const row of rows) {
    const list = all.get(row.method) ?? [];
    all.set(row.method, list);
    list.push(row);
  }
  for (const list of all.values()) list.sort((a, b) => a.annotators - b.annotators);
  return all;
}
