// The factors that the estimates depend on: the number of annotators, the number of images, blind
// spots.
import { intervalText, numberText, signedText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import { OneOf } from "../../parts/one_of.tsx";
import { useAddress } from "../../state.ts";
import { PlainTable } from "../../table/plain.tsx";
import { AgainstAnnotators, type NumberOfAnnotators } from "./against_n.tsx";
import { byMethod, measuredOf, quantities, quantityOf, type Study } from "./studies.ts";

function mapped<T>(
  rows: Map<string, T[]>,
  estimate: (row: T) => NumberOfAnnotators,
): Map<string, NumberOfAnnotators[]> {
  return new Map([...rows].map(([method, list]) => [method, list.map(estimate)]));
}

export function ByAnnotators({ study, method }: { study: Study; method: string }) {
  const [wanted, choose] = useAddress("replication.quantity", quantities[0].key);
  const [axis, chooseAxis] = useAddress("replication.axis", "inverse");
  const { adjust, figures } = study;
  const full = (figures?.annotators.length ?? 0) > 0;
  const quantity = (full && quantities.find(({ key }) => key === wanted)) || quantities[0];
  const rows =
    figures !== undefined && full
      ? mapped(byMethod(figures.annotators), (row) => ({
          annotators: row.annotators,
          estimate: quantityOf(row, quantity.key),
        }))
      : mapped(byMethod(adjust.sweep ?? []), ({ annotators, mean }) => ({
          annotators,
          estimate: { value: mean, unit: "proportion" },
        }));
  if (rows.size === 0) return null;
  return (
    <>
      <h3>With fewer annotators</h3>
      <p class="note">
        What each method estimates with fewer annotators per image. If an estimate still changes
        with the last annotators, it would change further with more of them, so a part of it is
        bias. Intervals are drawn for the method chosen above.
        {!full && " The file that adjust --figures writes has the intervals."}
      </p>
      <div class="choices">
        {full && (
          <OneOf
            label="Quantity"
            choices={quantities.map(({ key, text }) => ({ value: key, text }))}
            value={quantity.key}
            choose={choose}
          />
        )}
        <OneOf
          label="Against"
          choices={[
            { value: "inverse", text: "1 / annotators" },
            { value: "number", text: "annotators" },
          ]}
          value={axis === "number" ? "number" : "inverse"}
          choose={chooseAxis}
        />
      </div>
      <AgainstAnnotators
        title={quantity.text}
        rows={rows}
        inverse={axis !== "number"}
        measured={measuredOf(study, quantity.key)}
        methods={adjust.methods.map(({ id }) => id)}
        intervals={method}
        difference={quantity.key === "remaining" || quantity.key === "selection_bias"}
      />
    </>
  );
}

const points = (value: number | null) =>
  value === null ? "–" : numberText(value, 0.005, "proportion");

export function Halves({ study }: { study: Study }) {
  const halves = study.figures?.halves;
  if (halves === undefined) return null;
  return (
    <>
      <h3>With half of the images</h3>
      {halves.points === undefined ? (
        <p class="note">{halves.undefined}</p>
      ) : (
        <>
          <p class="note">
            The remaining gap in the whole study, and in the mean over {halves.splits} random splits
            of its classes into halves. The difference shows the bias that comes from the finite
            number of images.
          </p>
          <PlainTable
            label="Halves of the study"
            data={{
              columns: [
                "method",
                "annotators",
                "whole, %",
                "halves, %",
                "difference, %",
                "interval",
              ],
              rows: halves.points.map((point) => [
                point.method,
                point.annotators,
                points(point.whole ?? null),
                points(point.halves ?? null),
                point.halves_minus_whole.value === null
                  ? (point.halves_minus_whole.undefined ?? "–")
                  : signedText(point.halves_minus_whole),
                intervalText(point.halves_minus_whole),
              ]),
            }}
          />
        </>
      )}
    </>
  );
}

/** The largest number of models, because this table has no search. */
const most = 100;

export function BlindSpots({ study }: { study: Study }) {
  const rows = study.adjust.methods.flatMap((method) =>
    (method.classifiers ?? []).flatMap(({ blind_spots }, index) =>
      blind_spots === undefined
        ? []
        : [{ name: study.models[index] ?? "", method: method.id, spots: blind_spots }],
    ),
  );
  if (rows.length === 0) return null;
  return (
    <>
      <h3>Jumps that the readings cannot show</h3>
      <p class="note">
        How much the adjusted accuracy would miss of a jump by 10 points in a model's true accuracy
        curve. The jump is at a selection rate of 98 %, or at the rate where it misses most. The
        last column is a second opinion: the estimate of moments minus that of pl.
      </p>
      <PlainTable
        label="Blind spots"
        data={{
          columns: ["model", "method", "jump at 98 %", "worst jump", "at rate", "moments minus pl"],
          rows: rows
            .slice(0, most)
            .map(({ name, method, spots }) => [
              short(name, 60),
              method,
              points(spots.jump_at_98),
              points(spots.worst_jump),
              numberText(spots.worst_jump_rate, 0.0005),
              spots.moments_less_pl === undefined ? "" : points(spots.moments_less_pl),
            ]),
        }}
      />
      {rows.length > most && (
        <p class="note">
          The first {most} of {rows.length}.
        </p>
      )}
    </>
  );
}
