// The ranking compared with others: accuracies from the control sample, and those from a file.
import { Legend } from "../../chart/marks.tsx";
import { Forest, type ForestRow } from "../../parts/forest.tsx";
import { short } from "../../parts/names.ts";
import type { MadRanking } from "../../schemas/described.ts";

const correlations = [
  { key: "srcc", text: "SRCC" },
  { key: "kendall", text: "Kendall" },
] as const;

/** The largest number of other rankings to show. */
const most = 20;

export function comparisonRows(ranking: MadRanking): ForestRow[] {
  return ranking.comparisons.slice(0, most).flatMap((comparison, index) =>
    correlations.map(({ key, text }, series) => ({
      key: `${index} ${key}`,
      name: `${text}, ${comparison.with}`,
      series,
      estimate: comparison[key],
      lines: [`${comparison.classifiers} classifiers`, short(comparison.with, 200)],
    })),
  );
}

export function Others({ ranking }: { ranking: MadRanking }) {
  const rows = comparisonRows(ranking);
  if (rows.length === 0) return null;
  return (
    <>
      <h3>Comparison with other rankings</h3>
      <p class="note">
        Rank correlations with the places. Images were selected for disagreement, so this is not a
        ranking by accuracy, and the two may differ for good reasons.
      </p>
      <Legend names={correlations.map(({ text }) => text)} />
      <Forest
        title="Correlation with other rankings"
        axis="rank correlation"
        rows={rows}
        unit="number"
      />
      {ranking.comparisons.length > most && (
        <p class="note">
          The first {most} of {ranking.comparisons.length}.
        </p>
      )}
    </>
  );
}
