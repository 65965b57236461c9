// The sources of every number: the commands, the stores with the hashes of their inputs, and the
// files that were read.
import type { ReportDocument } from "../../document.ts";
import { once } from "../../parts/names.ts";
import { Windowed, type WindowedColumn } from "../../parts/windowed.tsx";
import type { StoreProvenance } from "../../schemas/described.ts";
import { Hash } from "./hash.tsx";

const columns: WindowedColumn<StoreProvenance>[] = [
  { key: "store", name: "store", cell: ({ store }) => <bdi>{store}</bdi> },
  { key: "rows", name: "items", cell: ({ rows }) => rows?.toLocaleString("en-US") },
  {
    key: "missing",
    name: "missing shards",
    cell: ({ missing }) => missing?.toLocaleString("en-US") ?? "–",
  },
  {
    key: "storage",
    name: "kept",
    text: true,
    cell: ({ kind, storage }) => `${String(kind ?? "")}, ${String(storage ?? "")}`,
  },
  {
    key: "model",
    name: "model's file",
    text: true,
    cell: ({ model_hash }) => <Hash value={model_hash} />,
  },
  {
    key: "images",
    name: "images",
    text: true,
    cell: ({ dataset_id }) => <Hash value={dataset_id} />,
  },
  {
    key: "preprocessing",
    name: "preprocessing",
    text: true,
    cell: ({ preprocess_hash }) => <Hash value={preprocess_hash} />,
  },
  {
    key: "machine",
    name: "run on",
    text: true,
    cell: ({ device, processor }) => [device, processor].filter(Boolean).map(String).join(", "),
  },
  { key: "commit", name: "Assay", text: true, cell: ({ commit }) => String(commit ?? "–") },
];

type ReadFile = ReportDocument["provenance"]["files"][number];

const fileColumns: WindowedColumn<ReadFile>[] = [
  { key: "file", name: "file", cell: ({ file }) => <bdi>{file}</bdi> },
  { key: "holds", name: "holds", text: true, cell: ({ schema }) => schema },
  { key: "hash", name: "hash", text: true, cell: ({ hash }) => <Hash value={hash} /> },
];

export function View({ document }: { document: ReportDocument }) {
  const { command, stores, files } = document.provenance;
  const commands = once(
    stores
      .map((store) => store["command"])
      .filter((text): text is string => typeof text === "string"),
  );
  return (
    <div class="provenance">
      <p>
        Made by Assay {document.assay}
        {command !== "" && (
          <>
            : <code>{command}</code>
          </>
        )}
      </p>
      {commands.length > 0 && (
        <details>
          <summary>Commands that ran the models ({commands.length})</summary>
          <ul class="commands">
            {commands.slice(0, 200).map((text) => (
              <li key={text}>
                <code>{text}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
      {stores.length > 0 && (
        <>
          <h3>Stores</h3>
          <Windowed
            label="Stores of predictions"
            rows={stores}
            keyOf={({ store }) => store}
            columns={columns}
          />
        </>
      )}
      {files.length > 0 && (
        <>
          <h3>Files</h3>
          <Windowed
            label="Files that were read"
            rows={files}
            keyOf={({ file, schema }) => JSON.stringify([file, schema])}
            columns={fileColumns}
          />
        </>
      )}
    </div>
  );
}
