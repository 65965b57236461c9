// Images that fooled a classifier, made by rule: one picture is missing, one prediction has no
// probability, a name is to be wary of.
import type { ReportDocument, Sourced, Thumbnail } from "../../src/report/document.ts";
import type {
  AttackExample,
  AttackExamplesResult,
} from "../../src/report/schemas/attack_examples.ts";
import { hostileModel } from "./robustness.ts";

/** A picture of one pixel: transparent, as GIF. */
const pixel = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

function exampleOf(item: number, folder: string, steps: number): AttackExample {
  return {
    item,
    id: item === 3 ? hostileModel : `n0144${item}/${item}.JPEG`,
    label: { class: item, id: `n0144${item}`, name: item === 3 ? hostileModel : "tench" },
    before: { class: item, id: `n0144${item}`, name: "tench", probability: 0.9 - item / 100 },
    after:
      item === 2
        ? { class: 7 }
        : { class: 7, id: "n07", name: "cock", probability: 0.5 + steps / 10 },
    original: `examples/${item}.png`,
    attacked: `examples/${folder}/${item}.png`,
    difference: `examples/${folder}/${item}-difference.png`,
    scale: 127.5 / steps,
    largest: steps / 255,
    length: 1.25 * steps,
  };
}

export const attackExamples: Sourced<AttackExamplesResult> = {
  source: "adversarial/examples.json",
  result: {
    schema: "assay.attack_examples/1",
    model: hostileModel,
    dataset: "val",
    attacks: [1, 4].flatMap((steps) =>
      ["fgsm", "pgd"].map((attack) => {
        const folder = `${attack}-linf-${steps}_255`;
        const items = attack === "fgsm" && steps === 1 ? [] : [0, 1, 2, 3, 4, 5, 6, 7];
        return {
          attack,
          norm: "linf",
          eps: steps / 255,
          eps_text: `${steps}/255`,
          folder,
          fooled: 1200 * items.length,
          shown: items.map((item) => exampleOf(item, folder, steps)),
        };
      }),
    ),
  },
};

export function withPictures(document: ReportDocument): ReportDocument {
  const thumbnails: Thumbnail[] = [];
  for (const { shown } of attackExamples.result.attacks)
    for (const example of shown)
      for (const id of [example.original, example.attacked, example.difference])
        if (example.item !== 1)
          thumbnails.push({
            dataset: attackExamples.source,
            id,
            width: 160,
            height: 120,
            source: pixel,
          });
  return { ...document, thumbnails };
}
