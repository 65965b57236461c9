// A competition in headless Chromium: its contents, its keys, its links, and many classifiers.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentOf } from "../../mock/report/document.ts";
import { madNames, madResults, rankingOf } from "../../mock/report/mad.ts";
import { axeFindings, CHROMIUM, type Opened, open, screenshot } from "../browser.ts";
import { openReport, settled } from "./open.ts";

const document = documentOf(madResults());

describe.skipIf(CHROMIUM === undefined)("the report's competition", () => {
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
        await page.waitForSelector(".mad .cell");
        await settled(page);
        expect(await axeFindings(page)).toEqual([]);
        expect(await page.evaluate(() => window.document.documentElement.scrollWidth)).toBe(width);
        expect(await page.evaluate(() => "hurt" in window)).toBe(false);
        await screenshot(page, `report-mad-${width}-${scheme}`);
        expect(complaints).toEqual([]);
        await page.close();
      });

  it("shows the numbers of the results", async () => {
    const { page } = await openReport(browser.context, document);
    const text = await page.innerText(".mad");
    expect(text).toContain("✓ There are enough answers.");
    expect(text).toMatch(/expected Kendall, all images\s+0\.907/);
    expect(text).toMatch(/questions settled\s+940 of 952/);
    expect(text).toContain("6 are of case I");
    const rows = page.getByRole("region", { name: "Ranking" }).locator("tbody tr");
    expect(await rows.count()).toBe(5);
    expect(await rows.last().innerText()).toMatch(
      /narrow\s+5 1 – 3\s+0\.75 0\.25 – 1\.25\s+2 1 – 3\s+0\.200\s+0\.500\s+70\.0 67\.0 – 73\.0\s+120\s+61\.0/,
    );
    const pairs = page.getByRole("region", { name: "Pairs" }).locator("tbody tr");
    expect(await pairs.count()).toBe(10);
    expect(await pairs.first().innerText()).toMatch(/standard\s+narrow\s+30\s+1\s+20\s+3\s+6/);
    const cells = page.getByRole("list", { name: "Aggressiveness" }).getByRole("listitem");
    expect(await cells.count()).toBe(20);
    expect(await cells.nth(3).getAttribute("aria-label")).toBe(
      "standard beside narrow, correct on the pair's images: 0.580, 30 images",
    );
    expect(text).toContain("blocked");
    await page.close();
  });

  it("goes through cells by the arrow keys, and keeps what is chosen in the address", async () => {
    const { page, complaints } = await openReport(browser.context, document);
    await page.getByLabel("Matrix").selectOption("log_ratios");
    await page.getByLabel("Ranked by").selectOption("score");
    await page.getByRole("list", { name: "Log ratios" }).getByRole("listitem").first().focus();
    await page.keyboard.press("End");
    expect(await page.locator(".mad .tip").innerText()).toContain("narrow beside shape");
    const address = await page.evaluate(() => location.hash);
    const again = await openReport(browser.context, document, address);
    expect(await again.page.innerText(".mad")).toContain("Score, posterior");
    expect(await again.page.getByRole("list", { name: "Log ratios" }).count()).toBe(1);
    expect([...complaints, ...again.complaints]).toEqual([]);
    await again.page.close();
    await page.close();
  });

  it("shows the selected images of a pair by their case", async () => {
    const { page, complaints } = await openReport(browser.context, document);
    const cards = page.locator(".mad .item-card");
    await cards.first().waitFor();
    expect(await cards.allInnerTexts()).toEqual([
      expect.stringMatching(
        /1\. one\.png[\s\S]*✓ turtle\s+93\.0 %[\s\S]*✗ [\s\S]*79\.0 %[\s\S]*Case II, distance 3\.750/,
      ),
      expect.stringMatching(/2\. two\.png[\s\S]*cat\s+50\.0 %[\s\S]*open, distance 2/),
    ]);
    await page.getByLabel("Case").selectOption("II");
    expect(await cards.count()).toBe(1);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("bears 300 classifiers, and a competition without a ranking", async () => {
    const names = Array.from({ length: 300 }, (_, index) => `classifier ${index}`);
    const many = rankingOf([...madNames, ...names], false);
    const { page, complaints } = await openReport(
      browser.context,
      documentOf([{ source: "ranking.json", result: many }]),
    );
    await page.waitForSelector(".mad .cell");
    expect(await page.locator(".mad *").count()).toBeLessThan(4000);
    expect(await page.innerText(".mad")).toContain("✗ There are not enough answers yet.");
    await page.getByRole("button", { name: "265 more" }).click();
    expect(await page.innerText(".mad")).toContain("225 more");
    const begun = await openReport(browser.context, documentOf(madResults().slice(0, 2)));
    expect(await begun.page.innerText(".mad")).toContain("There is no ranking yet.");
    expect([...complaints, ...begun.complaints]).toEqual([]);
    await begun.page.close();
    await page.close();
  });
});
