// The facts about a data set's images, as tables without sorting.
import { countText } from "../../estimate.ts";
import type { ImageSide, InspectResult } from "../../schemas/described.ts";
import type { PlainTableData } from "../../table/plain.tsx";

export function kindsOf({ kinds }: InspectResult): PlainTableData {
  return {
    columns: ["kind", "images", "first"],
    rows: kinds.map(({ title, images, first }) => [title, countText(images), first]),
  };
}

/** Null if no image could be decoded, or if a store has recorded the images. */
export function sizesOf({ sizes }: InspectResult): PlainTableData | null {
  if (sizes === null) return null;
  const row = (name: string, { least, median, most }: ImageSide) => [
    name,
    countText(least),
    countText(median),
    countText(most),
  ];
  return {
    columns: ["pixels", "least", "median", "most"],
    rows: [row("width", sizes.width), row("height", sizes.height)],
  };
}

/** The classes with the fewest and the most images. None if all have the same number. */
export function classesOf({ labels }: InspectResult): PlainTableData | null {
  const [least] = labels.fewest;
  const [most] = labels.most;
  if (least === undefined || most === undefined || least.images === most.images) return null;
  const shown = [...labels.most, ...labels.fewest.toReversed()];
  const names = new Set<string>();
  const rows: (string | number)[][] = [];
  for (const { name, images } of shown) {
    if (names.has(name)) continue;
    names.add(name);
    rows.push([name, countText(images)]);
  }
  return { columns: ["class", "images"], rows };
}
