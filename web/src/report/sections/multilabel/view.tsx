import type { ReportDocument } from "../../document.ts";
import { Examples } from "./examples.tsx";
import { Gaps } from "./gap_view.tsx";
import { Stores } from "./stores.tsx";

export function View({ document }: { document: ReportDocument }) {
  return (
    <div class="multilabel">
      <Gaps document={document} />
      <Stores document={document} />
      <Examples document={document} />
    </div>
  );
}
