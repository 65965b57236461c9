// A generated gap between two data sets, and generated scores by labels per image.
import type {
  Estimate,
  GapBox,
  GapModel,
  GapPair,
  GapResult,
  Measurement,
  ReportItem,
  ScoresResult,
} from "../../src/report/schemas/described.ts";
import type { GapMetric } from "../../src/report/sections/multilabel/metrics.ts";
import { gapMetrics } from "../../src/report/sections/multilabel/metrics.ts";
import { store } from "./calibration.ts";
import { dice, hostile, near, none, proportion } from "./numbers.ts";

const unit = "proportion" as const;

function pairOf(first: number, second: number, intervals: boolean): GapPair {
  const make = (value: number, half: number): Estimate =>
    intervals
      ? near(value, half, { unit })
      : { value, unit, n: 0, note: "no interval: a table of results holds no images" };
  return {
    first: make(first, 0.012),
    second: make(second, 0.013),
    gap: make(first - second, 0.017),
    absolute_gap: make(Math.abs(first - second), 0.016),
  };
}

function metricsOf(base: number, intervals: boolean): Record<GapMetric, GapPair> {
  return {
    top1: pairOf(base, base - 0.115, intervals),
    real: pairOf(base + 0.06, base + 0.012, intervals),
    asma: pairOf(base - 0.2, base - 0.239, intervals),
  };
}

const undefinedPair: GapPair = {
  first: none("no image has 4 labels"),
  second: proportion(0.31, 40),
  gap: none("no image has 4 labels"),
  absolute_gap: none("no image has 4 labels"),
};

function subgroupsOf(base: number) {
  return [1, 2, 3, 4].map((labels) => {
    const pair = labels === 4 ? undefinedPair : pairOf(base / labels, base / labels - 0.03, true);
    return { labels, top1: pair, real: pair, agreement: pair };
  });
}

const unknown = none("a table of results does not tell top-1 by labels per image");

function decomposition(known: boolean) {
  return known
    ? {
        composition: near(0.0163, 0.006, { unit }),
        within: near(0.0987, 0.02, { unit }),
        unmatched: near(0.0002, 0.0004, { unit }),
        explained: near(0.142, 0.07, { unit }),
      }
    : { composition: unknown, within: unknown, unmatched: unknown, explained: unknown };
}

function modelOf(model: string, index: number, base: number, stores: boolean): GapModel {
  const place = { rank: index + 1, ...(stores && { low: Math.max(1, index), high: index + 3 }) };
  const ranks = { first: place, second: index === 2 ? null : place };
  return {
    model,
    metrics: metricsOf(base, stores),
    subgroups: stores ? subgroupsOf(base) : [],
    decomposition: decomposition(stores),
    ranks: { top1: ranks, real: ranks, asma: ranks },
    rank_change: { first: (index % 5) - 2, second: null },
    rank_change_between: {
      top1: { change: (index % 3) - 1, ...(stores && { low: -2, high: 3 }) },
      real: null,
      asma: null,
    },
    differences: [],
    not_scored: { first: 0, second: 0 },
  };
}

function boxesOf(models: GapModel[]): GapBox[] {
  return [1, 2, 3].flatMap((labels) =>
    (["first", "second"] as const).map((set) => {
      const points = models.map(
        ({ subgroups }) => subgroups[labels - 1]?.agreement[set].value ?? null,
      );
      const middle = 0.7 / labels;
      return {
        labels,
        set,
        points,
        box: {
          low_whisker: middle - 0.12,
          lower_quartile: middle - 0.05,
          median: middle,
          upper_quartile: middle + 0.04,
          high_whisker: middle + 0.1,
          outliers: [],
        },
      };
    }),
  );
}

/** A gap of stores with all fields, or of a published table without intervals. */
export function gapResult(count: number, stores = true): GapResult {
  const odd = [hostile.markup, hostile.long, hostile.rightToLeft, hostile.prototype];
  const random = dice(7);
  const models = Array.from({ length: count }, (_, index) =>
    modelOf(
      odd[index - 1] ?? `model ${index}`,
      index,
      0.88 - (0.3 * index) / count + 0.004 * random(),
      stores,
    ),
  );
  const mean = metricsOf(0.75, stores);
  const spread = {
    models: count,
    sd: 0.02,
    min: 0.07,
    lower_quartile: 0.09,
    median: 0.12,
    upper_quartile: 0.13,
    max: 0.147,
    first: near(0.05, 0.002, { unit }),
    second: near(0.06, 0.003, { unit }),
    gap: near(0.0195, 0.001, { unit }),
  };
  const within = {
    models: count,
    within: 3,
    surely_within: stores ? 1 : null,
    surely_outside: stores ? 2 : null,
    low: stores ? 1 : null,
    high: stores ? count - 2 : null,
  };
  const best = {
    first: {
      model: models[0]?.model ?? "",
      ...near(0.868, 0.008, { unit }),
      raw: 0.88,
      candidates: 3,
    },
    second: null,
  };
  const histogram = (images: number[]) => ({
    labels: images.map((n, index) => ({ labels: index + 1, images: n })),
    more: 12,
    none: 34,
    unnamed: 0,
  });
  return {
    schema: "assay.gap/3",
    source: stores ? "stores" : "table",
    first: {
      name: "V1",
      only_here: [],
      ...(stores && { images: 5000, histogram: histogram([3939, 540, 131, 41, 16]) }),
    },
    second: {
      name: "V2",
      only_here: [],
      ...(stores && { images: 5000, histogram: histogram([2639, 1240, 431, 141, 36]) }),
    },
    options: {
      subgroups: [1, 2, 3],
      present: true,
      pooled_above: 5,
      agreement: "recall",
      margin: 0.01,
      level: 0.95,
      replicates: 1000,
      seed: 1,
      scale: "points",
    },
    average: {
      metrics: mean,
      subgroups: stores ? subgroupsOf(0.75) : [],
      decomposition: decomposition(stores),
      between_models: { top1: spread, real: spread, asma: null },
      within_margin: { top1: within, real: within, asma: within },
      best: { top1: best, real: best, asma: best },
      differences: [
        {
          first_metric: "top1",
          second_metric: "asma",
          ...near(0.075, 0.024, { unit }),
          share: near(0.66, 0.2, { unit }),
        },
      ],
    },
    models,
    orders: [
      {
        a: { metric: "top1", set: "first" },
        b: { metric: "asma", set: "first" },
        models: count,
        kendall_tau_b: near(0.818, 0.02),
        spearman_rho: none("fewer than two models"),
      },
    ],
    lines: gapMetrics.map((metric) => ({
      metric,
      scale: "points",
      models: count,
      mean_gap: near(0.115, 0.002, { unit }),
      slope: near(1.3, 0.014),
      intercept: near(-0.36, 0.01, { unit }),
      mean_gap_like: near(0.115, 0.003, { unit }),
      slope_like: near(1.3, 0.03),
      curvature: null,
    })),
    boxes: stores ? boxesOf(models) : [],
    best: { first: [0], second: [0] },
    marked: [],
    also: [
      {
        name: "patchml",
        subgroups: "2,3,4,6,9",
        models: models.map(({ model }) => ({
          model,
          top1: unknown,
          real: unknown,
          asma: proportion(0.612, 900),
        })),
      },
    ],
    ranking: {
      by: "asma_patchml",
      against: "top1_v1",
      ties: "dense",
      places: models.map(({ model }, index) => ({
        model,
        rank: index + 1,
        against: index + 2,
        change: 1,
      })),
    },
    warnings: [],
  };
}

export function labelledScores(): ScoresResult {
  const models = ["calm", "bold", hostile.markup];
  const common = (model: string) => ({
    model,
    dataset: "several",
    left_out: 0,
    higher_is_better: true,
  });
  const measurements = models.flatMap((model, index): Measurement[] => [
    {
      ...proportion(0.83 - index / 20, 900),
      metric: "real",
      definition: "real.in_set",
      ...common(model),
    },
    {
      ...none("no item has 5 labels"),
      metric: "asma",
      definition: "asma.recall",
      ...common(model),
    },
    ...[1, 2, 3, 9].map((labels) => ({
      ...proportion(0.8 / Math.sqrt(labels) - index / 20, 300),
      metric: "subgroup_accuracy",
      definition: "subgroup_accuracy.recall",
      parameters: { agreement: "recall", g: String(labels) },
      ...common(model),
    })),
  ]);
  const counts = [1, 2, 3, 9].map((labels) => ({ labels, items: 300 }));
  return {
    schema: "assay.scores/2",
    measurements,
    stores: models.map((model) => store(model, "several", { labels_per_image: counts })),
    gates: [],
  };
}

export function severalLabelled(): ReportItem[] {
  const of = (id: number, rank: number, probability: number, correct: boolean) => ({
    class: id,
    id: String(id),
    name: `class ${id}`,
    rank,
    probability,
    correct,
  });
  return Array.from({ length: 12 }, (_, index) => ({
    dataset: "several",
    id: `several/${index}.png`,
    item: index,
    labels: [1, 2].map((id) => ({ class: id, id: String(id), name: `class ${id}` })),
    models: [
      {
        name: "calm",
        predictions: [of(1, 1, 0.512, true), of(3, 2, 0.3, false), of(2, 3, 0.1, true)],
      },
    ],
  }));
}
