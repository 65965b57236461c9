// The section about the cost of models, in headless Chromium.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { costDocument } from "../../mock/report/cost.ts";
import { axeFindings, CHROMIUM, type Opened, open, screenshot } from "../browser.ts";
import { openReport, settled } from "./open.ts";

describe.skipIf(CHROMIUM === undefined)("the report's costs", () => {
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
          costDocument,
          "#section=cost",
        );
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: scheme });
        await page.waitForSelector(".cost .symbol");
        await settled(page);
        expect(await axeFindings(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        expect(await page.evaluate(() => "hurt" in window)).toBe(false);
        await screenshot(page, `report-cost-${width}-${scheme}`);
        expect(complaints).toEqual([]);
        await page.close();
      });

  it("are the document's numbers, in the table and in the plot", async () => {
    const { page, complaints } = await openReport(browser.context, costDocument, "#section=cost");
    await page.waitForSelector(".cost .mark");
    const says = await page
      .locator(".cost .mark")
      .evaluateAll((marks) => marks.map((mark) => mark.getAttribute("aria-label")));
    expect(says[0]).toMatch(/^resnet50, 76\.1 %, .*multiply-accumulates per image: 4\.09 G$/);
    const rows = page.locator(".cost tbody tr");
    const texts = (await rows.allInnerTexts()).map((text) => text.replace(/\s+/g, " "));
    expect(texts[0]).toContain("4.09 G 8.18 G");
    expect(texts[0]).toContain("21.4 (21.0 – 22.0)");
    expect(await page.innerText(".cost")).toContain("aten::made");
    // Models without a value are last in both sort directions.
    const heading = page.locator(".cost thead").getByRole("button", { name: "latency" });
    for (const order of ["resnet50", "vit-b"]) {
      await heading.press("Enter");
      expect(await rows.first().innerText()).toContain(order);
      expect(await rows.last().innerText()).toContain("<img");
    }
    expect(complaints).toEqual([]);
    await page.close();
  });
});
