// Images that fooled a model, made by rule. There are two attacks at three budgets. One of them
// fooled the model on no image. There are hostile names, a prediction without a probability, and
// images that are not embedded.
import type { Sourced } from "../../src/report/document.ts";
import type {
  AttackExample,
  AttackExamples,
  ExamplesOfAttack,
  Thumbnail,
} from "../../src/report/schemas/described.ts";
import { pngOf } from "./png.ts";
import { hostileModel } from "./robustness.ts";

export const hostileId = `<img src=x onerror="window.hurt=1">/__proto__\n${"long".repeat(80)}.png`;

const side = 32;
const items = [12, 40, 7, 3, 99, 51, 66, 8];

const idOf = (item: number) => (item === 40 ? hostileId : `n01440764/image_${item}.JPEG`);

function exampleOf(folder: string, eps: number, item: number, place: number): AttackExample {
  return {
    item,
    id: idOf(item),
    label: { class: 0, id: "n01440764", name: item === 40 ? hostileModel : "tench" },
    before: { class: 0, id: "n01440764", name: "tench", probability: 0.97 - 0.05 * place },
    after:
      item === 7
        ? { class: 5, probability: null }
        : { class: 29, id: "n01632777", name: "axolotl", probability: 0.5 + 5 * eps },
    original: `examples/${item}.png`,
    attacked: `examples/${folder}/${item}.png`,
    difference: `examples/${folder}/${item}-difference.png`,
    scale: 0.5 / eps,
    largest: eps,
    length: eps * 50,
  };
}

function attackOf(attack: string, steps: number, shown: number[]): ExamplesOfAttack {
  const eps = steps / 255;
  const folder = `${attack}-linf-${steps}_255`;
  return {
    attack,
    norm: "linf",
    eps,
    eps_text: `${steps}/255`,
    folder,
    fooled: 150 * shown.length,
    shown: shown.map((item, place) => exampleOf(folder, eps, item, place)),
  };
}

const result: AttackExamples = {
  schema: "assay.attack_examples/1",
  model: "mobilenet",
  model_hash: "xxh128:00000000000000000000000000000001",
  dataset: "val",
  dataset_id: "xxh128:00000000000000000000000000000002",
  attacks: [
    attackOf("pgd", 4, items),
    attackOf("fgsm", 1, []),
    attackOf("fgsm", 4, items.slice(1, 3)),
    attackOf("pgd", 1, items.slice(0, 7)),
    attackOf("pgd", 16, items),
  ],
};

export const examples: Sourced<AttackExamples> = { source: "adv/examples.json", result };

/** The same model name and data set in another file, with a single attack and without images. */
export const otherExamples: Sourced<AttackExamples> = {
  source: "older/examples.json",
  result: { ...result, attacks: [attackOf("fgsm", 2, [12])] },
};

function imageOf(path: string, value: (x: number, y: number, c: number) => number): Thumbnail {
  const source = pngOf(side, value);
  return { dataset: examples.source, id: path, width: side, height: side, source };
}

/** The signs of a change, like those of a gradient without a visible pattern. */
const sign = (item: number) => (x: number, y: number, c: number) =>
  Math.sin(12.9898 * x + 78.233 * y + 37.719 * c + item) > 0 ? 1 : -1;

const scene = (item: number) => (x: number, y: number, c: number) =>
  0.5 + 0.4 * Math.sin((x * (c + 1)) / 9 + item) * Math.cos((y * (3 - c)) / 11);

/** All of `examples` except those of item 3. */
export function exampleThumbnails(): Thumbnail[] {
  const made = new Map<string, Thumbnail>();
  for (const { eps, shown } of result.attacks)
    for (const { item, original, attacked, difference } of shown) {
      if (item === 3) continue;
      const [clean, moved] = [scene(item), sign(item)];
      made.set(original, imageOf(original, clean));
      made.set(
        attacked,
        imageOf(attacked, (x, y, c) => clean(x, y, c) + eps * moved(x, y, c)),
      );
      made.set(
        difference,
        // Nothing has changed at the left edge.
        imageOf(difference, (x, y, c) => (x < 4 ? 0.5 : 0.5 + 0.5 * moved(x, y, c))),
      );
    }
  return [...made.values()];
}
