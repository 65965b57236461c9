// assay.quality_correlate/1: which dimensions go together over models (docs/formats.md).
import type { Estimate } from "../estimate.ts";

export interface Correlation {
  x: string;
  y: string;
  rho: Estimate;
  p: number | null;
  p_adjusted: number | null;
}

export interface CorrelateGroup {
  value: string;
  models: number;
  families: number;
  pairs: Correlation[];
}

export interface QualityCorrelate {
  schema: "assay.quality_correlate/1";
  models: number;
  families: number;
  family: string;
  adjust: string;
  pairs: Correlation[];
  by?: string;
  groups?: CorrelateGroup[];
  notes: string[];
  warnings: string[];
}
