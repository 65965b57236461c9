// The tables of a document, with the results that belong to them.
import { type ReportDocument, resultsOf } from "../../document.ts";
import type { Quality, QualityCell, QualityScore } from "../../schemas/described.ts";
import { dimensions } from "./dimensions.ts";
import type { DrawnRow } from "./noise.ts";

export interface Row extends DrawnRow {
  /** A key that is unique in the document, because names may be equal. */
  key: string;
  name: string;
  /** The name, with an addition if other tables have the same name. */
  label: string;
  tags: Map<string, string>;
  cells: (QualityCell | null)[];
  published: boolean;
}

export interface QualityTable {
  source: string;
  /** The paper's 326 classifiers. */
  published: boolean;
  tags: string[];
  rows: Row[];
  result: Quality;
}

/** The source of a table that only the program itself writes. */
const publishedSource = "published";

/** `prefix` begins the keys of the rows: "p" for the published ones, otherwise a number. */
function tableOf(source: string, result: Quality, prefix: string): QualityTable {
  const published = source === publishedSource;
  const count = new Map<string, number>();
  for (const { name } of result.models) count.set(name, (count.get(name) ?? 0) + 1);
  const rows = result.models.map((model, index): Row => {
    const cells = new Map(Object.entries(model.dimensions));
    return {
      key: `${prefix}.${index + 1}`,
      index,
      name: model.name,
      label: (count.get(model.name) ?? 0) > 1 ? `${model.name} #${index + 1}` : model.name,
      tags: new Map(Object.entries(model.tags ?? {})),
      cells: dimensions.map(({ name }) => cells.get(name) ?? null),
      published,
    };
  });
  return { source, published, tags: result.tags ?? [], rows, result };
}

export function tablesOf(document: ReportDocument): QualityTable[] {
  let own = 0;
  return resultsOf<Quality>(document, "assay.quality").map(({ source, result }) =>
    tableOf(source, result, source === publishedSource ? "p" : String(++own)),
  );
}

export interface ScoreOf {
  source: string;
  score: QualityScore;
  /** The rows of its models, in the same order. Null if the document lacks its table. */
  rows: Row[] | null;
}

function rowsOf(score: QualityScore, tables: QualityTable[]): Row[] | null {
  for (const table of tables) {
    const rows = score.models.map(({ row }) => table.rows[row - 1]);
    const fits = rows.every((row, i) => row && score.models[i]?.model.startsWith(row.name));
    if (fits && rows.length > 0) return rows as Row[];
  }
  return null;
}

/** All scores with the rows that they score. A table also has its own score. */
export function scoresOf(document: ReportDocument, tables: QualityTable[]): ScoreOf[] {
  const alone = resultsOf<QualityScore>(document, "assay.quality_score").map(
    ({ source, result }): ScoreOf => {
      const same = tables.filter((table) => table.source === source);
      return { source, score: result, rows: rowsOf(result, [...same, ...tables]) };
    },
  );
  const inside = tables.flatMap((table): ScoreOf[] =>
    table.result.score === undefined
      ? []
      : [
          {
            source: table.source,
            score: table.result.score,
            rows: rowsOf(table.result.score, [table]),
          },
        ],
  );
  return [...inside, ...alone];
}

/** The names of rows as in scores and choices, if one of these results names the row. */
export function labelsOf(scores: ScoreOf[]): Map<string, string> {
  const labels = new Map<string, string>();
  for (const { score, rows } of scores)
    rows?.forEach((row, i) => {
      const label = score.models[i]?.model;
      if (label !== undefined) labels.set(row.key, label);
    });
  return labels;
}
