// assay.quality_choose/1: models that meet what is needed and that no other beats (docs/formats.md).
import type { Estimate } from "../estimate.ts";

export interface Candidate {
  row: number;
  model: string;
  score: Estimate;
  behind_best: Estimate;
  like_best: boolean;
  unbeaten: boolean;
  /** "": by none. */
  beaten_by: string;
  needs_surely_met: boolean;
  values: Record<string, number>;
}

export interface QualityChoose {
  schema: "assay.quality_choose/1";
  models: number;
  needs: { need: string; failed: number }[];
  weights: string;
  candidates: Candidate[];
  notes: string[];
  warnings: string[];
}
