// The ranking. One measure of it is a plot, and all of them are a table.
import { type Estimate, intervalText, numberText, unitText, valueText } from "../../estimate.ts";
import { Forest } from "../../parts/forest.tsx";
import { short } from "../../parts/names.ts";
import { OneOf } from "../../parts/one_of.tsx";
import type { MadRanking } from "../../schemas/described.ts";
import { useAddress } from "../../state.ts";
import { type DataColumn, DataTable } from "../../table/data_table.tsx";
import { inOrder, placeOf, type Ranked, rankedBy } from "./competitions.ts";

/** The number of classifiers in a plot, and the number of further ones on request. */
const step = 40;

export function RankingForest({ ranking }: { ranking: MadRanking }) {
  const [wanted, choose] = useAddress("mad.by", "place");
  const [rows, setRows] = useAddress("mad.rows", String(step));
  const by = rankedBy.find(({ key }) => key === wanted) ?? rankedBy[0];
  if (by === undefined) return null;
  const all = inOrder(ranking);
  const shown = Math.max(step, Math.min(all.length, Number.parseInt(rows, 10) || step));
  const drawn = all.slice(0, shown);
  return (
    <>
      <div class="choices">
        <OneOf
          label="Ranked by"
          choices={rankedBy.map(({ key, text }) => ({ value: key, text }))}
          value={by.key}
          choose={choose}
        />
      </div>
      <Forest
        title={by.text}
        axis={by.axis}
        rows={drawn.map(({ index, of }) => ({
          key: String(index),
          name: of.classifier,
          estimate: by.of(of),
          ...(ranking.components > 1 && { lines: [`group ${of.component + 1}`] }),
        }))}
        unit={drawn[0] === undefined ? undefined : by.of(drawn[0].of).unit}
      />
      {all.length > shown && (
        <button type="button" class="link no-print" onClick={() => setRows(String(shown + step))}>
          {all.length - shown} more
        </button>
      )}
    </>
  );
}

function withInterval(estimate: Estimate): string {
  const interval = intervalText(estimate);
  return `${valueText(estimate)}${interval && ` (${interval})`}`;
}

function estimateColumn(
  key: string,
  name: string,
  meaning: string,
  of: (row: Ranked) => Estimate,
  least = false,
): DataColumn<Ranked> {
  const end = (which: "low" | "high") => ({
    name: `${name} ${which}`,
    of: (row: Ranked) => of(row).interval?.[which] ?? null,
  });
  return {
    key,
    name,
    meaning,
    least,
    value: (row) => of(row).value,
    shown: (row) => withInterval(of(row)),
    cell: (row) => (
      <span title={of(row).undefined ?? of(row).note}>
        {valueText(of(row))} <small>{intervalText(of(row))}</small>
      </span>
    ),
    parts: [end("low"), end("high")],
  };
}

function numberColumn(
  key: string,
  name: string,
  meaning: string,
  of: (row: Ranked) => number,
): DataColumn<Ranked> {
  return { key, name, meaning, value: of, shown: (row) => numberText(of(row), 0.05) };
}

export function RankingTable({ ranking }: { ranking: MadRanking }) {
  const percent = unitText("proportion");
  const columns: DataColumn<Ranked>[] = [
    {
      key: "classifier",
      name: "classifier",
      text: true,
      value: ({ of }) => of.classifier,
      shown: ({ of }) => of.classifier,
      cell: ({ of }) => <bdi title={short(of.classifier, 300)}>{short(of.classifier, 40)}</bdi>,
    },
    estimateColumn(
      "place",
      "place",
      "with a bootstrap interval over images and annotators",
      ({ of }) => placeOf(of),
      true,
    ),
    estimateColumn("score", "score", "of the posterior", ({ of }) => of.score),
    estimateColumn("rank", "rank", "of the posterior", ({ of }) => of.rank, true),
    numberColumn("perron", "Perron", "entry of Perron's vector", ({ of }) => of.perron),
    numberColumn("hodge", "HodgeRank", "least-squares score", ({ of }) => of.hodge),
    estimateColumn(
      "correct",
      `correct, ${percent}`,
      "on the selected images; says nothing about others",
      ({ of }) => of.correct,
    ),
    {
      key: "images",
      name: "images",
      meaning: "different images, over the pairs of the classifier",
      value: ({ of }) => of.images,
      shown: ({ of }) => String(of.images),
    },
    estimateColumn(
      "accuracy",
      `accuracy, ${percent}`,
      "on all images, by the control sample",
      ({ of }) => of.accuracy,
    ),
    ...(ranking.components > 1
      ? [
          {
            key: "group",
            name: "group",
            meaning: "places of different groups cannot be compared",
            least: true,
            value: ({ of }: Ranked) => of.component + 1,
            shown: ({ of }: Ranked) => String(of.component + 1),
          },
        ]
      : []),
  ];
  return (
    <DataTable
      id="mad.ranking"
      label="Ranking"
      rows={inOrder(ranking)}
      keyOf={({ index }) => String(index)}
      columns={columns}
    />
  );
}
