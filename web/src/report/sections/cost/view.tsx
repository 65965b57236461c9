// Parameters, multiply-accumulates, memory and latency, and accuracy of the models.
import { type ReportDocument, resultsOf } from "../../document.ts";
import { distinct } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { storesByDataset } from "../../parts/stores.ts";
import type { CostResult } from "../../schemas/described.ts";
import { useAddress } from "../../state.ts";
import { DataTable } from "../../table/data_table.tsx";
import { type CostRow, columns } from "./columns.tsx";
import { measures } from "./measures.ts";
import { type CostPoint, Scatter } from "./scatter.tsx";

export function View({ document }: { document: ReportDocument }) {
  const [wantedMeasure, chooseMeasure] = useAddress("cost.measure", "");
  const [wantedSet, chooseSet] = useAddress("cost.dataset", "");
  const [wantedMetric, chooseMetric] = useAddress("cost.metric", "");
  const results = resultsOf<CostResult>(document, "assay.cost");
  const models = results.flatMap(({ result }) => result.models);
  const names = new Map(models.map((model) => [model.model, model]));
  const own = distinct(models.map(({ model }) => model));
  const rows: CostRow[] = models.map((model, at) => ({ name: own[at] ?? model.model, model }));
  const scored = storesByDataset(document, ({ model }) => names.has(model));
  const sets = [...scored.keys()];
  const set = chosenOf(sets, wantedSet);
  const stores = scored.get(set) ?? [];
  const definitions = [
    ...new Set(
      stores.flatMap(({ measurements }) =>
        measurements.filter((m) => m.value !== null && !m.subgroup).map((m) => m.definition),
      ),
    ),
  ];
  const metric = chosenOf(definitions, wantedMetric);
  const there = measures.filter(({ of }) => models.some((model) => of(model) !== null));
  const measure = there.find(({ key }) => key === wantedMeasure) ?? there[0];
  const points: CostPoint[] = stores.flatMap(({ store, measurements }) => {
    const model = names.get(store.model);
    const quality = measurements.find((m) => m.definition === metric && !m.subgroup);
    const value = model === undefined ? null : (measure?.of(model) ?? null);
    if (model === undefined || value === null || value <= 0) return [];
    if (quality === undefined || quality.value === null) return [];
    return [{ model, value, quality: { ...quality, value: quality.value } }];
  });
  const unknown = models.filter((model) => Object.keys(model.unknown ?? {}).length > 0);
  return (
    <div class="cost">
      {points.length > 0 && measure !== undefined && (
        <>
          <div class="choices">
            <OneOf
              label="Cost"
              choices={there.map(({ key, name }) => ({ value: key, text: name }))}
              value={measure.key}
              choose={chooseMeasure}
            />
            <OneOf
              label="Metric"
              choices={choicesOf(definitions)}
              value={metric}
              choose={chooseMetric}
            />
            <OneOf label="Data set" choices={choicesOf(sets)} value={set} choose={chooseSet} />
          </div>
          <Scatter points={points} measure={measure} name={`${metric} on ${set}`} />
        </>
      )}
      <DataTable
        id="cost"
        label="Cost of each model"
        rows={rows}
        keyOf={({ name }) => name}
        columns={columns}
      />
      <p class="note">
        A FLOP is a multiplication or an addition: two of them are a multiply-accumulate. Latency is
        the median of repeated runs with quartiles, on the machine named here.
      </p>
      {unknown.length > 0 && (
        <p class="note">
          {unknown
            .map(
              ({ model, unknown }) =>
                `${model} has operators without a rule (${Object.keys(unknown ?? {}).join(", ")}): its sums are too low.`,
            )
            .join(" ")}
        </p>
      )}
    </div>
  );
}
