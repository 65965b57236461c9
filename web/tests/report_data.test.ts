import { describe, expect, it } from "vitest";
import { dataDocument, inspected, recorded } from "../mock/report/data.ts";
import { sections } from "../src/report/registry.ts";
import { classesOf, kindsOf, sizesOf } from "../src/report/sections/data/tables.ts";
import { misshapen } from "../src/report/shapes.ts";

describe("what is known of the images", () => {
  it("has the numbers of the result", () => {
    expect(kindsOf(recorded).rows).toEqual([
      ["alpha (dropped)", "1,200", recorded.kinds[0]?.first],
    ]);
    expect(sizesOf(recorded)).toBeNull();
    expect(sizesOf(inspected)?.rows).toEqual([
      ["width", "32", "341", "1,024"],
      ["height", "32", "256", "768"],
    ]);
  });

  it("names a class once, the largest first, and none where all have as many images", () => {
    expect(classesOf(recorded)?.rows.map(([, images]) => images)).toEqual(["388", "300", "12"]);
    expect(classesOf(inspected)).toBeNull();
  });

  it("is a section of reports that have it", () => {
    const section = sections.find(({ id }) => id === "data");
    expect(section?.applies(dataDocument)).toBe(true);
    expect(section?.applies({ ...dataDocument, results: [] })).toBe(false);
  });

  it("is left out where it is of another form", () => {
    expect(misshapen({ ...recorded })).toBeUndefined();
    expect(misshapen({ ...recorded, findings: undefined })).toBe("findings");
  });
});
