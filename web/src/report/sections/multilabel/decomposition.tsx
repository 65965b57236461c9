// How much of the top-1 gap comes from images that show several things.
import { intervalText, valueText } from "../../estimate.ts";
import { Forest, type ForestRow } from "../../parts/forest.tsx";
import type { GapDecomposition, GapResult } from "../../schemas/described.ts";

const parts = [
  ["composition", "other numbers of labels"],
  ["within", "equally many labels"],
  ["unmatched", "numbers of labels that only one data set has"],
] as const;

function rowsOf(name: string, decomposition: GapDecomposition): ForestRow[] {
  return parts.map(([part, text], index) => ({
    key: `${name} ${part}`,
    name: `${name}: ${part}`,
    estimate: decomposition[part],
    series: index,
    lines: [text],
  }));
}

export function Decomposition({ gap, chosen }: { gap: GapResult; chosen: number[] }) {
  const { decomposition } = gap.average;
  if (decomposition.composition.value === null && decomposition.within.value === null) return null;
  const { explained } = decomposition;
  const models = chosen.flatMap((index) => gap.models[index] ?? []);
  return (
    <>
      <h3>Composition of the top-1 gap</h3>
      <p class="note">
        Composition: the part of the gap that comes from different numbers of labels per image.
        Within: the gap between images with equally many labels. Composition is{" "}
        {explained.value === null
          ? `an undefined part of the mean gap (${explained.undefined ?? "undefined"})`
          : `${valueText(explained)} % of the mean gap${intervalText(explained) && ` (${intervalText(explained)})`}`}
        .
      </p>
      <Forest
        title="Parts of the top-1 gap"
        axis="points"
        unit="proportion"
        difference
        rows={[
          ...rowsOf("mean", decomposition),
          ...models.flatMap((model) => rowsOf(model.model, model.decomposition)),
        ]}
      />
    </>
  );
}
