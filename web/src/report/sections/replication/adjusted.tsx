// The accuracies of models as measured and as adjusted by each method. The chosen are a plot, and
// all are a table.
import { Legend } from "../../chart/marks.tsx";
import { type Estimate, intervalText, valueText } from "../../estimate.ts";
import { Forest, type ForestRow } from "../../parts/forest.tsx";
import { short } from "../../parts/names.ts";
import { type DataColumn, DataTable } from "../../table/data_table.tsx";
import type { Study } from "./studies.ts";

export interface ModelRow {
  index: number;
  name: string;
}

export function forestRows(study: Study, models: ModelRow[]): ForestRow[] {
  const { classifiers, methods } = study.adjust;
  return models.flatMap(({ name, index }) => {
    const measured = classifiers[index];
    if (measured === undefined) return [];
    const original = measured.original.value;
    const reference =
      original === null ? {} : { reference: { value: original, name: "on the original" } };
    const of = (key: string, series: number, estimate: Estimate): ForestRow => ({
      key: `${index} ${key}`,
      name: `${short(name, 18)}, ${key}`,
      series,
      estimate,
      ...reference,
    });
    return [
      of("measured", 0, measured.replication),
      ...methods.flatMap((method, at) => {
        const adjusted = method.classifiers?.[index]?.adjusted;
        return adjusted === undefined ? [] : [of(method.id, at + 1, adjusted)];
      }),
    ];
  });
}

export function AdjustedForest({ study, models }: { study: Study; models: ModelRow[] }) {
  return (
    <>
      <Legend names={["as measured", ...study.adjust.methods.map(({ id }) => id)]} />
      <Forest
        title="Accuracies on the replication"
        axis="accuracy, %"
        rows={forestRows(study, models)}
        unit="proportion"
      />
      <p class="note">The vertical tick is the model's accuracy on the original.</p>
    </>
  );
}

function estimateColumn(
  key: string,
  name: string,
  of: (row: ModelRow) => Estimate | undefined,
): DataColumn<ModelRow> {
  const at = (row: ModelRow): Estimate => of(row) ?? { value: null };
  const part = (end: "low" | "high") => ({
    name: `${name} ${end}`,
    of: (row: ModelRow) => at(row).interval?.[end] ?? null,
  });
  return {
    key,
    name,
    value: (row) => at(row).value,
    shown: (row) => {
      const interval = intervalText(at(row));
      return `${valueText(at(row))}${interval && ` (${interval})`}`;
    },
    cell: (row) => {
      const estimate = at(row);
      return (
        <span title={estimate.undefined ?? estimate.note}>
          {valueText(estimate)} <small>{intervalText(estimate)}</small>
        </span>
      );
    },
    parts: [part("low"), part("high")],
  };
}

export function AdjustedTable({ study, models }: { study: Study; models: ModelRow[] }) {
  const { classifiers, methods, quoted } = study.adjust;
  const verdict = methods.find(({ id }) => id === quoted) ?? methods[0];
  const gap = (index: number) => verdict?.classifiers?.[index]?.gap;
  const columns: DataColumn<ModelRow>[] = [
    {
      key: "model",
      name: "model",
      text: true,
      value: ({ name }) => name,
      shown: ({ name }) => name,
      cell: ({ name }) => <bdi title={short(name, 300)}>{short(name, 40)}</bdi>,
    },
    estimateColumn("original", "original, %", ({ index }) => classifiers[index]?.original),
    estimateColumn("replication", "replication, %", ({ index }) => classifiers[index]?.replication),
    ...methods.map(({ id, classifiers: all }) =>
      estimateColumn(`method.${id}`, `${id}, %`, ({ index }) => all?.[index]?.adjusted),
    ),
    estimateColumn("gap", "gap, %", ({ index }) => gap(index)?.gap),
    estimateColumn("selection", "selection bias, %", ({ index }) => gap(index)?.selection_bias),
    estimateColumn("remaining", "remaining, %", ({ index }) => gap(index)?.remaining),
  ];
  return (
    <DataTable
      id="replication.models"
      label="Adjusted accuracies"
      rows={models}
      keyOf={({ index }) => String(index)}
      columns={columns}
      sorted="original"
    />
  );
}
