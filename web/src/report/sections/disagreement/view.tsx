import type { ReportDocument } from "../../document.ts";
import { Pairs } from "./pair_view.tsx";
import { People } from "./people.tsx";

export function View({ document }: { document: ReportDocument }) {
  return (
    <div class="disagreement">
      <Pairs document={document} />
      <People document={document} />
    </div>
  );
}
