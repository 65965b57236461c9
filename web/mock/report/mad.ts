// A generated competition of classifiers: one pair without images, an unknown accuracy, and
// hostile names.
import type { Sourced } from "../../src/report/document.ts";
import type {
  Estimate,
  MadCompetition,
  MadGallery,
  MadRanking,
  MadStatus,
  RankedPair,
} from "../../src/report/schemas/described.ts";
import { hostileModel, proportion } from "./replication.ts";

export const madNames = ["standard", "narrow", hostileModel, "__proto__", "shape"];

function ranked(value: number, low: number, high: number): Estimate {
  return { value, unit: "rank", n: 5, interval: { low, high, level: 0.95, method: "made" } };
}

function matrix(count: number, diagonal: number | null, of: (better: number) => number) {
  return Array.from({ length: count }, (_, row) =>
    Array.from({ length: count }, (_, column) => (row === column ? diagonal : of(column - row))),
  ) satisfies MadRanking["better"];
}

function pairsOf(names: string[]): RankedPair[] {
  return names.flatMap((second, b) =>
    names.slice(0, b).map((first, a) => {
      const images = a === 3 ? 0 : 30;
      return {
        first,
        second,
        wanted: 30,
        accepted: images,
        asked: images,
        open: 0,
        to_replace: 0,
        images,
        both: images && 1,
        only_first: images && 20,
        only_second: images && 3,
        neither: images && 6,
        replaced: 0,
      };
    }),
  );
}

export function rankingOf(names: string[], enough = true): MadRanking {
  const last = names.length;
  return {
    schema: "assay.mad_ranking/1",
    competition: "crawl",
    options: {
      votes: "majority",
      alpha: 1,
      k: 0,
      bootstraps: 1000,
      draws: 2000,
      level: 0.95,
      spread: 2,
      tau: 0.4,
      stop_at: 0.9,
      without: [],
      seed: 0,
    },
    placed_by: "hodge",
    components: 1,
    classifiers: names.map((classifier, index) => ({
      classifier,
      // The second classifier of the list has the last rank.
      place: index === 0 ? 1 : index === 1 ? last : index,
      place_interval: {
        low: Math.max(1, index - 1),
        high: Math.min(last, index + 2),
        level: 0.95,
        method: "bootstrap.percentile",
      },
      component: 0,
      perron: 1 / last,
      hodge: 1 - index / 2,
      score: { ...proportion(1.25 - index / 2, 0.5), unit: "number" },
      rank: ranked(index + 1, Math.max(1, index), Math.min(last, index + 2)),
      images: 120,
      correct: proportion(0.8 - 0.1 * (index % 7)),
      accuracy:
        index === 2
          ? { value: null, undefined: "no control sample", unit: "proportion", n: 0 }
          : proportion(0.66 - 0.05 * (index % 7)),
    })),
    pairs: last > 100 ? [] : pairsOf(names),
    cases: { I: 6, II: 138, III: 36 },
    replaced: 2,
    aggressiveness: matrix(last, null, (ahead) => 0.5 + 0.4 * (ahead / last)),
    log_ratios: matrix(last, 0, (ahead) => ahead / 2),
    better: matrix(last, 0.5, (ahead) => 0.5 + 0.49 * (ahead / last)),
    eigenvalue: last + 0.3,
    consistency_index: 0.0501,
    cyclicity: 0.0296,
    error: 0.0466,
    expected_tau: 0.9068,
    list_error: enough ? 0 : 0.15,
    list_tau: enough ? 1 : 0.7,
    images: 204,
    places: 755,
    effective_images: 96.4,
    spread: 0.71,
    enough,
    ablation: [30, 1, 8].map((k) => ({
      k,
      images: 10 * k,
      srcc: { value: 0.4 + k / 50, n: last },
      kendall:
        k === 1
          ? { value: null, undefined: "several groups", n: 0 }
          : { value: 0.3 + k / 45, n: last },
      places: [],
    })),
    comparisons: [
      {
        with: "accuracy (control sample)",
        classifiers: 4,
        srcc: { value: 0.99, n: 4 },
        kendall: { value: 0.98, n: 4 },
      },
      {
        with: hostileModel,
        classifiers: 5,
        srcc: { ...proportion(0.9, 0.08), unit: "number" },
        kendall: { ...proportion(0.8, 0.15), unit: "number" },
      },
    ],
    control: 200,
    questions: 952,
    settled: 940,
    open: 12,
    answers: 3168,
    annotators: 3,
    saved: 800,
    needed_without_sharing: 1752,
    answers_per_question: 3.328,
  };
}

const status: MadStatus = {
  schema: "assay.mad_status/1",
  competition: "crawl",
  images: 2000,
  classifiers: [],
  k: 30,
  pairs: 10,
  pairs_selected: 10,
  short_pairs: 0,
  accepted: 300,
  replaced: 2,
  duplicates: 0,
  excluded: 0,
  control: 200,
  gold: 0,
  unwanted: 0,
  unclear: 0,
  unasked: 0,
  unasked_places: 0,
  to_replace: 0,
  next: "assay mad rank crawl",
  questions: 952,
  settled: 940,
  open: 12,
  annotators: ["anna", hostileModel, "__proto__"].map((annotator, index) => ({
    annotator,
    blocked: index === 1,
    answers: 60 + index,
    yes: 20,
    cannot_say: 2,
    gold: { value: null, undefined: "answered no gold question", unit: "proportion", n: 0 },
    agreement: proportion(0.9 - 0.1 * index),
  })),
};

const settings: MadCompetition = {
  schema: "assay.mad/1",
  competition: "a/folder/crawl",
  images: 2000,
  classes: 20,
  settings: { name: "crawl", k: "30", near_duplicates: "" },
  classifiers: [],
};

const label = (id: string, confidence: number, correct: boolean | null) => ({
  id,
  name: id,
  confidence,
  correct,
});

export const gallery: MadGallery = {
  schema: "assay.mad_gallery/1",
  sheets: [],
  classes: [],
  images: 2,
  beside: 0,
  unreadable: 0,
  notes: [],
  warnings: [],
  shown: [
    {
      first: "anna-net",
      second: hostileModel,
      place: 1,
      id: "one.png",
      first_label: label("turtle", 0.93, true),
      second_label: label(hostileModel, 0.79, false),
      distance: 3.75,
      case: "II",
      tags: [],
    },
    {
      first: "anna-net",
      second: hostileModel,
      place: 2,
      id: "two.png",
      first_label: label("cat", 0.5, null),
      second_label: label("dog", 0.4, null),
      distance: 2,
      case: "open",
      tags: [],
    },
  ],
};

export function madResults(): Sourced[] {
  return [
    { source: "mad", result: settings },
    { source: "status.json", result: status },
    { source: "ranking.json", result: rankingOf(madNames) },
    { source: "ranking.json", result: gallery },
  ];
}
