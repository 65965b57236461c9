// The values on an axis of the scatter plot: a dimension, or the document's score.
import type { Estimate } from "../../estimate.ts";
import { axisTitle, cellLines, estimateOf } from "./cells.ts";
import { dimensions } from "./dimensions.ts";
import type { Row, ScoreOf } from "./tables.ts";

export interface AxisChoice {
  name: string;
  title: string;
  /** The text with its unit and direction. */
  axis: string;
  logarithmic: boolean;
  of: (row: Row) => Estimate;
  lines: (row: Row) => string[];
}

export function axisChoices(scores: ScoreOf[]): AxisChoice[] {
  const choices = dimensions.map((dimension, d): AxisChoice => {
    const of = (row: Row) => estimateOf(row.cells[d] ?? null, dimension);
    return {
      name: dimension.name,
      title: dimension.title,
      axis: axisTitle(dimension),
      logarithmic: dimension.logarithmic === true,
      of,
      lines: (row) => cellLines(of(row), dimension.title, row.cells[d]?.definition),
    };
  });
  const byRow = new Map<string, Estimate>();
  for (const { score, rows } of scores)
    rows?.forEach((row, i) => {
      const model = score.models[i];
      if (model !== undefined && !byRow.has(row.key)) byRow.set(row.key, model.score);
    });
  if (byRow.size === 0) return choices;
  const of = (row: Row) => byRow.get(row.key) ?? { value: null, undefined: "not scored" };
  const score: AxisChoice = {
    name: "score",
    title: "QUBA score",
    axis: "QUBA score, higher is better",
    logarithmic: false,
    of,
    lines: (row) => cellLines(of(row), "QUBA score"),
  };
  return [...choices, score];
}
