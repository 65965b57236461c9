import type { ReportDocument } from "../../document.ts";
import { Frequencies } from "./frequencies.tsx";
import { Plans } from "./plans.tsx";
import { Studies } from "./study.tsx";

export function View({ document }: { document: ReportDocument }) {
  return (
    <div class="replication">
      <Studies document={document} />
      <Frequencies document={document} />
      <Plans document={document} />
    </div>
  );
}
