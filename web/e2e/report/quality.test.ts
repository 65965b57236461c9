// The quality dimensions in headless Chromium: the numbers of the results, keys, weights and names.
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentOf } from "../../mock/report/document.ts";
import {
  madeCorrelations,
  madeScore,
  madeTable,
  ownScore,
  ownTable,
  publishedTable,
  qualityResults,
} from "../../mock/report/quality.ts";
import { numberText } from "../../src/report/estimate.ts";
import { rhoText } from "../../src/report/sections/quality/correlations.tsx";
import { axeFindings, CHROMIUM, type Opened, open, screenshot } from "../browser.ts";
import { openReport } from "./open.ts";

const document = documentOf(qualityResults);

const overflow = (page: Page) =>
  page.evaluate(() => window.document.documentElement.scrollWidth - window.innerWidth);

describe.skipIf(CHROMIUM === undefined)("the quality dimensions", () => {
  let opened: Opened;
  beforeAll(async () => {
    opened = await open();
  });
  afterAll(async () => opened.close());

  it.each([
    [1600, "light"],
    [390, "dark"],
  ] as const)("are whole at %s px, %s", async (width, colorScheme) => {
    const { page, complaints } = await openReport(opened.context, document);
    await page.setViewportSize({ width, height: 1000 });
    await page.emulateMedia({ colorScheme });
    await page.waitForSelector(".quality-cell");
    expect(await overflow(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.locator("#quality img").count()).toBe(0);
    expect(await page.evaluate(() => "hurt" in window)).toBe(false);
    await page.emulateMedia({ media: "print" });
    await page.setViewportSize({ width: 900, height: 1000 });
    expect(await overflow(page)).toBe(0);
    await page.emulateMedia({ media: "screen" });
    await page.setViewportSize({ width, height: 1000 });
    await screenshot(page, `report-quality-${width}-${colorScheme}`);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("show the numbers of the results", async () => {
    const { page } = await openReport(opened.context, document);
    await page.waitForSelector(".quality-cell");
    const cells = await page
      .locator(".quality-dimensions tbody tr")
      .first()
      .locator("td")
      .allTextContents();
    const accuracy = ownTable.models[0]?.dimensions["accuracy"];
    const { low = 0, high = 0 } = accuracy?.interval ?? {};
    const half = (high - low) / 2;
    expect(cells[0]).toContain(numberText(accuracy?.value ?? 0, half, "proportion"));
    expect(cells[0]).toContain(
      `${numberText(low, half, "proportion")} – ${numberText(high, half, "proportion")}`,
    );
    const ranked = await page.locator(".quality-ranks tbody tr").allTextContents();
    ownScore.models.forEach(({ rank, score }, m) => {
      expect(ranked[m]).toContain(String(rank.value));
      expect(ranked[m]).toContain(numberText(score.value ?? 0, 0.1));
    });
    const shown = await page.locator(".quality-cell text").allTextContents();
    expect(shown).toEqual(madeCorrelations.pairs.map(({ rho }) => rhoText(rho.value)));
    const crossed = madeCorrelations.pairs.filter(({ p_adjusted: p }) => p !== null && p >= 0.05);
    expect(await page.locator(".quality-cross").count()).toBe(crossed.length);
    await page.close();
  });

  it("are scored by other weights, with intervals, and the address keeps them", async () => {
    const { page, complaints } = await openReport(opened.context, document);
    const slider = page.getByRole("slider", { name: "parameters (millions)" });
    await slider.focus();
    await page.keyboard.press("Home");
    await page.getByRole("columnheader", { name: "change", exact: true }).waitFor();
    await page.waitForFunction(() =>
      [...window.document.querySelectorAll(".quality-ranks tbody td:nth-child(2) small")].every(
        (one) => one.textContent !== "",
      ),
    );
    expect(await page.evaluate(() => location.hash)).toContain("quality.weights=");
    const before = await page.locator(".quality-ranks tbody").textContent();
    await page.reload();
    await page.waitForFunction(
      (text) => window.document.querySelector(".quality-ranks tbody")?.textContent === text,
      before,
    );
    await page.getByRole("button", { name: "balanced" }).click();
    expect(await page.evaluate(() => location.hash)).not.toContain("quality.weights=");
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("are read and chosen by keys alone", async () => {
    const { page } = await openReport(opened.context, document);
    const chosen = page.locator(".quality-picker li");
    await chosen.first().waitFor();
    const start = await chosen.count();
    await page.locator(".quality-cloud").focus();
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowLeft");
    expect(await page.locator(".tip").textContent()).toContain("published");
    await page.keyboard.press("Enter");
    expect(await chosen.count()).toBe(start + 1);
    await page.keyboard.press("Escape");
    expect(await page.locator(".tip").count()).toBe(0);
    await page.locator(".quality-point").first().locator("..").focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator(".tip").textContent()).toContain("vit-b");
    await page.getByLabel("name contains").fill("vit");
    await page.getByText("1 of 332 models").waitFor();
    await page.close();
  });

  it("bear 2,000 models", async () => {
    const many = madeTable(
      Array.from({ length: 2000 }, (_, m) => `model ${m}`),
      true,
    );
    const { page, complaints } = await openReport(
      opened.context,
      documentOf([
        { source: "many.json", result: many },
        { source: "published", result: publishedTable },
        { source: "score.json", result: madeScore(many) },
      ]),
    );
    await page.waitForSelector(".quality-ranks");
    const nodes = await page.evaluate(() => window.document.querySelectorAll("*").length);
    expect(nodes).toBeLessThan(9000);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
