// Classes and confusions of simulated scores in a browser.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { classesResult, confusedImages } from "../../mock/report/classes.ts";
import { documentOf } from "../../mock/report/document.ts";
import { intervalText, valueText } from "../../src/report/estimate.ts";
import { CHROMIUM, type Opened, open } from "../browser.ts";
import { expectAddress, expectClean, goToSection } from "./looks.ts";
import { openReport } from "./open.ts";

const result = classesResult(1000);
const document = documentOf([{ source: "made", result }], confusedImages());
const fewer = documentOf([{ source: "made", result: classesResult(120) }], confusedImages());
const cell = encodeURIComponent(JSON.stringify(["n00000005", "n00000006"]));

describe.skipIf(CHROMIUM === undefined)("classes", () => {
  let browser: Opened;
  beforeAll(async () => {
    browser = await open();
  });
  afterAll(() => browser?.close());

  it("shows classes at every size, light and dark, whatever they are called", async () => {
    const report = await openReport(browser.context, fewer, `#classes.cell=${cell}`);
    await goToSection(report.page, "classes", ".item-card");
    await expectClean(report, "classes");
  });

  it("shows the numbers of the JSON, the least accurate class first", async () => {
    const { page } = await openReport(browser.context, document);
    await goToSection(page, "classes", ".windowed");
    expect(await page.locator("#classes .windowed tbody tr").count()).toBeLessThan(60);
    const rows = [...(result.stores[0]?.per_class ?? [])];
    rows.sort((a, b) => (a.accuracy.value ?? 2) - (b.accuracy.value ?? 2));
    const least = rows[0];
    if (least === undefined) throw new Error("no class");
    const shown = await page.locator("#classes .windowed tbody tr").first().innerText();
    expect(shown).toContain(least.id);
    expect(shown).toContain(valueText(least.accuracy));
    expect(shown).toContain(`(${intervalText(least.accuracy)})`);
    await page.getByRole("searchbox").first().fill("class 77");
    await page.getByText("19 of 1,000").waitFor();
    await expectAddress(page, "classes.filter=class+77");
  });

  it("leads from a confusion to its images with the keyboard alone", async () => {
    const { page, complaints } = await openReport(browser.context, document);
    await goToSection(page, "classes", ".heat-map .cell");
    await page.locator("#classes .heat-map .mark[tabindex='0']").focus();
    expect(await page.locator("#classes .heat-map .tip").innerText()).toContain("17 items");
    await page.keyboard.press("Enter");
    await page.locator("#classes .item-card").first().waitFor();
    expect(await page.locator("#classes .item-card").count()).toBe(3);
    expect(await page.locator("#classes .item-card").first().innerText()).toContain("62.0 %");
    expect(await page.locator("#classes .item-card img").count()).toBe(1);
    await page.locator("#classes .confusion-list button").nth(5).focus();
    await page.keyboard.press("Enter");
    await page.getByText("The report contains none of these").waitFor();
    expect(complaints).toEqual([]);
  });
});
