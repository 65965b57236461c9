// Generated classes and confusions. One confusion has images.
import type {
  ClassScore,
  Confusion,
  ReportItem,
  ScoresResult,
  Thumbnail,
} from "../../src/report/schemas/described.ts";
import { store } from "./calibration.ts";
import { dice, hostile, none, proportion } from "./numbers.ts";

const odd = [hostile.markup, hostile.script, hostile.rightToLeft, hostile.long];

function classNames(count: number): string[] {
  return Array.from({ length: count }, (_, index) => odd[index] ?? `class ${index}`);
}

function classScores(count: number, seed: number): ClassScore[] {
  const random = dice(seed);
  return classNames(count).map((name, index) => {
    const items = 50;
    const correct = Math.round(items * (0.3 + 0.7 * random()));
    const empty = index === count - 1;
    return {
      id: `n${String(index).padStart(8, "0")}`,
      name,
      correct: empty ? 0 : correct,
      accuracy: empty ? none("no item of this class") : proportion(correct / items, items),
      ...(!empty && { confidence: 0.3 + 0.6 * random(), target_probability: 0.2 + 0.6 * random() }),
    };
  });
}

function confusions(): Confusion[] {
  const id = (index: number) => `n${String(index).padStart(8, "0")}`;
  const all: Confusion[] = [{ truth: id(5), predicted: id(6), count: 17 }];
  for (let cell = 0; cell < 98; cell += 1)
    all.push({
      truth: id((cell * 7) % 45),
      predicted: id(46 + (cell % 40)),
      count: 12 - Math.floor(cell / 9),
    });
  all.push({ truth: id(0), predicted: null, count: 1 });
  return all;
}

export function classesResult(count: number): ScoresResult {
  const stores = ["first", "second"].map((model, index) =>
    store(model, "val", {
      per_class: classScores(count, index + 1),
      ...(index === 0 && { confusions: confusions() }),
    }),
  );
  return { schema: "assay.scores/2", measurements: [], stores, gates: [] };
}

const grey = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

/** An image of class 5 that the first model predicts as class 6. */
export function confusedImages(): { items: ReportItem[]; thumbnails: Thumbnail[] } {
  const of = (index: number) => ({
    class: index,
    id: `n${String(index).padStart(8, "0")}`,
    name: `class ${index}`,
  });
  const items = [0, 1, 2].map((image) => ({
    dataset: "val",
    id: image === 2 ? hostile.markup : `five/image_${image}.png`,
    item: image,
    labels: [of(5)],
    models: [
      {
        name: "first",
        predictions: [
          { ...of(6), rank: 1, probability: 0.62, correct: false },
          { ...of(5), rank: 2, probability: 0.31, correct: true },
        ],
      },
    ],
  }));
  return {
    items,
    thumbnails: [{ dataset: "val", id: "five/image_0.png", width: 96, height: 96, source: grey }],
  };
}
