import { describe, expect, it } from "vitest";
import { documentOf } from "../mock/report/document.ts";
import { derivedApart } from "../src/report/derived.ts";
import { type Result, resultsOf } from "../src/report/document.ts";
import { storesByDataset } from "../src/report/parts/stores.ts";
import { gridOf } from "../src/report/sections/overview/grid.ts";

const measured = (model: string, value: number) => ({
  metric: "top1",
  definition: "top1",
  model,
  dataset: "val",
  value,
  n: 10,
});
const store = (model: string, derived?: object) => ({
  schema: "assay.score/2",
  model,
  dataset: "val",
  counts: {},
  labels_per_image: [],
  notes: [],
  warnings: [],
  ...(derived === undefined ? {} : { derived }),
});
const result = {
  schema: "assay.scores/2",
  measurements: [measured("net", 0.7), measured("net@pgd-linf-8_255", 0.9)],
  stores: [
    store("net"),
    store("net@pgd-linf-8_255", { model: "net", attack: "pgd-linf-8_255" }),
    store("other", { corruption: "fog", severity: 3 }),
  ],
  gates: [{ gate: "top1 >= 0.5", model: "net@pgd-linf-8_255", dataset: "val", passed: true }],
};
const saved = documentOf([{ source: "scores.json", result: result as never }]);

describe("stores of attacks in a saved result", () => {
  it("are the model on the images under attack, and in no column of the models", () => {
    const document = derivedApart(saved);
    const grid = gridOf(document, "");
    expect(grid.rows.map(({ name }) => name)).toEqual(["net"]);
    expect(grid.datasets).toEqual(["val", "val under pgd-linf-8_255"]);
    const cells = grid.rows[0]?.cells;
    expect(cells?.get("val")?.get("top1")?.value).toBe(0.7);
    expect(cells?.get("val under pgd-linf-8_255")?.get("top1")?.value).toBe(0.9);
    const stores = storesByDataset(document, () => true);
    expect([...stores.keys()]).toEqual(["val", "val under pgd-linf-8_255"]);
    expect(stores.get("val")?.map(({ name }) => name)).toEqual(["net", "other"]);
    const [first] = resultsOf<Result & typeof result>(document, "assay.scores");
    expect(first?.result.gates[0]?.model).toBe("net");
    expect(first?.result.gates[0]?.dataset).toBe("val under pgd-linf-8_255");
  });

  it("are as well those of smoothed models, by their noise", () => {
    const document = derivedApart(
      documentOf([
        {
          source: "scores.json",
          result: {
            ...result,
            stores: [
              store("net"),
              store("net@pgd-linf-8_255", {
                model: "net",
                smoothing: "sigma 0.25, 100 selection copies",
              }),
            ],
          } as never,
        },
      ]),
    );
    const grid = gridOf(document, "");
    expect(grid.rows.map(({ name }) => name)).toEqual(["net"]);
    expect(grid.datasets).toEqual(["val", "val smoothed (sigma 0.25, 100 selection copies)"]);
  });

  it("change nothing where there are none, or where they are damaged", () => {
    for (const derived of [null, 7, "pgd", { attack: 3 }, { attack: "pgd" }, { smoothing: "x" }]) {
      const other = documentOf([
        {
          source: "x.json",
          result: { ...result, stores: [store("net", derived as never)] } as never,
        },
      ]);
      expect(derivedApart(other)).toEqual(other);
    }
  });
});
