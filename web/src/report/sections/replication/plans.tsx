// The size of a study for an interval of the wanted width, by the number of annotators.
import { type ReportDocument, resultsOf } from "../../document.ts";
import { countText, type Estimate, numberText } from "../../estimate.ts";
import { once, short } from "../../parts/names.ts";
import type { PlanRow, ReplicatePlan } from "../../schemas/described.ts";
import { PlainTable, type PlainTableData } from "../../table/plain.tsx";
import { withInterval } from "./texts.ts";
import { Warnings } from "./warnings.tsx";

/** Numbers of images are shown as integers, for any width of their intervals. */
export function imagesText(estimate: Estimate): string {
  if (estimate.value === null) return estimate.undefined ?? "–";
  const whole = (value: number) => countText(Math.round(value));
  const { interval } = estimate;
  const range = interval === undefined ? "" : ` (${whole(interval.low)} – ${whole(interval.high)})`;
  return whole(estimate.value) + range;
}

function biases(row: PlanRow): Map<string, Estimate> {
  return new Map(Object.entries(row.bias));
}

export function planTable(rows: PlanRow[]): PlainTableData {
  const estimators = once(rows.flatMap((row) => [...biases(row).keys()]));
  return {
    columns: [
      "annotators",
      "images, median model",
      "images, model that needs most",
      "images, mean",
      "standard error, %",
      ...estimators.map((name) => `bias of ${name}, %`),
    ],
    rows: rows.map((row) => {
      const bias = biases(row);
      return [
        row.annotators,
        imagesText(row.images),
        imagesText(row.worst_images),
        imagesText(row.mean_images),
        withInterval(row.standard_error),
        ...estimators.map((name) => withInterval(bias.get(name) ?? { value: null }, true)),
      ];
    }),
  };
}

export function Plans({ document }: { document: ReportDocument }) {
  const plans = resultsOf<ReplicatePlan>(document, "assay.replicate_plan");
  return (
    <>
      {plans.map(({ source, result }, index) => (
        <div key={index}>
          <h3>Plan of a study{plans.length > 1 && `: ${short(source, 60)}`}</h3>
          <p class="note">
            Images that each set would need for intervals as wide as{" "}
            {numberText(result.width, 0.01, "proportion")} points; the standard error with the
            pilot's {countText(result.pilot_images.original)} and{" "}
            {countText(result.pilot_images.replication)} images; and the bias of each estimator.
          </p>
          <Warnings warnings={result.warnings} />
          <PlainTable label={`Plan of a study ${index + 1}`} data={planTable(result.rows)} />
        </div>
      ))}
    </>
  );
}
