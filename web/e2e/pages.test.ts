// Every state of both pages with the study in memory. There are no findings of axe-core, no
// sideways scrolling, and no requests that the content security policy refuses. This holds in light
// and dark, on a phone and a desktop.

import type { Server } from "node:http";
import { fileURLToPath } from "node:url";
import type { Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ORGANISER } from "../mock/organiser.ts";
import { listen, MockServer } from "../mock/server.ts";
import type { StudyOptions } from "../mock/study.ts";
import { axeFindings, CHROMIUM, type Opened, open, screenshot } from "./browser.ts";

const BUILT = fileURLToPath(new URL("../built", import.meta.url));
const TOKEN = "token-of-ada-lovelace";
const LOOKS = [
  { name: "desk-light", width: 1600, height: 900, dark: false },
  { name: "desk-dark", width: 1600, height: 900, dark: true },
  { name: "phone-light", width: 390, height: 844, dark: false },
  { name: "phone-dark", width: 390, height: 844, dark: true },
];

interface State {
  name: string;
  options?: Partial<StudyOptions>;
  /// A function that runs before the page is opened.
  before?: (mock: MockServer) => void;
  path?: string;
  /// A function that runs after the page is opened, and waits for the state.
  reach: (page: Page, mock: MockServer) => Promise<void>;
}

const image = (page: Page) => page.locator(".stage img, .tile img").first().waitFor();
const heading = (text: string) => async (page: Page) => {
  await page.getByRole("heading", { name: text }).waitFor();
};

const STATES: State[] = [
  { name: "yes-no", reach: image },
  {
    name: "yes-no-long",
    reach: async (page) => {
      await image(page);
      for (let at = 0; at < 5; at += 1) {
        await page.keyboard.press("n");
        await page.getByText(`${at + 1} of 60`).waitFor();
      }
    },
  },
  {
    name: "tags",
    options: { tags: ["background", "small object", "seen from behind"] },
    reach: async (page) => {
      await image(page);
      await page.keyboard.press("t");
      await page.keyboard.type("blurred");
      await page.keyboard.press("Enter");
      await page.getByRole("button", { name: "blurred" }).waitFor();
    },
  },
  { name: "training", options: { training: 3 }, reach: image },
  {
    name: "training-feedback",
    options: { training: 3 },
    reach: async (page) => {
      await image(page);
      await page.keyboard.press("n");
      await page.locator(".feedback").waitFor();
    },
  },
  {
    name: "review",
    reach: async (page) => {
      await image(page);
      await page.keyboard.press("y");
      await page.getByText("1 of 60").waitFor();
      await page.keyboard.press("u");
      await page.getByText("You answered this before").waitFor();
    },
  },
  {
    name: "grid",
    options: { task: "grid", cells: 48, screens: 6 },
    reach: async (page) => {
      await image(page);
      await page.locator(".tile").nth(1).click();
      await page.locator(".tile").nth(9).click();
      await page.getByText("2 selected").waitFor();
    },
  },
  {
    name: "grid-feedback",
    options: { task: "grid", cells: 12, screens: 6, training: 1 },
    reach: async (page) => {
      await image(page);
      await page.locator(".tile").nth(1).click();
      await page.getByRole("button", { name: "Submit" }).click();
      await page.locator(".feedback").waitFor();
    },
  },
  {
    name: "grid-zoom",
    options: { task: "grid", cells: 12, screens: 6 },
    reach: async (page) => {
      await image(page);
      await page.keyboard.press("z");
      await page.locator("dialog img").waitFor();
    },
  },
  {
    name: "labels",
    options: { task: "labels", cells: 5 },
    reach: async (page) => {
      await image(page);
      await page.keyboard.press("2");
      await page.keyboard.press("Shift+Digit3");
      await page.getByText("1 selected").waitFor();
    },
  },
  {
    name: "labels-many",
    options: { task: "labels", cells: 14 },
    reach: async (page) => {
      await image(page);
      const submit = await page.locator(".finish .primary").boundingBox();
      const height = page.viewportSize()?.height ?? 0;
      expect((submit?.y ?? 0) + (submit?.height ?? 0)).toBeLessThanOrEqual(height);
      expect((await page.locator(".stage").boundingBox())?.height).toBeGreaterThan(150);
    },
  },
  {
    name: "offline",
    reach: async (page, mock) => {
      await image(page);
      mock.fault = "cut";
      await page.keyboard.press("y");
      await page.getByText("No connection").waitFor();
    },
  },
  {
    name: "paused",
    before: (mock) => {
      mock.study.paused = true;
    },
    reach: heading("Paused"),
  },
  { name: "nothing", options: { screens: 0 }, reach: heading("Thank you") },
  { name: "no-token", path: "/", reach: heading("You need a link") },
  { name: "unknown-token", path: "/#nobodys-token", reach: heading("is unknown") },
  {
    name: "revoked",
    reach: async (page, mock) => {
      await image(page);
      for (const person of mock.study.people) person.revoked = true;
      await page.keyboard.press("y");
      await heading("no longer valid")(page);
    },
  },
  {
    name: "right-to-left",
    before: (mock) => {
      const strings = { question: "هل تظهر هذه الصورة {label}؟", yes: "نعم", no: "لا" };
      mock.strings = { lang: "ar", dir: "rtl", strings };
    },
    reach: image,
  },
  {
    name: "organiser",
    path: `/organiser#${ORGANISER}`,
    before: (mock) => {
      fill(mock, 31);
      mock.study.broken.add("question0003x0");
    },
    reach: heading("Annotators"),
  },
  {
    name: "organiser-empty",
    path: `/organiser#${ORGANISER}`,
    before: (mock) => {
      mock.study.people.length = 0;
    },
    reach: heading("Annotators"),
  },
  {
    name: "organiser-ask",
    path: `/organiser#${ORGANISER}`,
    before: (mock) => fill(mock, 9),
    reach: async (page) => {
      await page.getByRole("button", { name: "Exclude: Ada Lovelace" }).click();
      await page.locator("dialog").waitFor();
    },
  },
  { name: "organiser-refused", path: "/organiser", reach: heading("You need a link") },
];

/// Four people who answered this number of questions each.
function fill(mock: MockServer, count: number): void {
  mock.study.add("Grace Hopper");
  mock.study.add("Quentin Quick");
  mock.study.add("Emmy Noether").revoked = true;
  for (const [at, person] of mock.study.people.entries()) {
    for (const screen of mock.study.screens.slice(0, count - at * 4)) {
      const answers = screen.cells.map(({ question }) => ({
        question,
        answer: mock.study.known(question),
      }));
      mock.study.take(person, {
        screen: screen.screen,
        key: `${person.id}${screen.screen}`,
        answers,
      });
    }
  }
  const quick = mock.study.people.find((person) => person.name.startsWith("Q"));
  if (quick) quick.blocked = true;
}

describe.skipIf(CHROMIUM === undefined)("pages", () => {
  for (const look of LOOKS) {
    describe(look.name, () => {
      let browser: Opened;
      let server: Server | undefined;
      beforeAll(async () => {
        browser = await open({
          viewport: { width: look.width, height: look.height },
          colorScheme: look.dark ? "dark" : "light",
          ...(look.width < 500 ? { hasTouch: true, isMobile: true, deviceScaleFactor: 2 } : {}),
        });
      });
      afterAll(() => browser.close());
      afterEach(() => server?.close());

      for (const state of STATES) {
        it(state.name, async () => {
          const mock = new MockServer(state.options);
          mock.study.add("Ada Lovelace", TOKEN);
          state.before?.(mock);
          const served = await listen(mock, BUILT);
          server = served.server;
          const { page, complaints } = browser;
          complaints.length = 0;
          await page.goto(served.url + (state.path ?? `/#${TOKEN}`));
          await state.reach(page, mock);
          await screenshot(page, `${state.name}-${look.name}`);
          expect(await axeFindings(page)).toEqual([]);
          const beyond = await page.evaluate(
            () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
          );
          expect(beyond).toBe(0);
          expect(complaints).toEqual([]);
          await page.goto("about:blank");
          server.closeAllConnections();
        });
      }
    });
  }
});
