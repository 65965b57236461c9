// How much a ranking depends on the models that center and scale it.
import type { Sourced } from "../../document.ts";
import { countText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { QualityStability } from "../../schemas/described.ts";
import { PlainTable } from "../../table/plain.tsx";

export function Stability({ results }: { results: Sourced<QualityStability>[] }) {
  return (
    <>
      <h3>Stability of the ranking</h3>
      {results.map(({ source, result }, index) => (
        <div key={index}>
          <p class="quality-note">
            <bdi class="quality-name">{source}</bdi>: Spearman's correlation of rankings of{" "}
            {countText(result.models)} models that are centred and scaled by{" "}
            {countText(result.repeats)} random sub-samples of {countText(result.sample)} models.
          </p>
          <PlainTable
            label={`Stability of the ranking ${index + 1}: ${short(source)}`}
            data={{
              columns: ["ranking", "mean correlation", "standard deviation", "2.5th percentile"],
              rows: result.readings.map(({ reading, mean, deviation, low }) => [
                reading,
                mean.toFixed(4),
                deviation.toFixed(4),
                low.toFixed(4),
              ]),
            }}
          />
        </div>
      ))}
    </>
  );
}
