// The time from a key to the next image on the screen, for 200 answers on loopback.

import { join } from "node:path";
import { expect, it } from "vitest";
import { Annotator } from "./annotator";
import { CLASSES, Server, World } from "./study";

const ANSWERS = 200;

/// Runs in the page: presses keys by itself and waits for the frame that shows the next image.
async function measure(answers: number): Promise<number[]> {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  const shown = () => document.querySelector<HTMLImageElement>(".one-image img")?.src ?? "";
  const times: number[] = [];
  for (let n = 0; n < answers; ++n) {
    while (shown() === "" || !document.querySelector("button.answer")) await frame();
    await new Promise((done) => setTimeout(done, 100 + 200 * Math.random()));
    const before = shown();
    const begun = performance.now();
    document.dispatchEvent(new KeyboardEvent("keydown", { key: n % 2 ? "y" : "n", bubbles: true }));
    while (shown() === before || shown() === "") await frame();
    await frame(); // the image is drawn
    times.push(performance.now() - begun);
  }
  return times;
}

it("shows the next image soon", async () => {
  const world = new World(60, 1200);
  const args = ["--questions", world.questions(CLASSES), "--images", world.images];
  const server = await Server.start(...args, "--out", join(world.folder, "study"));
  const anna = await Annotator.at((await server.add("anna")).link, 1200);
  await anna.next(null);
  const times = (await anna.page.evaluate(measure, ANSWERS)).sort((a, b) => a - b);
  const at = (part: number) => times[Math.min(ANSWERS - 1, Math.floor(part * ANSWERS))]?.toFixed(1);
  console.log(`key to next image: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`);
  expect(times.length).toBe(ANSWERS);
  await anna.close();
  await server.stop();
  world.remove();
}, 180_000);
