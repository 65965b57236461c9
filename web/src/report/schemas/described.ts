// Made of the descriptions of the results (include/assay/describe_result.h) by the test
// `Docs.*` with ASSAY_WRITE=1. Do not edit.
import type { Result } from "../document.ts";

/** One attack with one budget on one model. */
export interface AttackCell {
  attack: string;
  eps: number;
  /** Of the scores under the attack. */
  store: string;
  /** Images classified correctly before and after. */
  robust: number;
  /** Scores not finite under the attack: misclassified. */
  ended_not_finite: number;
  unreadable: number;
  /** Of all images, under the attack. */
  accuracy: Estimate;
  /** Of the images classified correctly before. */
  ratio: Estimate;
  attacked: number;
  zero_gradients: number;
  not_finite: number;
  forward: number;
  backward: number;
  /** Of pgd: attacked again with ten times the steps. */
  repeated: number;
  repeated_fooled: number;
  repeated_fooled_longer: number;
  /** Of an ensemble: images that each part fooled first. */
  first_fooled_by: Record<string, number>;
  /** With `--save-images`. */
  saved: SavedAttack | null;
}

/** Pictures are named from the file's folder. */
export interface AttackExample {
  item: number;
  id: string;
  label: ExampleClass;
  before: ExamplePrediction;
  after: ExamplePrediction;
  original: string;
  attacked: string;
  /** 0.5 + scale x (attacked - original): grey is no change. */
  difference: string;
  scale: number | null;
  /** Change of a number, of pixels in [0, 1]. */
  largest: number | null;
  /** The l2 norm of the change. */
  length: number | null;
}

/** Images that fooled a classifier, beside what they were. */
export interface AttackExamples extends Result {
  model: string;
  model_hash: string;
  dataset: string;
  dataset_id: string;
  attacks: ExamplesOfAttack[];
}

/** What `assay attack` prints. */
export interface AttackResult extends Result {
  space: string;
  norm: string;
  seed: number;
  paper_literal: boolean;
  /** With `--save-images`. */
  image_form: string | null;
  models: AttackedModel[];
}

export interface AttackedModel {
  model: string;
  dataset: string;
  /** With one label and a score. */
  images: number;
  /** The others. */
  left_out: number;
  correct: number;
  /** Accuracy without an attack. */
  clean: Estimate;
  attacks: AttackCell[];
  geometric_mean: MeanOfAttacks[];
  /** Folder of `examples.json`. */
  examples: string | null;
  /** Signs that the attack failed rather than that the model withstood it. */
  signs: string[];
  notes: string[];
}

/** Quartiles of type 7 and Tukey's whiskers. */
export interface BoxNumbers {
  low_whisker: number;
  lower_quartile: number;
  median: number;
  upper_quartile: number;
  high_whisker: number;
  /** Indices into the points. */
  outliers: number[];
}

/** What a perfectly calibrated classifier with the same probabilities would show. */
export interface CalibratedNull {
  mean: number;
  p: number;
  draws: number;
}

export interface CheckFinding {
  model: string;
  dataset: string;
  /** Stable: `classes.order`. */
  id: string;
  severity: "ok" | "note" | "warning" | "error";
  /** One line. */
  title: string;
  /** What was measured. */
  detail: string;
  /** What to do, where there is something. */
  advice: string;
}

/** What `assay check` prints. */
export interface CheckResult extends Result {
  findings: CheckFinding[];
}

/** One class of a store. */
export interface ClassScore {
  id: string;
  name: string;
  correct: number;
  /** Undefined without items. */
  accuracy: Estimate;
  /** Mean of the top probability. */
  confidence?: number;
  /** Mean probability of this class over its items. */
  target_probability?: number;
}

export interface ComparedPair extends Result {
  baseline: string;
  candidate: string;
  dataset: string;
  candidate_dataset: string;
  derived?: DerivedStore;
  metrics: PairedMetric[];
  /** The most confident first. */
  disagreements: Disagreement[];
  notes: string[];
  warnings: string[];
  counts: {
    /** Common, scored in both. */
    items: number;
    only_in_baseline: number;
    only_in_candidate: number;
    /** Common, but unreadable or missing in one of them. */
    not_scored_in_both: number;
  };
  predictions: {
    same: number;
    /** Of items with valid labels. */
    both_correct: number;
    both_incorrect: number;
    only_baseline_correct: number;
    only_candidate_correct: number;
    /** Cohen's kappa of being correct. */
    error_consistency: Estimate;
  };
}

/** What `assay compare` prints. */
export interface ComparisonsResult extends Result {
  pairs: ComparedPair[];
  gates: Gate[];
}

/** Items of one class for which another was predicted. */
export interface Confusion {
  truth: string;
  /** Null: no class of the map. */
  predicted: string | null;
  count: number;
}

export interface CostLatency {
  median: number;
  lower_quartile: number;
  upper_quartile: number;
  min: number;
  max: number;
}

/** What `assay cost` prints. */
export interface CostResult extends Result {
  /** Always 2. */
  flops_per_mac: number;
  differs_between_runs: string[];
  models: ModelCost[];
  warnings: string[];
}

/** How the images were changed before the model got them. */
export interface DerivedStore {
  /** The attack is on its images. */
  model?: string;
  /** Such as `pgd-linf-8_255`. */
  attack?: string;
  corruption?: string;
  severity?: number;
}

/** An item for which the two predict different classes. */
export interface Disagreement {
  id: string;
  labels: (string | number | null)[];
  /** The class's id, its number where there are no ids, null for no class. */
  baseline: string | number | null;
  candidate: string | number | null;
  baseline_confidence: number;
  candidate_confidence: number;
  baseline_correct: boolean;
  candidate_correct: boolean;
}

/** A number and how sure it is. */
export interface Estimate {
  value: number | null;
  /** Why there is no value. */
  undefined?: string;
  /** Of a number without unit it is absent. */
  unit?: "number" | "proportion" | "nats" | "rank";
  /** Items that entered. */
  n: number;
  interval?: Interval;
  standard_error?: number;
  /** What a reader must know of it. */
  note?: string;
}

export interface ExampleClass {
  class: number;
  id?: string;
  name?: string;
}

export interface ExamplePrediction extends ExampleClass {
  /** Null where the model gives neither logits nor probabilities. */
  probability: number | null;
}

export interface ExamplesOfAttack {
  attack: string;
  norm: string;
  eps: number;
  /** Such as `1/255`. */
  eps_text: string;
  folder: string;
  /** Images classified correctly before, and as another class from their files. */
  fooled: number;
  shown: AttackExample[];
}

/** A further data set of the same models. */
export interface GapAlso {
  name: string;
  /** As it was asked for: `2,3,4,6,9`. */
  subgroups?: string;
  models: GapAlsoModel[];
}

export interface GapAlsoModel {
  model: string;
  top1: Estimate;
  real: Estimate;
  asma: Estimate;
}

export interface GapAverage {
  metrics: Record<"top1" | "real" | "asma", GapPair>;
  subgroups: GapSubgroup[];
  decomposition: GapDecomposition;
  between_models: Record<"top1" | "real" | "asma", GapSpread | null>;
  within_margin: Record<"top1" | "real" | "asma", GapWithin>;
}

export interface GapBox {
  labels: number;
  set: "first" | "second";
  /** In the order of the models. */
  points: (number | null)[];
  box?: BoxNumbers;
}

/** Of a published table with its name and what it counts. */
export interface GapDataSet {
  name: string;
  /** Models that the other data set lacks. */
  only_here: string[];
  images?: number;
  /** Images of top-1. */
  single?: number;
  /** The only valid class of an image stands in for its label. */
  only_valid?: boolean;
  histogram?: GapHistogram;
}

/** The gap of top-1 is composition and within. */
export interface GapDecomposition {
  /** Because the images have other numbers of labels. */
  composition: Estimate;
  /** What remains of the gap. */
  within: Estimate;
  /** Part of the composition: numbers of labels that one data set lacks. */
  unmatched: Estimate;
  /** Composition by gap; undefined where the gap's interval holds 0. */
  explained: Estimate;
  /** Of averages. */
  models?: number;
}

export interface GapEstimate extends Estimate {
  /** Of averages: how many models it is the mean of. */
  models?: number;
}

/** Images by their number of valid labels. */
export interface GapHistogram {
  labels: LabelledImages[];
  /** With more labels than those. */
  more: number;
  /** Without a valid label. */
  none: number;
  /** Of these: not named by the file of label sets. */
  unnamed: number;
}

/** A metric on the second data set as a line of the first. */
export interface GapLine {
  metric: "top1" | "real" | "asma";
  /** With both values. */
  models: number;
  mean_gap: Estimate;
  slope: Estimate;
  intercept: Estimate;
}

export interface GapModel {
  model: string;
  metrics: Record<"top1" | "real" | "asma", GapPair>;
  subgroups: GapSubgroup[];
  decomposition: GapDecomposition;
  ranks: Record<"top1" | "real" | "asma", Record<"first" | "second", GapRank | null>>;
  /** Rank by top-1 less rank by ASMA, among the models that have both. */
  rank_change: Record<"first" | "second", number | null>;
  /** Images without scores. */
  not_scored: Record<"first" | "second", number>;
}

/** Agreement of two orders of the models. */
export interface GapOrder {
  a: OrderEnd;
  b: OrderEnd;
  /** With both values. */
  models: number;
  kendall_tau_b: Estimate;
  spearman_rho: Estimate;
}

/** One metric on both data sets. */
export interface GapPair {
  first: GapEstimate;
  second: GapEstimate;
  /** First minus second: above 0 where models fall. */
  gap: GapEstimate;
  /** Of averages: the mean of |gap|. */
  absolute_gap: GapEstimate;
}

export interface GapPlace {
  model: string;
  rank: number;
  /** Rank by the other column. */
  against: number;
  /** So many places up. */
  change: number;
}

/** 1 is the best; low to high is the middle of the bootstrap. */
export interface GapRank {
  rank: number;
  low?: number;
  high?: number;
}

export interface GapRanking {
  /** A column of csv. */
  by: string;
  against: string;
  ties: "standard" | "dense";
  places: GapPlace[];
}

/** The same models on two data sets, by three definitions of a correct prediction. */
export interface GapResult extends Result {
  /** `stores`, or the file of published values. */
  source: string;
  first: GapDataSet;
  second: GapDataSet;
  average: GapAverage;
  /** By top-1 on the first data set. */
  models: GapModel[];
  orders: GapOrder[];
  lines: GapLine[];
  boxes: GapBox[];
  /** Indices into `models`. */
  best: Record<"first" | "second", number[]>;
  /** Indices into `models`. */
  marked: number[];
  also?: GapAlso[];
  ranking?: GapRanking;
  warnings: string[];
  options: {
    subgroups: number[];
    /** Every number of labels that both data sets have. */
    present: boolean;
    pooled_above: number;
    agreement: string;
    margin: number;
    level: number;
    replicates: number;
    seed: number;
  };
}

/** How the models differ from one another. */
export interface GapSpread {
  models: number;
  /** Null for one model. */
  sd: number | null;
  min: number;
  lower_quartile: number;
  median: number;
  upper_quartile: number;
  max: number;
}

/** Images with so many valid labels. */
export interface GapSubgroup {
  labels: number;
  top1: GapPair;
  real: GapPair;
  agreement: GapPair;
}

/** Models whose |gap| is below the margin. */
export interface GapWithin {
  models: number;
  within: number;
  /** By the intervals. */
  surely_within: number | null;
  /** By the intervals. */
  surely_outside: number | null;
}

export interface Gate {
  /** As it was written: `top1 >= 0.7`. */
  gate: string;
  /** Of what was measured. */
  definition: string;
  bound: number;
  passed: boolean;
  /** What was held against the bound. */
  value: number | null;
  /** Why there is no value. */
  reason?: string;
  dataset: string;
  /** Of a score. */
  model?: string;
  /** Of a comparison. */
  baseline?: string;
  /** Of a comparison. */
  candidate?: string;
}

/** What `assay import` prints. */
export interface ImportResult extends Result {
  store: string;
  rows: number;
  classes: number;
  kind: string;
  storage: string;
  without_score: number;
  /** Rows of the file whose ids no item has. */
  left_out: number;
  /** What was assumed or found. */
  notes: string[];
}

export interface Interval {
  low: number;
  high: number;
  level: number;
  method: string;
}

/** What `assay join` prints. */
export interface JoinResult extends Result {
  stores: JoinedStore[];
}

export interface JoinedStore {
  store: string;
  rows: number;
  shards: number;
  /** That it was in; 0: it was whole. */
  parts: number;
  /** Shards, by this call. */
  moved: number;
}

export interface LabelledImages {
  labels: number;
  images: number;
}

/** Items with so many valid labels, scored or not. */
export interface LabelsPerImage {
  labels: number;
  items: number;
}

/** The geometric mean of the ratios of fgsm and pgd. */
export interface MeanOfAttacks {
  eps: number;
  value: Estimate;
}

/** One metric of one model over data sets that repeat one another. */
export interface MeanOverDatasets extends Measurement {
  standard_deviation: number | null;
  min?: number;
  max?: number;
  datasets: ValueOfDataset[];
}

/** What differs between runs and machines. */
export interface MeasuredCost {
  threads: number;
  runs: number;
  device: string;
  framework: string;
  /** By LibTorch's allocator. */
  peak_bytes: number | null;
  /** Null without timed runs. */
  latency_ms: CostLatency | null;
}

/** An estimate with the name of what it measures. */
export interface Measurement extends Estimate, MeasurementKey {
  /** Items without a valid label, unreadable ones, .... */
  left_out: number;
  /** With `--null`. */
  calibrated_null?: CalibratedNull;
  higher_is_better: boolean;
}

export interface MeasurementKey {
  metric: string;
  definition: string;
  parameters?: Record<string, string>;
  model: string;
  dataset: string;
  subgroup?: string;
  class?: string;
}

export interface ModelCost {
  model: string;
  path: string;
  format: string;
  /** Channels, height, width. */
  input: number[];
  batch: number;
  parameters: number;
  buffers: number;
  weight_bytes: number;
  file_bytes: number;
  /** Of the whole batch. */
  macs: number;
  attention_macs: number;
  macs_per_image: number;
  flops_per_image: number;
  /** Numbers that operators visit, by their kind. */
  elements: Record<string, number>;
  operators: OperatorCost[];
  /** Calls of operators without a rule: the sums are then too low. */
  unknown: Record<string, number>;
  executed_nodes: number;
  peak_activation_bytes: number;
  peak_node: string;
  notes: string[];
  measured: MeasuredCost;
  /** With `--nodes`. */
  nodes?: NodeCost[];
}

export interface ModelOfImage {
  model: string;
  /** Of each row. */
  classes_stored: number;
  /** Why there are no scores. */
  not_scored?: string;
  /** Best first. */
  predictions: PredictedClass[];
  /** As predictions; of a class that is not stored only what it is called. */
  labels: (ShownClass & Partial<RankedClass>)[];
  /** Null where not known. */
  variable_top_k_hits: number | null;
}

/** One node of the graph, as executed. */
export interface NodeCost {
  name: string;
  operator: string;
  /** Of what it computed last. */
  result: string;
  macs: number;
  /** Activations that live while it runs. */
  live_bytes: number;
}

/** All executed calls of one operator. */
export interface OperatorCost {
  operator: string;
  kind: string;
  /** Its products are of quantised numbers. */
  integer: boolean;
  calls: number;
  /** Of the whole batch. */
  macs: number;
  /** Of these, those of two factors that both depend on the image. */
  attention_macs: number;
  /** Numbers that are visited. */
  elements: number;
}

export interface OrderEnd {
  metric: "top1" | "real" | "asma";
  set: "first" | "second";
}

/** A metric of two models on the items of both. */
export interface PairedMetric {
  metric: string;
  definition: string;
  baseline: Measurement;
  candidate: Measurement;
  /** Candidate minus baseline. */
  difference: Estimate;
  higher_is_better: boolean;
  /** Of accuracies: items. */
  only_baseline_correct?: number;
  /** Likewise. */
  only_candidate_correct?: number;
  /** Of McNemar's test; counts half of what is observed. */
  mid_p?: number;
  /** Two-sided, of no difference. */
  p?: number;
  /** Adjusted metric by metric over the candidates. */
  p_holm?: number;
  test?: string;
  verdict?: "no difference shown" | "better" | "worse";
}

export interface PredictedClass extends RankedClass {
  correct: boolean;
}

export interface PredictedStore {
  model: string;
  dataset: string;
  rows: number;
  /** Rows of this run. */
  computed: number;
  /** Of all runs. */
  without_score: number;
  /** Of a row without a score. */
  first_error?: string;
  /** Batches that had to be halved for want of memory. */
  halved_batches: number;
  store: string;
  notes: string[];
  dataset_notes: string[];
}

/** What `assay predict` prints. */
export interface PredictionResult extends Result {
  stores: PredictedStore[];
}

/** What a table says of a model, and what was measured. */
export interface PublishedValue {
  model: string;
  dataset: string;
  metric: string;
  setting: string;
  /** The table's file. */
  source: string;
  published: number;
  measured: Estimate;
  /** The published value lies there, seen from the interval of the measured. */
  published_is: "inside" | "above" | "below" | null;
}

export interface RankedClass extends ShownClass {
  /** From 1. */
  rank: number;
  /** Null where classes alone are known. */
  probability: number | null;
}

/** Items by their confidence; both ends 1: those of exactly 1. */
export interface ReliabilityBin {
  low: number;
  high: number;
  correct: number;
  accuracy: Estimate;
  /** Mean, null without items. */
  confidence: number | null;
}

/** The images of an attack as they lie in files. */
export interface SavedAttack {
  folder: string;
  images: number;
  /** Correct before, and from the file. */
  robust: number;
  /** Fooled the model, but not from the file. */
  lost: number;
  accuracy: Estimate;
}

/** Where every item went. */
export interface ScoreCounts {
  items: number;
  /** In shards that are not there. */
  missing: number;
  unreadable: number;
  not_finite: number;
  scored: number;
  /** Of the scored: without a valid label. */
  unlabelled: number;
  /** Of the scored. */
  multi_label: number;
  /** Not named by the file of `--labels`. */
  unnamed: number;
}

export interface ScoredStore extends Result {
  model: string;
  dataset: string;
  scores: string;
  storage_format: string;
  counts: ScoreCounts;
  derived?: DerivedStore;
  /** Only numbers of labels that occur. */
  labels_per_image: LabelsPerImage[];
  class_map?: string;
  /** Of a report of one store. */
  measurements?: Measurement[];
  /** With `--per-class`. */
  per_class?: ClassScore[];
  /** With `--confusion`. */
  confusions?: Confusion[];
  /** With `--reliability`. */
  reliability?: ReliabilityBin[];
  /** Which metrics are left out, and why. */
  notes: string[];
  warnings: string[];
}

/** What `assay score` prints. */
export interface ScoresResult extends Result {
  /** Those of all stores. */
  measurements: Measurement[];
  stores: ScoredStore[];
  gates: Gate[];
  /** With `--ood`. */
  ood?: Measurement[];
  /** With `--published`. */
  published?: PublishedValue[];
  /** With `--across`. */
  across?: MeanOverDatasets[];
}

/** What `assay show` prints. */
export interface ShowResult extends Result {
  images: ShownImage[];
}

export interface ShownClass {
  class: number;
  id: string;
  name: string;
}

export interface ShownImage {
  id: string;
  item: number;
  /** Its name, or its folder if another data set has that name. */
  dataset: string;
  path?: string;
  labels: ShownClass[];
  attributes: Record<string, string>;
  models: ModelOfImage[];
}

export interface UnfinishedParts {
  of: number;
  /** Numbers. */
  unfinished: number[];
}

export interface ValueOfDataset {
  dataset: string;
  value: number | null;
}

export interface VerifiedStore {
  store: string;
  /** Null where the manifest cannot be read. */
  shards: number | null;
  /** Likewise. */
  missing: number | null;
  problems: string[];
  /** What its format cannot tell. */
  notes: string[];
  /** While a process writes the store: `process 123`. */
  written_by?: string;
  /** Shards that a writer replaced before they were read. */
  replaced?: number;
  /** Of stores in parts that are not finished. */
  parts?: UnfinishedParts;
}

/** What `assay verify` prints. */
export interface VerifyResult extends Result {
  stores: VerifiedStore[];
}
