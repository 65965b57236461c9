// One chapter of a report.
import type { ComponentType } from "preact";
import type { ReportDocument } from "./document.ts";

export interface Section {
  /** The name in the address, and the prefix of its keys: "overview.sort". Lower case. */
  id: string;
  title: string;
  /** Whether the document has the data of the section. */
  applies: (document: ReportDocument) => boolean;
  View: ComponentType<{ document: ReportDocument }>;
}
