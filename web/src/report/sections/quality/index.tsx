// Quality beyond accuracy: nine dimensions of each model, in pairs and as one score.
import { useMemo } from "preact/hooks";
import type { ReportDocument } from "../../document.ts";
import type { Section } from "../../section.ts";
import "../../../style/report/quality.css";
import { useChosen, useFilter } from "./choice_state.ts";
import { Choices } from "./choices.tsx";
import { Correlations } from "./correlations.tsx";
import { DimensionTable } from "./dimension_table.tsx";
import { FilterControls } from "./filter.tsx";
import { gather, usuallyChosen } from "./gather.ts";
import { Groups } from "./groups.tsx";
import { Notes } from "./notes.tsx";
import { Parallel } from "./parallel.tsx";
import { Quba } from "./quba_view.tsx";
import { Scatter } from "./scatter.tsx";
import { Stability } from "./stability.tsx";

function View({ document }: { document: ReportDocument }) {
  const gathered = useMemo(() => gather(document), [document]);
  const usual = useMemo(() => usuallyChosen(gathered), [gathered]);
  const filter = useFilter();
  const chosen = useChosen(gathered.all, usual);
  const held = gathered.rows.filter(filter.holds);
  return (
    <div class="quality-section">
      {gathered.rows.length > 0 && (
        <>
          <DimensionTable rows={gathered.rows} chosen={chosen} />
          <h3>One dimension against another</h3>
          <FilterControls
            filter={filter}
            tags={gathered.tags}
            rows={[...gathered.rows, ...gathered.backdrop]}
            shown={held.length + gathered.backdrop.filter(filter.holds).length}
          />
          <Scatter gathered={gathered} filter={filter} chosen={chosen} />
          <Parallel chosen={chosen} all={gathered.all} />
        </>
      )}
      <Quba gathered={gathered} filter={filter} chosen={chosen} />
      {gathered.choices.length > 0 && <Choices results={gathered.choices} />}
      {gathered.correlations.length > 0 && <Correlations results={gathered.correlations} />}
      {gathered.groups.length > 0 && <Groups results={gathered.groups} />}
      {gathered.stability.length > 0 && <Stability results={gathered.stability} />}
      <Notes
        notes={gathered.tables.flatMap(({ result }) => [
          ...(result.notes ?? []),
          ...(result.warnings ?? []),
        ])}
      />
    </div>
  );
}

export const quality: Section = {
  id: "quality",
  title: "Quality dimensions",
  applies: ({ results }) =>
    results.some(({ result }) => /^assay\.quality[_/](?!plan)/.test(result.schema)),
  View,
};
