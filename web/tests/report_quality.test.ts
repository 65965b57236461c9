// The data that the quality section computes before it draws: tables, filters, series, axes,
// footnotes.
import { describe, expect, it } from "vitest";
import { documentOf } from "../mock/report/document.ts";
import { hostile, ownScore, ownTable, qualityResults } from "../mock/report/quality.ts";
import { axisChoices } from "../src/report/sections/quality/axes.ts";
import { cellLines, estimateOf, placed } from "../src/report/sections/quality/cells.ts";
import { filterHolds, pairsOf } from "../src/report/sections/quality/choice_state.ts";
import { worthALook } from "../src/report/sections/quality/choices.tsx";
import { comparedIn, crossedOut, rhoText } from "../src/report/sections/quality/correlations.tsx";
import { dimensionNamed } from "../src/report/sections/quality/dimensions.ts";
import { footnotesOf } from "../src/report/sections/quality/footnotes.ts";
import { gather, usuallyChosen } from "../src/report/sections/quality/gather.ts";
import { livePoints, whyNoIntervals } from "../src/report/sections/quality/live.ts";
import { axisEnds, heightOn } from "../src/report/sections/quality/parallel_axes.ts";
import { domainOf, pointsOf } from "../src/report/sections/quality/point.ts";
import { changeText } from "../src/report/sections/quality/rank_table.tsx";
import { seriesBy } from "../src/report/sections/quality/series.ts";
import type { Row } from "../src/report/sections/quality/tables.ts";
import {
  parseWeights,
  scalesOf,
  weightsOf,
  weightsText,
} from "../src/report/sections/quality/weights.ts";

const document = documentOf(qualityResults, {
  tags: { names: ["year"], models: { "vit-b": { year: "2021" } } },
});
const gathered = gather(document);
const row = (place: number) => gathered.rows[place] as Row;

describe("what belongs together", () => {
  it("finds own rows, the published ones behind, and whose score it is", () => {
    expect(gathered.rows.map(({ key }) => key)).toEqual(["1.1", "1.2", "1.3", "1.4", "1.5", "1.6"]);
    expect(gathered.backdrop.length).toBe(326);
    expect(gathered.backdrop[0]?.key).toBe("p.1");
    expect(gathered.scores[0]?.rows?.map(({ key }) => key)).toEqual(
      ownScore.models.map((model) => `1.${model.row}`),
    );
    expect(gathered.unbeaten.size).toBe(3);
    expect(usuallyChosen(gathered).length).toBe(5);
  });

  it("takes a table's own score, and shows the published models where there are no others", () => {
    const inside = gather(
      documentOf([{ source: "published", result: { ...ownTable, score: ownScore } as never }]),
    );
    expect(inside.rows.length).toBe(6);
    expect(inside.backdrop).toEqual([]);
    expect(inside.scores.length).toBe(1);
  });

  it("leaves a score alone whose table is not there", () => {
    expect(gather(documentOf([{ source: "x", result: ownScore }])).scores[0]?.rows).toBe(null);
  });

  it("tells equal names apart, and adds the report's tags", () => {
    const alone = gather(documentOf([{ source: "x", result: ownTable }]));
    expect(alone.rows[4]?.label).toBe("resnet50 #5");
    expect(row(1).tags.get("year")).toBe("2021");
    const twice = gather(
      documentOf([
        { source: "x", result: ownTable },
        { source: "y", result: ownTable },
      ]),
    );
    expect(twice.rows[1]?.label).toBe("vit-b (x)");
    expect(twice.rows[7]?.label).toBe("vit-b (y)");
    expect(row(3).label).toBe("__proto__");
  });
});

describe("filters", () => {
  it("hold by name and by tag; a tag that a row lacks holds nothing back", () => {
    expect(pairsOf(["recipe", "old", "odd"])).toEqual(new Map([["recipe", "old"]]));
    expect(filterHolds(row(1), " VIT ", new Map())).toBe(true);
    expect(filterHolds(row(0), "vit", new Map())).toBe(false);
    expect(filterHolds(row(0), "", new Map([["recipe", "new"]]))).toBe(false);
    expect(filterHolds(row(0), "", new Map([["architecture", "CNN"]]))).toBe(true);
  });

  it("make at most eight series, the rarest together", () => {
    const rows = Array.from({ length: 30 }, (_, m) => ({
      ...row(0),
      tags: new Map([["t", `v${Math.min(m, 11)}`]]),
    }));
    const series = seriesBy("t", rows, gathered.tables);
    expect(series.names.length).toBe(8);
    expect(series.names[0]).toBe("v11");
    expect(series.names[7]).toBe("others");
    expect(series.of(rows[29] as Row)).toBe(0);
    expect(series.of(rows[10] as Row)).toBe(7);
  });
});

describe("cells and axes", () => {
  it("draw intervals, else a standard error to each side, in the unit that people see", () => {
    const accuracy = dimensionNamed("accuracy");
    const interval = { low: 0.4, high: 0.7, level: 0.95, method: "made" };
    expect(placed(estimateOf({ value: 0.5, interval }, accuracy))).toEqual({
      value: 50,
      low: 40,
      high: 70,
    });
    expect(placed(estimateOf({ value: 0.5, standard_error: 0.25 }, accuracy))?.low).toBe(25);
    expect(placed(estimateOf({ value: null }, accuracy))).toBe(null);
    const lines = cellLines(estimateOf({ value: 0.5, standard_error: 0.01 }, accuracy), "accuracy");
    expect(lines).toEqual(["accuracy: 50.0 %", "standard error 1.0"]);
  });

  it("leave out what has no place", () => {
    const choices = axisChoices(gathered.scores);
    const [accuracy, shape] = [choices[0], choices[7]];
    if (accuracy === undefined || shape === undefined) throw new Error("no axes");
    expect(pointsOf(gathered.rows, accuracy, shape).length).toBe(5);
    expect(choices.at(-1)?.of(row(0)).value).toBe(
      ownScore.models.find((model) => model.row === 1)?.score.value,
    );
    expect(domainOf([], false)).toEqual([0, 1]);
    expect(domainOf([{ value: 10 }], true)).toEqual([5, 20]);
    expect(domainOf([{ value: 1, low: -1, high: 3 }, { value: 2 }], true)[0]).toBeGreaterThan(0);
  });

  it("of parallel coordinates have the better end up", () => {
    const ends = axisEnds(gathered.rows);
    const calibration = dimensionNamed("calibration_error");
    const [worst = 0, best = 0] = ends[4] ?? [];
    expect(worst).toBeGreaterThan(best);
    expect(heightOn(ends[4], worst, calibration)).toBeCloseTo(0);
    expect(heightOn(ends[4], best, calibration)).toBe(1);
    expect(heightOn([1000, 10], 100, dimensionNamed("parameters"))).toBeCloseTo(0.5);
    expect(heightOn(null, 1, calibration)).toBe(null);
    expect(heightOn([2, 2], 2, calibration)).toBe(0.5);
  });

  it("share a footnote of one text", () => {
    const notes = footnotesOf(gathered.rows);
    expect(notes.list.map(({ text, models }) => [text, models])).toEqual([
      ["the classifier's own 20 classes", 1],
      ["no cue-conflict images", 1],
    ]);
    expect(notes.of(row(0), 0)).toEqual([1]);
    expect(notes.of(row(1), 7)).toEqual([2]);
    expect(notes.of(row(2), 7)).toEqual([]);
  });
});

describe("weights", () => {
  it("go to the address and back to the bit", () => {
    const weights = weightsOf(ownScore.weights);
    expect(parseWeights(weightsText(weights))).toEqual(weights);
    for (const bad of [
      "",
      "1,2",
      "a,0,0,0,0,0,0,0,0",
      "0,0,0,0,0,0,0,0,0",
      "-1,0,0,0,0,0,0,0,1",
      ",1,1,1,1,1,1,1,1",
    ])
      expect(parseWeights(bad)).toBe(null);
  });

  it("score what there is, and say when there can be no intervals", () => {
    const scales = scalesOf(ownScore) ?? [];
    const onlyShape = weightsOf({ shape_bias: 1 });
    const points = livePoints(gathered.rows, gathered.backdrop, scales, onlyShape);
    expect(points[1]).toEqual({ score: null, rank: null, place: null });
    expect(points.filter(({ rank }) => rank === 1).length).toBe(1);
    expect(whyNoIntervals(ownScore, gathered.rows, [])).toBe("");
    expect(whyNoIntervals({ ...ownScore, own_constants: true }, gathered.rows, [])).not.toBe("");
    expect(whyNoIntervals({ ...ownScore, replicates: 1_000_000 }, gathered.rows, [])).not.toBe("");
    const { dimensions: _, ...older } = ownScore;
    expect(scalesOf(older)).toBe(null);
  });
});

describe("texts", () => {
  it("say what moved, what is insignificant, what is worth a look", () => {
    expect(changeText(5, 2)).toBe("▲ 3");
    expect(changeText(2, 5)).toBe("▼ 3");
    expect(changeText(2, 2)).toBe("=");
    expect(changeText(null, 2)).toBe("");
    expect([rhoText(0.524), rhoText(-0.001), rhoText(-0.5), rhoText(1), rhoText(null)]).toEqual([
      ".52",
      ".00",
      "-.50",
      "1.00",
      "–",
    ]);
    const pair = { x: "accuracy", y: "c_robustness", rho: { value: 0.1, n: 9 }, p: 0.01 };
    expect(crossedOut({ ...pair, p_adjusted: 0.05 })).toBe(true);
    expect(crossedOut({ ...pair, p_adjusted: 0.049 })).toBe(false);
    const others = [
      { ...pair, p_adjusted: 1 },
      { ...pair, p_adjusted: 1, x: "gmacs" },
      { ...pair, p_adjusted: 1, x: "gmacs", y: "accuracy" },
    ];
    expect(comparedIn(others).map(({ title }) => title)).toEqual([
      "accuracy",
      "C-robustness",
      "gmacs",
    ]);
    const choice = gathered.choices[0]?.result.candidates ?? [];
    expect(worthALook(choice).length).toBe(3);
    expect(hostile.length).toBeGreaterThan(5000);
  });
});
