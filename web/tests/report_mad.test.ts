// The competition: results that belong together, their order, and cells of matrices.
import { describe, expect, it } from "vitest";
import { documentOf } from "../mock/report/document.ts";
import { madNames, madResults, rankingOf } from "../mock/report/mad.ts";
import {
  cellsOf,
  competitionsOf,
  inOrder,
  placeOf,
} from "../src/report/sections/mad/competitions.ts";
import { cellText } from "../src/report/sections/mad/matrix.tsx";
import { comparisonRows } from "../src/report/sections/mad/others.tsx";

const ranking = rankingOf(madNames);

describe("competitions", () => {
  it("hold what was set, how far they are, and their ranking", () => {
    const all = competitionsOf(documentOf(madResults()));
    expect(all).toHaveLength(1);
    expect(all[0]?.name).toBe("crawl");
    expect(all[0]?.settings?.classes).toBe(20);
    expect(all[0]?.status?.annotators).toHaveLength(3);
    expect(all[0]?.ranking?.classifiers).toHaveLength(5);
  });

  it("are told apart by their sources where names are equal", () => {
    const of = (source: string) => madResults().map(({ result }) => ({ source, result }));
    const second = of("second").map(({ source, result }) => ({ source, result: { ...result } }));
    const all = competitionsOf(documentOf([...of("first"), ...second.reverse()]));
    expect(all.map(({ name }) => name)).toEqual(["crawl", "crawl (2)"]);
    expect(all[1]?.status).toBe(
      second.find(({ result }) => result.schema === "assay.mad_status/1")?.result,
    );
  });

  it("may have no ranking yet", () => {
    const [only] = competitionsOf(documentOf(madResults().slice(0, 2)));
    expect(only?.ranking).toBeUndefined();
    expect(only?.status?.settled).toBe(940);
  });
});

describe("the ranking", () => {
  it("is by place, and by group first", () => {
    expect(inOrder(ranking).map(({ index }) => index)).toEqual([0, 2, 3, 4, 1]);
    const grouped = {
      ...ranking,
      classifiers: ranking.classifiers.map((one, index) => ({ ...one, component: index % 2 })),
    };
    expect(inOrder(grouped).map(({ index }) => index)).toEqual([0, 2, 4, 3, 1]);
  });

  it("has places with the bootstrap's interval, or without", () => {
    const [first] = ranking.classifiers;
    if (first === undefined) throw new Error("nobody");
    expect(placeOf(first)).toMatchObject({ value: 1, unit: "rank", interval: { low: 1, high: 2 } });
    const { place_interval: _, ...bare } = first;
    expect(placeOf(bare)).toEqual({ value: 1, unit: "rank" });
  });

  it("has cells of the chosen ones alone, in their order, and none of a classifier itself", () => {
    const chosen = inOrder(ranking).filter(({ index }) => index === 0 || index === 1);
    const cells = cellsOf(ranking.better, chosen);
    expect(cells.map(({ row, column }) => [row.index, column.index])).toEqual([
      [0, 1],
      [1, 0],
    ]);
    expect(cells[0]?.value).toBe(ranking.better[0]?.[1]);
    const kind = { key: "k", text: "", says: "", middle: 0, signed: true };
    expect(cellText(0.5, kind)).toBe("+0.50");
    expect(cellText(-3.367, kind)).toBe("-3.37");
    const sure = { ...kind, signed: false, probability: true };
    expect([1e-9, 0.58, 1].map((value) => cellText(value, sure))).toEqual([
      "< .001",
      "0.580",
      "> .999",
    ]);
  });

  it("stands beside others with both correlations", () => {
    const rows = comparisonRows(ranking);
    expect(rows).toHaveLength(4);
    expect(rows[0]?.name).toBe("SRCC, accuracy (control sample)");
    expect(rows[3]?.estimate).toBe(ranking.comparisons[1]?.kendall);
  });
});
