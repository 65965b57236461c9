// Generated scores with reliability and calibration errors.
import type {
  Measurement,
  ReliabilityBin,
  ScoreCounts,
  ScoredStore,
  ScoresResult,
} from "../../src/report/schemas/described.ts";
import { dice, hostile, near, none, proportion } from "./numbers.ts";

export const calibrationModels = [
  "calm",
  "bold",
  "shy",
  hostile.markup,
  hostile.long,
  hostile.rightToLeft,
  hostile.prototype,
];

export function countsOf(items: number): ScoreCounts {
  const none = { missing: 0, unreadable: 0, not_finite: 0, unlabelled: 0, unnamed: 0 };
  return { items, scored: items, multi_label: 0, ...none };
}

export function store(
  model: string,
  dataset: string,
  more: Partial<ScoredStore> = {},
): ScoredStore {
  return {
    schema: "assay.score/2",
    model,
    dataset,
    scores: "logits",
    storage_format: "full_f32",
    counts: countsOf(1000),
    labels_per_image: [{ labels: 1, items: 1000 }],
    notes: [],
    warnings: [],
    ...more,
  };
}

/** Ten bins, and one for confidences of exactly 1. The first bin is empty. */
export function bins(seed: number, tilt: number): ReliabilityBin[] {
  const random = dice(seed);
  const all: ReliabilityBin[] = [];
  for (let bin = 0; bin < 10; bin += 1) {
    const [low, high] = [bin / 10, (bin + 1) / 10];
    const items = bin === 0 ? 0 : 20 + Math.round(random() * 150);
    const confidence = low + 0.05;
    const correct = Math.round(
      items * Math.min(1, Math.max(0, confidence + tilt * (1 - confidence))),
    );
    all.push({
      low,
      high,
      correct,
      confidence: items === 0 ? null : confidence,
      accuracy:
        items === 0 ? none("no item with such a confidence") : proportion(correct / items, items),
    });
  }
  all.push({ low: 1, high: 1, correct: 5, confidence: 1, accuracy: proportion(1, 5) });
  return all;
}

function errors(model: string, dataset: string, ece: number): Measurement[] {
  const common = { model, dataset, left_out: 0, higher_is_better: false };
  return [
    {
      ...near(ece, 0.012),
      ...common,
      metric: "ece",
      definition: "ece.l1.left_closed",
      parameters: { bins: "15", norm: "l1" },
      calibrated_null: { mean: 0.024, p: ece > 0.05 ? 0.005 : 0.41, draws: 200 },
    },
    {
      ...near(0.9 + ece, 0.05, { unit: "nats" }),
      ...common,
      metric: "nll",
      definition: "nll.natural",
    },
    {
      ...none("stored labels have no probabilities"),
      ...common,
      metric: "brier",
      definition: "brier.sum",
    },
  ];
}

export function calibrationResult(): ScoresResult {
  const result: ScoresResult = {
    schema: "assay.scores/2",
    measurements: [],
    stores: [],
    gates: [],
  };
  for (const dataset of ["val", "shifted"])
    calibrationModels.forEach((model, index) => {
      result.stores.push(
        store(model, dataset, { reliability: bins(index + 1, 0.3 - 0.2 * index) }),
      );
      result.measurements.push(...errors(model, dataset, 0.031 + 0.02 * index));
    });
  return result;
}
