// assay.comparisons/2: what `assay compare` prints (docs/formats.md).
import type { Result } from "../document.ts";
import type { Estimate } from "../estimate.ts";
import type { Measurement } from "./scores.ts";

export interface PairedMetric {
  metric: string;
  definition: string;
  baseline: Measurement;
  candidate: Measurement;
  /** Candidate minus baseline. */
  difference: Estimate;
  higher_is_better: boolean;
  p?: number;
  p_holm?: number;
  test?: string;
  verdict?: string;
}

export interface Disagreement {
  id: string;
  labels: (string | number | null)[];
  baseline: string | number | null;
  candidate: string | number | null;
  baseline_confidence: number;
  candidate_confidence: number;
  baseline_correct: boolean;
  candidate_correct: boolean;
}

export interface ComparedPair {
  schema: string;
  baseline: string;
  candidate: string;
  dataset: string;
  candidate_dataset: string;
  counts: {
    items: number;
    only_in_baseline: number;
    only_in_candidate: number;
    not_scored_in_both: number;
  };
  predictions: {
    same: number;
    both_correct: number;
    both_incorrect: number;
    only_baseline_correct: number;
    only_candidate_correct: number;
    error_consistency: Estimate;
  };
  metrics: PairedMetric[];
  disagreements: Disagreement[];
  notes: string[];
  warnings: string[];
}

export interface ComparisonsResult extends Result {
  pairs: ComparedPair[];
}
