// Measurements as a table: a row for each model, a column for each metric of one data set or each
// data set of one metric. Also finds which cells do not differ significantly from the best of their
// column.
import type { ReportDocument } from "../../document.ts";
import { resultsOf } from "../../document.ts";
import type { ColumnBest, Measurement, ScoresResult } from "../../schemas/described.ts";

/** The metric of a column, by name, definition and parameters. */
export interface Metric {
  key: string;
  metric: string;
  definition: string;
  parameters: Record<string, string>;
  higher: boolean;
}

export interface ModelRow {
  /** A key that is unique in the report. */
  name: string;
  /** The cells by data set, then by the metric's key. */
  cells: Map<string, Map<string, Measurement>>;
}

export interface Grid {
  datasets: string[];
  metrics: Metric[];
  rows: ModelRow[];
  /** Values of the subgroup attribute; "" stands for all items. */
  subgroups: string[];
}

function parametersText(parameters: Record<string, string>): string {
  return Object.entries(parameters)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join(", ");
}

export function metricKey(definition: string, parameters: Record<string, string> = {}): string {
  const text = parametersText(parameters);
  return text === "" ? definition : `${definition}(${text})`;
}

/** The shortest names that differ: "top1", "ace.class_wise", "ece(bins=20)". */
export function namesOf(metrics: Metric[]): Map<string, string> {
  const count = (of: (metric: Metric) => string) => {
    const all = new Map<string, number>();
    for (const metric of metrics) all.set(of(metric), (all.get(of(metric)) ?? 0) + 1);
    return all;
  };
  const byMetric = count(({ metric }) => metric);
  const byDefinition = count(({ definition }) => definition);
  const nameOf = ({ key, metric, definition }: Metric) => {
    if (byMetric.get(metric) === 1) return metric;
    return byDefinition.get(definition) === 1 ? definition : key;
  };
  return new Map(metrics.map((metric) => [metric.key, nameOf(metric)]));
}

/** One subgroup of all that was measured. "" stands for all items. */
export function gridOf(document: ReportDocument, subgroup: string): Grid {
  const datasets = new Set<string>();
  const metrics = new Map<string, Metric>();
  const rows = new Map<string, ModelRow>();
  const subgroups = new Set<string>([""]);
  for (const { result } of resultsOf<ScoresResult>(document, "assay.scores")) {
    for (const measurement of result.measurements) {
      const group = measurement.subgroup ?? "";
      subgroups.add(group);
      if (group !== subgroup) continue;
      const { metric, definition, parameters = {}, model, dataset } = measurement;
      const key = metricKey(definition, parameters);
      datasets.add(dataset);
      if (!metrics.has(key))
        metrics.set(key, {
          key,
          metric,
          definition,
          parameters,
          higher: measurement.higher_is_better !== false,
        });
      const row = rows.get(model) ?? { name: model, cells: new Map() };
      rows.set(model, row);
      const cells = row.cells.get(dataset) ?? new Map<string, Measurement>();
      row.cells.set(dataset, cells);
      // If a data set has the same model twice, the first one counts here, and sections show both.
      if (!cells.has(key)) cells.set(key, measurement);
    }
  }
  return {
    datasets: [...datasets],
    metrics: [...metrics.values()],
    rows: [...rows.values()],
    subgroups: [...subgroups],
  };
}

/** The first selection: the data set with most models, and of these the one with most items. */
export function mainDataset(grid: Grid): string {
  let found = "";
  let most = [0, 0];
  for (const dataset of grid.datasets) {
    const cells = grid.rows.flatMap((row) => [...(row.cells.get(dataset)?.values() ?? [])]);
    const models = grid.rows.filter((row) => row.cells.has(dataset)).length;
    const items = cells.reduce((n, cell) => Math.max(n, cell.n ?? 0), 0);
    if (found === "" || models > (most[0] ?? 0) || (models === most[0] && items > (most[1] ?? 0))) {
      found = dataset;
      most = [models, items];
    }
  }
  return found;
}

export function cellOf(row: ModelRow, dataset: string, key: string): Measurement | undefined {
  return row.cells.get(dataset)?.get(key);
}

/** What the document says about each column, by data set and metric. */
export type BestColumns = Map<string, ColumnBest>;

export function bestKey(dataset: string, metric: string): string {
  return JSON.stringify([dataset, metric]);
}

export function bestColumns(document: ReportDocument): BestColumns {
  return new Map(
    document.best.map((column) => [
      bestKey(column.dataset, metricKey(column.definition, column.parameters ?? {})),
      column,
    ]),
  );
}

export type Standing = "best" | "alike" | "untested" | "";

export function standingOf(column: ColumnBest | undefined, model: string): Standing {
  if (column === undefined) return "";
  if (column.best === model) return "best";
  if (column.alike.includes(model)) return "alike";
  return column.untested.some((other) => other.model === model) ? "untested" : "";
}
