// The data that the sections about stores, pairs and gaps compute from their results.
import { describe, expect, it } from "vitest";
import { calibrationModels, calibrationResult } from "../mock/report/calibration.ts";
import { classesResult, confusedImages } from "../mock/report/classes.ts";
import { comparisonsResult } from "../mock/report/disagreement.ts";
import { documentOf } from "../mock/report/document.ts";
import { gapResult, labelledScores, severalLabelled } from "../mock/report/multilabel.ts";
import { hostile, near, none } from "../mock/report/numbers.ts";
import { forestDomain } from "../src/report/parts/forest.tsx";
import { confusedItems } from "../src/report/parts/items.ts";
import { distinct, short } from "../src/report/parts/names.ts";
import { chosenOf } from "../src/report/parts/one_of.tsx";
import { chosenAmong, matching } from "../src/report/parts/some_of.tsx";
import { storesByDataset } from "../src/report/parts/stores.ts";
import {
  calibrationMetrics,
  metricKey,
  nullText,
  sideOf,
} from "../src/report/sections/calibration/metrics.ts";
import { confusedClasses, matched } from "../src/report/sections/classes/rows.ts";
import {
  byUnit,
  kindOf,
  metricName,
  namedPairs,
  ofKind,
} from "../src/report/sections/disagreement/pairs.ts";
import { jitter } from "../src/report/sections/multilabel/boxes.tsx";
import { countedNames } from "../src/report/sections/multilabel/label_counts.tsx";
import {
  datasetsWithSeveral,
  labelCounts,
  measuredMetrics,
  subgroupSteps,
} from "../src/report/sections/multilabel/series.ts";

const any = () => true;

describe("names", () => {
  it("are cut to one line, and letters stay whole", () => {
    expect(short("a\n b\tc")).toBe("a b c");
    expect([...short("😀".repeat(50), 10)]).toHaveLength(10);
    expect(short(hostile.long, 20)).toHaveLength(20);
  });
  it("that are equal are numbered", () => {
    expect(distinct(["a", "a", "a (2)", "__proto__"])).toEqual([
      "a",
      "a (2)",
      "a (2) (2)",
      "__proto__",
    ]);
  });
  it("that the address says are taken where they exist", () => {
    expect(chosenOf(["a", "b"], "b")).toBe("b");
    expect(chosenOf(["a", "b"], "c")).toBe("a");
    expect(chosenOf([], "c")).toBe("");
    expect(chosenAmong(["a", "b", "c"], ["c", "x", "c"], 2, 8)).toEqual(["c"]);
    expect(chosenAmong(["a", "b", "c"], ["x"], 2, 8)).toEqual(["a", "b"]);
    expect(matching(["ResNet 50", "ViT"], "res 5")).toEqual(["ResNet 50"]);
  });
});

describe("stores", () => {
  it("are found by data set, each with its own measurements", () => {
    const document = documentOf([{ source: "a", result: calibrationResult() }]);
    const all = storesByDataset(document, any);
    expect([...all.keys()]).toEqual(["val", "shifted"]);
    const names = all.get("val")?.map(({ name }) => name);
    expect(names).toEqual(calibrationModels);
    const last = all.get("val")?.at(-1);
    expect(last?.store.model).toBe("__proto__");
    expect(last?.measurements).toHaveLength(3);
  });
  it("of one model twice have names of their own", () => {
    const result = calibrationResult();
    const document = documentOf([
      { source: "a", result },
      { source: "b", result },
    ]);
    expect(storesByDataset(document, any).get("val")?.[7]?.name).toBe("calm (2)");
  });
});

describe("calibration", () => {
  it("takes its metrics in one order, by definition and bins", () => {
    const measurements = storesByDataset(
      documentOf([{ source: "", result: calibrationResult() }]),
      any,
    ).get("val")?.[0]?.measurements;
    const keys = calibrationMetrics([...(measurements ?? [])].reverse()).map(metricKey);
    expect(keys).toEqual(["ece.l1.left_closed (15 bins)", "nll.natural", "brier.sum"]);
    expect(
      nullText(
        measurements?.[0] ?? {
          ...near(1, 1),
          metric: "",
          definition: "",
          model: "",
          dataset: "",
          left_out: 0,
          higher_is_better: false,
        },
      ),
    ).toBe("0.024");
  });
  it("tells too confident from too little", () => {
    const bin = { low: 0, high: 1, correct: 1, accuracy: near(0.5, 0.1) };
    expect(sideOf({ ...bin, confidence: 0.7 })).toBe("over");
    expect(sideOf({ ...bin, confidence: 0.3 })).toBe("under");
    expect(sideOf({ ...bin, confidence: null })).toBe("none");
    expect(sideOf({ ...bin, accuracy: none("no item"), confidence: 0.3 })).toBe("none");
  });
});

describe("classes", () => {
  const { stores } = classesResult(60);
  it("of two models are matched by id", () => {
    const rows = stores[0]?.per_class ?? [];
    const pairs = matched(rows, rows.slice(5, 7).reverse());
    expect(pairs.map(({ id }) => id)).toEqual(["n00000005", "n00000006"]);
    expect(pairs[0]?.text).toBe("class 5 (n00000005)");
  });
  it("of confusions are bounded, the most frequent first", () => {
    const classes = confusedClasses(stores[0]?.confusions ?? [], 30);
    expect(classes.truths[0]).toBe("n00000005");
    expect(classes.truths.length).toBeLessThanOrEqual(30);
    expect(classes.predicted.length).toBeLessThanOrEqual(30);
    expect(classes.cells.length + classes.left).toBe(100);
    expect(confusedClasses([], 30)).toEqual({ truths: [], predicted: [], cells: [], left: 0 });
  });
  it("of a confusion lead to its images", () => {
    const { items } = confusedImages();
    expect(confusedItems(items, "val", "first", "n00000005", "n00000006")).toHaveLength(3);
    expect(confusedItems(items, "val", "second", "n00000005", "n00000006")).toEqual([]);
    expect(confusedItems(items, "other", "first", "n00000005", "n00000006")).toEqual([]);
  });
});

describe("pairs", () => {
  const result = comparisonsResult();
  const pair = result.pairs[0];
  it("have names of their own", () => {
    const names = namedPairs([{ result }]).map(({ name }) => name);
    expect(names[0]).toBe("val: steady – quick");
    expect(names[2]).toBe("val: steady – quick (2)");
  });
  it("have an axis for each unit", () => {
    expect(byUnit(pair?.metrics ?? []).map(([unit, group]) => [unit, group.length])).toEqual([
      ["proportion", 3],
      ["nats", 1],
    ]);
  });
  it("tell namesakes apart by definition and parameters", () => {
    const top1 = pair?.metrics[0];
    if (top1 === undefined) throw new Error("no metric");
    const g = (value: string) => ({
      ...top1,
      candidate: { ...top1.candidate, parameters: { g: value, same: "1" } },
    });
    expect(metricName(top1, [top1])).toBe("top1");
    expect(metricName(g("2"), [g("2"), g("3")])).toBe("top1, g 2");
    expect(metricName(g("2"), [g("2"), { ...g("2"), definition: "top1.other" }])).toBe("top1.made");
  });
  it("have images by who is correct", () => {
    const items = pair?.disagreements ?? [];
    expect(items.slice(0, 3).map(kindOf)).toEqual(["first", "second", "neither"]);
    expect(ofKind(items, "all")).toHaveLength(26);
    expect(ofKind(items, "both")).toHaveLength(0);
  });
});

describe("several labels per image", () => {
  it("counts images by labels, without numbers at the end that none has", () => {
    const set = gapResult(3).first;
    expect(labelCounts(set).at(-2)).toEqual({ name: "> 5", images: 12 });
    const counts = [
      { name: "10", images: 1 },
      { name: "2", images: 5 },
      { name: "11", images: 0 },
      { name: "none", images: 3 },
      { name: "> 11", images: 0 },
    ];
    expect(countedNames([{ name: "a", counts }])).toEqual(["2", "10", "none"]);
    expect(labelCounts({ name: "table", only_here: [] })).toEqual([]);
  });
  it("takes agreement from the scores, by number of labels", () => {
    const stores = storesByDataset(documentOf([{ source: "", result: labelledScores() }]), any).get(
      "several",
    );
    const steps = stores?.[0] === undefined ? [] : subgroupSteps(stores[0]);
    expect(steps.map(({ labels }) => labels)).toEqual([1, 2, 3, 9]);
  });
  it("knows what was measured, and where images have several labels", () => {
    const gap = gapResult(3);
    expect(measuredMetrics(gap)).toEqual(["top1", "real", "asma"]);
    for (const model of gap.models) model.metrics.top1.gap = none("composites");
    expect(measuredMetrics(gap)).toEqual(["real", "asma"]);
    expect(datasetsWithSeveral(documentOf([], { items: severalLabelled() }))).toEqual(["several"]);
  });
  it("gives each model its place within a box", () => {
    const places = Array.from({ length: 300 }, (_, index) => jitter(index));
    expect(Math.max(...places.map(Math.abs))).toBeLessThanOrEqual(0.5);
    expect(new Set(places).size).toBe(300);
  });
});

describe("forests", () => {
  it("hold every interval, and stand where nothing is measured", () => {
    const rows = [{ key: "a", name: "a", estimate: near(0.1, 0.3, { unit: "proportion" }) }];
    const [low, high] = forestDomain(rows, "proportion", [0]);
    expect(low).toBeLessThan(-20);
    expect(high).toBeGreaterThan(40);
    expect(
      forestDomain([{ key: "a", name: "a", estimate: none("nothing") }], "number", []),
    ).toHaveLength(2);
  });
});
