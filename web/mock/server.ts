// Serves the study in memory over HTTP as in docs/labelling.md, with faults on demand.

import { readFile } from "node:fs/promises";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join, normalize } from "node:path";
import type { WorkRequest } from "../src/shared/api";
import english from "../strings/en.json" with { type: "json" };
import { shapeImage } from "./image.ts";
import { linkOf, ORGANISER, status } from "./organiser.ts";
import { DEFAULTS, type MockPerson, Study, type StudyOptions } from "./study.ts";

/// The answers at `/api/work`: none ("cut" closes the connection, "hang" keeps it), or a status.
export type Fault = null | "cut" | "hang" | { status: number; code: string; retryAfter?: number };

class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly retryAfter?: number,
  ) {
    super(message);
  }
}

export const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export class MockServer {
  study: Study;
  fault: Fault = null;
  strings: { lang: string; dir: string; strings: Record<string, string> };
  requests = 0;

  constructor(options: Partial<StudyOptions> = {}) {
    this.study = new Study({ ...DEFAULTS, ...options });
    const { lang, dir, ...strings } = english;
    this.strings = { lang, dir, strings };
  }

  /// Answers a request to the interface. Returns whether the request was one.
  async handle(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const url = new URL(request.url ?? "/", `http://${request.headers.host ?? "localhost"}`);
    if (!url.pathname.startsWith("/api/")) return false;
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    this.requests += 1;
    if (this.fault === "hang") return true;
    if (this.fault === "cut") {
      request.socket.destroy();
      return true;
    }
    try {
      const body = Buffer.concat(chunks).toString();
      this.answer(request.method ?? "GET", url, token(request), body, response);
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      const wait = error.retryAfter === undefined ? {} : { "Retry-After": error.retryAfter };
      response.writeHead(error.status, { "Content-Type": "application/json", ...wait });
      response.end(JSON.stringify({ error: error.message, code: error.code }));
    }
    return true;
  }

  private answer(
    method: string,
    url: URL,
    given: string,
    body: string,
    response: ServerResponse,
  ): void {
    const path = url.pathname.slice("/api/".length);
    if (path === "strings") return json(response, this.strings);
    if (path.startsWith("organiser/")) {
      if (given !== ORGANISER) throw new Refusal(403, "not_organiser", "This is the organiser's.");
      return this.organiser(path.slice("organiser/".length), url.origin, body, response);
    }
    const image = /^image\/(\w+)$/.exec(path)?.[1];
    if (image && given === ORGANISER) return this.image(image, url, response);
    const person = this.person(given);
    if (this.fault && typeof this.fault === "object") {
      const { status: code, code: word, retryAfter } = this.fault;
      throw new Refusal(code, word, "The server was told to refuse.", retryAfter);
    }
    if (image && !this.study.shows(person, image)) {
      throw new Refusal(404, "not_found", "This image is not yours to see now.");
    }
    if (image) return this.image(image, url, response);
    if (path === "welcome") return json(response, this.welcome(person));
    if (path === "work" && method === "POST") return json(response, this.work(person, body));
    const again = /^screen\/(\w+)$/.exec(path)?.[1];
    const screen = this.study.screens.find((one) => one.screen === again);
    const said = again ? person.given.get(again) : undefined;
    if (!screen || !said || screen.training) throw new Refusal(404, "not_found", "No such path.");
    const tags = person.tags.get(screen.screen) ?? [];
    json(response, { ...screen, said: screen.cells.map((cell) => said.get(cell.question)), tags });
  }

  private person(given: string): MockPerson {
    const person = this.study.people.find((one) => one.token === given);
    if (!person) throw new Refusal(401, "unknown_token", "This link is not known.");
    if (person.revoked) throw new Refusal(403, "revoked", "This link was taken back.");
    return person;
  }

  private welcome(person: MockPerson) {
    const { study, title, task, ahead, training, tags } = this.study.options;
    const { name, trainingDone: training_done } = person;
    const { paused } = this.study;
    const counts = { ahead, training, training_done };
    return { version: 1, study, title, name, task, ...counts, paused, tags };
  }

  private work(person: MockPerson, body: string) {
    const asked = JSON.parse(body) as WorkRequest;
    const taken = asked.given.map((given) => this.study.take(person, given));
    const screens = this.study.next(person, asked.holding, asked.wanted);
    const left = this.study.left(person);
    const state = this.study.paused ? "paused" : left === 0 ? "nothing" : "work";
    const { training } = this.study.options;
    const answered = person.given.size;
    return { state, taken, screens, answered, left, training, training_done: person.trainingDone };
  }

  private image(question: string, url: URL, response: ServerResponse): void {
    if (this.study.broken.has(question)) throw new Refusal(404, "unreadable", "No such image.");
    const seed = [...question].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 9973, 7);
    const small = url.searchParams.get("size") === "small";
    const [width, height] = seed % 7 === 0 ? [32, 32] : small ? [160, 120] : [800, 600];
    const bytes = shapeImage(seed, width, height);
    response.writeHead(200, { "Content-Type": "image/png", "Content-Length": bytes.length });
    later(() => response.end(bytes));
  }

  private organiser(path: string, origin: string, body: string, response: ServerResponse): void {
    if (path === "status") return json(response, status(this.study, origin));
    if (path === "answers.csv") {
      response.writeHead(200, { "Content-Type": "text/csv; charset=utf-8" });
      response.end("item,label,class,annotator,answer,question,at\n");
      return;
    }
    const asked = JSON.parse(body) as Record<string, unknown>;
    const ids = /^people\/(\d+)$/.exec(path)?.[1];
    const known = this.study.people.find((person) => person.id === Number(ids));
    if (path === "pause") this.study.paused = asked["pause"] === true;
    else if (path === "retry") this.study.broken.clear();
    else if (path === "block") {
      const person = this.study.people.find((one) => one.name === asked["name"]);
      if (person) person.blocked = asked["block"] === true;
    } else if (path === "people" || known) {
      const person = known ?? this.study.add(String(asked["add"]));
      if (asked["new_link"] === true) person.token = `${person.token}-new`;
      if (typeof asked["revoke"] === "boolean") person.revoked = asked["revoke"];
      const { id, name, revoked } = person;
      return json(response, { id, name, link: linkOf(person, origin), revoked });
    } else throw new Refusal(404, "not_found", "No such path.");
    json(response, {});
  }
}

function token(request: IncomingMessage): string {
  return (request.headers.authorization ?? "").replace(/^Bearer /, "");
}

function json(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  later(() => response.end(JSON.stringify(value)));
}

/// ASSAY_MOCK_DELAY makes each answer and image this many milliseconds late, after its request has acted.
/// Tests that count on a fast server fail then.
function later(respond: () => void): void {
  const delay = Number(process.env["ASSAY_MOCK_DELAY"] ?? 0);
  if (delay > 0) setTimeout(respond, delay);
  else respond();
}

const TYPES: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/// Serves the built pages and the interface, with the real server's content security policy.
export async function listen(
  mock: MockServer,
  built: string,
): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    void mock.handle(request, response).then(async (done) => {
      if (done) return;
      const { pathname } = new URL(request.url ?? "/", "http://localhost");
      const pages: Record<string, string> = { "/": "index.html", "/organiser": "organiser.html" };
      const file = normalize(pages[pathname] ?? pathname.slice(1));
      try {
        const bytes = await readFile(join(built, file.replace(/^(\.\.[/\\])+/, "")));
        const type = TYPES[extname(file)] ?? "application/octet-stream";
        response.writeHead(200, { "Content-Type": type, "Content-Security-Policy": POLICY });
        response.end(bytes);
      } catch {
        response.writeHead(404).end();
      }
    });
  });
  await new Promise<void>((ready) => server.listen(0, "127.0.0.1", ready));
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}
