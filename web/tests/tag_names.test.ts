import { describe, expect, it } from "vitest";
import {
  LONGEST_TAG,
  MOST_TAGS,
  matching,
  withSwitched,
  withTyped,
} from "../src/annotate/tag_names";

describe("withTyped", () => {
  it("adds what was typed, each tag once and in order", () => {
    expect(withTyped([], " small ")).toEqual(["small"]);
    expect(withTyped(["b"], "a; b;;c")).toEqual(["b", "a", "c"]);
    expect(withTyped(["b"], " ; ")).toEqual(["b"]);
  });

  it("makes only tags that the server takes", () => {
    expect(withTyped([], "a\tb\u0000")).toEqual(["a b"]);
    // A character of four bytes is not cut in two.
    const [long = ""] = withTyped([], "😀".repeat(LONGEST_TAG + 5));
    expect([...long]).toHaveLength(LONGEST_TAG);
    expect(new TextEncoder().encode(long).length).toBeLessThanOrEqual(200);
    const many = Array.from({ length: MOST_TAGS + 3 }, (_, at) => `t${at}`);
    expect(withTyped(many.slice(0, 10), many.slice(10).join(";"))).toHaveLength(MOST_TAGS);
  });
});

describe("withSwitched", () => {
  it("adds a suggestion as it is, also a long one, and removes it again", () => {
    const long = "x".repeat(LONGEST_TAG + 30);
    expect(withSwitched(["b"], long)).toEqual(["b", long]);
    expect(withSwitched(["b", long], long)).toEqual(["b"]);
    const many = Array.from({ length: MOST_TAGS }, (_, at) => `t${at}`);
    expect(withSwitched(many, long)).toEqual(many);
  });
});

describe("matching", () => {
  it("finds the typed text in any case, beginnings first", () => {
    const known = ["seen from behind", "Background", "small"];
    expect(matching(known, "B")).toEqual(["Background", "seen from behind"]);
    expect(matching(known, "")).toEqual(known);
    expect(matching(known, "xyz")).toEqual([]);
  });
});
