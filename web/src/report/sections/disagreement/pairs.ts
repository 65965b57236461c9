// The shown pair, the names of its metrics, and its images.
import type { Unit } from "../../estimate.ts";
import { distinct } from "../../parts/names.ts";
import type {
  ComparedPair,
  ComparisonsResult,
  Disagreement,
  PairedMetric,
} from "../../schemas/described.ts";

export interface NamedPair {
  name: string;
  pair: ComparedPair;
}

/** Each pair, with a unique name. */
export function namedPairs(results: { result: ComparisonsResult }[]): NamedPair[] {
  const pairs = results.flatMap(({ result }) => result.pairs);
  const names = distinct(
    pairs.map(({ baseline, candidate, dataset, candidate_dataset }) =>
      dataset === candidate_dataset
        ? `${dataset}: ${baseline} – ${candidate}`
        : `${baseline} on ${dataset} – ${candidate} on ${candidate_dataset}`,
    ),
  );
  return pairs.map((pair, index) => ({ name: names[index] ?? "", pair }));
}

/** A name that distinguishes metrics of the same name, such as "subgroup_accuracy, g 3". */
export function metricName(metric: PairedMetric, all: PairedMetric[]): string {
  const namesakes = all.filter((other) => other.metric === metric.metric);
  if (namesakes.length < 2) return metric.metric;
  const name = namesakes.some((other) => other.definition !== metric.definition)
    ? metric.definition
    : metric.metric;
  const own = Object.entries(metric.candidate.parameters ?? {}).filter(([key, value]) =>
    namesakes.some(
      (other) =>
        other.definition === metric.definition && other.candidate.parameters?.[key] !== value,
    ),
  );
  return [name, ...own.map(([key, value]) => `${key} ${value}`)].join(", ");
}

/** Metrics of one unit share an axis. */
export function byUnit(metrics: PairedMetric[]): [Unit, PairedMetric[]][] {
  const groups = new Map<Unit, PairedMetric[]>();
  for (const metric of metrics) {
    const unit = metric.difference.unit ?? metric.candidate.unit ?? "number";
    const group = groups.get(unit) ?? [];
    group.push(metric);
    groups.set(unit, group);
  }
  return [...groups];
}

export type Kind = "all" | "first" | "second" | "neither" | "both";

export function kindOf(item: Disagreement): Exclude<Kind, "all"> {
  if (item.baseline_correct) return item.candidate_correct ? "both" : "first";
  return item.candidate_correct ? "second" : "neither";
}

export function ofKind(items: Disagreement[], kind: Kind): Disagreement[] {
  return kind === "all" ? items : items.filter((item) => kindOf(item) === kind);
}

export function isKind(text: string): text is Kind {
  return ["all", "first", "second", "neither", "both"].includes(text);
}
