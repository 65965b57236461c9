// Incorrect images of one slice.
import type { ReportDocument } from "../../document.ts";
import { countText } from "../../estimate.ts";
import { ItemCard, Picture } from "../../parts/item_card.tsx";
import { itemIndex } from "../../parts/items.ts";
import { short } from "../../parts/names.ts";
import { chosenOf, OneOf } from "../../parts/one_of.tsx";
import type { SlicedModel } from "../../schemas/described.ts";
import { useAddress } from "../../state.ts";
import { nameText } from "./found.ts";

interface SliceImagesProps {
  document: ReportDocument;
  entry: SlicedModel;
}

export function SliceImages({ document, entry }: SliceImagesProps) {
  const [wanted, choose] = useAddress("slices.slice", "");
  const named = entry.found.filter(({ examples }) => examples.length > 0);
  const names = named.map(({ name }) => name);
  const name = chosenOf(names, wanted);
  const slice = named.find((one) => one.name === name);
  if (slice === undefined) return null;
  const index = itemIndex(document);
  return (
    <section class="slice-images" aria-label="Incorrect images">
      <h3>Incorrect images</h3>
      <div class="choices">
        <OneOf
          label="Slice"
          choices={named.map((one) => ({ value: one.name, text: nameText(one) }))}
          value={name}
          choose={choose}
        />
      </div>
      <p class="note" aria-live="polite">
        {countText(slice.examples.length)} of the {countText(slice.incorrect)} incorrect images of{" "}
        <bdi>{nameText(slice)}</bdi>, the most confident errors first.
      </p>
      <div class="item-cards">
        {slice.examples.map((id) => {
          const item = index.find(entry.dataset, id);
          const thumbnail = index.thumbnail(entry.dataset, id);
          return item !== undefined ? (
            <ItemCard key={id} item={item} thumbnail={thumbnail} models={[entry.model]} />
          ) : (
            <article key={id} class="item-card">
              <Picture thumbnail={thumbnail} id={id} />
              <p class="item-id" title={short(id, 300)}>
                <bdi>{short(id, 60)}</bdi>
              </p>
            </article>
          );
        })}
      </div>
    </section>
  );
}
