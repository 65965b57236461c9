// The annotators: number of answers, proportion of yes, and agreement with each other and with
// known answers.
import { countText, type Estimate, intervalText, unitText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { MadAnnotator, MadStatus } from "../../schemas/described.ts";
import { type DataColumn, DataTable } from "../../table/data_table.tsx";

interface Row {
  index: number;
  of: MadAnnotator;
}

function count(
  key: "answers" | "yes" | "cannot_say",
  name: string,
  meaning: string,
): DataColumn<Row> {
  return { key, name, meaning, value: ({ of }) => of[key], shown: ({ of }) => countText(of[key]) };
}

function proportion(key: "agreement" | "gold", name: string, meaning: string): DataColumn<Row> {
  const estimate = ({ of }: Row): Estimate => of[key];
  return {
    key,
    name: `${name}, ${unitText("proportion")}`,
    meaning,
    value: (row) => estimate(row).value,
    shown: (row) => {
      const interval = intervalText(estimate(row));
      return `${valueText(estimate(row))}${interval && ` (${interval})`}`;
    },
    cell: (row) => (
      <span title={estimate(row).undefined}>
        {valueText(estimate(row))} <small>{intervalText(estimate(row))}</small>
      </span>
    ),
    parts: (["low", "high"] as const).map((end) => ({
      name: `${name} ${end}`,
      of: (row: Row) => estimate(row).interval?.[end] ?? null,
    })),
    least: true,
  };
}

const columns: DataColumn<Row>[] = [
  {
    key: "annotator",
    name: "annotator",
    text: true,
    value: ({ of }) => of.annotator,
    shown: ({ of }) => of.annotator,
    cell: ({ of }) => <bdi title={short(of.annotator, 300)}>{short(of.annotator, 40)}</bdi>,
  },
  count("answers", "answers", "all imported answers"),
  count("yes", "yes", "answers that say yes"),
  count("cannot_say", "cannot say", "answers that say neither"),
  proportion("agreement", "agreement", "with the majority of the others"),
  proportion("gold", "gold", "correct on questions with known answers"),
  {
    key: "blocked",
    name: "blocked",
    meaning: "whether the answers are excluded from all results",
    text: true,
    value: ({ of }) => (of.blocked ? "blocked" : ""),
    shown: ({ of }) => (of.blocked ? "blocked" : ""),
  },
];

export function Annotators({ status }: { status: MadStatus | undefined }) {
  if (status === undefined || status.annotators.length === 0) return null;
  return (
    <>
      <h3>Annotators</h3>
      <DataTable
        id="mad.annotators"
        label="Annotators"
        rows={status.annotators.map((of, index) => ({ index, of }))}
        keyOf={({ index }) => String(index)}
        columns={columns}
        sorted="agreement"
      />
    </>
  );
}
