// The competitions of a document: settings, progress and ranking.
import { type ReportDocument, resultsOf, type Sourced } from "../../document.ts";
import type { Estimate } from "../../estimate.ts";
import { distinct } from "../../parts/names.ts";
import type {
  MadCompetition,
  MadGallery,
  MadRanking,
  MadStatus,
  RankedClassifier,
} from "../../schemas/described.ts";
import { ordered } from "../../table/order.ts";

export interface Competition {
  name: string;
  settings: MadCompetition | undefined;
  status: MadStatus | undefined;
  ranking: MadRanking | undefined;
  /** The selected images, from the same folder. */
  gallery: Sourced<MadGallery> | undefined;
}

type Part = MadCompetition | MadStatus | MadRanking;

/** The result of `init` has the path of the folder, and the name as a setting. */
function nameOf(part: Part): string {
  return ("settings" in part ? part.settings["name"] : undefined) ?? part.competition;
}

/**
 * Results from one folder belong to one competition. Results from files belong together if they
 * have the same name.
 */
export function competitionsOf(document: ReportDocument): Competition[] {
  const settings = resultsOf<MadCompetition>(document, "assay.mad");
  const statuses = resultsOf<MadStatus>(document, "assay.mad_status");
  const rankings = resultsOf<MadRanking>(document, "assay.mad_ranking");
  const taken = new Set<Part>();
  const take = <T extends Part>(all: Sourced<T>[], like: Sourced<Part>): T | undefined => {
    const free = all.filter(({ result }) => !taken.has(result));
    const found = (
      free.find(({ source }) => source === like.source) ??
      free.find(({ result }) => nameOf(result) === nameOf(like.result))
    )?.result;
    if (found !== undefined) taken.add(found);
    return found;
  };
  const galleries = resultsOf<MadGallery>(document, "assay.mad_gallery");
  const begun: Sourced<Part>[] = [...rankings, ...statuses, ...settings];
  const competitions: Competition[] = [];
  for (const entry of begun) {
    if (taken.has(entry.result)) continue;
    competitions.push({
      name: nameOf(entry.result),
      ranking: take(rankings, entry),
      status: take(statuses, entry),
      settings: take(settings, entry),
      gallery: galleries.find(({ source }) => source === entry.source),
    });
  }
  const names = distinct(competitions.map(({ name }) => name));
  competitions.forEach((entry, index) => {
    entry.name = names[index] ?? entry.name;
  });
  return competitions;
}

/** A classifier with its position in the matrices. */
export interface Ranked {
  index: number;
  of: RankedClassifier;
}

/** The classifiers sorted by group, and by rank in each group. */
export function inOrder(ranking: MadRanking): Ranked[] {
  const all = ranking.classifiers.map((of, index) => ({ index, of }));
  return ordered(
    ordered(all, ({ of }) => of.place, false),
    ({ of }) => of.component,
    false,
  );
}

export function placeOf(classifier: RankedClassifier): Estimate {
  const { place, place_interval } = classifier;
  return {
    value: place,
    unit: "rank",
    ...(place_interval !== undefined && { interval: place_interval }),
  };
}

/** The values by which classifiers are plotted. */
export const rankedBy: {
  key: string;
  text: string;
  axis: string;
  of: (classifier: RankedClassifier) => Estimate;
}[] = [
  { key: "place", text: "Place, bootstrap", axis: "place (1 is first)", of: placeOf },
  { key: "score", text: "Score, posterior", axis: "score", of: ({ score }) => score },
  { key: "rank", text: "Rank, posterior", axis: "rank (1 is first)", of: ({ rank }) => rank },
  {
    key: "correct",
    text: "Correct on the selected images",
    axis: "correct, %",
    of: ({ correct }) => correct,
  },
  {
    key: "accuracy",
    text: "Accuracy, control sample",
    axis: "accuracy, %",
    of: ({ accuracy }) => accuracy,
  },
];

export const placedBy: Record<MadRanking["placed_by"], string> = {
  perron: "Places are by Perron's vector of the pairwise ratios.",
  hodge:
    "Places are by HodgeRank, because some pairs have no settled images. Perron's vector would count these pairs as ties.",
  posterior:
    "Places are by the posterior's scores, because more images were asked of some pairs than of others.",
};

export interface Cell {
  row: Ranked;
  column: Ranked;
  value: number;
}

/** The rows and columns of only these classifiers, in their order. Empty if the matrix is empty. */
export function cellsOf(matrix: MadRanking["better"], chosen: Ranked[]): Cell[] {
  return chosen.flatMap((row) =>
    chosen.flatMap((column) => {
      const value = row.index === column.index ? null : matrix[row.index]?.[column.index];
      return value === null || value === undefined ? [] : [{ row, column, value }];
    }),
  );
}
