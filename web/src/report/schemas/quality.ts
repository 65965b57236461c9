// assay.quality/1: models and their nine quality dimensions (docs/formats.md).
import type { Interval, Unit } from "../estimate.ts";
import type { QualityScore } from "./quality_score.ts";

export interface ErrorShare {
  /** Identity of the images. */
  data: string;
  parts: number[];
}

export interface QualityCell {
  value: number | null;
  undefined?: string;
  standard_error?: number;
  n?: number;
  /** Absent: that of the published table. */
  definition?: string;
  note?: string;
  unit?: Unit;
  interval?: Interval;
  shares?: ErrorShare[];
}

export interface QualityModel {
  name: string;
  note?: string;
  tags?: Record<string, string>;
  dimensions: Record<string, QualityCell>;
}

export interface Quality {
  schema: "assay.quality/1";
  tags: string[];
  models: QualityModel[];
  notes?: string[];
  warnings?: string[];
  /** Of a table that `assay quality run` made. */
  score?: QualityScore;
}
