// Scores with other weights equal the engine's. Compares with results of the program, also for the
// published table if there is a program (ASSAY: its path).
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { documentOf } from "../mock/report/document.ts";
import type { Quality, QualityScore } from "../src/report/schemas/described.ts";
import { dimensions } from "../src/report/sections/quality/dimensions.ts";
import { drawIntervals, finish } from "../src/report/sections/quality/draws.ts";
import { drawNoise } from "../src/report/sections/quality/noise.ts";
import { upperHalfQuantile } from "../src/report/sections/quality/normal.ts";
import { larger, quba, ranks } from "../src/report/sections/quality/quba.ts";
import { type Row, scoresOf, tablesOf } from "../src/report/sections/quality/tables.ts";
import { scalesOf, weightsOf } from "../src/report/sections/quality/weights.ts";

function equal(found: number | undefined, expected: number | null | undefined): void {
  expect(Math.abs((found ?? Number.NaN) - (expected ?? 0))).toBeLessThanOrEqual(
    1e-12 * Math.abs(expected ?? 0),
  );
}

/** A score of the program, computed again. */
function holds(score: QualityScore, rows: Row[], others: Row[]): void {
  const scales = scalesOf(score) ?? [];
  const weights = weightsOf(score.weights);
  const points = rows.map((row) =>
    quba(
      row.cells.map((cell) => cell?.value ?? null),
      scales,
      weights,
    ),
  );
  const places = ranks(points);
  // In the order of the table, as in the engine, although the draw of a row only depends on that
  // row.
  const noise = (of: Row[], purpose: string) =>
    finish(drawNoise(of, purpose, score.replicates, score.seed));
  const drawn = finish(
    drawIntervals(
      { rows, noise: noise(rows, "quality cells") },
      others.length > 0 ? { rows: others, noise: noise(others, "published cells") } : null,
      scales,
      weights,
      score.level ?? 0,
    ),
  );
  const sortedOthers = Float64Array.from(
    others.map(
      (row) =>
        quba(
          row.cells.map((cell) => cell?.value ?? null),
          scales,
          weights,
        ) ?? 0,
    ),
  ).sort();
  score.models.forEach((model, i) => {
    equal(points[i] ?? undefined, model.score.value);
    equal(drawn[i]?.standardError, model.score.standard_error);
    equal(drawn[i]?.score.low, model.score.interval?.low);
    equal(drawn[i]?.score.high, model.score.interval?.high);
    expect(places[i]).toBe(model.rank.value);
    expect(drawn[i]?.rank).toEqual(model.rank.interval);
    expect(drawn[i]?.best).toBe(model.p_best);
    expect(drawn[i]?.top5).toBe(model.p_top5);
    if (others.length === 0 || model.place.value === null) return;
    expect(1 + larger(sortedOthers, points[i] ?? 0)).toBe(model.place.value);
    expect(drawn[i]?.place).toEqual(model.place.interval);
  });
}

const fixture = JSON.parse(
  readFileSync(fileURLToPath(new URL("fixtures/quality.json", import.meta.url)), "utf8"),
) as { table: Quality; scores: QualityScore[] };

const program =
  process.env["ASSAY"] ?? fileURLToPath(new URL("../../build/release/bin/assay", import.meta.url));

const ask = (...words: string[]) =>
  JSON.parse(
    execFileSync(program, ["quality", ...words, "--json"], {
      maxBuffer: 1e8,
      stdio: "pipe",
    }).toString(),
  );

describe("QUBA by any weights", () => {
  it("is the engine's, with independent, shared, exact and missing cells", () => {
    const document = documentOf([
      { source: "table.json", result: fixture.table },
      ...fixture.scores.map((result) => ({ source: "score.json", result })),
    ]);
    const scores = scoresOf(document, tablesOf(document));
    expect(scores.length).toBe(5);
    for (const { score, rows } of scores) holds(score, rows ?? [], []);
  });

  it.skipIf(!existsSync(program))("is the engine's for the published table", () => {
    const published = { source: "published", result: ask("merge", "published") as Quality };
    for (const weights of ["balanced", "shortcut", "accuracy=0.3,c_robustness=3,parameters=0"]) {
      const result = ask("score", "published", "--weights", weights) as QualityScore;
      const document = documentOf([published, { source: "score.json", result }]);
      const [first] = scoresOf(document, tablesOf(document));
      expect(first?.rows?.length).toBe(326);
      holds(result, first?.rows ?? [], []);
    }
  });

  it.skipIf(!existsSync(program))("places among the published models as the engine does", () => {
    const folder = mkdtempSync(join(tmpdir(), "assay-table-"));
    const file = join(folder, "table.json");
    writeFileSync(file, JSON.stringify(fixture.table));
    const result = ask("score", file, "--weights", "calibration", "--drop-missing");
    rmSync(folder, { recursive: true });
    const document = documentOf([
      { source: "table.json", result: fixture.table },
      { source: "published", result: ask("merge", "published") },
      { source: "score.json", result },
    ]);
    const tables = tablesOf(document);
    const [first] = scoresOf(document, tables);
    expect(first?.rows?.some((row) => row.published)).toBe(false);
    holds(result as QualityScore, first?.rows ?? [], tables[1]?.rows ?? []);
  });

  it("knows the dimensions that the engine knows", () => {
    expect(
      fixture.scores[0]?.dimensions?.map((d) => [d.dimension, d.title, d.higher_is_better]),
    ).toEqual(dimensions.map((d) => [d.name, d.title, d.higherIsBetter]));
  });
});

describe("quantiles of the normal distribution", () => {
  it.each([
    [0, 0],
    [0.5, 0.6744897501960817],
    [0.85, 1.439531470938456],
    [0.95, 1.959963984540054],
    [0.9999, 3.8905918864131],
    [1 - 2 ** -31, 6.230260137989042],
  ])("of %s", (p, z) => {
    expect(Math.abs(upperHalfQuantile(p) - z)).toBeLessThan(1e-12 * (1 + z));
  });
});
