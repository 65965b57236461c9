// The state of the page and its steps. Components call answer(), undo(), proceed().
// The sender passes on the server's responses. All other code reads view().
//
// An answer is in the queue before anything else happens. The page continues when the server has
// stored it. If that takes too long, the page continues anyway while there are screens, and says
// so.

import {
  ApiError,
  type Connection,
  type Feedback,
  type GivenScreen,
  LIMIT,
  type QuestionAnswer,
  type Screen,
  type Welcome,
  type Work,
} from "../shared/api";
import type { TextKey, Values } from "../shared/strings";
import type { Past } from "./past";
import { type AnswerQueue, newKey, type QueuedScreen } from "./queue";
import { Sender } from "./sender";

export type Phase =
  | "starting"
  | "working"
  | "feedback"
  | "waiting"
  | "paused"
  | "nothing"
  | "stopped";
export interface Notice {
  key: TextKey;
  values: Values;
}
export interface View {
  phase: Phase;
  screen: Screen | null;
  /// The screen was answered before, and is shown again to change the answer.
  review: boolean;
  /// The answer was given, but is not yet acknowledged.
  chosen: QuestionAnswer[] | null;
  feedback: Feedback[];
  trouble: "none" | "offline" | "busy" | "error";
  message: string;
  /// The answers that wait in this browser.
  kept: number;
  /// Those that are lost when the page is closed.
  unstored: number;
  notice: Notice | null;
  answered: number;
  left: number;
  training: number;
  trainingDone: number;
  canUndo: boolean;
  stopped: ApiError | null;
  /// Tags to suggest, or null if this study takes none.
  tags: string[] | null;
}

/// Milliseconds after which the page continues without an acknowledgement.
export const PATIENCE = 1500;
/// The time in milliseconds for which a screen with a missing image is not shown.
const SKIP_FOR = 60_000;

export class Session {
  readonly sender: Sender;
  private ready: Screen[] = [];
  private review: Screen | null = null;
  private back = 0;
  private looking = false;
  private awaiting: (GivenScreen & { of: Screen }) | null = null;
  private feedback: Feedback[] = [];
  private last: Work | null = null;
  private trouble: View["trouble"] = "none";
  private message = "";
  private notice: Notice | null = null;
  private stopped: ApiError | null = null;
  private skipped = new Map<string, number>();
  private idle = 0;
  private readonly used: string[] = [];
  private patience: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly connection: Pick<Connection, "get" | "post">,
    private readonly queue: AnswerQueue,
    private readonly past: Past,
    private readonly welcome: Welcome,
    private readonly changed: () => void,
  ) {
    this.sender = new Sender(connection, queue, {
      demand: () => this.demand(),
      arrived: (work, sent) => this.arrived(work, sent),
      trouble: (kind, message) => this.troubled(kind, message),
      dropped: (entry, message) => this.dropped(entry, message),
      stopped: (error) => this.stop(error),
    });
  }

  start(): void {
    this.sender.poke();
  }

  view(): View {
    const waiting = this.queue.entries().filter((entry) => entry.key !== this.awaiting?.key);
    const phase = this.phase();
    const free = this.awaiting === null && this.feedback.length === 0;
    return {
      phase,
      screen: this.shown(),
      review: this.review !== null,
      chosen: this.awaiting?.answers ?? null,
      feedback: this.feedback,
      trouble: this.trouble,
      message: this.message,
      kept: waiting.length,
      unstored: this.queue.unstored().filter((key) => key !== this.awaiting?.key).length,
      notice: this.notice,
      answered: this.last?.answered ?? 0,
      left: this.last?.left ?? 0,
      training: this.last?.training ?? this.welcome.training,
      trainingDone: this.last?.training_done ?? this.welcome.training_done,
      canUndo: free && this.back < this.past.length && phase !== "paused" && phase !== "stopped",
      stopped: this.stopped,
      tags: this.welcome.tags ? [...new Set([...this.welcome.tags, ...this.used])] : null,
    };
  }

  /// The screens whose images are needed, with the current one first.
  upcoming(): Screen[] {
    const screens = this.review ? [this.review, ...this.ready] : [...this.ready];
    const next = this.past.at(this.back + 1)?.screen;
    if (next) screens.push(next);
    return screens;
  }

  answer(answers: QuestionAnswer[], tags: string[] = []): void {
    const screen = this.shown();
    if (!screen || this.awaiting || this.phase() !== "working") return;
    const key = newKey();
    const given: GivenScreen = { screen: screen.screen, key, answers };
    if (tags.length > 0) given.tags = tags;
    this.used.push(...tags.filter((tag) => !this.used.includes(tag)));
    this.queue.add(given);
    this.awaiting = { ...given, of: screen };
    this.notice = null;
    if (this.trouble !== "none" && !screen.training) this.moveOn();
    else this.patience = setTimeout(() => this.outOfPatience(), PATIENCE);
    this.sender.poke();
    this.changed();
  }

  /// Continues after the feedback of a training screen.
  proceed(): void {
    if (this.feedback.length === 0) return;
    this.feedback = [];
    this.moveOn();
    this.changed();
  }

  /// Goes back by one screen.
  async undo(): Promise<void> {
    if (this.looking || !this.view().canUndo) return;
    const entry = this.past.at(this.back + 1);
    if (!entry) return;
    this.looking = true;
    try {
      const path = `/api/screen/${encodeURIComponent(entry.token)}`;
      const screen = entry.screen ?? (await this.connection.get<Screen>(path));
      if (this.awaiting === null && this.feedback.length === 0) {
        this.review = screen;
        this.back += 1;
      }
    } catch (error) {
      this.undoFailed(entry.token, error);
    }
    this.looking = false;
    this.changed();
  }

  /// Screens that the server does not know are removed. For other errors, the sender finds the
  /// cause.
  private undoFailed(token: string, error: unknown): void {
    if (error instanceof ApiError && error.status === 404) return this.past.remove(token);
    if (error instanceof ApiError) {
      this.notice = { key: "server_error", values: { message: error.message } };
    } else this.trouble = "offline";
    this.sender.poke();
  }

  /// Keeps the earlier answer of a screen.
  keepAnswer(): void {
    if (this.awaiting) return;
    this.review = null;
    this.back = 0;
    this.changed();
  }

  /// The image of this screen cannot be shown.
  skip(token: string): void {
    if (this.awaiting?.screen === token || this.feedback.length > 0) return;
    if (this.review?.screen === token) this.keepAnswer();
    if (!this.ready.some((screen) => screen.screen === token)) return;
    this.ready = this.ready.filter((screen) => screen.screen !== token);
    this.skipped.set(token, Date.now());
    this.notice = { key: "image_skipped", values: {} };
    this.sender.poke();
    this.changed();
  }

  private shown(): Screen | null {
    return this.review ?? this.ready[0] ?? null;
  }

  private phase(): Phase {
    if (this.stopped) return "stopped";
    if (this.feedback.length > 0) return "feedback";
    if (this.last?.state === "paused") return "paused";
    if (this.shown()) return "working";
    if (this.last?.state === "nothing") return "nothing";
    return this.last ? "waiting" : "starting";
  }

  private demand(): { holding: string[]; wanted: number } {
    const unanswered = this.ready.filter((screen) => screen !== this.awaiting?.of);
    const holding = unanswered.map((screen) => screen.screen).slice(0, LIMIT);
    const wanted = Math.min(LIMIT, Math.max(0, this.welcome.ahead - holding.length));
    return { holding, wanted };
  }

  private arrived(work: Work, sent: QueuedScreen[]): void {
    if (this.trouble !== "none") {
      this.trouble = "none";
      this.notice = sent.length > 0 ? { key: "online_again", values: {} } : null;
    }
    this.last = work;
    this.take(work.screens);
    for (const taken of work.taken) {
      const refused = taken.state === "refused";
      if (taken.key === this.awaiting?.key) {
        clearTimeout(this.patience);
        if (taken.feedback.length > 0 && !refused) this.feedback = taken.feedback;
        else this.moveOn();
      }
      if (!refused) continue;
      this.notice = { key: "refused", values: { message: taken.message } };
      // There is nothing to go back to, because the server has no answer to this screen.
      const entry = sent.find((one) => one.key === taken.key);
      if (entry) this.past.remove(entry.screen);
    }
    this.rest();
    this.changed();
  }

  private take(screens: Screen[]): void {
    const known = new Set([...this.ready, ...this.queue.entries()].map((one) => one.screen));
    for (const screen of screens) {
      const skippedAt = this.skipped.get(screen.screen) ?? Number.NEGATIVE_INFINITY;
      if (known.has(screen.screen) || Date.now() - skippedAt < SKIP_FOR) continue;
      this.ready.push(screen);
    }
  }

  /// Checks for new questions if there are none now, soon at first, then every 15 seconds.
  private rest(): void {
    const working = this.last?.state === "work" && this.ready.length > 0;
    this.idle = working ? 0 : this.idle + 1;
    if (working) return;
    const first = this.last?.state === "work" ? 1 : 5;
    this.sender.pokeIn(Math.min(15, first * this.idle));
  }

  private moveOn(): void {
    clearTimeout(this.patience);
    const { awaiting } = this;
    this.awaiting = null;
    if (!awaiting) return;
    const { of: screen, answers, tags } = awaiting;
    this.ready = this.ready.filter((one) => one.screen !== screen.screen);
    this.review = null;
    this.back = 0;
    if (!screen.training) this.past.put(screen, answers, tags);
  }

  private outOfPatience(): void {
    if (!this.awaiting) return;
    if (this.trouble === "none") this.trouble = "offline";
    if (!this.awaiting.of.training) this.moveOn();
    this.changed();
  }

  private troubled(kind: "offline" | "busy" | "error", message: string): void {
    this.trouble = kind;
    this.message = message;
    if (this.awaiting && !this.awaiting.of.training) this.moveOn();
    this.changed();
  }

  private dropped(entry: QueuedScreen, message: string): void {
    this.notice = { key: "refused", values: { message } };
    if (this.awaiting?.key === entry.key) this.moveOn();
    // There is nothing to go back to, because the server has no answer to this screen.
    this.past.remove(entry.screen);
    this.changed();
  }

  private stop(error: ApiError): void {
    // The last answer is queued with the others.
    this.moveOn();
    this.stopped = error;
    this.changed();
  }
}
