// Slices of generated results in a browser.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { slicesDocument } from "../../mock/report/slices.ts";
import { CHROMIUM, type Opened, open } from "../browser.ts";
import { expectClean, goToSection, rowTexts } from "./looks.ts";
import { openReport } from "./open.ts";

describe.skipIf(CHROMIUM === undefined)("slices", () => {
  let browser: Opened;
  beforeAll(async () => {
    browser = await open();
  });
  afterAll(() => browser?.close());

  it("are whole at every size, light and dark, whatever they are called", async () => {
    const report = await openReport(browser.context, slicesDocument);
    await goToSection(report.page, "slices", ".item-card");
    await expectClean(report, "slices");
  });

  it("begin with the model that has some, the smallest p first", async () => {
    const { page, complaints } = await openReport(browser.context, slicesDocument);
    await goToSection(page, "slices", "tbody tr");
    expect(await page.locator("#slices .headline").innerText()).toContain("resnet50 is less");
    const first = await rowTexts(page, "#slices", 0);
    expect(first[0]).toBe("camera c and brightness 0.02 to 0.19");
    expect(first[1]).toBe("55.0 (47.5 – 62.5)");
    expect(await page.locator("#slices .item-card").count()).toBe(3);
    expect(await page.locator("#slices .item-card img").count()).toBe(1);
    expect(await page.locator("#slices .item-card").first().innerText()).toContain("97.0 %");
    await page.locator("#slices").getByLabel("Data set").selectOption("scans");
    await page.getByText("net is less accurate on 1 slice of scans").waitFor();
    expect((await rowTexts(page, "#slices", 0)).at(-1)).toBe("41");
    await page.locator("#slices").getByLabel("Model").selectOption("small");
    await page.getByText("No slice of scans is large enough").waitFor();
    expect(await page.locator("#slices table").count()).toBe(0);
    expect(complaints).toEqual([]);
  });
});
