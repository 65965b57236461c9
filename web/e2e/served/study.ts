// Simulated studies with known truth, and the real server for them: `assay serve` of the build that
// ASSAY names (default: build/release/bin/assay).

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { drawn } from "./drawing";

export const ASSAY = resolve(process.env["ASSAY"] ?? "../build/release/bin/assay");
if (!existsSync(ASSAY)) throw new Error(`${ASSAY}: no such program; ASSAY=PATH names another`);

export function assay(...args: string[]): string {
  return execFileSync(ASSAY, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
}

export const CLASSES = ["cat", "dog", "horse", "ship", "tree"];
/// Whether image number `image` shows `label`.
export const shows = (image: number, label: string) => CLASSES[image % CLASSES.length] === label;

export class World {
  readonly folder = mkdtempSync(join(tmpdir(), "assay-served-"));
  readonly images = join(this.folder, "images");

  /// `base` is the width of image number 0.
  constructor(
    readonly count: number,
    readonly base = 640,
  ) {
    mkdirSync(this.images);
    for (let i = 0; i < count; ++i) this.draw(i);
  }

  path(image: number): string {
    return join(this.images, `image-${image}.png`);
  }

  draw(image: number): void {
    const height = Math.round(this.base * 0.75);
    writeFileSync(this.path(image), drawn(this.base + image, height, image % 5, image));
  }

  read(name: string): string {
    return readFileSync(join(this.folder, name), "utf8");
  }

  write(name: string, lines: (string | number)[][]): string {
    const path = join(this.folder, name);
    writeFileSync(path, lines.map((line) => `${line.join(",")}\n`).join(""));
    return path;
  }

  /// Three classifiers, each correct on a third of the images. Each pair has questions
  /// about `k` images. `gold` of them have known answers.
  competition(k = 4, gold = 0, votes = 3): string {
    const all = Array.from({ length: this.count }, (_, i) => i);
    const list = this.write("items.csv", [["id"], ...all.map((i) => [`image-${i}.png`])]);
    const classes = this.write("classes.txt", [...CLASSES.map((name) => [name])]);
    const runs = join(this.folder, "runs");
    for (const model of [0, 1, 2]) {
      const rows = all.map((i) => {
        const predicted = i % 3 === model ? i % 5 : (i + 1 + model) % 5;
        const sure = 0.9 - 0.001 * i;
        const scores = CLASSES.map((_, c) => (c === predicted ? sure : (1 - sure) / 4));
        return [`image-${i}.png`, ...scores];
      });
      const scores = this.write(`model-${model}.csv`, [["id", ...CLASSES], ...rows]);
      assay(
        ...["import", scores, "--items", list, "--classes", classes, "--dataset-name", "crawl"],
        ...["--name", `model-${model}`, "--out", runs, "--quiet"],
      );
    }
    const folder = join(this.folder, "competition");
    assay(
      ...["mad", "init", folder, join(runs, "crawl"), "--images", this.images],
      ...["--distance", "zero-one", "--threshold", "0.5", "--cap-mode", "none"],
      ...["-k", String(k), "--votes", String(votes), "--gold", String(gold > 0 ? 0.3 : 0)],
    );
    assay("mad", "select", folder);
    const known = all
      .slice(0, gold)
      .map((i) => [`image-${i}.png`, CLASSES[i % 5] as string, "yes"]);
    const file = this.write("gold.csv", [["image", "label", "answer"], ...known]);
    assay("mad", "questions", folder, ...(gold > 0 ? ["--gold", file] : []));
    return folder;
  }

  /// Questions about every image and every label. Those of `known` images have known answers.
  questions(labels: string[], known = 0): string {
    const lines: string[][] = [["item", "label", "definition", "answer"]];
    for (let i = 0; i < this.count; ++i) {
      for (const label of labels) {
        const answer = i < known ? (shows(i, label) ? "yes" : "no") : "";
        lines.push([`image-${i}.png`, label, `a thing that is drawn as a ${label}`, answer]);
      }
    }
    return this.write("questions.csv", lines);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface Person {
  id: number;
  name: string;
  link: string;
  revoked: boolean;
}

export class Server {
  url = "";
  organiser = "";
  private port = 0;
  private process: ChildProcess | null = null;
  private said = "";

  private constructor(private readonly args: string[]) {}

  /// `args` are those of `assay serve`.
  static async start(...args: string[]): Promise<Server> {
    const server = new Server(args);
    await server.again();
    return server;
  }

  /// Restarts on the same port.
  async again(): Promise<void> {
    const port = ["--port", String(this.port)];
    const child = spawn(ASSAY, ["serve", ...this.args, ...port, "--format", "json"]);
    this.process = child;
    this.said = "";
    let errors = "";
    child.stderr.on("data", (piece) => {
      errors += piece;
    });
    await new Promise<void>((done, failed) => {
      child.once("exit", (code) => failed(new Error(`assay serve ended with ${code}: ${errors}`)));
      child.stdout.on("data", (piece) => {
        this.said += piece;
        const link = /(https?:\/\/[^"\s/]+)\/organiser#[\w.~-]+/.exec(this.said);
        if (!link) return;
        this.organiser = link[0];
        this.url = link[1] as string;
        this.port = Number(new URL(this.url).port);
        done();
      });
    });
  }

  /// SIGKILL acts like a power failure. After any other signal the server finishes its work first.
  async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
    const child = this.process;
    this.process = null;
    if (!child || child.exitCode !== null) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((done) => child.once("exit", done));
    child.kill(signal);
    return ended;
  }

  async ask<T>(path: string, body?: object, link = this.organiser): Promise<T> {
    const headers: Record<string, string> = { Authorization: `Bearer ${link.split("#")[1]}` };
    if (body) headers["Content-Type"] = "application/json";
    const init = body ? { method: "POST", headers, body: JSON.stringify(body) } : { headers };
    const reply = await fetch(`${this.url}${path}`, init);
    if (!reply.ok) throw new Error(`${path}: ${reply.status} ${await reply.text()}`);
    return (await reply.json()) as T;
  }

  add(name: string): Promise<Person> {
    return this.ask<Person>("/api/organiser/people", { add: name });
  }
}

/// The rows of a csv file, by column name.
export function rowsOf(csv: string): Record<string, string>[] {
  const [header, ...lines] = csv.trim().split(/\r?\n/);
  const names = (header ?? "").split(",");
  return lines.map((line) => {
    const fields = line.match(/("([^"]|"")*"|[^,]*)(,|$)/g) ?? [];
    const plain = fields.map((field) => field.replace(/,$/, "").replace(/^"(.*)"$/, "$1"));
    return Object.fromEntries(names.map((name, at) => [name, plain[at] ?? ""]));
  });
}
