// Runs of a model over time in headless Chromium.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { overTimeDocument } from "../../mock/report/over_time.ts";
import { axeFindings, CHROMIUM, type Opened, open, screenshot } from "../browser.ts";
import { openReport, settled } from "./open.ts";

describe.skipIf(CHROMIUM === undefined)("the report's runs over time", () => {
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
          overTimeDocument,
          "#section=over_time",
        );
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme: scheme });
        await page.waitForSelector(".over-time .curve");
        await settled(page);
        expect(await axeFindings(page)).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
        expect(await page.evaluate(() => "hurt" in window)).toBe(false);
        await screenshot(page, `report-over-time-${width}-${scheme}`);
        expect(complaints).toEqual([]);
        await page.close();
      });

  it("show the document's numbers, bounds and comparisons", async () => {
    const { page } = await openReport(browser.context, overTimeDocument, "#section=over_time");
    await page.waitForSelector(".over-time .mark");
    const says = await page
      .locator(".over-time .mark")
      .evaluateAll((marks) => marks.map((mark) => mark.getAttribute("aria-label") ?? ""));
    const net = says.filter((text) => text.startsWith("net-"));
    expect(net).toHaveLength(4);
    expect(net[0]).toMatch(/^net-2024-01-15, 2024-01-15, 70\.2 %, 95 %: 69\.0 – 71\.4, n = 5,000/);
    expect(net[2]).toContain("breaks top1 >= 0.7");
    expect(await page.locator(".over-time .bound text").textContent()).toBe("top1 >= 0.7");
    expect(await page.locator(".over-time .broken").count()).toBe(1);
    const row = page.getByRole("region", { name: "Differences between runs" }).locator("tbody tr");
    expect(await row.innerText()).toMatch(
      /2024-04-02 → 2024-04-30\s+net\s+\+4\.70\s+3\.80 – 5\.60/,
    );
    await page.close();
  });

  it("are gone through by the arrow keys", async () => {
    const { page, complaints } = await openReport(
      browser.context,
      overTimeDocument,
      "#section=over_time",
    );
    await page.waitForSelector(".over-time .mark");
    await page.locator(".over-time .mark").first().focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator(".over-time .tip strong").textContent()).toBe("net-2024-02-01");
    expect(complaints).toEqual([]);
    await page.close();
  });
});
