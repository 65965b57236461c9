// The definition of one chapter of a report.
import type { ComponentType } from "preact";
import type { ReportDocument } from "./document.ts";

export interface Section {
  /** The name in the address in lower case, and the prefix of its keys, as in "overview.sort". */
  id: string;
  title: string;
  /** Whether the document has the data of the section. */
  applies: (document: ReportDocument) => boolean;
  View: ComponentType<{ document: ReportDocument }>;
}
