// The replication: results that belong together, and the data of their plots.
import { describe, expect, it } from "vitest";
import { documentOf } from "../mock/report/document.ts";
import {
  adjustOf,
  figuresOf,
  planOf,
  proportion,
  replicationResults,
  studyNames,
} from "../mock/report/replication.ts";
import { forestRows } from "../src/report/sections/replication/adjusted.tsx";
import { logOdds, rateText } from "../src/report/sections/replication/density.tsx";
import { imagesText, planTable } from "../src/report/sections/replication/plans.tsx";
import { domainOf, pointsOf } from "../src/report/sections/replication/scatter.tsx";
import {
  byMethod,
  lineAt,
  measuredOf,
  quantityOf,
  studiesOf,
} from "../src/report/sections/replication/studies.ts";
import { withInterval } from "../src/report/sections/replication/texts.ts";

const [study] = studiesOf(documentOf(replicationResults()));
if (study === undefined) throw new Error("no study");

describe("studies", () => {
  it("have the figures of the same classifiers and accuracies", () => {
    expect(study.figures).toBeDefined();
    const other = figuresOf(adjustOf(["few", "robust"]));
    const [alone] = studiesOf(
      documentOf([
        { source: "a", result: adjustOf(["few", "shape"]) },
        { source: "b", result: other },
      ]),
    );
    expect(alone?.figures).toBeUndefined();
  });

  it("tell equal names apart, of models and of sources", () => {
    expect(study.models.at(-1)).toBe("robust (2)");
    const adjust = adjustOf(studyNames);
    const twice = studiesOf(
      documentOf([
        { source: "a", result: adjust },
        { source: "a", result: adjust },
      ]),
    );
    expect(twice.map(({ name }) => name)).toEqual(["a", "a (2)"]);
  });
});

describe("what is drawn", () => {
  it("is a point measured and one adjusted of every model, at the results' values", () => {
    const method = study.adjust.methods[0];
    if (method === undefined) throw new Error("no method");
    const points = pointsOf(study, method);
    expect(points).toHaveLength(2 * studyNames.length);
    expect(points[0]?.y.value).toBe(study.adjust.classifiers[0]?.replication.value);
    expect(points[1]?.y.value).toBe(method.classifiers?.[0]?.adjusted.value);
    const [low, high] = domainOf(points, true);
    expect(low).toBeLessThan(0.37);
    expect(high).toBeGreaterThan(0.76);
    expect(domainOf([], true)).toEqual([0, 1]);
  });

  it("is the fitted line where both of its numbers are known", () => {
    const line = study.adjust.line;
    if (line === null) throw new Error("no line");
    expect(lineAt(line, 0.5)).toBeCloseTo(0.43, 12);
    expect(lineAt({ ...line, slope: { value: null, n: 0 } }, 0.5)).toBeNull();
  });

  it("is a row of a model for what was measured and for each method", () => {
    const rows = forestRows(study, [{ name: "few", index: 0 }]);
    expect(rows.map(({ name }) => name)).toEqual(["few, measured", "few, pl", "few, naive"]);
    expect(rows[1]?.estimate).toBe(study.adjust.methods[0]?.classifiers?.[0]?.adjusted);
    expect(rows[0]?.reference?.value).toBe(study.adjust.classifiers[0]?.original.value);
  });

  it("is a line of each method from few annotators to many", () => {
    const rows = byMethod([...(study.figures?.annotators ?? [])].reverse());
    expect([...rows.keys()].sort()).toEqual(["naive", "pl"]);
    expect(rows.get("pl")?.map(({ annotators }) => annotators)).toEqual([2, 4, 8]);
    const row = rows.get("pl")?.[0];
    if (row === undefined) throw new Error("no row");
    expect(quantityOf(row, "slope")).toBe(row.line?.slope);
    expect(quantityOf(row, "remaining")).toBe(row.remaining);
    expect(measuredOf(study, "adjusted")).toBe(study.adjust.mean.replication);
    expect(measuredOf(study, "selection_bias").value).toBeNull();
  });
});

describe("tables", () => {
  it("have values with their intervals, or why there are none", () => {
    expect(withInterval(proportion(0.04, 0.01), true)).toBe("+4.0 (3.0 – 5.0)");
    expect(withInterval({ value: null, undefined: "too few" })).toBe("too few");
    expect(withInterval({ value: null })).toBe("–");
    expect(imagesText({ value: 1234.4 })).toBe("1,234");
  });

  it("have a column of each estimator's bias", () => {
    const { columns, rows } = planTable(planOf().rows);
    const estimators = ["none", "naive", "jackknife1", "jackknife_quarter", "moments", "pl"];
    expect(columns.slice(5)).toEqual(estimators.map((name) => `bias of ${name}, %`));
    expect(rows[0]?.[2]).toBe("too few readings");
    expect(rows.every((row) => row.length === columns.length)).toBe(true);
  });
});

describe("curves over rates", () => {
  it("have an axis that tells rates near 0 and 1 apart", () => {
    expect(rateText(0)).toBe("50 %");
    expect(rateText(logOdds(0.9))).toBe("90 %");
    expect(rateText(4)).toBe("98.2 %");
    expect(rateText(8)).toBe("99.97 %");
    expect(rateText(-8)).toBe("0.03 %");
  });
});
