import { describe, expect, it } from "vitest";
import { arrow, counts, digit, isCovered, isLetter, type KeyPress } from "../src/annotate/keys";

function press(key: string, code = "", more: Partial<KeyPress> = {}): KeyPress {
  const plain = { repeat: false, ctrlKey: false, altKey: false, metaKey: false };
  return { key, code, ...plain, ...more };
}

describe("counts", () => {
  it("leaves out held keys, those of the browser, and half-written letters", () => {
    expect(counts(press("y"))).toBe(true);
    expect(counts(press("Y"))).toBe(true);
    const others = ["repeat", "ctrlKey", "altKey", "metaKey", "isComposing"] as const;
    for (const other of others) expect(counts(press("y", "", { [other]: true }))).toBe(false);
  });
});

describe("isCovered", () => {
  it("is so under a dialog that is open", () => {
    const page = (open: boolean) => ({
      querySelector: (of: string) => (open && of === "dialog[open]" ? {} : null),
    });
    expect([true, false].map((open) => isCovered(page(open) as ParentNode))).toEqual([true, false]);
  });
});

describe("isLetter", () => {
  it("takes the letter in either case", () => {
    expect(isLetter(press("y", "KeyZ"), "y")).toBe(true);
    expect(isLetter(press("Y", "KeyY"), "y")).toBe(true);
    expect(isLetter(press("j", "KeyJ"), "J")).toBe(true);
  });
  it("does not take the place of another latin letter", () => {
    // On a German keyboard, the key next to T types z and is called KeyY.
    expect(isLetter(press("z", "KeyY"), "y")).toBe(false);
  });
  it("takes the place on a keyboard of another script", () => {
    expect(isLetter(press("н", "KeyY"), "y")).toBe(true);
    expect(isLetter(press("н", "KeyN"), "y")).toBe(false);
    expect(isLetter(press("д", "KeyL"), "д")).toBe(true);
  });
  it("does not take named keys", () => {
    expect(isLetter(press("Enter", "Enter"), "e")).toBe(false);
    expect(isLetter(press(" ", "Space"), "y")).toBe(false);
  });
});

describe("digit", () => {
  it("reads 1 to 9, shifted or of the number pad", () => {
    expect(digit(press("1", "Digit1"))).toBe(1);
    expect(digit(press("!", "Digit1"))).toBe(1);
    expect(digit(press("9", "Numpad9"))).toBe(9);
    for (const code of ["Digit0", "KeyA", "Digit10", ""]) expect(digit(press("", code))).toBe(0);
  });
});

describe("arrow", () => {
  it("goes with the direction of reading", () => {
    expect(arrow("ArrowRight", false)).toEqual({ across: 1, down: 0 });
    expect(arrow("ArrowRight", true)).toEqual({ across: -1, down: 0 });
    expect(arrow("ArrowLeft", true)).toEqual({ across: 1, down: 0 });
    expect(arrow("ArrowUp", true)).toEqual({ across: 0, down: -1 });
    expect(arrow("ArrowDown", false)).toEqual({ across: 0, down: 1 });
    expect(arrow("Tab", false)).toBeNull();
  });
});
