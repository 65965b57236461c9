// Calibration errors of the chosen models. One metric is a plot, and all of them are a table.
import { intervalText, pText, unitText, valueText } from "../../estimate.ts";
import { Forest, type ForestRow } from "../../parts/forest.tsx";
import { once, short } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import type { NamedStore } from "../../parts/stores.ts";
import { useAddress } from "../../state.ts";
import { calibrationMetrics, metricKey, nullText } from "./metrics.ts";

export function Errors({ stores }: { stores: NamedStore[] }) {
  const measured = stores.map(({ name, measurements }) => ({
    name,
    metrics: calibrationMetrics(measurements),
  }));
  const keys = once(measured.flatMap(({ metrics }) => metrics.map(metricKey)));
  const [wanted, choose] = useAddress("calibration.metric", keys[0] ?? "");
  if (keys.length === 0) return null;
  const key = chosenOf(keys, wanted);
  const drawn = measured.flatMap(({ name, metrics }) => {
    const measurement = metrics.find((entry) => metricKey(entry) === key);
    return measurement === undefined ? [] : [{ name, measurement }];
  });
  const withNull = measured.some(({ metrics }) =>
    metrics.some(({ calibrated_null }) => calibrated_null !== undefined),
  );
  const drawnNull = drawn.some(({ measurement }) => measurement.calibrated_null !== undefined);
  const rows: ForestRow[] = drawn.map(({ name, measurement }) => {
    const calibrated = measurement.calibrated_null;
    return {
      key: name,
      name,
      estimate: measurement,
      ...(calibrated !== undefined && {
        reference: { value: calibrated.mean, name: "if it were calibrated" },
        lines: [`p ${pText(calibrated.p)} of ${calibrated.draws} draws`],
      }),
    };
  });
  const unit = drawn[0]?.measurement.unit;
  return (
    <div class="calibration-errors">
      <OneOf label="Metric" choices={choicesOf(keys)} value={key} choose={choose} />
      <Forest
        title={key}
        axis={`${drawn[0]?.measurement.metric ?? key}${unitText(unit) && `, ${unitText(unit)}`}`}
        rows={rows}
        unit={unit}
      />
      {drawnNull && (
        <p class="note">
          The vertical tick is the error of a perfectly calibrated classifier with the same
          confidences and as many images. The p-value is the probability that its error is as large
          or larger.
        </p>
      )}
      <section class="scroll" tabIndex={0} aria-label="Calibration errors">
        <table>
          <thead>
            <tr>
              <th scope="col">model</th>
              <th scope="col">metric</th>
              <th scope="col">value</th>
              <th scope="col">interval</th>
              <th scope="col">n</th>
              {withNull && (
                <>
                  <th scope="col">if calibrated</th>
                  <th scope="col">p</th>
                </>
              )}
            </tr>
          </thead>
          <tbody>
            {measured.flatMap(({ name, metrics }) =>
              metrics.map((entry, index) => (
                <tr key={`${index} ${name}`} class={index === 0 ? "first-of" : ""}>
                  {index === 0 && (
                    <th scope="rowgroup" rowSpan={metrics.length}>
                      <bdi>{short(name, 40)}</bdi>
                    </th>
                  )}
                  <td class="text">{metricKey(entry)}</td>
                  <td title={entry.undefined}>
                    {valueText(entry)}
                    {entry.value !== null && unitText(entry.unit) && ` ${unitText(entry.unit)}`}
                  </td>
                  <td>{intervalText(entry)}</td>
                  <td>{entry.n ?? ""}</td>
                  {withNull && (
                    <>
                      <td>{nullText(entry)}</td>
                      <td>
                        {entry.calibrated_null === undefined ? "" : pText(entry.calibrated_null.p)}
                      </td>
                    </>
                  )}
                </tr>
              )),
            )}
          </tbody>
        </table>
      </section>
    </div>
  );
}
