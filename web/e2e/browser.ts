// Headless Chromium for the checks of pages, without access to the network. If it is missing, the
// checks are skipped with a message.

import { existsSync } from "node:fs";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from "playwright-core";

const CANDIDATES = [
  process.env["ASSAY_CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
export const CHROMIUM = CANDIDATES.find((path) => path !== undefined && existsSync(path));

const FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/// Waits until the page has fetched this number of images of a study, also images that it shows
/// later.
export async function fetched(page: Page, count: number): Promise<void> {
  const enough = (wanted: number) =>
    performance.getEntriesByType("resource").filter(({ name }) => name.includes("/api/image/"))
      .length >= wanted;
  await page.waitForFunction(enough, count);
}

export interface Opened {
  context: BrowserContext;
  page: Page;
  /// Faults of the page: errors, and requests refused by the content security policy.
  complaints: string[];
  close(): Promise<void>;
}

/// A separate browser with an empty profile.
export async function open(options: BrowserContextOptions = {}): Promise<Opened> {
  if (CHROMIUM === undefined) throw new Error("no Chromium: set ASSAY_CHROMIUM to its path");
  const profile = await mkdtemp(join(tmpdir(), "assay-chromium-"));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: FLAGS,
    viewport: { width: 1600, height: 900 },
    ...options,
  });
  const page = context.pages()[0] ?? (await context.newPage());
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("console", (message) => {
    // The checks of offline pages are about refused connections.
    const network = message.text().startsWith("Failed to load resource");
    if (message.type() === "error" && !network) complaints.push(message.text());
  });
  const close = async () => {
    await context.close();
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  };
  return { context, page, complaints, close };
}

/// Every finding of axe-core, serious or not, as "rule: element".
export async function axeFindings(page: Page): Promise<string[]> {
  const path = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  // Evaluated outside of the page, because the page's policy allows no script tag.
  await page.evaluate(await readFile(path, "utf8"));
  return page.evaluate(async () => {
    const axe = (window as unknown as { axe: { run: (options: object) => Promise<AxeResults> } })
      .axe;
    interface AxeResults {
      violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
    }
    const { violations } = await axe.run({ resultTypes: ["violations"] });
    return violations.flatMap((finding) =>
      finding.nodes.map(
        (node) => `${finding.id}: ${node.html.slice(0, 160)} ${node.failureSummary}`,
      ),
    );
  });
}

/// ASSAY_SCREENSHOTS names a folder for screenshots. Without it, none are made.
export async function screenshot(page: Page, name: string): Promise<void> {
  const folder = process.env["ASSAY_SCREENSHOTS"];
  if (!folder) return;
  await mkdir(folder, { recursive: true });
  await page.screenshot({
    path: join(folder, `${name}.png`),
    fullPage: name.startsWith("organiser-"),
  });
}
