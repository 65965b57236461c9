import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  examples,
  exampleThumbnails,
  hostileId,
  otherExamples,
} from "../mock/report/attack_examples.ts";
import { documentOf } from "../mock/report/document.ts";
import { pngOf } from "../mock/report/png.ts";
import { attacked } from "../mock/report/robustness.ts";
import type { Sourced } from "../src/report/document.ts";
import type { AttackExample } from "../src/report/schemas/described.ts";
import {
  classText,
  exampleSets,
  fooledText,
  idsOf,
  largestText,
  lengthText,
  occurrencesOf,
  probabilityText,
  scaleText,
} from "../src/report/sections/robustness/examples.ts";
import { robustness } from "../src/report/sections/robustness/index.tsx";

const setsOf = (...results: Sourced[]) => exampleSets(documentOf(results));
const first = (examples.result.attacks[0]?.shown ?? [])[0] as AttackExample;

describe("examples of adversarial images", () => {
  it("are listed by attack, the smallest budget first", () => {
    const [set] = setsOf(attacked, examples);
    expect(
      set?.attacks.map(({ name, budgets }) => [name, ...budgets.map((budget) => budget.name)]),
    ).toEqual([
      ["pgd", "1/255", "4/255", "16/255"],
      ["fgsm", "1/255", "4/255"],
    ]);
  });

  it("name the norm where there are several", () => {
    const { result } = otherExamples;
    const [linf] = result.attacks;
    if (linf === undefined) throw new Error("no attack");
    const both = { ...result, attacks: [linf, { ...linf, norm: "l2" }, linf] };
    const [set] = setsOf({ source: "x", result: both });
    expect(set?.attacks.map(({ name }) => name)).toEqual(["fgsm, linf", "fgsm, l2"]);
    // Two budgets with the same text are distinguished.
    expect(set?.attacks[0]?.budgets.map(({ name }) => name)).toEqual(["2/255", "2/255 (2)"]);
  });

  it("of one model and data set in two files are told apart by the file", () => {
    expect(setsOf(examples).map(({ name }) => name)).toEqual(["mobilenet, val"]);
    expect(setsOf(examples, otherExamples).map(({ name }) => name)).toEqual([
      "mobilenet, val (adv/examples.json)",
      "mobilenet, val (older/examples.json)",
    ]);
    expect(new Set(setsOf(examples, examples).map(({ name }) => name)).size).toBe(2);
  });

  it("know whether any of their images is in the document", () => {
    const document = documentOf([examples, otherExamples], { thumbnails: exampleThumbnails() });
    // The other file has the same paths, but an image belongs to its source.
    expect(exampleSets(document).map(({ embedded }) => embedded)).toEqual([true, false]);
  });

  it("follow one image through attacks and budgets", () => {
    const [set] = setsOf(examples);
    if (set === undefined) throw new Error("no examples");
    expect(idsOf(set)).toHaveLength(8);
    expect(
      occurrencesOf(set, hostileId).map(({ attack, budget }) => `${attack} ${budget}`),
    ).toEqual(["pgd 1/255", "pgd 4/255", "pgd 16/255", "fgsm 4/255"]);
    expect(occurrencesOf(set, "__proto__")).toEqual([]);
  });

  it("drop what is not of the schema's form and keep the rest", () => {
    const { result } = examples;
    const whole = result.attacks[0];
    if (whole === undefined) throw new Error("no attack");
    const damaged = [null, 7, {}, { ...first, id: 3 }, { ...first, after: null }, first];
    const attacks = [null, "x", {}, { ...whole, shown: {} }, { ...whole, shown: damaged }];
    const sets = setsOf({ source: "x", result: { ...result, attacks } } as Sourced);
    expect(sets[0]?.attacks.flatMap(({ budgets }) => budgets.map(({ of }) => of.shown))).toEqual([
      [first],
    ]);
    for (const wrong of [{ ...result, attacks: 3 }, { ...result, model: null }, { schema: "" }])
      expect(setsOf({ source: "x", result: wrong } as Sourced)).toEqual([]);
  });

  it("alone make the section appear", () => {
    expect(robustness.applies(documentOf([examples]))).toBe(true);
    expect(robustness.applies(documentOf([]))).toBe(false);
    const none = { ...examples, result: { ...examples.result, attacks: [] } };
    expect(robustness.applies(documentOf([none]))).toBe(false);
  });
});

it("how many images fooled a model is a sentence for every number of them", () => {
  const [of] = otherExamples.result.attacks;
  if (of === undefined) throw new Error("no attack");
  const before = "classified correctly before";
  const text = (fooled: unknown, shown = of.shown) => fooledText({ ...of, fooled, shown } as never);
  expect(text(1234, [...of.shown, ...of.shown])).toBe(
    `the model misclassifies 1,234 images that it ${before}; 2 are examples.`,
  );
  expect(text(1)).toBe(`the model misclassifies 1 image that it ${before}; 1 is an example.`);
  expect(text(0, [])).toBe(`the model misclassifies no image that it ${before}.`);
  expect(text(null)).toBe("the model misclassifies images, of which 1 is an example.");
});

describe("an example", () => {
  it("says its change in the steps of 8-bit pixels, and its length", () => {
    const moved = { ...first, largest: 4 / 255, length: 5.97, scale: 127.5 / 4 };
    expect(largestText(moved)).toBe("4.000/255");
    expect(lengthText(moved)).toBe("5.970");
    expect(scaleText(moved)).toBe("× 31.88");
    expect(scaleText({ ...moved, scale: 127.49903865883408 })).toBe("× 127.5");
    const none = { ...first, largest: null, length: null, scale: null };
    expect([largestText(none), lengthText(none), scaleText(none)]).toEqual(["–", "–", ""]);
  });

  it("names classes as well as it can", () => {
    expect(classText({ class: 5, id: "n5", name: "axolotl" })).toBe("axolotl");
    expect(classText({ class: 5, id: "n5", name: "" })).toBe("n5");
    expect(classText({ class: 5 })).toBe("class 5");
    expect(classText({ class: 5, name: "a\nb\u202e" })).toBe("a b");
    expect(probabilityText({ class: 5, probability: 0.971 })).toBe("97.1 %");
    expect(probabilityText({ class: 5, probability: null })).toBe("");
  });
});

it("a made image holds the pixels that it was made of", () => {
  const png = Buffer.from(pngOf(2, (x, y, c) => (x + 2 * y + c) / 5).slice(22), "base64");
  const at = png.indexOf("IDAT");
  const data = png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4));
  // A row has a filter and two pixels. A step is 255 / 5 = 51.
  expect([...inflateSync(data)]).toEqual(
    [0, 0, 51, 102, 51, 102, 153].concat([0, 102, 153, 204, 153, 204, 255]),
  );
});
