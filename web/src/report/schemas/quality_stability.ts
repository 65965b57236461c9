// assay.quality_stability/1: how much a ranking owes to the models that scale it (docs/formats.md).

export interface QualityStability {
  schema: "assay.quality_stability/1";
  models: number;
  sample: number;
  repeats: number;
  seed: number;
  readings: { reading: string; mean: number; deviation: number; low: number }[];
}
