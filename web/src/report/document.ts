// The document that the page shows: assay.report/1 (docs/formats.md). It stands in the page,
// compressed, and is opened here; a page that a server gives asks the server for it.
import type { Estimate } from "./estimate.ts";

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

async function unpack(base64: string): Promise<unknown> {
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** Throws an Error with a sentence for people. */
export async function openDocument(): Promise<ReportDocument> {
  const element = window.document.getElementById("document");
  const live = element?.dataset["live"];
  let opened: unknown;
  if (live !== undefined) {
    const reply = await fetch(live);
    if (!reply.ok) throw new Error(`The server answers ${reply.status} ${reply.statusText}.`);
    opened = await reply.json();
  } else {
    const text = element?.textContent?.trim() ?? "";
    if (text === "") throw new Error("This page holds no report.");
    if (typeof DecompressionStream === "undefined")
      throw new Error("This browser is too old to open the report (2023 or newer is needed).");
    opened = await unpack(text);
  }
  const schema = (opened as { schema?: unknown } | null)?.schema;
  if (schema !== "assay.report/1") throw new Error(`This page cannot show ${String(schema)}.`);
  return opened as ReportDocument;
}

export type { Estimate };
