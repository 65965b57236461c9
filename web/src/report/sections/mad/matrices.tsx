// The matrices of a ranking for chosen classifiers, one at a time.
import { distinct } from "../../parts/names.ts";
import { OneOf } from "../../parts/one_of.tsx";
import { chosenAmong, SomeOf } from "../../parts/some_of.tsx";
import type { MadRanking } from "../../schemas/described.ts";
import { useAddress, useAddressList } from "../../state.ts";
import { type Cell, cellsOf, inOrder } from "./competitions.ts";
import { Matrix, type MatrixKind } from "./matrix.tsx";

/** The largest number of classifiers in a matrix, and the number at first. */
const most = 24;
const first = 12;

type Kind = MatrixKind & { of: "aggressiveness" | "better" | "log_ratios"; meaning: string };

const kinds: Kind[] = [
  {
    key: "aggressiveness",
    of: "aggressiveness",
    text: "Aggressiveness",
    says: "correct on the pair's images",
    meaning:
      "How often the row's classifier is correct on the images on which it and the column's classifier disagree most (smoothed).",
    middle: 0.5,
  },
  {
    key: "better",
    of: "better",
    text: "Probability of being better",
    says: "probability that it is better",
    meaning: "The posterior probability that the row's classifier is better than the column's.",
    middle: 0.5,
    probability: true,
  },
  {
    key: "log_ratios",
    of: "log_ratios",
    text: "Log ratios",
    says: "logarithm of the ratio",
    meaning:
      "The logarithm of the row's aggressiveness divided by the column's. Above 0, the row's classifier does better.",
    middle: 0,
    signed: true,
  },
];

/** Settled images by the positions of the classifiers, in both orders. */
function imagesByPair(ranking: MadRanking): Map<number, Map<number, number>> {
  const places = new Map(ranking.classifiers.map(({ classifier }, index) => [classifier, index]));
  const all = new Map<number, Map<number, number>>();
  for (const { first: one, second: other, images } of ranking.pairs) {
    const a = places.get(one);
    const b = places.get(other);
    if (a === undefined || b === undefined) continue;
    for (const [row, column] of [
      [a, b],
      [b, a],
    ] as const) {
      const of = all.get(row) ?? new Map<number, number>();
      all.set(row, of.set(column, images));
    }
  }
  return all;
}

export function Matrices({ ranking }: { ranking: MadRanking }) {
  const [wantedKind, chooseKind] = useAddress("mad.matrix", "aggressiveness");
  const [wanted, choose] = useAddressList("mad.classifiers", []);
  const kind = kinds.find(({ key }) => key === wantedKind) ?? kinds[0];
  const all = inOrder(ranking);
  const names = distinct(all.map(({ of }) => of.classifier));
  const picked = new Set(chosenAmong(names, wanted, first, most));
  const chosen = all.filter((_, at) => picked.has(names[at] ?? ""));
  if (kind === undefined || all.length < 2) return null;
  const images = imagesByPair(ranking);
  const imagesOf = ({ row, column }: Cell) => images.get(row.index)?.get(column.index);
  return (
    <>
      <h3>Pairs as a matrix</h3>
      <div class="choices">
        <OneOf
          label="Matrix"
          choices={kinds.map(({ key, text }) => ({ value: key, text }))}
          value={kind.key}
          choose={chooseKind}
        />
        {all.length > 2 && (
          <SomeOf
            label="Classifiers"
            names={names}
            chosen={names.filter((name) => picked.has(name))}
            choose={choose}
            most={most}
          />
        )}
      </div>
      <p class="note">
        {kind.meaning} Rows and columns are in the order of the ranking; in brackets: no image of
        the pair is settled, so the value follows from other pairs only.
      </p>
      <Matrix
        kind={kind}
        chosen={chosen}
        cells={cellsOf(ranking[kind.of], chosen)}
        imagesOf={imagesOf}
      />
    </>
  );
}
