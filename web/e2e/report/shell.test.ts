// The page around the sections: links to them, the address, printing, and incomplete documents.
import { writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { documentOf } from "../../mock/report/document.ts";
import { manyModels } from "../../mock/report/many.ts";
import { overTimeDocument } from "../../mock/report/over_time.ts";
import type { ReportDocument } from "../../src/report/document.ts";
import { CHROMIUM, type Opened, open } from "../browser.ts";
import { openReport, settled } from "./open.ts";

const hash = "xxh128:00112233445566778899aabbccddeeff";
const whole: ReportDocument = {
  ...overTimeDocument,
  warnings: ["One thing.", "Another thing."],
  left_out: ["A third thing."],
  provenance: {
    command: "assay report runs",
    stores: [
      {
        store: "runs/val/net",
        model: "net",
        dataset: "val",
        model_hash: hash,
        dataset_id: hash,
        rows: 5000,
        missing: 0,
        classes: 10,
        kind: "logits",
        storage: "full",
        command: "assay predict net.onnx",
      },
    ],
    files: [{ file: "quality.csv", hash, schema: "csv" }],
  },
};

describe.skipIf(CHROMIUM === undefined)("the report's page", () => {
  let browser: Opened;
  beforeAll(async () => {
    browser = await open();
  });
  afterAll(() => browser.close());

  it("has landmarks, headings in order, and what was said one press away", async () => {
    const { page } = await openReport(browser.context, whole);
    const found = await page.evaluate(() => ({
      main: window.document.querySelectorAll("main").length,
      nav: window.document.querySelector("nav")?.getAttribute("aria-label"),
      levels: [...window.document.querySelectorAll("h1, h2, h3")].map(({ tagName }) => tagName),
    }));
    expect(found.main).toBe(1);
    expect(found.nav).toBe("Sections");
    expect(found.levels[0]).toBe("H1");
    expect(found.levels[1]).toBe("H2");
    expect(found.levels.filter((level) => level === "H1")).toHaveLength(1);
    await page.getByText("Warnings (2)").click();
    expect(await page.getByText("Another thing.").isVisible()).toBe(true);
    expect(await page.getByText("Not in this report (1)").isVisible()).toBe(true);
    await page.close();
  });

  it("is gone through by the keyboard, and its links open where they say", async () => {
    const { page, complaints } = await openReport(browser.context, whole);
    await page.keyboard.press("Tab");
    expect(await page.evaluate(() => window.document.activeElement?.className)).toContain("skip");
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => window.document.activeElement?.id)).toBe("overview-title");
    await page.getByRole("button", { name: "Provenance" }).focus();
    await page.keyboard.press("Enter");
    expect(await page.evaluate(() => window.document.activeElement?.id)).toBe("provenance-title");
    const address = await page.evaluate(() => location.hash);
    expect(address).toBe("#section=provenance");
    const again = await openReport(browser.context, whole, address);
    await again.page.waitForFunction(
      () => (document.getElementById("provenance-title")?.getBoundingClientRect().top ?? 900) < 900,
    );
    await settled(again.page);
    const title = again.page.locator("#provenance-title");
    expect(await title.evaluate((heading) => heading.getBoundingClientRect().top)).toBeLessThan(
      900,
    );
    expect(await again.page.locator("nav [aria-current]").innerText()).toBe("Provenance");
    expect([...complaints, ...again.complaints]).toEqual([]);
    await again.page.close();
    await page.close();
  });

  it("says in the address which section is read", async () => {
    const { page } = await openReport(browser.context, whole);
    await page.setViewportSize({ width: 1200, height: 500 });
    await settled(page);
    await page.mouse.move(10, 300);
    await page.locator("#over_time-title").evaluate((heading) => heading.scrollIntoView());
    await page.waitForFunction(() => location.hash.includes("section=over_time"));
    await page.evaluate(() => window.scrollTo(0, 0));
    await page.waitForFunction(() => !location.hash.includes("section="));
    await page.close();
  });

  it("draws what is far below when it comes near, and all of it for print", async () => {
    const { page, complaints } = await openReport(browser.context, manyModels(60, 3));
    await page.setViewportSize({ width: 1200, height: 200 });
    await page.waitForSelector(".overview .cell");
    const rows = page.locator(".overview .windowed tbody tr[aria-rowindex]");
    const before = await rows.count();
    expect(before).toBeLessThan(60);
    const pdf = await page.pdf({ format: "A4", printBackground: true });
    const folder = process.env["ASSAY_SCREENSHOTS"];
    if (folder) writeFileSync(`${folder}/report-print.pdf`, pdf);
    // Prints twice, because the state after the first print must equal that before.
    expect(await rows.count()).toBe(before);
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    expect(await rows.count()).toBe(60);
    expect(await page.locator(".not-yet").count()).toBe(0);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("nav, select, .no-print").count()).toBeGreaterThan(3);
    for (const control of await page.locator("nav, select, .no-print").all())
      expect(await control.isVisible()).toBe(false);
    await page.emulateMedia({ media: "screen" });
    await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
    expect(await rows.count()).toBe(before);
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("copies the whole of a hash of which it shows the beginning", async () => {
    const { page } = await openReport(browser.context, whole, "#section=provenance");
    await page.evaluate(() => {
      const kept = window as unknown as { copied: string };
      Object.defineProperty(navigator, "clipboard", {
        value: {
          writeText: async (text: string) => {
            kept.copied = text;
          },
        },
      });
    });
    const button = page.locator(".provenance .hash").first();
    expect(await button.innerText()).toBe("0011223344");
    await button.click();
    expect(await page.evaluate(() => (window as unknown as { copied: string }).copied)).toBe(hash);
    expect(await page.innerText(".provenance")).toContain("copied");
    await page.close();
  });

  it("bears documents of another form", async () => {
    const names = Object.keys(documentOf([])).filter((name) => name !== "schema");
    const schemas = ["scores", "comparisons", "cost", "gap", "mad_ranking", "quality_score"];
    const damaged = [
      { schema: "assay.report/1" },
      { schema: "assay.report/1", ...Object.fromEntries(names.map((name) => [name, 7])) },
      documentOf(
        schemas.map((name) => ({
          source: "x",
          result: { schema: `assay.${name}/2`, measurements: "x", pairs: {}, models: 3 } as never,
        })),
      ),
    ];
    for (const document of damaged) {
      const { page } = await openReport(browser.context, document as ReportDocument);
      await page.waitForSelector("#provenance");
      expect(await page.locator("h1").count()).toBe(1);
      await page.close();
    }
  });
});
