// Pairs of models, and models compared with people, in a browser.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { comparisonsResult, peopleResult } from "../../mock/report/disagreement.ts";
import { documentOf } from "../../mock/report/document.ts";
import { intervalText, signedText, valueText } from "../../src/report/estimate.ts";
import { CHROMIUM, type Opened, open } from "../browser.ts";
import { expectAddress, expectClean, goToSection } from "./looks.ts";
import { openReport } from "./open.ts";

const result = comparisonsResult();
const people = peopleResult();
const document = documentOf([
  { source: "made", result },
  { source: "people", result: people },
]);

describe.skipIf(CHROMIUM === undefined)("disagreement", () => {
  let browser: Opened;
  beforeAll(async () => {
    browser = await open();
  });
  afterAll(() => browser?.close());

  it("shows a pair at every size, light and dark, whatever its images are called", async () => {
    const report = await openReport(browser.context, document);
    await goToSection(report.page, "disagreement", ".item-card");
    await expectClean(report, "disagreement");
    // A name of 5,000 characters. The page is still as narrow as a phone.
    await report.page.locator("#disagreement select").first().selectOption({ index: 1 });
    const wide = await report.page.evaluate(() => window.document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
  });

  it("shows the numbers of the JSON", async () => {
    const { page } = await openReport(browser.context, document);
    await goToSection(page, "disagreement", ".item-card");
    const pair = result.pairs[0];
    const top1 = pair?.metrics[0];
    if (pair === undefined || top1 === undefined) throw new Error("no pair");
    const squares = await page.locator("#disagreement .squares").first().textContent();
    for (const count of ["301", "63", "37", "99"]) expect(squares).toContain(count);
    const facts = await page.locator("#disagreement .facts").first().innerText();
    expect(facts).toContain("377 of 500 items");
    expect(facts).toContain(valueText(pair.predictions.error_consistency));
    expect(facts).toContain(intervalText(pair.predictions.error_consistency));
    await page.getByText("All numbers of the metrics").click();
    const row = await page.locator("#disagreement details tbody tr").first().innerText();
    expect(row).toContain(signedText(top1.difference));
    expect(row).toContain(intervalText(top1.difference));
    expect(row).toContain("worse");
    const note = await page.getByText("The vertical line is the mean").innerText();
    expect(note).toContain(valueText(people.between_people));
  });

  it("names the labels where the report holds the image", async () => {
    const pair = result.pairs[0];
    const id = pair?.disagreements[0]?.id;
    if (pair === undefined || id === undefined) throw new Error("no pair");
    const labels = [{ class: 7, id: "n01883070", name: "wombat" }];
    const items = [{ dataset: pair.dataset, id, item: 0, labels, models: [] }];
    const { page } = await openReport(
      browser.context,
      documentOf([{ source: "made", result }], { items }),
    );
    await goToSection(page, "disagreement", ".item-card");
    const cards = page.locator("#disagreement .item-card");
    expect(await cards.nth(0).innerText()).toContain("Label: wombat");
    expect(await cards.nth(1).innerText()).toContain("Label: cat");
    await page.close();
  });

  it("shows the images of one kind, and the address says which", async () => {
    const { page, complaints } = await openReport(browser.context, document);
    await goToSection(page, "disagreement", ".item-card");
    await page.getByLabel("Show", { exact: true }).focus();
    await page.getByLabel("Show", { exact: true }).selectOption("second");
    await expectAddress(page, "disagreement.show=second");
    const wanted = result.pairs[0]?.disagreements.filter((item) => item.candidate_correct) ?? [];
    expect(await page.locator("#disagreement .item-card").count()).toBe(wanted.length);
    await page.locator("#disagreement .squares .mark[tabindex='0']").first().focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.locator("#disagreement .tip").innerText()).toContain("63 items");
    expect(complaints).toEqual([]);
  });
});
