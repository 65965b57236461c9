// Adversarial images next to their originals in headless Chromium.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  examples,
  exampleThumbnails,
  hostileId,
  otherExamples,
} from "../../mock/report/attack_examples.ts";
import { documentOf } from "../../mock/report/document.ts";
import { short } from "../../src/report/parts/names.ts";
import {
  classText,
  largestText,
  lengthText,
  probabilityText,
  scaleText,
} from "../../src/report/sections/robustness/examples.ts";
import { CHROMIUM, type Opened, open } from "../browser.ts";
import { expectAddress, expectClean, goToSection, rowTexts } from "./looks.ts";
import { type OpenReport, openReport } from "./open.ts";

const thumbnails = exampleThumbnails();
const document = documentOf([examples, otherExamples], { thumbnails });
const card = ".attack-example";
const pgd = (eps_text: string) =>
  examples.result.attacks.find((entry) => entry.attack === "pgd" && entry.eps_text === eps_text)
    ?.shown ?? [];

describe.skipIf(CHROMIUM === undefined)("the report's adversarial images", () => {
  let browser: Opened;
  beforeAll(async () => {
    browser = await open();
  });
  afterAll(() => browser.close());

  async function opened(address = "", shown = document): Promise<OpenReport> {
    const report = await openReport(browser.context, shown, address);
    await goToSection(report.page, "robustness", ".fooled");
    return report;
  }

  it("are whole on phone and desk, light and dark, all of them and one alone", async () => {
    const all = await opened();
    await expectClean(all, "robustness");
    expect(await all.page.evaluate(() => "hurt" in window)).toBe(false);
    await all.page.close();
    const one = await opened(
      `#section=robustness&robustness.examples.image=${encodeURIComponent(hostileId)}`,
    );
    expect(await one.page.locator(card).count()).toBe(1);
    await expectClean(one, "robustness");
    await one.page.close();
  });

  it("have the predictions and numbers of the result", async () => {
    const { page } = await opened();
    expect(await page.innerText(".fooled")).toBe(
      "Under pgd with a budget of 1/255 (linf) the model misclassifies 1,050 images that it" +
        " classified correctly before; 7 are examples.",
    );
    expect(await page.locator(card).count()).toBe(6);
    await page.getByRole("button", { name: "1 more" }).click();
    const shown = await page.locator(card).evaluateAll((cards) =>
      cards.map((one) => ({
        id: one.querySelector(".item-id")?.textContent,
        says: [...one.querySelectorAll("dd")].map((dd) => dd.textContent?.trim()),
        images: [...one.querySelectorAll("img")].map((image) => image.getAttribute("src")),
        scale: one.querySelector(".of-difference figcaption")?.textContent,
      })),
    );
    const sources = (id: string) =>
      thumbnails.filter((one) => one.id === id).map(({ source }) => source);
    expect(shown).toEqual(
      pgd("1/255").map((example) => ({
        id: short(example.id, 60),
        says: [
          classText(example.label),
          `${classText(example.before)} ${probabilityText(example.before)}`,
          `${classText(example.after)} ${probabilityText(example.after)}`.trim(),
          largestText(example),
          lengthText(example),
        ],
        images: [example.original, example.difference, example.attacked].flatMap(sources),
        scale: `difference ${scaleText(example)}`,
      })),
    );
    expect(shown[0]?.says).toEqual([
      "tench",
      "tench 97.0 %",
      "axolotl 52.0 %",
      "1.000/255",
      "0.1961",
    ]);
    expect(shown[2]?.says[2]).toBe("class 5");
    await page.close();
  });

  it("show the pixels of the difference, beside images that say what they are", async () => {
    const { page } = await opened();
    const first = page.locator(card).first();
    const alts = await first
      .locator("img")
      .evaluateAll((all) => all.map((image) => image.getAttribute("alt")));
    expect(alts).toEqual([
      "n01440764/image_12.JPEG: original, predicted as tench",
      "n01440764/image_12.JPEG: difference × 127.5, grey means no change",
      "n01440764/image_12.JPEG: adversarial, predicted as axolotl",
    ]);
    const difference = first.locator(".of-difference img");
    expect(await difference.evaluate((image) => getComputedStyle(image).imageRendering)).toBe(
      "pixelated",
    );
    expect(await page.innerText("#robustness")).toContain("Grey means no change");
    // The three images have the same width. On a phone the difference has its own row.
    const boxes = () =>
      first.locator("img").evaluateAll((all) => all.map((image) => image.getBoundingClientRect()));
    const [original, noise, adversarial] = await boxes();
    expect(noise?.width).toBeCloseTo(original?.width ?? 0, 1);
    expect(noise?.top).toBe(adversarial?.top);
    await page.setViewportSize({ width: 390, height: 900 });
    const [above, below, beside] = await boxes();
    expect(below?.top).toBeGreaterThan(above?.bottom ?? Number.POSITIVE_INFINITY);
    expect(beside?.top).toBe(above?.top);
    expect(below?.width).toBeGreaterThan(300);
    await page.close();
  });

  it("step through the budgets by the arrow keys, with one image held", async () => {
    const { page, complaints } = await opened();
    const only = page.getByRole("button", { name: /^Only this image.*image_12\./ });
    await only.focus();
    await page.keyboard.press("Enter");
    await expectAddress(page, "robustness.examples.image=n01440764/image_12.JPEG");
    expect(await page.locator(card).count()).toBe(1);
    expect(await page.locator(":focus").innerText()).toBe("All images");
    await page.getByRole("radio", { name: "1/255", exact: true }).focus();
    for (const budget of ["4/255", "16/255"]) {
      await page.keyboard.press("ArrowRight");
      await expectAddress(page, `robustness.examples.budget=${budget}`);
      const [example] = pgd(budget);
      if (example === undefined) throw new Error("no example");
      const says = await page.locator(`${card} dd`).allInnerTexts();
      expect(says.slice(3)).toEqual([largestText(example), lengthText(example)]);
    }
    const table = "section[aria-label='One image under all attacks']";
    expect(await page.locator(`${table} tbody tr`).count()).toBe(3);
    expect(await rowTexts(page, table, 2)).toEqual([
      "pgd",
      "16/255",
      "axolotl",
      "81.4 %",
      "16.00/255",
      "3.137",
    ]);
    // Under fgsm the image is not an example. It remains selected.
    await page.getByLabel("Attack", { exact: true }).selectOption("fgsm");
    expect(await page.innerText(".not-here")).toBe("The chosen image is none of these examples.");
    expect(await page.locator(card).count()).toBe(0);
    await page.getByLabel("Image", { exact: true }).selectOption("");
    expect(await page.innerText(".fooled")).toContain("misclassifies no image");
    expect(complaints).toEqual([]);
    await page.close();
  });

  it("say what is not embedded: of one example, or of all", async () => {
    const { page, complaints } = await opened();
    const absent = page.locator(card, { hasText: "image_3.JPEG" });
    expect(await absent.locator(".no-image").allInnerTexts()).toEqual(
      Array(3).fill("not embedded"),
    );
    await page.getByLabel("Model").selectOption("mobilenet, val (older/examples.json)");
    await page.locator(card).waitFor();
    expect(await page.locator(`${card} img, ${card} .no-image`).count()).toBe(0);
    const text = await page.innerText("#robustness");
    expect(text.split("--thumbnails N")).toHaveLength(2);
    expect(text).toContain("axolotl");
    await expectAddress(page, "older/examples.json");
    expect(complaints).toEqual([]);
    await page.close();
  });
});
