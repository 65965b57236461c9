// The pairs, with the number of their images in each case.
import { countText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { MadRanking, RankedPair } from "../../schemas/described.ts";
import { type DataColumn, DataTable } from "../../table/data_table.tsx";

interface Row {
  index: number;
  pair: RankedPair;
}

function name(key: "first" | "second"): DataColumn<Row> {
  return {
    key,
    name: key,
    text: true,
    value: ({ pair }) => pair[key],
    shown: ({ pair }) => pair[key],
    cell: ({ pair }) => <bdi title={short(pair[key], 300)}>{short(pair[key], 30)}</bdi>,
  };
}

type Count = Exclude<keyof RankedPair, "first" | "second" | "combined_gain">;

function count(key: Count, heading: string, meaning: string): DataColumn<Row> {
  return {
    key,
    name: heading,
    meaning,
    value: ({ pair }) => pair[key],
    shown: ({ pair }) => countText(pair[key]),
  };
}

const columns: DataColumn<Row>[] = [
  name("first"),
  name("second"),
  count("images", "settled", "images of the pair whose labels are judged"),
  count("both", "I: both", "images on which both are correct"),
  count("only_first", "II: the first", "images on which only the first is correct"),
  count("only_second", "II: the second", "images on which only the second is correct"),
  count("neither", "III: neither", "images on which neither is correct"),
  count("wanted", "wanted", "images that were to be selected"),
  count("accepted", "selected", "images that are selected"),
  count("asked", "asked", "images that were asked about"),
  count("open", "open", "images with an unsettled question"),
  count("replaced", "replaced", "images that nobody could judge"),
];

export function Pairs({ ranking }: { ranking: MadRanking }) {
  const { cases } = ranking;
  return (
    <>
      <h3>Pairs</h3>
      <p class="note">
        Of the images of all pairs, {countText(cases.I)} are of case I (both classifiers are
        correct), {countText(cases.II)} of case II (one of them is), {countText(cases.III)} of case
        III (neither is); {countText(ranking.replaced)} are replaced.
      </p>
      <DataTable
        id="mad.pairs"
        label="Pairs"
        rows={ranking.pairs.map((pair, index) => ({ index, pair }))}
        keyOf={({ index }) => String(index)}
        columns={columns}
      />
    </>
  );
}
