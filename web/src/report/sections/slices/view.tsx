// Slices of a data set on which a model is less accurate, with the findings, the table, and images.
import type { ReportDocument } from "../../document.ts";
import { once } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { Sentence } from "../../sentence.tsx";
import { useAddress } from "../../state.ts";
import { headline, method, overview, slicedModels } from "./found.ts";
import { SliceImages } from "./slice_images.tsx";
import { SliceTable } from "./slice_table.tsx";

export function View({ document }: { document: ReportDocument }) {
  const [wantedDataset, chooseDataset] = useAddress("slices.dataset", "");
  const [wanted, chooseModel] = useAddress("slices.model", "");
  const all = slicedModels(document);
  const datasets = once(all.map(({ entry }) => entry.dataset));
  const dataset = chosenOf(datasets, wantedDataset);
  const models = all.filter(({ entry }) => entry.dataset === dataset);
  const names = once(models.map(({ entry }) => entry.model));
  // At first, this is the first model that has slices.
  const first = models.find(({ entry }) => entry.found.length > 0) ?? models[0];
  const model = names.includes(wanted) ? wanted : (first?.entry.model ?? "");
  const shown = models.find(({ entry }) => entry.model === model);
  if (shown === undefined) return null;
  const several = overview(models);
  return (
    <div class="slices">
      {several !== "" && <p>{several}</p>}
      <div class="choices">
        <OneOf
          label="Data set"
          choices={choicesOf(datasets)}
          value={dataset}
          choose={chooseDataset}
        />
        <OneOf label="Model" choices={choicesOf(names)} value={model} choose={chooseModel} />
      </div>
      <p class="headline">
        <bdi>{headline(shown)}</bdi>
      </p>
      {shown.entry.found.length > 0 && (
        <>
          <SliceTable entry={shown.entry} />
          <SliceImages document={document} entry={shown.entry} />
        </>
      )}
      {method(shown).map((text) => (
        <p key={text} class="note">
          <Sentence text={text} />
        </p>
      ))}
    </div>
  );
}
