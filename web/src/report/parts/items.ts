// The images of a document, indexed by data set and id, and by a model's prediction.
import type { ReportDocument } from "../document.ts";
import type { ItemPrediction, ReportItem, Thumbnail } from "../schemas/described.ts";

export interface ItemIndex {
  items: ReportItem[];
  find: (dataset: string, id: string) => ReportItem | undefined;
  thumbnail: (dataset: string, id: string) => Thumbnail | undefined;
}

const built = new WeakMap<ReportDocument, ItemIndex>();

function nested<T extends { dataset: string; id: string }>(entries: T[]) {
  const all = new Map<string, Map<string, T>>();
  for (const entry of entries) {
    const ids = all.get(entry.dataset) ?? new Map<string, T>();
    all.set(entry.dataset, ids);
    ids.set(entry.id, entry);
  }
  return (dataset: string, id: string) => all.get(dataset)?.get(id);
}

export function itemIndex(document: ReportDocument): ItemIndex {
  const known = built.get(document);
  if (known !== undefined) return known;
  const index: ItemIndex = {
    items: document.items,
    find: nested(document.items),
    thumbnail: nested(document.thumbnails),
  };
  built.set(document, index);
  return index;
}

export function predictionsOf(item: ReportItem, model: string): ItemPrediction[] {
  return item.models.find(({ name }) => name === model)?.predictions ?? [];
}

/** The images of one cell of the confusions, with this label and this prediction. */
export function confusedItems(
  items: ReportItem[],
  dataset: string,
  model: string,
  truth: string,
  predicted: string | null,
): ReportItem[] {
  return items.filter(
    (item) =>
      item.dataset === dataset &&
      item.labels.some(({ id }) => id === truth) &&
      predictionsOf(item, model)[0]?.id === predicted,
  );
}
