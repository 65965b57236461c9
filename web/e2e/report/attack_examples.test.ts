// Adversarial images beside what they were, in headless Chromium.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { attackExamples, withPictures } from "../../mock/report/attack_examples.ts";
import { documentOf } from "../../mock/report/document.ts";
import { hostileModel } from "../../mock/report/robustness.ts";
import { CHROMIUM, type Opened, open } from "../browser.ts";
import { expectAddress, expectClean, goToSection } from "./looks.ts";
import { openReport } from "./open.ts";

const bare = documentOf([attackExamples]);
const cards = ".attack-example";

describe.skipIf(CHROMIUM === undefined)("adversarial images in the report", () => {
  let browser: Opened;
  beforeAll(async () => {
    browser = await open();
  });
  afterAll(() => browser.close());

  it("is whole on every look, and shows what the result says", async () => {
    const report = await openReport(browser.context, withPictures(bare));
    const { page } = report;
    await goToSection(page, "robustness", cards);
    const first = page.locator(cards).first();
    // The first attack fooled the model on nothing.
    const said = (await first.innerText()).replace(/\s+/g, " ");
    expect(said).toContain("before: tench 90.0 %");
    expect(said).toContain("after: cock 60.0 %");
    expect(said).toContain("difference × 128; grey: no change");
    expect(said).toContain("pgd at 1/255: no element of a pixel changes by more than 1/255");
    expect(said).toContain("length (l2) 1.25");
    expect(await page.innerText("#robustness .note")).toContain("8 of the 9,600 images");
    expect(await first.locator("img").count()).toBe(3);
    expect(await page.locator(cards).nth(1).locator(".no-image").count()).toBe(3);
    expect(await page.locator(cards).nth(2).innerText()).toMatch(/after: class 7\s*$/m);
    expect(await page.locator(cards).count()).toBe(6);
    await page.getByRole("button", { name: "2 more" }).press("Enter");
    expect(await page.locator(cards).count()).toBe(8);
    await expectClean(report, "robustness");
    await page.close();
  });

  it("holds an image while the attacks change, and keeps both in the address", async () => {
    const { page } = await openReport(browser.context, withPictures(bare));
    await goToSection(page, "robustness", cards);
    await page.getByLabel("Image").selectOption({ value: hostileModel });
    await page.getByLabel("Attack").selectOption("all");
    const shown = await page.locator(`${cards} > p:last-child`).allInnerTexts();
    expect(shown.map((text) => text.split(":")[0])).toEqual([
      "pgd at 1/255",
      "fgsm at 4/255",
      "pgd at 4/255",
    ]);
    await expectAddress(page, "robustness.examples1.attack=all");
    const again = await openReport(
      browser.context,
      withPictures(bare),
      page.url().slice(page.url().indexOf("#")),
    );
    await goToSection(again.page, "robustness", cards);
    expect(await again.page.locator(cards).count()).toBe(3);
    await again.page.close();
    await page.close();
  });

  it("says how pictures come into the page where there are none", async () => {
    const { page, complaints } = await openReport(
      browser.context,
      bare,
      "#robustness.examples1.attack=none+of+these",
    );
    await goToSection(page, "robustness", cards);
    expect(await page.innerText("#robustness .note")).toContain("--thumbnails 200");
    expect(await page.locator(`${cards} img`).count()).toBe(0);
    expect(complaints).toEqual([]);
    await page.close();
  });
});
