// assay.quality_groups/1: do two groups of models differ (docs/formats.md).
import type { Estimate } from "../estimate.ts";

export interface GroupDifference {
  dimension: string;
  first: Estimate;
  second: Estimate;
  difference: Estimate;
  effect: Estimate;
  p: number;
  p_holm: number;
  p_student?: number;
  stars?: number;
}

export interface QualityGroups {
  schema: "assay.quality_groups/1";
  /** Selectors; absent in results of older programs. */
  first?: string[];
  second?: string[];
  first_models: number;
  second_models: number;
  paired: boolean;
  family: string;
  clusters: number;
  exact: boolean;
  dimensions: GroupDifference[];
  notes: string[];
  warnings: string[];
}
