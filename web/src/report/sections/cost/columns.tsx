// The columns of the table of costs.
import type { ModelCost } from "../../schemas/described.ts";
import type { DataColumn } from "../../table/data_table.tsx";
import { bytesText, countedText } from "./measures.ts";

export interface CostRow {
  /** A key that is unique among the rows. */
  name: string;
  model: ModelCost;
}

function numeric(
  key: string,
  name: string,
  of: (model: ModelCost) => number | null | undefined,
  text: (value: number) => string,
): DataColumn<CostRow> {
  return {
    key,
    name,
    least: true,
    value: ({ model }) => of(model) ?? null,
    shown: ({ model }) => {
      const value = of(model);
      return value === null || value === undefined ? "–" : text(value);
    },
  };
}

const milliseconds = (value: number) => value.toPrecision(3);

function latencyText({ measured }: ModelCost): string {
  const found = measured?.latency_ms;
  if (!found) return "–";
  const { median, lower_quartile, upper_quartile } = found;
  return `${milliseconds(median)} (${milliseconds(lower_quartile)} – ${milliseconds(upper_quartile)})`;
}

function machineText({ measured, batch }: ModelCost): string {
  return measured === undefined ? "–" : `${measured.device}, ${measured.framework}, batch ${batch}`;
}

export const columns: DataColumn<CostRow>[] = [
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
  numeric("parameters", "parameters", ({ parameters }) => parameters, countedText),
  numeric("macs", "MACs per image", ({ macs_per_image }) => macs_per_image, countedText),
  numeric("flops", "FLOPs per image", ({ flops_per_image }) => flops_per_image, countedText),
  numeric("weights", "weights", ({ weight_bytes }) => weight_bytes, bytesText),
  numeric(
    "activations",
    "peak of activations",
    ({ peak_activation_bytes }) => peak_activation_bytes,
    bytesText,
  ),
  {
    ...numeric("latency", "latency, ms", ({ measured }) => measured?.latency_ms?.median, String),
    meaning: "The median of repeated runs, with its quartiles",
    shown: ({ model }) => latencyText(model),
    parts: [
      {
        name: "latency_lower_quartile",
        of: ({ model }) => model.measured?.latency_ms?.lower_quartile ?? null,
      },
      {
        name: "latency_upper_quartile",
        of: ({ model }) => model.measured?.latency_ms?.upper_quartile ?? null,
      },
    ],
  },
  {
    key: "machine",
    name: "on",
    text: true,
    value: ({ model }) => machineText(model),
    shown: ({ model }) => machineText(model),
  },
];
