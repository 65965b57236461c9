// All data of the section, from one document.
import { type ReportDocument, resultsOf, type Sourced } from "../../document.ts";
import type {
  Candidate,
  QualityChoose,
  QualityCorrelate,
  QualityGroups,
  QualityStability,
} from "../../schemas/described.ts";
import {
  labelsOf,
  type QualityTable,
  type Row,
  type ScoreOf,
  scoresOf,
  tablesOf,
} from "./tables.ts";

export interface Gathered {
  tables: QualityTable[];
  /** The models of the report: the user's models, or the published ones if there are none. */
  rows: Row[];
  /** The published models behind the user's models. */
  backdrop: Row[];
  all: Map<string, Row>;
  tags: string[];
  scores: ScoreOf[];
  choices: Sourced<QualityChoose>[];
  /** The rows that no other row beats, from the result about choices. */
  unbeaten: Set<string>;
  /** Rows that do not differ significantly from the best score. */
  likeBest: Set<string>;
  correlations: Sourced<QualityCorrelate>[];
  groups: Sourced<QualityGroups>[];
  stability: Sourced<QualityStability>[];
}

function candidateRows(
  choices: Sourced<QualityChoose>[],
  tables: QualityTable[],
  is: (candidate: Candidate) => boolean,
): Set<string> {
  const found = new Set<string>();
  for (const { result } of choices) {
    const table = tables.find(({ rows }) =>
      result.candidates.every(({ row, model }) => {
        const name = rows[row - 1]?.name;
        return name !== undefined && model.startsWith(name);
      }),
    );
    for (const candidate of result.candidates) {
      const key = table?.rows[candidate.row - 1]?.key;
      if (is(candidate) && key !== undefined) found.add(key);
    }
  }
  return found;
}

/** If several of the user's tables have models of the same name, the table's name is added. */
function tellApart(own: QualityTable[]): void {
  const count = new Map<string, number>();
  for (const { rows } of own)
    for (const { label } of rows) count.set(label, (count.get(label) ?? 0) + 1);
  if (own.length < 2) return;
  for (const { source, rows } of own)
    for (const row of rows)
      if ((count.get(row.label) ?? 0) > 1) row.label = `${row.label} (${source})`;
}

/** The report's own data about models, if their table does not have them. */
function addTags({ tags }: ReportDocument, tables: QualityTable[]): void {
  const said = new Map(Object.entries(tags.models));
  for (const table of tables) {
    if (table.published) continue;
    for (const row of table.rows)
      for (const [tag, value] of Object.entries(said.get(row.name) ?? {}))
        if (!row.tags.has(tag)) row.tags.set(tag, value);
    table.tags = [...new Set([...table.tags, ...tags.names])];
  }
}

export function gather(document: ReportDocument): Gathered {
  const tables = tablesOf(document);
  const scores = scoresOf(document, tables);
  const labels = labelsOf(scores);
  for (const { rows } of tables)
    for (const row of rows) row.label = labels.get(row.key) ?? row.label;
  addTags(document, tables);
  const own = tables.filter(({ published }) => !published);
  tellApart(own);
  const shown = own.length > 0 ? own : tables;
  const choices = resultsOf<QualityChoose>(document, "assay.quality_choose");
  const rows = shown.flatMap((table) => table.rows);
  return {
    tables,
    rows,
    backdrop: own.length > 0 ? tables.flatMap((t) => (t.published ? t.rows : [])) : [],
    all: new Map(tables.flatMap((table) => table.rows.map((row) => [row.key, row]))),
    tags: [...new Set(tables.flatMap((table) => table.tags))],
    scores,
    choices,
    unbeaten: candidateRows(choices, tables, ({ unbeaten }) => unbeaten),
    likeBest: candidateRows(choices, tables, ({ like_best }) => like_best),
    correlations: resultsOf<QualityCorrelate>(document, "assay.quality_correlate"),
    groups: resultsOf<QualityGroups>(document, "assay.quality_groups"),
    stability: resultsOf<QualityStability>(document, "assay.quality_stability"),
  };
}

/** The models drawn as lines before the reader chooses any: the best by score, or the first. */
export function usuallyChosen({ rows, scores }: Gathered): string[] {
  const scored = scores.find((score) => score.rows?.some((row) => rows.includes(row)));
  return (scored?.rows ?? rows).slice(0, 5).map(({ key }) => key);
}
