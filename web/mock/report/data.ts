// Two inspected data sets: one recorded by a store, and one read by `assay inspect`.
import type { InspectResult } from "../../src/report/schemas/described.ts";
import { documentOf } from "./document.ts";
import { hostile } from "./over_time.ts";

const no_copies = { groups: 0, images: 0, groups_of_other_labels: 0, examples: [] };
const recorded: InspectResult = {
  schema: "assay.inspect/1",
  name: "val",
  store: "runs/val/resnet50",
  images: 700,
  unreadable: 1,
  notes: [],
  samples: [],
  labels: {
    classes: 3,
    classes_without_images: 0,
    order: ["cat", "dog", hostile],
    fewest: [
      { name: hostile, images: 12 },
      { name: "dog", images: 300 },
      { name: "cat", images: 388 },
    ],
    most: [
      { name: "cat", images: 388 },
      { name: "dog", images: 300 },
      { name: hostile, images: 12 },
    ],
    without_images: [],
    images_without: 0,
    images_with_several: 0,
    first_without: [],
  },
  kinds: [{ id: "alpha", title: "alpha (dropped)", images: 1_200, first: `dog/${hostile}.png` }],
  sizes: null,
  unreadable_examples: [{ id: "cat/9.jpg", why: "truncated JPEG image" }],
  same_files: no_copies,
  against: null,
  class_orders: null,
  findings: [
    {
      grade: "fault",
      text: "1 of 700 images cannot be read",
      examples: [`cat/${hostile}.jpg: truncated JPEG image`],
    },
    { grade: "sound", text: "no file appears twice", examples: [] },
    { grade: "note", text: "1 of 3 classes have no image: eel", examples: [] },
    { grade: "doubt", text: "2 of 700 images have no label: a, b", examples: [] },
  ],
};

const side = (least: number, median: number, most: number) => ({ least, median, most });

export const inspected: InspectResult = {
  schema: "assay.inspect/1",
  name: "test",
  images: 50_000,
  unreadable: 0,
  near: 4,
  notes: ["2 class folders: their names in byte order"],
  samples: [],
  labels: {
    ...recorded.labels,
    fewest: [{ name: "cat", images: 25_000 }],
    most: [{ name: "cat", images: 25_000 }],
  },
  kinds: [{ id: "jpeg", title: "JPEG", images: 50_000, first: "cat/1.jpg" }],
  sizes: {
    width: side(32, 341, 1_024),
    height: side(32, 256, 768),
    sizes: 12,
    usual_width: 341,
    usual_height: 256,
    usual_images: 40_000,
  },
  unreadable_examples: [],
  same_files: no_copies,
  near_duplicates: no_copies,
  against: null,
  class_orders: null,
  findings: [{ grade: "sound", text: "every image can be decoded", examples: [] }],
};

export { recorded };

export const dataDocument = documentOf([
  { source: "runs/val", result: recorded },
  { source: "data.json", result: inspected },
]);
