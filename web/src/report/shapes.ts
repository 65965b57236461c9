// The form of a result that sections need: lists of objects. A result with another form is skipped,
// and the others are shown.

/** The fields of each schema (without its version) that must be lists of objects. */
const lists = new Map<string, string[]>([
  ["assay.attack", ["models"]],
  ["assay.attack_examples", ["attacks"]],
  ["assay.comparisons", ["pairs"]],
  ["assay.corrupted_accuracy", ["models"]],
  ["assay.cost", ["models"]],
  ["assay.gap", ["models"]],
  ["assay.inspect", ["kinds", "findings"]],
  ["assay.mad", ["classifiers"]],
  ["assay.mad_ranking", ["classifiers", "pairs", "ablation"]],
  ["assay.mad_status", ["annotators"]],
  ["assay.quality", ["models"]],
  ["assay.quality_choose", ["candidates"]],
  ["assay.quality_correlate", ["pairs"]],
  ["assay.quality_groups", ["dimensions"]],
  ["assay.quality_score", ["models"]],
  ["assay.replicate_adjust", ["classifiers", "methods"]],
  ["assay.replicate_frequencies", ["sets"]],
  ["assay.replicate_plan", ["rows"]],
  ["assay.scores", ["measurements", "stores"]],
  ["assay.slices", ["models", "facets"]],
]);

function isListOfObjects(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.every((entry) => typeof entry === "object" && entry !== null && !Array.isArray(entry))
  );
}

/** The field of a result that does not match its schema. Undefined if there is none. */
export function misshapen(result: Record<string, unknown>): string | undefined {
  const schema = String(result["schema"]);
  const fields = lists.get(schema.slice(0, Math.max(0, schema.lastIndexOf("/"))));
  return fields?.find((field) => !isListOfObjects(result[field]));
}
