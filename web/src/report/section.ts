// One chapter of a report.
import type { ComponentType } from "preact";
import type { ReportDocument } from "./document.ts";

export interface Section {
  /** In the address and before its keys: "overview.sort". Lower case. */
  id: string;
  title: string;
  /** Whether the document holds what it shows. */
  applies: (document: ReportDocument) => boolean;
  View: ComponentType<{ document: ReportDocument }>;
}
