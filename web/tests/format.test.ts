import { describe, expect, it } from "vitest";
import { age, DASH, hours } from "../src/organiser/format";

describe("hours", () => {
  it("says that nothing is left where nothing is", () => {
    expect([0, 0.001, 0.5, 1.25, 40].map(hours)).toEqual([
      "0 min",
      "1 min",
      "30 min",
      "1.3 h",
      "40 h",
    ]);
    expect(hours(null)).toBe(DASH);
  });
});

describe("age", () => {
  it("is said of figures older than ten seconds alone", () => {
    expect([undefined, null, 0, 10, 11.4, 90, 7200].map(age)).toEqual([
      ...[null, null, null, null],
      ...["11 s", "2 min", "2.0 h"],
    ]);
  });
});
