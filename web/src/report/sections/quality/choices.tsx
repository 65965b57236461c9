// Models that meet the needs and that no other model beats.
import type { Sourced } from "../../document.ts";
import { countText, intervalText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { Candidate, QualityChoose } from "../../schemas/described.ts";
import { useAddress } from "../../state.ts";
import { PlainTable } from "../../table/plain.tsx";
import { Check } from "./controls.tsx";
import { Notes } from "./notes.tsx";

/** The number of rows until the reader requests all. */
const most = 25;

/** The models of a choice. Other models are beaten, and differ from the best. */
export function worthALook(candidates: readonly Candidate[]): Candidate[] {
  return candidates.filter(({ like_best, unbeaten }) => like_best || unbeaten);
}

function rowOf(candidate: Candidate): string[] {
  const { model, score, behind_best, like_best, unbeaten, beaten_by, needs_surely_met } = candidate;
  return [
    model,
    valueText(score),
    intervalText(score),
    valueText(behind_best),
    intervalText(behind_best),
    like_best ? "yes" : "",
    unbeaten ? "none" : beaten_by,
    needs_surely_met ? "" : "not surely",
  ];
}

const columns = ["model", "score", "interval", "behind the best", "interval of it"];
const more = ["like the best", "beaten by", "meets the needs"];

export function Choices({ results }: { results: Sourced<QualityChoose>[] }) {
  const [all, setAll] = useAddress("quality.choices", "few");
  return (
    <>
      <h3>Models to choose from</h3>
      {results.map(({ source, result }, index) => {
        const worth = worthALook(result.candidates);
        const shown = all === "all" ? worth : worth.slice(0, most);
        const unbeaten = worth.filter((candidate) => candidate.unbeaten).length;
        return (
          <div key={index} class="quality-choices">
            <p class="quality-note">
              <bdi class="quality-name">{source}</bdi>: of {countText(result.models)} models{" "}
              {countText(result.candidates.length)} meet what is needed, {countText(unbeaten)} are
              beaten by no other. Weights: {result.weights}.
              {result.needs.map(({ need, failed }) => ` ${need}: ${countText(failed)} fail.`)}{" "}
              Beaten: another is at least as good in every dimension and better in one by more than
              the interval of the difference.
            </p>
            <PlainTable
              label={`Models to choose from ${index + 1}: ${short(source)}`}
              data={{ columns: [...columns, ...more], rows: shown.map(rowOf) }}
            />
            {worth.length > most && (
              <Check
                label={`all ${worth.length} models`}
                on={all === "all"}
                set={(on) => setAll(on ? "all" : "few")}
              />
            )}
            <Notes notes={[...result.notes, ...result.warnings]} />
          </div>
        );
      })}
    </>
  );
}
