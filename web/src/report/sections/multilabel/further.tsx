// Further data sets of the same models, and the order by a requested column.
import { countText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import type { GapAlso, GapResult } from "../../schemas/described.ts";
import { DataTable } from "../../table/data_table.tsx";
import { modelColumn, valueColumn } from "./columns.tsx";
import { gapMetrics } from "./metrics.ts";

export function Further({ gap }: { gap: GapResult }) {
  return (
    <>
      {(gap.also ?? []).map((also, index) => (
        <Also key={index} also={also} index={index} />
      ))}
      {gap.ranking !== undefined && <Ranking gap={gap} />}
    </>
  );
}

function Also({ also, index }: { also: GapAlso; index: number }) {
  const metrics = gapMetrics.filter((metric) =>
    also.models.some((model) => model[metric].value !== null),
  );
  return (
    <>
      <h3>
        Also on <bdi>{short(also.name, 60)}</bdi>
      </h3>
      {also.subgroups !== undefined && (
        <p class="note">
          Numbers of labels per image that ASMA averages over: {short(also.subgroups, 60)}.
        </p>
      )}
      <DataTable
        id={`multilabel.also${index}`}
        label={`Models on ${short(also.name, 60)}`}
        rows={also.models}
        keyOf={({ model }) => model}
        columns={[
          modelColumn,
          ...metrics.map((metric) =>
            valueColumn<GapAlso["models"][number]>(metric, (model) => model[metric]),
          ),
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
        Change: difference from the rank by {short(ranking.against, 40)};{" "}
        {ranking.ties === "dense"
          ? "ranks after equal values are not skipped."
          : "ranks after equal values are skipped."}
      </p>
      <DataTable
        id="multilabel.places"
        label={`Order by ${short(ranking.by, 40)}`}
        rows={ranking.places}
        keyOf={({ model }) => model}
        columns={[
          modelColumn,
          {
            key: "rank",
            name: "rank",
            least: true,
            value: ({ rank }) => rank,
            shown: ({ rank }) => countText(rank),
          },
          {
            key: "against",
            name: `rank by ${short(ranking.against, 24)}`,
            least: true,
            value: ({ against }) => against,
            shown: ({ against }) => countText(against),
          },
          {
            key: "change",
            name: "change",
            value: ({ change }) => change,
            shown: ({ change }) => (change > 0 ? `+${change}` : String(change)),
          },
        ]}
      />
    </>
  );
}
