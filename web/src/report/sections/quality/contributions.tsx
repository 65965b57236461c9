// What each dimension adds to the scores of the report.
import type { QualityScore } from "../../schemas/described.ts";
import { PlainTable } from "../../table/plain.tsx";
import { dimensions } from "./dimensions.ts";

/** The number of best models that are shown. */
const most = 25;

function addedText(part: number | undefined): string {
  if (part === undefined) return "–";
  return part > 0 ? `+${part.toFixed(2)}` : part.toFixed(2);
}

export function Contributions({ score }: { score: QualityScore }) {
  const models = score.models.slice(0, most);
  if (models.every(({ parts }) => Object.keys(parts).length === 0)) return null;
  return (
    <details class="quality-notes">
      <summary>What each dimension adds, with the weights of the report</summary>
      <PlainTable
        label="What each dimension adds"
        data={{
          columns: ["model", ...dimensions.map(({ title }) => title)],
          rows: models.map(({ model, parts }) => {
            const named = new Map(Object.entries(parts));
            return [model, ...dimensions.map(({ name }) => addedText(named.get(name)))];
          }),
        }}
      />
    </details>
  );
}
