// The study's status every two seconds, as long as the page is visible.

import { ApiError, type Connection } from "../shared/api";
import type { ServiceStatus } from "./api";

const EVERY = 2000;

export interface Polled {
  status: ServiceStatus | null;
  /// "" if connected.
  failure: string;
  /// Whether repeating the request does not help.
  refused: ApiError | null;
}

export class Poll {
  private now: Polled = { status: null, failure: "", refused: null };
  private timer: ReturnType<typeof setTimeout> | undefined;
  private round = 0;

  constructor(
    private readonly connection: Pick<Connection, "get">,
    private readonly changed: (polled: Polled) => void,
  ) {}

  start(): void {
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") void this.ask();
      else clearTimeout(this.timer);
    });
    void this.ask();
  }

  /// Requests the status now, and then every two seconds. A response to an older request is
  /// ignored.
  async ask(): Promise<void> {
    clearTimeout(this.timer);
    this.round += 1;
    const { round } = this;
    let next: Polled;
    try {
      const status = await this.connection.get<ServiceStatus>("/api/organiser/status");
      next = { status, failure: "", refused: null };
    } catch (error) {
      const refused = error instanceof ApiError && [401, 403].includes(error.status) ? error : null;
      const failure = error instanceof ApiError ? error.message : "Not connected to the server.";
      next = { ...this.now, failure, refused };
    }
    if (round !== this.round) return;
    this.now = next;
    this.changed(next);
    if (!next.refused && document.visibilityState === "visible") {
      this.timer = setTimeout(() => void this.ask(), EVERY);
    }
  }
}
