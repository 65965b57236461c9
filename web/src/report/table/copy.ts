// A table as text for other programs: csv for programs, Markdown for pull requests, LaTeX for
// papers.

export type CopyFormat = "csv" | "markdown" | "latex";

export interface CopiedColumn {
  name: string;
  /** Whether the column is aligned to the right. */
  numbers: boolean;
}

export interface CopiedTable {
  columns: CopiedColumn[];
  rows: string[][];
}

/**
 * RFC 4180. A text with a leading =, +, - or @ is escaped, because spreadsheets would run it as a
 * formula.
 */
function csvField(text: string, numbers: boolean): string {
  const safe = !numbers && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csv({ columns, rows }: CopiedTable): string {
  const lines = [columns.map(({ name }) => csvField(name, false))].concat(
    rows.map((row) => row.map((text, c) => csvField(text, columns[c]?.numbers === true))),
  );
  return `${lines.map((line) => line.join(",")).join("\n")}\n`;
}

function markdownText(text: string): string {
  return text.replace(/[\r\n]+/g, " ").replace(/[\\`*_{}[\]<>|~]/g, "\\$&");
}

function markdown({ columns, rows }: CopiedTable): string {
  const line = (cells: string[]) => `| ${cells.join(" | ")} |`;
  return `${[
    line(columns.map(({ name }) => markdownText(name))),
    line(columns.map(({ numbers }) => (numbers ? "---:" : "---"))),
    ...rows.map((row) => line(row.map(markdownText))),
  ].join("\n")}\n`;
}

const latexSigns = new Map([
  ["\\", "\\textbackslash{}"],
  ["&", "\\&"],
  ["%", "\\%"],
  ["$", "\\$"],
  ["#", "\\#"],
  ["_", "\\_"],
  ["{", "\\{"],
  ["}", "\\}"],
  ["~", "\\textasciitilde{}"],
  ["^", "\\textasciicircum{}"],
  ["<", "$<$"],
  [">", "$>$"],
  ["±", "$\\pm$"],
  ["–", "--"],
]);

function latexText(text: string): string {
  return [...text.replace(/[\r\n]+/g, " ")].map((sign) => latexSigns.get(sign) ?? sign).join("");
}

/** Uses the rules of booktabs, like the command's own tables. */
function latex({ columns, rows }: CopiedTable): string {
  const line = (cells: string[]) => `${cells.map(latexText).join(" & ")} \\\\`;
  return [
    `\\begin{tabular}{${columns.map(({ numbers }) => (numbers ? "r" : "l")).join("")}}`,
    "\\toprule",
    line(columns.map(({ name }) => name)),
    "\\midrule",
    ...rows.map(line),
    "\\bottomrule",
    "\\end{tabular}",
    "",
  ].join("\n");
}

export function copied(table: CopiedTable, format: CopyFormat): string {
  return { csv, markdown, latex }[format](table);
}
