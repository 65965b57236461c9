// assay.attack_examples/1: adversarial images beside what they were, as `assay attack --save-images`
// leaves them (docs/formats.md).
import type { Result } from "../document.ts";

export interface NamedClass {
  class: number;
  /** Of classes without a list, the number alone is known. */
  id?: string;
  name?: string;
}

export interface PredictedAs extends NamedClass {
  probability?: number;
}

export interface AttackExample {
  item: number;
  id: string;
  label: NamedClass;
  before: PredictedAs;
  after: PredictedAs;
  /** Pictures, found among the document's thumbnails by these paths. */
  original: string;
  attacked: string;
  difference: string;
  /** The difference shows 0.5 + scale x (attacked - original). */
  scale: number;
  /** Of the change, of pixels in [0, 1]: its largest element and its l2 norm. */
  largest: number;
  length: number;
}

export interface ExamplesOfAttack {
  attack: string;
  norm: string;
  eps: number;
  eps_text: string;
  folder: string;
  /** Images classified correctly before and as another class after. */
  fooled: number;
  shown: AttackExample[];
}

export interface AttackExamplesResult extends Result {
  model: string;
  dataset: string;
  attacks: ExamplesOfAttack[];
}
