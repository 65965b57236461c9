// A whole competition, answered in the browser: by keyboard, by touch, and by three people at once.

import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { Annotator, type Shown } from "./annotator";
import { assay, rowsOf, Server, shows, World } from "./study";

const KEYS: Record<string, string> = { y: "yes", n: "no", " ": "cannot say" };
/// The keys of an annotator who knows the truth, but cannot judge one image.
const honest = ({ image, label }: Shown) => (image === 3 ? " " : shows(image, label) ? "y" : "n");

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function study(votes: number, k = 4) {
  const world = new World(12);
  closing.push(() => world.remove());
  const folder = world.competition(k, 0, votes);
  const server = await Server.start(folder, "--training", "0");
  closing.push(() => server.stop());
  return { world, folder, server };
}

async function annotator(link: string, options = {}) {
  const one = await Annotator.at(link, 640, options);
  closing.push(() => one.close());
  return one;
}

/// The answers of the competition that count.
function kept(world: World, folder: string) {
  const out = join(world.folder, "exported");
  assay("mad", "export", folder, "--out", out);
  return rowsOf(world.read("exported/answers.csv")).filter((row) => row["counts"] === "1");
}

it("is answered by keyboard from the first question to the last", async () => {
  const { world, folder, server } = await study(1);
  const anna = await annotator((await server.add("anna")).link);
  const pressed = new Map<string, string>();
  const press = async (shown: Shown, key: string) => {
    pressed.set(`image-${shown.image}.png ${shown.label}`, KEYS[key] as string);
    await anna.page.keyboard.press(key === " " ? "Space" : key);
  };
  const first = (await anna.next(null)) as Shown;
  await press(first, shows(first.image, first.label) ? "n" : "y"); // a wrong answer by mistake
  let now = (await anna.next(first)) as Shown;
  await anna.page.keyboard.press("u");
  expect(await anna.next(now)).toEqual(first);
  await press(first, honest(first));
  for (let next = await anna.next(first); next; next = await anna.next(next)) {
    now = next;
    await press(next, honest(next));
  }
  expect(await anna.says()).toContain("Thank you");
  await server.stop();

  const rows = kept(world, folder);
  const said = new Map(rows.map((row) => [`${row["image"]} ${row["label"]}`, row["answer"]]));
  expect(said).toEqual(pressed);
  expect(rows.length).toBe(pressed.size);
  const status = JSON.parse(assay("mad", "status", folder, "--format", "json"));
  expect(status.questions).toBe(pressed.size);
  expect(status.open).toBe(0);
  expect(status.annotators[0]).toMatchObject({ annotator: "anna", answers: pressed.size });
  const ranking = JSON.parse(assay("mad", "rank", folder, "--format", "json"));
  expect(ranking.ranking ?? ranking.classifiers).toHaveLength(3);
  expect(anna.complaints).toEqual([]);
});

it("is answered by touch on a phone", async () => {
  const { world, folder, server } = await study(1, 2);
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  const ben = await annotator((await server.add("ben")).link, phone);
  const name = { y: "Yes", n: "No", " ": "Cannot say" } as Record<string, string>;
  let answers = 0;
  for (let now = await ben.next(null); now; now = await ben.next(now)) {
    const small = await ben.page.locator("button:visible").evaluateAll((buttons) =>
      buttons
        .map((button) => ({ text: button.textContent, box: button.getBoundingClientRect() }))
        .filter(({ box }) => box.width < 44 || box.height < 44 || box.bottom > innerHeight)
        .map(({ text, box }) => `${text}: ${box.width} x ${box.height}, to ${box.bottom}`),
    );
    expect(small).toEqual([]);
    const wide = await ben.page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(390);
    await ben.page.getByRole("button", { name: name[honest(now)] as string, exact: true }).tap();
    answers += 1;
  }
  await server.stop();
  expect(answers).toBeGreaterThan(0);
  expect(kept(world, folder).length).toBe(answers);
  expect(ben.complaints).toEqual([]);
});

it("asks no question more often than wanted, whoever is there at once", async () => {
  const { world, folder, server } = await study(1);
  const names = ["anna", "ben", "clara"];
  const people = await Promise.all(
    names.map(async (name) => annotator((await server.add(name)).link)),
  );
  await Promise.all(people.map((one) => one.work(honest)));
  await server.stop();
  const rows = kept(world, folder);
  const questions = JSON.parse(assay("mad", "status", folder, "--format", "json")).questions;
  expect(rows.length).toBe(questions);
  expect(new Set(rows.map((row) => row["question"])).size).toBe(questions);
  expect(new Set(rows.map((row) => row["annotator"])).size).toBeGreaterThan(1);
  expect(people.flatMap((one) => one.complaints)).toEqual([]);
});
