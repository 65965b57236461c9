// assay.mad/1, assay.mad_status/1 and assay.mad_ranking/1: competitions of classifiers on the
// images where they disagree most.
import type { Result } from "../document.ts";
import type { Estimate, Interval } from "../estimate.ts";

export interface RankedClassifier {
  classifier: string;
  /** Within its component. */
  place: number;
  /** Of the place, by the bootstrap. */
  place_interval?: Interval;
  component: number;
  perron: number;
  hodge: number;
  /** Of the posterior. */
  score: Estimate;
  rank: Estimate;
  /** On the selected images, of which there are so many. */
  correct: Estimate;
  images: number;
  /** On all images, by the control sample. */
  accuracy: Estimate;
}

export interface RankedPair {
  first: string;
  second: string;
  wanted: number;
  accepted: number;
  asked: number;
  open: number;
  to_replace: number;
  /** Settled: both + only_first + only_second + neither. */
  images: number;
  both: number;
  only_first: number;
  only_second: number;
  neither: number;
  replaced: number;
}

/** Rows and columns in the order of the classifiers. */
export type PairMatrix = (number | null)[][];

export interface MadComparison {
  with: string;
  classifiers: number;
  srcc: Estimate;
  kendall: Estimate;
}

export interface AblationRow {
  k: number;
  images: number;
  srcc: Estimate;
  kendall: Estimate;
}

export interface MadRanking extends Result {
  competition: string;
  options: { level: number; stop_at: number; bootstraps: number };
  placed_by: "perron" | "hodge" | "posterior";
  components: number;
  classifiers: RankedClassifier[];
  pairs: RankedPair[];
  cases: { I: number; II: number; III: number };
  replaced: number;
  aggressiveness: PairMatrix;
  log_ratios: PairMatrix;
  better: PairMatrix;
  eigenvalue: number;
  consistency_index: number;
  cyclicity: number;
  /** To the order on all images of the kind that was selected. */
  expected_tau: number;
  /** To the order that the selected images give when all are answered. */
  list_tau: number;
  enough: boolean;
  ablation: AblationRow[];
  comparisons: MadComparison[];
  control: number;
  questions: number;
  settled: number;
  open: number;
  answers: number;
  annotators: number;
  saved: number;
  answers_per_question: number;
}

export interface MadAnnotator {
  annotator: string;
  blocked: boolean;
  answers: number;
  yes: number;
  cannot_say: number;
  gold: Estimate;
  agreement: Estimate;
}

export interface MadStatus extends Result {
  competition: string;
  images: number;
  k: number;
  pairs: number;
  questions: number;
  settled: number;
  open: number;
  annotators: MadAnnotator[];
}

export interface MadCompetition extends Result {
  competition: string;
  images: number;
  classes: number;
  settings: Record<string, string>;
  classifiers: {
    classifier: string;
    scored: number;
    threshold: number | null;
    confident: number;
  }[];
}

export interface ShownLabel {
  id: string;
  name: string;
  confidence: number;
  /** By people; null: open, or nobody can judge it. */
  correct: boolean | null;
}

/** A selected image of a pair. */
export interface ShownSelection {
  first: string;
  second: string;
  /** From 1, by discrepancy. */
  place: number;
  id: string;
  first_label: ShownLabel;
  second_label: ShownLabel;
  distance: number;
  case: string;
}

export interface MadGallery extends Result {
  shown?: ShownSelection[];
}
