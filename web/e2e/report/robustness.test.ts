// The section on corruptions and attacks in headless Chromium.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentOf } from "../../mock/report/document.ts";
import { attacked, corrupted, hostileModel } from "../../mock/report/robustness.ts";
import { valueText } from "../../src/report/estimate.ts";
import { budgetText } from "../../src/report/sections/robustness/attacks.tsx";
import { axeFindings, CHROMIUM, type Opened, open, screenshot } from "../browser.ts";
import { openReport, settled } from "./open.ts";

const document = documentOf([corrupted, attacked]);

describe.skipIf(CHROMIUM === undefined)("the report's robustness", () => {
  let browser: Opened;
  beforeAll(async () => {
    browser = await open();
  });
  afterAll(() => browser.close());

  for (const [width, scheme] of [
    [1600, "light"],
    [390, "dark"],
  ] as const)
    it(`is whole at ${width} pixels, ${scheme}`, async () => {
      const { page, complaints } = await openReport(browser.context, document);
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.waitForSelector(".corruption-grid .mark");
      await settled(page);
      expect(await axeFindings(page)).toEqual([]);
      expect(await page.evaluate(() => window.document.documentElement.scrollWidth)).toBe(width);
      expect(await page.evaluate(() => "hurt" in window)).toBe(false);
      await screenshot(page, `report-robustness-${width}-${scheme}`);
      expect(complaints).toEqual([]);
      await page.close();
    });

  it("shows every version's accuracy as the result has it, and goes through them by keys", async () => {
    const { page } = await openReport(browser.context, document);
    const marks = page.locator(".corruption-grid .mark");
    await marks.first().waitFor();
    const texts = await page
      .locator(".corruption-grid g[role=list]")
      .first()
      .locator("text")
      .allTextContents();
    expect(texts).toEqual(
      corrupted.result.models[0]?.versions.map(({ accuracy }) => valueText(accuracy)),
    );
    await marks.first().focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.innerText(".corruption-grid .tip")).toContain("gaussian noise, severity 2");
    expect(await page.innerText(".corruption-grid .tip")).toContain("val_gaussian_noise_2");
    await page.close();
  });

  it("shows another model's grid when it is chosen, and says what is missing", async () => {
    const { page } = await openReport(browser.context, document);
    await page.waitForSelector(".corruption-grid");
    await page.locator(".robustness select").first().selectOption(hostileModel);
    expect(await page.innerText(".corruption-grid figcaption")).toContain("<img src=x");
    expect(await page.innerText(".robustness")).toContain("5 of the 75 versions are missing");
    await page.close();
  });

  it("lists attacks with their budgets and signs", async () => {
    const { page } = await openReport(browser.context, document);
    await page.waitForSelector(".signs");
    const table = await page.locator("section[aria-label=Attacks] tbody tr").allInnerTexts();
    expect(table).toHaveLength(12);
    expect(table[0]).toMatch(/resnet50\s+fgsm\s+1\/255\s+60\.0/);
    expect([1 / 255, 8 / 255, 0.5].map(budgetText)).toEqual(["1/255", "8/255", "0.5"]);
    await page.close();
  });
});
