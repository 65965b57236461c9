// Results from the scores of only one data set: its numbers of labels, the models' agreement by
// number of labels, ReaL and ASMA.
import type { ReportDocument } from "../../document.ts";
import { Forest } from "../../parts/forest.tsx";
import { short } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { chosenAmong, SomeOf } from "../../parts/some_of.tsx";
import { type NamedStore, storesByDataset } from "../../parts/stores.ts";
import { useAddress, useAddressList } from "../../state.ts";
import { LabelCounts } from "./label_counts.tsx";
import { storeCounts, subgroupSteps } from "./series.ts";
import { Steps } from "./steps.tsx";

const most = 8;
const first = 4;
const metrics = ["real", "variable_topk", "asma"];
const names = new Map([
  ["real", "ReaL"],
  ["variable_topk", "variable top-k"],
  ["asma", "ASMA"],
]);

export function hasSeveral({ labels_per_image }: NamedStore["store"]): boolean {
  return labels_per_image.some(({ labels, items }) => labels > 1 && items > 0);
}

export function Stores({ document }: { document: ReportDocument }) {
  const [wantedDataset, chooseDataset] = useAddress("multilabel.dataset", "");
  const [wanted, choose] = useAddressList("multilabel.models", []);
  const all = storesByDataset(document, hasSeveral);
  const datasets = [...all.keys()];
  const dataset = chosenOf(datasets, wantedDataset);
  const stores = all.get(dataset) ?? [];
  if (stores.length === 0) return null;
  const models = stores.map(({ name }) => name);
  const chosen = chosenAmong(models, wanted, first, most);
  const drawn = chosen.flatMap((name) => stores.filter((entry) => entry.name === name));
  const one = drawn[0];
  return (
    <>
      <h3>By labels per image</h3>
      <div class="choices">
        <OneOf
          label="Data set"
          choices={choicesOf(datasets)}
          value={dataset}
          choose={chooseDataset}
        />
        <SomeOf label="Models" names={models} chosen={chosen} choose={choose} most={most} marks />
      </div>
      <div class="beside">
        <Steps
          title={`Agreement by labels per image on ${short(dataset, 40)}`}
          lines={drawn.map((entry, series) => ({
            name: entry.name,
            steps: subgroupSteps(entry),
            series,
          }))}
          {...(stores.length > drawn.length && { dots: stores.flatMap(subgroupSteps) })}
        />
        {one !== undefined && (
          <LabelCounts
            title={`Labels per image of ${short(dataset, 40)}`}
            sets={[{ name: dataset, counts: storeCounts(one) }]}
          />
        )}
      </div>
      <div class="beside">
        {metrics.map((metric) => {
          const rows = drawn.flatMap((entry, series) =>
            entry.measurements
              .filter((measurement) => measurement.metric === metric && !measurement.subgroup)
              .slice(0, 1)
              .map((estimate) => ({ key: entry.name, name: entry.name, estimate, series })),
          );
          return rows.length === 0 ? null : (
            <Forest
              key={metric}
              title={names.get(metric) ?? metric}
              axis={`${names.get(metric) ?? metric}, %`}
              unit="proportion"
              rows={rows}
              maxWidth={560}
            />
          );
        })}
      </div>
    </>
  );
}
