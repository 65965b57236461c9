// The mean over the models of each metric on both data sets, and of the gap.
import type { ComponentChildren } from "preact";
import {
  countText,
  type Estimate,
  intervalText,
  numberText,
  signedText,
  valueText,
} from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { GapResult } from "../../schemas/described.ts";
import type { GapMetric } from "./metrics.ts";
import { metricNames } from "./series.ts";

function Value({ estimate, signed }: { estimate: Estimate; signed?: boolean }) {
  const interval = intervalText(estimate);
  return (
    <td title={estimate.undefined ?? estimate.note}>
      {signed === true ? signedText(estimate) : valueText(estimate)}
      {interval && <small> ({interval})</small>}
    </td>
  );
}

function Heading({ children }: { children: ComponentChildren }) {
  return <th scope="col">{children}</th>;
}

function points(value: number): string {
  return numberText(value, 0.005, "proportion");
}

export function Averages({ gap, metrics }: { gap: GapResult; metrics: GapMetric[] }) {
  const { average, options } = gap;
  const margin = numberText(options.margin, 0.05, "proportion");
  return (
    <section class="scroll" tabIndex={0} aria-label="Mean over the models">
      <table>
        <thead>
          <tr>
            <Heading>mean over the models, %</Heading>
            <Heading>{short(gap.first.name, 24)}</Heading>
            <Heading>{short(gap.second.name, 24)}</Heading>
            <Heading>gap</Heading>
            <Heading>|gap|</Heading>
            <Heading>within {margin} points</Heading>
            <Heading>surely within, outside</Heading>
            <Heading>gaps of the models: min – median – max (sd)</Heading>
          </tr>
        </thead>
        <tbody>
          {metrics.map((metric) => {
            const pair = average.metrics[metric];
            const spread = average.between_models?.[metric];
            const within = average.within_margin[metric];
            return (
              <tr key={metric}>
                <th scope="row">{metricNames[metric]}</th>
                <Value estimate={pair.first} />
                <Value estimate={pair.second} />
                <Value estimate={pair.gap} signed />
                <Value estimate={pair.absolute_gap} />
                <td>
                  {countText(within.within)} of {countText(within.models)}
                </td>
                <td>
                  {within.surely_within === null || within.surely_outside === null
                    ? "–"
                    : `${countText(within.surely_within)}, ${countText(within.surely_outside)}`}
                </td>
                <td>
                  {spread
                    ? `${points(spread.min)} – ${points(spread.median)} – ${points(spread.max)}${spread.sd === null ? "" : ` (${points(spread.sd)})`}`
                    : "–"}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
