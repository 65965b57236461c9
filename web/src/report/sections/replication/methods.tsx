// Of every method: the mean accuracy, the gap with its parts, the fitted line.
import { PlainTable } from "../../table/plain.tsx";
import type { Study } from "./studies.ts";
import { withInterval } from "./texts.ts";

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
              withInterval(adjust.methods[0]?.mean.gap.gap ?? { value: null }, true),
              withInterval(adjust.line.slope),
              withInterval(adjust.line.intercept, true),
            ],
            ...adjust.methods.map((method) => [
              method.id === adjust.quoted ? `${method.id} (quoted)` : method.id,
              withInterval(method.mean.adjusted),
              withInterval(method.mean.gap.selection_bias, true),
              withInterval(method.mean.gap.remaining, true),
              withInterval(method.line.slope),
              withInterval(method.line.intercept, true),
            ]),
          ],
        }}
      />
      <details>
        <summary>What each method is exact for</summary>
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
