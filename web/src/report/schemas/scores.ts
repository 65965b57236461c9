// assay.scores/2: what `assay score` prints (docs/formats.md).
import type { Result } from "../document.ts";
import type { Estimate } from "../estimate.ts";

export interface CalibratedNull {
  mean: number;
  p: number;
  draws: number;
}

export type Measurement = Estimate & {
  metric: string;
  definition: string;
  parameters?: Record<string, string>;
  model: string;
  dataset: string;
  subgroup?: string;
  left_out?: number;
  higher_is_better?: boolean;
  calibrated_null?: CalibratedNull;
};

export interface ClassScore {
  id: string;
  name: string;
  correct: number;
  accuracy: Estimate;
  confidence?: number;
  target_probability?: number;
}

export interface Confusion {
  truth: string;
  /** null: no class of the map. */
  predicted: string | null;
  count: number;
}

/** Both 1: those with a confidence of exactly 1. */
export interface ReliabilityBin {
  low: number;
  high: number;
  correct: number;
  accuracy: Estimate;
  confidence: number | null;
}

export interface ScoredStore {
  schema: string;
  model: string;
  dataset: string;
  class_map?: string;
  /** Its images were changed: under an attack on `model`, or by a corruption. */
  derived?: { model?: string; attack?: string; corruption?: string; severity?: number };
  counts: Record<string, number>;
  labels_per_image: { labels: number; items: number }[];
  per_class?: ClassScore[];
  confusions?: Confusion[];
  reliability?: ReliabilityBin[];
  notes: string[];
  warnings: string[];
}

export interface ScoresResult extends Result {
  measurements: Measurement[];
  stores: ScoredStore[];
}
