import { describe, expect, it } from "vitest";
import { documentOf } from "../mock/report/document.ts";
import { overTimeDocument, top1 } from "../mock/report/over_time.ts";
import {
  boundsOf,
  choicesFor,
  linesOf,
  measurementsOf,
  stepsOf,
} from "../src/report/sections/over_time/points.ts";
import { familiesOf, splitName, timeOf } from "../src/report/sections/over_time/runs.ts";
import { spaced } from "../src/report/sections/over_time/version_axis.tsx";

const measurements = measurementsOf(overTimeDocument);
const families = familiesOf(
  overTimeDocument,
  measurements.map(({ model }) => model),
);

describe("runs of a model", () => {
  it("are told by a date or a version at the end of the name", () => {
    expect(splitName("net-2024-03-01")).toEqual(["net", "2024-03-01"]);
    expect(splitName("net_20240301")).toEqual(["net", "20240301"]);
    expect(splitName("net-2024-03-01T12:30")).toEqual(["net", "2024-03-01T12:30"]);
    expect(splitName("a/b v1.2.3")).toEqual(["a/b", "v1.2.3"]);
    expect(splitName("net-epoch12")).toEqual(["net", "epoch12"]);
  });

  it("are not seen in the sizes of models", () => {
    for (const name of ["resnet50", "resnet-50", "vit-b-16", "swin_224", "2024-03-01", "", "v2"])
      expect(splitName(name)).toBeNull();
    expect(splitName(`${"a-".repeat(50_000)}v`)).toBeNull();
  });

  it("have times where the calendar has the day", () => {
    expect(timeOf("2024-02-29")).toBe(Date.UTC(2024, 1, 29));
    expect(timeOf("20240229")).toBe(Date.UTC(2024, 1, 29));
    expect(timeOf("2024-03")).toBe(Date.UTC(2024, 2, 1));
    expect(timeOf("2024-03-01T12:30")).toBe(Date.UTC(2024, 2, 1, 12, 30));
    for (const text of ["2023-02-29", "2024-13-01", "v2", "", "2024-03-01T25:00"])
      expect(timeOf(text)).toBeNull();
  });

  it("stand in their order, versions as numbers", () => {
    const tagger = families.find(({ name }) => name === "tagger");
    expect(tagger?.runs.map(({ when }) => when)).toEqual(["v1.2", "v1.10", "v2.0"]);
    expect(tagger?.dated).toBe(false);
    expect(families.find(({ name }) => name === "net")?.dated).toBe(true);
    expect(families.some(({ name }) => name === "alone")).toBe(false);
  });

  it("are told by tags, which go before the names", () => {
    const document = documentOf([], {
      tags: {
        names: ["Date", "family"],
        models: {
          b: { Date: "2024-01-01", family: "__proto__" },
          a: { Date: "2024-02-01", family: "__proto__" },
        },
      },
    });
    const [family] = familiesOf(document, ["a", "b", "c", "__proto__"]);
    expect(family?.name).toBe("__proto__");
    expect(family?.runs.map(({ model }) => model)).toEqual(["b", "a"]);
  });
});

describe("what is drawn of them", () => {
  it("are the document's own estimates", () => {
    const lines = linesOf(families, measurements, "val", "top1.first_index");
    expect(lines[0]?.points.map(({ measurement }) => measurement.value)).toEqual([
      0.702,
      0.718,
      null,
      0.694,
      0.741,
    ]);
    expect(linesOf(families, measurements, "other", "top1.first_index")).toEqual([]);
  });

  it("are the bounds of gates of this metric, with those that break them", () => {
    const models = new Set(measurements.map(({ model }) => model));
    expect(boundsOf(overTimeDocument, "val", "top1.first_index", models)).toEqual([
      { gate: "top1 >= 0.7", bound: 0.7, broken: ["net-2024-04-02"] },
    ]);
    expect(boundsOf(overTimeDocument, "val", "top5", models)).toEqual([]);
  });

  it("are the comparisons of an earlier run with a later one", () => {
    const [step, ...others] = stepsOf(overTimeDocument, families, "val", "top1.first_index");
    expect(others).toEqual([]);
    expect([step?.from.when, step?.to.when]).toEqual(["2024-04-02", "2024-04-30"]);
    expect(step?.metric.verdict).toBe("better");
  });

  it("need two runs on the same data set", () => {
    const apart = [top1("m-v1", "a", 0.5), top1("m-v2", "b", 0.5)];
    const document = documentOf([]);
    const two = familiesOf(document, ["m-v1", "m-v2"]);
    expect(two).toHaveLength(1);
    expect(choicesFor(two, apart).datasets).toEqual([]);
  });

  it("has names on its axis that do not meet", () => {
    const ticks = Array.from({ length: 100 }, (_, at) => ({ at, text: `v1.${at}` }));
    expect(spaced(ticks, 500).length).toBeLessThanOrEqual(12);
    expect(spaced(ticks.slice(0, 3), 500)).toHaveLength(3);
  });
});
