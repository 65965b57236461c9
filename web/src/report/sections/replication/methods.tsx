// For every method, the mean accuracy, the gap with its parts, and the fitted line.
import type { Estimate } from "../../estimate.ts";
import type { AdjustMethod } from "../../schemas/described.ts";
import { PlainTable } from "../../table/plain.tsx";
import type { Study } from "./studies.ts";
import { withInterval } from "./texts.ts";

const none: Estimate = { value: null };

function why({ undefined: reason }: AdjustMethod): Estimate {
  return reason === undefined ? none : { value: null, undefined: reason };
}

export function MethodTable({ study }: { study: Study }) {
  const { adjust } = study;
  return (
    <>
      <PlainTable
        label="Methods"
        data={{
          columns: [
            "method",
            "mean accuracy, %",
            "selection bias, %",
            "remaining gap, %",
            "slope",
            "intercept, %",
          ],
          rows: [
            [
              "as measured",
              withInterval(adjust.mean.replication),
              "",
              withInterval(adjust.methods[0]?.mean?.gap.gap ?? none, true),
              withInterval(adjust.line?.slope ?? none),
              withInterval(adjust.line?.intercept ?? none, true),
            ],
            ...adjust.methods.map((method) => [
              method.id === adjust.quoted ? `${method.id} (quoted)` : method.id,
              withInterval(method.mean?.adjusted ?? why(method)),
              withInterval(method.mean?.gap.selection_bias ?? none, true),
              withInterval(method.mean?.gap.remaining ?? none, true),
              withInterval(method.line?.slope ?? none),
              withInterval(method.line?.intercept ?? none, true),
            ]),
          ],
        }}
      />
      <details>
        <summary>When each method is exact</summary>
        <dl>
          {adjust.methods.map(({ id, definition, exact_for }) => (
            <div key={id}>
              <dt>{id}</dt>
              <dd>
                {exact_for} <small>{definition}</small>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}
