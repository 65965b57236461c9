// A generated table of quality dimensions and the results of commands on it, with all difficult
// cases.
import type { Sourced } from "../../src/report/document.ts";
import type {
  Correlation,
  Quality,
  QualityCell,
  QualityChoose,
  QualityCorrelate,
  QualityGroups,
  QualityModel,
  QualityScore,
  QualityStability,
} from "../../src/report/schemas/described.ts";
import { dimensions } from "../../src/report/sections/quality/dimensions.ts";
import { quba, ranks } from "../../src/report/sections/quality/quba.ts";

export const hostile = `<img src=x onerror="window.hurt=1">\n</script>\u202e${"x".repeat(5000)}`;

const means = [0.8, 0.19, 0.53, 0.57, 0.0045, 0.78, 0.93, 0.33, 75];
const deviations = [0.035, 0.11, 0.23, 0.15, 0.0027, 0.024, 0.018, 0.15, 60];
const weights = [1, 1 / 3, 1 / 3, 1 / 3, 1, 1, 1 / 2, 1 / 2, 1];

/** Numbers in [-1, 1], the same each time. */
const wave = (m: number, d: number) => Math.sin(12.9898 * (m + 1) + 78.233 * (d + 1));

function cellOf(m: number, d: number, interval: boolean): QualityCell {
  const value = Math.max(1e-4, (means[d] ?? 0) + wave(m, d) * (deviations[d] ?? 0));
  const error = (deviations[d] ?? 0) / 20;
  if (d === 8) return { value };
  const cell: QualityCell = { value, standard_error: error, n: 1000 };
  if (interval)
    cell.interval = {
      low: value - 2 * error,
      high: value + 2 * error,
      level: 0.95,
      method: "made",
    };
  return cell;
}

function modelOf(name: string, m: number, own: boolean): QualityModel {
  return {
    name,
    tags: own
      ? { recipe: m % 2 === 0 ? "old" : "new" }
      : { architecture: ["CNN", "Transformer"][m % 2] ?? "" },
    dimensions: Object.fromEntries(dimensions.map(({ name: of }, d) => [of, cellOf(m, d, own)])),
  };
}

export const ownNames = [
  "resnet50",
  "vit-b",
  hostile,
  "__proto__",
  "resnet50",
  "\u05d0\u05d1\u05d2",
];

export function madeTable(names: string[], own: boolean): Quality {
  return {
    schema: "assay.quality/1",
    tags: [own ? "recipe" : "architecture"],
    models: names.map((name, m) => modelOf(name, own ? m : m + 100, own)),
  };
}

export const ownTable = madeTable(ownNames, true);
const first = ownTable.models[0]?.dimensions;
if (first?.["accuracy"] !== undefined)
  first["accuracy"].definition = "the classifier's own 20 classes";
const second = ownTable.models[1]?.dimensions;
if (second !== undefined)
  second["shape_bias"] = { value: null, undefined: "no cue-conflict images" };
if (second?.["class_balance"] !== undefined) delete second["class_balance"].interval;

export const publishedTable = madeTable(
  Array.from({ length: 326 }, (_, m) => `model ${m + 1}`),
  false,
);

export function madeScore(table: Quality): QualityScore {
  const scales = dimensions.map(({ name, higherIsBetter }, d) => ({
    name,
    sign: higherIsBetter ? (1 as const) : (-1 as const),
    mean: means[d] ?? 0,
    deviation: deviations[d] ?? 1,
  }));
  const values = table.models.map((model) =>
    dimensions.map(({ name }) => model.dimensions[name]?.value ?? null),
  );
  const scores = values.map((of) => quba(of, scales, weights) ?? 0);
  const rank = ranks(scores);
  const byName = (of: readonly number[]) =>
    Object.fromEntries(dimensions.map(({ name }, d) => [name, of[d] ?? 0]));
  const models = table.models.map((model, m) => {
    const score = scores[m] ?? 0;
    return {
      row: m + 1,
      model: model.name,
      score: {
        value: score,
        n: 9,
        standard_error: 0.05,
        interval: { low: score - 0.1, high: score + 0.1, level: 0.95, method: "made" },
      },
      rank: {
        value: rank[m] ?? 0,
        unit: "rank" as const,
        n: 9,
        interval: {
          low: Math.max(1, (rank[m] ?? 0) - 1),
          high: (rank[m] ?? 0) + 1,
          level: 0.95,
          method: "made",
        },
      },
      place: { value: null, undefined: "not asked for", n: 0 },
      p_best: 0,
      p_top5: 1,
      parts: {},
      missing: [],
    };
  });
  return {
    schema: "assay.quality_score/1",
    weights: byName(weights),
    constants: Object.fromEntries(
      scales.map(({ name, mean, deviation }) => [name, { mean, deviation }]),
    ),
    constants_from: "the published constants",
    own_constants: false,
    dimensions: scales.map(({ name, sign, mean, deviation }) => ({
      dimension: name,
      title: name,
      is: "made",
      higher_is_better: sign > 0,
      mean,
      deviation,
    })),
    profiles: [
      { profile: "balanced", is: "the paper's own", weights: byName(weights) },
      { profile: "accuracy", is: "accuracy doubled", weights: byName([2, ...weights.slice(1)]) },
    ],
    level: 0.95,
    assumed_errors: false,
    draws: {},
    replicates: 200,
    seed: 1,
    models: models.sort((a, b) => b.score.value - a.score.value),
    notes: ["made for a test"],
    warnings: [],
  };
}

function pairs(shift: number): Correlation[] {
  return dimensions.flatMap(({ name: y }, line) =>
    dimensions.slice(line + 1).map(({ name: x }, column): Correlation => {
      const rho = wave(line + shift, column);
      if (line === 2 && column === 3)
        return {
          x,
          y,
          rho: { value: null, undefined: "all are equal", n: 326 },
          p: null,
          p_adjusted: null,
        };
      const p = Math.abs(rho) > 0.4 ? 1e-8 : 0.03;
      return {
        x,
        y,
        rho: {
          value: rho,
          n: 326,
          interval: { low: rho - 0.1, high: rho + 0.1, level: 0.95, method: "made" },
        },
        p,
        p_adjusted: Math.min(1, p * 36),
      };
    }),
  );
}

const correlate: QualityCorrelate = {
  schema: "assay.quality_correlate/1",
  models: 326,
  families: 326,
  family: "",
  adjust: "holm",
  pairs: pairs(0),
  by: "architecture",
  groups: [{ value: hostile, models: 170, families: 170, pairs: pairs(5) }],
  notes: [],
  warnings: [],
};

const choose: QualityChoose = {
  schema: "assay.quality_choose/1",
  models: 6,
  needs: [{ need: "accuracy >= 0.5", failed: 1 }],
  weights: "balanced",
  candidates: madeScore(ownTable).models.map(({ row, model, score }, m) => ({
    row,
    model,
    score,
    behind_best: { value: m / 10, n: 9 },
    like_best: m === 0,
    unbeaten: m < 3,
    beaten_by: m < 3 ? "" : hostile,
    needs_surely_met: m !== 1,
    values: {},
  })),
  draws: {},
  notes: [],
  warnings: [hostile],
};

const groups: QualityGroups = {
  schema: "assay.quality_groups/1",
  first: ["recipe=old"],
  second: [`recipe=${hostile}`],
  first_models: 3,
  second_models: 3,
  paired: false,
  family: "",
  clusters: 0,
  exact: true,
  dimensions: dimensions.slice(0, 4).map(({ name }, d) => {
    const value = wave(3, d);
    const estimate = {
      value,
      n: 3,
      interval: { low: value - 0.5, high: value + 0.5, level: 0.95, method: "made" },
    };
    return {
      dimension: name,
      first: { value: 0.5, n: 3 },
      second: { value: 0.6, n: 3 },
      difference: { value: 0.1, n: 6 },
      effect: d === 3 ? { value: null, undefined: "no variance", n: 6 } : estimate,
      p: 0.01 * (d + 1),
      p_holm: 0.04 * (d + 1),
    };
  }),
  notes: [],
  warnings: [],
};

const stability: QualityStability = {
  schema: "assay.quality_stability/1",
  models: 326,
  sample: 100,
  repeats: 1000,
  seed: 0,
  readings: [{ reading: "sub-sample untrimmed", mean: 0.9705, deviation: 0.0121, low: 0.9446 }],
};

export const ownScore = madeScore(ownTable);
export const madeCorrelations = correlate;

export const qualityResults: Sourced[] = [
  { source: "runs/quality.json", result: ownTable },
  { source: "published", result: publishedTable },
  { source: "score.json", result: ownScore },
  { source: "choose.json", result: choose },
  { source: hostile, result: correlate },
  { source: "groups.json", result: groups },
  { source: "stability.json", result: stability },
];
