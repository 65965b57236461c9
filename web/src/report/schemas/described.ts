// Made of the descriptions of the results (include/assay/describe_result.h) by the test
// `Docs.*` with ASSAY_WRITE=1. Do not edit.
import type { Result } from "../document.ts";

/** The ranking by the first k places of each pair. */
export interface AblationRow {
  k: number;
  /** Of all pairs. */
  images: number;
  /** Correlation with the ranking from all images; undefined across components. */
  srcc: Estimate;
  kendall: Estimate;
  /** By classifier. */
  places: number[];
}

export interface Abstention {
  model: string;
  dataset: string;
  calibrated_on: string;
  max_error: number;
  /** Images to calibrate on. */
  calibration: number;
  /** An image is answered if its confidence is above this; -1: all are; null: no threshold is safe. */
  threshold: number | null;
  /** Proportion of the other images. */
  answered: Estimate;
  /** Among the answers. */
  error: Estimate;
}

/** One accuracy of a store by groups of images. */
export interface AccuracyByGroup {
  /** The attributes of each `--by`. */
  by: string[];
  /** `top1` or `real`. */
  metric: string;
  /** The lowest true accuracy; its value is corrected for the choice of the lowest. */
  worst: Measurement;
  /** The lowest observed accuracy. */
  observed: number | null;
  /** The group that has it. */
  observed_group: string;
  /** Groups that are large enough. */
  candidates: number;
  /** Groups that are not, and cannot be the worst. */
  too_small: number;
  /** Images that count and are in no group. */
  without: number;
  /** Number of images without a value, by attribute. */
  without_value: WithoutValue[];
  groups: GroupAccuracy[];
}

/** Result of one method. */
export interface AdjustEstimates {
  /** When the method is exact. */
  exact_for: string;
  /** Of the adjusted accuracies; null for one classifier. */
  line: ReplicateLine | null;
  /** Proportion of the original's selection frequencies that the replication has, too. */
  covered: number;
  /** Classifiers with an adjusted accuracy outside 0 to 1. */
  outside: number;
  /** Classifiers whose bootstrap interval is too wide to be useful. */
  wide_intervals?: number;
  exponents?: number[];
  /** Weight of each reading of the replication. */
  weights?: number[];
  notes?: string[];
  /** Parameters of the fitted densities and curves. */
  details?: Record<string, unknown>;
  /** The density at the result's `rates`, without point masses. */
  density?: NumbersOfSets;
  blind_spots?: ReplicateHighRates;
  classifiers: AdjustedClassifier[];
  mean: {
    adjusted: Estimate;
    gap: GapParts;
  };
}

export interface AdjustMethod extends Partial<AdjustEstimates> {
  id: string;
  definition: string;
  /** Why the method has no estimates. */
  undefined?: string;
}

/** The part of the gap that is selection bias. */
export interface AdjustReport {
  /** Id of the method that the verdict uses. */
  quoted: string;
  classes: number;
  /** Independent units of the intervals: classes or images. */
  units: string;
  /** Replicates; 0: none. */
  bootstrap: number;
  /** Without adjustment; null for one classifier. */
  line: ReplicateLine | null;
  /** The assumptions. */
  condition: string;
  warnings: string[];
  classifiers: MeasuredClassifier[];
  /** Selection rates for plots. */
  rates: number[];
  /** Methods; quote the first. */
  methods: AdjustMethod[];
  images: {
    original: number;
    replication: number;
  };
  mean: {
    original: Estimate;
    replication: Estimate;
    /** Spread of the adjusted accuracy over sets of exponents. */
    sensitivity?: number;
  };
  mean_frequency: {
    original: number;
    replication: number;
  };
  cells: {
    original: ReadingCell[];
    replication: ReadingCell[];
  };
}

export interface AdjustedClassifier {
  name: string;
  adjusted: Estimate;
  gap: GapParts;
  blind_spots?: ReplicateBlindSpots;
  /** For `moments`: coefficients of the rate to the power of each exponent. */
  curve?: number[];
  /** Values at the result's `rates`. */
  accuracy_at_rate?: number[];
  /** Lower ends of its intervals at these rates, of `pl`. */
  accuracy_at_rate_low?: number[];
  accuracy_at_rate_high?: number[];
}

export interface AmbiguousImage {
  item: string;
  /** The label's class. */
  given: string;
  /** The likeliest class. */
  first: string;
  second: string;
  first_probability: number;
  second_probability: number;
}

/** Who judged both sets; proportions are of the annotations of each set. */
export interface AnnotatorOverlap {
  /** Annotators of the first set. */
  first: number;
  /** Annotators of the second set. */
  second: number;
  common: number;
  /** Annotations by annotators of both sets. */
  first_proportion: number;
  second_proportion: number;
  /** Annotations by annotators who judged the class in both sets. */
  first_same_class: number;
  second_same_class: number;
  /** Annotations in batches that show both sets. */
  first_same_batch?: number;
  second_same_batch?: number;
}

export interface AnnotatorQuality {
  annotator: string;
  answers: number;
  /** How often each answer. */
  given: number[];
  /** Probability of each answer, by latent class. */
  confusion: number[];
  /** Under the posteriors. */
  accuracy: Measurement;
  /** Agreement with other annotators' answers to the same questions. */
  agreement: Measurement;
  weight?: number;
}

export interface AnnotatorRecord {
  batches: number;
  /** Batches. */
  flagged: number;
  annotations: number;
  dropped: boolean;
}

/** Estimates with this number of annotators, averaged over the choice of annotators. */
export interface AnnotatorsRow {
  annotators: number;
  method: string;
  definition: string;
  /** Mean over classifiers. */
  adjusted: Estimate;
  remaining: Estimate;
  selection_bias: Estimate;
  line: ReplicateLine | null;
  notes?: string[];
  /** Adjusted accuracies. */
  classifiers: Estimate[];
}

/** Annotators whose answers are not independent. */
export interface AnswerTogether {
  annotators: string[];
  /** Proportion of equal answers. */
  agreement: number;
  /** What their accuracies explain. */
  expected: number;
  /** Pairs of answers to one image. */
  shared: number;
}

/** One attack with one budget on one model. */
export interface AttackCell {
  attack: string;
  eps: number;
  /** Measured on the scores under the attack. */
  store: string;
  /** Images classified correctly before and after. */
  robust: number;
  /** Images whose scores are not finite under the attack; they count as misclassified. */
  ended_not_finite: number;
  unreadable: number;
  /** Accuracy of all images under the attack. */
  accuracy: Estimate;
  /** Proportion of the images that were classified correctly before. */
  ratio: Estimate;
  attacked: number;
  zero_gradients: number;
  not_finite: number;
  forward: number;
  backward: number;
  /** For an ensemble: images that each part fooled first. */
  first_fooled_by: Record<string, number>;
  /** With `--save-images`. */
  saved: SavedAttack | null;
}

/** What the controls say of the attacks on a model. */
export interface AttackControl {
  /** `not checked`, `no sign of masking`, `doubtful` or `not usable`. */
  verdict: string;
  signs: MaskingSign[];
  /** The stronger attack on a few images, after those of the command. */
  attack: string;
  eps: number;
  /** Control images. */
  images: number;
  /** Of these, images that the attacks of the command did not fool. */
  left: number;
  /** Images that the stronger attack did not fool either. */
  left_by_control: number;
  /** Passes of the controls. */
  forward: number;
  /** Of these, passes with a gradient. */
  backward: number;
}

/** Paths of pictures are relative to the file's folder. */
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
  /** Largest change of a pixel value, in [0, 1]. */
  largest: number | null;
  /** The l2 norm of the change. */
  length: number | null;
}

/** Images that fooled a classifier, with the originals. */
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
  /** Size of a step of pgd, `eps/30` or in 255ths for linf: `2.55/255` for 0.01. */
  step?: string;
  /** Runs of pgd, if more than one. */
  restarts?: number;
  /** With `--save-images`. */
  image_form: string | null;
  models: AttackedModel[];
  /** Comparisons of two or more models under fmn or ddn. */
  pairs?: SmallestPair[];
}

export interface AttackedModel {
  model: string;
  dataset: string;
  /** Images with one label and a score. */
  images: number;
  /** The others. */
  left_out: number;
  correct: number;
  /** Accuracy without an attack. */
  clean: Estimate;
  attacks: AttackCell[];
  /** Smallest changes, with fmn or ddn; their budgets are in `attacks`, too. */
  smallest?: SmallestChanges[];
  /** This model on the images that were made on the others, with `--transfer`. */
  transferred?: TransferredAttack[];
  geometric_mean: MeanOfAttacks[];
  /** Folder of `examples.json`. */
  examples: string | null;
  /** Signs that the attack failed rather than that the model withstood it. */
  control: AttackControl;
  /** Gradients of zero, and elements that are no numbers. */
  signs: string[];
  notes: string[];
}

/** An image that is in the data set several times, or images that look alike. */
export interface AuditedDuplicates {
  images: number;
  labels_differ: boolean;
  /** `same file`, `same pixels, other file`, `same scores, other file`, `look alike` and others (docs/suspect-labels.md). */
  evidence: string;
  /** Of 64 bits of the perceptual hash, how many differ at most from the first image's. */
  bits: number;
  /** The first 20. */
  members: LabelledDuplicate[];
}

export interface AuditedModel {
  model: string;
  /** Its logits are divided by this. */
  temperature: number;
  /** Mean -ln p of the likeliest three quarters of the labels. */
  loss: number;
  /** 0: it does not vote. */
  weight: number;
  /** Images on which all other models agree on another class than the label, each with at least 90 %. */
  opposed: number;
  /** Of these, those on which it predicts the label. */
  repeated: number;
  /** Number of such images to expect if no label were wrong. */
  expected: number;
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

/** Values of one data set by the votes of annotators. */
export interface ByVotes {
  dataset: string;
  /** With scores of all models. */
  images: number;
  /** Images with a question. */
  asked: number;
  /** Images without one, whose given labels count as true. */
  given: number;
  /** Pairs of an image and a class, with a vote. */
  questions: number;
  votes: number;
  annotators: number;
  /** Proportion of the questions with a posterior of .05 to .95. */
  unsure: number;
  /** Images that experts judged. */
  gold: number;
  /** Mean over the votes, as fitted. */
  sensitivity: number;
  /** Mean over the votes, as fitted. */
  specificity: number;
  /** By model: ReaL, then ASMA. */
  values: ValueByVotes[];
  notes: string[];
  warnings: string[];
}

/** What `assay calibrate` prints. */
export interface CalibrateResult extends Result {
  stores: CalibratedStore[];
  warnings: string[];
}

/** The value of a perfectly calibrated classifier with the same probabilities. */
export interface CalibratedNull {
  mean: number;
  p: number;
  draws: number;
}

/** A model's scores, scaled with numbers that were fitted on other items. */
export interface CalibratedStore {
  model: string;
  /** The data set whose items are reported. */
  dataset: string;
  method: "temperature" | "vector" | "per-class";
  /** The model's own scores. */
  source: string;
  /** The scaled ones. */
  store: string;
  /** The data set, or the part of it, for the fit. */
  fitted_on: string;
  /** Items with scores and a single label. */
  fit_items: number;
  /** That are reported. */
  items: number;
  /** Null if each class has its own scale. */
  temperature: Estimate | null;
  /** Empty if one temperature scales all classes. */
  classes: ClassScaling[];
  /** Metrics of the reported items. */
  nll_before: Estimate;
  nll_after: Estimate;
  ece_before: Estimate;
  ece_after: Estimate;
}

/** What `assay calibrate --layer` writes: logits times `weights` plus `biases`. */
export interface CalibrationLayer extends Result {
  model: string;
  method: "temperature" | "vector" | "per-class";
  fitted_on: string;
  /** One number per class. */
  weights: number[];
  /** One number per class. */
  biases: number[];
}

/** A model that meets all needs. */
export interface Candidate {
  /** Row of the table, from 1. */
  row: number;
  model: string;
  /** Score with the published constants; other columns have those of these models, or given ones. */
  score: Estimate;
  /** Difference of the best score and this one. */
  behind_best: Estimate;
  /** Data for a plot of two dimensions. */
  values: Record<string, number>;
  /** True if the interval of its difference from the best score contains 0. */
  like_best: boolean;
  /** True if no other model is at least as good in all that counts and clearly better in one. */
  unbeaten: boolean;
  /** Empty: by none. */
  beaten_by: string;
  /** True if no interval extends beyond a limit. */
  needs_surely_met: boolean;
}

/** Randomised smoothing of one model. */
export interface CertifiedModel {
  model: string;
  dataset: string;
  /** Frequencies of the classes in the copies that chose one. */
  selection_store: string;
  /** Frequencies of the classes in the others. */
  store: string;
  /** csv with a row per image. */
  table: string;
  /** Images with one label and a result. */
  images: number;
  /** The others. */
  left_out: number;
  /** Proportion without a certificate. */
  abstained: Estimate;
  /** 0 for images that are abstained or incorrect. */
  mean_radius: Estimate;
  /** By radius. */
  curve: CertifiedPoint[];
  notes: string[];
}

/** Certified accuracy at one radius. */
export interface CertifiedPoint {
  /** l2, in the unit of `assay attack --norm l2`. */
  radius: number;
  /** Images with the correct class and at least this radius. */
  certified: number;
  accuracy: Estimate;
}

/** What `assay certify` prints. */
export interface CertifyResult extends Result {
  sigma: number;
  samples: number;
  selection: number;
  alpha: number;
  seed: number;
  level: number;
  models: CertifiedModel[];
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
  /** What to do about it; may be empty. */
  advice: string;
}

/** What `assay check` prints. */
export interface CheckResult extends Result {
  findings: CheckFinding[];
}

export interface ClassCount {
  name: string;
  images: number;
}

export interface ClassFrequency {
  label: string;
  images: number;
  /** Mean over its images. */
  frequency: number;
}

export interface ClassOrder {
  name: string;
  /** The first classes; `none`: an output without a class. */
  first: string[];
  /** Null without scores. */
  correct: number | null;
  /** Exact McNemar test of being better than the given order, Holm-adjusted; null for the given one. */
  p: number | null;
}

/** Which order of the classes the scores fit. */
export interface ClassOrders {
  /** `given`, `other` (better), `none` of the known orders, or `unclear`. */
  verdict: "given" | "other" | "none" | "unclear";
  text: string;
  /** Empty if there is nothing to do. */
  advice: string;
  /** Labelled images whose scores were compared. */
  images: number;
  /** The given order against 999 shuffles of the labels. */
  chance_p: number | null;
  /** The given one first, then the one that `other` is about. */
  orders: ClassOrder[];
}

/** Factor and offset of a class's score. */
export interface ClassScaling {
  id: string;
  name: string;
  weight: Estimate;
  /** Undefined if the method does not use it. */
  bias: Estimate;
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

export interface ClassesOfModel {
  count: number;
  fingerprint: string;
}

export interface ClassifierDrift {
  classifier: string;
  /** Accuracy on the old pool. */
  before: Estimate;
  /** Accuracy on the new pool. */
  now: Estimate;
  /** Change of the accuracy on images like those of the pools. */
  change: Estimate;
  /** The interval of the change excludes 0. */
  alarm: boolean;
}

export interface ClassifierDrop extends Partial<DropParts> {
  name: string | null;
}

/** Annotators who guess, and the data without them. */
export interface CleanedSets extends CleaningReport {
  annotators: JudgedAnnotator[];
}

export interface CleaningReport {
  batches: number;
  /** Batches. */
  flagged: number;
  /** Flagged batches with too few selections. */
  too_few_selected: number;
  /** Flagged batches with selected controls. */
  controls_selected: number;
  annotations_before: number;
  annotations_after: number;
  annotators_dropped: number;
}

/** The best model by a metric on a data set, and the models that are not significantly worse. */
export interface ColumnBest {
  dataset: string;
  metric: string;
  definition: string;
  parameters?: Record<string, string>;
  /** A model. */
  best: string;
  /** Models that are not significantly worse (paired test). */
  alike: string[];
  /** Models that could not be compared with the best one, and why. */
  untested: UntestedModel[];
  level: number;
}

/** One accuracy of two models by groups of images. */
export interface ComparedByGroup {
  /** The attributes of each `--by`. */
  by: string[];
  /** `top1` or `real`. */
  metric: string;
  /** The lowest true difference; its value is corrected for the choice of the lowest. */
  worst: Estimate;
  /** The lowest observed difference. */
  observed: number | null;
  /** The group that has it. */
  observed_group: string;
  /** Groups that are large enough. */
  candidates: number;
  /** Groups that are not, and cannot have the lowest difference. */
  too_small: number;
  /** Images that count and are in no group. */
  without: number;
  /** Number of images without a value, by attribute. */
  without_value: WithoutValue[];
  /** The intervals of all differences hold together; `p_holm` is adjusted over the groups of all candidates. */
  groups: PairedMetric[];
}

export interface ComparedPair extends Result {
  baseline: string;
  candidate: string;
  dataset: string;
  candidate_dataset: string;
  derived?: DerivedStore;
  metrics: PairedMetric[];
  /** With `--by`: of `top1`, `real`, or both. */
  groups?: ComparedByGroup[];
  /** The most confident first. */
  disagreements: Disagreement[];
  notes: string[];
  warnings: string[];
  counts: {
    /** Common items with scores in both. */
    items: number;
    only_in_baseline: number;
    only_in_candidate: number;
    /** Common items without scores in one of them. */
    not_scored_in_both: number;
  };
  predictions: {
    same: number;
    /** Proportion of the items with valid labels. */
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

/** What `assay verify` prints of a competition. */
export interface CompetitionCheck extends Result {
  competition: string;
  state: "sound" | "damaged";
  /** A sentence each. */
  problems: string[];
}

/** How composites were made. */
export interface CompositeWork {
  /** Composites from an interrupted run. */
  found: number;
  image_bytes: number;
  decodes: number;
  /** Patches taken from the cache. */
  cache_hits: number;
}

/** What `assay conformal` prints. */
export interface ConformalResult extends Result {
  alpha: number;
  /** Of the intervals. */
  level: number;
  class_conditional: boolean;
  randomized: boolean;
  sets: ConformalSets[];
  /** With --max-error. */
  abstentions: Abstention[];
  /** Images without scores, which are skipped. */
  not_scored: number;
  notes: string[];
  warnings: string[];
}

export interface ConformalSets {
  model: string;
  dataset: string;
  /** Data set, or the proportion of it. */
  calibrated_on: string;
  method: "all" | "lac" | "aps" | "raps";
  /** Images to calibrate on. */
  calibration: number;
  /** Largest score of a class in a set; null: infinite, or one for each class. */
  threshold: number | null;
  /** Classes with too few calibration images, if each class has a threshold. */
  infinite_classes: number;
  /** Range of the coverage for most calibration samples of this size (`level`); up to 1 if scores are tied. */
  expected: Interval | null;
  /** Proportion of the other images whose set holds a valid class. */
  coverage: Estimate;
  /** Mean number of classes in a set. */
  size: Estimate;
  /** Sets of no class. */
  empty: number;
  /** Sets of one class. */
  one: number;
  /** Classes of the largest set. */
  largest: number;
  /** Proportion of the sets of one class that is valid. */
  one_correct: Estimate;
}

/** Items of one class for which another was predicted. */
export interface Confusion {
  truth: string;
  /** The predicted class; null if it is not in the class map. */
  predicted: string | null;
  count: number;
}

export interface CorrectedModel {
  model: string;
  /** Accuracy with the given labels. */
  before: Estimate;
  /** Accuracy with the corrected labels. */
  after: Estimate;
  /** On the same images. */
  change: Estimate;
  rank_before: number;
  rank_after: number;
}

/** The models with one value of the tag `by`. */
export interface CorrelateGroup {
  value: string;
  models: number;
  families: number;
  pairs: Correlation[];
}

/** Spearman's rank correlation of two dimensions over models. */
export interface Correlation {
  x: string;
  y: string;
  rho: Estimate;
  /** Two-sided. */
  p: number | null;
  /** Adjusted over all pairs and all groups. */
  p_adjusted: number | null;
}

/** Corrupted copies of a data set. */
export interface CorruptResult extends Result {
  /** Its name. */
  dataset: string;
  /** Images of the data set, including those in `left_out`. */
  images: number;
  /** Images that cannot be read or are too small. */
  left_out: number;
  /** The first such images. */
  left_out_examples: string[];
  /** All that exist. */
  files: number;
  /** Of those, left by an earlier run. */
  files_found: number;
  /** The data set was finished before. */
  was_there: boolean;
  /** Versions whose kernels are larger than the images, with the smallest side that they fit. */
  versions_left_out: string[];
  /** Whose parameters: `imagenet`, `tiny-imagenet` or `cifar`. */
  profile: string;
  seed: number;
  resize: number;
  crop: number;
  /** Null: PNG. */
  jpeg_quality: number | null;
  /** In words. */
  pipeline: string;
  /** The folder that was made. */
  out: string | null;
  /** The picture of one image under every corruption. */
  sheet: string | null;
  versions: MadeVersion[];
}

/** A mean over versions: each corruption counts once, each of its severities equally. */
export interface CorruptedMean {
  accuracy: Estimate;
  /** Divided by the clean accuracy of the same images. */
  relative: Estimate;
}

export interface CorruptedModel {
  model: string;
  /** Whose parameters the corruptions have: `imagenet`, `tiny-imagenet` or `cifar`; absent if no record names them. */
  profile?: string;
  /** That the clean data set and all others have. */
  images: number;
  /** Top-1 of these images. */
  clean: Estimate;
  versions: CorruptedVersion[];
  corruptions: MeanOfCorruption[];
  /** Over the 15 x 5 of the paper; undefined if one is missing. */
  paper: CorruptedMean;
  /** Over those of the 15 that have predictions. */
  present: CorruptedMean;
  /** Mean over the 15 of error / AlexNet's error, of ImageNet-C's parameters. */
  mce: Estimate;
}

/** Accuracy under corruptions. */
export interface CorruptedResult extends Result {
  /** Name of the clean data set. */
  clean: string;
  models: CorruptedModel[];
  notes: string[];
  warnings: string[];
}

/** One data set of corrupted images. */
export interface CorruptedVersion {
  corruption: string;
  severity: number;
  dataset: string;
  /** Top-1. */
  accuracy: Estimate;
}

/** Images of one class with one decision. */
export interface CostCell {
  /** Id of the class. */
  truth: string;
  /** Id of a class, or `abstain`. */
  decision: string;
  /** Of one image. */
  cost: number;
  /** Images for which this decision has the lowest expected cost. */
  images: number;
  /** Images if the likeliest class is the decision. */
  likeliest: number;
}

export interface CostDecision {
  model: string;
  dataset: string;
  images: number;
  /** Mean per image, of the decisions with the lowest expected cost. */
  cost: Estimate;
  /** Mean cost if the likeliest class is the decision. */
  likeliest_cost: Estimate;
  /** `cost` minus `likeliest_cost`, on the same images. */
  difference: Estimate;
  /** Undefined without a column `abstain`. */
  abstained: Estimate;
  /** Images whose decision is not the likeliest class. */
  changed: number;
  /** The decision that is cheapest for all images alike. */
  constant: string;
  /** Its mean cost on these images. */
  constant_cost: number;
  /** Classes and decisions that occur. */
  cells: CostCell[];
}

/** What `assay decide --costs` prints. */
export interface CostDecisions extends Result {
  /** Of the intervals. */
  level: number;
  /** The file of the costs. */
  costs: string;
  models: CostDecision[];
  /** Images without scores, which are skipped. */
  not_scored: number;
  notes: string[];
  warnings: string[];
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

export interface CudaFacts {
  devices: number;
  /** As `CUDA 12.4, cuDNN 9.1.0`. */
  libraries: string;
}

export interface DawidSkeneFit {
  /** Latent classes. */
  latents: number;
  prior: number[];
  /** Over all votes. */
  passes: number;
  converged: boolean;
  /** One per pass that was kept. */
  objective: number[];
  /** In nats. */
  log_likelihood: number;
  /** The latent classes were sorted. */
  reordered: boolean;
}

/** How the images were changed before the model got them. */
export interface DerivedStore {
  /** Set if its images were attacked, or its scores are smoothed or calibrated. */
  model?: string;
  /** Such as `pgd-linf-8_255`. */
  attack?: string;
  /** What the controls of the attack found: `not checked`, `no sign of masking`, `doubtful` or `not usable`. */
  verdict?: string;
  /** The signs that the controls found, with their numbers. */
  doubt?: string;
  corruption?: string;
  severity?: number;
  /** How the scores were scaled: `temperature`, `vector` or `per-class`. */
  calibration?: string;
  /** Noise of `assay certify`: `sigma 0.25, 10000 copies`. */
  smoothing?: string;
}

/** Centre and scale of a dimension. */
export interface DimensionScale {
  mean: number;
  deviation: number;
}

/** An item for which the two predict different classes. */
export interface Disagreement {
  id: string;
  labels: (string | number | null)[];
  /** The class's id, or its number if there are no ids; null for no class. */
  baseline: string | number | null;
  candidate: string | number | null;
  baseline_confidence: number;
  candidate_confidence: number;
  baseline_correct: boolean;
  candidate_correct: boolean;
}

/** An image for which every model predicts another class. */
export interface DoubtedLabel {
  id: string;
  label: string;
  /** The class that the first model predicts. */
  predicted: string;
  /** Mean over the models. */
  label_probability: number;
  /** Mean over the models. */
  predicted_probability: number;
}

/** How the values of one dimension were drawn: numbers of models. */
export interface DrawnCells {
  /** Models whose errors are joint. */
  joint: number;
  independent: number;
  /** Models without a standard error. */
  exact: number;
}

/** What `assay estimate select` and `estimate add` print. */
export interface DrawnSample extends Result {
  study: string;
  dataset: string;
  classifiers: string[];
  /** Of the pool: those with scores of every classifier. */
  images: number;
  /** Images without a finite score of every classifier. */
  left_out: number;
  /** In all rounds. */
  drawn: number;
  /** In this round. */
  added: number;
  /** Images whose answers a competition has; not drawn. */
  settled: number;
  /** Questions of this round that a competition has answered. */
  spared: number;
  /** Of this round. */
  questions: number;
  questions_file: string;
  /** Empty if it is unknown. */
  images_folder: string;
  strata: DrawnStratum[];
  warnings: string[];
}

export interface DrawnStratum {
  stratum: number;
  /** True if the classifiers predict different labels for its images. */
  contested: boolean;
  /** Of the pool. */
  images: number;
  drawn: number;
  /** Images that a drawn one stands for. */
  weight: number;
}

export interface DriftSign {
  /** agreement (proportion of images with equal labels), consensus or confidence (means). */
  sign: string;
  /** Empty: of all classifiers. */
  classifier: string;
  before: number;
  now: number;
  /** Two-sided, after Holm. */
  p: number;
}

/** total = remainder + labels + selection. */
export interface DropParts {
  /** Accuracy on the original minus on the replication. */
  total: Estimate;
  /** What remains if images have as many labels and are as easy to select as the original's. */
  remainder: Estimate;
  /** Part from labels per image: mean of both orders. */
  labels: Estimate;
  /** Part from selection: mean of both orders. */
  selection: Estimate;
  /** Part from labels, if they change first. */
  labels_first: Estimate;
  labels_last: Estimate;
  /** Part from selection, if it changes first. */
  selection_first: Estimate;
  selection_last: Estimate;
  /** Part from labels per image, at equal selection rates. */
  labels_given_rates: Estimate;
  /** Part from selection rates, including changes of labels that come with them. */
  selection_of_rates: Estimate;
}

export interface DuplicateGroup {
  images: number;
  labels_differ: boolean;
  /** The most bits in which the hash of one differs from that of the first. */
  bits: number;
  /** The first few. */
  members: InspectedImage[];
}

export interface DuplicateImages {
  groups: number;
  /** In all groups. */
  images: number;
  /** Groups whose images have different labels. */
  groups_of_other_labels: number;
  /** Groups, those with different labels first. */
  examples: DuplicateGroup[];
}

/** Annotations that repeat one of the same annotator and image. */
export interface Duplicates {
  removed: number;
  /** Of those removed. */
  contradicting: number;
}

export interface EnsembleMember {
  model: string;
  store: string;
  top1: Estimate;
}

/** What `assay ensemble` prints. */
export interface EnsembleStore extends Result {
  /** The ensemble. */
  model: string;
  dataset: string;
  store: string;
  /** What is averaged. */
  of: "probabilities" | "logits";
  items: number;
  /** Items without scores, because a member lacks them. */
  without_scores: number;
  top1: Estimate;
  /** Proportion of the pairs of members that predict the same class. */
  agreement: Estimate;
  /** Mutual information of class and member, in nats: 0 if all members agree. */
  mutual_information: Estimate;
  members: EnsembleMember[];
  warnings: string[];
}

/** How the error of a cell depends on some images. */
export interface ErrorShare {
  /** Identity of a data set's images. */
  data: string;
  /** One number for each of at most 128 groups of images. */
  parts: number[];
}

/** A number with its uncertainty. */
export interface Estimate {
  value: number | null;
  /** Why there is no value. */
  undefined?: string;
  /** Absent for a number without a unit. */
  unit?: "number" | "proportion" | "nats" | "rank";
  /** Items that entered. */
  n: number;
  interval?: Interval;
  standard_error?: number;
  /** What a reader must know about it. */
  note?: string;
}

export interface EstimatedClass {
  /** Id of a class that a labelled image has or that is predicted for one. */
  class: string;
  name: string;
  classifier: string;
  /** Labelled images of the class; null if the class of some labelled images is unknown. */
  labels: number | null;
  /** Proportion of its images that are correct. */
  recall: Estimate;
  /** Labelled images of which the class is predicted. */
  predicted_labels: number;
  /** Images of the pool of which the class is predicted, without the proportion that people could not judge; only with a precision. */
  predicted: number | null;
  /** Proportion of these images that are correct. */
  precision: Estimate;
  /** Precision without annotators' errors, by --gold. */
  corrected?: Estimate;
}

export interface EstimatedClassifier {
  classifier: string;
  accuracy: Estimate;
  /** Value without annotators' errors, by --gold. */
  corrected?: Estimate;
  /** Mean confidence minus accuracy. */
  overconfidence: Estimate;
  /** Factor by which the regression reduces the variance. */
  factor: number;
  labels: number;
  /** Labels that a simple random sample needs for this width. */
  random_sample: number | null;
}

export interface EstimatedGroup {
  group: string;
  classifier: string;
  /** Images, without the proportion that people could not judge. */
  images: number;
  labels: number;
  accuracy: Estimate;
  /** Value without annotators' errors, by --gold. */
  corrected?: Estimate;
}

export interface EstimatedPair {
  first: string;
  second: string;
  /** Accuracy of the first minus that of the second. */
  difference: Estimate;
  /** Value without annotators' errors, by --gold. */
  corrected?: Estimate;
  /** Proportion of images with different labels. */
  disagreement: number;
  /** Of these images. */
  labels: number;
}

export interface EstimatedStratum {
  stratum: number;
  contested: boolean;
  images: number;
  drawn: number;
  /** Drawn images whose answers are used. */
  labels: number;
  /** Drawn images that nobody can judge. */
  unjudged: number;
}

/** What `assay eval` prints. */
export interface EvalResult extends Result {
  dataset: string;
  /** Images in the stores. */
  items: number;
  /** Of these. */
  labelled: number;
  /** Images that chose the preprocessing and are excluded from the results. */
  left_out: number;
  /** In the order given. */
  models: EvaluatedModel[];
  /** With several models: each against the first. */
  comparisons?: ComparedPair[];
  /** The most doubtful labels first. */
  doubted_labels: DoubtedLabel[];
  /** Of unlabelled images. */
  unsure?: UnsureItem[];
  /** With several models: images for which all predict the same class. */
  agreement?: Estimate;
  gates: Gate[];
  notes: string[];
  /** The page. */
  report?: string;
  /** Commands to type. */
  next: string[];
}

export interface EvaluatedModel {
  model: string;
  store: string;
  /** For people. */
  preprocessing: string;
  choice: PreprocessingChoice;
  /** False if the images could not settle the preprocessing: every result depends on that choice. */
  settled: boolean;
  /** Of labelled images. */
  measurements: Measurement[];
  /** In words. */
  calibration?: string;
  /** Mean probability of the predicted class. */
  confidence: Estimate;
  /** Classes with at least 5 images. */
  worst_classes: ClassScore[];
  /** Images without scores. */
  unreadable: number;
  warnings: string[];
}

export interface ExampleClass {
  class: number;
  id?: string;
  name?: string;
}

export interface ExamplePrediction extends ExampleClass {
  /** Null if the model returns neither logits nor probabilities. */
  probability: number | null;
}

export interface ExamplesOfAttack {
  attack: string;
  norm: string;
  eps: number;
  /** Such as `1/255`. */
  eps_text: string;
  folder: string;
  /** Images classified correctly before, and incorrectly from their files. */
  fooled: number;
  shown: AttackExample[];
}

export interface FileProvenance {
  file: string;
  hash: string;
  /** `csv` of tables. */
  schema: string;
}

export interface FoundSlice {
  model: string;
  dataset: string;
  /** `camera=b,brightness=0.1 to 0.3`. */
  name: string;
  /** One or two; an image of the slice meets all. */
  conditions: SliceCondition[];
  /** Of both halves. */
  images: number;
  /** Of these, those whose prediction is incorrect. */
  incorrect: number;
  /** On the second half. */
  accuracy: Estimate;
  /** Accuracy of all other images of the second half. */
  rest: Estimate;
  /** Of both halves, with `--cluster`. */
  clusters?: number;
  /** On the second half, with Holm's correction. */
  p: number;
  /** On the first half, with Benjamini and Hochberg's correction. */
  screened: number;
  /** Incorrect images, the most confident errors first. */
  examples: string[];
}

/** A plug-in that runs models. */
export interface FrameworkFile {
  file: string;
  /** What runs its models: `LibTorch 1.13.1, ONNX`. */
  is: string;
  /** The library that it was compiled for, unless it is the system's. */
  libtorch: string | null;
  /** Why it cannot be opened. */
  problem: string | null;
}

export interface FrequencySet {
  /** The file. */
  source: string;
  images: number;
  mean_frequency: Estimate;
  /** Images in each fifth of the frequencies. */
  buckets: number[];
  /** Images by selection frequency. */
  cells: ReadingCell[];
  classes: ClassFrequency[];
}

/** A further data set of the same models. */
export interface GapAlso {
  name: string;
  /** As requested: `2,3,4,6,9`. */
  subgroups?: string;
  models: GapAlsoModel[];
  /** For a pattern of names: the values of each data set and their spread. */
  means?: MeanOverDatasets[];
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
  best: Record<"top1" | "real" | "asma", Record<"first" | "second", GapBest | null>>;
  /** Differences of the mean gaps. */
  differences: GapDifference[];
}

/** The best of the models; the interval covers the winner's true value and the best true value. */
export interface GapBest extends Estimate {
  model: string;
  /** The observed value, biased upwards by selection. */
  raw: number;
  /** Number of models that may be the best; 0: unknown. */
  candidates: number;
}

export interface GapBox {
  labels: number;
  set: "first" | "second";
  /** In the order of the models. */
  points: (number | null)[];
  box?: BoxNumbers;
}

/** One accuracy of a model on both data sets, by groups of images. */
export interface GapByGroup {
  /** The attributes of each `--by`. */
  by: string[];
  model: string;
  /** `top1` or `real`. */
  metric: string;
  /** The largest true gap of any group; its value is corrected for the choice of the largest. */
  largest: Estimate;
  /** The largest observed gap. */
  observed: number | null;
  /** The group that has it. */
  observed_group: string;
  /** Groups that are large enough. */
  candidates: number;
  /** Those that both data sets have; the intervals of all gaps hold together. */
  groups: GapOfGroup[];
  /** Groups that the other data set lacks. */
  only_here: Record<"first" | "second", string[]>;
  /** Groups without an interval. */
  too_small: number;
  /** Images that count and are in no group. */
  without: Record<"first" | "second", number>;
  /** Number of images without a value, by attribute. */
  without_value: Record<"first" | "second", WithoutValue[]>;
}

/** Whether one line describes the models. */
export interface GapCurvature {
  /** Coefficient of the square. */
  coefficient: number;
  standard_error: number;
  /** Slope at the 10 % quantile of the first data set. */
  low_slope: number;
  /** Slope at the 90 % quantile. */
  high_slope: number;
  /** No single line describes the models. */
  curved: boolean;
}

/** The published table: its name and what it counts. */
export interface GapDataSet {
  name: string;
  /** Models that the other data set lacks. */
  only_here: string[];
  images?: number;
  /** Images of top-1. */
  single?: number;
  /** Labels are the only valid classes of the images. */
  only_valid?: boolean;
  histogram?: GapHistogram;
}

/** The gap of top-1 is composition and within. */
export interface GapDecomposition {
  /** Part of the gap because the images have different numbers of labels. */
  composition: Estimate;
  /** What remains of the gap. */
  within: Estimate;
  /** Part of the composition that comes from numbers of labels that one data set lacks. */
  unmatched: Estimate;
  /** Composition divided by gap; undefined if the gap's interval contains 0. */
  explained: Estimate;
  /** Of averages. */
  models?: number;
}

/** How much smaller a gap is with another metric. */
export interface GapDifference extends Estimate {
  first_metric: "top1" | "real" | "asma";
  second_metric: "top1" | "real" | "asma";
  /** 1 - gap by the second / gap by the first; above 1 if the signs differ; undefined if the first is not significantly different from 0. */
  share: Estimate;
}

export interface GapEstimate extends Estimate {
  /** For averages: the number of models. */
  models?: number;
  /** The observed value, including the noise of the images. */
  raw?: number;
}

/** Images by their number of valid labels. */
export interface GapHistogram {
  labels: LabelledImages[];
  /** Images with more labels than those. */
  more: number;
  /** Images without a valid label. */
  none: number;
  /** Of these, images that the file of label sets does not name. */
  unnamed: number;
}

/** A line that predicts a metric on the second data set from the first. */
export interface GapLine {
  metric: "top1" | "real" | "asma";
  /** With both values. */
  models: number;
  scale: "points" | "probit" | "logit";
  /** For these models: that of the averages. */
  mean_gap: Estimate;
  /** Of these models. */
  slope: Estimate;
  /** The ends of its interval belong to the ends of the slope's interval. */
  intercept: Estimate;
  /** Treats the models as a random sample. */
  mean_gap_like: Estimate;
  /** Treats the models as a random sample. */
  slope_like: Estimate;
  /** Null for fewer than four models. */
  curvature: GapCurvature | null;
}

export interface GapModel {
  model: string;
  metrics: Record<"top1" | "real" | "asma", GapPair>;
  subgroups: GapSubgroup[];
  decomposition: GapDecomposition;
  ranks: Record<"top1" | "real" | "asma", Record<"first" | "second", GapRank | null>>;
  /** Rank by top-1 less rank by ASMA, among the models that have both. */
  rank_change: Record<"first" | "second", number | null>;
  /** From the first data set to the second. */
  rank_change_between: Record<"top1" | "real" | "asma", GapRankChange | null>;
  differences: GapDifference[];
  /** Images without scores. */
  not_scored: Record<"first" | "second", number>;
}

export interface GapOfGroup {
  /** `sex=f,camera=2`. */
  name: string;
  accuracy: Record<"first" | "second", Estimate>;
  /** First minus second. */
  gap: Estimate;
}

/** Agreement of two rankings of the models. */
export interface GapOrder {
  a: OrderEnd;
  b: OrderEnd;
  /** With both values. */
  models: number;
  /** Agreement of the true values. */
  kendall_tau_b: GapEstimate;
  /** Agreement of the true values. */
  spearman_rho: GapEstimate;
}

/** One metric on both data sets. */
export interface GapPair {
  first: GapEstimate;
  second: GapEstimate;
  /** First minus second: above 0 if accuracy drops. */
  gap: GapEstimate;
  /** For averages: the mean of |gap| over these models. */
  absolute_gap: GapEstimate;
}

/** gap = selection_bias + remaining. */
export interface GapParts {
  gap: Estimate;
  /** Gap that remains with images as easy to select as the original's. */
  remaining: Estimate;
  selection_bias: Estimate;
}

export interface GapPlace {
  model: string;
  rank: number;
  /** Rank by the other column. */
  against: number;
  /** Number of places gained. */
  change: number;
}

/** 1 is the best; low to high holds the true rank of a model named beforehand. */
export interface GapRank {
  rank: number;
  low?: number;
  high?: number;
}

/** Rank on the first data set less rank on the second, among models that have both. */
export interface GapRankChange {
  change: number;
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

/** The same models on two data sets, with three definitions of a correct prediction. */
export interface GapResult extends Result {
  /** `stores`, or the file of published values. */
  source: string;
  first: GapDataSet;
  second: GapDataSet;
  average: GapAverage;
  /** Sorted by top-1 on the first data set. */
  models: GapModel[];
  orders: GapOrder[];
  lines: GapLine[];
  /** The lines on the requested scale. */
  scaled_lines?: GapLine[];
  boxes: GapBox[];
  /** Indices into `models`. */
  best: Record<"first" | "second", number[]>;
  /** Indices into `models`. */
  marked: number[];
  also?: GapAlso[];
  ranking?: GapRanking;
  /** With `--by`: of each model, `top1`, `real`, or both. */
  groups?: GapByGroup[];
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
    scale: "points" | "probit" | "logit";
    /** For a table: the assumed correlation of two models' errors on the same images. */
    model_correlation?: number[];
    /** For a table: the assumed correlation of two metrics' errors. */
    metric_correlation?: number[];
  };
}

/** How the models' gaps differ from one another, as seen. */
export interface GapSpread {
  models: number;
  /** Null for one model. */
  sd: number | null;
  min: number;
  lower_quartile: number;
  median: number;
  upper_quartile: number;
  max: number;
  /** Standard deviation of these models' true values on the first data set, without the images' errors. */
  first: Estimate;
  /** The same on the second. */
  second: Estimate;
  /** The same of the gaps. */
  gap: Estimate;
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
  /** All models together. */
  surely_within: number | null;
  /** All models together. */
  surely_outside: number | null;
  /** Interval of the number of models that are within. */
  low: number | null;
  high: number | null;
}

export interface Gate {
  /** As it was written: `top1 >= 0.7`. */
  gate: string;
  /** Id of the definition that was measured. */
  definition: string;
  bound: number;
  passed: boolean;
  /** The value that was compared with the bound. */
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
  /** Of `sensitivity@specificity=.95` and the reverse. */
  point?: GatePoint;
}

/** Where the rate of a gate was measured. */
export interface GatePoint {
  /** The positive class. */
  positive: string;
  /** An image is positive if its probability is at least this; null: no probability decides so. */
  threshold: number | null;
  /** The same for the logit of the positive class minus the other one; null: the store has probabilities. */
  log_odds: number | null;
  /** Images. */
  chosen_on: number;
  /** Number of these among the other images. */
  positives: number;
  /** Number of these among the other images. */
  negatives: number;
  /** On the other images. */
  sensitivity: Estimate;
  /** On the other images. */
  specificity: Estimate;
}

/** Images drawn for experts. */
export interface GoldDraw extends Result {
  dataset: string;
  models: string[];
  /** Images with scores of every model. */
  images: number;
  drawn: number;
  /** Probability of each image to be drawn. */
  probability: number;
  /** Number of best classes of each model that experts judge. */
  depth: number;
  questions: number;
  /** Images that could not be drawn. */
  not_scored: number;
}

/** Composites of k patches, and how often a class repeats within one. */
export interface GridSummary {
  k: number;
  /** Longer side of a patch. */
  p: number;
  composites: number;
  /** Composites with 0, 1, ... k distinct labels. */
  by_labels: number[];
  /** Patches in no composite. */
  patches_left: number;
  repeats: {
    /** Composites with fewer than k labels. */
    count: number;
    proportion: Estimate;
    /** Expected for k random patches of this pool. */
    expected_pool?: number;
    /** Expected for equally frequent classes. */
    expected_equal_classes?: number;
  };
}

export interface GroupAccuracy {
  /** `sex=f,camera=2`. */
  name: string;
  correct: number;
  /** With `--cluster`. */
  clusters?: number;
  /** Without an interval if the group is too small. */
  accuracy: Measurement;
  /** Less the accuracy of all other images with a value of the same attributes; the intervals of all groups hold together. */
  difference: Measurement;
}

/** How two groups of models differ in one dimension. */
export interface GroupDifference extends Partial<PublishedTest> {
  dimension: string;
  /** Mean of the first group. */
  first: Estimate;
  second: Estimate;
  /** Difference: the second mean minus the first. */
  difference: Estimate;
  /** The difference in standard deviations. */
  effect: Estimate;
  /** Two-sided p-value of a permutation test. */
  p: number;
  /** Adjusted with Holm's method over the dimensions. */
  p_holm: number;
}

/** The gap that remains, in halves of the study. */
export interface HalvesPoint {
  annotators: number;
  method: string;
  halves_minus_whole: Estimate;
  whole?: number;
  halves?: number;
  /** Standard error of the whole gap, from the difference of two halves. */
  standard_error_by_halves?: number;
}

/** Images of one format or kind. */
export interface ImageKind {
  /** Stable identifier, such as `jpeg`, `grey`, `exif_turned`. */
  id: string;
  title: string;
  images: number;
  /** Id of the first such image. */
  first: string;
}

/** Pixels. */
export interface ImageSide {
  least: number;
  /** The lower of two medians. */
  median: number;
  most: number;
}

export interface ImageSizes {
  width: ImageSide;
  height: ImageSide;
  /** Number of different sizes. */
  sizes: number;
  /** The most frequent size. */
  usual_width: number;
  usual_height: number;
  /** Number of images of that size. */
  usual_images: number;
}

/** What `assay import` prints. */
export interface ImportResult extends Result {
  store: string;
  rows: number;
  classes: number;
  kind: string;
  storage: string;
  without_score: number;
  /** Rows of the file whose ids match no item. */
  left_out: number;
  /** Assumptions and findings. */
  notes: string[];
}

/** The finding as one line of text. */
export interface InspectFinding {
  /** `sound`: nothing was found. */
  grade: "fault" | "doubt" | "note" | "sound";
  text: string;
  /** Number of images, as text. */
  examples: string[];
}

/** What `assay inspect` prints. */
export interface InspectResult extends Result {
  name: string;
  /** Of predictions: their store. Formats, sizes and near duplicates are absent, and all that concerns images if the store has no record of them. */
  store?: string;
  images: number;
  unreadable?: number;
  /** The most bits between near duplicates. */
  near?: number;
  /** How the data set was read. */
  notes: string[];
  samples: InspectedImage[];
  labels: InspectedLabels;
  kinds: ImageKind[];
  /** Null for a store, and if no image can be decoded. */
  sizes: ImageSizes | null;
  unreadable_examples?: InspectUnreadable[];
  /** Each kind; none if no image can be decoded. */
  unusual?: UnusualImages[];
  same_files?: DuplicateImages;
  /** Near duplicates among files that differ. */
  near_duplicates?: DuplicateImages;
  against: InspectedAgainst | null;
  /** Null for images with fewer than two classes, and in the data section of a report. */
  class_orders: ClassOrders | null;
  findings: InspectFinding[];
}

export interface InspectUnreadable {
  id: string;
  why: string;
}

/** The other data set. */
export interface InspectedAgainst {
  name: string;
  images: number;
  unreadable: number;
  /** Images whose file the other data set has, too. */
  same: number;
  /** Different files that look like one of the other data set. */
  near: number;
  same_examples: SharedImage[];
  near_examples: SharedImage[];
  /** How it was read. */
  notes: string[];
}

export interface InspectedImage {
  id: string;
  /** Their classes. */
  labels: string[];
}

export interface InspectedLabels {
  classes: number;
  classes_without_images: number;
  /** The first classes. */
  order: string[];
  /** Of classes with images. */
  fewest: ClassCount[];
  most: ClassCount[];
  /** The first classes without images. */
  without_images: string[];
  /** Images without a label. */
  images_without: number;
  /** Images with several labels. */
  images_with_several: number;
  /** Ids of images without a label. */
  first_without: string[];
}

export interface Interval {
  low: number;
  high: number;
  level: number;
  method: string;
}

export interface ItemClass {
  class: number;
  id: string;
  name: string;
}

export interface ItemModel {
  name: string;
  /** Best first. */
  predictions?: ItemPrediction[];
  /** Why there are no predictions. */
  not_scored?: string;
}

/** One class that a model predicts for an image. */
export interface ItemPrediction extends ItemClass {
  /** From 1. */
  rank: number;
  probability?: number;
  correct: boolean;
}

/** What `assay join` prints. */
export interface JoinResult extends Result {
  stores: JoinedStore[];
}

export interface JoinedStore {
  store: string;
  rows: number;
  shards: number;
  /** Number of parts; 0: it was not in parts. */
  parts: number;
  /** Shards that this call renamed. */
  moved: number;
}

/** How much of the drop comes from labels per image, and how much from selection. */
export interface JointDecomposition {
  /** Why there are no parts. */
  undefined?: string;
  mean?: DropParts;
  classifiers?: ClassifierDrop[];
  strata?: LabelStratum[];
}

export interface JudgedAnnotator extends AnnotatorRecord {
  annotator: string;
}

/** What `assay audit` prints. */
export interface LabelAudit extends Result {
  dataset: string;
  /** Empty if it is unknown. */
  images_folder: string;
  /** Images with one label and scores of every model. */
  images: number;
  /** Images without a label, or with several. */
  unlabelled: number;
  /** Images without a finite score of every model. */
  left_out: number;
  /** Labels with a likelier class. */
  suspects: number;
  /** Images with two classes of at least 25 %. */
  ambiguous: number;
  /** Images that are in the data set several times. */
  duplicate_groups: number;
  /** All images of these groups. */
  duplicate_images: number;
  /** Groups with different labels. */
  contradicting_groups: number;
  /** Images whose pixels were compared. */
  decoded: number;
  /** Groups of images that look alike. */
  alike_groups: number;
  /** All images of these groups. */
  alike_images: number;
  /** Those of these groups that have different labels. */
  contradicting_alike_groups: number;
  /** Number of wrong labels among the suspect ones, estimated from people's answers about some. */
  wrong_labels: Estimate;
  /** Labels in the questions that are not listed. */
  sampled: number;
  /** Images with answers. */
  checked: number;
  /** Of these, labels that are wrong. */
  confirmed_wrong: number;
  /** Of the wrong labels, those with a confirmed class. */
  corrected: number;
  /** Of the wrong labels, those without a confirmed class. */
  without_class: number;
  /** Images that nobody can judge, or with a tie. */
  unjudged: number;
  /** Images with several confirmed classes. */
  several_classes: number;
  /** Images with answers, but none about the label. */
  half_answered: number;
  /** About other images or labels. */
  answers_ignored: number;
  models: AuditedModel[];
  /** The most suspicious labels. */
  listed: SuspectLabel[];
  listed_ambiguous: AmbiguousImage[];
  /** Those with different labels first. */
  listed_duplicates: AuditedDuplicates[];
  /** What was not compared. */
  duplicate_notes: string[];
  /** Empty without answers. */
  corrected_models: CorrectedModel[];
  questions_file: string;
  labels_file: string;
  notes: string[];
  warnings: string[];
}

/** Which labels to ask annotators about. */
export interface LabelProposals extends Result {
  dataset: string;
  rule: "probability" | "rank";
  target_recall: number;
  reached: boolean;
  /** Number of best classes per row that are considered. */
  depth: number;
  models: ModelProposals[];
  items: number;
  /** Images. */
  asked: number;
  /** Images that were skipped. */
  agreed: number;
  not_scored: number;
  /** Images that set the thresholds. */
  sampled: number;
  questions: number;
  questions_per_image_mean: number;
  questions_per_image_max: number;
  /** Recall of the original labels. */
  recall_original: Measurement;
  /** Recall of the gold label sets; undefined without them. */
  recall_gold: Measurement;
  notes: string[];
  /** Stores that were skipped, such as those of attacks. */
  warnings?: string[];
}

export interface LabelStatsClass {
  class: string;
  name: string;
  images: number;
  /** Images with no other label. */
  alone: number;
}

/** Two classes that occur together. */
export interface LabelStatsPair {
  a: string;
  b: string;
  /** Images. */
  together: number;
  /** Images of a. */
  count_a: number;
  count_b: number;
  /** Together by chance. */
  expected: number;
  /** together / expected. */
  lift: Estimate;
  /** log2(lift). */
  pmi: number;
  /** 1: the two classes always occur together. */
  npmi: number;
}

/** How many labels images have, how often each class occurs, and which classes occur together. */
export interface LabelStatsResult extends Result {
  dataset: string;
  items: number;
  labelled: number;
  labels: number;
  /** Over labelled images. */
  mean_labels: Measurement;
  /** Images by their number of labels. */
  labels_per_image: Record<string, number>;
  unused_classes: number;
  classes: LabelStatsClass[];
  /** Distinct ones. */
  pairs_seen: number;
  /** Of these, pairs that are too rare to be listed. */
  pairs_rare: number;
  /** Images with too many labels to count pairs. */
  images_not_in_pairs: number;
  pairs: LabelStatsPair[];
}

/** Images with so many valid labels. */
export interface LabelStratum {
  /** How many: "1", "2", "4 and more". */
  labels: string;
  /** Share of the original's images with larger selection rates than 99 % of the replication's. */
  above: number;
  images: {
    original: number;
    replication: number;
  };
  accuracy: {
    /** Means over classifiers. */
    original: number;
    replication: number;
  };
  rate: {
    /** Mean selection frequencies. */
    original: number;
    replication: number;
  };
}

/** Label sets of people's votes. */
export interface LabelVotes extends Result {
  /** The file of votes. */
  source: string;
  method: string;
  annotators: number;
  questions: number;
  images: number;
  /** Their names. */
  answers: string[];
  labels_kept: number;
  /** Labels that follow from others by `--hierarchy`. */
  implied_labels: number;
  /** Of these, those that annotators rejected. */
  implied_and_rejected: number;
  /** Images by their number of labels: `1` to `5`, `>5`, `none`. */
  labels_per_image: Record<string, number>;
  /** Fleiss' kappa and Krippendorff's alpha. */
  measurements: Measurement[];
  /** Questions that neither measurement uses. */
  questions_with_one_answer_or_none: number;
  notes: string[];
  /** The fit, if the method is dawid-skene. */
  dawid_skene?: DawidSkeneFit;
  /** With that method, of votes that name a class. */
  which_class?: WhichClassFit;
  /** With `--against`. */
  comparison?: VoteComparison;
  /** With `--annotators`. */
  annotator_quality?: AnnotatorQuality[];
  votes: {
    read: number;
    used: number;
    /** Of the used votes, those that come from the original labels. */
    original_labels: number;
    repeated: number;
    pooled_questions: number;
  };
  rule: {
    threshold: number;
    /** More than the threshold. */
    above: boolean;
  };
  items: {
    all: number;
    annotated_without_label: number;
    /** Not annotated: they have their original labels. */
    original: number;
    left_out: number;
  };
  problems: {
    /** Votes that were not used, and why. */
    votes: VoteProblem[];
    items: VoteProblem[];
  };
}

export interface LabelledDuplicate {
  item: string;
  /** Ids of the label's classes. */
  label: string;
}

export interface LabelledImages {
  labels: number;
  images: number;
}

/** What `assay verify` prints of a folder of questions. */
export interface LabellingFolderCheck extends Result {
  folder: string;
  state: "sound" | "damaged";
  /** A sentence each. */
  problems: string[];
}

/** A folder of questions for annotators. */
export interface LabellingSummary extends Result {
  folder: string;
  task: string;
  title: string;
  questions: number;
  images: number;
  labels: number;
  screens: number;
  /** Questions with known answers. */
  known: number;
  /** Wanted annotators per question. */
  votes: number;
  /** That count. */
  answers: number;
  annotators: number;
  /** Annotators who are blocked. */
  blocked: number;
  /** Questions with all their answers. */
  complete: number;
  warnings: string[];
}

/** Items with so many valid labels, scored or not. */
export interface LabelsPerImage {
  labels: number;
  items: number;
}

export interface LibTorchPlace {
  source: "torch_dir" | "python" | "distribution";
  /** How it was found. */
  asked: string;
  root: string | null;
  version: string | null;
  /** True if it has a library for CUDA. */
  cuda: boolean;
  /** Why no plug-in can be compiled for it. */
  unusable: string | null;
  /** In words. */
  state: string;
}

/** What `assay list` prints: a list for each requested topic. */
export interface ListResult extends Result {
  metrics?: ListedMetric[];
  corruptions?: ListedCorruption[];
  presets?: ListedPreset[];
  maps?: ListedClassMap[];
  formats?: ListedFormat[];
  environment?: ListedVariable[];
  stores?: ListedStore[];
}

export interface ListedClassMap {
  name: string;
  /** Ids. */
  classes: string[];
  /** How it is detected. */
  predicted_class: string;
}

export interface ListedCorruption {
  name: string;
  group: string;
  /** What severities 1 to 5 change. */
  severities: string;
  /** True if it is not among the 15 whose mean is reported. */
  extra: boolean;
  /** Smallest side that it can corrupt, pixels, at each severity. */
  min_side: number[];
  /** For a plug-in: its file. */
  plugin?: string;
  /** For a plug-in: its record, with the file's hash. */
  definition?: string;
}

export interface ListedFormat {
  what: string;
  /** Endings. */
  files: string;
  contents: string;
}

export interface ListedMetric {
  name: string;
  title: string;
  formula: string;
  /** Ids for all values of the parameters. */
  definitions: string[];
  parameters: MetricParameter[];
  needs: string[];
  /** Null if neither direction is better. */
  higher_is_better: boolean | null;
  range: [number | null, number | null];
  /** Paper and equation. */
  source: string;
  by_default: boolean;
  /** Shown by default only if an item has several labels. */
  with_label_sets: boolean;
  /** Shown by default only if items have shape and texture cues. */
  with_cues: boolean;
}

export interface ListedPreset {
  name: string;
  /** Where these values come from. */
  summary: string;
  preprocess: Record<string, unknown>;
}

export interface ListedStore extends Partial<StoreFacts> {
  store: string;
  /** Why it cannot be read. */
  damaged?: string;
}

export interface ListedVariable {
  name: string;
  /** Allowed values. */
  value: string;
  meaning: string;
}

export interface MadAnnotator {
  annotator: string;
  blocked: boolean;
  answers: number;
  yes: number;
  cannot_say: number;
  /** Proportion of gold questions answered as known. */
  gold: Estimate;
  /** With the majority of the others. */
  agreement: Estimate;
}

export interface MadAnswerFile {
  file: string;
  /** Answers in the file. */
  read: number;
  /** Answers to questions that their annotators had not answered before. */
  added: number;
  /** Answers that replaced another one of the same annotator. */
  changed: number;
  repeated: number;
  /** Answers that the same annotator changed later. */
  outdated: number;
  /** Tasks without an answer, drafts, cancelled ones. */
  skipped: number;
  /** Of these, annotations that counted before. */
  taken_back: number;
}

/** The answers that were read, and the state of all answers. */
export interface MadAnswers extends Result {
  files: MadAnswerFile[];
  /** Questions. */
  settled?: number;
  open?: number;
  /** Questions that nobody can judge. */
  unclear?: number;
  annotators?: number;
  warnings: string[];
}

/** An annotator whose answers were blocked or unblocked. */
export interface MadBlock extends Result {
  annotator: string;
  blocked: boolean;
  /** False if nothing changed. */
  changed: boolean;
  /** Answers of the annotator that count or would count. */
  answers: number;
  /** Questions now. */
  settled: number;
  open: number;
}

/** A class with its selected and its labelled images. */
export interface MadClass {
  id: string;
  name: string;
  /** Images for which a classifier of the pairs predicts it. */
  selected: number;
  /** Of these: people say that the image shows it. */
  yes: number;
  /** People say that it does not. */
  no: number;
  /** Not asked, undecided, or nobody can judge it. */
  open: number;
  /** Images of the labelled data set with the class. */
  labelled: number;
  /** Of these, the first ones, which are on the sheets. */
  shown: number;
  /** The first of its sheets. */
  sheet: string;
}

export interface MadClassifier {
  classifier: string;
  store: string;
  /** Images with scores. */
  scored: number;
  /** Smallest confidence of its candidates. */
  threshold: number;
  /** Images that reach the threshold. */
  confident: number;
}

/** A classifier in two orders; ranks are among the compared classifiers. */
export interface MadComparedRank {
  classifier: string;
  /** By the competition. */
  rank: number;
  /** Rank in the other order. */
  other: number;
  /** other - rank: above 0 if it ranks better here. */
  moved: number;
}

/** The ranking compared with another order. */
export interface MadComparison {
  /** A file, or the accuracy by the control sample. */
  with: string;
  classifiers: number;
  srcc: Estimate;
  kendall: Estimate;
  /** The best of the competition first; empty if groups are compared. */
  ranks?: MadComparedRank[];
}

/** The classifiers, images and settings of a competition. */
export interface MadCompetition extends Result {
  competition: string;
  images: number;
  classes: number;
  /** All settings, as text. */
  settings: Record<string, string>;
  classifiers: MadClassifier[];
}

/** The distance of two classes, and the way through the hierarchy. */
export interface MadDistance extends Result {
  /** Id of the class. */
  first: string;
  second: string;
  /** As in `mad init --distance`. */
  definition: string;
  /** Sum of the weights. */
  distance: number;
  /** From the first to the second class. */
  steps: MadDistanceStep[];
}

export interface MadDistanceStep {
  id: string;
  name: string;
  /** From the node before it: `up` or `down`; empty for the first. */
  edge: string;
  /** Of this edge. */
  weight: number;
}

/** The files that an export wrote. */
export interface MadExport extends Result {
  files: MadExportedFile[];
}

/** `export.json` of a folder that `assay mad export` wrote. */
export interface MadExportManifest extends Result {
  /** Hashes of the allowed contents of each file. */
  files: Record<string, string[]>;
}

export interface MadExportedFile {
  file: string;
  bytes: number;
}

/** The selected images, and the sheets that show them. */
export interface MadGallery extends Result {
  sheets: MadSheet[];
  /** With `--beside`; otherwise empty. */
  classes: MadClass[];
  shown: ShownSelection[];
  /** Of all sheets. */
  images: number;
  /** Of all sheets. */
  beside: number;
  unreadable: number;
  /** How the labelled data set was read, and which images are omitted. */
  notes: string[];
  warnings: string[];
}

export interface MadPairSelection {
  first: string;
  second: string;
  /** Images with different labels. */
  disagreeing: number;
  /** Of these, images on which both classifiers are confident. */
  candidates: number;
  wanted: number;
  selected: number;
  /** Images added by this round. */
  added: number;
  /** Images that people could not judge, or that were excluded. */
  replaced: number;
  /** Near duplicates of an image before them. */
  duplicates: number;
}

/** Questions of this round, and all questions. */
export interface MadQuestions extends Result {
  /** New questions of this round, without gold. */
  added: number;
  added_gold: number;
  /** With a budget: earlier questions without an answer. */
  waiting: number;
  /** All questions, including gold. */
  questions: number;
  /** Questions with known answers. */
  gold: number;
  /** Not settled yet. */
  open: number;
  /** Questions that several places share. */
  saved: number;
  /** Accepted places whose two questions are both asked. */
  asked_places: number;
  accepted_places: number;
  /** Images of the control sample. */
  control: number;
  /** Of these, with all questions asked. */
  asked_control: number;
  /** With a budget: images that this round drew. */
  images_drawn: number;
  /** How a budget is spent; null without a budget. */
  ask: "information" | "random" | "shared" | null;
  /** As in `rank`, before this round; null without a budget and a value to stop at. */
  list_tau: number | null;
  /** True if no more questions are needed. */
  stopped: boolean;
  warnings: string[];
}

export interface MadRankOptions {
  votes: "majority" | "dawid-skene";
  /** Added to counts of correct images. */
  alpha: number;
  /** Only the first of each pair's places; 0: all. */
  k: number;
  /** 0: none. */
  bootstraps: number;
  draws: number;
  /** Of the credible intervals. */
  level: number;
  spread: number;
  tau: number;
  stop_at: number;
  /** Classifiers that were excluded on request. */
  without: string[];
  seed: number;
}

/** The ranking of a competition's classifiers by people's answers. */
export interface MadRanking extends Result {
  competition: string;
  options: MadRankOptions;
  placed_by: "perron" | "hodge" | "posterior";
  /** Groups of classifiers that no chain of pairs joins. */
  components: number;
  /** Classifiers in the order of the competition. */
  classifiers: RankedClassifier[];
  pairs: RankedPair[];
  /** Images of all pairs by case: both labels correct, one, or none. */
  cases: Record<"I" | "II" | "III", number>;
  replaced: number;
  /** Rows and columns as the classifiers; null on the diagonal. */
  aggressiveness: (number | null)[][];
  log_ratios: (number | null)[][];
  /** Probability that a row's classifier is better. */
  better: (number | null)[][];
  eigenvalue: number;
  /** 0: every ratio follows from a score of each classifier. */
  consistency_index: number;
  /** Circular part of the log ratios. */
  cyclicity: number;
  /** Mean probability of a pair in the wrong order. */
  error: number;
  /** Kendall correlation with the ranking on all images of the selected kind. */
  expected_tau: number;
  list_error: number;
  /** Correlation with the ranking from all selected images. */
  list_tau: number;
  /** Number of different images whose questions are settled. */
  images: number;
  /** Places of pairs on these images. */
  places: number;
  /** Number of independent images with the same uncertainty. */
  effective_images: number;
  /** Mean standard deviation of the classifiers' strengths. */
  spread: number;
  /** `list_tau` reaches `options.stop_at`. */
  enough: boolean;
  ablation: AblationRow[];
  comparisons: MadComparison[];
  /** Tags of the answers, or of --tags. */
  tags?: MadTag[];
  /** Images of the control sample. */
  control: number;
  /** Different ones. */
  questions: number;
  settled: number;
  /** Wanted questions that are not settled. */
  open: number;
  /** That count. */
  answers: number;
  annotators: number;
  /** Questions that places share. */
  saved: number;
  needed_without_sharing: number;
  /** Answers to settled questions, without gold. */
  answers_per_question: number;
}

/** The images that people are asked about. */
export interface MadSelection extends Result {
  competition: string;
  /** Wanted images per pair. */
  k: number;
  /** Of the competition. */
  images: number;
  /** Of these, images with scores of every classifier. */
  scored: number;
  excluded: number;
  /** Places over the pairs. */
  accepted: number;
  /** Different images among them. */
  distinct: number;
  /** Different images among these. */
  questions: number;
  /** Images of the control sample. */
  control: number;
  /** Pairs that this round searched images for. */
  scanned: number;
  pairs: MadPairSelection[];
  warnings: string[];
}

export interface MadSheet {
  file: string;
  /** Empty on the sheet of a tag or of a class. */
  first: string;
  second: string;
  /** Empty on the sheet of a pair or of a class. */
  tag: string;
  /** Empty on other sheets than those of classes. */
  class_id: string;
  /** Selected images on it. */
  images: number;
  /** Images of the labelled data set on it. */
  beside: number;
  /** Of all these, images that are shown as a grey field. */
  unreadable: number;
  /** Images. */
  cases: Record<"I" | "II" | "III" | "replaced" | "open", number>;
}

/** The state of a competition. */
export interface MadStatus extends Result {
  competition: string;
  images: number;
  classifiers: MadStatusClassifier[];
  pairs: number;
  pairs_selected: number;
  /** Pairs with fewer than k images. */
  short_pairs: number;
  /** Wanted images per pair. */
  k: number;
  /** Places. */
  accepted: number;
  replaced: number;
  duplicates: number;
  excluded: number;
  /** Images of the control sample. */
  control: number;
  questions: number;
  /** Questions with a known answer. */
  gold: number;
  settled: number;
  open: number;
  /** Questions that are no longer wanted, because images were replaced or classifiers removed. */
  unwanted: number;
  /** Questions that people cannot judge. */
  unclear: number;
  /** Questions of accepted places and the control sample. */
  unasked: number;
  unasked_places: number;
  /** Places whose images people cannot judge. */
  to_replace: number;
  annotators: MadAnnotator[];
  /** The command to run next. */
  next: string;
}

export interface MadStatusClassifier {
  classifier: string;
  /** Not removed. */
  active: boolean;
  /** Images. */
  scored: number;
  /** Of these, images that reach its threshold. */
  confident: number;
}

/** The images with one tag, and the ranking without them. */
export interface MadTag {
  tag: string;
  /** Different settled images. */
  images: number;
  classifiers: MadTaggedClassifier[];
}

export interface MadTaggedClassifier {
  classifier: string;
  /** Settled images of its pairs with the tag. */
  images: number;
  /** Of these, images with a wrong label. */
  wrong: number;
  /** Place with all images, by the same rule. */
  place: number | null;
  /** Place without the images of the tag; null if other classifiers are joined. */
  without: number | null;
}

/** One corruption at one severity. */
export interface MadeVersion {
  corruption: string;
  group: string;
  /** True if it is not among the 15 of the paper. */
  extra: boolean;
  severity: number;
  /** With `--out`. */
  folder?: string;
  /** With `--out`. */
  images?: number;
}

/** A sign that an attack says little, and its number. */
export interface MaskingSign {
  /** `random`, `batch`, `outputs`, `large_budget`, `none_fooled`, `stronger`, `without_gradient`, `slope` or, with `--transfer`, `transferred`. */
  name: string;
  /** The verdict if the sign is found. */
  means: string;
  tested: boolean;
  found: boolean;
  /** What was measured, with its limit. */
  text: string;
}

/** The chosen images of one fifth of the frequencies. */
export interface MatchBucket {
  /** 0 to 4. */
  bucket: number;
  in_sample: Estimate;
  held_out: Estimate;
  /** Below 0 in high buckets and above 0 in low ones, even without selection bias. */
  held_out_minus_in_sample: Estimate;
}

/** Mean frequencies and their differences. */
export interface MatchResult {
  /** Number of annotators who chose. */
  annotators: number;
  /** Number of annotators per image of the reference; 0: all. */
  reference_annotators: number;
  /** Images. */
  chosen: number;
  /** Images that are missing, because no candidate was left for them. */
  missing: number;
  /** Images from a higher bucket than the reference asks for. */
  from_higher: number;
  candidates: number;
  candidates_with_too_few_annotators: number;
  candidates_not_easy: number;
  /** Classes weighted as they were chosen. */
  reference: Estimate;
  /** Of the chosen images, by those who chose them. */
  in_sample: Estimate;
  /** Of the chosen images, by held-out annotators. */
  held_out: Estimate;
  held_out_minus_reference: Estimate;
  /** Selection bias: over all candidates, buckets weighted as in the reference. */
  held_out_minus_in_sample: Estimate;
  /** The same for the chosen images alone, without weights. */
  held_out_minus_in_sample_as_chosen: Estimate;
  buckets: MatchBucket[];
  /** What the match shows. */
  verdict: string;
  warnings: string[];
}

/** Accuracy of a classifier on the chosen images. */
export interface MatchedAccuracy {
  classifier: string;
  hits: number;
  accuracy: Estimate;
}

/** Lists have one entry per bucket. */
export interface MatchedClass {
  label: string;
  /** Images wanted. */
  target: number[];
  available: number[];
  taken: number[];
  missing: number;
}

/** The geometric mean of the ratios of fgsm and pgd. */
export interface MeanOfAttacks {
  eps: number;
  value: Estimate;
}

/** Accuracy over the severities with predictions. */
export interface MeanOfCorruption extends CorruptedMean {
  corruption: string;
  /** True if it is not among the 15 of the paper. */
  extra: boolean;
}

/** One metric of one model over data sets that repeat one another. */
export interface MeanOverDatasets extends Measurement {
  standard_deviation: number | null;
  min?: number;
  max?: number;
  datasets: ValueOfDataset[];
}

export interface MeasuredClassifier {
  name: string;
  original: Estimate;
  replication: Estimate;
  /** Spread of the adjusted accuracy over sets of exponents. */
  sensitivity?: number;
}

/** What differs between runs and machines. */
export interface MeasuredCost {
  threads: number;
  runs: number;
  device: string;
  framework: string;
  /** Peak by LibTorch's allocator. */
  peak_bytes: number | null;
  /** Null if no runs were timed. */
  latency_ms: CostLatency | null;
}

/** Fields that measuring adds to a table. */
export interface MeasuredQuality {
  /** Names of data sets, by role. */
  data: Record<string, string>;
  /** Of the attacks. */
  eps: number;
  space: string;
  /** Of the intervals. */
  level: number;
  seed: number;
  /** Draws of labels for a perfectly calibrated classifier. */
  null_draws: number;
  /** True if a store that was used is not complete. */
  partial: boolean;
  notes: string[];
  warnings: string[];
}

/** Fields that measuring adds to a model. */
export interface MeasuredQualityModel {
  parts: QualityPart[];
  notes: string[];
}

/** An estimate with the definition that it measures. */
export interface Measurement extends Estimate, MeasurementKey {
  /** Items without a valid label or without scores. */
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

/** What `assay compare --method` prints. */
export interface MethodComparison extends Result {
  dataset: string;
  images: number;
  /** Images without a valid class, or without scores of every run. */
  left_out: number;
  /** Of these, images without scores of some run. */
  not_scored: number;
  level: number;
  /** Wanted half of an interval; 0: none. */
  within: number;
  /** The first is the baseline. */
  methods: TrainedMethod[];
  differences: MethodDifference[];
  runs: MethodRun[];
  notes: string[];
  warnings: string[];
}

/** At the `rates` of the same object. */
export interface MethodCurves {
  method: string;
  density?: NumbersOfSets;
  /** By classifier. */
  accuracy?: number[][];
  /** Ends of the intervals of `pl`. */
  accuracy_low?: number[][];
  accuracy_high?: number[][];
}

export interface MethodDifference {
  baseline: string;
  candidate: string;
  /** Run by run, because both have the same seeds. */
  paired: boolean;
  /** Candidate minus baseline, for new training runs on new images. */
  difference: Estimate;
  /** The difference of these runs, with its interval for new images. */
  these_runs: Estimate;
  /** The difference of one new run of each method, with its interval on as many new images. */
  next_run: Estimate;
  /** Proportion of the variance that more runs reduce. */
  from_runs: number;
  /** Per method, for the wanted width; null: more runs alone do not reach it, or no width is wanted. */
  runs_needed: number | null;
}

export interface MethodLine extends ReplicateLine {
  /** `none`: without adjustment. */
  method: string;
}

export interface MethodRun {
  method: string;
  /** What the wildcards of the pattern match. */
  seed: string;
  store: string;
  /** Accuracy of this run over the images. */
  accuracy: Estimate;
}

/** Name of a metric in the results. */
export interface MetricDefinition {
  /** Id of the exact definition. */
  definition: string;
  metric: string;
  name: string;
  meaning: string;
  source?: string;
}

export interface MetricParameter {
  name: string;
  default: string;
  meaning: string;
  /** Of whole numbers. */
  low?: number;
  /** Of whole numbers. */
  high?: number;
  /** Several numbers and ranges of them: `1-5`, `2,3,4`. */
  list?: boolean;
  /** Of words. */
  allowed?: string[];
}

/** What is missed among the g highest classes of images with g valid labels. */
export interface MissedLabels {
  /** Of the labelled images: those with several valid labels. */
  several: Estimate;
  /** Of the images with several valid labels: those with all of them found. */
  all_found: Estimate;
  /** The predicted class is valid, and another valid label is missed. */
  second_missed: Estimate;
  /** The predicted class is not valid, but a valid label is found. */
  first_wrong: Estimate;
  /** No valid label is found. */
  none_found: Estimate;
  /** With `--hierarchy`: of the images that miss a valid label, those with a sibling of it in its place. */
  sibling?: Estimate;
}

export interface MissingDimension {
  dimension: string;
  /** Empty: any. */
  model: string;
  why: string;
}

export interface ModelCost {
  model: string;
  path: string;
  format: string;
  /** Channels, height, width. */
  input: number[];
  batch: number;
  /** Null if they are not known (`no_weights` says why). */
  parameters: number | null;
  /** Likewise. */
  buffers: number | null;
  /** Likewise. */
  weight_bytes: number | null;
  /** 0: no file. */
  file_bytes: number;
  /** Multiply-accumulates of the whole batch. Null if unknown (`no_operators` says why). */
  macs: number | null;
  /** Likewise. */
  attention_macs: number | null;
  /** Likewise. */
  macs_per_image: number | null;
  /** Likewise. */
  flops_per_image: number | null;
  /** Numbers that operators visit, by kind; null if unknown. */
  elements: Record<string, number> | null;
  operators: OperatorCost[];
  /** Calls of operators without a rule: the sums are then too low. */
  unknown: Record<string, number>;
  executed_nodes: number;
  /** Null if unknown. */
  peak_activation_bytes: number | null;
  peak_node: string;
  /** Why the numbers of weights are not known. */
  no_weights?: string;
  /** Why operators were not counted. */
  no_operators?: string;
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
  /** Like predictions; a class that is not stored has only a name. */
  labels: (ShownClass & Partial<RankedClass>)[];
  /** Null if unknown. */
  variable_top_k_hits: number | null;
}

export interface ModelProposals {
  model: string;
  chosen: boolean;
  /** The lowest probability, or the largest rank, that is proposed. */
  threshold?: number;
  /** Pairs of image and label. */
  proposals?: number;
  /** Of these, labels that no other chosen model proposes. */
  alone?: number;
  /** Recall of the known labels. */
  recall?: Measurement;
}

/** The resolved settings of a model, with the keys of a settings file. */
export interface ModelSettings {
  name: string;
  path: string;
  format: string;
  preprocess: Record<string, unknown>;
  /** Null if it is unknown. */
  num_classes: number | null;
  outputs: string;
  /** Name or position of the output, if a model has several. */
  output: string;
  /** Null: as in the model's file. */
  layout: string | null;
  /** Likewise. */
  input_type: string | null;
  /** Null without a class list. */
  classes: ClassesOfModel | null;
  /** Empty: none. */
  preset: string;
  /** The settings file; empty: none. */
  sidecar: string;
  /** For a model in Python: its source, such as timm:resnet18. */
  source?: string;
  /** A second settings file. */
  also_read?: string;
  /** The size it was trained at, if it is evaluated at another. */
  instead_of?: string;
  /** Keys that say nothing about evaluation. */
  without_effect?: string[];
}

export interface ModelWithPeople {
  model: string;
  dataset: string;
  /** Images that a person answered and the store has no scores of. */
  without_scores: number;
  /** Kappa over the people; interval by a jackknife over images. */
  mean: Estimate;
  people: WithPerson[];
}

export interface MpiPlugin {
  is: string;
  file: string;
}

export interface Need {
  need: string;
  /** Models that fail this need. */
  failed: number;
}

export interface NetBenefit {
  model: string;
  dataset: string;
  /** Threshold of the probabilities, adjusted to the prevalence. */
  threshold: number;
  /** Per image at the prevalence, on all images. */
  benefit: Estimate;
  /** Net benefit of calling every image positive. */
  all_positive: number;
  sensitivity: Estimate;
  specificity: Estimate;
}

/** One node of the graph, as executed. */
export interface NodeCost {
  name: string;
  operator: string;
  /** Shape of its last output. */
  result: string;
  macs: number;
  /** Bytes of activations in memory while it runs. */
  live_bytes: number;
}

export interface NumbersOfSets {
  original: number[];
  replication: number[];
}

export interface OperatingPoint {
  model: string;
  dataset: string;
  /** The class. */
  positive: string;
  /** How the threshold was chosen. */
  rule: string;
  /** An image is positive if its probability is at least this; null: no probability decides so, or log-odds were given. */
  threshold: number | null;
  /** The same for the logit of the positive class minus the other one; null: the store has probabilities, or a probability was given. */
  log_odds: number | null;
  /** Number of images that chose the threshold; 0: it was given. */
  chosen_on: number;
  /** Number of these among the other images. */
  positives: number;
  /** Number of these among the other images. */
  negatives: number;
  /** Prevalence for predictive values, cost and net benefit. */
  prevalence: number;
  /** On the other images. */
  sensitivity: Estimate;
  /** On the other images. */
  specificity: Estimate;
  /** Positive predictive value at the prevalence. */
  ppv: Estimate;
  /** Negative predictive value at the prevalence. */
  npv: Estimate;
  /** Per image at the prevalence. */
  cost: Estimate;
  /** The gate of --require; null: none. */
  passed: boolean | null;
}

/** What `assay decide` prints. */
export interface OperatingResult extends Result {
  /** Of the intervals. */
  level: number;
  points: OperatingPoint[];
  /** A row for each model and threshold of --at. */
  benefits: NetBenefit[];
  /** Images without scores, which are skipped. */
  not_scored: number;
  notes: string[];
  warnings: string[];
}

/** All executed calls of one operator. */
export interface OperatorCost {
  operator: string;
  kind: string;
  /** True if its products are of quantised numbers. */
  integer: boolean;
  calls: number;
  /** Multiply-accumulates of the whole batch. */
  macs: number;
  /** Of these, products whose two factors both depend on the image. */
  attention_macs: number;
  /** Numbers that the operator visits. */
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
  /** Mid-p of McNemar's test: the observed table counts half. */
  mid_p?: number;
  /** Two-sided p-value of no difference. */
  p?: number;
  /** Adjusted metric by metric over the candidates. */
  p_holm?: number;
  test?: string;
  /** Of a group of images, with `--cluster`. */
  clusters?: number;
  verdict?: "no difference shown" | "better" | "worse";
}

/** A table or a figure of the paper. */
export interface PaperPart {
  /** The name of its files. */
  row: string;
  /** The paper's own. */
  number: string;
  shows: string;
  state: "made" | "no input" | "not yet" | "failed";
  files: string[];
  /** What prints the same alone. */
  command?: string;
  /** Why it was not made. */
  reason?: string;
}

/** What `assay paper` made. */
export interface PaperResult extends Result {
  paper: string;
  folder: string;
  /** In the paper's order. */
  rows: PaperPart[];
  /** Files with the results behind the rows. */
  results: string[];
  /** Warnings of the evaluations, each once. */
  warnings: string[];
}

/** The patches that make up the composites. */
export interface PatchPool {
  patches: number;
  images: number;
  classes: number;
  /** Classes that have patches. */
  classes_present: number;
  /** Patches and rejected ones. */
  boxes_read: number;
  /** Patches that extended beyond their image. */
  clipped: number;
  /** By fault. */
  rejected: Record<string, number>;
  /** Patches with the same pixels and class as another. */
  duplicates: number;
  /** Patches with the same pixels as another, but a different class. */
  conflicts: number;
  fingerprint: string;
}

export interface PatchmlDataset extends Partial<CompositeWork> {
  folder: string;
  /** State of the data set. */
  state: string;
  seed: number;
  composites: number;
  grids: GridSummary[];
  /** Example of a new composite. */
  seconds?: number;
}

/** Composites of labelled patches. */
export interface PatchmlResult extends Result {
  pool: PatchPool;
  /** Side, pixels. */
  canvas: number;
  /** All classes of a composite are different. */
  distinct: boolean;
  interpolation: string;
  /** Without one: PNG. */
  jpeg_quality?: number;
  /** One per seed. */
  datasets: PatchmlDataset[];
}

/** Models with people who answered the same images, by error consistency. */
export interface PeopleResult extends Result {
  /** That entered. */
  answers: number;
  /** Answers without a class; they count as incorrect. */
  unanswered: number;
  /** Mean over all pairs of people. */
  between_people: Estimate;
  models: ModelWithPeople[];
  warnings: string[];
}

/** The shape bias of a person, or of all. */
export interface PeopleShapeBias {
  /** Empty for all people together. */
  person: string;
  /** The interval uses clusters of shape images and of texture images. */
  shape_bias: Estimate;
  /** The same interval, with independent answers. */
  wilson: Estimate;
  /** Number of answers that name the shape. */
  shape: number;
  /** Number of answers that name the texture. */
  texture: number;
  /** Answers, except to images whose two cues are one class. */
  answers: number;
}

/** The shape bias of people, from their answers to cue-conflict images. */
export interface PeopleShapeBiases extends Result {
  /** Of the intervals. */
  level: number;
  all: PeopleShapeBias;
  /** By name. */
  people: PeopleShapeBias[];
  warnings: string[];
}

/** The size of a study with this number of annotators per image. */
export interface PlanRow {
  annotators: number;
  /** Of the moments. */
  exponents: number[];
  /** Images in each set, for the median classifier. */
  images: Estimate;
  /** Images for the classifier that needs most. */
  worst_images: Estimate;
  /** Images for the mean over classifiers. */
  mean_images: Estimate;
  /** Standard error with the pilot's images. */
  standard_error: Estimate;
  /** By estimator. */
  bias: Record<"none" | "naive" | "jackknife1" | "jackknife_quarter" | "moments" | "pl", Estimate>;
}

/** What `assay estimate drift` prints. */
export interface PoolDrift extends Result {
  /** Study of the old pool. */
  before: string;
  /** Study of the new pool. */
  now: string;
  /** New pools that are planned. */
  pools: number;
  /** Of all intervals together. */
  level: number;
  /** Of each interval. */
  change_level: number;
  classifiers: ClassifierDrift[];
  signs: DriftSign[];
  /** True if any classifier has an alarm. */
  alarm: boolean;
  notes: string[];
  warnings: string[];
}

/** What `assay estimate show` prints. */
export interface PoolEstimate extends Result {
  study: string;
  dataset: string;
  /** Of the pool. */
  images: number;
  /** Images without a finite score of every classifier. */
  left_out: number;
  /** In all rounds. */
  drawn: number;
  /** Drawn images whose answers are used. */
  labels: number;
  /** Images whose answers a competition had before; all are used. */
  settled: number;
  /** Answered images that are not used yet, because an image before them in the random order has no answer. */
  behind_gap: number;
  /** Drawn images that nobody can judge. */
  unjudged: number;
  /** About other images or labels. */
  answers_ignored: number;
  /** Number of looks: different numbers of labels at which results were shown without --peek or --stop-at. */
  looks: number;
  level: number;
  /** 1.96 for 95 %, more with --peek. */
  quantile: number;
  /** Attribute of the groups. */
  by: string;
  strata: EstimatedStratum[];
  classifiers: EstimatedClassifier[];
  pairs: EstimatedPair[];
  groups: EstimatedGroup[];
  /** With --per-class. */
  classes: EstimatedClass[];
  /** Proportion of yes among the gold questions whose answer is yes, after adding half an answer of each kind. */
  sensitivity?: Estimate;
  /** Proportion of no among the gold questions whose answer is no, after adding half an answer of each kind. */
  specificity?: Estimate;
  /** The highest estimate. */
  best: string;
  /** Classifiers whose difference from the best may be 0. */
  not_resolved: string[];
  /** Half of the widest interval that --stop-at is about. */
  half_width: number | null;
  /** More labels until --stop-at is reached. */
  labels_needed: number | null;
  /** --stop-at is reached. */
  precise_enough: boolean;
  notes: string[];
  warnings: string[];
}

export interface PredictedClass extends RankedClass {
  correct: boolean;
}

export interface PredictedStore {
  model: string;
  dataset: string;
  rows: number;
  /** Rows that this run computed. */
  computed: number;
  /** Of all runs. */
  without_score: number;
  /** State of a row without a score. */
  first_error?: string;
  /** Batches that were halved because memory was short. */
  halved_batches: number;
  store: string;
  notes: string[];
  dataset_notes: string[];
  /** Properties of the files that decoding ignores, and equal files. */
  image_notes?: string[];
}

/** What `assay predict --dry-run` prints. */
export interface PredictionPlan extends Result {
  models: ModelSettings[];
}

/** What `assay predict` prints. */
export interface PredictionResult extends Result {
  stores: PredictedStore[];
}

/** Cleaning of the annotations. */
export interface PreparedSets {
  warnings: string[];
  /** For two sets of raw annotations. */
  annotator_overlap?: AnnotatorOverlap;
  cleaning?: CleanedSets;
  /** For each set of raw annotations. */
  duplicates: Duplicates[];
}

export interface PreprocessingChoice {
  outcome: "given" | "told_apart" | "not_settled";
  /** The chosen preprocessing, if it was searched for. */
  best?: PreprocessingWay;
  runner_up?: PreprocessingWay;
  /** Best minus runner-up. */
  difference?: Estimate;
  /** p-value of no difference: McNemar's exact test, Holm-adjusted. */
  p_holm?: number;
  /** Number of ways that were tried; ways with the same pixels count once. */
  tried?: number;
  /** Ways whose input size the model refuses. */
  refused?: number;
}

export interface PreprocessingWay {
  /** As typed. */
  options: string;
  /** For people. */
  preprocessing: string;
  /** Images that it was tried on. */
  images: number;
  /** Of these. */
  correct: number;
}

/** Student's test with a pooled variance over the distinct models. */
export interface PublishedTest {
  p_student: number;
  /** 1 below .2, 2 below .1, 3 below .05. */
  stars: number;
}

/** A published value of a model and the measured one. */
export interface PublishedValue {
  model: string;
  dataset: string;
  metric: string;
  setting: string;
  /** The table's file. */
  source: string;
  published: number;
  measured: Estimate;
  /** Whether the published value is below, within or above the interval of the measured one. */
  published_is: "inside" | "above" | "below" | null;
}

/** Models and their nine quality dimensions. */
export interface Quality extends Result, Partial<MeasuredQuality> {
  /** Their names. */
  tags: string[];
  models: QualityModel[];
  /** For a run: models that have all dimensions. */
  score?: QualityScore;
  /** For a run: warnings of `assay check`. */
  findings?: CheckFinding[];
}

/** One dimension of a model. */
export interface QualityCell {
  /** Null if it was not measured. */
  value: number | null;
  /** Why there is no value. */
  undefined?: string;
  standard_error?: number;
  /** Images. */
  n?: number;
  /** The data set; absent for the published table. */
  definition?: string;
  note?: string;
  /** Shares whose squares add up to the squared standard error. */
  shares?: ErrorShare[];
  /** For a measured value. */
  unit?: Estimate["unit"];
  /** For a measured value. */
  interval?: Interval;
}

/** Models that meet all needs and that no other model beats. */
export interface QualityChoose extends Result {
  /** Number of models that were considered. */
  models: number;
  needs: Need[];
  /** A weight profile, or changes to it. */
  weights: string;
  /** Models, the best score first. */
  candidates: Candidate[];
  /** How the errors of each dimension were drawn. */
  draws: Record<string, DrawnCells>;
  notes: string[];
  warnings: string[];
}

/** Correlations of the dimensions over models. */
export interface QualityCorrelate extends Result {
  /** How many. */
  models: number;
  /** How many. */
  families: number;
  /** The tag whose values are families; empty: models are independent. */
  family: string;
  /** How p-values are adjusted. */
  adjust: string;
  /** Over all models. */
  pairs: Correlation[];
  /** The tag of the groups. */
  by?: string;
  groups?: CorrelateGroup[];
  notes: string[];
  warnings: string[];
}

/** Comparison of two groups of models. */
export interface QualityGroups extends Result {
  /** Selectors. */
  first: string[];
  /** Selectors. */
  second: string[];
  /** Number of distinct models. */
  first_models: number;
  second_models: number;
  paired: boolean;
  /** The tag whose values are families of pairs. */
  family: string;
  /** Of pairs. */
  clusters: number;
  /** True if all exchanges were counted, not sampled. */
  exact: boolean;
  dimensions: GroupDifference[];
  notes: string[];
  warnings: string[];
}

export interface QualityModel extends Partial<MeasuredQualityModel> {
  name: string;
  /** Hash of the model's file. */
  file_hash?: string;
  note?: string;
  tags: Record<string, string>;
  dimensions: Record<string, QualityCell>;
}

/** A measurement behind a dimension. */
export interface QualityPart extends Estimate {
  part: string;
  dimension: string;
  definition: string;
  dataset: string;
}

/** The steps of `assay quality run` and their estimated time. */
export interface QualityPlan extends Result {
  threads: number;
  /** Of all steps. */
  seconds: number;
  steps: QualityStep[];
  /** Dimensions that the run will not measure. */
  missing: MissingDimension[];
  notes: string[];
}

/** Models ranked by columns of numbers. */
export interface QualityRanking extends Result {
  /** The column or product; "" for a weighted score. */
  by: string;
  /** False if rank 1 has the lowest score. */
  higher_is_better: boolean;
  /** Columns that count. */
  columns: RankedColumn[];
  /** Of the intervals. */
  level: number;
  replicates: number;
  seed: number;
  /** The best first. */
  models: RankedModel[];
  notes: string[];
  warnings: string[];
}

/** One score from nine dimensions. */
export interface QualityScore extends Result {
  weights: Record<string, number>;
  /** Dimensions that count. */
  constants: Record<string, DimensionScale>;
  /** In words. */
  constants_from: string;
  /** True if the constants come from these models, not the published ones. */
  own_constants: boolean;
  /** All nine, in their order. */
  dimensions: ScoreDimension[];
  profiles: WeightProfile[];
  /** Of the intervals. */
  level: number;
  /** True if some standard errors follow only from the sizes of test sets. */
  assumed_errors: boolean;
  /** Which errors are joint. */
  draws: Record<string, DrawnCells>;
  replicates: number;
  seed: number;
  /** The best first. */
  models: ScoredModel[];
  notes: string[];
  warnings: string[];
}

/** How much a ranking depends on the models that centre and scale it. */
export interface QualityStability extends Result {
  /** How many. */
  models: number;
  /** Models of a sub-sample. */
  sample: number;
  repeats: number;
  seed: number;
  readings: StabilityReading[];
}

export interface QualityStep {
  step: string;
  /** Whose images. */
  dataset: string;
  /** Empty for all together. */
  model: string;
  /** Images of the data set. */
  images: number;
  /** Passes of images through a network; one with a gradient counts as three. */
  passes: number;
  /** Proportion that earlier runs did. */
  done: number;
  /** Estimated time of the rest, from the probe. */
  seconds: number;
}

export interface RankedClass extends ShownClass {
  /** From 1. */
  rank: number;
  /** Null if only classes are known. */
  probability: number | null;
}

export interface RankedClassifier {
  classifier: string;
  /** Within its component. */
  place: number;
  /** Interval of the place, from a bootstrap over images and annotators. */
  place_interval?: Interval;
  component: number;
  /** Perron's vector: positive, sums to 1. */
  perron: number;
  /** HodgeRank's score: mean 0 in its component. */
  hodge: number;
  /** Score from the posterior, for all images of the selected kind. */
  score: Estimate;
  /** As the score. */
  rank: Estimate;
  /** Number of different images of its pairs. */
  images: number;
  /** Proportion of these that are correct; says nothing about other images. */
  correct: Estimate;
  /** Accuracy on all images, from the control sample. */
  accuracy: Estimate;
}

/** A column that counts in a ranking. */
export interface RankedColumn {
  column: string;
  higher_is_better: boolean;
  /** In a weighted score. */
  weight?: number;
  /** Centre of the column in a weighted score. */
  mean?: number;
  /** Scale of the column in a weighted score. */
  deviation?: number;
  /** published (the 326 models), these models, or given. */
  scale_from?: string;
  /** In a product: 1, or -1 for a divisor. */
  power?: number;
  /** Models with a value. */
  models: number;
  /** Models whose value has no standard error above 0. */
  exact: number;
}

export interface RankedModel {
  /** Row of the table, from 1. */
  row: number;
  model: string;
  /** Weighted score, value of the column, or product. */
  score: Estimate;
  /** Rank among these models; 1 is the best. */
  rank: Estimate;
  /** Probability of rank 1, over the draws; null without standard errors. */
  p_best: number | null;
  p_top5: number | null;
  /** Value of each column. */
  values: Record<string, number>;
  /** What each column adds to a weighted score. */
  parts?: Record<string, number>;
  /** Columns without a value. */
  missing: string[];
}

export interface RankedPair {
  first: string;
  second: string;
  /** Images. */
  wanted: number;
  accepted: number;
  asked: number;
  /** Images with a question that is not settled. */
  open: number;
  /** Images that nobody can judge. */
  to_replace: number;
  /** Settled: both + only_first + only_second + neither. */
  images: number;
  both: number;
  only_first: number;
  only_second: number;
  neither: number;
  replaced: number;
  /** Proportion of these images on which the worse of the two is correct alone: what an ideal combination gains over the better one. */
  combined_gain?: Estimate;
}

/** An annotator compared with the others who judged the same images. */
export interface RatedAnnotator {
  annotator: string;
  annotations: number;
  /** Proportion of them. */
  selected: number;
  /** Mean of the annotator's answers minus that of the others' answers to the same images. */
  leniency: Estimate;
  /** How often another annotator, drawn at random, gives a different answer. */
  noise: Estimate;
}

/** Images that k of n annotators selected. */
export interface ReadingCell {
  /** Annotators. */
  n: number;
  /** Selections. */
  k: number;
  images: number;
  /** Images, by classifier. */
  correct?: number[];
}

export interface ReadingsBin {
  /** Proportion of the set's images. */
  images: Estimate;
  /** Mean over classifiers. */
  accuracy: Estimate;
}

/** Images that 0, 1, ... of this number of annotators select. */
export interface ReadingsRow {
  annotators: number;
  original: ReadingsBin[];
  replication: ReadingsBin[];
}

/** What `assay relabel` prints. */
export interface RelabelResult extends Result {
  datasets: RelabelledData[];
}

export interface RelabelledData {
  folder: string;
  /** Name of the data set. */
  dataset: string;
  /** Models of the data set, all of which get the list. */
  stores: number;
  /** In the list. */
  classes: number;
  /** Classes whose id or name changed. */
  changed: number;
  /** The first such class; empty if there is none. */
  first_change: string;
  /** True if the classes are the same in another order. */
  reordered: boolean;
}

/** Items of one confidence bin; if both ends are 1: items with a confidence of exactly 1. */
export interface ReliabilityBin {
  low: number;
  high: number;
  correct: number;
  accuracy: Estimate;
  /** Mean confidence; null without items. */
  confidence: number | null;
}

/** What `assay replicate adjust` prints. */
export interface ReplicateAdjust extends Result, AdjustReport {
  annotations: PreparedSets;
  /** The result as sentences. */
  verdict?: string;
  sweep?: SweepRow[];
  /** Labels per image and selection; with --labels1 and --labels2. */
  joint?: JointDecomposition;
}

/** What the estimate would miss of a 10-point jump of the accuracy curve. */
export interface ReplicateBlindSpots {
  /** The jump is at a selection rate of .98. */
  jump_at_98: number;
  /** The jump is at the selection rate at which it would miss most. */
  worst_jump: number;
  worst_jump_rate: number;
  /** Adjusted accuracy with `moments` minus that with this method. */
  moments_less_pl?: number;
}

/** The file of `assay replicate adjust --figures`. */
export interface ReplicateFigures extends Result {
  /** Id of the method that the verdict uses. */
  quoted: string;
  classifiers: string[];
  /** Independent units of the intervals: classes or images. */
  units: string;
  /** Every number of annotators, every method. */
  annotators: AnnotatorsRow[];
  /** Mixtures by their number of parts. */
  parts: AnnotatorsRow[];
  readings: ReadingsRow[];
  /** Proportions of images that the densities of `pl` imply. */
  fitted_readings?: NumbersOfSets;
  scatter: {
    classifiers: ScatterPoint[];
    lines: MethodLine[];
  };
  curves: {
    /** Selection rates. */
    rates: number[];
    methods: MethodCurves[];
  };
  halves?: {
    /** Why there is no such figure. */
    undefined?: string;
    /** Random splits into halves. */
    splits?: number;
    points?: HalvesPoint[];
  };
  readings_by_classifier: {
    /** Values with all annotators, by classifier, then by number of selections. */
    original: Estimate[][];
    replication: Estimate[][];
  };
}

/** How often annotators select the images of one or two sets. */
export interface ReplicateFrequencies extends Result, PreparedSets {
  sets: FrequencySet[];
  /** Of raw annotations. */
  annotators?: RatedAnnotator[];
}

export interface ReplicateHighRates {
  /** Percentile of the replication's selection rates. */
  replication_99th_percentile: number;
  /** Proportion of the original's images. */
  original_above_it: number;
}

/** Line of the replication's accuracy on the original's. */
export interface ReplicateLine {
  slope: Estimate;
  intercept: Estimate;
  /** Root mean square. */
  residual: number;
  /** Covariance of slope and intercept. */
  covariance?: number;
}

/** Candidates chosen by the selection frequencies of a reference. */
export interface ReplicateMatch extends Result, MatchResult {
  annotations: PreparedSets;
  classes: MatchedClass[];
  /** With several numbers of annotators: the match by each. */
  by_annotators?: MatchResult[];
  /** With hits. */
  accuracy?: MatchedAccuracy[];
}

/** The size of a study, from a pilot. */
export interface ReplicatePlan extends Result {
  /** Wanted width of the interval. */
  width: number;
  level: number;
  /** Variance of classes over that of independent images. */
  design_effect: number;
  /** True if the pilot has no hits. */
  assumed_curve: boolean;
  warnings: string[];
  rows: PlanRow[];
  annotations: PreparedSets;
  pilot_images: {
    original: number;
    replication: number;
  };
}

/** A simulated study. */
export interface ReplicateSimulate extends Result {
  world: string;
  folder: string;
  /** Written there. */
  files: string[];
  mean: {
    /** True accuracies. */
    original: number;
    replication: number;
    adjusted: number;
  };
}

/** The true values of a simulated study. */
export interface ReplicateTruth extends Result {
  world: string;
  seed: number;
  annotators: number;
  classes: number;
  classifiers: TrueClassifier[];
  mean_rate: {
    /** Expected selection rates. */
    original: number;
    replication?: number;
    candidates?: number;
  };
}

/** The document behind a report. */
export interface ReportDocument extends Result {
  /** The program's version. */
  assay: string;
  title: string;
  results: SourcedResult[];
  best: ColumnBest[];
  definitions: MetricDefinition[];
  tags: ReportTags;
  items: ReportItem[];
  thumbnails: Thumbnail[];
  warnings: string[];
  /** What the report omits, and why: whole sentences. */
  left_out: string[];
  provenance: {
    command: string;
    stores: StoreProvenance[];
    files: FileProvenance[];
  };
}

/** `report.json` of a report that is a folder. */
export interface ReportFolderMark extends Result {}

/** An image that comparisons or confusions refer to. */
export interface ReportItem {
  dataset: string;
  id: string;
  /** Its row. */
  item: number;
  labels: ItemClass[];
  models: ItemModel[];
}

/** What a csv file says about models. */
export interface ReportTags {
  /** Of the columns. */
  names: string[];
  /** Values of the csv, by model and column. */
  models: Record<string, Record<string, string>>;
}

/** The saved images of an attack. */
export interface SavedAttack {
  folder: string;
  images: number;
  /** Classified correctly before and from the file. */
  robust: number;
  /** Images that fooled the model, but are correct when read from their file. */
  lost: number;
  accuracy: Estimate;
}

export interface ScatterPoint {
  name: string;
  original: Estimate;
  replication: Estimate;
  /** By method. */
  adjusted: Record<string, Estimate>;
}

/** What became of each item. */
export interface ScoreCounts {
  items: number;
  /** Items in missing shards. */
  missing: number;
  unreadable: number;
  not_finite: number;
  scored: number;
  /** Scored items without a valid label. */
  unlabelled: number;
  /** Of the scored items, those with several valid labels. */
  multi_label: number;
  /** Items that the file of `--labels` does not name. */
  unnamed: number;
}

/** A dimension, with the data for scores with other weights. */
export interface ScoreDimension extends Partial<DimensionScale> {
  dimension: string;
  /** For people. */
  title: string;
  /** What the dimension is, and the data on which it is measured. */
  is: string;
  higher_is_better: boolean;
}

export interface ScoredModel {
  /** In the table, from 1. */
  row: number;
  model: string;
  score: Estimate;
  /** Rank among the chosen models; 1 is the best. */
  rank: Estimate;
  /** Probability of rank 1, over the draws. */
  p_best: number;
  p_top5: number;
  /** Rank among the published models. */
  place: Estimate;
  /** Contribution of each dimension; they add up to the score. */
  parts: Record<string, number>;
  /** Dimensions without a value. */
  missing: string[];
}

export interface ScoredStore extends Result {
  model: string;
  dataset: string;
  scores: string;
  storage_format: string;
  counts: ScoreCounts;
  derived?: DerivedStore;
  /** True if only numbers of labels that occur are averaged. */
  labels_per_image: LabelsPerImage[];
  class_map?: string;
  /** Set if the report covers one store. */
  measurements?: Measurement[];
  /** With `--by`. */
  groups?: AccuracyByGroup[];
  /** With `--per-class`. */
  per_class?: ClassScore[];
  /** With `--confusion`. */
  confusions?: Confusion[];
  /** With `--per-class` or `--confusion`, if images have several valid labels or `--labels` is given. */
  valid_labels?: ValidLabels;
  /** With `--reliability`. */
  reliability?: ReliabilityBin[];
  /** With `--threshold` or `--threshold-file`. */
  thresholds?: ThresholdOfClass[];
  /** Which metrics are omitted, and why. */
  notes: string[];
  warnings: string[];
}

/** What `assay score` prints. */
export interface ScoresResult extends Result {
  /** Labels, settings and notes of all stores. */
  measurements: Measurement[];
  stores: ScoredStore[];
  gates: Gate[];
  /** With `--ood`. */
  ood?: Measurement[];
  /** With `--published`. */
  published?: PublishedValue[];
  /** With `--votes`. */
  by_votes?: ByVotes[];
  /** With `--across`. */
  across?: MeanOverDatasets[];
}

/** What `assay serve` prints when it starts. */
export interface ServedLinks extends Result {
  url: string;
  /** A link to a report. */
  report?: string;
  /** A link to a competition or a folder of questions. */
  organiser?: string;
  /** The annotators, each with a link. */
  people?: ServedPerson[];
}

export interface ServedPerson {
  id: number;
  name: string;
  /** Null if it was revoked. */
  link: string | null;
  revoked: boolean;
}

export interface SharedImage {
  image: InspectedImage;
  other: InspectedImage;
  /** Number of bits in which the hashes differ. */
  bits: number;
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

/** The label that a classifier gives a selected image. */
export interface ShownLabel {
  id: string;
  name: string;
  confidence: number;
  /** Decision of the annotators; null if it is open or nobody can judge it. */
  correct: boolean | null;
}

/** A selected image of a pair. */
export interface ShownSelection {
  first: string;
  second: string;
  /** Place from 1, by discrepancy. */
  place: number;
  id: string;
  first_label: ShownLabel;
  second_label: ShownLabel;
  /** Distance of the two labels. */
  distance: number;
  /** `I`, `II`, `III`, `replaced` or `open`. */
  case: string;
  /** On the sheets of tags: the tags of the image; otherwise empty. */
  tags: string[];
}

export interface SliceCondition {
  by: string;
  value: string;
}

/** One way in which images are divided into slices. */
export interface SliceFacet {
  dataset: string;
  /** `camera`, `brightness`, `number of labels`, `label`. */
  by: string;
  /** `attribute`; `quartiles` of an attribute; `image`: quartiles of a statistic of the pixels; `labels`; `class`. */
  kind: string;
  /** Number of different values. */
  values: number;
  /** Images that have none. */
  without: number;
}

/** What `assay slices` prints. */
export interface SliceResult extends Result {
  /** Level of the intervals and of the confirmation. */
  level: number;
  /** Of the halves. */
  seed: number;
  /** Images with one value of this attribute are alike. */
  cluster?: string;
  /** Without `predicted`, which each model has of its own. */
  facets: SliceFacet[];
  models: SlicedModel[];
  /** Images without scores, which are skipped. */
  not_scored: number;
  notes: string[];
  warnings: string[];
}

export interface SlicedModel {
  model: string;
  dataset: string;
  /** Images of the first half, which selects slices. */
  first: number;
  /** Images of the second half, which confirms them. */
  second: number;
  /** On the second half. */
  accuracy: Estimate;
  /** Slices that are large enough in both halves. */
  tested: number;
  /** With `--cluster`: slices with enough images that are not tested, because there are too few clusters. */
  few_clusters?: number;
  /** Slices that the first half selects. */
  selected: number;
  /** Slices that the second half confirms, the smallest p first. */
  found: FoundSlice[];
}

/** The smallest changes that fmn or ddn found. */
export interface SmallestChanges {
  attack: string;
  store: string;
  /** csv with the size of each image's change. */
  table: string;
  /** Images that were attacked. */
  correct: number;
  /** Of these, images for which no change fools the model. */
  not_fooled: number;
  /** Images that are not counted, because their record is lost. */
  unknown: number;
  /** Median over the correct images, in the unit of `eps`. */
  median: Estimate;
  /** With `--save-images`. */
  saved: SavedAttack | null;
}

/** Two models under the same search, on the images that both classify correctly. */
export interface SmallestPair {
  dataset: string;
  attack: string;
  first: string;
  second: string;
  images: number;
  /** Images whose change is larger for `first`. */
  first_larger: number;
  /** Images whose change is larger for `second`. */
  second_larger: number;
  /** Median of first - second. */
  difference: Estimate;
  /** p-value of the exact sign test. */
  p: number;
  /** p-value with Holm's correction over all pairs. */
  p_adjusted: number;
}

/** A saved result of a command. */
export interface SourcedResult {
  /** Its source: a folder or a file. */
  source: string;
  result: Result;
}

/** One definition of stability: two rankings of all models. */
export interface StabilityReading {
  reading: string;
  /** Spearman's correlation of the two. */
  mean: number;
  /** Value of a single repeat. */
  deviation: number;
  /** The 2.5th percentile of the repeats. */
  low: number;
}

export interface StoreFacts {
  model: string;
  dataset: string;
  rows: number;
  classes: number;
  /** Of the scores. */
  kind: string;
  storage: string;
  missing_shards: number;
}

/** Provenance of a store, from its manifest. */
export interface StoreProvenance {
  store: string;
  model: string;
  dataset: string;
  model_hash: string;
  dataset_id: string;
  rows: number;
  /** Shards. */
  missing: number;
  classes: number;
  /** Of the scores. */
  kind: string;
  storage: string;
  preprocess_hash?: string;
  command?: unknown;
  versions?: unknown;
  commit?: unknown;
  device?: unknown;
  processor?: unknown;
}

export interface SuspectLabel {
  item: string;
  /** Id of the label's class. */
  given: string;
  /** Id of the likeliest other class. */
  suggested: string;
  given_name: string;
  suggested_name: string;
  /** The label with the lowest score is the most suspicious. */
  score: number;
  /** Probability that the label is wrong, estimated from people's answers about other labels. */
  wrong_probability: Estimate;
  /** Probability by all voting models together. */
  given_probability: number;
  suggested_probability: number;
  /** Voting models that predict the suggested class. */
  predict_suggested: number;
  /** Models that vote. */
  voting: number;
  /** People's answer: correct, wrong, cannot be judged; empty: none. */
  answer: string;
}

/** A method with fewer annotators, or a mixture with other numbers of parts. */
export interface SweepRow {
  annotators: number;
  method: string;
  mean: number;
  /** By classifier. */
  adjusted: number[];
  /** Of the moments. */
  exponents?: number[];
  left_out?: {
    /** Images with fewer annotators than the largest number here. */
    original?: number;
    replication?: number;
  };
}

/** As `--threshold` and `--threshold-file` gave it. */
export interface ThresholdOfClass {
  id: string;
  threshold: number;
}

export interface Thumbnail {
  /** Folder of the competition, for its images. */
  dataset: string;
  id: string;
  width: number;
  height: number;
  /** A `data:` address, or a path relative to the page. */
  source: string;
}

export interface TorchPlugin extends FrameworkFile {
  /** In words. */
  state: string;
}

/** What `assay torch` prints. */
export interface TorchResult extends Result {
  /** The plug-ins; the first is used. */
  plugins: TorchPlugin[];
  /** In the order of the search. */
  libtorch: LibTorchPlace[];
}

export interface TrainedMethod {
  method: string;
  runs: number;
  /** Accuracy to expect of a new run on new images. */
  accuracy: Estimate;
  /** Standard deviation of the runs' accuracies. */
  spread: number;
  /** Standard deviation without the part that the number of images explains. */
  spread_of_runs: number;
}

/** A model on the images that an attack made on another model. */
export interface TransferredAttack {
  attack: string;
  eps: number;
  /** The other model. */
  made_on: string;
  /** Of the attack on the other model. */
  verdict: string;
  /** Scores of this model on the images. */
  store: string;
  /** Images for which this model gives scores that are not finite; they count as misclassified. */
  ended_not_finite: number;
  /** Images without scores for another reason; they are not counted. */
  unreadable: number;
  /** Accuracy of all images; those that the other model misclassifies are unchanged. */
  accuracy: Estimate;
  /** Images that both classify correctly without an attack. */
  both: number;
  /** Of these, still classified correctly by this model. */
  robust: number;
  /** `robust` / `both`. */
  ratio: Estimate;
  /** Of `both`, fool the other model. */
  fooled: number;
  /** Of `fooled`, fool this model, too. */
  transferred: number;
  /** `transferred` / `fooled`. */
  rate: Estimate;
}

/** Expected accuracies. */
export interface TrueClassifier {
  name: string;
  original: number;
  replication?: number;
  candidates?: number;
  adjusted: number;
}

export interface UnfinishedParts {
  of: number;
  /** Numbers. */
  unfinished: number[];
}

/** An image on which models differ, or on which a single model is least sure. */
export interface UnsureItem {
  id: string;
  /** By model. */
  predicted: string[];
  /** By model. */
  confidence: number[];
}

export interface UntestedModel {
  model: string;
  why: string;
}

export interface UnusualImage {
  image: InspectedImage;
  /** Its measure, which is beyond a limit. */
  value: number;
}

/** Images that are unusual in one way, by the measures of docs/inspect.md. */
export interface UnusualImages {
  kind: "dark" | "nearly_white" | "blurred" | "low_information" | "long_and_narrow" | "odd_size";
  images: number;
  /** Images with a lower value are unusual. */
  below: number | null;
  /** Images with a higher value are unusual. */
  above: number | null;
  /** The most extreme first. */
  examples: UnusualImage[];
}

/** One class over the images for which it is a valid label. */
export interface ValidClass {
  id: string;
  name: string;
  /** Images for which the class is valid. */
  images: number;
  /** Of these, images with the class among their g highest, for g valid labels. Images whose g highest classes are not known do not count. */
  found: number;
  /** All images with the class among their g classes with the highest scores, if these are known. */
  among_best: number;
  /** `found` of `images`. */
  recall: Estimate;
  /** `found` of `among_best`. */
  precision: Estimate;
  /** Average precision of the class's scores over the labelled images. */
  average_precision: Estimate;
}

/** Results by class and by kind of error for images with several valid labels. */
export interface ValidLabels {
  missed: MissedLabels;
  classes: ValidClass[];
  /** A predicted class that is not valid, with each valid label of the image. */
  confusions: Confusion[];
  /** What ranks the images in `average_precision`. */
  ranked_by: string;
}

/** A value against the true label sets. */
export interface ValueByVotes extends Measurement {
  /** How much the prior changed the value; a proportion. */
  moved: number | null;
  /** The value against label sets with posteriors of at least .8. Its interval covers neither other annotators nor other thresholds. */
  thresholded: Estimate;
}

export interface ValueOfDataset {
  dataset: string;
  value: number | null;
}

export interface VerifiedStore {
  store: string;
  /** Null if the manifest cannot be read. */
  shards: number | null;
  /** Likewise. */
  missing: number | null;
  problems: string[];
  /** Checks that its format does not allow. */
  notes: string[];
  /** While a process writes the store: `process 123`. */
  written_by?: string;
  /** Shards that a writer replaced before they were read. */
  replaced?: number;
  /** For unfinished stores in parts. */
  parts?: UnfinishedParts;
}

/** What `assay verify` prints. */
export interface VerifyResult extends Result {
  stores: VerifiedStore[];
}

/** What `assay version` prints. */
export interface VersionResult extends Result {
  version: string;
  /** 12 digits, and + if files differ from it; empty: unknown. */
  commit: string;
  compiler: string;
  build_type: string;
  /** In use: `avx2`, `none`. */
  instructions: string;
  processor: string;
  /** Null without a plug-in that runs models. */
  framework: FrameworkFile | null;
  /** Plug-ins that were found. */
  mpi: MpiPlugin[];
  /** Null unless `--devices` asks. */
  cuda: CudaFacts | null;
}

/** Comparison of the labels with those of `--against`. */
export interface VoteComparison {
  with: string;
  /** Proportion that both accept or both reject. */
  agreement: Measurement;
  /** Questions. */
  both_accept: number;
  both_reject: number;
  only_these: number;
  only_those: number;
  /** Number of annotated images that were compared. */
  items: number;
  /** Of these. */
  same_set: number;
  /** Precision of the kept labels. */
  precision: Estimate;
  /** Recall of the labels that the reference accepts. */
  recall: Estimate;
  thresholds: VoteThresholds;
}

/** Rows of the votes that cannot be used, and why. */
export interface VoteProblem {
  what: string;
  count: number;
  examples: string[];
}

/** Result of keeping every label that reaches a threshold. */
export interface VoteThreshold {
  threshold: number;
  /** Questions. */
  kept: number;
  /** Of these, labels that the reference accepts. */
  both_accept: number;
  precision: Estimate;
  recall: Estimate;
  agreement: Estimate;
  /** Images. */
  same_set: Estimate;
}

export interface VoteThresholds {
  /** Pairs of image and label in both label sets. */
  questions: number;
  /** Of these, labels that the reference accepts. */
  accepted: number;
  items: number;
  /** True for the rows that the text output shows. */
  points: VoteThreshold[];
  best_agreement: VoteThreshold | null;
  best_same_set: VoteThreshold | null;
}

export interface WeightProfile {
  profile: string;
  /** One line about the dimension. */
  is: string;
  weights: Record<string, number>;
}

/** Dawid-Skene of votes that name a class. */
export interface WhichClassFit {
  /** Over all votes. */
  passes: number;
  converged: boolean;
  /** Weight of the prior of a confusion matrix's row, as a number of answers. */
  strength: number;
  /** Proportion of each class, over the images. */
  proportions: Record<string, number>;
  /** Images whose likeliest class no annotator chose for them. */
  unchosen: number;
  /** Their equal answers to an image count as one. */
  together: AnswerTogether[];
}

/** A model and a person on the images that both answered. */
export interface WithPerson {
  person: string;
  both_correct: number;
  only_model_correct: number;
  only_person_correct: number;
  both_incorrect: number;
  model_accuracy: Estimate;
  person_accuracy: Estimate;
  /** How often both are correct or both incorrect. */
  observed: number;
  /** How often they would agree with independent errors. */
  by_chance: number;
  /** Cohen's kappa of being correct. */
  error_consistency: Estimate;
}

/** Images that count and lack a value. */
export interface WithoutValue {
  attribute: string;
  images: number;
}
