// A document in the form that the page needs. Parts with another form count as missing, and the
// page shows the others.
import type { ReportDocument } from "./document.ts";
import { misshapen } from "./shapes.ts";

type Fields = Record<string, unknown>;

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {};
}

function textOf(value: unknown, fallback: string): string {
  return typeof value === "string" ? value : fallback;
}

function entriesOf(value: unknown): Fields[] {
  return Array.isArray(value)
    ? value.filter((entry) => typeof entry === "object" && entry !== null)
    : [];
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === "string") : [];
}

function tagsOf(value: unknown): ReportDocument["tags"] {
  const { names, models } = fieldsOf(value);
  return {
    names: textsOf(names),
    models: Object.fromEntries(
      Object.entries(fieldsOf(models)).map(([model, tags]) => [
        model,
        Object.fromEntries(
          Object.entries(fieldsOf(tags)).filter(([, text]) => typeof text === "string"),
        ) as Record<string, string>,
      ]),
    ),
  };
}

export function sound(opened: unknown): ReportDocument {
  const all = fieldsOf(opened);
  const provenance = fieldsOf(all["provenance"]);
  const left_out = textsOf(all["left_out"]);
  const results = entriesOf(all["results"]).filter(({ source, result }) => {
    const fields = fieldsOf(result);
    if (typeof fields["schema"] !== "string") return false;
    const wrong = misshapen(fields);
    if (wrong === undefined) return true;
    left_out.push(
      `${textOf(source, "A result")} is not shown: \`${wrong}\` must be a list of objects (${fields["schema"]}). Run the command that wrote it again.`,
    );
    return false;
  });
  const best = entriesOf(all["best"]).filter(
    ({ alike, untested }) => Array.isArray(alike) && Array.isArray(untested),
  );
  return {
    schema: "assay.report/1",
    assay: textOf(all["assay"], ""),
    title: textOf(all["title"], "Report"),
    results: results as unknown as ReportDocument["results"],
    best: best as unknown as ReportDocument["best"],
    definitions: entriesOf(all["definitions"]) as unknown as ReportDocument["definitions"],
    tags: tagsOf(all["tags"]),
    items: entriesOf(all["items"]) as unknown as ReportDocument["items"],
    thumbnails: entriesOf(all["thumbnails"]) as unknown as ReportDocument["thumbnails"],
    provenance: {
      command: textOf(provenance["command"], ""),
      stores: entriesOf(provenance["stores"]) as unknown as ReportDocument["provenance"]["stores"],
      files: entriesOf(provenance["files"]) as unknown as ReportDocument["provenance"]["files"],
    },
    warnings: textsOf(all["warnings"]),
    left_out,
  };
}
