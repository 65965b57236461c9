// A document for development and tests. The generated results of each section are in a file next to
// this one.
import type { ReportDocument, Sourced } from "../../src/report/document.ts";

export function documentOf(results: Sourced[], more: Partial<ReportDocument> = {}): ReportDocument {
  return {
    schema: "assay.report/1",
    assay: "0.0.0",
    title: "Made results",
    results,
    best: [],
    definitions: [],
    tags: { names: [], models: {} },
    items: [],
    thumbnails: [],
    provenance: { command: "assay report runs", stores: [], files: [] },
    warnings: [],
    left_out: [],
    ...more,
  };
}
