// Reliability diagrams of simulated scores in a browser.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { calibrationModels, calibrationResult } from "../../mock/report/calibration.ts";
import { documentOf } from "../../mock/report/document.ts";
import { intervalText, valueText } from "../../src/report/estimate.ts";
import { CHROMIUM, type Opened, open } from "../browser.ts";
import { expectAddress, expectClean, goToSection, rowTexts } from "./looks.ts";
import { openReport } from "./open.ts";

const result = calibrationResult();
const document = documentOf([{ source: "made", result }]);

describe.skipIf(CHROMIUM === undefined)("calibration", () => {
  let browser: Opened;
  beforeAll(async () => {
    browser = await open();
  });
  afterAll(() => browser?.close());

  it("shows diagrams at every size, light and dark, whatever the models are called", async () => {
    const all = encodeURIComponent(JSON.stringify(calibrationModels));
    const report = await openReport(browser.context, document, `#calibration.models=${all}`);
    await goToSection(report.page, "calibration", ".chart");
    expect(await report.page.locator("#calibration .small-multiples .chart").count()).toBe(7);
    await expectClean(report, "calibration");
  });

  it("shows the numbers of the JSON, the calibrated null beside them", async () => {
    const { page } = await openReport(browser.context, document);
    await goToSection(page, "calibration", ".calibration-errors");
    const ece = result.measurements.find(({ metric }) => metric === "ece");
    if (ece === undefined) throw new Error("no ece");
    const cells = await rowTexts(page, "#calibration .calibration-errors > section", 0);
    expect(cells).toContain(valueText(ece));
    expect(cells).toContain(intervalText(ece));
    expect(cells).toContain("0.024");
    const first = page.locator("#calibration .small-multiples .chart").first();
    await first.getByRole("button", { name: "as a table" }).click();
    const bin = result.stores[0]?.reliability?.[3];
    const row = await rowTexts(page, "#calibration .small-multiples figure", 3);
    expect(row).toContain(String(bin?.accuracy.n));
    expect(row).toContain(bin && valueText(bin.accuracy));
  });

  it("is used with the keyboard alone, and the address says what was chosen", async () => {
    const { page, complaints } = await openReport(browser.context, document);
    await goToSection(page, "calibration", ".chart");
    await page.getByRole("button", { name: "Show only this one" }).nth(1).focus();
    await page.keyboard.press("Enter");
    await page.locator("#calibration .one-large .chart").waitFor();
    await expectAddress(page, '["bold"]');
    await page.locator("#calibration .one-large .mark[tabindex='0']").focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("#calibration .one-large .tip").innerText()).toContain(
      "confidence 10",
    );
    await page.locator("#calibration select").first().selectOption("shifted");
    await expectAddress(page, "calibration.dataset=shifted");
    expect(complaints).toEqual([]);
  });
});
