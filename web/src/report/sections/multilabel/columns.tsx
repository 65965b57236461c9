// Columns for several tables of models: the name, and a metric with its interval.
import { type Estimate, intervalText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { DataColumn } from "../../table/data_table.tsx";
import type { GapMetric } from "./metrics.ts";
import { metricNames } from "./series.ts";

export const modelColumn: DataColumn<{ model: string }> = {
  key: "model",
  name: "model",
  text: true,
  value: ({ model }) => model,
  shown: ({ model }) => model,
  cell: ({ model }) => <bdi title={short(model, 300)}>{short(model, 44)}</bdi>,
};

export function valueColumn<T>(metric: GapMetric, of: (row: T) => Estimate): DataColumn<T> {
  return {
    key: metric,
    name: `${metricNames[metric]}, %`,
    value: (row) => of(row).value,
    shown: (row) => valueText(of(row)),
    cell: (row) => {
      const estimate = of(row);
      const interval = intervalText(estimate);
      return (
        <span title={estimate.undefined ?? estimate.note}>
          {valueText(estimate)}
          {interval && <small class="soft"> ({interval})</small>}
        </span>
      );
    },
    parts: [
      { name: "low", of: (row) => of(row).interval?.low ?? null },
      { name: "high", of: (row) => of(row).interval?.high ?? null },
    ],
  };
}
