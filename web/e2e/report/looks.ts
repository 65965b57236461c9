// A section as its readers see it. It is checked on a phone and a desktop, light and dark, without
// findings of axe-core and without parts wider than the page.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { axeFindings } from "../browser.ts";
import { type OpenReport, settled } from "./open.ts";

// Widths and colours are independent, so two looks test all values. ASSAY_ALL_LOOKS=1 tests all
// four combinations.
const looks = [
  { name: "desk-light", width: 1600, dark: false },
  { name: "phone-dark", width: 390, dark: true },
  ...(process.env["ASSAY_ALL_LOOKS"]
    ? [
        { name: "desk-dark", width: 1600, dark: true },
        { name: "phone-light", width: 390, dark: false },
      ]
    : []),
];

/** Chapters are drawn when they come close to the window. */
export async function goToSection(page: Page, id: string, drawn: string): Promise<void> {
  await page.locator(`#${id}`).scrollIntoViewIfNeeded();
  await page.locator(`#${id} ${drawn}`).first().waitFor();
}

export async function expectClean({ page, complaints }: OpenReport, id: string): Promise<void> {
  for (const { name, width, dark } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme: dark ? "dark" : "light" });
    await settled(page);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide, `${name}: width of the page`).toBeLessThanOrEqual(width);
    expect(await axeFindings(page), name).toEqual([]);
    const folder = process.env["ASSAY_SCREENSHOTS"];
    if (folder)
      await page.locator(`#${id}`).screenshot({ path: join(folder, `report-${id}-${name}.png`) });
  }
  expect(complaints).toEqual([]);
  expect(await page.title()).not.toBe("taken");
}

/** The cells of a table row, in the form that people read. */
export async function rowTexts(page: Page, table: string, row: number): Promise<string[]> {
  const cells = page.locator(`${table} tbody tr`).nth(row).locator("th, td");
  return (await cells.allInnerTexts()).map((text) => text.trim().replace(/\s+/g, " "));
}

/** The choices are in the address, which the browser updates with a short delay. */
export async function expectAddress(page: Page, part: string): Promise<void> {
  await expect.poll(() => decodeURIComponent(page.url())).toContain(part);
}
