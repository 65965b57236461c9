// Images of the screens that are shown next: fetched with the person's token, decoded in advance,
// and released when they are no longer needed. Few are fetched at once, because a browser opens six
// connections to a server and an answer must never wait behind images.

import { ApiError, type Connection } from "../shared/api";

export type Size = "full" | "small";
export type ImageState =
  | { state: "coming" }
  | { state: "there"; element: HTMLImageElement }
  | { state: "missing" };

interface Entry {
  question: string;
  size: Size;
  now: ImageState;
  url: string;
  running: boolean;
  failures: number;
  /// Milliseconds before an image is fetched again.
  notBefore: number;
  listeners: Set<() => void>;
}

const AT_ONCE = 4;
/// Milliseconds between two reports that images are not held.
const COMPLAIN_EVERY = 1000;

export class ImageStore {
  private readonly entries = new Map<string, Entry>();
  private running = 0;
  private complained = Number.NEGATIVE_INFINITY;

  /// `notHeld`: the server refused an image as not held by this person, because it restarted or the
  /// page was inactive for long. After the page reports its screens again, the image is sent.
  constructor(
    private readonly connection: Connection,
    private readonly notHeld: () => void = () => {},
  ) {}

  /// Sets the needed images, the most urgent first. All others are released.
  keep(wanted: { question: string; size: Size }[]): void {
    const names = new Set(wanted.map((image) => nameOf(image.question, image.size)));
    for (const [name, entry] of this.entries) {
      if (!names.has(name) && entry.listeners.size === 0) this.drop(name, entry);
    }
    for (const { question, size } of wanted) this.entry(question, size);
    // A map keeps the order of insertion, and fetches go in that order.
    for (const name of names) {
      const entry = this.entries.get(name);
      if (!entry) continue;
      this.entries.delete(name);
      this.entries.set(name, entry);
    }
    this.pump();
  }

  state(question: string, size: Size): ImageState {
    return this.entries.get(nameOf(question, size))?.now ?? { state: "coming" };
  }

  /// Calls back when the state changes, and keeps the image until the returned function is called.
  watch(question: string, size: Size, listener: () => void): () => void {
    const entry = this.entry(question, size);
    entry.listeners.add(listener);
    this.pump();
    return () => void entry.listeners.delete(listener);
  }

  /// Retries images that failed because there was no connection.
  retryNow(): void {
    for (const entry of this.entries.values()) entry.notBefore = 0;
    this.pump();
  }

  private entry(question: string, size: Size): Entry {
    const name = nameOf(question, size);
    const known = this.entries.get(name);
    if (known) return known;
    const now: ImageState = { state: "coming" };
    const fresh = {
      now,
      url: "",
      running: false,
      failures: 0,
      notBefore: 0,
      listeners: new Set<() => void>(),
    };
    const entry = { question, size, ...fresh };
    this.entries.set(name, entry);
    return entry;
  }

  private drop(name: string, entry: Entry): void {
    this.entries.delete(name);
    if (entry.url) URL.revokeObjectURL(entry.url);
  }

  private pump(): void {
    const now = Date.now();
    for (const [name, entry] of this.entries) {
      if (this.running >= AT_ONCE) return;
      if (entry.running || entry.now.state !== "coming" || entry.notBefore > now) continue;
      entry.running = true;
      this.running += 1;
      void this.load(name, entry);
    }
  }

  private async load(name: string, entry: Entry): Promise<void> {
    try {
      entry.now = { state: "there", element: await this.fetchImage(entry) };
    } catch (error) {
      entry.failures += 1;
      const unreadable = error instanceof ApiError && error.code === "unreadable";
      const damaged = error instanceof DOMException && error.name === "EncodingError";
      if (unreadable || damaged) entry.now = { state: "missing" };
      else this.later(entry);
      if (error instanceof ApiError && error.code === "not_found") this.complain();
    }
    entry.running = false;
    this.running -= 1;
    if (this.entries.get(name) !== entry && entry.url) URL.revokeObjectURL(entry.url);
    for (const listener of [...entry.listeners]) listener();
    this.pump();
  }

  private async fetchImage(entry: Entry): Promise<HTMLImageElement> {
    const query = entry.size === "small" ? "?size=small" : "";
    const path = `/api/image/${encodeURIComponent(entry.question)}${query}`;
    entry.url = URL.createObjectURL(await this.connection.blob(path));
    const element = new Image();
    element.src = entry.url;
    element.draggable = false;
    await element.decode();
    return element;
  }

  /// Many images of a grid are refused at once, and one request is enough for all of them.
  private complain(): void {
    if (Date.now() - this.complained < COMPLAIN_EVERY) return;
    this.complained = Date.now();
    this.notHeld();
  }

  /// An image that fails must not delay the others, so each is awaited separately.
  private later(entry: Entry): void {
    const wait = Math.min(15_000, 500 * 2 ** Math.min(entry.failures, 5));
    entry.notBefore = Date.now() + wait;
    setTimeout(() => this.pump(), wait + 10);
  }
}

function nameOf(question: string, size: Size): string {
  return `${size} ${question}`;
}
