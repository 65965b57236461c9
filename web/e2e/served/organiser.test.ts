// The organiser's views and actions, and their effects on annotators.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { Annotator, type Shown } from "./annotator";
import { assay, rowsOf, Server, shows, World } from "./study";

const honest = ({ image, label }: Shown) => (shows(image, label) ? "y" : "n");
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function study(world: World, known: number, ...args: string[]) {
  closing.push(() => world.remove());
  const folder = join(world.folder, "study");
  const questions = world.questions(["cat", "dog"], known);
  const server = await Server.start(
    ...["--questions", questions, "--images", world.images, "--out", folder],
    ...["--title", "Cats and dogs", ...args],
  );
  closing.push(() => server.stop());
  return { folder, server };
}

async function open(link: string) {
  const one = await Annotator.at(link);
  closing.push(() => one.close());
  return one;
}

it("trains annotators with what is known, and tells them", async () => {
  const world = new World(8);
  const { server } = await study(world, 4, "--training", "2", "--votes", "1");
  const anna = await open((await server.add("anna")).link);
  const first = (await anna.next(null)) as Shown;
  await anna.page.getByText("Training: 1 of 2").waitFor();
  await anna.page.keyboard.press(shows(first.image, first.label) ? "n" : "y");
  await anna.page.getByText("Incorrect", { exact: true }).waitFor();
  await anna.page.keyboard.press("Enter");
  const second = (await anna.next(first)) as Shown;
  await anna.page.getByText("Training: 2 of 2").waitFor();
  await anna.page.keyboard.press(honest(second));
  await anna.page.getByText("Correct", { exact: true }).waitFor();
  await anna.page.getByRole("button", { name: "Continue" }).click();
  await anna.work(honest);
  const status = await server.ask<{ people: { gold: { value: number; n: number } }[] }>(
    "/api/organiser/status",
  );
  expect(status.people.find((one) => one.gold.n > 0)?.gold.n).toBe(8); // 4 images, 2 labels
  expect(anna.complaints).toEqual([]);
});

it("shows what the study holds, pauses it, and lets nobody in whose link was revoked", async () => {
  const world = new World(8);
  const { folder, server } = await study(world, 0, "--votes", "2");
  const organiser = await open(server.organiser);
  const { page } = organiser;
  await page.getByRole("textbox", { name: "Add an annotator" }).fill("anna");
  await page.getByRole("button", { name: "Add and copy the link" }).click();
  await page.getByRole("rowheader", { name: "anna" }).waitFor();
  const link = async (name: string) => (await server.add(name)).link;
  const anna = await open(await link("anna"));
  await anna.work(honest, 3);

  const rows = () => rowsOf(assay("labels", "export", folder));
  const figure = (name: string) => page.locator(".figures > div", { hasText: name }).locator("dd");
  const soon = { timeout: 20_000 };
  await expect.poll(() => figure("Answers").first().textContent(), soon).toContain("3");
  expect(rows().length).toBe(3);

  await page.getByRole("button", { name: "Pause" }).click();
  await page.getByText("paused").first().waitFor();
  await anna.page.keyboard.press(honest((await anna.next(null)) as Shown));
  await anna.page.getByRole("heading", { name: "Paused" }).waitFor();
  await page.getByRole("button", { name: "Continue" }).click();
  await anna.page.locator(".one-image img").waitFor({ timeout: 20_000 });

  await page.getByRole("button", { name: "Revoke: anna" }).click();
  await page.getByText("link revoked").waitFor();
  await anna.page.keyboard.press("n");
  await anna.page.getByText("no longer valid").waitFor();
  expect(rows().length).toBe(4); // an answer without a valid link is refused

  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download answers" }).click();
  const file = await (await download).path();
  expect(readFileSync(file, "utf8")).toBe(assay("labels", "export", folder));

  await page.getByRole("button", { name: "Exclude: anna" }).click();
  await page.getByRole("textbox", { name: "Reason" }).fill("says yes to everything");
  await page.getByRole("dialog").getByRole("button", { name: "Exclude" }).click();
  await page.getByText("excluded", { exact: true }).waitFor();
  expect(rows()).toEqual([]);
  await page.getByRole("button", { name: "Include again: anna" }).click();
  await expect.poll(() => rows().length, soon).toBe(4);
  expect([...organiser.complaints, ...anna.complaints]).toEqual([]);
});

it("skips images that cannot be read, and asks about them once they are mended", async () => {
  const world = new World(6);
  rmSync(world.path(1));
  writeFileSync(world.path(4), readFileSync(world.path(4)).subarray(0, 2000));
  const { server } = await study(world, 0, "--votes", "1");
  const organiser = await open(server.organiser);
  const anna = await open((await server.add("anna")).link);
  const seen = await anna.work(honest);
  expect(new Set(seen.map(({ image }) => image))).toEqual(new Set([0, 2, 3, 5]));
  const problems = organiser.page.locator(".problems li");
  await problems.nth(1).waitFor();
  expect((await problems.allTextContents()).join()).toMatch(
    /image-1\.png(.|\n)*image-4\.png|image-4\.png(.|\n)*image-1\.png/,
  );

  world.draw(1);
  world.draw(4);
  await organiser.page.getByRole("button", { name: "Try again" }).click();
  await expect.poll(() => problems.count(), { timeout: 20_000 }).toBe(0);
  await anna.page.reload();
  const rest = await anna.work(honest);
  expect(new Set(rest.map(({ image }) => image))).toEqual(new Set([1, 4]));
  expect([...organiser.complaints, ...anna.complaints]).toEqual([]);
});
