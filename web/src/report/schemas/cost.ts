// assay.cost/1: what `assay cost` prints (docs/formats.md).
import type { Result } from "../document.ts";

export interface ModelCost {
  model: string;
  path: string;
  format: string;
  batch: number;
  parameters: number;
  weight_bytes: number;
  file_bytes: number;
  macs_per_image: number;
  flops_per_image: number;
  peak_activation_bytes: number;
  /** Operators without a rule, with their calls: the sums are then too low. */
  unknown?: Record<string, number>;
  notes?: string[];
  measured?: {
    threads: number;
    runs: number;
    device: string;
    framework: string;
    peak_bytes: number;
    latency_ms: {
      median: number;
      lower_quartile: number;
      upper_quartile: number;
      min: number;
      max: number;
    } | null;
  };
}

export interface CostResult extends Result {
  models: ModelCost[];
  warnings: string[];
}
