// assay.corrupted_accuracy/1 and assay.attack/1: what `assay robustness` and `assay attack` print
// (docs/formats.md).
import type { Result } from "../document.ts";
import type { Estimate } from "../estimate.ts";

/** A mean over versions, and that divided by the clean accuracy of the same images. */
export interface CorruptedMean {
  accuracy: Estimate;
  relative: Estimate;
}

export interface CorruptedModel {
  model: string;
  images: number;
  clean: Estimate;
  versions: { corruption: string; severity: number; dataset: string; accuracy: Estimate }[];
  corruptions: (CorruptedMean & { corruption: string; extra: boolean })[];
  /** Over the paper's 15 x 5; over those of the 15 that are there. */
  paper: CorruptedMean;
  present: CorruptedMean;
  mce: Estimate;
}

export interface CorruptedResult extends Result {
  clean: string;
  models: CorruptedModel[];
  notes: string[];
  warnings: string[];
}

export interface Attacked {
  attack: string;
  eps: number;
  store: string;
  robust: number;
  attacked: number;
  zero_gradients: number;
  not_finite: number;
  accuracy: Estimate;
  ratio: Estimate;
}

export interface AttackedModel {
  model: string;
  dataset: string;
  images: number;
  correct: number;
  clean: Estimate;
  attacks: Attacked[];
  geometric_mean: { eps: number; value: Estimate }[];
  /** Of gradients that hide: whole sentences. */
  signs: string[];
  notes: string[];
}

export interface AttackResult extends Result {
  space: string;
  norm: string;
  models: AttackedModel[];
}
