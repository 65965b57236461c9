// The data that the page needs from the server before it can begin.

import {
  ApiError,
  type Connection,
  type Screen,
  type StringsReply,
  type Welcome,
} from "../shared/api";
import { Texts } from "../shared/strings";
import type { Size } from "./images";

/// The number of images decoded ahead, or of screens for a grid.
const MOST_IMAGES = 12;
const MOST_GRIDS = 3;

function wait(seconds: number): Promise<void> {
  return new Promise((done) => {
    setTimeout(done, seconds * 1000);
    addEventListener("online", () => done(), { once: true });
  });
}

/// Repeats the request until the server responds, and reports each failure. Throws the server's
/// error about the link.
export async function patiently<T>(ask: () => Promise<T>, failed: () => void): Promise<T> {
  for (let pause = 1; ; pause = Math.min(15, pause * 2)) {
    try {
      return await ask();
    } catch (error) {
      const final = error instanceof ApiError && [401, 403].includes(error.status);
      if (final) throw error;
      failed();
      await wait(Math.max(pause, error instanceof ApiError ? error.retryAfter : 0));
    }
  }
}

/// The key under which this person's answers are kept in the browser. Null if the server has
/// a version other than that of this page, which may be an old page that the browser has kept.
export function ownerOf(welcome: Welcome): string | null {
  const { version, study, name } = welcome;
  const known = version === 1 && typeof study === "string" && study !== "";
  return known ? `${study}\n${name}` : null;
}

/// Uses English if the server cannot be reached.
export async function readTexts(connection: Connection): Promise<Texts> {
  try {
    return new Texts(await connection.get<StringsReply>("/api/strings"));
  } catch {
    return new Texts();
  }
}

/// The images of the next screens, in order.
export function imagesOf(screens: Screen[], welcome: Welcome): { question: string; size: Size }[] {
  if (welcome.task === "grid") {
    const cells = screens.slice(0, MOST_GRIDS).flatMap((screen) => screen.cells);
    return cells.map(({ question }) => ({ question, size: "small" }));
  }
  // All questions of one screen show the image of the first one.
  const firsts = screens.slice(0, MOST_IMAGES).flatMap((screen) => screen.cells.slice(0, 1));
  return firsts.map(({ question }) => ({ question, size: "full" }));
}
