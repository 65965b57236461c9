// Generated slices: a model with slices, one without, and one whose images are in clusters.
import type {
  FoundSlice,
  ReportItem,
  SlicedModel,
  SliceResult,
  Thumbnail,
} from "../../src/report/schemas/described.ts";
import { documentOf } from "./document.ts";
import { hostile, proportion } from "./numbers.ts";

function slice(model: string, conditions: [string, string][], accuracy: number): FoundSlice {
  return {
    model,
    dataset: "val",
    name: conditions.map(([by, value]) => `${by}=${value}`).join(","),
    conditions: conditions.map(([by, value]) => ({ by, value })),
    images: 400,
    incorrect: Math.round(400 * (1 - accuracy)),
    accuracy: proportion(accuracy, 196),
    rest: proportion(0.9, 804),
    p: 1e-9 * 10 ** (10 * accuracy),
    screened: 1e-5,
    examples: ["b/1.jpg", "b/2.jpg", `b/${hostile.markup}.jpg`],
  };
}

function sliced(model: string, more: Partial<SlicedModel> = {}): SlicedModel {
  return {
    model,
    dataset: "val",
    first: 1_012,
    second: 1_000,
    accuracy: proportion(0.86, 1_000),
    tested: 490,
    selected: 6,
    found: [],
    ...more,
  };
}

export const slicesResult: SliceResult = {
  schema: "assay.slices/1",
  level: 0.95,
  seed: 0,
  facets: ["camera", hostile.markup, "brightness", "label"].map((by) => ({
    dataset: "val",
    by,
    kind: by === "brightness" ? "image" : "attribute",
    values: 4,
    without: 0,
  })),
  models: [
    sliced("plain"),
    sliced("resnet50", {
      found: [
        slice("resnet50", [["camera", "b"]], 0.612),
        slice(
          "resnet50",
          [
            ["camera", "c"],
            ["brightness", "0.02 to 0.19"],
          ],
          0.55,
        ),
        slice("resnet50", [[hostile.markup, hostile.script]], 0.71),
        slice("resnet50", [["label", hostile.long]], 0.72),
        slice("resnet50", [["label", hostile.rightToLeft]], 0.73),
        slice("resnet50", [["predicted", "n02124075 (Egyptian cat)"]], 0.74),
      ],
    }),
  ],
  not_scored: 0,
  notes: [],
  warnings: [],
};

/** Results on "scans", where each patient has several images. */
export const clusteredResult: SliceResult = {
  ...slicesResult,
  cluster: "patient",
  facets: [{ dataset: "scans", by: "hospital", kind: "attribute", values: 3, without: 0 }],
  models: [
    sliced("net", {
      dataset: "scans",
      tested: 40,
      few_clusters: 12,
      selected: 1,
      found: [{ ...slice("net", [["hospital", "north"]], 0.6), dataset: "scans", clusters: 41 }],
    }),
    sliced("small", { dataset: "scans", tested: 0, few_clusters: 2, selected: 0 }),
  ],
};

const grey = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7";

const item: ReportItem = {
  dataset: "val",
  id: "b/1.jpg",
  item: 1,
  labels: [{ class: 1, id: "cat", name: "cat" }],
  models: [
    {
      name: "resnet50",
      predictions: [
        { class: 2, id: "dog", name: "dog", rank: 1, probability: 0.97, correct: false },
      ],
    },
  ],
};
const thumbnail: Thumbnail = {
  dataset: "val",
  id: "b/1.jpg",
  width: 120,
  height: 90,
  source: grey,
};

export const slicesDocument = documentOf(
  [
    { source: "runs/val", result: slicesResult },
    { source: "runs/scans", result: clusteredResult },
  ],
  { items: [item], thumbnails: [thumbnail] },
);
