// Stores of attacks do not count as further models. A saved result calls one `net@pgd-linf-8_255`
// on `val`. The page shows it as `net` on "val under pgd-linf-8_255", as in the results that a
// report computes.
import type { ReportDocument } from "./document.ts";
import type { Gate, ScoresResult } from "./schemas/described.ts";

interface Named {
  model?: string;
  dataset?: string;
}

function renamed(result: ScoresResult & { gates?: Gate[] }): ScoresResult {
  const key = ({ dataset, model }: Named) => JSON.stringify([dataset, model]);
  const names = new Map<string, Named>();
  for (const store of result.stores) {
    const attack = store.derived?.attack;
    if (typeof attack !== "string" || typeof store.derived?.model !== "string") continue;
    names.set(key(store), {
      model: store.derived.model,
      dataset: `${store.dataset} under ${attack}`,
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

export function attacksApart(document: ReportDocument): ReportDocument {
  return {
    ...document,
    results: document.results.map((one) =>
      one.result.schema.startsWith("assay.scores/")
        ? { ...one, result: renamed(one.result as ScoresResult) }
        : one,
    ),
  };
}
