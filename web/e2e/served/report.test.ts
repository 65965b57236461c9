// The report that the program writes and serves, in headless Chromium. Its numbers are those that
// `assay score` prints, and a served report is updated while models run.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { valueText } from "../../src/report/estimate.ts";
import type { ScoresResult } from "../../src/report/schemas/described.ts";
import { axeFindings, CHROMIUM, type Opened, open, screenshot } from "../browser.ts";
import { ASSAY, assay } from "./study.ts";

const classes = ["cat", "dog", "<b>ship</b>"];
const items = 90;

/** A folder of predictions, to which models are added. */
class Runs {
  readonly folder = mkdtempSync(join(tmpdir(), "assay-report-"));
  readonly runs = join(this.folder, "runs");

  write(name: string, rows: (string | number)[][]): string {
    const path = join(this.folder, name);
    writeFileSync(path, rows.map((row) => `${row.join(",")}\n`).join(""));
    return path;
  }

  /** A model that is incorrect on every item whose number is a multiple of `wrong`. */
  add(model: string, wrong: number): void {
    const ids = Array.from({ length: items }, (_, i) => i);
    const list = this.write("items.csv", [
      ["id", "label"],
      ...ids.map((i) => [`i${i}.png`, i % 3]),
    ]);
    const names = this.write(
      "classes.txt",
      classes.map((name) => [name]),
    );
    const scores = this.write("scores.csv", [
      ["id", ...classes],
      ...ids.map((i) => {
        const predicted = i % wrong === 0 ? (i + 1) % 3 : i % 3;
        const sure = 0.5 + 0.004 * i;
        return [`i${i}.png`, ...classes.map((_, c) => (c === predicted ? sure : (1 - sure) / 2))];
      }),
    ]);
    assay(
      ...["import", scores, "--items", list, "--classes", names, "--dataset-name", "val"],
      ...["--name", model, "--out", this.runs, "--quiet"],
    );
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** The errors and the requests of a page without a network. */
function complaintsOf(page: Page, address: string): string[] {
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(address) && !url.startsWith("data:")) complaints.push(url);
  });
  return complaints;
}

describe.skipIf(CHROMIUM === undefined)("a real report", () => {
  const runs = new Runs();
  let browser: Opened;
  let server: ChildProcess | undefined;
  beforeAll(async () => {
    runs.add("often", 9);
    runs.add("seldom", 3);
    browser = await open();
  });
  afterAll(async () => {
    server?.kill("SIGTERM");
    await browser.close();
    runs.remove();
  });

  it("shows what assay score prints, without network", async () => {
    const file = join(runs.folder, "report.html");
    assay("report", runs.runs, "--out", file);
    const scores = JSON.parse(assay("score", runs.runs, "--json")) as ScoresResult;
    const page = await browser.context.newPage();
    const address = pathToFileURL(file).href;
    const complaints = complaintsOf(page, address);
    await page.goto(address);
    await page.waitForSelector(".overview .cell");
    const heads = await page.locator(".overview .data-table thead th").allInnerTexts();
    for (const row of await page.locator(".overview .data-table tbody tr").all()) {
      const model = await row.locator("th").innerText();
      const cells = await row.locator("td").all();
      const of = scores.measurements.filter((entry) => entry.model === model);
      expect(of.length).toBe(cells.length);
      for (const [index, cell] of cells.entries()) {
        const title = (await cell.locator(".cell").getAttribute("title"))?.split("\n") ?? [];
        const measured = of.filter(({ definition }) => title.includes(definition));
        expect(measured, heads[index + 1]).not.toEqual([]);
        const texts = measured.map(valueText);
        expect(texts).toContain(await cell.locator(".value").innerText());
      }
    }
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await page.waitForSelector(".provenance table");
    expect(await page.innerText("main")).toContain("<b>ship</b>");
    expect(await axeFindings(page)).toEqual([]);
    await screenshot(page, "report-real");
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("follows while models are run", async () => {
    const child = spawn(ASSAY, ["serve", runs.runs, "--port", "0", "--format", "json"]);
    server = child;
    const link = await new Promise<string>((done, failed) => {
      let said = "";
      child.once("exit", (code) => failed(new Error(`assay serve ended with ${code}`)));
      child.stdout.on("data", (piece) => {
        said += piece;
        const found = /"report": "([^"]+)"/.exec(said)?.[1];
        if (found !== undefined) done(found);
      });
    });
    const page = await browser.context.newPage();
    const complaints = complaintsOf(page, link);
    await page.goto(link);
    await page.waitForSelector(".overview .cell");
    const models = page.locator(".overview .data-table tbody th");
    expect(await models.allInnerTexts()).toEqual(["often", "seldom"]);
    runs.add("third", 2);
    await page.getByRole("rowheader", { name: "third" }).first().waitFor({ timeout: 30_000 });
    expect((await fetch(link.slice(0, -2))).status).toBe(404);
    expect(complaints).toEqual([]);
    child.removeAllListeners("exit");
    const code = new Promise((done) => child.once("exit", done));
    child.kill("SIGTERM");
    expect(await code).toBe(0);
    await page.close();
  });
});
