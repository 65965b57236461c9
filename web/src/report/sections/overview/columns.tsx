// Columns of the overview: the model, its tags, and what was measured.
import type { ReportDocument } from "../../document.ts";
import type { MetricDefinition } from "../../schemas/described.ts";
import type { DataColumn } from "../../table/data_table.tsx";
import { Cell, cellText } from "./cell.tsx";
import {
  type BestColumns,
  bestKey,
  cellOf,
  type Metric,
  type ModelRow,
  standingOf,
} from "./grid.ts";

export function modelColumns(document: ReportDocument): DataColumn<ModelRow>[] {
  const { names, models } = document.tags;
  const tags = new Map(Object.entries(models));
  const tagOf = (row: ModelRow, name: string) => {
    const all = tags.get(row.name);
    return all !== undefined && Object.hasOwn(all, name) ? String(all[name]) : "";
  };
  return [
    {
      key: "model",
      name: "model",
      text: true,
      value: ({ name }) => name,
      shown: ({ name }) => name,
      cell: ({ name }) => (
        <bdi class="model-name" title={name}>
          {name}
        </bdi>
      ),
    },
    ...names.map((name) => ({
      key: `tag ${name}`,
      name,
      text: true,
      value: (row: ModelRow) => tagOf(row, name) || null,
      shown: (row: ModelRow) => tagOf(row, name),
      cell: (row: ModelRow) => <bdi>{tagOf(row, name)}</bdi>,
    })),
  ];
}

export function measuredColumn(
  dataset: string,
  metric: Metric,
  name: string,
  best: BestColumns,
  definition: MetricDefinition | undefined,
): DataColumn<ModelRow> {
  const column = best.get(bestKey(dataset, metric.key));
  const of = (row: ModelRow) => cellOf(row, dataset, metric.key);
  return {
    key: `${dataset} ${metric.key}`,
    name,
    meaning: definition === undefined ? metric.key : `${metric.key}: ${definition.meaning}`,
    least: !metric.higher,
    value: (row) => of(row)?.value ?? null,
    shown: (row) => cellText(of(row)),
    cell: (row) => <Cell measurement={of(row)} standing={standingOf(column, row.name)} />,
    parts: [
      { name: `${name}_low`, of: (row) => of(row)?.interval?.low ?? null },
      { name: `${name}_high`, of: (row) => of(row)?.interval?.high ?? null },
    ],
  };
}
