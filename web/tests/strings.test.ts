import { describe, expect, it } from "vitest";
import { Texts } from "../src/shared/strings";
import english from "../strings/en.json";

describe("Texts", () => {
  it("is English where nothing is given", () => {
    const texts = new Texts();
    expect([texts.lang, texts.dir]).toEqual(["en", "ltr"]);
    expect(texts.text("yes")).toBe("Yes");
  });

  it("takes what is given, and English for what is missing, empty or no text", () => {
    const strings = { yes: "Ja", no: "", undo: 3 } as unknown as Record<string, string>;
    const texts = new Texts({ lang: "de", strings });
    expect(texts.text("yes")).toBe("Ja");
    expect(texts.text("no")).toBe("No");
    expect(texts.text("undo")).toBe("Undo");
    expect([texts.lang, texts.dir]).toEqual(["de", "ltr"]);
  });

  it("reads no text from what every object has", () => {
    const texts = new Texts({ strings: Object.create({ yes: "inherited" }) });
    expect(texts.text("yes")).toBe("Yes");
  });

  it("knows two directions", () => {
    expect(new Texts({ dir: "rtl" }).dir).toBe("rtl");
    expect(new Texts({ dir: "sideways" }).dir).toBe("ltr");
  });

  it("fills in placeholders once, and leaves those without a value", () => {
    const texts = new Texts({ strings: { progress_text: "{answered}/{total}/{other}" } });
    const values = { answered: "{total}", total: 5 };
    expect(texts.text("progress_text", values)).toBe("{total}/5/{other}");
  });

  it("splits a question around its label", () => {
    expect(new Texts().around("question", "label")).toEqual(["Does this image show ", "?"]);
    const without = new Texts({ strings: { question: "Shown?" } });
    expect(without.around("question", "label")).toEqual(["Shown?", ""]);
  });
});

describe("strings/en.json", () => {
  it("holds texts, none empty, with letters as keys that differ", () => {
    for (const text of Object.values(english)) expect(text.trim()).not.toBe("");
    const { key_yes, key_no, key_undo, key_zoom, key_tag } = english;
    const keys = [key_yes, key_no, key_undo, key_zoom, key_tag];
    expect(keys.every((key) => [...key].length === 1)).toBe(true);
    expect(new Set(keys).size).toBe(keys.length);
  });
});
