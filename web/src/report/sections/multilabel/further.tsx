// Further data sets of the same models, and the order by a column that was asked for.
import { countText, intervalText, valueText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import { Windowed } from "../../parts/windowed.tsx";
import type { GapAlso, GapResult } from "../../schemas/gap.ts";
import { gapMetrics } from "../../schemas/gap.ts";
import { metricNames } from "./series.ts";

export function Further({ gap }: { gap: GapResult }) {
  return (
    <>
      {(gap.also ?? []).map((also, index) => (
        <Also key={index} also={also} />
      ))}
      {gap.ranking !== undefined && <Ranking gap={gap} />}
    </>
  );
}

function Also({ also }: { also: GapAlso }) {
  const metrics = gapMetrics.filter((metric) =>
    also.models.some((model) => model[metric].value !== null),
  );
  return (
    <>
      <h3>
        Also on <bdi>{short(also.name, 60)}</bdi>
      </h3>
      {also.subgroups !== undefined && (
        <p class="note">ASMA averages over {short(also.subgroups, 60)} labels per image.</p>
      )}
      <Windowed
        label={`Models on ${short(also.name, 60)}`}
        rows={also.models}
        keyOf={({ model }) => model}
        columns={[
          {
            key: "model",
            name: "model",
            cell: ({ model }) => <bdi title={short(model, 300)}>{short(model, 44)}</bdi>,
          },
          ...metrics.map((metric) => ({
            key: metric,
            name: `${metricNames[metric]}, %`,
            cell: (model: GapAlso["models"][number]) => {
              const estimate = model[metric];
              const interval = intervalText(estimate);
              return (
                <span title={estimate.undefined ?? estimate.note}>
                  {valueText(estimate)}
                  {interval && <small> ({interval})</small>}
                </span>
              );
            },
          })),
        ]}
      />
    </>
  );
}

function Ranking({ gap }: { gap: GapResult }) {
  const ranking = gap.ranking;
  if (ranking === undefined) return null;
  return (
    <>
      <h3>Order by {short(ranking.by, 40)}</h3>
      <p class="note">
        Change: places from the order by {short(ranking.against, 40)};{" "}
        {ranking.ties === "dense"
          ? "ranks after equal values are not skipped."
          : "ranks after equal values are skipped."}
      </p>
      <Windowed
        label={`Order by ${short(ranking.by, 40)}`}
        rows={ranking.places}
        keyOf={({ model }) => model}
        columns={[
          {
            key: "model",
            name: "model",
            cell: ({ model }) => <bdi title={short(model, 300)}>{short(model, 44)}</bdi>,
          },
          { key: "rank", name: "rank", cell: ({ rank }) => countText(rank) },
          {
            key: "against",
            name: `rank by ${short(ranking.against, 24)}`,
            cell: ({ against }) => countText(against),
          },
          {
            key: "change",
            name: "change",
            cell: ({ change }) => (change > 0 ? `+${change}` : String(change)),
          },
        ]}
      />
    </>
  );
}
