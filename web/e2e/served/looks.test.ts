// Every kind of page on a phone and on a large screen, light and dark. Also in a language that is
// written from right to left. There are no findings of axe-core, no sideways scrolling, and no
// motion if less motion is requested. ASSAY_SCREENSHOTS names a folder for screenshots.

import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeFindings, screenshot } from "../browser";
import { Annotator } from "./annotator";
import { CLASSES, Server, World } from "./study";

const ALL_LOOKS = [
  { name: "phone-light", width: 390, height: 844, dark: false },
  { name: "phone-dark", width: 390, height: 844, dark: true },
  { name: "wall-light", width: 1600, height: 900, dark: false },
  { name: "wall-dark", width: 1600, height: 900, dark: true },
];
// Two of them test each size and each color scheme once. Screenshots are made of all four.
const every = process.env["ASSAY_SCREENSHOTS"] ? 1 : 3;
const LOOKS = ALL_LOOKS.filter((_, at) => at % every === 0);
const TASKS = ["yes-no", "grid", "labels"] as const;
const ARABIC = {
  lang: "ar",
  dir: "rtl",
  question: "هل تُظهر هذه الصورة {label}؟",
  yes: "نعم",
  no: "لا",
  cannot_say: "لا أستطيع الحكم",
  undo: "تراجع",
  zoom: "تكبير",
  key_yes: "ن",
  key_no: "ل",
};

const worlds: World[] = [];
const servers = new Map<string, Server>();

async function serve(name: string, task: string, ...more: string[]) {
  const world = new World(task === "grid" ? 48 : 12, task === "grid" ? 200 : 900);
  worlds.push(world);
  const labels = task === "grid" ? ["cat"] : CLASSES;
  const strings = world.write("strings.json", [[JSON.stringify(ARABIC)]]);
  const args = ["--questions", world.questions(labels, 2), "--images", world.images];
  const more_ = name === "arabic" ? ["--strings", strings, ...more] : more;
  const out = ["--out", join(world.folder, "study"), "--task", task, "--title", `A study: ${name}`];
  servers.set(name, await Server.start(...args, ...out, ...more_));
}

beforeAll(async () => {
  for (const task of TASKS) await serve(task, task, "--training", "0");
  await serve("arabic", "yes-no", "--training", "0");
  await serve("training", "yes-no", "--training", "2");
});
afterAll(async () => {
  for (const server of servers.values()) await server.stop();
  for (const world of worlds) world.remove();
});

async function examine(page: Page, name: string) {
  await screenshot(page, name);
  expect(await axeFindings(page), name).toEqual([]);
  const { wide, inner } = await page.evaluate(() => ({
    wide: document.documentElement.scrollWidth,
    inner: innerWidth,
  }));
  expect(wide, `${name}: scrolls sideways`).toBeLessThanOrEqual(inner);
  const moving = await page.evaluate(
    () => document.getAnimations().filter((one) => one.playState === "running").length,
  );
  expect(moving, `${name}: moves`).toBe(0);
}

for (const look of LOOKS) {
  describe(look.name, () => {
    const options = {
      viewport: { width: look.width, height: look.height },
      colorScheme: look.dark ? ("dark" as const) : ("light" as const),
      reducedMotion: "reduce" as const,
      ...(look.width < 500 ? { hasTouch: true, isMobile: true } : {}),
    };

    it("is well made for annotators", async () => {
      const first = servers.get("yes-no") as Server;
      const one = await Annotator.at(`${first.url}/`, 900, options);
      const { page } = one;
      await page.getByText("You need a link").waitFor();
      await examine(page, `no-token-${look.name}`);
      const visit = async (name: string) => {
        const server = servers.get(name) as Server;
        await page.goto("about:blank");
        await page.goto((await server.add(look.name)).link);
        await page.locator(".one-image img, .tile:last-child img").waitFor();
        return server;
      };
      for (const name of [...TASKS, "arabic", "training"]) {
        const server = await visit(name);
        await examine(page, `${name}-${look.name}`);
        if (name === "arabic") {
          await page.evaluate(() => {
            const init = { key: "ن", code: "KeyK", bubbles: true };
            document.dispatchEvent(new KeyboardEvent("keydown", init));
          });
          await page.locator(".figures", { hasText: /^1 / }).waitFor();
          await page.keyboard.press("u");
          await page.locator(".situation").waitFor();
          await examine(page, `arabic-review-${look.name}`);
        }
        if (name === "training") {
          await page.keyboard.press("y");
          await page.locator(".feedback").waitFor();
          await examine(page, `feedback-${look.name}`);
        }
        if (name !== "yes-no") continue;
        await page.keyboard.press("z");
        await screenshot(page, `zoomed-${look.name}`);
        const [image, stage] = await page.evaluate(() =>
          [".stage img", ".stage"].map((what) => {
            const box = document.querySelector(what)?.getBoundingClientRect() as DOMRect;
            return [box.left + box.width / 2, box.top + box.height / 2, box.width] as const;
          }),
        );
        expect(image?.[2]).toBeGreaterThan(stage?.[2] as number);
        expect(image?.[0]).toBeCloseTo(stage?.[0] as number, 0); // the middle of the image
        expect(image?.[1]).toBeCloseTo(stage?.[1] as number, 0);
        await server.ask("/api/organiser/pause", { pause: true });
        await page.keyboard.press("y");
        await page.getByRole("heading", { name: "Paused" }).waitFor();
        await examine(page, `paused-${look.name}`);
        await server.ask("/api/organiser/pause", { pause: false });
      }
      expect(one.complaints).toEqual([]);
      await one.close();
    });

    it("is well made for the organiser", async () => {
      const server = servers.get("yes-no") as Server;
      const one = await Annotator.at(server.organiser, 900, options);
      await one.page.getByRole("heading", { name: "Annotators" }).waitFor();
      await examine(one.page, `organiser-${look.name}`);
      await one.page
        .getByRole("button", { name: /^Exclude: / })
        .first()
        .click();
      await one.page.getByRole("dialog").waitFor();
      await examine(one.page, `leave-out-${look.name}`);
      expect(one.complaints).toEqual([]);
      await one.close();
    });
  });
}
