import type { ReportDocument } from "../../document.ts";
import type { Estimate } from "../../estimate.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { hasClasses, type NamedStore, storesByDataset } from "../../parts/stores.ts";
import { useAddress } from "../../state.ts";
import { ClassTable } from "./class_table.tsx";
import { Confusions } from "./confusions.tsx";
import { matched, textOf } from "./rows.ts";
import { Scatter } from "./scatter.tsx";

export function View({ document }: { document: ReportDocument }) {
  const [wantedDataset, chooseDataset] = useAddress("classes.dataset", "");
  const [wanted, chooseModel] = useAddress("classes.model", "");
  const all = storesByDataset(document, hasClasses);
  const datasets = [...all.keys()];
  const dataset = chosenOf(datasets, wantedDataset);
  const stores = all.get(dataset) ?? [];
  const names = stores.map(({ name }) => name);
  const model = chosenOf(names, wanted);
  const entry = stores.find(({ name }) => name === model);
  if (entry === undefined) return null;
  return (
    <div class="classes">
      <div class="choices">
        <OneOf
          label="Data set"
          choices={choicesOf(datasets)}
          value={dataset}
          choose={chooseDataset}
        />
        <OneOf label="Model" choices={choicesOf(names)} value={model} choose={chooseModel} />
      </div>
      <Classes entry={entry} stores={stores} />
      <Confusions document={document} entry={entry} />
    </div>
  );
}

/** Means of a class have no interval of their own. */
function plain(value: number | undefined): Estimate {
  return { value: value ?? null, unit: "proportion" };
}

function Classes({ entry, stores }: { entry: NamedStore; stores: NamedStore[] }) {
  const [wanted, choose] = useAddress("classes.against", "");
  const rows = entry.store.per_class ?? [];
  if (rows.length === 0) return null;
  const others = stores.filter(
    (other) => other !== entry && (other.store.per_class?.length ?? 0) > 0,
  );
  const names = others.map(({ name }) => name);
  const against = chosenOf(names, wanted);
  const other = others.find(({ name }) => name === against);
  return (
    <>
      <ClassTable model={entry.name} rows={rows} />
      <h3>Class by class</h3>
      <div class="choices">
        <OneOf label="Against" choices={choicesOf(names)} value={against} choose={choose} />
      </div>
      <div class="beside">
        {other !== undefined && (
          <Scatter
            title="Accuracy of two models"
            xTitle={entry.name}
            yTitle={other.name}
            points={matched(rows, other.store.per_class ?? []).map(({ id, text, a, b }) => ({
              key: id,
              name: text,
              x: a.accuracy,
              y: b.accuracy,
            }))}
          />
        )}
        <Scatter
          title="Accuracy by mean confidence"
          xTitle="confidence"
          yTitle="accuracy"
          points={rows.map((row) => ({
            key: row.id,
            name: textOf(row),
            x: plain(row.confidence),
            y: row.accuracy,
          }))}
        />
      </div>
    </>
  );
}
