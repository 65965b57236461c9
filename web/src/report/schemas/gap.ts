// assay.gap/2: the same models on two data sets, by three definitions of a correct prediction
// (docs/multilabel.md). A gap is first minus second: positive where the models fall.
import type { Result } from "../document.ts";
import type { Estimate } from "../estimate.ts";

export type GapMetric = "top1" | "real" | "asma";
export const gapMetrics: GapMetric[] = ["top1", "real", "asma"];
export type GapSet = "first" | "second";

/** Of averages, `models` is how many it is the mean of. */
export type GapEstimate = Estimate & { models?: number };

export interface GapPair {
  first: GapEstimate;
  second: GapEstimate;
  gap: GapEstimate;
  absolute_gap: GapEstimate;
}

export interface GapSubgroup {
  labels: number;
  top1: GapPair;
  real: GapPair;
  agreement: GapPair;
}

export interface GapDecomposition {
  composition: Estimate;
  within: Estimate;
  unmatched: Estimate;
  explained: Estimate;
  models?: number;
}

/** 1 is the best; `low` to `high` is the middle of the bootstrap's ranks. */
export interface GapRank {
  rank: number;
  low?: number;
  high?: number;
}

export interface GapModel {
  model: string;
  metrics: Record<GapMetric, GapPair>;
  subgroups: GapSubgroup[];
  decomposition: GapDecomposition;
  ranks: Record<GapMetric, Record<GapSet, GapRank | null>>;
  rank_change: Record<GapSet, number | null>;
  not_scored: Record<GapSet, number>;
}

export interface GapDataSet {
  name: string;
  /** Models that the other data set lacks. */
  only_here: string[];
  images?: number;
  /** Images of top-1. */
  single?: number;
  only_valid?: boolean;
  /** Not of published tables. */
  histogram?: {
    labels: { labels: number; images: number }[];
    more: number;
    none: number;
    unnamed: number;
  };
}

export interface GapSpread {
  models: number;
  sd: number | null;
  min: number;
  lower_quartile: number;
  median: number;
  upper_quartile: number;
  max: number;
}

export interface GapWithin {
  models: number;
  within: number;
  surely_within: number | null;
  surely_outside: number | null;
}

/** Quartiles of type 7 and Tukey's whiskers; `points` in the order of the models. */
export interface GapBox {
  labels: number;
  set: GapSet;
  points: (number | null)[];
  box?: {
    low_whisker: number;
    lower_quartile: number;
    median: number;
    upper_quartile: number;
    high_whisker: number;
    outliers: number[];
  };
}

export interface GapLine {
  metric: GapMetric;
  models: number;
  mean_gap: Estimate;
  slope: Estimate;
  intercept: Estimate;
}

export interface GapOrder {
  a: { metric: GapMetric; set: GapSet };
  b: { metric: GapMetric; set: GapSet };
  models: number;
  kendall_tau_b: Estimate;
  spearman_rho: Estimate;
}

export interface GapAlso {
  name: string;
  /** As it was asked for: "2,3,4,6,9". */
  subgroups?: string;
  models: { model: string; top1: Estimate; real: Estimate; asma: Estimate }[];
}

export interface GapRanking {
  by: string;
  against: string;
  ties: "standard" | "dense";
  places: { model: string; rank: number; against: number; change: number }[];
}

export interface GapResult extends Result {
  source: string;
  first: GapDataSet;
  second: GapDataSet;
  options: {
    subgroups: number[];
    present: boolean;
    pooled_above: number;
    agreement: string;
    margin: number;
    level: number;
  };
  average: {
    metrics: Record<GapMetric, GapPair>;
    subgroups: GapSubgroup[];
    decomposition: GapDecomposition;
    between_models?: Record<GapMetric, GapSpread | null>;
    within_margin: Record<GapMetric, GapWithin>;
  };
  /** By top-1 on the first data set. */
  models: GapModel[];
  orders: GapOrder[];
  lines: GapLine[];
  boxes: GapBox[];
  /** Indices into `models`. */
  best: Record<GapSet, number[]>;
  marked: number[];
  also?: GapAlso[];
  ranking?: GapRanking;
  warnings: string[];
}
