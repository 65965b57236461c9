// Where each model stands by top-1, by ReaL and by ASMA, and how far it moves.
import { intervalText, numberText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import { type Choice, OneOf } from "../../parts/one_of.tsx";
import { Windowed, type WindowedColumn } from "../../parts/windowed.tsx";
import type { GapMetric, GapModel, GapRank, GapResult, GapSet } from "../../schemas/gap.ts";
import { useAddress } from "../../state.ts";
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

export type RankOrder = "model" | `${GapMetric}` | "change";

/** What has no rank stands last. */
export function orderedModels(
  models: GapModel[],
  set: GapSet,
  key: string,
  descending: boolean,
): GapModel[] {
  const metric = (["top1", "real", "asma"] as const).find((name) => name === key);
  const placeOf = (model: GapModel): number | undefined =>
    metric !== undefined
      ? model.ranks[metric][set]?.rank
      : key === "change"
        ? (model.rank_change[set] ?? undefined)
        : undefined;
  const sign = descending ? -1 : 1;
  return [...models].sort((a, b) => {
    if (key === "model") return sign * a.model.localeCompare(b.model, "en", { numeric: true });
    const [left, right] = [placeOf(a), placeOf(b)];
    if (left === undefined || right === undefined)
      return Number(left === undefined) - Number(right === undefined);
    return sign * (left - right);
  });
}

function columnsOf(metrics: GapMetric[], set: GapSet): WindowedColumn<GapModel>[] {
  return [
    {
      key: "model",
      name: "model",
      cell: ({ model }) => <bdi title={short(model, 300)}>{short(model, 44)}</bdi>,
    },
    ...metrics.flatMap((metric): WindowedColumn<GapModel>[] => [
      {
        key: `${metric}.value`,
        name: `${metricNames[metric]}, %`,
        cell: ({ metrics: all }) => {
          const estimate = all[metric][set];
          return (
            <span title={estimate.undefined ?? intervalText(estimate)}>{valueText(estimate)}</span>
          );
        },
      },
      {
        key: metric,
        name: `rank by ${metricNames[metric]}`,
        cell: ({ ranks }) => rankText(ranks[metric][set]),
      },
    ]),
    {
      key: "change",
      name: "places by ASMA",
      meaning: "Rank by top-1 minus rank by ASMA: +3 is three places better by ASMA",
      cell: ({ rank_change }) => changeText(rank_change[set]),
    },
  ];
}

export function Ranks({ gap, metrics }: { gap: GapResult; metrics: GapMetric[] }) {
  const [setText, chooseSet] = useAddress("multilabel.ranks", "first");
  const [order, setOrder] = useAddress("multilabel.order", metrics[0] ?? "model");
  const set: GapSet = setText === "second" ? "second" : "first";
  const descending = order.startsWith("-");
  const key = descending ? order.slice(1) : order;
  const sortable = new Set<string>(["model", "change", ...metrics]);
  const choices: Choice[] = sets.map((name) => ({ value: name, text: gap[name].name }));
  return (
    <>
      <h3>Ranks</h3>
      <div class="choices">
        <OneOf label="On" choices={choices} value={set} choose={chooseSet} />
      </div>
      <Windowed
        label="Ranks of the models"
        rows={orderedModels(gap.models, set, key, descending)}
        keyOf={({ model }) => model}
        columns={columnsOf(metrics, set)}
        sort={{
          key,
          descending,
          sortable,
          by: (wanted) => setOrder(wanted === key && !descending ? `-${wanted}` : wanted),
        }}
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
