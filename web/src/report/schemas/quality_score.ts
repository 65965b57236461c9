// assay.quality_score/1: one score from nine dimensions, and what scores by other weights need
// (docs/formats.md).
import type { Estimate } from "../estimate.ts";

export interface ScoredModel {
  /** In the table, from 1. */
  row: number;
  model: string;
  score: Estimate;
  rank: Estimate;
  place: Estimate;
  p_best: number;
  p_top5: number;
  parts: Record<string, number>;
  missing: string[];
}

export interface ScoreDimension {
  dimension: string;
  title: string;
  is: string;
  higher_is_better: boolean;
  mean?: number;
  deviation?: number;
}

export interface WeightProfile {
  profile: string;
  is: string;
  weights: Record<string, number>;
}

export interface QualityScore {
  schema: "assay.quality_score/1";
  weights: Record<string, number>;
  constants_from: string;
  own_constants?: boolean;
  /** Absent, as `profiles`, in results of older programs: no other weights can be tried. */
  dimensions?: ScoreDimension[];
  profiles?: WeightProfile[];
  level?: number;
  assumed_errors: boolean;
  replicates: number;
  seed: number;
  models: ScoredModel[];
  notes: string[];
  warnings: string[];
}
