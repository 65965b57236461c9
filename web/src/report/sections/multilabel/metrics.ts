// The three definitions of a correct prediction, and the two data sets (docs/multilabel.md). A gap
// is first minus second. It is positive if the models are worse on the second.
import type { GapResult } from "../../schemas/described.ts";

export type GapMetric = keyof GapResult["average"]["metrics"];
export const gapMetrics: GapMetric[] = ["top1", "real", "asma"];
export type GapSet = keyof GapResult["best"];
