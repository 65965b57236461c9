import { describe, expect, it } from "vitest";
import { blocksOf } from "../src/report/parts/windowed.tsx";
import { bytesText, countedText } from "../src/report/sections/cost/measures.ts";
import { withRoom } from "../src/report/sections/cost/point_names.tsx";

describe("costs", () => {
  it("are read with three digits", () => {
    expect(countedText(4_089_284_608)).toBe("4.09 G");
    expect(countedText(999)).toBe("999");
    expect(bytesText(291_868)).toBe("292 kB");
    expect(bytesText(12)).toBe("12 B");
  });

  it("have names in the plot that do not meet and stay inside", () => {
    const places = [
      { x: 10, y: 50, name: "first" },
      { x: 12, y: 52, name: "second" },
      { x: 290, y: 50, name: "at the end" },
    ];
    expect(withRoom(places, 300)).toEqual([
      { x: 18, y: 43, name: "first", before: false },
      { x: 282, y: 43, name: "at the end", before: true },
    ]);
  });
});

describe("a wide table on paper", () => {
  it("is several, each with the first column", () => {
    expect(blocksOf(["m", "a", "b", "c"], 2)).toEqual([
      ["m", "a", "b"],
      ["m", "c"],
    ]);
    expect(blocksOf(["m", "a"], 2)).toEqual([["m", "a"]]);
    expect(blocksOf([], 2)).toEqual([[]]);
  });
});
