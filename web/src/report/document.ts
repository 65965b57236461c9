// The document that the page shows: assay.report/1 (docs/formats.md). It stands in the page,
// compressed, and is opened here; a page that a server gives asks the server for it.
import { attacksApart } from "./derived.ts";
import type { Estimate } from "./estimate.ts";
import { sound } from "./sound.ts";

/** A result of a command, in its own schema. */
export interface Result {
  schema: string;
}

export interface Sourced<T extends Result = Result> {
  /** Where it comes from: a folder, a file. */
  source: string;
  result: T;
}

/** A column of the overview: its best model, and those that the paired test cannot tell from it. */
export interface ColumnBest {
  dataset: string;
  metric: string;
  definition: string;
  parameters?: Record<string, string>;
  best: string;
  alike: string[];
  /** Models that could not be compared with the best one, and why. */
  untested: { model: string; why: string }[];
  level: number;
}

export interface Definition {
  /** Id of the exact definition. */
  definition: string;
  metric: string;
  name: string;
  meaning: string;
  source?: string;
}

/** One class that a model predicts for an image, as assay.show/1 has it. */
export interface PredictedClass {
  class: number;
  id: string;
  name: string;
  rank?: number;
  probability?: number;
  correct?: boolean;
}

export interface ShownItem {
  dataset: string;
  id: string;
  labels: { class: number; id: string; name: string }[];
  models: { name: string; predictions?: PredictedClass[]; not_scored?: string }[];
}

export interface Thumbnail {
  dataset: string;
  id: string;
  width: number;
  height: number;
  /** A data: address, or a path relative to the page. */
  source: string;
}

export interface StoreProvenance {
  store: string;
  model: string;
  dataset: string;
  model_hash: string;
  dataset_id: string;
  rows: number;
  missing: number;
  [more: string]: unknown;
}

export interface ReportDocument {
  schema: "assay.report/1";
  assay: string;
  title: string;
  results: Sourced[];
  best: ColumnBest[];
  definitions: Definition[];
  /** Names of columns, and by model what they say. */
  tags: { names: string[]; models: Record<string, Record<string, string>> };
  items: ShownItem[];
  thumbnails: Thumbnail[];
  provenance: {
    command: string;
    stores: StoreProvenance[];
    files: { file: string; hash: string; schema: string }[];
  };
  warnings: string[];
  /** What was not measured or not put in, and why: whole sentences. */
  left_out: string[];
}

/** Results of one schema, whatever its version after the slash: "assay.scores". */
export function resultsOf<T extends Result>(
  document: ReportDocument,
  schema: string,
): Sourced<T>[] {
  return document.results.filter(({ result }) =>
    result.schema.startsWith(`${schema}/`),
  ) as Sourced<T>[];
}

async function unpacked(bytes: BlobPart): Promise<unknown> {
  if (typeof DecompressionStream === "undefined")
    throw new Error("This browser is too old to open the report (2023 or newer is needed).");
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

function checked(opened: unknown): ReportDocument {
  const schema = (opened as { schema?: unknown } | null)?.schema;
  if (schema !== "assay.report/1") throw new Error(`This page cannot show ${String(schema)}.`);
  return attacksApart(sound(opened));
}

/** How often a page asks its server whether there is something new. */
const pause = 3_000;

/** Calls `show` with the document that a server gives, and again whenever it has changed. */
async function follow(address: string, show: (document: ReportDocument) => void): Promise<void> {
  let shown: string | null = null;
  for (;;) {
    try {
      const reply = await fetch(address, { cache: "no-cache" });
      if (!reply.ok) throw new Error(`The server answers ${reply.status}.`);
      const etag = reply.headers.get("ETag");
      if (shown === null || etag !== shown) {
        show(checked(await unpacked(await reply.arrayBuffer())));
        shown = etag ?? "";
      }
    } catch (error) {
      // Once there is a report it stays, whatever becomes of the server.
      if (shown === null) throw error;
    }
    await new Promise((done) => setTimeout(done, pause));
    while (document.hidden) await new Promise((done) => setTimeout(done, pause));
  }
}

/** Calls `show` with the document, of a server's page for ever. Throws an Error with a sentence. */
export async function openDocument(show: (document: ReportDocument) => void): Promise<void> {
  const element = document.getElementById("document");
  const live = element?.dataset["live"];
  if (live !== undefined) return follow(live, show);
  const text = element?.textContent?.trim() ?? "";
  if (text === "") throw new Error("This page holds no report.");
  show(checked(await unpacked(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)))));
}

export type { Estimate };
