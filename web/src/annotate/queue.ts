// Answers that the server has not acknowledged yet. Each is a separate entry in localStorage, so
// that two tabs of one person cannot overwrite each other's. An entry is removed only when the
// server has reported its outcome. If storage fails, answers are kept until the tab is closed.

import type { Answer, GivenScreen } from "../shared/api";

export interface QueuedScreen extends GivenScreen {
  /// Time in milliseconds. Entries are sent in this order.
  at: number;
}

/// 32 hexadecimal digits. Not crypto.randomUUID(), which does not exist without TLS.
export function newKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

const PREFIX = "assay.answer.";

/// Queued answers of all people in this browser.
export function keptInAll(storage: Storage | null): number {
  try {
    return Object.keys(storage ?? {}).filter((name) => name.startsWith(PREFIX)).length;
  } catch {
    return 0;
  }
}

export class AnswerQueue {
  private readonly own = new Map<string, QueuedScreen>();
  private readonly refused = new Set<string>();
  private readonly prefix: string;
  private last = 0;

  /// `owner` is the person of the answers. Answers of others on the same computer do not change.
  constructor(
    private readonly storage: Storage | null,
    owner: string,
  ) {
    this.prefix = `${PREFIX}${encodeURIComponent(owner)}.`;
    // A clock that was set back does not put a later answer before an earlier one.
    for (const entry of this.stored()) this.last = Math.max(this.last, entry.at);
  }

  add(given: GivenScreen): void {
    this.last = Math.max(Date.now(), this.last + 1);
    const entry = { ...given, at: this.last };
    this.own.set(given.key, entry);
    this.store(entry);
  }

  /// Keys of the answers that storage has not accepted. They are lost when the tab is closed.
  unstored(): string[] {
    return [...this.refused];
  }

  /// If storage is full or forbidden, `own` keeps the entry.
  private store(entry: QueuedScreen): void {
    try {
      if (!this.storage) throw new Error("no storage");
      this.storage.setItem(this.prefix + entry.key, JSON.stringify(entry));
      this.refused.delete(entry.key);
    } catch {
      this.refused.add(entry.key);
    }
  }

  remove(key: string): void {
    this.own.delete(key);
    try {
      this.storage?.removeItem(this.prefix + key);
    } catch {
      // The entry was never stored.
    }
    this.refused.delete(key);
    // There may be space now.
    for (const other of this.unstored()) {
      const entry = this.own.get(other);
      if (entry) this.store(entry);
    }
  }

  has(key: string): boolean {
    return this.own.has(key);
  }

  /// All queued answers of this tab and of others, in the order in which they were given.
  entries(): QueuedScreen[] {
    const found = new Map(this.stored().map((entry) => [entry.key, entry]));
    for (const [key, entry] of this.own) found.set(key, entry);
    return [...found.values()].sort((a, b) => a.at - b.at || (a.key < b.key ? -1 : 1));
  }

  private stored(): QueuedScreen[] {
    const entries: QueuedScreen[] = [];
    try {
      for (const name of Object.keys(this.storage ?? {})) {
        if (!name.startsWith(this.prefix)) continue;
        const entry = entryOf(this.storage?.getItem(name) ?? "");
        if (entry && name === this.prefix + entry.key) entries.push(entry);
      }
    } catch {
      // Storage became unavailable while the page was open.
    }
    return entries;
  }
}

/// A damaged entry must not block the others, so it is skipped.
function entryOf(text: string): QueuedScreen | null {
  try {
    const entry = JSON.parse(text) as Partial<QueuedScreen>;
    const whole =
      typeof entry.screen === "string" &&
      typeof entry.key === "string" &&
      /^[A-Za-z0-9-]{8,64}$/.test(entry.key) &&
      Number.isSafeInteger(entry.at) &&
      Array.isArray(entry.answers) &&
      entry.answers.every((one) => typeof one.question === "string" && isAnswer(one.answer)) &&
      (entry.tags === undefined || isTexts(entry.tags));
    return whole ? (entry as QueuedScreen) : null;
  } catch {
    return null;
  }
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

function isAnswer(value: unknown): value is Answer {
  return value === "yes" || value === "no" || value === "cannot-say";
}
