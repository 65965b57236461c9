// Models and their measurements, with intervals.
import { useMemo } from "preact/hooks";
import type { ReportDocument } from "../../document.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { useAddress } from "../../state.ts";
import { DataTable } from "../../table/data_table.tsx";
import { measuredColumn, modelColumns } from "./columns.tsx";
import { Definitions } from "./definitions.tsx";
import { bestColumns, gridOf, mainDataset, namesOf } from "./grid.ts";
import { Across, Gates, OutOfDistribution } from "./more_tables.tsx";

export function View({ document }: { document: ReportDocument }) {
  const [view, chooseView] = useAddress("overview.view", "metrics");
  const [wantedSet, chooseSet] = useAddress("overview.dataset", "");
  const [wantedMetric, chooseMetric] = useAddress("overview.metric", "");
  const [subgroup, chooseSubgroup] = useAddress("overview.subgroup", "");
  const grid = useMemo(() => gridOf(document, subgroup), [document, subgroup]);
  const best = useMemo(() => bestColumns(document), [document]);
  const definitions = useMemo(
    () => new Map(document.definitions.map((entry) => [entry.definition, entry])),
    [document],
  );
  const main = useMemo(() => mainDataset(grid), [grid]);
  const dataset = chosenOf(grid.datasets, wantedSet || main);
  const metric = grid.metrics.find(({ key }) => key === wantedMetric) ?? grid.metrics[0];
  const ofSet = view !== "datasets" || metric === undefined;
  const measured = ofSet
    ? grid.metrics.map((entry) => ({ dataset, metric: entry }))
    : grid.datasets.map((name) => ({ dataset: name, metric }));
  const there = measured.filter(({ dataset, metric }) =>
    grid.rows.some((row) => row.cells.get(dataset)?.has(metric.key)),
  );
  const names = namesOf(ofSet ? there.map(({ metric }) => metric) : grid.metrics);
  const nameOf = (key: string) => names.get(key) ?? key;
  const columns = there.map((entry) =>
    measuredColumn(
      entry.dataset,
      entry.metric,
      ofSet ? nameOf(entry.metric.key) : entry.dataset,
      best,
      definitions.get(entry.metric.definition),
    ),
  );
  const rows = grid.rows.filter((row) => there.some(({ dataset }) => row.cells.has(dataset)));
  const used = new Set(there.map(({ metric }) => metric.definition));
  return (
    <div class="overview">
      <div class="choices no-print">
        {grid.datasets.length > 1 && (
          <OneOf
            label="Columns"
            choices={[
              { value: "metrics", text: "metrics of one data set" },
              { value: "datasets", text: "data sets, by one metric" },
            ]}
            value={ofSet ? "metrics" : "datasets"}
            choose={chooseView}
          />
        )}
        {ofSet ? (
          <OneOf
            label="Data set"
            choices={choicesOf(grid.datasets)}
            value={dataset}
            choose={chooseSet}
          />
        ) : (
          <OneOf
            label="Metric"
            choices={grid.metrics.map(({ key }) => ({ value: key, text: nameOf(key) }))}
            value={metric?.key ?? ""}
            choose={chooseMetric}
          />
        )}
        <OneOf
          label="Items"
          choices={grid.subgroups.map((value) => ({ value, text: value === "" ? "all" : value }))}
          value={subgroup}
          choose={chooseSubgroup}
        />
      </div>
      <h3>{ofSet ? dataset : nameOf(metric.key)}</h3>
      <DataTable
        id="overview"
        label={`Models and ${ofSet ? `metrics on ${dataset}` : `data sets, by ${nameOf(metric.key)}`}`}
        rows={rows}
        keyOf={({ name }) => name}
        columns={[...modelColumns(document), ...columns]}
        {...(columns[0] === undefined ? {} : { sorted: columns[0].key })}
      />
      <p class="note">
        Values with half of their interval (95 % unless stated otherwise); proportions in percent.
        {best.size > 0 &&
          " ● is the best of its column; ○ is not significantly worse, by the paired test of the metric on the same items after Holm's correction; ? could not be compared."}
      </p>
      <Definitions
        definitions={document.definitions.filter(({ definition }) => used.has(definition))}
      />
      <Gates document={document} />
      <Across document={document} />
      <OutOfDistribution document={document} />
    </div>
  );
}
