// Every model's accuracy under each corruption, and its ratio to the clean accuracy.
import { type Estimate, sidesText, valueText } from "../../estimate.ts";
import type { CorruptedModel } from "../../schemas/described.ts";
import { type DataColumn, DataTable } from "../../table/data_table.tsx";
import { wordsOf } from "./families.ts";

function text(estimate: Estimate | undefined): string {
  if (estimate === undefined) return "";
  return [valueText(estimate), sidesText(estimate)].filter(Boolean).join(" ");
}

function column(
  name: string,
  meaning: string,
  of: (model: CorruptedModel) => Estimate | undefined,
  least = false,
): DataColumn<CorruptedModel> {
  return {
    key: `${meaning} ${name}`,
    name,
    meaning,
    least,
    value: (model) => of(model)?.value ?? null,
    shown: (model) => text(of(model)),
    cell: (model) => <span title={of(model)?.undefined}>{text(of(model))}</span>,
    parts: [
      { name: `${name}_low`, of: (model) => of(model)?.interval?.low ?? null },
      { name: `${name}_high`, of: (model) => of(model)?.interval?.high ?? null },
    ],
  };
}

export function Means({ models, id }: { models: CorruptedModel[]; id: string }) {
  const names = [
    ...new Set(models.flatMap(({ corruptions }) => corruptions.map((entry) => entry.corruption))),
  ];
  // The mean over the paper's fifteen if all models have them, otherwise over those that exist.
  const whole = models.every(({ paper }) => paper.accuracy.value !== null);
  const mean = (model: CorruptedModel) => (whole ? model.paper : model.present);
  const over = whole ? "the fifteen corruptions" : "the available ones of the fifteen corruptions";
  const corrupted = column(
    "corrupted",
    `mean accuracy over ${over}`,
    (model) => mean(model).accuracy,
  );
  const columns: DataColumn<CorruptedModel>[] = [
    {
      key: "model",
      name: "model",
      text: true,
      value: ({ model }) => model,
      shown: ({ model }) => model,
      cell: ({ model }) => (
        <bdi class="model-name" title={model}>
          {model}
        </bdi>
      ),
    },
    column("clean", "accuracy on the clean images", ({ clean }) => clean),
    corrupted,
    column("relative", "corrupted divided by clean, same images", (model) => mean(model).relative),
    column("mCE", "mean of error divided by AlexNet's error", ({ mce }) => mce, true),
    ...names.map((name) =>
      column(
        wordsOf(name),
        "mean over severities",
        ({ corruptions }) => corruptions.find(({ corruption }) => corruption === name)?.accuracy,
      ),
    ),
  ];
  return (
    <>
      <DataTable
        id={id}
        label="Accuracy under corruptions, means over severities"
        rows={models}
        keyOf={({ model }) => model}
        columns={columns}
        sorted={corrupted.key}
      />
      {!whole && (
        <p class="note">
          {models.flatMap(({ paper }) => paper.accuracy.undefined ?? []).slice(0, 1)}: “corrupted”
          and “relative” are means over the available ones of the fifteen corruptions.
        </p>
      )}
    </>
  );
}
