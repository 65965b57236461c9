// Buttons that copy the shown table.
import { useState } from "preact/hooks";
import { toClipboard } from "./clipboard.ts";
import { type CopiedTable, type CopyFormat, copied } from "./copy.ts";

const names: [CopyFormat, string][] = [
  ["csv", "CSV"],
  ["markdown", "Markdown"],
  ["latex", "LaTeX"],
];

/** `table` gets the format, because programs need full numbers, and people need the shown ones. */
export function CopyButtons({ table }: { table: (format: CopyFormat) => CopiedTable }) {
  const [said, setSaid] = useState("");
  const copy = async (format: CopyFormat, name: string) => {
    const done = await toClipboard(copied(table(format), format));
    setSaid(done ? `Copied as ${name}` : "This browser does not allow copying");
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
