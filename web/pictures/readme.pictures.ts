// The README's pictures: parts of the report of the demo, as a reader sees them.
// tools/make-pictures runs this. REPORT names the file, and PICTURES the folder.
import { pathToFileURL } from "node:url";
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, it } from "vitest";
import { CHROMIUM, type Opened, open } from "../e2e/browser.ts";

const report = process.env["REPORT"] ?? "";
const folder = process.env["PICTURES"] ?? "";
if (CHROMIUM === undefined || report === "" || folder === "")
  throw new Error("tools/make-pictures runs this, and needs Chromium");

describe("pictures", () => {
  let browser: Opened;
  let page: Page;
  beforeAll(async () => {
    browser = await open({ viewport: { width: 1280, height: 800 }, deviceScaleFactor: 1 });
    page = browser.page;
    await page.emulateMedia({ colorScheme: "light" });
  });
  afterAll(() => browser.close());

  async function show(address: string, wanted: string): Promise<Locator> {
    await page.goto("about:blank");
    await page.goto(pathToFileURL(report).href + address);
    const found = page.locator(wanted).first();
    await found.waitFor();
    await found.evaluate((element) => {
      const top = element.getBoundingClientRect().top + window.scrollY;
      window.scrollTo(0, top - 60);
    });
    // Sections close to the window are drawn at this point, which moves those below.
    await page.waitForTimeout(1500);
    await found.evaluate((element) => {
      const top = element.getBoundingClientRect().top + window.scrollY;
      window.scrollTo(0, top - 60);
    });
    await page.waitForTimeout(500);
    return found;
  }

  async function take(name: string, height: number): Promise<void> {
    await page.screenshot({
      path: `${folder}/${name}.png`,
      clip: { x: 0, y: 0, width: 1280, height },
    });
  }

  it("overview", async () => {
    await show("#overview.dataset=v1", ".overview");
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.waitForTimeout(300);
    await take("report-overview", 640);
  });

  it("calibration", async () => {
    await show("#calibration.dataset=v1", "#calibration");
    await take("report-calibration", 560);
  });

  it("images", async () => {
    await show("#section=disagreement", "#disagreement .item-cards");
    await take("report-images", 640);
  });
});
