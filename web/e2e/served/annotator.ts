// A simulated annotator at a labelling page, who sees the screen, presses keys, and records
// acknowledged answers. Faults of the page are collected as complaints.

import type { BrowserContextOptions, Page } from "playwright-core";
import { open } from "../browser";

export interface Shown {
  /// Whether the image shows the label of the question.
  label: string;
  /// The number of the image in the simulated study.
  image: number;
}
export interface Acknowledged {
  screen: string;
  key: string;
  state: string;
  answers: { question: string; answer: string }[];
}

/// Runs in the page. Reports acknowledged answers, and requests that the policy forbids.
function listen(): void {
  const tell = window as unknown as Record<string, (what: unknown) => void>;
  document.addEventListener("securitypolicyviolation", (event) =>
    tell["complain"]?.(`policy: ${event.violatedDirective} ${event.blockedURI}`),
  );
  const real = window.fetch;
  window.fetch = async (input, init) => {
    const reply = await real(input, init);
    if (String(input) === "/api/work" && reply.ok) {
      const given = JSON.parse(String(init?.body)).given;
      const { taken } = await reply.clone().json();
      taken.forEach((one: { state: string }, at: number) => {
        tell["acknowledge"]?.({ ...given[at], state: one.state });
      });
    }
    return reply;
  };
}

export class Annotator {
  readonly acknowledged: Acknowledged[] = [];

  private constructor(
    readonly page: Page,
    readonly complaints: string[],
    readonly close: () => Promise<void>,
    private readonly base: number,
  ) {}

  static async at(link: string, base = 640, options: BrowserContextOptions = {}) {
    const { context, page, complaints, close } = await open(options);
    const annotator = new Annotator(page, complaints, close, base);
    const own = new URL(link).hostname;
    context.on("request", (request) => {
      const url = request.url();
      const inside = /^(blob|data|chrome-error|about):/.test(url);
      if (!inside && new URL(url).hostname !== own) complaints.push(`request to ${url}`);
    });
    await context.exposeFunction("acknowledge", (what: Acknowledged) => {
      annotator.acknowledged.push(what);
    });
    await context.exposeFunction("complain", (what: string) => {
      complaints.push(what);
    });
    await context.addInitScript(listen);
    await page.goto(link);
    return annotator;
  }

  /// Null if no single image is shown.
  async sees(): Promise<Shown | null> {
    const seen = await this.page.evaluate(() => {
      const image = document.querySelector<HTMLImageElement>(".one-image img");
      const label = document.querySelector("h1 strong")?.textContent ?? "";
      const here = document.querySelector(".feedback") === null;
      return image?.complete && here ? { label, width: image.naturalWidth } : null;
    });
    return seen && { label: seen.label, image: seen.width - this.base };
  }

  /// The images of a grid, in order; null until all are loaded.
  async grid(): Promise<{ label: string; images: number[] } | null> {
    const seen = await this.page.evaluate(() => {
      const tiles = [...document.querySelectorAll(".tile")];
      const images = tiles.map((tile) => tile.querySelector("img")?.naturalWidth ?? 0);
      return { label: document.querySelector("h1 strong")?.textContent ?? "", images };
    });
    if (seen.images.length === 0 || seen.images.includes(0)) return null;
    return { label: seen.label, images: seen.images.map((width) => width - this.base) };
  }

  /// Waits until a complete grid other than `before` is shown.
  async nextGrid(before: string) {
    for (const until = Date.now() + 60_000; Date.now() < until; ) {
      const now = await this.grid();
      if (now && JSON.stringify(now) !== before) return now;
      if (!now && (await this.page.locator("main.message .tick").count()) > 0) return null;
      await this.page.waitForTimeout(10);
    }
    throw new Error("no further grid came");
  }

  async says(): Promise<string> {
    return (await this.page.locator("h1").first().textContent()) ?? "";
  }

  /// Waits for a question other than `before`, or null if there are no further questions.
  async next(before: Shown | null, patience = 60_000): Promise<Shown | null> {
    const until = Date.now() + patience;
    for (;;) {
      const now = await this.sees();
      const other = now?.label !== before?.label || now?.image !== before?.image;
      if (now && other) return now;
      if (!now && (await this.page.locator("main.message .tick").count()) > 0) return null;
      if (Date.now() > until) {
        throw new Error(`no further question: ${await this.page.locator("body").textContent()}`);
      }
      await this.page.waitForTimeout(10);
    }
  }

  /// Answers until there are no more questions, or `most` times.
  async work(choose: (shown: Shown) => string, most = 1000): Promise<Shown[]> {
    const seen: Shown[] = [];
    let now = await this.next(null);
    while (now && seen.length < most) {
      seen.push(now);
      await this.page.keyboard.press(choose(now));
      now = await this.next(now);
    }
    return seen;
  }
}
