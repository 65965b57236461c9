import { describe, expect, it } from "vitest";
import { documentOf } from "../mock/report/document.ts";
import type { Measurement } from "../src/report/schemas/described.ts";
import {
  bestColumns,
  bestKey,
  gridOf,
  mainDataset,
  metricKey,
  namesOf,
  standingOf,
} from "../src/report/sections/overview/grid.ts";

function measured(model: string, dataset: string, definition: string, value: number, more = {}) {
  const metric = definition.split(".")[0] ?? "";
  return { metric, definition, model, dataset, value, n: 100, ...more } as Measurement;
}

const measurements = [
  measured("a", "val", "top1.first_index", 0.7, { parameters: { k: "1" } }),
  measured("b", "val", "top1.first_index", 0.8, { parameters: { k: "1" } }),
  measured("a", "val", "ece.l1", 0.1, { parameters: { bins: "15" } }),
  measured("a", "val", "ece.l1", 0.2, { parameters: { bins: "20" } }),
  measured("a", "val", "top1.first_index", 0.1, { parameters: { k: "1" }, subgroup: "night" }),
  measured("__proto__", "small", "top1.first_index", 0.5, { parameters: { k: "1" }, n: 9 }),
];
const document = documentOf(
  [{ source: "runs", result: { schema: "assay.scores/2", measurements, stores: [] } as never }],
  {
    best: [
      {
        dataset: "val",
        metric: "top1",
        definition: "top1.first_index",
        parameters: { k: "1" },
        best: "b",
        alike: ["a"],
        untested: [],
        level: 0.95,
      },
    ],
  },
);

describe("the overview's grid", () => {
  it("has a row a model, and of all items only what is of all items", () => {
    const grid = gridOf(document, "");
    expect(grid.rows.map(({ name }) => name)).toEqual(["a", "b", "__proto__"]);
    expect(grid.subgroups).toEqual(["", "night"]);
    const top1 = metricKey("top1.first_index", { k: "1" });
    expect(grid.rows[0]?.cells.get("val")?.get(top1)?.value).toBe(0.7);
    expect(gridOf(document, "night").rows[0]?.cells.get("val")?.get(top1)?.value).toBe(0.1);
  });

  it("names metrics as briefly as they differ", () => {
    const { metrics } = gridOf(document, "");
    expect([...namesOf(metrics).values()]).toEqual(["top1", "ece.l1(bins=15)", "ece.l1(bins=20)"]);
  });

  it("begins with the data set of most models", () => {
    expect(mainDataset(gridOf(document, ""))).toBe("val");
  });

  it("marks who cannot be told from the best, as the document says", () => {
    const column = bestColumns(document).get(
      bestKey("val", metricKey("top1.first_index", { k: "1" })),
    );
    expect(["a", "b", "c"].map((model) => standingOf(column, model))).toEqual([
      "alike",
      "best",
      "",
    ]);
  });
});
