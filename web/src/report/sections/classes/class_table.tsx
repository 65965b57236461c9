// A row for each class, with its accuracy and interval as a number and as a line.
import { scaleLinear } from "d3-scale";
import { countText, type Estimate, intervalText, valueText } from "../../estimate.ts";
import { percentText } from "../../parts/item_card.tsx";
import { short } from "../../parts/names.ts";
import type { ClassScore } from "../../schemas/described.ts";
import { type DataColumn, DataTable } from "../../table/data_table.tsx";
import { textOf } from "./rows.ts";

const width = 130;

function InlineInterval({ estimate }: { estimate: Estimate }) {
  if (estimate.value === null) return null;
  const x = scaleLinear([0, 1], [4, width - 4]);
  const interval = estimate.interval;
  return (
    <svg class="inline-interval series-0" width={width} height="16" aria-hidden="true">
      <path class="track" d={`M4 8H${width - 4}`} />
      {interval !== undefined && (
        <path class="whisker" d={`M${x(interval.low)} 8H${x(interval.high)}`} />
      )}
      <circle class="symbol" cx={x(estimate.value)} cy="8" r="3.5" />
    </svg>
  );
}

function AccuracyCell({ accuracy }: { accuracy: Estimate }) {
  const interval = intervalText(accuracy);
  return (
    <span class="accuracy-cell" title={accuracy.undefined}>
      {valueText(accuracy)} <small class="soft">{interval && `(${interval})`}</small>
      <InlineInterval estimate={accuracy} />
    </span>
  );
}

function probability(value: number | undefined): string {
  return value === undefined ? "–" : percentText(value).replace(" %", "");
}

const columns: DataColumn<ClassScore>[] = [
  {
    key: "name",
    name: "class",
    text: true,
    value: textOf,
    shown: textOf,
    cell: (row) => <bdi title={short(textOf(row), 300)}>{short(textOf(row), 36)}</bdi>,
  },
  {
    key: "accuracy",
    name: "accuracy, %",
    least: true,
    value: ({ accuracy }) => accuracy.value,
    shown: ({ accuracy }) => valueText(accuracy),
    cell: ({ accuracy }) => <AccuracyCell accuracy={accuracy} />,
    parts: [
      { name: "low", of: ({ accuracy }) => accuracy.interval?.low ?? null },
      { name: "high", of: ({ accuracy }) => accuracy.interval?.high ?? null },
    ],
  },
  {
    key: "n",
    name: "n",
    meaning: "Items with this label",
    value: ({ accuracy }) => accuracy.n ?? null,
    shown: ({ accuracy }) => countText(accuracy.n ?? 0),
  },
  {
    key: "correct",
    name: "correct",
    value: ({ correct }) => correct,
    shown: ({ correct }) => countText(correct),
  },
  {
    key: "confidence",
    name: "confidence, %",
    meaning: "Mean probability of the predicted class",
    value: ({ confidence }) => confidence ?? null,
    shown: ({ confidence }) => probability(confidence),
  },
  {
    key: "target_probability",
    name: "target probability, %",
    meaning: "Mean probability of the label",
    value: ({ target_probability }) => target_probability ?? null,
    shown: ({ target_probability }) => probability(target_probability),
  },
];

export function ClassTable({ model, rows }: { model: string; rows: ClassScore[] }) {
  return (
    <>
      <p class="note">{countText(rows.length)} classes, the least accurate first.</p>
      <DataTable
        id="classes"
        label={`Classes of ${short(model, 60)}`}
        rows={rows}
        keyOf={({ id }) => id}
        columns={columns}
        sorted="accuracy"
      />
    </>
  );
}
