// Images with several valid labels, and the best classes of a model for each.
import type { ReportDocument } from "../../document.ts";
import { ItemCard } from "../../parts/item_card.tsx";
import { itemIndex } from "../../parts/items.ts";
import { More } from "../../parts/more.tsx";
import { once } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { useAddress } from "../../state.ts";
import { datasetsWithSeveral, severalLabels } from "./series.ts";

export function Examples({ document }: { document: ReportDocument }) {
  const [wantedDataset, chooseDataset] = useAddress("multilabel.images", "");
  const [wanted, choose] = useAddress("multilabel.images_model", "");
  const datasets = datasetsWithSeveral(document);
  if (datasets.length === 0) return null;
  const dataset = chosenOf(datasets, wantedDataset);
  const items = severalLabels(document, dataset);
  const models = once(items.flatMap((item) => item.models.map(({ name }) => name)));
  const model = chosenOf(models, wanted);
  const index = itemIndex(document);
  return (
    <>
      <h3>Images with several labels</h3>
      <p class="note">The best classes of a model with their probabilities; ✓ is a valid label.</p>
      <div class="choices">
        <OneOf
          label="Data set"
          choices={choicesOf(datasets)}
          value={dataset}
          choose={chooseDataset}
        />
        <OneOf label="Model" choices={choicesOf(models)} value={model} choose={choose} />
      </div>
      <More key={JSON.stringify([dataset, model])} entries={items} step={10} class="item-cards">
        {(item) => (
          <ItemCard
            key={item.id}
            item={item}
            thumbnail={index.thumbnail(item.dataset, item.id)}
            models={[model]}
          />
        )}
      </More>
    </>
  );
}
