// Buttons that copy what a table shows.
import { useState } from "preact/hooks";
import { type CopiedTable, type CopyFormat, copied } from "./copy.ts";

const names: [CopyFormat, string][] = [
  ["csv", "CSV"],
  ["markdown", "Markdown"],
  ["latex", "LaTeX"],
];

/** Files from the disk may not use the clipboard's newer interface everywhere. */
async function toClipboard(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}

/** `table` gets the format: programs want numbers as they are, people as they are shown. */
export function CopyButtons({ table }: { table: (format: CopyFormat) => CopiedTable }) {
  const [said, setSaid] = useState("");
  const copy = async (format: CopyFormat, name: string) => {
    const done = await toClipboard(copied(table(format), format));
    setSaid(done ? `Copied as ${name}` : "This browser does not let the page copy");
  };
  return (
    <span class="copy no-print">
      Copy as
      {names.map(([format, name]) => (
        <button type="button" class="link" key={format} onClick={() => copy(format, name)}>
          {name}
        </button>
      ))}
      <span role="status">{said}</span>
    </span>
  );
}
