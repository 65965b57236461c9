// A replication in headless Chromium: its contents, its keys, its links, and 2,000 models.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentOf } from "../../mock/report/document.ts";
import { adjustOf, replicationResults } from "../../mock/report/replication.ts";
import { axeFindings, CHROMIUM, type Opened, open, screenshot } from "../browser.ts";
import { openReport, settled } from "./open.ts";

const document = documentOf(replicationResults());

describe.skipIf(CHROMIUM === undefined)("the report's replication", () => {
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
        await page.waitForSelector(".replication .verdict");
        await settled(page);
        expect(await axeFindings(page)).toEqual([]);
        expect(await page.evaluate(() => window.document.documentElement.scrollWidth)).toBe(width);
        expect(await page.evaluate(() => "hurt" in window)).toBe(false);
        await screenshot(page, `report-replication-${width}-${scheme}`);
        expect(complaints).toEqual([]);
        await page.close();
      });

  it("shows the numbers of the results", async () => {
    const { page } = await openReport(browser.context, document);
    const table = page.getByRole("region", { name: "Methods" });
    expect(await table.innerText()).toMatch(
      /as measured\s+55\.0 \(52\.0 – 58\.0\)\s+\+8\.0 \(5\.0 – 11\.0\)\s+0\.940 \(0\.860 – 1\.020\)/,
    );
    expect(await table.innerText()).toMatch(
      /pl \(quoted\)\s+59\.0 \(56\.0 – 62\.0\)\s+\+4\.0 \(3\.0 – 5\.0\)\s+\+4\.0 \(1\.0 – 7\.0\)/,
    );
    const rows = page.locator(".replication .data-table tbody tr");
    expect(await rows.count()).toBe(6);
    expect(await rows.filter({ hasText: "few" }).innerText()).toMatch(
      /48\.0 45\.0 – 51\.0\s+40\.0 37\.0 – 43\.0\s+44\.0 41\.0 – 47\.0\s+43\.0 40\.0 – 46\.0/,
    );
    const scatter = page.getByRole("list", { name: "Models", exact: true });
    expect(await scatter.getByRole("listitem").count()).toBe(2 * 6 - 1);
    expect(await scatter.getByRole("listitem").nth(1).getAttribute("aria-label")).toBe(
      "few, adjusted, original: 48.0 %, 95 %: 45.0 – 51.0, replication: 44.0 %, 95 %: 41.0 – 47.0",
    );
    expect(await page.innerText(".replication")).toContain("too few readings");
    const sets = page.getByRole("region", { name: "Sets by selection frequency" });
    expect(await sets.innerText()).toMatch(
      /first\.csv\s+1,600\s+79\.0 \(77\.0 – 81\.0\)\s+105\s+87\s+140\s+268\s+1,000/,
    );
    const plan = page.getByRole("region", { name: "Plan of a study 1" });
    expect(await plan.innerText()).toMatch(
      /5\s+20,000 \(8,000 – 60,000\)\s+too few readings\s+10,000/,
    );
    await page.close();
  });

  it("goes through models by the arrow keys, and keeps what is chosen in the address", async () => {
    const { page, complaints } = await openReport(browser.context, document);
    const marks = page.getByRole("list", { name: "Models", exact: true }).getByRole("listitem");
    await marks.first().focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.getByRole("status").first().innerText()).toContain("few, adjusted");
    await page.getByLabel("Method", { exact: true }).selectOption("naive");
    await page.getByLabel("Quantity").selectOption("remaining");
    const address = await page.evaluate(() => location.hash);
    const again = await openReport(browser.context, document, address);
    expect(await again.page.innerText(".replication")).toContain("naive has no densities to draw");
    expect(await again.page.innerText(".replication")).toContain("Remaining gap, mean");
    expect([...complaints, ...again.complaints]).toEqual([]);
    await again.page.close();
    await page.close();
  });

  it("bears 2,000 models, and an adjustment alone", async () => {
    const names = Array.from({ length: 2000 }, (_, index) => `model ${index}`);
    const { page, complaints } = await openReport(
      browser.context,
      documentOf([{ source: "adjust.json", result: adjustOf(names) }]),
    );
    await page.waitForSelector(".replication .cloud");
    expect(await page.locator(".replication *").count()).toBeLessThan(3000);
    expect(await page.innerText(".replication")).toContain("Adjusted accuracy, mean");
    expect(complaints).toEqual([]);
    await page.close();
  });
});
