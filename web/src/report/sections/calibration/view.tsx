import type { ReportDocument } from "../../document.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { chosenAmong, SomeOf } from "../../parts/some_of.tsx";
import { hasReliability, storesByDataset } from "../../parts/stores.ts";
import { useAddress, useAddressList } from "../../state.ts";
import { Diagram } from "./diagram.tsx";
import { Errors } from "./errors.tsx";

/** The largest number of diagrams side by side, and the number at first. */
const most = 12;
const first = 4;

export function View({ document }: { document: ReportDocument }) {
  const [wantedDataset, chooseDataset] = useAddress("calibration.dataset", "");
  const [wanted, chooseModels] = useAddressList("calibration.models", []);
  const all = storesByDataset(document, hasReliability);
  const datasets = [...all.keys()];
  const dataset = chosenOf(datasets, wantedDataset);
  const stores = all.get(dataset) ?? [];
  const names = stores.map(({ name }) => name);
  const chosen = chosenAmong(names, wanted, first, most);
  const drawn = chosen.flatMap((name) => stores.filter((entry) => entry.name === name));
  const small = drawn.length > 1;
  return (
    <div class="calibration">
      <p class="note">
        Accuracy of the items by the confidence of their predictions. On the dashed diagonal both
        are equal. The vertical bar from a point to the diagonal is the gap. Below the diagonal the
        model is overconfident, above it underconfident. Intervals are those of the bin's accuracy.
      </p>
      <div class="choices">
        <OneOf
          label="Data set"
          choices={choicesOf(datasets)}
          value={dataset}
          choose={chooseDataset}
        />
        <SomeOf label="Models" names={names} chosen={chosen} choose={chooseModels} most={most} />
      </div>
      <div class={small ? "small-multiples" : "one-large"}>
        {drawn.map(({ name, store }) => (
          <div key={name}>
            <Diagram name={name} bins={store.reliability ?? []} small={small} />
            {small && (
              <button type="button" class="link no-print" onClick={() => chooseModels([name])}>
                Show only this one
              </button>
            )}
          </div>
        ))}
      </div>
      {!small && names.length > 1 && (
        <p class="no-print">
          <button type="button" class="link" onClick={() => chooseModels(names.slice(0, most))}>
            {names.length > most ? `The first ${most} models` : "All models"} side by side
          </button>
        </p>
      )}
      <Errors stores={drawn} />
    </div>
  );
}
