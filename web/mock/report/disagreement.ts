// Generated comparisons of models with each other and with people.
import type {
  ComparedPair,
  ComparisonsResult,
  Disagreement,
  PairedMetric,
  PeopleResult,
} from "../../src/report/schemas/described.ts";
import { hostile, near, none, proportion } from "./numbers.ts";

function metric(name: string, difference: number, verdict?: PairedMetric["verdict"]): PairedMetric {
  const higher_is_better = name !== "nll";
  const common = {
    metric: name,
    definition: `${name}.made`,
    dataset: "val",
    left_out: 0,
    higher_is_better,
  };
  const unit = name === "nll" ? ("nats" as const) : ("proportion" as const);
  return {
    metric: name,
    definition: `${name}.made`,
    baseline: { ...proportion(0.7, 500), ...common, model: "a" },
    candidate: { ...proportion(0.7 + difference, 500), ...common, model: "b" },
    difference: near(difference, 0.021, { unit, n: 500 }),
    higher_is_better,
    p: 0.0004,
    p_holm: 0.0012,
    test: "mcnemar.exact",
    ...(verdict !== undefined && { verdict }),
  };
}

function disagreements(): Disagreement[] {
  return Array.from({ length: 26 }, (_, index) => ({
    id: index === 1 ? hostile.markup : `images/${index}.png`,
    labels: index === 2 ? ["cat", hostile.rightToLeft] : ["cat"],
    baseline: index % 3 === 1 ? "dog" : "cat",
    candidate: index % 3 === 0 ? "dog" : index % 3 === 1 ? "cat" : null,
    baseline_confidence: 0.9 - index / 50,
    candidate_confidence: 0.4 + index / 100,
    baseline_correct: index % 3 === 0,
    candidate_correct: index % 3 === 1,
  }));
}

function pair(candidate: string, same: number): ComparedPair {
  return {
    schema: "assay.compare/2",
    baseline: "steady",
    candidate,
    dataset: "val",
    candidate_dataset: "val",
    counts: { items: 500, only_in_baseline: 3, only_in_candidate: 0, not_scored_in_both: 1 },
    predictions: {
      same,
      both_correct: 301,
      both_incorrect: 99,
      only_baseline_correct: 63,
      only_candidate_correct: 37,
      error_consistency: near(0.512, 0.06),
    },
    metrics: [
      metric("top1", -0.052, "worse"),
      metric("top5", 0.031, "better"),
      { ...metric("asma", 0), difference: none("no item has 4 labels") },
      metric("nll", 0.11, "no difference shown"),
    ],
    disagreements: disagreements(),
    notes: [],
    warnings: [hostile.script],
  };
}

export function comparisonsResult(): ComparisonsResult {
  return {
    schema: "assay.comparisons/2",
    pairs: [pair("quick", 377), pair(hostile.long, 401), pair("quick", 402)],
    gates: [],
  };
}

export function peopleResult(): PeopleResult {
  const people = ["ada", hostile.markup].map((person, index) => ({
    person,
    both_correct: 120,
    only_model_correct: 11,
    only_person_correct: 230,
    both_incorrect: 19,
    model_accuracy: proportion(0.345, 380),
    person_accuracy: proportion(0.921, 380),
    observed: 0.366,
    by_chance: 0.37,
    error_consistency: near(0.1 + index / 20, 0.05),
  }));
  return {
    schema: "assay.people/1",
    answers: 760,
    unanswered: 12,
    between_people: near(0.42, 0.06),
    models: [
      { model: "steady", dataset: "cues", without_scores: 0, mean: near(0.125, 0.04), people },
      {
        model: "quick",
        dataset: "cues",
        without_scores: 2,
        mean: none("no image in common"),
        people: [],
      },
    ],
    warnings: [],
  };
}
