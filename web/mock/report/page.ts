// The built report with a document in it, in the form that the command writes.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const built = fileURLToPath(new URL("../../built/report.html", import.meta.url));
const place = '<script type="application/gzip" id="document">';

export function pageOf(document: unknown): string {
  const template = readFileSync(built, "utf8");
  if (!template.includes(place)) throw new Error("built/report.html has no place for the document");
  const packed = gzipSync(JSON.stringify(document)).toString("base64");
  return template.replace(place, () => place + packed);
}
