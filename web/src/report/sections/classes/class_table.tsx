// A row for each class: its accuracy with the interval, as a number and as a line.
import { scaleLinear } from "d3-scale";
import { useId } from "preact/hooks";
import { countText, type Estimate, intervalText, valueText } from "../../estimate.ts";
import { percentText } from "../../parts/item_card.tsx";
import { short } from "../../parts/names.ts";
import { Windowed, type WindowedColumn } from "../../parts/windowed.tsx";
import type { ClassScore } from "../../schemas/scores.ts";
import { useAddress } from "../../state.ts";
import { orderedClasses, orderOf, textOf } from "./rows.ts";

const width = 130;

export function InlineInterval({ estimate }: { estimate: Estimate }) {
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

function probability(value: number | undefined): string {
  return value === undefined ? "–" : percentText(value).replace(" %", "");
}

const columns: WindowedColumn<ClassScore>[] = [
  {
    key: "name",
    name: "class",
    cell: (row) => <bdi title={short(textOf(row), 300)}>{short(textOf(row), 36)}</bdi>,
  },
  {
    key: "accuracy",
    name: "accuracy, %",
    cell: ({ accuracy }) => (
      <span title={accuracy.undefined}>
        {valueText(accuracy)}{" "}
        <small class="soft">{intervalText(accuracy) && `(${intervalText(accuracy)})`}</small>
      </span>
    ),
  },
  {
    key: "interval",
    name: "0 – 100",
    cell: ({ accuracy }) => <InlineInterval estimate={accuracy} />,
  },
  { key: "n", name: "n", cell: ({ accuracy }) => countText(accuracy.n ?? 0) },
  { key: "correct", name: "correct", cell: ({ correct }) => countText(correct) },
  {
    key: "confidence",
    name: "confidence, %",
    meaning: "Mean probability of the predicted class",
    cell: ({ confidence }) => probability(confidence),
  },
  {
    key: "target_probability",
    name: "target probability, %",
    meaning: "Mean probability of the label",
    cell: ({ target_probability }) => probability(target_probability),
  },
];
const sortable = new Set(["name", "accuracy", "n", "confidence", "target_probability"]);

export function ClassTable({ model, rows }: { model: string; rows: ClassScore[] }) {
  const [order, setOrder] = useAddress("classes.order", "accuracy");
  const [filter, setFilter] = useAddress("classes.filter", "");
  const id = useId();
  const { key, descending } = orderOf(order);
  const shown = orderedClasses(rows, key, descending, filter);
  const by = (wanted: string) => {
    if (sortable.has(wanted)) setOrder(wanted === key && !descending ? `-${wanted}` : wanted);
  };
  return (
    <>
      <p class="choice no-print">
        <label for={id}>Find a class</label>
        <input
          id={id}
          type="search"
          value={filter}
          onInput={(event) => setFilter(event.currentTarget.value)}
        />
        <span role="status">
          {shown.length === rows.length
            ? `${countText(rows.length)} classes`
            : `${countText(shown.length)} of ${countText(rows.length)} classes`}
        </span>
      </p>
      <Windowed
        label={`Classes of ${short(model, 60)}`}
        rows={shown}
        keyOf={(row) => row.id}
        columns={columns}
        sort={{ key, descending, by, sortable }}
      />
    </>
  );
}
