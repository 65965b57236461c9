// A report in headless Chromium, from the disk as its readers open it.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BrowserContext, Page } from "playwright-core";
import { pageOf } from "../../mock/report/page.ts";
import type { ReportDocument } from "../../src/report/document.ts";

export interface OpenReport {
  page: Page;
  /** Console messages, uncaught errors and requests beyond the file. It must stay empty. */
  complaints: string[];
  file: string;
}

export async function openReport(
  context: BrowserContext,
  document: ReportDocument,
  address = "",
): Promise<OpenReport> {
  const folder = mkdtempSync(join(tmpdir(), "assay-report-"));
  context.once("close", () => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "report.html");
  writeFileSync(file, pageOf(document));
  const url = pathToFileURL(file).href;
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith("data:"))
      complaints.push(`asked for ${request.url()}`);
  });
  await page.goto(url + address);
  await page.waitForSelector("main");
  return { page, complaints, file };
}

/** Waits until the page is stable: two frames have passed, and no transition or animation runs. */
export async function settled(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (;;) {
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const running = document
        .getAnimations()
        .filter(
          (one) => one.playState === "running" && one.effect?.getTiming().iterations !== Infinity,
        );
      if (running.length === 0) return;
      await Promise.allSettled(running.map((one) => one.finished));
    }
  });
}
