// ± is only used if half of the interval is the distance to both ends. The fixtures are from the
// command's sentences.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Estimate, sidesText, valueText } from "../src/report/estimate.ts";
import { cellText } from "../src/report/sections/overview/cell.tsx";

interface Fixture {
  value: number;
  low?: number;
  high?: number;
  unit: NonNullable<Estimate["unit"]>;
  text: string;
  sides: string;
}
const file = new URL("../../tests/report/fixtures/interval_sides.json", import.meta.url);
const fixtures: Fixture[] = JSON.parse(readFileSync(file, "utf8")).estimates;

function estimateOf({ value, low, high, unit }: Fixture): Estimate {
  const ends =
    low === undefined || high === undefined
      ? {}
      : { interval: { low, high, level: 0.95, method: "wilson" } };
  return { value, unit, ...ends };
}

describe("an interval beside its value", () => {
  it.each(fixtures)("$text $sides", (fixture) => {
    expect(valueText(estimateOf(fixture))).toBe(fixture.text);
    expect(sidesText(estimateOf(fixture))).toBe(fixture.sides);
  });

  it("is in the copied text of a cell", () => {
    const copied = fixtures.slice(0, 2).map((one) => cellText(estimateOf(one) as never));
    expect(copied).toEqual(["75.7 ±2.1", "68.0 (64.5 – 71.4)"]);
  });

  it("is missing without a value", () => {
    const interval = { low: 0, high: 1, level: 0.95, method: "wilson" };
    expect(sidesText({ value: null, undefined: "no labels", interval })).toBe("");
  });
});
