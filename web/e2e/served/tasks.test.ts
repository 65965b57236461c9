// Grids and choices of labels, from questions to the commands that read answers.

import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { Annotator } from "./annotator";
import { assay, CLASSES, rowsOf, Server, shows, World } from "./study";

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function study(world: World, labels: string[], ...args: string[]) {
  closing.push(() => world.remove());
  const folder = join(world.folder, "study");
  const questions = world.questions(labels);
  const server = await Server.start(
    ...["--questions", questions, "--images", world.images, "--out", folder, ...args],
  );
  closing.push(() => server.stop());
  return { folder, server };
}

async function annotator(server: Server, name: string, base: number) {
  const one = await Annotator.at((await server.add(name)).link, base);
  closing.push(() => one.close());
  return one;
}

it("has images of a grid selected by mouse and by keyboard", async () => {
  const world = new World(12, 200);
  const args = ["--task", "grid", "--screen", "6", "--votes", "2"];
  const { folder, server } = await study(world, ["cat", "dog"], ...args);
  const mouse = await annotator(server, "mouse", 200);
  for (let now = await mouse.nextGrid(""); now; now = await mouse.nextGrid(JSON.stringify(now))) {
    for (const [at, image] of now.images.entries()) {
      if (shows(image, now.label)) await mouse.page.locator(".tile").nth(at).click();
    }
    await mouse.page.locator(".button.primary").click();
  }
  const keys = await annotator(server, "keys", 200);
  for (let now = await keys.nextGrid(""); now; now = await keys.nextGrid(JSON.stringify(now))) {
    for (const [at, image] of now.images.entries()) {
      if (at > 0) await keys.page.keyboard.press("ArrowRight");
      if (shows(image, now.label)) await keys.page.keyboard.press("Space");
    }
    await keys.page.locator(".button.primary:enabled").waitFor();
    await keys.page.keyboard.press("Enter");
  }
  await server.stop();

  const answers = join(world.folder, "answers.csv");
  assay("labels", "export", folder, "--out", answers);
  const rows = rowsOf(world.read("answers.csv"));
  expect(rows.length).toBe(2 * 2 * 12); // the columns are annotators, labels, images
  for (const row of rows) {
    const image = Number(/image-(\d+)/.exec(row["image"] as string)?.[1]);
    expect(row["selected"]).toBe(shows(image, row["label"] as string) ? "1" : "0");
  }
  const out = join(world.folder, "frequencies");
  assay("replicate", "frequencies", answers, "--out", out);
  expect(world.read("frequencies/answers.frequencies.csv")).toContain("image-");
  expect([...mouse.complaints, ...keys.complaints]).toEqual([]);
});

it("has all labels of an image chosen", async () => {
  const world = new World(6);
  const { folder, server } = await study(world, CLASSES, "--task", "labels", "--votes", "1");
  const anna = await annotator(server, "anna", 640);
  const names = () => anna.page.locator(".label-row b").allTextContents();
  for (let now = await anna.next(null); now; now = await anna.next(now)) {
    const labels = await names();
    expect([...labels].sort()).toEqual([...CLASSES].sort());
    for (const [at, label] of labels.entries()) {
      if (shows(now.image, label)) await anna.page.keyboard.press(`Digit${at + 1}`);
      if (now.image === 2 && label === "tree")
        await anna.page.keyboard.press(`Shift+Digit${at + 1}`);
    }
    await anna.page.locator(".button.primary:enabled").waitFor();
    await anna.page.keyboard.press("Enter");
  }
  await server.stop();

  const answers = join(world.folder, "answers.csv");
  assay("labels", "export", folder, "--out", answers);
  const rows = rowsOf(world.read("answers.csv"));
  expect(rows.length).toBe(6 * CLASSES.length);
  for (const row of rows) {
    const image = Number(/image-(\d+)/.exec(row["item"] as string)?.[1]);
    const label = row["label"] as string;
    const sure = shows(image, label) ? "yes" : "no";
    expect(row["answer"]).toBe(image === 2 && label === "tree" ? "maybe" : sure);
  }
  const sets = join(world.folder, "sets.csv");
  assay("labels", "aggregate", answers, "--method", "majority", "--label-sets", sets);
  for (const row of rowsOf(world.read("sets.csv"))) {
    const image = Number(/image-(\d+)/.exec(Object.values(row).join())?.[1]);
    expect(Object.values(row)).toContain(CLASSES[image % CLASSES.length]);
  }
  expect(anna.complaints).toEqual([]);
});
