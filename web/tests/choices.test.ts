import { describe, expect, it } from "vitest";
import { answersOf, choicesOf, countOf, toggled } from "../src/annotate/choices";
import { zoomScales } from "../src/annotate/scales";
import type { Answer, Screen } from "../src/shared/api";

function screen(said: Answer[] = []): Screen {
  const cells = ["a", "b", "c"].map((question) => ({ question, label: 0 }));
  return { screen: "s", training: false, labels: [], cells, said };
}

describe("choices", () => {
  it("are complete: no where nothing was chosen", () => {
    const answers = answersOf(screen(), choicesOf(screen()));
    expect(answers.map((one) => one.answer)).toEqual(["no", "no", "no"]);
  });
  it("begin with what was said", () => {
    const before = screen(["yes", "no", "cannot-say"]);
    const answers = answersOf(before, choicesOf(before));
    expect(answers.map((one) => one.answer)).toEqual(["yes", "no", "cannot-say"]);
  });
  it("are taken back by the same answer, and replaced by another", () => {
    const once = toggled(new Map(), "a", "yes");
    expect(countOf(once, "yes")).toBe(1);
    expect(toggled(once, "a", "yes").size).toBe(0);
    expect(toggled(once, "a", "cannot-say").get("a")).toBe("cannot-say");
    expect(once.get("a")).toBe("yes");
  });
  it("say nothing about an image that cannot be shown", () => {
    const chosen = toggled(new Map(), "b", "yes");
    const answers = answersOf(screen(), chosen, new Set(["b"]));
    expect(answers.map((one) => one.question)).toEqual(["a", "c"]);
  });
});

describe("zoomScales", () => {
  it("shows a large image in its own pixels, then doubled", () => {
    expect(zoomScales(0.4)).toEqual([1, 2]);
  });
  it("only enlarges what is as large as its place, or smaller", () => {
    expect(zoomScales(1)).toEqual([2]);
    expect(zoomScales(20)).toEqual([40]);
  });
});
