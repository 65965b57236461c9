// How often annotators select the images of sets, as means and in each fifth of the frequencies.
import { type ReportDocument, resultsOf } from "../../document.ts";
import { countText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { ReplicateFrequencies } from "../../schemas/described.ts";
import { PlainTable } from "../../table/plain.tsx";
import { withInterval } from "./texts.ts";
import { Warnings } from "./warnings.tsx";

const fifths = ["0 – 20 %", "20 – 40 %", "40 – 60 %", "60 – 80 %", "80 – 100 %"];

export function Frequencies({ document }: { document: ReportDocument }) {
  const all = resultsOf<ReplicateFrequencies>(document, "assay.replicate_frequencies");
  if (all.length === 0) return null;
  return (
    <>
      <h3>Sets by selection frequency</h3>
      <p class="note">
        Images of each set, by the proportion of their annotators who selected them.
      </p>
      <Warnings warnings={all.flatMap(({ result }) => result.warnings)} />
      <PlainTable
        label="Sets by selection frequency"
        data={{
          columns: ["set", "images", "mean frequency, %", ...fifths],
          rows: all.flatMap(({ result }) =>
            result.sets.map(({ source, images, mean_frequency, buckets }) => [
              short(source, 60),
              countText(images),
              withInterval(mean_frequency),
              ...fifths.map((_, at) => countText(buckets[at] ?? 0)),
            ]),
          ),
        }}
      />
    </>
  );
}
