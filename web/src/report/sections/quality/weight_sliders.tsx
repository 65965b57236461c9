// Nine weights, from a profile or one by one.
import type { QualityScore } from "../../schemas/described.ts";
import { dimensions } from "./dimensions.ts";
import { sameWeights, weightsOf, weightText } from "./weights.ts";

/** The steps of a slider are twelfths, so that thirds and halves are possible. */
const places = 12;
const most = 4;

interface WeightSlidersProps {
  score: QualityScore;
  weights: number[];
  set: (weights: number[]) => void;
}

export function WeightSliders({ score, weights, set }: WeightSlidersProps) {
  const own = weightsOf(score.weights);
  const profiles = (score.profiles ?? []).map(({ profile, is, weights: named }) => ({
    name: profile.replaceAll("_", " "),
    is,
    weights: weightsOf(named),
  }));
  if (!profiles.some((profile) => sameWeights(profile.weights, own)))
    profiles.unshift({ name: "as scored", is: "of the result in this report", weights: own });
  const move = (d: number, place: number) => {
    const next = weights.map((weight, at) => (at === d ? place / places : weight));
    if (next.some((weight) => weight > 0)) set(next);
  };
  const closed = new Set(
    (score.dimensions ?? []).filter(({ mean }) => mean === undefined).map((d) => d.dimension),
  );
  return (
    <div class="quality-weights no-print">
      <div class="quality-profiles" role="group" aria-label="Profiles of weights">
        {profiles.map((profile) => (
          <button
            type="button"
            key={profile.name}
            title={profile.is}
            aria-pressed={sameWeights(profile.weights, weights)}
            onClick={() => set(profile.weights)}
          >
            {profile.name}
          </button>
        ))}
      </div>
      <div class="quality-sliders">
        {dimensions.map(({ name, title }, d) => (
          <label key={name}>
            <span>{title}</span>
            <input
              type="range"
              min={0}
              max={most * places}
              step={1}
              value={Math.round((weights[d] ?? 0) * places)}
              disabled={closed.has(name)}
              aria-valuetext={weightText(weights[d] ?? 0)}
              onInput={(event) => move(d, event.currentTarget.valueAsNumber)}
            />
            <output>{weightText(weights[d] ?? 0)}</output>
          </label>
        ))}
      </div>
    </div>
  );
}
