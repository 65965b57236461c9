// The server's interface (docs/labelling.md) with types. Every failure is one of two errors:
// NoConnection, or ApiError with the server's status, code and sentence.

export type Answer = "yes" | "no" | "cannot-say";
export type Task = "yes-no" | "grid" | "labels";

export interface LabelText {
  id: string;
  name: string;
  definition: string;
  synonyms: string[];
}
export interface Cell {
  question: string;
  label: number;
}
export interface Screen {
  screen: string;
  training: boolean;
  labels: LabelText[];
  cells: Cell[];
  said: Answer[];
  /// Tags of these answers.
  tags?: string[];
}
export interface Welcome {
  version: number;
  /// Together with the name, this identifies the owner of answers, because titles are not unique.
  study: string;
  title: string;
  name: string;
  task: Task;
  ahead: number;
  training: number;
  training_done: number;
  paused: boolean;
  /// Tags to suggest. Null, or absent from an older server, if this study takes none.
  tags?: string[] | null;
}
export interface QuestionAnswer {
  question: string;
  answer: Answer;
}
export interface GivenScreen {
  screen: string;
  key: string;
  answers: QuestionAnswer[];
  tags?: string[];
}
export interface Feedback {
  question: string;
  known: "yes" | "no";
  correct: boolean;
}
export interface TakenScreen {
  key: string;
  state: "recorded" | "repeated" | "refused";
  message: string;
  feedback: Feedback[];
}
export interface Work {
  state: "work" | "paused" | "nothing";
  taken: TakenScreen[];
  screens: Screen[];
  answered: number;
  left: number;
  training: number;
  training_done: number;
}
export interface WorkRequest {
  given: GivenScreen[];
  holding: string[];
  wanted: number;
}
export interface StringsReply {
  lang: string;
  dir: string;
  strings: Record<string, string>;
}

/// The largest numbers of answers, held screens and requested screens in one request.
export const LIMIT = 16;

export class NoConnection extends Error {}

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /// Seconds from the header Retry-After, or 0 for none.
    readonly retryAfter: number,
  ) {
    super(message);
  }
}

type Fetch = (path: string, init: RequestInit) => Promise<Response>;

export class Connection {
  constructor(
    private readonly token: string,
    private readonly fetcher: Fetch = (path, init) => fetch(path, init),
    private readonly patience = 20_000,
  ) {}

  async get<T>(path: string): Promise<T> {
    return (await (await this.request(path, { method: "GET" })).json()) as T;
  }

  async post<T>(path: string, body: unknown): Promise<T> {
    const headers = { "Content-Type": "application/json" };
    const init = { method: "POST", headers, body: JSON.stringify(body) };
    return (await (await this.request(path, init)).json()) as T;
  }

  async blob(path: string): Promise<Blob> {
    return (await this.request(path, { method: "GET" }, 3 * this.patience)).blob();
  }

  /// The body has the same time limit, because a connection may break off in the middle.
  private async request(
    path: string,
    init: RequestInit,
    patience = this.patience,
  ): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set("Authorization", `Bearer ${this.token}`);
    const signal = AbortSignal.timeout(patience);
    let response: Response;
    try {
      response = await this.fetcher(path, { ...init, headers, signal });
      const body = await response.arrayBuffer();
      if (response.ok) return new Response(body, { headers: response.headers });
      throw errorOf(response, new TextDecoder().decode(body));
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw new NoConnection(String(error));
    }
  }
}

/// A proxy in front of the server may answer with a format other than JSON.
function errorOf(response: Response, body: string): ApiError {
  let code = "";
  let message = response.statusText || `status ${response.status}`;
  try {
    const said = JSON.parse(body) as { error?: unknown; code?: unknown };
    if (typeof said.error === "string") message = said.error;
    if (typeof said.code === "string") code = said.code;
  } catch {
    // The status alone is sufficient.
  }
  const seconds = Number(response.headers.get("Retry-After") ?? 0);
  return new ApiError(response.status, code, message, Number.isFinite(seconds) ? seconds : 0);
}
