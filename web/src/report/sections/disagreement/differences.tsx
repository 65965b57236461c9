// The differences of the candidate's metrics from the baseline's, with intervals and verdicts.
import { intervalText, pText, signedText, unitText, valueText } from "../../estimate.ts";
import { Forest, type ForestRow } from "../../parts/forest.tsx";
import { short } from "../../parts/names.ts";
import type { ComparedPair, PairedMetric } from "../../schemas/described.ts";
import { byUnit, metricName } from "./pairs.ts";

function toneOf(verdict: string | undefined): { tone: "good" | "bad" } | undefined {
  if (verdict === "better") return { tone: "good" };
  return verdict === "worse" ? { tone: "bad" } : undefined;
}

function rowOf(metric: PairedMetric, all: PairedMetric[], index: number): ForestRow {
  const name = metricName(metric, all);
  const lines = [
    `baseline ${valueText(metric.baseline)}, candidate ${valueText(metric.candidate)}`,
    ...(metric.p_holm === undefined ? [] : [`p ${pText(metric.p_holm)} (Holm)`]),
  ];
  return {
    key: String(index),
    name,
    estimate: metric.difference,
    lines,
    ...(metric.verdict !== undefined && { remark: metric.verdict }),
    ...toneOf(metric.verdict),
  };
}

const axes = { proportion: "points", nats: "nats", number: "", rank: "ranks" };

export function Differences({ pair }: { pair: ComparedPair }) {
  const { metrics } = pair;
  return (
    <>
      {byUnit(metrics).map(([unit, group]) => (
        <Forest
          key={unit}
          title={`${short(pair.candidate, 40)} minus ${short(pair.baseline, 40)}${axes[unit] && `, ${axes[unit]}`}`}
          axis={`difference${axes[unit] && `, ${axes[unit]}`}`}
          rows={group.map((metric) => rowOf(metric, metrics, metrics.indexOf(metric)))}
          unit={unit}
          difference
        />
      ))}
      <details>
        <summary>All numbers of the metrics</summary>
        <MetricTable pair={pair} />
      </details>
    </>
  );
}

function MetricTable({ pair }: { pair: ComparedPair }) {
  return (
    <section class="scroll" tabIndex={0} aria-label="Metrics of the pair">
      <table>
        <thead>
          <tr>
            <th scope="col">metric</th>
            <th scope="col">{short(pair.baseline, 30)}</th>
            <th scope="col">{short(pair.candidate, 30)}</th>
            <th scope="col">difference</th>
            <th scope="col">interval</th>
            <th scope="col">p</th>
            <th scope="col">p (Holm)</th>
            <th scope="col">test</th>
            <th scope="col">verdict</th>
          </tr>
        </thead>
        <tbody>
          {pair.metrics.map((metric, index) => (
            <tr key={index}>
              <th scope="row">
                {metricName(metric, pair.metrics)}
                {unitText(metric.candidate.unit) && `, ${unitText(metric.candidate.unit)}`}
              </th>
              <td title={metric.baseline.undefined}>{valueText(metric.baseline)}</td>
              <td title={metric.candidate.undefined}>{valueText(metric.candidate)}</td>
              <td title={metric.difference.undefined}>{signedText(metric.difference)}</td>
              <td>{intervalText(metric.difference)}</td>
              <td>{metric.p === undefined ? "" : pText(metric.p)}</td>
              <td>{metric.p_holm === undefined ? "" : pText(metric.p_holm)}</td>
              <td class="text">{metric.test ?? ""}</td>
              <td class="text">{metric.verdict ?? ""}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
