// The ranks of each model by top-1, by ReaL and by ASMA, and their differences.
import { intervalText, numberText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import { type Choice, OneOf } from "../../parts/one_of.tsx";
import type { GapModel, GapRank, GapResult } from "../../schemas/described.ts";
import { useAddress } from "../../state.ts";
import { type DataColumn, DataTable } from "../../table/data_table.tsx";
import { modelColumn, valueColumn } from "./columns.tsx";
import type { GapMetric, GapSet } from "./metrics.ts";
import { metricNames, sets } from "./series.ts";

function rankText(rank: GapRank | null): string {
  if (rank === null) return "–";
  return rank.low === undefined || rank.high === undefined
    ? String(rank.rank)
    : `${rank.rank} (${rank.low} – ${rank.high})`;
}

function changeText(change: number | null): string {
  if (change === null) return "–";
  return change > 0 ? `+${change} ↑` : change < 0 ? `${change} ↓` : "0";
}

function columnsOf(metrics: GapMetric[], set: GapSet): DataColumn<GapModel>[] {
  return [
    modelColumn,
    ...metrics.flatMap((metric): DataColumn<GapModel>[] => [
      valueColumn(metric, ({ metrics: all }) => all[metric][set]),
      {
        key: `${metric}.rank`,
        name: `rank by ${metricNames[metric]}`,
        least: true,
        value: ({ ranks }) => ranks[metric][set]?.rank ?? null,
        shown: ({ ranks }) => rankText(ranks[metric][set]),
        parts: [
          { name: "low", of: ({ ranks }) => ranks[metric][set]?.low ?? null },
          { name: "high", of: ({ ranks }) => ranks[metric][set]?.high ?? null },
        ],
      },
    ]),
    {
      key: "change",
      name: "places by ASMA",
      meaning: "Rank by top-1 minus rank by ASMA: +3 is three places better by ASMA",
      value: ({ rank_change }) => rank_change[set],
      shown: ({ rank_change }) => changeText(rank_change[set]),
    },
  ];
}

export function Ranks({ gap, metrics }: { gap: GapResult; metrics: GapMetric[] }) {
  const [setText, chooseSet] = useAddress("multilabel.ranks", "first");
  const set: GapSet = setText === "second" ? "second" : "first";
  const choices: Choice[] = sets.map((name) => ({ value: name, text: gap[name].name }));
  return (
    <>
      <h3>Ranks</h3>
      <div class="choices">
        <OneOf label="On" choices={choices} value={set} choose={chooseSet} />
      </div>
      <DataTable
        id="multilabel.ranking"
        label="Ranks of the models"
        rows={gap.models}
        keyOf={({ model }) => model}
        columns={columnsOf(metrics, set)}
      />
      <Orders gap={gap} />
    </>
  );
}

function Orders({ gap }: { gap: GapResult }) {
  if (gap.orders.length === 0) return null;
  const end = ({ metric, set }: { metric: GapMetric; set: GapSet }) =>
    `${metricNames[metric]} on ${short(gap[set].name, 24)}`;
  return (
    <section class="scroll orders" tabIndex={0} aria-label="Agreement of two orders of the models">
      <table>
        <thead>
          <tr>
            <th scope="col">two orders of the models</th>
            <th scope="col">Kendall's tau-b</th>
            <th scope="col">Spearman's rho</th>
            <th scope="col">models</th>
          </tr>
        </thead>
        <tbody>
          {gap.orders.map((order, index) => (
            <tr key={index}>
              <th scope="row">
                {end(order.a)}, {end(order.b)}
              </th>
              {[order.kendall_tau_b, order.spearman_rho].map((estimate, which) => (
                <td key={which} title={estimate.undefined}>
                  {estimate.value === null ? "–" : numberText(estimate.value, 0.01)}
                  {estimate.interval && <small> ({intervalText(estimate)})</small>}
                </td>
              ))}
              <td>{order.models}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
