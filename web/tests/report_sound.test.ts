import { describe, expect, it } from "vitest";
import { documentOf } from "../mock/report/document.ts";
import { overTimeDocument } from "../mock/report/over_time.ts";
import { sound } from "../src/report/sound.ts";

describe("a document that was read", () => {
  it("stays as it is where it is whole", () => {
    expect(sound(overTimeDocument)).toEqual(overTimeDocument);
    const tagged = documentOf([], { tags: { names: ["a"], models: { m: { a: "1" } } } });
    expect(sound(JSON.parse(JSON.stringify(tagged)))).toEqual(tagged);
  });

  it("has every part, whatever stood in its place", () => {
    const wrong = [null, 7, "text", [], [null, 3, "x"], { length: 2 }, true];
    for (const value of wrong) {
      const fields = Object.keys(documentOf([])).filter((name) => name !== "schema");
      const damaged = Object.fromEntries(fields.map((name) => [name, value]));
      const mended = sound({ schema: "assay.report/1", ...damaged });
      expect(mended.results).toEqual([]);
      expect(mended.best).toEqual([]);
      expect(mended.tags.models).toEqual({});
      expect(mended.provenance.stores).toEqual([]);
      expect(mended.warnings.every((text) => typeof text === "string")).toBe(true);
    }
    expect(sound(undefined).title).toBe("Report");
  });

  it("drops results without a schema and keeps the others", () => {
    const kept = { source: "a", result: { schema: "assay.check/1" } };
    expect(sound({ results: [{ source: "b" }, { result: 3 }, kept] }).results).toEqual([kept]);
  });

  it("leaves out results of another form, and says so", () => {
    const kept = {
      source: "good.json",
      result: { schema: "assay.scores/2", measurements: [], stores: [{}] },
    };
    const bad = (measurements: unknown) => ({
      source: "bad.json",
      result: { schema: "assay.scores/2", measurements, stores: [] },
    });
    for (const wrong of [undefined, null, 7, "text", {}, [7], [null], [[]]]) {
      const document = sound({ results: [bad(wrong), kept] });
      expect(document.results).toEqual([kept]);
      expect(document.left_out).toEqual([
        "bad.json is not shown: `measurements` must be a list of objects (assay.scores/2). Run the command that wrote it again.",
      ]);
    }
  });
});
