// A generated study of a data set that was collected again. Some of its models have no interval
// or no estimate, and one has a hostile name.
import type { Sourced } from "../../src/report/document.ts";
import type {
  AdjustMethod,
  Estimate,
  GapParts,
  ReplicateAdjust,
  ReplicateFigures,
  ReplicateFrequencies,
  ReplicateLine,
  ReplicatePlan,
} from "../../src/report/schemas/described.ts";

export const hostileModel = `<img src=x onerror="window.hurt=1">\n</script>\u202e${"x".repeat(300)}`;

export function proportion(value: number, half = 0.03): Estimate {
  const interval = { low: value - half, high: value + half, level: 0.95, method: "made" };
  return { value, unit: "proportion", n: 800, interval };
}

const none: Estimate = { value: null, undefined: "too few readings", unit: "proportion", n: 0 };

function line(slope: number, intercept: number): ReplicateLine {
  const steep: Estimate = { ...proportion(slope, 0.08), unit: "number" };
  return { slope: steep, intercept: proportion(intercept, 0.05), covariance: 0, residual: 0.01 };
}

function gap(all: number, selection: number): GapParts {
  return {
    gap: proportion(all),
    selection_bias: proportion(selection, 0.01),
    remaining: proportion(all - selection),
  };
}

const rates = Array.from({ length: 20 }, (_, index) => (index + 0.5) / 20);
const grown = (power: number) => rates.map((rate) => (power + 1) * rate ** power);
const annotators = [2, 4, 8];

function method(id: string, names: string[], up: number, curves: boolean): AdjustMethod {
  return {
    id,
    definition: `adjusted.${id}.made`,
    exact_for: `made results of ${id}`,
    covered: 1,
    outside: 0,
    mean: { adjusted: proportion(0.55 + up), gap: gap(0.08, up) },
    line: line(1 + up, -0.05),
    classifiers: names.map((name, index) => ({
      name,
      adjusted: index === 2 ? none : proportion(0.4 + 0.3 * (index / names.length) + up),
      gap: gap(0.08, up),
      ...(curves && {
        accuracy_at_rate: rates.map((rate) => 0.2 + 0.6 * rate),
        accuracy_at_rate_low: rates.map((rate) => 0.15 + 0.6 * rate),
        accuracy_at_rate_high: rates.map((rate) => 0.25 + 0.6 * rate),
        blind_spots: {
          jump_at_98: 0.004,
          worst_jump: 0.0065,
          worst_jump_rate: 0.9907,
          moments_less_pl: -0.002,
        },
      }),
    })),
    ...(curves && { density: { original: grown(4), replication: grown(2) } }),
  };
}

export function adjustOf(names: string[]): ReplicateAdjust {
  return {
    schema: "assay.replicate_adjust/2",
    verdict: "Mean accuracy is 8.0 ±3.0 points lower on the replication.\nThat is by pl.",
    condition: "readings were collected after images were selected",
    quoted: "pl",
    annotations: { duplicates: [], warnings: [] },
    bootstrap: 0,
    cells: { original: [], replication: [] },
    classes: 20,
    images: { original: 1600, replication: 1500 },
    mean: { original: proportion(0.63), replication: proportion(0.55) },
    mean_frequency: { original: 0.79, replication: 0.74 },
    line: line(0.94, -0.04),
    classifiers: names.map((name, index) => {
      const original = 0.48 + 0.3 * (index / names.length);
      return {
        name,
        original: proportion(original),
        replication:
          index === 1
            ? { value: original - 0.08, unit: "proportion", n: 800 }
            : proportion(original - 0.08),
      };
    }),
    methods: [method("pl", names, 0.04, true), method("naive", names, 0.03, false)],
    rates,
    sweep: annotators.flatMap((count) =>
      ["pl", "naive"].map((id) => ({ method: id, annotators: count, mean: 0.55, adjusted: [] })),
    ),
    units: "classes",
    warnings: ["Few annotators saw both sets."],
  };
}

export function figuresOf(adjust: ReplicateAdjust): ReplicateFigures {
  const readings = (power: number) =>
    Array.from({ length: 9 }, (_, index) => ({
      images: proportion(0.02 + 0.2 * (index / 8) ** power, 0.01),
      accuracy: index === 0 ? none : proportion(0.2 + 0.06 * index),
    }));
  const fitted = (power: number) =>
    Array.from({ length: 9 }, (_, index) => 0.02 + 0.19 * (index / 8) ** power);
  return {
    schema: "assay.replicate_figures/1",
    classifiers: adjust.classifiers.map(({ name }) => name),
    quoted: "pl",
    units: "classes",
    scatter: {
      classifiers: adjust.classifiers.map((classifier) => ({ ...classifier, adjusted: {} })),
      lines: [],
    },
    curves: { rates, methods: [] },
    parts: [],
    readings_by_classifier: { original: [], replication: [] },
    annotators: annotators.flatMap((count) =>
      adjust.methods.map(({ id }) => ({
        annotators: count,
        method: id,
        definition: `adjusted.${id}.made`,
        classifiers: [],
        adjusted: proportion(0.58 - 0.05 / count),
        remaining: proportion(0.05 + 0.05 / count),
        selection_bias: proportion(0.03 - 0.05 / count),
        line: line(1 - 0.1 / count, -0.05),
      })),
    ),
    readings: [{ annotators: 8, original: readings(4), replication: readings(2) }],
    fitted_readings: { original: fitted(4), replication: fitted(2) },
    halves: {
      splits: 10,
      points: [
        {
          method: "pl",
          annotators: 8,
          whole: 0.0327,
          halves: 0.0338,
          halves_minus_whole: proportion(0.0011, 0.004),
          standard_error_by_halves: 0.015,
        },
      ],
    },
  };
}

export const studyNames = ["few", "robust", "unmeasured", hostileModel, "__proto__", "robust"];

export function replicationResults(): Sourced[] {
  const adjust = adjustOf(studyNames);
  return [
    { source: "adjust.json", result: adjust },
    { source: "figures.json", result: figuresOf(adjust) },
    { source: "frequencies.json", result: frequenciesOf() },
    { source: "plan.json", result: planOf() },
  ];
}

export function planOf(): ReplicatePlan {
  const images = (value: number): Estimate => ({
    value,
    n: 0,
    interval: { low: value / 2.5, high: 3 * value, level: 0.95, method: "made" },
  });
  return {
    schema: "assay.replicate_plan/3",
    level: 0.95,
    width: 0.02,
    design_effect: 1.5,
    assumed_curve: false,
    annotations: { duplicates: [], warnings: [] },
    pilot_images: { original: 1600, replication: 1500 },
    rows: [5, 10].map((count) => ({
      annotators: count,
      exponents: [0, 1, 3],
      images: images(100_000 / count),
      worst_images: count === 5 ? none : images(200_000 / count),
      mean_images: images(50_000 / count),
      standard_error: proportion(0.03, 0.01),
      bias: {
        none: proportion(-0.04, 0.01),
        naive: proportion(-0.03, 0.01),
        jackknife1: proportion(-0.02, 0.01),
        jackknife_quarter: proportion(-0.02, 0.01),
        moments: proportion(-0.01, 0.01),
        pl: proportion(-0.02 / count, 0.01),
      },
    })),
    warnings: [],
  };
}

export function frequenciesOf(): ReplicateFrequencies {
  const set = (source: string, mean: number) => ({
    source,
    images: 1600,
    mean_frequency: proportion(mean, 0.02),
    buckets: [105, 87, 140, 268, 1000],
    cells: [],
    classes: [],
  });
  return {
    schema: "assay.replicate_frequencies/2",
    sets: [set("first.csv", 0.79), set(hostileModel, 0.74)],
    duplicates: [],
    warnings: [],
  };
}
