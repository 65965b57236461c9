// assay.attack_examples/1: images that fooled a classifier, beside what they were. It lies in the
// folder that `assay attack --save-images` writes (docs/formats.md).
import type { Result } from "../document.ts";

export interface ExampleClass {
  class: number;
  id?: string;
  name?: string;
}

export interface ExamplePrediction extends ExampleClass {
  /** None where the model gives neither logits nor probabilities. */
  probability?: number | null;
}

export interface AttackExample {
  item: number;
  id: string;
  label: ExampleClass;
  before: ExamplePrediction;
  after: ExamplePrediction;
  /** Ids of thumbnails, whose data set is the source of the result. */
  original: string;
  attacked: string;
  /** 0.5 + scale * (attacked - original): mid-grey is no change. */
  difference: string;
  scale: number | null;
  /** Largest change of an element, and l2 norm of the change, of pixels in [0, 1]. */
  largest: number | null;
  length: number | null;
}

export interface ExamplesOfAttack {
  attack: string;
  norm: string;
  eps: number;
  /** "1/255" */
  eps_text: string;
  folder: string;
  /** Images classified correctly before, and as another class from their files. */
  fooled: number;
  shown: AttackExample[];
}

export interface AttackExamples extends Result {
  model: string;
  model_hash: string;
  dataset: string;
  dataset_id: string;
  attacks: ExamplesOfAttack[];
}
