// Models that are runs of one model. Their names only differ in a final date or version, or their
// tags say so.
import type { ReportDocument } from "../../document.ts";

export interface Run {
  model: string;
  /** The text that is shown, such as "2024-03-01" or "v2.1". */
  when: string;
  /** Milliseconds since 1970, if it is a date. */
  time: number | null;
}

export interface Family {
  name: string;
  /** The runs, the earliest first. */
  runs: Run[];
  /** Whether all runs have dates. */
  dated: boolean;
}

const date = /^(\d{4})-?(\d{2})(?:-?(\d{2}))?(?:[T_ -]?(\d{2})[:-]?(\d{2})(?:[:-]?(\d{2}))?Z?)?$/;
const ending = new RegExp(
  "^(.+?)[-_. @/]((?:19|20)\\d{2}-\\d{2}(?:-\\d{2}(?:[T_ -]\\d{2}[:-]?\\d{2}(?:[:-]?\\d{2})?Z?)?)?" +
    "|(?:19|20)\\d{6}(?:[T_-]?\\d{4,6}Z?)?" +
    "|v\\d+(?:\\.\\d+)*|\\d+(?:\\.\\d+)+|(?:epoch|step|run|ep)[-_]?\\d+)$",
  "i",
);

/** Null for a text that is not a date, or a date that does not exist. */
export function timeOf(text: string): number | null {
  const found = date.exec(text.trim());
  if (found === null) return null;
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = found
    .slice(1)
    .map((part, index) => (part === undefined ? (index === 2 ? 1 : 0) : Number(part)));
  const time = Date.UTC(year, month - 1, day, hour, minute, second);
  const there = new Date(time);
  const same = there.getUTCMonth() === month - 1 && there.getUTCDate() === day;
  return year >= 1970 && same && hour < 24 && minute < 60 && second < 60 ? time : null;
}

/** "net-2024-03-01" becomes ["net", "2024-03-01"]. Null without such an end. */
export function splitName(name: string): [string, string] | null {
  // People do not give longer names, and the regular expression would be slow on them.
  const found = name.length > 300 ? null : ending.exec(name);
  return found === null ? null : [found[1] ?? name, found[2] ?? ""];
}

const collator = new Intl.Collator("en", { numeric: true });

export function compareRuns(a: Run, b: Run): number {
  if (a.time !== null && b.time !== null && a.time !== b.time) return a.time - b.time;
  return collator.compare(a.when, b.when);
}

function tagOf(tags: Record<string, string> | undefined, columns: string[]): string {
  for (const [column, text] of Object.entries(tags ?? {}))
    if (columns.includes(column.toLowerCase()) && String(text).trim() !== "")
      return String(text).trim();
  return "";
}

/** The families of scored models with two or more runs. */
export function familiesOf(document: ReportDocument, models: Iterable<string>): Family[] {
  const tags = new Map(Object.entries(document.tags.models));
  const families = new Map<string, Run[]>();
  for (const model of new Set(models)) {
    const own = tags.get(model);
    const split = splitName(model);
    const when = tagOf(own, ["date"]) || tagOf(own, ["version"]) || split?.[1] || "";
    if (when === "") continue;
    const family = tagOf(own, ["family"]) || split?.[0] || model;
    const runs = families.get(family) ?? [];
    families.set(family, runs);
    runs.push({ model, when, time: timeOf(when) });
  }
  return [...families]
    .filter(([, runs]) => new Set(runs.map(({ when }) => when)).size > 1)
    .map(([name, runs]) => ({
      name,
      runs: runs.sort(compareRuns),
      dated: runs.every(({ time }) => time !== null),
    }));
}
