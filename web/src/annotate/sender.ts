// Sends queued answers to the server and requests further screens. It sends one request at a time,
// in pieces, repeatedly until the server has reported the outcome of each answer.

import {
  ApiError,
  type Connection,
  LIMIT,
  type TakenScreen,
  type Work,
  type WorkRequest,
} from "../shared/api";
import type { AnswerQueue, QueuedScreen } from "./queue";

export interface SenderEvents {
  /// Screens that the page has and has not answered, and the number of further ones that it wants.
  demand(): { holding: string[]; wanted: number };
  /// The server answered. The entries named in `taken` were removed from the queue.
  arrived(work: Work, sent: QueuedScreen[]): void;
  /// The server did not answer. The request is repeated in `seconds`.
  trouble(kind: "offline" | "busy" | "error", message: string): void;
  /// The server cannot read an answer, or it is too large. It was removed from the queue.
  dropped(entry: QueuedScreen, message: string): void;
  /// Repeating the request does not help: status 401 or 403.
  stopped(error: ApiError): void;
}

const LONGEST_WAIT = 15;

export class Sender {
  private sending = false;
  private again = false;
  private over = false;
  private failures = 0;
  private piece = LIMIT;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly connection: Pick<Connection, "post">,
    private readonly queue: AnswerQueue,
    private readonly events: SenderEvents,
  ) {}

  /// Sends the queued answers now, or as soon as the current request is done. After a failure, only
  /// the timer, or retryNow(), tries again: an answer given offline must not cause many requests.
  poke(): void {
    if (this.over) return;
    if (this.sending) this.again = true;
    else if (this.timer === undefined || this.failures === 0) void this.send();
  }

  retryNow(): void {
    this.failures = 0;
    this.poke();
  }

  /// Repeats the request after this number of seconds, unless another request comes first.
  pokeIn(seconds: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.timer = undefined;
      if (this.sending) this.again = true;
      else if (!this.over) void this.send();
    }, seconds * 1000);
  }

  private async send(): Promise<void> {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.sending = true;
    this.again = false;
    const waiting = this.queue.entries();
    const sent = waiting.slice(0, this.piece);
    try {
      const work = await this.connection.post<Work>("/api/work", this.request(waiting, sent));
      this.failures = 0;
      this.settle(work.taken);
      this.sending = false;
      this.events.arrived(work, sent);
      if (this.queue.entries().length > 0 && work.taken.length > 0) this.again = true;
      if (this.queue.entries().length === 0) this.piece = LIMIT;
    } catch (error) {
      this.sending = false;
      this.failed(error, sent);
      return;
    }
    if (this.again && !this.sending) void this.send();
  }

  /// Screens whose answers are sent in a later piece are still held.
  private request(waiting: QueuedScreen[], sent: QueuedScreen[]): WorkRequest {
    const { holding, wanted } = this.events.demand();
    const later = waiting.slice(sent.length).map((entry) => entry.screen);
    const held = [...new Set([...later, ...holding])].slice(0, LIMIT);
    const given = sent.map(({ at: _, ...one }) => one);
    return { given, holding: held, wanted };
  }

  private settle(taken: TakenScreen[]): void {
    for (const { key } of taken) this.queue.remove(key);
  }

  private failed(error: unknown, sent: QueuedScreen[]): void {
    const known = error instanceof ApiError ? error : null;
    if (known?.status === 401 || known?.status === 403) {
      this.over = true;
      this.events.stopped(known);
      return;
    }
    if (known && this.divide(known, sent)) return;
    this.failures += 1;
    const busy = known?.status === 429 || known?.status === 503;
    this.events.trouble(known ? (busy ? "busy" : "error") : "offline", known?.message ?? "");
    const backOff = Math.min(LONGEST_WAIT, 2 ** (this.failures - 1)) * (0.75 + Math.random() / 2);
    this.pokeIn(Math.max(known?.retryAfter ?? 0, backOff));
  }

  /// Answers that the server cannot read, or that are too large together, are sent in smaller
  /// pieces at once. A single refused answer is dropped, so that it does not block the others
  /// forever. A response of a proxy never drops an answer, because the code must come from this
  /// server.
  private divide(error: ApiError, sent: QueuedScreen[]): boolean {
    const unread = error.code === "bad_request";
    const tooLarge = error.status === 413;
    const [entry] = sent;
    if (!entry || !(unread || tooLarge)) return false;
    if (sent.length > 1) {
      this.piece = unread ? 1 : Math.floor(sent.length / 2);
    } else {
      if (!unread && error.code !== "too_large") return false;
      this.queue.remove(entry.key);
      this.events.dropped(entry, error.message);
      this.piece = LIMIT;
    }
    void this.send();
    return true;
  }
}
