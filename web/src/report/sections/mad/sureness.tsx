// The uncertainty of the ranking, and its cost.
import { countText, numberText } from "../../estimate.ts";
import type { MadRanking } from "../../schemas/described.ts";
import { placedBy } from "./competitions.ts";

export function Sureness({ ranking }: { ranking: MadRanking }) {
  const { options } = ranking;
  const facts: [string, string, string][] = [
    [
      numberText(ranking.list_tau, 0.05),
      "expected Kendall, selected images",
      "correlation with the order from all selected images",
    ],
    [
      numberText(ranking.expected_tau, 0.05),
      "expected Kendall, all images",
      "correlation with the order from all images of the selected kind",
    ],
    [
      numberText(ranking.consistency_index, 0.005),
      "consistency index",
      "0 if scores of the classifiers explain every ratio",
    ],
    [numberText(ranking.cyclicity, 0.005), "cyclicity", "the cyclic part of the log ratios"],
    [
      `${countText(ranking.settled)} of ${countText(ranking.questions)}`,
      "questions settled",
      `${countText(ranking.open)} are open; ${countText(ranking.saved)} were not asked again, because pairs share them`,
    ],
    [
      countText(ranking.answers),
      "answers",
      `of ${countText(ranking.annotators)} annotators, ${numberText(ranking.answers_per_question, 0.5)} per settled question`,
    ],
  ];
  return (
    <>
      <p class={ranking.enough ? "enough" : "enough not"}>
        <strong>
          {ranking.enough ? "✓ There are enough answers." : "✗ There are not enough answers yet."}
        </strong>{" "}
        The goal is an expected Kendall correlation of {numberText(options.stop_at, 0.5)} with the
        order from all selected images.
      </p>
      <dl class="facts">
        {facts.map(([value, name, meaning]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              <strong>{value}</strong>
              <small>{meaning}</small>
            </dd>
          </div>
        ))}
      </dl>
      <p class="note">
        {placedBy[ranking.placed_by] ?? ""}
        {ranking.components > 1 &&
          ` There are ${ranking.components} groups without a common pair, so places of different groups cannot be compared.`}
      </p>
    </>
  );
}
