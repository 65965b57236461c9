// People's actions on the pages, with a study in memory. The tests cover the keyboard and touch, a
// missing connection, a reload in between, and the organiser's changes.

import type { Server } from "node:http";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ORGANISER } from "../mock/organiser.ts";
import { listen, MockServer } from "../mock/server.ts";
import type { MockPerson, StudyOptions } from "../mock/study.ts";
import { CHROMIUM, fetched, type Opened, open } from "./browser.ts";

const BUILT = fileURLToPath(new URL("../built", import.meta.url));
const TOKEN = "token-of-ada-lovelace";

let browser: Opened;
let server: Server;
let mock: MockServer;
let ada: MockPerson;
let url = "";

async function serve(options: Partial<StudyOptions> = {}): Promise<Page> {
  mock = new MockServer(options);
  ada = mock.study.add("Ada Lovelace", TOKEN);
  const served = await listen(mock, BUILT);
  server = served.server;
  url = served.url;
  browser.complaints.length = 0;
  return browser.page;
}
async function annotate(options: Partial<StudyOptions> = {}): Promise<Page> {
  const page = await serve(options);
  await page.goto(`${url}/#${TOKEN}`);
  await page.locator(".stage img, .tile img").first().waitFor();
  return page;
}
/// Waits for a figure of the study. If it fails, the error has the last value.
async function until<T>(value: () => T, wanted: T): Promise<void> {
  await expect.poll(value, { timeout: 60_000, interval: 5 }).toBe(wanted);
}
const said = () => [...mock.study.kept.values()].map(({ given }) => given.answers[0]?.answer);
const count = () => mock.study.kept.size;
/// Waits until the page shows the screen after this number of answered ones, with its image. Before
/// that, the page takes neither an answer nor `undo`.
async function moved(page: Page, answered: number): Promise<void> {
  await page.getByText(`${answered} of ${mock.study.options.screens}`).waitFor();
  await page.locator(".stage img").waitFor();
}

function hooks(touch: boolean): void {
  beforeAll(async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    browser = await open(touch ? phone : {});
  });
  afterAll(() => browser.close());
  afterEach(async () => {
    expect(browser.complaints).toEqual([]);
    await browser.page.goto("about:blank");
    server.closeAllConnections();
    server.close();
  });
}

describe.skipIf(CHROMIUM === undefined)("by keyboard", () => {
  hooks(false);

  it("takes the token out of the address, and remembers it", async () => {
    const page = await annotate();
    expect(page.url()).toBe(`${url}/`);
    await page.reload();
    await page.locator(".stage img").waitFor();
  });

  it("sends tags with the answer that follows, and shows them again", async () => {
    const page = await annotate({ tags: ["background"] });
    await page.keyboard.press("t");
    await page.keyboard.type("tiny");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "background" }).click();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Tags: 2" }).waitFor();
    await page.keyboard.press("y");
    await until(count, 1);
    await moved(page, 1);
    // The next screen begins without tags, and letters answer again.
    await page.getByRole("button", { name: "Tag", exact: true }).waitFor();
    await page.keyboard.press("n");
    await until(count, 2);
    await moved(page, 2);
    const tags = [...mock.study.kept.values()].map(({ given }) => given.tags);
    expect(tags).toEqual([["tiny", "background"], undefined]);
    await page.keyboard.press("u");
    await page.getByText("You answered this before").waitFor();
    await page.keyboard.press("u");
    await page.getByRole("button", { name: "Tags: 2" }).waitFor();
  });

  it("answers a whole study, and each screen once", async () => {
    const page = await annotate({ screens: 30, training: 2 });
    for (let at = 0; at < 30; at += 1) {
      await page.keyboard.press(["y", "n", "Space"][at % 3] as string);
      await until(count, at + 1);
      if (at < 2) {
        await page.locator(".feedback").waitFor();
        await page.keyboard.press("Enter");
      }
      await page.locator(".feedback").waitFor({ state: "detached" });
      if (at < 29) await moved(page, at + 1);
    }
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
    expect(said().slice(0, 4)).toEqual(["yes", "no", "cannot-say", "yes"]);
    expect([ada.given.size, count()]).toEqual([30, 30]);
  });

  it("counts a key that is held down once", async () => {
    const page = await annotate();
    for (let at = 0; at < 10; at += 1) await page.keyboard.down("y");
    await page.keyboard.up("y");
    await until(count, 1);
    await moved(page, 1);
    // If the first key had another effect, it would come before this one.
    await page.keyboard.press("n");
    await until(count, 2);
    expect(said()).toEqual(["yes", "no"]);
  });

  it("means by space what it says, also after a click", async () => {
    const page = await annotate();
    await page.getByRole("button", { name: "Yes" }).click();
    await until(count, 1);
    await moved(page, 1);
    await page.keyboard.press("Space");
    await until(count, 2);
    expect(said()).toEqual(["yes", "cannot-say"]);
  });

  it("means by space the button that was reached by tab", async () => {
    const page = await annotate();
    await page.getByRole("button", { name: "No", exact: false }).first().waitFor();
    for (let at = 0; at < 10; at += 1) {
      await page.keyboard.press("Tab");
      const name = await page.evaluate(() => document.activeElement?.textContent ?? "");
      if (name.startsWith("No")) break;
    }
    await page.keyboard.press("Space");
    await until(count, 1);
    expect(said()).toEqual(["no"]);
  });

  it("goes back, answers anew, and returns", async () => {
    const page = await annotate();
    await page.keyboard.press("y");
    await page.getByText("1 of 60").waitFor();
    await page.keyboard.press("u");
    await page.getByText("You answered this before").waitFor();
    await page.keyboard.press("n");
    await until(count, 2);
    await page.getByText("You answered this before").waitFor({ state: "detached" });
    expect([...ada.given.values()].map((one) => [...one.values()][0])).toEqual(["no"]);
    expect(ada.given.size).toBe(1);
  });

  it("hears nothing under the large image of a grid but its keys", async () => {
    const page = await annotate({ task: "grid", cells: 6, screens: 3 });
    await page.locator(".tile").nth(1).click();
    await page.locator("button.primary:enabled").waitFor();
    await page.keyboard.press("Enter");
    await page.getByText("1 of 3").waitFor();
    await page.keyboard.press("u");
    await page.getByText("You answered this before.").waitFor();
    await page.locator(".tile").nth(3).click();
    await page.getByText("2 selected").waitFor();
    for (const close of ["Escape", "z"]) {
      await page.keyboard.press("z");
      await page.locator("dialog img").waitFor();
      await page.keyboard.press("u");
      await page.keyboard.press(close);
      await page.locator("dialog").waitFor({ state: "detached" });
      await page.getByText("You answered this before.").waitFor();
      await page.getByText("2 selected").waitFor();
    }
    await page.keyboard.press("Escape");
    await page.getByText("You answered this before.").waitFor({ state: "detached" });
    expect(count()).toBe(1);
  });

  it("says that the browser keeps nothing, and asks before it is closed", async () => {
    const page = await annotate();
    await page.evaluate(() => {
      Storage.prototype.setItem = () => {
        throw new DOMException("full", "QuotaExceededError");
      };
    });
    mock.fault = "cut";
    await page.keyboard.press("y");
    await page.getByText("leave this page open").waitFor();
    const asked = page.waitForEvent("dialog");
    const left = page.goto("about:blank").catch(() => {});
    const dialog = await asked;
    expect(dialog.type()).toBe("beforeunload");
    await dialog.dismiss();
    await left;
    mock.fault = null;
    await page.evaluate(() => dispatchEvent(new Event("online")));
    await until(count, 1);
    await page.getByText("leave this page open").waitFor({ state: "detached" });
  });

  it("zooms and moves the image", async () => {
    const page = await annotate();
    const size = async () => (await page.locator(".stage img").boundingBox()) ?? { x: 0, width: 0 };
    const before = await size();
    await page.keyboard.press("z");
    await page.locator(".stage.zoomed").waitFor();
    const zoomed = await size();
    expect(zoomed.width).toBeGreaterThan(before.width * 1.2);
    await page.keyboard.press("ArrowRight");
    expect((await size()).x).toBeLessThan(zoomed.x);
    await page.keyboard.press("z");
    await page.locator(".stage.zoomed").waitFor({ state: "detached" });
    expect(await size()).toEqual(before);
    expect(count()).toBe(0);
  });

  it("shows the next images without waiting for the server", async () => {
    const page = await annotate({ screens: 60, ahead: 4 });
    await fetched(page, 4);
    await page.route("**/api/image/**", () => {}); // no further image is received
    const shown = () => page.locator(".stage img").getAttribute("src");
    const seen = new Set([await shown()]);
    for (let at = 2; at <= 4; at += 1) {
      await page.keyboard.press("y");
      await until(count, at - 1);
      const different = async () => seen.add(await shown()).size;
      await expect.poll(different, { timeout: 30_000, interval: 5 }).toBe(at);
    }
    await page.unrouteAll({ behavior: "ignoreErrors" });
  });

  it("keeps answers without a connection, over a reload, and sends each once", async () => {
    const page = await annotate();
    mock.fault = "cut";
    for (let at = 1; at <= 3; at += 1) {
      await page.keyboard.press("y");
      await page.getByText(`sent later (${at})`).waitFor();
    }
    expect(count()).toBe(0);
    mock.fault = null;
    await page.reload();
    await until(count, 3);
    await page.getByText("3 of 60").waitFor();
    const stored = await page.evaluate(() =>
      Object.keys(localStorage).filter((name) => name.startsWith("assay.answer")),
    );
    expect(stored).toEqual([]);
    expect(ada.given.size).toBe(3);
  });

  it("moves on while the server hangs, and goes on when it is back", async () => {
    const page = await annotate();
    mock.fault = "hang";
    await page.keyboard.press("n");
    await page.getByText("No connection").waitFor();
    mock.fault = null;
    server.closeAllConnections();
    await page.getByText("Connected again").waitFor();
    expect([count(), ada.given.size]).toEqual([1, 1]);
  });

  it("skips an image that cannot be shown", async () => {
    const page = await serve();
    mock.study.broken.add(mock.study.screens[0]?.cells[0]?.question ?? "");
    // The server does not know yet that the image is damaged.
    mock.study.next = (person, holding, wanted) => {
      const screens = mock.study.screens
        .filter((one) => !person.given.has(one.screen) && !holding.includes(one.screen))
        .slice(0, wanted);
      person.holding = [...holding, ...screens.map((one) => one.screen)];
      return screens;
    };
    await page.goto(`${url}/#${TOKEN}`);
    await page.getByText("It was skipped").waitFor();
    await page.locator(".stage img").waitFor();
    await page.keyboard.press("y");
    await until(count, 1);
    expect(ada.given.has(mock.study.screens[1]?.screen ?? "")).toBe(true);
  });

  it("gets the images of screens that the server has forgotten to be held", async () => {
    const page = await serve();
    const next = mock.study.next.bind(mock.study);
    let forgotten = 0;
    mock.study.next = (person, holding, wanted) => {
      const screens = next(person, holding, wanted);
      if (forgotten === 0) person.holding = [];
      forgotten += 1;
      return screens;
    };
    await page.goto(`${url}/#${TOKEN}`);
    await page.locator(".stage img").waitFor();
    await page.keyboard.press("y");
    await until(count, 1);
    expect([...mock.study.kept.values()][0]?.given.screen).toBe("screen0token");
    expect(await page.getByText("It was skipped").count()).toBe(0);
  });

  it("selects images of a grid with arrows and space", async () => {
    const page = await annotate({ task: "grid", cells: 24, screens: 3 });
    await page.keyboard.press("Space");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Space");
    await page.getByText("2 selected").waitFor();
    const chosen = await page
      .locator(".tile")
      .evaluateAll((tiles) =>
        tiles.flatMap((tile, at) => (tile.getAttribute("aria-pressed") === "true" ? [at] : [])),
      );
    expect(chosen[0]).toBe(0);
    // All images are loaded, because nobody may answer about an image that they have not seen.
    await page.locator("button.primary:enabled").waitFor();
    await page.keyboard.press("Enter");
    await until(count, 1);
    const answers = [...mock.study.kept.values()][0]?.given.answers ?? [];
    expect(answers.length).toBe(24);
    expect(answers.flatMap((one, at) => (one.answer === "yes" ? [at] : []))).toEqual(chosen);
    await page.getByText("1 of 3").waitFor();
    await page.getByRole("button", { name: "None of these" }).waitFor();
  });

  it("chooses labels, and marks one as unsure", async () => {
    const page = await annotate({ task: "labels", cells: 5, screens: 3 });
    await page.keyboard.press("1");
    await page.keyboard.press("2");
    await page.keyboard.press("2");
    await page.keyboard.press("Shift+Digit4");
    await page.keyboard.press("Enter");
    await until(count, 1);
    const answers = [...mock.study.kept.values()][0]?.given.answers.map((one) => one.answer);
    expect(answers).toEqual(["yes", "no", "no", "cannot-say", "no"]);
  });
});

describe.skipIf(CHROMIUM === undefined)("by touch", () => {
  hooks(true);

  it("answers with buttons of 48 pixels and more, within reach", async () => {
    const page = await annotate({ screens: 4 });
    for (const name of ["Yes", "No", "Cannot say", "Undo", "Zoom"]) {
      const box = await page.getByRole("button", { name, exact: true }).boundingBox();
      expect(box?.height).toBeGreaterThanOrEqual(48);
      expect(box?.width).toBeGreaterThanOrEqual(48);
      expect(box?.y).toBeGreaterThan(844 / 2);
    }
    for (const [at, name] of ["Yes", "No", "Cannot say", "Yes"].entries()) {
      await page.getByRole("button", { name, exact: true }).tap();
      await until(count, at + 1);
      if (at < 3) await moved(page, at + 1);
    }
    await page.getByRole("heading", { name: "Thank you" }).waitFor();
    expect(said()).toEqual(["yes", "no", "cannot-say", "yes"]);
  });

  it("does not move the image when the question grows", async () => {
    const page = await annotate();
    const place = async () => page.locator(".stage").boundingBox();
    const before = await place();
    for (let at = 0; at < 5; at += 1) {
      await page.getByRole("button", { name: "No", exact: true }).tap();
      await until(count, at + 1);
      await moved(page, at + 1);
    }
    await page.getByText("American robin").waitFor();
    expect(await place()).toEqual(before);
    await page.getByRole("button", { name: "More", exact: true }).tap();
    await page.getByText("whistled phrases").waitFor();
    expect(await place()).toEqual(before);
  });

  it("shows an image of a grid large by a long press, without selecting it", async () => {
    const page = await annotate({ task: "grid", cells: 12, screens: 3 });
    const box = await page.locator(".tile").nth(2).boundingBox();
    await page.mouse.move((box?.x ?? 0) + 40, (box?.y ?? 0) + 40);
    await page.mouse.down();
    await page.locator("dialog img").waitFor();
    await page.mouse.up();
    await page.getByRole("button", { name: "Close" }).click();
    await page.locator("dialog").waitFor({ state: "detached" });
    await page.getByText("0 selected").waitFor();
    await page.locator(".tile").nth(2).tap();
    await page.getByText("1 selected").waitFor();
  });
});

describe.skipIf(CHROMIUM === undefined)("the organiser", () => {
  hooks(false);

  it("adds, blocks, revokes and restores people, pauses, tries images again", async () => {
    const page = await serve();
    mock.study.broken.add("question0003x0");
    await page.goto(`${url}/organiser#${ORGANISER}`);
    await page.getByLabel("Add an annotator").fill("Grace Hopper");
    await page.keyboard.press("Enter");
    await until(() => mock.study.people.length, 2);
    await page.getByRole("button", { name: "Exclude: Grace Hopper" }).click();
    await page.getByLabel("Reason").fill("too quick");
    await page.keyboard.press("Enter");
    await until(() => mock.study.people[1]?.blocked, true);
    await page.getByText("are kept, but excluded").waitFor();
    await page.getByRole("button", { name: "Include again: Grace Hopper" }).click();
    await until(() => mock.study.people[1]?.blocked, false);
    await page.getByRole("button", { name: "Revoke: Grace Hopper" }).click();
    await until(() => mock.study.people[1]?.revoked, true);
    await page.getByRole("button", { name: "Restore: Grace Hopper" }).click();
    await until(() => mock.study.people[1]?.revoked, false);
    await page.getByRole("button", { name: "New link: Grace Hopper" }).click();
    await until(() => mock.study.people[1]?.token.endsWith("-new"), true);
    await page.getByRole("button", { name: "Pause" }).click();
    await until(() => mock.study.paused, true);
    await page.getByRole("button", { name: "Continue" }).click();
    await until(() => mock.study.paused, false);
    await page.getByRole("button", { name: "Try again" }).click();
    await until(() => mock.study.broken.size, 0);
    const download = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download" }).click();
    expect((await download).suggestedFilename()).toBe("answers.csv");
  });

  it("says when the server is gone, and goes on when it is back", async () => {
    const page = await serve();
    await page.goto(`${url}/organiser#${ORGANISER}`);
    await page.getByRole("heading", { name: "Annotators" }).waitFor();
    mock.fault = "cut";
    await page.getByText("Not connected").waitFor();
    mock.fault = null;
    await page.getByText("Not connected").waitFor({ state: "detached" });
  });
});
