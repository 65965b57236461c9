// Three models with costs. One has no latency, and an operator without a rule.

import type { CostResult, ModelCost, ScoresResult } from "../../src/report/schemas/described.ts";
import { countsOf, store } from "./calibration.ts";
import { documentOf } from "./document.ts";
import { hostile, top1 } from "./over_time.ts";

function costOf(model: string, macs: number, latency: number | null): ModelCost {
  return {
    model,
    path: `models/${model}.onnx`,
    format: "onnx",
    input: [3, 224, 224],
    batch: 1,
    parameters: Math.round(macs / 160),
    buffers: 0,
    weight_bytes: Math.round(macs / 40),
    file_bytes: Math.round(macs / 39),
    macs,
    attention_macs: 0,
    macs_per_image: macs,
    flops_per_image: 2 * macs,
    elements: {},
    operators: [],
    executed_nodes: 120,
    peak_activation_bytes: 6_422_528,
    peak_node: "3 conv2d",
    unknown: latency === null ? { "aten::made": 2 } : {},
    notes: [],
    measured: {
      threads: 1,
      runs: 20,
      device: "cpu",
      framework: "ONNX Runtime 1.17",
      peak_bytes: 9_000_000,
      latency_ms:
        latency === null
          ? null
          : {
              median: latency,
              lower_quartile: latency * 0.98,
              upper_quartile: latency * 1.03,
              min: latency * 0.97,
              max: latency * 1.2,
            },
    },
  };
}

const costs: CostResult = {
  schema: "assay.cost/1",
  flops_per_mac: 2,
  differs_between_runs: ["models[].measured"],
  models: [
    costOf("resnet50", 4_089_284_608, 21.4),
    costOf("vit-b", 17_564_000_000, 64.2),
    costOf(hostile, 300_774_272, null),
  ],
  warnings: [],
};

const measurements = [
  top1("resnet50", "val", 0.7613),
  top1("vit-b", "val", 0.8107),
  top1(hostile, "val", 0.695),
];

const scores: ScoresResult = {
  schema: "assay.scores/2",
  measurements,
  stores: measurements.map(({ model, dataset }) =>
    store(model, dataset, {
      counts: countsOf(5000),
      labels_per_image: [{ labels: 1, items: 5000 }],
    }),
  ),
  gates: [],
};

export const costDocument = documentOf([
  { source: "runs", result: scores },
  { source: "cost.json", result: costs },
]);
