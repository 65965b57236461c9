// assay.replicate_adjust/2 and assay.replicate_figures/1: a data set that was collected again, and
// how much of the gap between both comes from how its images were selected.
import type { Result } from "../document.ts";
import type { Estimate } from "../estimate.ts";

/** Of the replication's accuracy on the original's. */
export interface ReplicateLine {
  slope: Estimate;
  intercept: Estimate;
  covariance: number;
  residual: number;
}

/** gap = selection_bias + remaining. */
export interface GapParts {
  gap: Estimate;
  selection_bias: Estimate;
  remaining: Estimate;
}

export interface BothSets<T> {
  original: T;
  replication: T;
}

export interface AdjustedClassifier {
  name: string;
  adjusted: Estimate;
  gap: GapParts;
  /** At the result's `rates`. */
  accuracy_at_rate?: number[];
  blind_spots?: {
    jump_at_98: number;
    moments_less_pl?: number;
    worst_jump: number;
    worst_jump_rate: number;
  };
}

export interface AdjustMethod {
  id: string;
  definition: string;
  exact_for: string;
  /** Proportion of the original's readings that the replication has too. */
  covered: number;
  outside: number;
  mean: { adjusted: Estimate; gap: GapParts };
  line: ReplicateLine;
  classifiers: AdjustedClassifier[];
  /** At the result's `rates`. */
  density?: BothSets<number[]>;
  /** For how many classifiers the intervals say nothing. */
  wide_intervals?: number;
}

export interface SweepRow {
  method: string;
  annotators: number;
  mean: number;
  adjusted: number[];
  left_out?: number;
}

export interface ReplicateAdjust extends Result {
  verdict: string;
  condition: string;
  /** Id of the method of the verdict. */
  quoted: string;
  classes: number;
  images: BothSets<number>;
  mean: BothSets<Estimate>;
  mean_frequency: BothSets<number>;
  line: ReplicateLine;
  classifiers: ({ name: string } & BothSets<Estimate>)[];
  methods: AdjustMethod[];
  rates: number[];
  sweep: SweepRow[];
  units: string;
  warnings: string[];
}

/** Estimates with so many annotators, as expected over which of them were asked. */
export interface AnnotatorsRow {
  annotators: number;
  method: string;
  adjusted: Estimate;
  remaining: Estimate;
  selection_bias: Estimate;
  line: ReplicateLine;
}

/** Of the images that 0, 1, ... of so many annotators select. */
export interface ReadingsRow extends BothSets<{ images: Estimate; accuracy: Estimate }[]> {
  annotators: number;
}

export interface HalvesPoint {
  method: string;
  annotators: number;
  whole: number | null;
  halves: number | null;
  halves_minus_whole: Estimate;
  standard_error_by_halves: number | null;
}

export interface ReplicateFigures extends Result {
  classifiers: string[];
  scatter: { classifiers: ({ name: string } & BothSets<Estimate>)[] };
  annotators: AnnotatorsRow[];
  readings: ReadingsRow[];
  fitted_readings?: BothSets<number[]>;
  halves: { points?: HalvesPoint[]; splits?: number; undefined?: string };
}

/** assay.replicate_plan/3: what a study would need, by the number of annotators of an image. */
export interface PlanRow {
  annotators: number;
  /** In each set, of the median classifier, the one that needs most, the mean. */
  images: Estimate;
  worst_images: Estimate;
  mean_images: Estimate;
  /** With the pilot's images. */
  standard_error: Estimate;
  /** By estimator. */
  bias: Record<string, Estimate>;
}

export interface ReplicatePlan extends Result {
  level: number;
  /** Wanted, of the interval. */
  width: number;
  pilot_images: BothSets<number>;
  rows: PlanRow[];
  warnings: string[];
}

/** assay.replicate_frequencies/2: how often annotators select the images of sets. */
export interface FrequencySet {
  source: string;
  images: number;
  mean_frequency: Estimate;
  /** Images in each fifth of the frequencies. */
  buckets: number[];
}

export interface ReplicateFrequencies extends Result {
  sets: FrequencySet[];
  warnings: string[];
}
