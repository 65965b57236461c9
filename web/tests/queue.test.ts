import { describe, expect, it, vi } from "vitest";
import { AnswerQueue, keptInAll, newKey } from "../src/annotate/queue";
import type { GivenScreen } from "../src/shared/api";
import { MemoryStorage } from "./memory_storage";

function given(screen: string, key = newKey()): GivenScreen {
  return { screen, key, answers: [{ question: `${screen}q`, answer: "yes" }] };
}
const screens = (queue: AnswerQueue) => queue.entries().map((entry) => entry.screen);

describe("newKey", () => {
  it("is what the interface allows, and another each time", () => {
    const keys = Array.from({ length: 100 }, newKey);
    for (const key of keys) expect(key).toMatch(/^[0-9a-f]{32}$/);
    expect(new Set(keys).size).toBe(100);
  });
});

describe("keptInAll", () => {
  it("counts answers of everybody, and nothing else", () => {
    const storage = new MemoryStorage();
    new AnswerQueue(storage, "Ada").add(given("one"));
    new AnswerQueue(storage, "Grace").add(given("two"));
    storage.setItem("assay.token", "token-of-ada");
    expect([keptInAll(storage), keptInAll(null)]).toEqual([2, 0]);
  });
});

describe("AnswerQueue", () => {
  it("is empty at first", () => {
    expect(new AnswerQueue(new MemoryStorage(), "Ada").entries()).toEqual([]);
  });

  it("keeps the order, also of answers within one millisecond", () => {
    const queue = new AnswerQueue(new MemoryStorage(), "Ada");
    const names = Array.from({ length: 20 }, (_, at) => `s${at}`);
    for (const name of names) queue.add(given(name));
    expect(screens(queue)).toEqual(names);
  });

  it("keeps the order after a reload, also where the clock was set back", () => {
    vi.useFakeTimers({ now: 2_000_000 });
    const storage = new MemoryStorage();
    new AnswerQueue(storage, "Ada").add(given("first"));
    vi.setSystemTime(1_000_000);
    const queue = new AnswerQueue(storage, "Ada");
    for (const name of ["second", "third"]) queue.add(given(name));
    vi.useRealTimers();
    expect(screens(queue)).toEqual(["first", "second", "third"]);
  });

  it("knows what is not stored, and stores it when there is room", () => {
    expect(new AnswerQueue(new MemoryStorage(), "Ada").unstored()).toEqual([]);
    const without = new AnswerQueue(null, "Ada");
    without.add(given("one", "key-of-one"));
    expect(without.unstored()).toEqual(["key-of-one"]);
    const storage = new MemoryStorage();
    const queue = new AnswerQueue(storage, "Ada");
    queue.add(given("one", "key-of-one"));
    const full = vi.spyOn(storage, "setItem").mockImplementation(() => {
      throw new DOMException("full", "QuotaExceededError");
    });
    for (const name of ["two", "three"]) queue.add(given(name, `key-of-${name}`));
    expect(queue.unstored()).toEqual(["key-of-two", "key-of-three"]);
    queue.remove("key-of-two");
    expect(queue.unstored()).toEqual(["key-of-three"]);
    full.mockRestore();
    queue.remove("key-of-one");
    expect(queue.unstored()).toEqual([]);
    expect(screens(new AnswerQueue(storage, "Ada"))).toEqual(["three"]);
  });

  it("is there after a reload, and empty once each was acknowledged", () => {
    const storage = new MemoryStorage();
    const one = given("one");
    new AnswerQueue(storage, "Ada").add(one);
    const later = new AnswerQueue(storage, "Ada");
    expect(later.entries()[0]).toMatchObject(one);
    later.remove(one.key);
    expect(storage.length).toBe(0);
  });

  it("sees the answers of another tab, and loses none to it", () => {
    const storage = new MemoryStorage();
    const [left, right] = [new AnswerQueue(storage, "Ada"), new AnswerQueue(storage, "Ada")];
    left.add(given("left"));
    right.add(given("right"));
    expect(screens(left).sort()).toEqual(["left", "right"]);
    expect(screens(right).sort()).toEqual(["left", "right"]);
  });

  it("leaves other people's answers alone, whatever their names", () => {
    const storage = new MemoryStorage();
    new AnswerQueue(storage, "Ada").add(given("hers"));
    for (const name of ["Grace", "Ad", "Ada.", "", "Ada/../", "__proto__"]) {
      expect(screens(new AnswerQueue(storage, name))).toEqual([]);
    }
  });

  it("keeps answers in the tab where storage is full or absent", () => {
    for (const storage of [MemoryStorage.full(), null]) {
      const queue = new AnswerQueue(storage, "Ada");
      const entry = given("one");
      queue.add(entry);
      expect(screens(queue)).toEqual(["one"]);
      queue.remove(entry.key);
      expect(queue.entries()).toEqual([]);
    }
  });

  it("passes over what is damaged", () => {
    const storage = new MemoryStorage();
    const queue = new AnswerQueue(storage, "Ada");
    queue.add(given("whole"));
    const bad = [
      "",
      "{",
      "null",
      "[]",
      JSON.stringify({ ...given("s", "short"), at: 1 }),
      JSON.stringify({ ...given("s"), at: "now" }),
      JSON.stringify({ ...given("s", "another-key-than-its-name"), at: 1 }),
      JSON.stringify({ screen: "s", key: "longenough0", at: 1, answers: [{ question: 1 }] }),
    ];
    bad.forEach((text, at) => {
      storage.setItem(`assay.answer.Ada.longenough${at}`, text);
    });
    expect(screens(queue)).toEqual(["whole"]);
  });
});
