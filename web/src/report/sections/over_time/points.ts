// The measurements of each run of a family, the bounds of its gates, and its comparisons.
import { type ReportDocument, resultsOf } from "../../document.ts";
import { once } from "../../parts/names.ts";
import type {
  ComparisonsResult,
  Measurement,
  PairedMetric,
  ScoresResult,
} from "../../schemas/described.ts";
import type { Family, Run } from "./runs.ts";

export interface Point {
  run: Run;
  measurement: Measurement;
}

export interface Line {
  family: string;
  /** Whether the position is a date. Otherwise it is a version. */
  dated: boolean;
  points: Point[];
}

export function measurementsOf(document: ReportDocument): Measurement[] {
  return resultsOf<ScoresResult>(document, "assay.scores").flatMap(({ result }) =>
    result.measurements.filter(({ subgroup }) => !subgroup),
  );
}

/** A line for each family with the metric on the data set at two or more times. */
export function linesOf(
  families: Family[],
  measurements: Measurement[],
  dataset: string,
  definition: string,
): Line[] {
  const byModel = new Map<string, Measurement>();
  for (const measurement of measurements)
    if (
      measurement.dataset === dataset &&
      measurement.definition === definition &&
      !byModel.has(measurement.model)
    )
      byModel.set(measurement.model, measurement);
  return families
    .map(({ name, runs, dated }) => ({
      family: name,
      dated,
      points: runs.flatMap((run) => {
        const measurement = byModel.get(run.model);
        return measurement === undefined ? [] : [{ run, measurement }];
      }),
    }))
    .filter(({ points }) => points.length > 1);
}

export interface Bound {
  gate: string;
  bound: number;
  /** Runs of the lines to which the gate applied and that failed it. */
  broken: string[];
}

/** The gates of the metric on the data set, each once. */
export function boundsOf(
  document: ReportDocument,
  dataset: string,
  definition: string,
  models: Set<string>,
): Bound[] {
  const bounds = new Map<string, Bound>();
  for (const { result } of resultsOf<ScoresResult>(document, "assay.scores"))
    for (const gate of result.gates ?? []) {
      if (gate.definition !== definition || gate.dataset !== dataset) continue;
      if (gate.model === undefined || !models.has(gate.model)) continue;
      const bound = bounds.get(gate.gate) ?? { gate: gate.gate, bound: gate.bound, broken: [] };
      bounds.set(gate.gate, bound);
      if (!gate.passed) bound.broken.push(gate.model);
    }
  return [...bounds.values()];
}

export interface Step {
  family: string;
  from: Run;
  to: Run;
  metric: PairedMetric;
}

/** Comparisons of an earlier run with a later one, each once. */
export function stepsOf(
  document: ReportDocument,
  families: Family[],
  dataset: string,
  definition: string,
): Step[] {
  const steps = new Map<string, Step>();
  const places = new Map<string, { family: Family; at: number }>();
  for (const family of families)
    family.runs.forEach((run, at) => {
      places.set(run.model, { family, at });
    });
  for (const { result } of resultsOf<ComparisonsResult>(document, "assay.comparisons"))
    for (const pair of result.pairs) {
      if (pair.dataset !== dataset || pair.candidate_dataset !== dataset) continue;
      const from = places.get(pair.baseline);
      const to = places.get(pair.candidate);
      if (from === undefined || to === undefined || from.family !== to.family) continue;
      const metric = pair.metrics.find((entry) => entry.definition === definition);
      const [first, second] = [from.family.runs[from.at], from.family.runs[to.at]];
      if (metric === undefined || first === undefined || second === undefined) continue;
      const key = JSON.stringify([pair.baseline, pair.candidate]);
      if (from.at < to.at && !steps.has(key))
        steps.set(key, { family: from.family.name, from: first, to: second, metric });
    }
  return [...steps.values()];
}

/** Data sets on which some family has two runs, with their metrics. */
export function choicesFor(
  families: Family[],
  measurements: Measurement[],
): { datasets: string[]; definitions: (dataset: string) => string[] } {
  const family = new Map<string, string>();
  for (const { name, runs } of families) for (const { model } of runs) family.set(model, name);
  const counts = new Map<string, Map<string, Map<string, Set<string>>>>();
  for (const { model, dataset, definition } of measurements) {
    const name = family.get(model);
    if (name === undefined) continue;
    const definitions = counts.get(dataset) ?? new Map<string, Map<string, Set<string>>>();
    counts.set(dataset, definitions);
    const names = definitions.get(definition) ?? new Map<string, Set<string>>();
    definitions.set(definition, names);
    names.set(name, (names.get(name) ?? new Set<string>()).add(model));
  }
  const ofSet = (dataset: string) =>
    once(
      [...(counts.get(dataset) ?? [])]
        .filter(([, names]) => [...names.values()].some((models) => models.size > 1))
        .map(([definition]) => definition),
    );
  return {
    datasets: [...counts.keys()].filter((set) => ofSet(set).length > 0),
    definitions: ofSet,
  };
}
