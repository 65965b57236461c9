// Many models on many data sets, as large as the evaluation of a whole field.
import type { ColumnBest, Measurement } from "../../src/report/schemas/described.ts";
import { documentOf } from "./document.ts";

/** Numbers in [0, 1), the same every time. */
export function made(seed: number): number {
  let x = Math.imul(seed + 0x9e3779b9, 0x85ebca6b);
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35);
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
}

const items = 50_000;

/** Wilson's interval, so that texts have the same number of digits as in real reports. */
function wilson(p: number, n: number) {
  const z = 1.959963984540054;
  const middle = (p + (z * z) / (2 * n)) / (1 + (z * z) / n);
  const half = (z / (1 + (z * z) / n)) * Math.sqrt((p * (1 - p)) / n + (z * z) / (4 * n * n));
  return { low: middle - half, high: middle + half, level: 0.95, method: "wilson" };
}

export function manyModels(models: number, datasets: number) {
  const name = (m: number) => `family${m % 23}_variant${m}_patch16_224.in1k`;
  const results = [];
  const best: ColumnBest[] = [];
  for (let d = 0; d < datasets; d += 1) {
    const dataset = `val_corruption${Math.floor(d / 5)}_${(d % 5) + 1}`;
    const measurements: Measurement[] = [];
    for (let m = 0; m < models; m += 1) {
      const correct = Math.round(items * (0.3 + 0.5 * made(m) + 0.1 * made(7919 * m + d)));
      const value = correct / items;
      measurements.push({
        metric: "top1",
        definition: "top1.first_index",
        parameters: { k: "1" },
        model: name(m),
        dataset,
        value,
        unit: "proportion",
        n: items,
        interval: wilson(value, items),
        left_out: 0,
        higher_is_better: true,
      });
    }
    results.push({
      source: `runs/${dataset}`,
      result: { schema: "assay.scores/2", measurements, stores: [], gates: [] },
    });
    const sorted = measurements.toSorted((a, b) => (b.value ?? 0) - (a.value ?? 0));
    best.push({
      dataset,
      metric: "top1",
      definition: "top1.first_index",
      parameters: { k: "1" },
      best: sorted[0]?.model ?? "",
      alike: sorted.slice(1, 4).map(({ model }) => model),
      untested: [],
      level: 0.95,
    });
  }
  return documentOf(results, { title: "A whole field", best });
}
