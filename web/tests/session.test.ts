import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Past } from "../src/annotate/past";
import { AnswerQueue } from "../src/annotate/queue";
import { PATIENCE, Session } from "../src/annotate/session";
import {
  type Answer,
  ApiError,
  NoConnection,
  type Screen,
  type TakenScreen,
  type Welcome,
  type Work,
  type WorkRequest,
} from "../src/shared/api";
import { MemoryStorage } from "./memory_storage";

const WELCOME: Welcome = {
  ...{ version: 1, study: "b1d5", title: "T", name: "Ada", task: "yes-no", ahead: 3 },
  ...{ training: 0, training_done: 0, paused: false },
};

/// The server in the form that a session sees. `behave` decides about each request.
class FakeServer {
  requests: WorkRequest[] = [];
  kept = new Map<string, WorkRequest["given"][number]>();
  state: Work["state"] = "work";
  screens: Screen[];
  refuse = new Set<string>();
  behave: () => Promise<void> = async () => {};

  constructor(count: number, training = 0) {
    this.screens = Array.from({ length: count }, (_, at) => ({
      screen: `s${at}`,
      training: at < training,
      labels: [{ id: "l", name: "cat", definition: "", synonyms: [] }],
      cells: [{ question: `q${at}`, label: 0 }],
      said: [],
    }));
  }

  async post<T>(_path: string, body: unknown): Promise<T> {
    const request = structuredClone(body) as WorkRequest;
    this.requests.push(request);
    await this.behave();
    const taken = request.given.map((given): TakenScreen => {
      const key = given.key;
      if (this.refuse.has(given.screen)) {
        return { key, state: "refused", message: "too late", feedback: [] };
      }
      const state = this.kept.has(key) ? "repeated" : "recorded";
      this.kept.set(key, given);
      const screen = this.screens.find((one) => one.screen === given.screen);
      const question = given.answers[0]?.question ?? "";
      const correct = given.answers[0]?.answer === "yes";
      const feedback = screen?.training ? [{ question, known: "yes" as const, correct }] : [];
      return { key, state, message: "", feedback };
    });
    const done = new Set([...this.kept.values()].map((given) => given.screen));
    const open = this.screens.filter(
      ({ screen }) => !done.has(screen) && !request.holding.includes(screen),
    );
    const screens = this.state === "work" ? open.slice(0, request.wanted) : [];
    const left = this.screens.length - done.size;
    const state = this.state === "work" && left === 0 ? "nothing" : this.state;
    const answered = done.size;
    const work: Work = { state, taken, screens, answered, left, training: 0, training_done: 0 };
    return work as T;
  }

  async get<T>(path: string): Promise<T> {
    const screen = this.screens.find((one) => path === `/api/screen/${one.screen}`);
    if (!screen) throw new ApiError(404, "not_found", "no such screen", 0);
    return { ...screen, said: ["no"] } as T;
  }

  said(): string[] {
    return [...this.kept.values()].map((given) => `${given.screen} ${given.answers[0]?.answer}`);
  }
}

const unreachable = async () => {
  throw new NoConnection("down");
};
const failing =
  (status: number, code: string, retryAfter = 0) =>
  async () => {
    throw new ApiError(status, code, "told so", retryAfter);
  };

let server: FakeServer;
let storage: MemoryStorage;
let tab: MemoryStorage;
let session: Session;

function begin(): void {
  const connection = { get: server.get.bind(server), post: server.post.bind(server) };
  const [queue, past] = [new AnswerQueue(storage, "Ada"), new Past(tab, "Ada")];
  session = new Session(connection, queue, past, WELCOME, () => {});
  session.start();
}
async function settle(milliseconds = 0): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}
function give(answer: Answer): void {
  const question = session.view().screen?.cells[0]?.question ?? "";
  session.answer([{ question, answer }]);
}
const shown = () => session.view().screen?.screen;

beforeEach(async () => {
  vi.useFakeTimers();
  server = new FakeServer(10);
  storage = new MemoryStorage();
  tab = new MemoryStorage();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("a session with a connection", () => {
  it("starts with as many screens as it may hold", async () => {
    begin();
    expect(session.view().phase).toBe("starting");
    await settle();
    expect(server.requests).toEqual([{ given: [], holding: [], wanted: 3 }]);
    expect([session.view().phase, shown()]).toEqual(["working", "s0"]);
  });

  it("moves on when the answer is acknowledged, not before", async () => {
    begin();
    await settle();
    server.behave = () => new Promise((done) => setTimeout(done, 500));
    give("yes");
    await settle(499);
    expect([shown(), session.view().chosen?.[0]?.answer]).toEqual(["s0", "yes"]);
    await settle(1);
    expect([shown(), session.view().chosen]).toEqual(["s1", null]);
    expect(server.said()).toEqual(["s0 yes"]);
    expect(storage.length).toBe(0);
    expect(server.requests[1]).toMatchObject({ holding: ["s1", "s2"], wanted: 1 });
  });

  it("takes one answer to one screen", async () => {
    begin();
    await settle();
    give("yes");
    give("no");
    give("no");
    await settle();
    expect(server.said()).toEqual(["s0 yes"]);
  });

  it("goes through all, then has nothing to do, and looks again", async () => {
    begin();
    for (let at = 0; at < 10; at += 1) {
      await settle();
      give("no");
    }
    await settle();
    expect([server.kept.size, session.view().phase]).toEqual([10, "nothing"]);
    const before = server.requests.length;
    await settle(60_000);
    // The requests are after 5, 10, 15, 15 and 15 seconds.
    expect(server.requests.length - before).toBe(5);
    server.screens.push({ ...(server.screens[0] as Screen), screen: "s10" });
    await settle(15_000);
    expect([session.view().phase, shown()]).toEqual(["working", "s10"]);
  });

  it("says that it is paused, and goes on by itself", async () => {
    begin();
    await settle();
    server.state = "paused";
    give("yes");
    await settle();
    expect([session.view().phase, server.kept.size]).toEqual(["paused", 1]);
    give("yes");
    expect(storage.length).toBe(0);
    server.state = "work";
    await settle(5000);
    expect([session.view().phase, shown()]).toEqual(["working", "s1"]);
  });

  it("drops a refused answer, and says so", async () => {
    begin();
    await settle();
    server.refuse.add("s0");
    give("yes");
    await settle();
    expect([shown(), storage.length]).toEqual(["s1", 0]);
    expect(session.view().notice).toEqual({ key: "refused", values: { message: "too late" } });
    expect(session.view().canUndo).toBe(false);
  });

  it("skips a screen without its image, for a while even if it comes again", async () => {
    begin();
    await settle();
    session.skip("s0");
    await settle();
    expect([shown(), session.view().notice?.key]).toEqual(["s1", "image_skipped"]);
    expect(server.kept.size).toBe(0);
  });
});

describe("training", () => {
  it("waits for the known answer, and then for the annotator", async () => {
    server = new FakeServer(4, 1);
    begin();
    await settle();
    give("no");
    await settle();
    expect([session.view().phase, shown()]).toEqual(["feedback", "s0"]);
    expect(session.view().feedback).toEqual([{ question: "q0", known: "yes", correct: false }]);
    give("yes");
    expect(server.said()).toEqual(["s0 no"]);
    session.proceed();
    expect([session.view().phase, shown()]).toEqual(["working", "s1"]);
    expect(session.view().canUndo).toBe(false);
  });

  it("does not move on without a connection", async () => {
    server = new FakeServer(4, 1);
    begin();
    await settle();
    server.behave = unreachable;
    give("yes");
    await settle(10_000);
    expect([shown(), session.view().trouble]).toEqual(["s0", "offline"]);
    server.behave = async () => {};
    await settle(20_000);
    expect([session.view().phase, session.view().feedback[0]?.correct]).toEqual(["feedback", true]);
  });
});

describe("a session without a connection", () => {
  it("keeps answers, moves on, and sends each once when it is back", async () => {
    begin();
    await settle();
    server.behave = unreachable;
    for (const answer of ["yes", "no", "cannot-say"] as const) {
      give(answer);
      await settle();
    }
    expect([session.view().phase, session.view().kept]).toEqual(["waiting", 3]);
    expect([session.view().trouble, storage.length]).toEqual(["offline", 3]);
    server.behave = async () => {};
    session.sender.retryNow();
    await settle();
    expect(server.said()).toEqual(["s0 yes", "s1 no", "s2 cannot-say"]);
    expect([storage.length, session.view().trouble, shown()]).toEqual([0, "none", "s3"]);
    expect(session.view().notice?.key).toBe("online_again");
  });

  it("moves on when the acknowledgement takes too long, and sends nothing twice", async () => {
    begin();
    await settle();
    server.behave = () => new Promise((done) => setTimeout(done, 4000));
    give("yes");
    await settle(PATIENCE - 1);
    expect(shown()).toBe("s0");
    await settle(1);
    expect([shown(), session.view().trouble]).toEqual(["s1", "offline"]);
    give("no");
    expect(shown()).toBe("s2");
    await settle(10_000);
    expect(server.said()).toEqual(["s0 yes", "s1 no"]);
    expect(server.requests.flatMap((one) => one.given).length).toBe(2);
  });

  it("repeats with the same key what may have arrived", async () => {
    begin();
    await settle();
    const post = server.post.bind(server);
    let lost = 0;
    // The first acknowledgement is lost after the server has stored the answer.
    server.post = async <T>(path: string, body: unknown): Promise<T> => {
      const work = await post<T>(path, body);
      if (lost === 0 && (body as WorkRequest).given.length > 0) {
        lost += 1;
        throw new NoConnection("cut");
      }
      return work;
    };
    begin();
    await settle();
    give("yes");
    await settle(20_000);
    const sent = server.requests.flatMap((one) => one.given).filter((one) => one.screen === "s0");
    expect(new Set(sent.map((one) => one.key)).size).toBe(1);
    expect([lost, server.kept.size, storage.length]).toEqual([1, 1, 0]);
  });

  it("tries again with growing pauses of at most some 15 seconds", async () => {
    server.behave = unreachable;
    begin();
    await settle(60_000);
    // The requests are near 0, 1, 3, 7, 15, 30, 45 and 60 seconds.
    expect(server.requests.length).toBeGreaterThanOrEqual(6);
    expect(server.requests.length).toBeLessThanOrEqual(10);
    expect([session.view().phase, session.view().trouble]).toEqual(["starting", "offline"]);
  });

  it("does not hammer a server that is down, however many answers come", async () => {
    begin();
    await settle();
    server.behave = unreachable;
    const before = server.requests.length;
    for (let at = 0; at < 3; at += 1) {
      give("yes");
      await settle(10);
    }
    expect(server.requests.length - before).toBe(1);
  });

  it("sends after a reload what was kept before", async () => {
    begin();
    await settle();
    server.behave = unreachable;
    give("yes");
    await settle();
    server.behave = async () => {};
    begin();
    await settle();
    expect([server.said(), storage.length]).toEqual([["s0 yes"], 0]);
  });

  it("waits as long as the server asks for", async () => {
    begin();
    await settle();
    server.behave = failing(503, "busy", 30);
    give("yes");
    await settle(29_000);
    expect([server.requests.length, session.view().trouble]).toEqual([2, "busy"]);
    server.behave = async () => {};
    await settle(2000);
    expect([server.said(), session.view().trouble]).toEqual([["s0 yes"], "none"]);
  });

  it("sends many in pieces of sixteen, in order, and holds what waits", async () => {
    const queue = new AnswerQueue(storage, "Ada");
    for (let at = 0; at < 40; at += 1) {
      const answers = [{ question: `q${at}`, answer: "no" as const }];
      queue.add({ screen: `s${at}`, key: `key-${1000 + at}`, answers });
    }
    server = new FakeServer(60);
    begin();
    await settle();
    expect(server.requests.map((one) => one.given.length).slice(0, 3)).toEqual([16, 16, 8]);
    expect(server.requests[0]?.holding).toEqual(
      Array.from({ length: 16 }, (_, at) => `s${at + 16}`),
    );
    expect(server.said()).toEqual(Array.from({ length: 40 }, (_, at) => `s${at} no`));
    expect(shown()).toBe("s40");
  });
});

describe("a session that is refused", () => {
  it("stops at a link that was taken back, and keeps the answers", async () => {
    begin();
    await settle();
    server.behave = failing(403, "revoked");
    give("yes");
    await settle(60_000);
    expect([session.view().phase, session.view().stopped?.code]).toEqual(["stopped", "revoked"]);
    expect([storage.length, server.requests.length]).toEqual([1, 2]);
    server.behave = async () => {};
    begin();
    await settle();
    expect([server.said(), storage.length]).toEqual([["s0 yes"], 0]);
  });

  it("finds the one answer that cannot be read, and sends the others", async () => {
    const queue = new AnswerQueue(storage, "Ada");
    for (const name of ["s0", "bad", "s2"]) {
      const answers = [{ question: name, answer: "no" as const }];
      queue.add({ screen: name, key: `key-of-${name}`, answers });
    }
    server.behave = async () => {
      const given = server.requests.at(-1)?.given ?? [];
      if (given.some((one) => one.screen === "bad")) {
        throw new ApiError(400, "bad_request", "no such field", 0);
      }
    };
    begin();
    await settle(30_000);
    expect([server.said(), storage.length]).toEqual([["s0 no", "s2 no"], 0]);
    expect(session.view().phase).toBe("working");
  });

  it("halves what is too large together, and drops nothing", async () => {
    const queue = new AnswerQueue(storage, "Ada");
    for (let at = 0; at < 10; at += 1) {
      const answers = [{ question: `q${at}`, answer: "no" as const }];
      queue.add({ screen: `s${at}`, key: `key-${1000 + at}`, answers });
    }
    server.behave = async () => {
      // A proxy in front of the server may have the same limits, and its responses have no code of
      // this server.
      if ((server.requests.at(-1)?.given.length ?? 0) > 3) throw new ApiError(413, "", "large", 0);
    };
    begin();
    await settle();
    expect(server.requests.map((one) => one.given.length).slice(0, 7)).toEqual([
      10, 5, 2, 2, 2, 2, 2,
    ]);
    expect(server.said()).toEqual(Array.from({ length: 10 }, (_, at) => `s${at} no`));
    expect([storage.length, session.view().trouble]).toEqual([0, "none"]);
  });

  it("drops the one answer that is too large alone, says so, and sends the others", async () => {
    const queue = new AnswerQueue(storage, "Ada");
    for (const name of ["s0", "s1", "s2", "s3"]) {
      const answers = [{ question: name, answer: "no" as const }];
      queue.add({ screen: name, key: `key-of-${name}`, answers });
    }
    server.behave = async () => {
      const given = server.requests.at(-1)?.given ?? [];
      if (given.some((one) => one.screen === "s2")) {
        throw new ApiError(413, "too_large", "more than 512 KiB", 0);
      }
    };
    begin();
    await settle();
    expect([server.said(), storage.length]).toEqual([["s0 no", "s1 no", "s3 no"], 0]);
    const values = { message: "more than 512 KiB" };
    expect(session.view().notice).toEqual({ key: "refused", values });
  });

  it("does not go back to an answer that was dropped", async () => {
    begin();
    await settle();
    for (const code of ["bad_request", "too_large"]) {
      const refuse = failing(code === "too_large" ? 413 : 400, code);
      server.behave = async () => {
        if ((server.requests.at(-1)?.given.length ?? 0) > 0) await refuse();
      };
      give("yes");
      await settle();
      expect([storage.length, session.view().canUndo]).toEqual([0, false]);
    }
  });

  it("counts the answer that was under way when it stopped", async () => {
    begin();
    await settle();
    server.behave = failing(403, "revoked");
    give("yes");
    await settle();
    expect([session.view().phase, session.view().kept]).toEqual(["stopped", 1]);
  });

  it("says how many answers the browser does not keep, until they are sent", async () => {
    storage = MemoryStorage.full();
    begin();
    await settle();
    server.behave = () => new Promise((done) => setTimeout(done, 100));
    give("yes");
    // An answer that is being sent is stored in a moment, so it needs no note.
    expect(session.view().unstored).toBe(0);
    await settle(100);
    server.behave = unreachable;
    give("no");
    await settle();
    expect([session.view().kept, session.view().unstored]).toEqual([1, 1]);
    server.behave = async () => {};
    session.sender.retryNow();
    await settle();
    expect([session.view().kept, session.view().unstored]).toEqual([0, 0]);
  });

  it("keeps every answer whatever something else than the server says", async () => {
    begin();
    await settle();
    for (const status of [400, 404, 413, 418, 500, 502]) {
      server.behave = failing(status, "");
      give("yes");
      await settle(20_000);
    }
    expect([storage.length, session.view().trouble]).toEqual([3, "error"]);
  });
});

describe("undo", () => {
  it("goes back one by one, answers anew, and returns to the work", async () => {
    begin();
    for (const answer of ["yes", "no"] as const) {
      await settle();
      give(answer);
    }
    await settle();
    await session.undo();
    expect([shown(), session.view().review, session.view().screen?.said]).toEqual([
      "s1",
      true,
      ["no"],
    ]);
    await session.undo();
    expect([shown(), session.view().canUndo]).toEqual(["s0", false]);
    await session.undo();
    expect(shown()).toBe("s0");
    give("cannot-say");
    await settle();
    expect([shown(), session.view().review]).toEqual(["s2", false]);
    expect(server.said()).toEqual(["s0 yes", "s1 no", "s0 cannot-say"]);
    await session.undo();
    await session.undo();
    expect(session.view().screen?.said).toEqual(["cannot-say"]);
  });

  it("leaves an answer as it is", async () => {
    begin();
    await settle();
    give("yes");
    await settle();
    await session.undo();
    session.keepAnswer();
    await settle();
    expect([shown(), server.said()]).toEqual(["s1", ["s0 yes"]]);
  });

  it("works after a reload, and passes over what the server does not know", async () => {
    begin();
    await settle();
    give("yes");
    await settle();
    tab.setItem("assay.past.Ada", JSON.stringify(["s0", "gone", 5]));
    begin();
    await settle();
    await session.undo();
    expect(session.view().review).toBe(false);
    await session.undo();
    expect([shown(), session.view().screen?.said]).toEqual(["s0", ["no"]]);
  });

  it("forgets nothing because the server is busy", async () => {
    begin();
    await settle();
    give("yes");
    await settle();
    begin();
    await settle();
    const get = server.get.bind(server);
    for (const status of [429, 503, 500]) {
      server.get = failing(status, "busy") as typeof server.get;
      begin();
      await settle();
      await session.undo();
      expect([session.view().review, session.view().canUndo]).toEqual([false, true]);
      expect(session.view().notice?.values).toEqual({ message: "told so" });
    }
    server.get = get;
    begin();
    await settle();
    await session.undo();
    expect([shown(), session.view().review]).toEqual(["s0", true]);
  });

  it("is possible when nothing is left", async () => {
    server = new FakeServer(1);
    begin();
    await settle();
    give("yes");
    await settle();
    expect(session.view().phase).toBe("nothing");
    await session.undo();
    expect([session.view().phase, shown()]).toEqual(["working", "s0"]);
  });
});
