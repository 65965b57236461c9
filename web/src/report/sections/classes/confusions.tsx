// Links from the confusions of a model to their images.
import type { ReportDocument } from "../../document.ts";
import { countText } from "../../estimate.ts";
import { ItemCard } from "../../parts/item_card.tsx";
import { confusedItems, itemIndex } from "../../parts/items.ts";
import { More } from "../../parts/more.tsx";
import { short } from "../../parts/names.ts";
import type { NamedStore } from "../../parts/stores.ts";
import type { Confusion } from "../../schemas/described.ts";
import { useAddress } from "../../state.ts";
import { HeatMap } from "./heat_map.tsx";
import { confusedClasses, textOf } from "./rows.ts";

/** The largest number of classes in each direction. */
const most = 30;

function cellText(cell: Confusion): string {
  return JSON.stringify([cell.truth, cell.predicted]);
}

export function Confusions({ document, entry }: { document: ReportDocument; entry: NamedStore }) {
  const [address, setAddress] = useAddress("classes.cell", "");
  const { store } = entry;
  const confusions = store.confusions ?? [];
  if (confusions.length === 0) return null;
  const classes = confusedClasses(confusions, most);
  const names = new Map((store.per_class ?? []).map((row) => [row.id, textOf(row)]));
  const nameOf = (id: string | null) =>
    id === null ? "no class of the map" : (names.get(id) ?? id);
  const labels = new Map((store.per_class ?? []).map(({ id, name }) => [id, name || id]));
  const labelOf = (id: string | null) => (id === null ? "no class" : (labels.get(id) ?? id));
  const chosen = confusions.find((cell) => cellText(cell) === address);
  const choose = (cell: Confusion) => setAddress(cellText(cell));
  return (
    <>
      <h3>Confusions</h3>
      <p class="note">
        The {countText(confusions.length)} most frequent confusions; cells without a number are not
        among them. Select a cell or a line of the list to see its images.
      </p>
      <div class="explorer">
        <HeatMap
          classes={classes}
          nameOf={nameOf}
          labelOf={labelOf}
          chosen={chosen}
          choose={choose}
        />
        <section class="scroll confusion-list" tabIndex={0} aria-label="List of confusions">
          <table>
            <thead>
              <tr>
                <th scope="col">label</th>
                <th scope="col">predicted</th>
                <th scope="col">items</th>
              </tr>
            </thead>
            <tbody>
              {confusions.map((cell) => (
                <tr key={cellText(cell)}>
                  <th scope="row">
                    <bdi>{short(nameOf(cell.truth), 30)}</bdi>
                  </th>
                  <td class="text">
                    <button
                      type="button"
                      class="link"
                      aria-pressed={cell === chosen}
                      onClick={() => choose(cell)}
                    >
                      <bdi>{short(nameOf(cell.predicted), 30)}</bdi>
                    </button>
                  </td>
                  <td>{countText(cell.count)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </div>
      {classes.left > 0 && (
        <p class="note">
          {countText(classes.left)} confusions of further classes are only in the list.
        </p>
      )}
      {chosen !== undefined && (
        <CellImages
          document={document}
          entry={entry}
          cell={chosen}
          title={`${short(nameOf(chosen.truth), 60)} predicted as ${short(nameOf(chosen.predicted), 60)}`}
        />
      )}
    </>
  );
}

interface CellImagesProps {
  document: ReportDocument;
  entry: NamedStore;
  cell: Confusion;
  title: string;
}

function CellImages({ document, entry, cell, title }: CellImagesProps) {
  const { store } = entry;
  const index = itemIndex(document);
  const { truth, predicted } = cell;
  const items = confusedItems(index.items, store.dataset, store.model, truth, predicted);
  return (
    <section class="cell-images" aria-label={title}>
      <h4 aria-live="polite">{title}</h4>
      <p class="note">
        {items.length === 0
          ? `The report contains none of these ${countText(cell.count)} images.`
          : `${countText(cell.count)} confused; images of the report with this label and this prediction: ${countText(items.length)}.`}
      </p>
      <More key={cellText(cell)} entries={items} step={12} class="item-cards">
        {(item) => (
          <ItemCard
            key={item.id}
            item={item}
            thumbnail={index.thumbnail(item.dataset, item.id)}
            models={[store.model]}
          />
        )}
      </More>
    </section>
  );
}
