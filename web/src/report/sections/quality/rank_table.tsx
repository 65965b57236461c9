// Scores and ranks under the weights, and their changes from those of the report.
import { intervalText, valueText } from "../../estimate.ts";
import type { Chosen } from "./choice_state.ts";
import type { LiveModel } from "./live.ts";

/** "▲ 3" means three ranks better. */
export function changeText(before: number | null, now: number | null): string {
  if (before === null || now === null) return "";
  if (before === now) return "=";
  return before > now ? `▲ ${before - now}` : `▼ ${now - before}`;
}

interface RankTableProps {
  models: LiveModel[];
  chosen: Chosen;
  placed: boolean;
  changed: boolean;
}

export function RankTable({ models, chosen, placed, changed }: RankTableProps) {
  return (
    <section class="scroll quality-ranks" tabIndex={0} aria-label="Scores and ranks">
      <table>
        <thead>
          <tr>
            <th scope="col">model</th>
            <th scope="col">rank</th>
            {changed && <th scope="col">change</th>}
            <th scope="col">score</th>
            <th scope="col" title="how often it is the best one in the draws">
              P(best)
            </th>
            {placed && <th scope="col">place among the published</th>}
            {placed && changed && <th scope="col">change of place</th>}
          </tr>
        </thead>
        <tbody>
          {models.map(({ row, rank, score, best, place, rankBefore, placeBefore }) => (
            <tr key={row.key} class={chosen.has(row) ? "quality-picked" : ""}>
              <th scope="row">
                <bdi class="quality-name">{row.label}</bdi>
              </th>
              <td>
                {valueText(rank)} <small>{intervalText(rank)}</small>
              </td>
              {changed && <td>{changeText(rankBefore, rank.value)}</td>}
              <td>
                {valueText(score)} <small>{intervalText(score)}</small>
              </td>
              <td>{best === null ? "–" : best.toFixed(2)}</td>
              {placed && (
                <td>
                  {valueText(place)} <small>{intervalText(place)}</small>
                </td>
              )}
              {placed && changed && <td>{changeText(placeBefore, place.value)}</td>}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
