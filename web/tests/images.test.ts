import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ImageStore } from "../src/annotate/images";
import { ApiError, type Connection, NoConnection } from "../src/shared/api";

/// Requests that wait until the test answers them.
let asked: { path: string; answer: (failure?: unknown) => void }[];
let urls: Set<string>;
let store: ImageStore;
let notHeld: ReturnType<typeof vi.fn<() => void>>;

class FakeImage {
  src = "";
  draggable = true;
  async decode(): Promise<void> {
    if (this.src.endsWith("damaged")) throw new DOMException("damaged", "EncodingError");
  }
}

beforeEach(() => {
  vi.useFakeTimers();
  asked = [];
  urls = new Set();
  notHeld = vi.fn<() => void>();
  vi.stubGlobal("Image", FakeImage);
  let made = 0;
  vi.spyOn(URL, "createObjectURL").mockImplementation((blob) => {
    made += 1;
    const url = `blob:${made}${(blob as Blob).type.includes("damaged") ? "damaged" : ""}`;
    urls.add(url);
    return url;
  });
  vi.spyOn(URL, "revokeObjectURL").mockImplementation((url) => void urls.delete(url));
  const blob = (path: string) =>
    new Promise<Blob>((resolve, reject) => {
      const type = path.includes("damaged") ? "image/damaged" : "image/png";
      const answer = (failure?: unknown) => {
        if (failure === undefined) resolve(new Blob([], { type }));
        else reject(failure);
      };
      asked.push({ path, answer });
    });
  store = new ImageStore({ blob } as unknown as Connection, notHeld);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

const full = (...questions: string[]) =>
  questions.map((question) => ({ question, size: "full" as const }));
const settle = (milliseconds = 0) => vi.advanceTimersByTimeAsync(milliseconds);
const paths = () => asked.map((one) => one.path.replace("/api/image/", ""));

describe("ImageStore", () => {
  it("asks for four at once, the first ones first", async () => {
    store.keep(full("a", "b", "c", "d", "e", "f"));
    expect(paths()).toEqual(["a", "b", "c", "d"]);
    asked[1]?.answer();
    await settle();
    expect(paths()).toEqual(["a", "b", "c", "d", "e"]);
    expect([store.state("b", "full").state, store.state("a", "full").state]).toEqual([
      "there",
      "coming",
    ]);
  });

  it("lets go what is not wanted any more, also what comes late", async () => {
    store.keep(full("a", "b"));
    asked[0]?.answer();
    await settle();
    expect(urls.size).toBe(1);
    store.keep(full("c"));
    asked[1]?.answer();
    asked[2]?.answer();
    await settle();
    expect([urls.size, store.state("c", "full").state]).toEqual([1, "there"]);
  });

  it("keeps what is shown, wanted or not", async () => {
    const forget = store.watch("a", "small", () => {});
    expect(paths()).toEqual(["a?size=small"]);
    asked[0]?.answer();
    await settle();
    store.keep([]);
    expect(store.state("a", "small").state).toBe("there");
    forget();
    store.keep([]);
    expect([store.state("a", "small").state, urls.size]).toEqual(["coming", 0]);
  });

  it("takes an image that is unreadable or damaged as missing, and does not ask again", async () => {
    const told = vi.fn();
    store.watch("unreadable", "full", told);
    store.watch("damaged", "full", told);
    asked[0]?.answer(new ApiError(404, "unreadable", "no image", 0));
    asked[1]?.answer();
    await settle(60_000);
    expect(["unreadable", "damaged"].map((name) => store.state(name, "full").state)).toEqual([
      "missing",
      "missing",
    ]);
    expect([told.mock.calls.length, asked.length]).toEqual([2, 2]);
  });

  it("says that an image is not held, and asks again with growing pauses", async () => {
    store.keep(full("a", "b"));
    for (const { answer } of asked) answer(new ApiError(404, "not_found", "not yours", 0));
    await settle();
    // There is one request for both.
    expect([notHeld.mock.calls.length, store.state("a", "full").state]).toEqual([1, "coming"]);
    await settle(1020);
    expect(paths()).toEqual(["a", "b", "a", "b"]);
    asked[2]?.answer();
    asked[3]?.answer(new ApiError(404, "not_found", "not yours", 0));
    await settle();
    expect(["a", "b"].map((name) => store.state(name, "full").state)).toEqual(["there", "coming"]);
    expect(notHeld.mock.calls.length).toBe(2);
    await settle(1900);
    expect(asked.length).toBe(4);
    await settle(200);
    asked[4]?.answer();
    await settle();
    expect(store.state("b", "full").state).toBe("there");
  });

  it("takes what a proxy says for no word about the image", async () => {
    store.keep(full("a"));
    asked[0]?.answer(new ApiError(404, "", "Not Found", 0));
    await settle();
    expect([store.state("a", "full").state, notHeld.mock.calls.length]).toEqual(["coming", 0]);
  });

  it("tries again what failed, without keeping the others back", async () => {
    store.keep(full("a", "b", "c", "d", "e"));
    asked[0]?.answer(new NoConnection("cut"));
    await settle();
    expect(paths()).toEqual(["a", "b", "c", "d", "e"]);
    asked[1]?.answer();
    await settle(900);
    expect(asked.length).toBe(5);
    await settle(200);
    expect(paths().at(-1)).toBe("a");
    asked.at(-1)?.answer();
    await settle();
    expect(store.state("a", "full").state).toBe("there");
  });

  it("tries again at once when the connection is back", async () => {
    store.keep(full("a"));
    asked[0]?.answer(new NoConnection("cut"));
    await settle();
    store.retryNow();
    expect(paths()).toEqual(["a", "a"]);
  });
});
