// What the search for slices found, in sentences.
import { type ReportDocument, resultsOf } from "../../document.ts";
import { countText, intervalText, valueText } from "../../estimate.ts";
import { once, short } from "../../parts/names.ts";
import type { FoundSlice, SlicedModel, SliceResult } from "../../schemas/described.ts";

/** A model on a data set, and the result that it is from. */
export interface Sliced {
  entry: SlicedModel;
  result: SliceResult;
}

export function slicedModels(document: ReportDocument): Sliced[] {
  return resultsOf<SliceResult>(document, "assay.slices").flatMap(({ result }) =>
    result.models.map((entry) => ({ entry, result })),
  );
}

function slicesText(count: number): string {
  return count === 1 ? "1 slice" : `${countText(count)} slices`;
}

/** A text such as "camera b and brightness 0.1 to 0.3". */
export function nameText({ conditions }: FoundSlice): string {
  return conditions.map(({ by, value }) => `${short(by, 24)} ${short(value, 40)}`).join(" and ");
}

/** A text such as "61.2 % (95 % CI 55.1 – 67.0)". */
function percent(estimate: FoundSlice["accuracy"]): string {
  const { interval } = estimate;
  const value = `${valueText(estimate)} %`;
  if (interval === undefined) return value;
  return `${value} (${Math.round(interval.level * 1000) / 10} % CI ${intervalText(estimate)})`;
}

/** The slice with the lowest accuracy. */
function lowest(found: FoundSlice[]): FoundSlice | undefined {
  return found.toSorted((a, b) => (a.accuracy.value ?? 2) - (b.accuracy.value ?? 2))[0];
}

/** What the search found on the images of one data set. */
export function headline({ entry }: Sliced): string {
  const model = short(entry.model, 60);
  const dataset = short(entry.dataset, 60);
  const worst = lowest(entry.found);
  if (entry.tested === 0) return `No slice of ${dataset} is large enough to test for ${model}.`;
  if (worst === undefined)
    return `No slice of ${dataset} was found on which ${model} is less accurate than on the other images.`;
  const [first, many] =
    entry.found.length === 1
      ? ["It is", "1 slice"]
      : ["The lowest is", slicesText(entry.found.length)];
  return (
    `${model} is less accurate on ${many} of ${dataset} than on the other images. ` +
    `${first} ${nameText(worst)}: ${percent(worst.accuracy)}, against ${percent(worst.rest)} on the others.`
  );
}

/** How the models of a data set compare, if there are several. */
export function overview(models: Sliced[]): string {
  const having = models.filter(({ entry }) => entry.found.length > 0);
  if (models.length < 2) return "";
  return having.length === 0
    ? `No slice was found for any of the ${countText(models.length)} models.`
    : `Slices were found for ${countText(having.length)} of ${countText(models.length)} models.`;
}

/** The attributes and image statistics that define slices. */
function facetsText(result: SliceResult, dataset: string): string {
  const own = result.facets.filter((facet) => facet.dataset === dataset);
  const names = once(own.map(({ by }) => short(by, 40)));
  const most = 8;
  const named =
    names.length > most ? [...names.slice(0, most), `${names.length - most} more`] : names;
  const by = `${named.join(", ")}${named.length > 0 ? " or " : ""}predicted class`;
  return `A slice is the images with one value, or with two values at once, of ${by}.`;
}

/** The method of the search, with one sentence for each fact. */
export function method({ entry, result }: Sliced): string[] {
  const again =
    entry.selected === 1 ? "the selected one" : `the ${countText(entry.selected)} selected ones`;
  const sentences = [
    `${slicesText(entry.tested)} ${entry.tested === 1 ? "was" : "were"} tested on one half of the images (${countText(entry.first)}), ` +
      (entry.selected === 0
        ? "and none was selected there."
        : `and ${again} again on the other half (${countText(entry.second)}). ` +
          "The accuracies are those of the other half. p is corrected for the number of slices tested there."),
    facetsText(result, entry.dataset),
  ];
  if (result.cluster !== undefined && result.cluster !== "")
    sentences.push(
      `Images with one ${short(result.cluster, 40)} are in one half, and tests and intervals account for their similarity.`,
    );
  if ((entry.few_clusters ?? 0) > 0)
    sentences.push(
      `${slicesText(entry.few_clusters ?? 0)} could not be tested, because too few clusters are in them or outside.`,
    );
  if (!result.facets.some(({ kind, dataset }) => kind === "image" && dataset === entry.dataset))
    sentences.push(
      "Brightness, sharpness and size need the images: `assay slices RUNS --json -o slices.json` finds slices by these, too, and the report takes its file.",
    );
  return sentences;
}
