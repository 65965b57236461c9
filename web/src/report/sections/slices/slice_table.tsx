// A row for each slice, with the most certain one first.
import { countText, type Estimate, intervalText, pText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { FoundSlice, SlicedModel } from "../../schemas/described.ts";
import { type DataColumn, DataTable } from "../../table/data_table.tsx";

function Accuracy({ estimate }: { estimate: Estimate }) {
  const interval = intervalText(estimate);
  return (
    <span class="accuracy" title={estimate.undefined}>
      {valueText(estimate)} {interval !== "" && <small class="soft">({interval})</small>}
    </span>
  );
}

function accuracyColumn(
  key: "accuracy" | "rest",
  name: string,
  meaning: string,
): DataColumn<FoundSlice> {
  return {
    key,
    name,
    meaning,
    least: true,
    value: (row) => row[key].value,
    shown: (row) => valueText(row[key]),
    cell: (row) => <Accuracy estimate={row[key]} />,
    parts: [
      { name: `${key} low`, of: (row) => row[key].interval?.low ?? null },
      { name: `${key} high`, of: (row) => row[key].interval?.high ?? null },
    ],
  };
}

const columns: DataColumn<FoundSlice>[] = [
  {
    key: "slice",
    name: "slice",
    text: true,
    value: ({ name }) => name,
    shown: ({ name }) => name,
    cell: ({ conditions, name }) => (
      <span class="conditions" title={short(name, 300)}>
        {conditions.map(({ by, value }, at) => (
          <span key={at} class="condition">
            {at > 0 && "and "}
            <bdi>{short(by, 24)}</bdi> <b>{short(value, 28)}</b>{" "}
          </span>
        ))}
      </span>
    ),
  },
  accuracyColumn(
    "accuracy",
    "accuracy, %",
    "On the images of the slice in the half that confirms it",
  ),
  accuracyColumn("rest", "others, %", "On the other images of that half"),
  {
    key: "images",
    name: "images",
    meaning: "Images of the slice in both halves",
    value: ({ images }) => images,
    shown: ({ images }) => countText(images),
  },
  {
    key: "incorrect",
    name: "incorrect",
    meaning: "Images of the slice whose prediction is incorrect",
    value: ({ incorrect }) => incorrect,
    shown: ({ incorrect }) => countText(incorrect),
  },
  {
    key: "p",
    name: "p",
    meaning: "Probability of so low an accuracy if the slice were like the others, corrected",
    least: true,
    value: ({ p }) => p,
    shown: ({ p }) => pText(p),
  },
];

const clusters: DataColumn<FoundSlice> = {
  key: "clusters",
  name: "clusters",
  meaning: "Groups of images that are not independent, such as patients",
  value: (row) => row.clusters ?? null,
  shown: (row) => (row.clusters === undefined ? "–" : countText(row.clusters)),
};

export function SliceTable({ entry }: { entry: SlicedModel }) {
  const clustered = entry.found.some((slice) => slice.clusters !== undefined);
  return (
    <DataTable
      id="slices"
      label={`Slices on which ${short(entry.model, 60)} is less accurate`}
      rows={entry.found}
      keyOf={({ name }) => name}
      columns={clustered ? [...columns, clusters] : columns}
      sorted="p"
    />
  );
}
