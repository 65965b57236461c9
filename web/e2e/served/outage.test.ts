// The server crashes or the network fails. Pages continue by themselves, and no acknowledged answer
// is lost or counted twice.

import { join } from "node:path";
import { afterEach, expect, it } from "vitest";
import { fetched } from "../browser";
import { Annotator, type Shown } from "./annotator";
import { assay, rowsOf, Server, shows, World } from "./study";

const honest = ({ image, label }: Shown) => (shows(image, label) ? "y" : "n");
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function study(k = 5) {
  const world = new World(15);
  closing.push(() => world.remove());
  const folder = world.competition(k, 0, 3);
  const server = await Server.start(folder, "--training", "0");
  closing.push(() => server.stop());
  return { world, folder, server };
}

async function annotator(server: Server, name: string) {
  const one = await Annotator.at((await server.add(name)).link);
  closing.push(() => one.close());
  return one;
}

function kept(world: World, folder: string) {
  assay("mad", "export", folder, "--out", join(world.folder, "exported"));
  return rowsOf(world.read("exported/answers.csv")).filter((row) => row["counts"] === "1");
}

/// The competition has every acknowledged answer once, and no other answers.
function expectKept(rows: Record<string, string>[], people: Annotator[]) {
  const acknowledged = people.flatMap((one) => one.acknowledged);
  expect(acknowledged.filter((one) => one.state === "refused")).toEqual([]);
  const given = new Map(acknowledged.map((one) => [one.key, one.answers[0]]));
  expect(rows.length).toBe(given.size);
  for (const row of rows) {
    const answer = { question: row["question"], answer: row["answer"]?.replace(" ", "-") };
    expect(given.get(row["key"]?.split("/")[1] ?? "")).toEqual(answer); // of page/KEY/QUESTION/NAME
  }
}

it("goes on by itself where the server was killed and started again", async () => {
  const { world, folder, server } = await study();
  const people = [await annotator(server, "anna"), await annotator(server, "ben")];
  const working = Promise.all(people.map((one) => one.work(honest)));
  const count = () => people.reduce((sum, one) => sum + one.acknowledged.length, 0);
  for (const enough of [4, 10, 16]) {
    await expect.poll(count, { timeout: 20_000, interval: 2 }).toBeGreaterThanOrEqual(enough);
    await server.stop("SIGKILL");
    await server.again();
  }
  const seen = await working;
  await server.stop();
  const { questions } = JSON.parse(assay("mad", "status", folder, "--format", "json"));
  expect(seen[0]?.length).toBeGreaterThan(3);
  const rows = kept(world, folder);
  expectKept(rows, people);
  expect(new Set(rows.map((row) => row["question"])).size).toBe(questions);
  expect(people.flatMap((one) => one.complaints)).toEqual([]);
});

it("keeps answers without a network, and sends them later", async () => {
  const { world, folder, server } = await study();
  const anna = await annotator(server, "anna");
  await anna.next(null);
  await fetched(anna.page, 3); // the next two images are loaded
  await anna.page.context().setOffline(true);
  let now = await anna.next(null);
  for (const _ of [1, 2]) {
    await anna.page.keyboard.press(honest(now as Shown));
    now = await anna.next(now);
  }
  await anna.page.getByText(/^No connection.*\(2\)/).waitFor();
  expect(kept(world, folder)).toEqual([]);
  await anna.page.context().setOffline(false);
  await anna.page.getByText("Connected again").waitFor();
  expect(anna.acknowledged.length).toBe(2);
  await anna.work(honest);
  await server.stop();
  expectKept(kept(world, folder), [anna]);
  expect(anna.complaints).toEqual([]);
});

it("keeps answers while the server is away, also where the page is closed meanwhile", async () => {
  const { world, folder, server } = await study();
  const anna = await annotator(server, "anna");
  let now = await anna.next(null);
  await fetched(anna.page, 4);
  await server.stop();
  const pressed = new Map<string, string>();
  for (const _ of [1, 2, 3]) {
    const shown = now as Shown;
    pressed.set(`image-${shown.image}.png ${shown.label}`, honest(shown) === "y" ? "yes" : "no");
    await anna.page.keyboard.press(honest(shown));
    now = await anna.next(now);
  }
  await anna.page.getByText(/^No connection.*\(3\)/).waitFor();
  await anna.page.goto("about:blank");
  await server.again();
  await anna.page.goto(server.url);
  await anna.page.getByText("3 of 15").waitFor();
  await anna.next(null);
  await server.stop();
  const rows = kept(world, folder);
  const said = rows.map((row) => [`${row["image"]} ${row["label"]}`, row["answer"]] as const);
  expect(new Map(said)).toEqual(pressed);
  expect(rows.length).toBe(3);
});
