// The scored stores of a document, by data set, each with its measurements and a unique name.
import { type ReportDocument, resultsOf } from "../document.ts";
import type { Measurement, ScoredStore, ScoresResult } from "../schemas/described.ts";
import { distinct } from "./names.ts";

export interface NamedStore {
  /** The model's name, with an addition if a data set has it twice (other classes, other runs). */
  name: string;
  store: ScoredStore;
  measurements: Measurement[];
}

/** The stores that `keep` accepts, in the order of the document. */
export function storesByDataset(
  document: ReportDocument,
  keep: (store: ScoredStore, measurements: Measurement[]) => boolean,
): Map<string, NamedStore[]> {
  const all = new Map<string, NamedStore[]>();
  for (const { result } of resultsOf<ScoresResult>(document, "assay.scores")) {
    const measured = measurementsByStore(result.measurements);
    for (const store of result.stores) {
      const measurements = measured.get(store.dataset)?.get(store.model) ?? [];
      if (!keep(store, measurements)) continue;
      const name = store.class_map ? `${store.model}, ${store.class_map}` : store.model;
      const list = all.get(store.dataset) ?? [];
      list.push({ name, store, measurements });
      all.set(store.dataset, list);
    }
  }
  for (const list of all.values()) {
    const names = distinct(list.map(({ name }) => name));
    list.forEach((entry, index) => {
      entry.name = names[index] ?? entry.name;
    });
  }
  return all;
}

/** Whether any bin has items with a label, with which confidences can be compared. */
export function hasReliability({ reliability }: ScoredStore): boolean {
  return reliability?.some(({ accuracy }) => accuracy.value !== null) ?? false;
}

export function hasClasses({ per_class, confusions }: ScoredStore): boolean {
  const measured = per_class?.some(({ accuracy }) => accuracy.value !== null) ?? false;
  return measured || (confusions?.length ?? 0) > 0;
}

function measurementsByStore(measurements: Measurement[]): Map<string, Map<string, Measurement[]>> {
  const all = new Map<string, Map<string, Measurement[]>>();
  for (const measurement of measurements) {
    const models = all.get(measurement.dataset) ?? new Map<string, Measurement[]>();
    all.set(measurement.dataset, models);
    const list = models.get(measurement.model) ?? [];
    models.set(measurement.model, list);
    list.push(measurement);
  }
  return all;
}
