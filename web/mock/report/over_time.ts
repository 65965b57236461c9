// One model at five dates and another in three versions, with a gate that one version fails.
import type {
  ComparisonsResult,
  Gate,
  Measurement,
  ScoresResult,
} from "../../src/report/schemas/described.ts";
import { documentOf } from "./document.ts";

export function top1(model: string, dataset: string, value: number | null): Measurement {
  const half = 0.012;
  return {
    metric: "top1",
    definition: "top1.first_index",
    model,
    dataset,
    unit: "proportion",
    left_out: 0,
    higher_is_better: true,
    ...(value === null
      ? { value, n: 0, undefined: "no item has a label" }
      : {
          value,
          n: 5000,
          interval: { low: value - half, high: value + half, level: 0.95, method: "wilson" },
        }),
  };
}

const dated: [string, number | null][] = [
  ["net-2024-01-15", 0.702],
  ["net-2024-02-01", 0.718],
  ["net-2024-02-20", null],
  ["net-2024-04-02", 0.694],
  ["net-2024-04-30", 0.741],
];
const versions: [string, number][] = [
  ["tagger v1.2", 0.655],
  ["tagger v1.10", 0.676],
  ["tagger v2.0", 0.671],
];
/** A name with markup, which must always be shown as text. */
export const hostile = '<img src=x onerror="window.hurt=1">';

const measurements = [
  ...dated.map(([model, value]) => top1(model, "val", value)),
  ...versions.map(([model, value]) => top1(model, "val", value)),
  top1(`${hostile}-v1`, "val", 0.5),
  top1(`${hostile}-v2`, "val", 0.52),
  top1("alone", "val", 0.61),
];

function gateOf(model: string, value: number): Gate {
  const passed = value >= 0.7;
  return {
    gate: "top1 >= 0.7",
    definition: "top1.first_index",
    bound: 0.7,
    passed,
    value,
    model,
    dataset: "val",
  };
}

const scores: ScoresResult = {
  schema: "assay.scores/2",
  measurements,
  stores: [],
  gates: dated.flatMap(([model, value]) => (value === null ? [] : [gateOf(model, value)])),
};

const comparisons: ComparisonsResult = {
  schema: "assay.comparisons/2",
  pairs: [
    {
      schema: "assay.compare/2",
      baseline: "net-2024-04-02",
      candidate: "net-2024-04-30",
      dataset: "val",
      candidate_dataset: "val",
      counts: { items: 5000, only_in_baseline: 0, only_in_candidate: 0, not_scored_in_both: 0 },
      predictions: {
        same: 4000,
        both_correct: 3300,
        both_incorrect: 1125,
        only_baseline_correct: 170,
        only_candidate_correct: 405,
        error_consistency: { value: 0.7, n: 5000 },
      },
      metrics: [
        {
          metric: "top1",
          definition: "top1.first_index",
          baseline: top1("net-2024-04-02", "val", 0.694),
          candidate: top1("net-2024-04-30", "val", 0.741),
          difference: {
            value: 0.047,
            unit: "proportion",
            n: 5000,
            interval: { low: 0.038, high: 0.056, level: 0.95, method: "newcombe.paired" },
          },
          higher_is_better: true,
          p: 1e-22,
          p_holm: 1e-22,
          test: "mcnemar.exact",
          verdict: "better",
        },
      ],
      disagreements: [],
      notes: [],
      warnings: [],
    },
  ],
  gates: [],
};

export const overTimeDocument = documentOf([
  { source: "runs", result: scores },
  { source: "runs", result: comparisons },
]);
