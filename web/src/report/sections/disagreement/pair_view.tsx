// Two models on the same images.
import { type ReportDocument, resultsOf } from "../../document.ts";
import { countText, intervalText, valueText } from "../../estimate.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import type { ComparedPair, ComparisonsResult } from "../../schemas/described.ts";
import { useAddress } from "../../state.ts";
import { Differences } from "./differences.tsx";
import { Images } from "./images.tsx";
import { namedPairs } from "./pairs.ts";
import { Squares } from "./squares.tsx";

export function Pairs({ document }: { document: ReportDocument }) {
  const [wanted, choose] = useAddress("disagreement.pair", "");
  const pairs = namedPairs(resultsOf<ComparisonsResult>(document, "assay.comparisons"));
  const names = pairs.map(({ name }) => name);
  const chosen = chosenOf(names, wanted);
  const pair = pairs.find(({ name }) => name === chosen)?.pair;
  if (pair === undefined) return null;
  return (
    <>
      <div class="choices">
        <OneOf label="Models" choices={choicesOf(names)} value={chosen} choose={choose} />
      </div>
      <div class="pair">
        <div>
          <Squares
            title="Items by who is correct"
            first={pair.baseline}
            second={pair.candidate}
            counts={{
              both: pair.predictions.both_correct,
              first: pair.predictions.only_baseline_correct,
              second: pair.predictions.only_candidate_correct,
              neither: pair.predictions.both_incorrect,
            }}
          />
          <Predictions pair={pair} />
        </div>
        <div>
          <Differences pair={pair} />
        </div>
      </div>
      {[...pair.warnings, ...pair.notes].map((text) => (
        <p class="note" key={text}>
          {text}
        </p>
      ))}
      <Images key={chosen} document={document} pair={pair} />
    </>
  );
}

function Predictions({ pair }: { pair: ComparedPair }) {
  const { counts, predictions } = pair;
  const kappa = predictions.error_consistency;
  const interval = intervalText(kappa);
  const apart = [
    [counts.only_in_baseline, "only in the baseline's predictions"],
    [counts.only_in_candidate, "only in the candidate's"],
    [counts.not_scored_in_both, "without scores in one of them"],
  ] as const;
  return (
    <dl class="facts">
      <dt>same prediction</dt>
      <dd>
        {countText(predictions.same)} of {countText(counts.items)} items
      </dd>
      <dt>error consistency</dt>
      <dd title={kappa.undefined}>
        {valueText(kappa)} {interval && <small>({interval})</small>}
      </dd>
      {apart.map(([count, text]) =>
        count === 0 ? null : (
          <dd key={text} class="apart">
            {countText(count)} {text}
          </dd>
        ),
      )}
    </dl>
  );
}
