// Scores, ranks and places under weights that a reader tries: values at once, and intervals when they
// have been drawn.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Estimate } from "../../estimate.ts";
import type { QualityScore } from "../../schemas/described.ts";
import { type Drawn, type DrawnScore, drawIntervals } from "./draws.ts";
import { drawNoise, jointWork, type Noise } from "./noise.ts";
import { larger, quba, ranks, type Scale } from "./quba.ts";
import { runSteps } from "./steps.ts";
import type { Row } from "./tables.ts";
import { sameWeights, scalesOf, weightsOf } from "./weights.ts";

export interface LiveModel {
  row: Row;
  score: Estimate;
  rank: Estimate;
  /** Among the published models. */
  place: Estimate;
  /** The proportion of draws in which it is the best. */
  best: number | null;
  rankBefore: number | null;
  placeBefore: number | null;
}

export interface LiveScores {
  /** Models with the best first. */
  models: LiveModel[];
  drawing: boolean;
  /** Why there are no intervals, or "" if there are or will be. */
  without: string;
}

/** The number of draws that a page can compute in about a second. */
const mostDraws = 30_000_000;
const mostJoint = 300_000_000;

/** Why intervals cannot be drawn here, or "" if they can. */
export function whyNoIntervals(score: QualityScore, rows: Row[], others: Row[]): string {
  const dimensions = rows[0]?.cells.length ?? 0;
  if (score.own_constants === true)
    return "These models define their own centre and scale, so this page has no intervals under other weights. `assay quality score` computes them.";
  if (score.level === undefined) return "The result does not state its confidence level.";
  if ((rows.length + others.length) * score.replicates * dimensions > mostDraws)
    return "There are too many models to draw intervals in this page. `assay quality score` computes them.";
  if (jointWork(rows, score.replicates) > mostJoint)
    return "Too many cells share images to draw intervals in this page. `assay quality score` computes them.";
  return "";
}

const values = (row: Row) => row.cells.map((cell) => cell?.value ?? null);

interface Point {
  score: number | null;
  rank: number | null;
  place: number | null;
}

export function livePoints(
  rows: readonly Row[],
  others: readonly Row[],
  scales: readonly Scale[],
  weights: readonly number[],
): Point[] {
  const scores = rows.map((row) => quba(values(row), scales, weights));
  const rank = ranks(scores);
  const sorted = Float64Array.from(
    others.flatMap((row) => quba(values(row), scales, weights) ?? []),
  ).sort();
  return scores.map((score, i) => ({
    score,
    rank: rank[i] ?? null,
    place: score === null || sorted.length === 0 ? null : 1 + larger(sorted, score),
  }));
}

function modelOf(
  row: Row,
  point: Point,
  drawn: DrawnScore | undefined,
  lacking: boolean,
): Omit<LiveModel, "rankBefore" | "placeBefore"> {
  const undefinedBy = (why: string) => ({ value: null, undefined: why });
  const { score, rank, place } = point;
  return {
    row,
    best: drawn?.best ?? null,
    score:
      score === null
        ? undefinedBy("no dimension with a weight was measured")
        : {
            value: score,
            ...(drawn !== undefined &&
              drawn.standardError > 0 && {
                interval: drawn.score,
                standard_error: drawn.standardError,
              }),
          },
    rank: { value: rank, unit: "rank", ...(drawn !== undefined && { interval: drawn.rank }) },
    place:
      place === null
        ? undefinedBy("not placed")
        : lacking
          ? undefinedBy("a dimension is missing")
          : { value: place, unit: "rank", ...(drawn?.place && { interval: drawn.place }) },
  };
}

/** The document's values if the weights are its own, or if it lacks the data for other weights. */
export function useLive(
  score: QualityScore,
  rows: Row[],
  others: Row[],
  weights: number[],
): LiveScores {
  const scales = useMemo(() => scalesOf(score), [score]);
  const noise = useRef<{ score: QualityScore; own: Noise; others: Noise | null } | null>(null);
  const [drawn, setDrawn] = useState<{
    of: QualityScore;
    key: string;
    scores: DrawnScore[];
  } | null>(null);
  const asDocument = scales === null || sameWeights(weights, weightsOf(score.weights));
  const without = useMemo(() => whyNoIntervals(score, rows, others), [score, rows, others]);
  const key = weights.join(",");
  useEffect(() => {
    if (scales === null || asDocument || without !== "") return undefined;
    function* all(known: Scale[]): Generator<void, DrawnScore[]> {
      if (noise.current?.score !== score) {
        const own = yield* drawNoise(rows, "quality cells", score.replicates, score.seed);
        const behind =
          others.length > 0
            ? yield* drawNoise(others, "published cells", score.replicates, score.seed)
            : null;
        noise.current = { score, own, others: behind };
      }
      const { own, others: behind } = noise.current;
      const placedAmong: Drawn | null = behind === null ? null : { rows: others, noise: behind };
      const level = score.level ?? 0.95;
      return yield* drawIntervals({ rows, noise: own }, placedAmong, known, weights, level);
    }
    return runSteps(all(scales), (scores) => setDrawn({ of: score, key, scores }));
  }, [score, rows, others, key, asDocument, without, scales]);
  const points = useMemo(
    () => (scales === null ? [] : livePoints(rows, others, scales, weights)),
    [rows, others, scales, key],
  );
  const known = !asDocument && drawn?.of === score && drawn.key === key ? drawn.scores : undefined;
  const models = rows.map((row, i): LiveModel => {
    const document = score.models[i];
    const before = {
      rankBefore: document?.rank.value ?? null,
      placeBefore: document?.place.value ?? null,
    };
    if (asDocument && document !== undefined)
      return {
        row,
        score: document.score,
        rank: document.rank,
        place: document.place,
        best: document.p_best,
        ...before,
      };
    const lacking = row.cells.some(
      (cell, d) => (weights[d] ?? 0) > 0 && (cell?.value ?? null) === null,
    );
    const point = points[i] ?? { score: null, rank: null, place: null };
    return { ...modelOf(row, point, known?.[i], lacking), ...before };
  });
  models.sort((a, b) => (b.score.value ?? -1e9) - (a.score.value ?? -1e9));
  const drawing = !asDocument && known === undefined && without === "";
  return { models, drawing, without: asDocument ? "" : without };
}
