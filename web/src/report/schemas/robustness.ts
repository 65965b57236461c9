// assay.attack/1: what `assay attack` prints (docs/formats.md).
import type { Result } from "../document.ts";
import type { Estimate } from "../estimate.ts";

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
