// Two data sets side by side, and scores by labels per image, in a browser.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentOf } from "../../mock/report/document.ts";
import { gapResult, labelledScores, severalLabelled } from "../../mock/report/multilabel.ts";
import { intervalText, signedText, valueText } from "../../src/report/estimate.ts";
import { CHROMIUM, type Opened, open } from "../browser.ts";
import { expectClean, goToSection, rowTexts } from "./looks.ts";
import { openReport } from "./open.ts";

const gap = gapResult(8);
const made = documentOf(
  [
    { source: "gap", result: gap },
    { source: "scores", result: labelledScores() },
  ],
  { items: severalLabelled() },
);

describe.skipIf(CHROMIUM === undefined)("several labels per image", () => {
  let browser: Opened;
  beforeAll(async () => {
    browser = await open();
  });
  afterAll(() => browser?.close());

  it("shows everything of a gap at every size, light and dark", async () => {
    const report = await openReport(browser.context, made);
    await goToSection(report.page, "multilabel", ".item-card");
    await expectClean(report, "multilabel");
  });

  it("shows the numbers of the JSON", async () => {
    const { page } = await openReport(browser.context, made);
    await goToSection(page, "multilabel", ".item-card");
    const mean = gap.average.metrics.top1;
    const table = page.getByRole("region", { name: "Mean over the models" });
    const row = await table.locator("tbody tr").first().innerText();
    expect(row).toContain(valueText(mean.first));
    expect(row).toContain(signedText(mean.gap));
    expect(row).toContain(intervalText(mean.gap));
    const counts = page
      .locator("#multilabel figure")
      .filter({ has: page.getByText("Labels per image", { exact: true }) });
    await counts.getByRole("button", { name: "as a table" }).click();
    expect(await counts.locator("tbody tr").first().innerText()).toMatch(/1\s+3,939\s+2,639/);
    const explained = valueText(gap.average.decomposition.explained);
    await page.getByText(`Composition is ${explained} % of the mean gap`).waitFor();
  });

  it("is used with the keyboard alone, and the address says what was chosen", async () => {
    const { page, complaints } = await openReport(browser.context, made);
    await goToSection(page, "multilabel", ".box");
    const boxes = page.getByRole("list", { name: "Boxes" });
    await boxes.locator("[tabindex='0']").focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("#multilabel .tip").innerText()).toContain("median 70.00 %");
    await page.getByText("Marked models: 3 of 8").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("checkbox", { name: "model 5" }).focus();
    await page.keyboard.press("Space");
    expect(decodeURIComponent(page.url())).toContain("model+5");
    expect(complaints).toEqual([]);
  });

  it("shows the published table of 315 models in no time", async () => {
    const table = documentOf([{ source: "table", result: gapResult(315, false) }]);
    const began = performance.now();
    const { page, complaints } = await openReport(browser.context, table);
    await goToSection(page, "multilabel", ".windowed");
    expect(performance.now() - began).toBeLessThan(5000);
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(9000);
    expect((await rowTexts(page, "#multilabel .windowed", 0))[0]).toBe("model 0");
    expect(complaints).toEqual([]);
  });
});
