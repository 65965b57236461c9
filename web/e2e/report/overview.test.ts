// The overview in headless Chromium: its contents, its keys, its links, and its behaviour with
// many models.
import { statSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentOf } from "../../mock/report/document.ts";
import { manyModels } from "../../mock/report/many.ts";
import { axeFindings, CHROMIUM, type Opened, open, screenshot } from "../browser.ts";
import { openReport, settled } from "./open.ts";

const hostile = `<img src=x onerror="window.hurt=1">\n</script>\u202e${"x".repeat(300)}`;

function measured(model: string, dataset: string, metric: string, value: number | null) {
  return {
    metric,
    definition: `${metric}.made`,
    model,
    dataset,
    unit: "proportion" as const,
    n: 1000,
    higher_is_better: metric !== "ece",
    left_out: 0,
    ...(value === null
      ? { value, undefined: "no item has a label" }
      : {
          value,
          interval: { low: value - 0.01, high: value + 0.01, level: 0.95, method: "made" },
        }),
  };
}

const measurements = [
  measured("resnet50", "val", "top1", 0.7613),
  measured("vit-b", "val", "top1", 0.8107),
  measured(hostile, "val", "top1", 0.31),
  measured("resnet50", "val", "ece", 0.037),
  measured("vit-b", "val", "ece", null),
  measured("__proto__", "sketch", "top1", 0.25),
];
const document = documentOf(
  [
    {
      source: "runs",
      result: {
        schema: "assay.scores/2",
        measurements,
        stores: [],
        gates: [
          {
            gate: "top1 >= 0.8",
            definition: "top1.made",
            bound: 0.8,
            passed: false,
            value: 0.7613,
            model: "resnet50",
            dataset: "val",
          },
        ],
      } as never,
    },
  ],
  {
    title: hostile,
    best: [
      {
        dataset: "val",
        metric: "top1",
        definition: "top1.made",
        best: "vit-b",
        alike: ["resnet50"],
        untested: [],
        level: 0.95,
      },
    ],
    definitions: [
      { definition: "top1.made", metric: "top1", name: "Accuracy", meaning: "made for a test" },
    ],
    tags: { names: ["family"], models: { "vit-b": { family: "transformer" } } },
    warnings: [hostile],
    left_out: ["Nothing of note."],
  },
);

describe.skipIf(CHROMIUM === undefined)("the report's overview", () => {
  let browser: Opened;
  beforeAll(async () => {
    browser = await open();
  });
  afterAll(() => browser.close());

  for (const width of [1600, 390])
    for (const scheme of ["light", "dark"] as const)
      it(`is whole at ${width} pixels, ${scheme}`, async () => {
        const { page, complaints } = await openReport(browser.context, document);
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: scheme });
        await page.waitForSelector(".overview .cell");
        await settled(page);
        expect(await axeFindings(page)).toEqual([]);
        expect(await page.evaluate(() => window.document.documentElement.scrollWidth)).toBe(width);
        expect(await page.evaluate(() => "hurt" in window)).toBe(false);
        await screenshot(page, `report-overview-${width}-${scheme}`);
        expect(complaints).toEqual([]);
        await page.close();
      });

  it("shows the numbers of the document, in the order of the first column", async () => {
    const { page } = await openReport(browser.context, document);
    const rows = page.locator(".overview .data-table tbody tr");
    await rows.first().waitFor();
    const texts = await rows.allInnerTexts();
    expect(texts.map((text) => text.replace(/\s+/g, " ").slice(0, 30))).toEqual([
      expect.stringContaining("vit-b"),
      expect.stringContaining("resnet50"),
      expect.stringContaining("<img src=x"),
    ]);
    expect(texts[0]).toMatch(/transformer[\s\S]*●[\s\S]*81\.1[\s\S]*±1\.0[\s\S]*–/);
    expect(texts[1]).toMatch(/○[\s\S]*76\.1[\s\S]*±1\.0[\s\S]*3\.7/);
    expect(await page.innerText(".overview")).toContain("✗ broken");
    await page.close();
  });

  it("sorts and filters by the keyboard, and keeps both in the address", async () => {
    const { page, complaints } = await openReport(browser.context, document);
    const heading = page.getByRole("button", { name: "ece" });
    await heading.focus();
    await page.keyboard.press("Enter");
    expect(await page.locator("th[aria-sort=ascending]").innerText()).toContain("ece");
    const first = page.locator(".overview .data-table tbody th").first();
    expect(await first.innerText()).toBe("resnet50");
    const address = await page.evaluate(() => location.hash);
    const again = await openReport(browser.context, document, address);
    expect(await again.page.locator("th[aria-sort=ascending]").innerText()).toContain("ece");
    expect([...complaints, ...again.complaints]).toEqual([]);
    await again.page.close();
    await page.close();
  });

  it("shows a damaged result as a sentence, and the other sections as they are", async () => {
    const damaged = documentOf([
      { source: "x", result: { schema: "assay.scores/2", measurements: 7, stores: {} } as never },
      { source: "y", result: { schema: "assay.corrupted_accuracy/1", models: [{}] } as never },
    ]);
    const { page } = await openReport(browser.context, damaged);
    await page.waitForSelector(".failure");
    expect(await page.locator("main").textContent()).toContain(
      "x is not shown: measurements must be a list of objects",
    );
    expect(await page.innerText("main")).toContain("Provenance");
    await page.close();
  });

  it("bears 326 models on 75 data sets in 3 MB, and 2,000 models", async () => {
    const { page, complaints, file } = await openReport(browser.context, manyModels(326, 75));
    expect(statSync(file).size).toBeLessThan(3e6);
    await page.waitForSelector(".overview .cell");
    const opened = await page.evaluate(() => performance.now());
    console.log(`326 models x 75 data sets: ${statSync(file).size} bytes, ${opened.toFixed(0)} ms`);
    await page.close();
    const many = await openReport(browser.context, manyModels(2000, 1));
    await many.page.waitForSelector(".overview .cell");
    const box = many.page.locator(".overview .windowed");
    await box.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await many.page.waitForFunction(
      () =>
        window.document
          .querySelector(".overview .windowed tbody tr:nth-last-child(1)")
          ?.getAttribute("aria-rowindex") === "2001",
    );
    expect(await box.locator("tbody tr").count()).toBeLessThan(80);
    expect([...complaints, ...many.complaints]).toEqual([]);
    await many.page.close();
  });
});
