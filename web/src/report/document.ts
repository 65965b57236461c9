// The document that the page shows: assay.report/1 (docs/formats.md). It is compressed in the page
// and opened here. A served page requests it from the server.
import { derivedApart } from "./derived.ts";
import type { Estimate } from "./estimate.ts";
import type { ReportDocument, SourcedResult } from "./schemas/described.ts";
import { sound } from "./sound.ts";

export type { ReportDocument };

/** A result of a command, in the command's schema. */
export interface Result {
  schema: string;
}

export interface Sourced<T extends Result = Result> extends SourcedResult {
  result: T;
}

/** Results of one schema, with any version after the slash, such as "assay.scores". */
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
  return derivedApart(sound(opened));
}

/** How often a page asks its server for a new report. */
const pause = 3_000;

/** Calls `show` with the document that a server gives, and again whenever it has changed. */
async function follow(address: string, show: (document: ReportDocument) => void): Promise<void> {
  let shown: string | null = null;
  for (;;) {
    try {
      const reply = await fetch(address, { cache: "no-cache" });
      if (!reply.ok) throw new Error(`The server answered with status ${reply.status}.`);
      const etag = reply.headers.get("ETag");
      if (shown === null || etag !== shown) {
        show(checked(await unpacked(await reply.arrayBuffer())));
        shown = etag ?? "";
      }
    } catch (error) {
      // A loaded report remains, even if the server stops.
      if (shown === null) throw error;
    }
    await new Promise((done) => setTimeout(done, pause));
    while (document.hidden) await new Promise((done) => setTimeout(done, pause));
  }
}

/**
 * Calls `show` with the document. For a served page, calls it again after each change. Throws an
 * Error with a sentence.
 */
export async function openDocument(show: (document: ReportDocument) => void): Promise<void> {
  const element = document.getElementById("document");
  const live = element?.dataset["live"];
  if (live !== undefined) return follow(live, show);
  const text = element?.textContent?.trim() ?? "";
  if (text === "") throw new Error("This page contains no report.");
  show(checked(await unpacked(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)))));
}

export type { Estimate };
