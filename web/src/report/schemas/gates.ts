// Gates, as the results of `assay score` and `assay compare` hold them.

export interface Gate {
  /** As it was written: "top1 >= 0.7". */
  gate: string;
  /** Of what was measured. */
  definition: string;
  bound: number;
  passed: boolean;
  value: number | null;
  reason?: string;
  dataset: string;
  /** Of a score. */
  model?: string;
  /** Of a comparison. */
  baseline?: string;
  candidate?: string;
}
