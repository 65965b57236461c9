// The numbers of a gap and of scores, in the form that the plots need.
import type { ReportDocument } from "../../document.ts";
import type { Estimate } from "../../estimate.ts";
import type { NamedStore } from "../../parts/stores.ts";
import type { GapDataSet, GapResult, ReportItem } from "../../schemas/described.ts";
import type { GapMetric, GapSet } from "./metrics.ts";

export const metricNames: Record<GapMetric, string> = {
  top1: "top-1",
  real: "ReaL",
  asma: "ASMA",
};

export const sets: GapSet[] = ["first", "second"];

/** Metrics for which some model has a value on both data sets. */
export function measuredMetrics(gap: GapResult): GapMetric[] {
  const all: GapMetric[] = ["top1", "real", "asma"];
  return all.filter((metric) =>
    gap.models.some(({ metrics }) => metrics[metric].gap.value !== null),
  );
}

export interface LabelCount {
  name: string;
  images: number;
}

/** The texts "1", "2", ..., "> 5", "none". `countsOf` omits the last ones if no image has them. */
export function labelCounts(set: GapDataSet): LabelCount[] {
  const histogram = set.histogram;
  if (histogram === undefined) return [];
  const last = histogram.labels.at(-1)?.labels ?? 0;
  return [
    ...histogram.labels.map(({ labels, images }) => ({ name: String(labels), images })),
    { name: `> ${last}`, images: histogram.more },
    { name: "none", images: histogram.none },
  ];
}

/** The number of images of a store by their number of labels. */
export function storeCounts(entry: NamedStore): LabelCount[] {
  return entry.store.labels_per_image.map(({ labels, items }) => ({
    name: labels === 0 ? "none" : String(labels),
    images: items,
  }));
}

export interface Step {
  labels: number;
  estimate: Estimate;
}

/** The store's measured agreement, by the number of labels per image. */
export function subgroupSteps(entry: NamedStore): Step[] {
  return entry.measurements
    .filter(({ metric, subgroup }) => metric === "subgroup_accuracy" && !subgroup)
    .flatMap((measurement) => {
      const labels = Number(measurement.parameters?.["g"]);
      return Number.isInteger(labels) && labels > 0 ? [{ labels, estimate: measurement }] : [];
    })
    .sort((a, b) => a.labels - b.labels);
}

/** The values of one model on one data set of a gap. */
export function gapSteps(subgroups: GapResult["average"]["subgroups"], set: GapSet): Step[] {
  return subgroups.map(({ labels, agreement }) => ({ labels, estimate: agreement[set] }));
}

/** Images with several valid labels. */
export function severalLabels(document: ReportDocument, dataset: string): ReportItem[] {
  return document.items.filter((item) => item.dataset === dataset && item.labels.length > 1);
}

export function datasetsWithSeveral(document: ReportDocument): string[] {
  const names = document.items
    .filter(({ labels }) => labels.length > 1)
    .map(({ dataset }) => dataset);
  return [...new Set(names)];
}
