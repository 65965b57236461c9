// The section about the images, in headless Chromium.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { dataDocument } from "../../mock/report/data.ts";
import { axeFindings, CHROMIUM, type Opened, open, screenshot } from "../browser.ts";
import { openReport, settled } from "./open.ts";

describe.skipIf(CHROMIUM === undefined)("the report's data", () => {
  let browser: Opened;
  beforeAll(async () => {
    browser = await open();
  });
  afterAll(() => browser.close());

  for (const width of [1600, 390])
    for (const scheme of ["light", "dark"] as const)
      it(`are whole at ${width} pixels, ${scheme}`, async () => {
        const { page, complaints } = await openReport(
          browser.context,
          dataDocument,
          "#section=data",
        );
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: scheme });
        await page.waitForSelector(".inspected .findings");
        await settled(page);
        expect(await axeFindings(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        expect(await page.evaluate(() => "hurt" in window)).toBe(false);
        expect(await page.locator(".inspected .findings > li").count()).toBe(5);
        await screenshot(page, `report-data-${width}-${scheme}`);
        expect(complaints).toEqual([]);
        await page.close();
      });
});
