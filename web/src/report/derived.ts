// Stores of attacks and of smoothed models do not count as further models. A saved result calls one
// `net@pgd-linf-8_255` on `val`. The page shows it as `net` on "val under pgd-linf-8_255", as in the
// results that a report computes. A smoothed one is on "val smoothed (sigma 0.25, 10000 copies)".
import type { ReportDocument } from "./document.ts";
import type { DerivedStore, Gate, ScoresResult } from "./schemas/described.ts";

interface Named {
  model?: string;
  dataset?: string;
}

/** What follows the name of the data set; none for the stores of models. */
function ending(derived: DerivedStore | undefined): string | undefined {
  if (typeof derived?.attack === "string") return `under ${derived.attack}`;
  return typeof derived?.smoothing === "string" ? `smoothed (${derived.smoothing})` : undefined;
}

function renamed(result: ScoresResult & { gates?: Gate[] }): ScoresResult {
  const key = ({ dataset, model }: Named) => JSON.stringify([dataset, model]);
  const names = new Map<string, Named>();
  for (const store of result.stores) {
    const apart = ending(store.derived);
    if (apart === undefined || typeof store.derived?.model !== "string") continue;
    names.set(key(store), {
      model: store.derived.model,
      dataset: `${store.dataset} ${apart}`,
    });
  }
  if (names.size === 0) return result;
  const apart = <T extends Named>(list: T[]): T[] =>
    list.map((entry) => ({ ...entry, ...names.get(key(entry)) }));
  return {
    ...result,
    measurements: apart(result.measurements),
    stores: apart(result.stores),
    ...(Array.isArray(result.gates) ? { gates: apart(result.gates) } : {}),
  };
}

export function derivedApart(document: ReportDocument): ReportDocument {
  return {
    ...document,
    results: document.results.map((one) =>
      one.result.schema.startsWith("assay.scores/")
        ? { ...one, result: renamed(one.result as ScoresResult) }
        : one,
    ),
  };
}
