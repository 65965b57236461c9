// Accuracy under attacks, against the budget and as a table with signs of masked gradients.
import { Legend } from "../../chart/marks.tsx";
import { countText, type Estimate, intervalText, valueText } from "../../estimate.ts";
import { type Line, Lines } from "../../parts/lines.tsx";
import { distinct, once, short } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import type { AttackCell, AttackedModel, AttackResult } from "../../schemas/described.ts";
import { useAddress } from "../../state.ts";
import { type DataColumn, DataTable } from "../../table/data_table.tsx";
import { Said } from "./said.tsx";

/** "8/255" if the budget is a multiple of 1/255, as in papers. */
export function budgetText(eps: number): string {
  const steps = eps * 255;
  const whole = Math.round(steps);
  return whole > 0 && Math.abs(steps - whole) < 1e-6
    ? `${whole}/255`
    : String(Number(eps.toPrecision(4)));
}

function linesOf(model: AttackedModel): Line[] {
  const attacks = once(model.attacks.map(({ attack }) => attack));
  return attacks.map((attack, series) => ({
    name: attack,
    series,
    points: [
      { x: 0, estimate: model.clean, title: "without an attack" },
      ...model.attacks
        .filter((entry) => entry.attack === attack)
        .map(({ eps, accuracy }) => ({ x: eps, estimate: accuracy }))
        .sort((a, b) => a.x - b.x),
    ],
  }));
}

/** The models of a result. If they are on several data sets, the name of the data set is added. */
function named(models: AttackedModel[]): { name: string; of: AttackedModel }[] {
  const several = once(models.map(({ dataset }) => dataset)).length > 1;
  const names = models.map(({ model, dataset }) => (several ? `${model}, ${dataset}` : model));
  const unique = distinct(names);
  return models.map((of, index) => ({ name: unique[index] ?? of.model, of }));
}

interface AttackRow {
  key: string;
  model: string;
  attacked: AttackCell;
}

const estimateColumn = (
  name: string,
  of: (attacked: AttackCell) => Estimate,
  meaning?: string,
): DataColumn<AttackRow> => ({
  key: name,
  name,
  ...(meaning !== undefined && { meaning }),
  value: ({ attacked }) => of(attacked).value,
  shown: ({ attacked }) => {
    const estimate = of(attacked);
    if (estimate.value === null) return estimate.undefined ?? "–";
    return [valueText(estimate), intervalText(estimate) && `(${intervalText(estimate)})`]
      .filter(Boolean)
      .join(" ");
  },
  parts: [
    { name: `${name}_low`, of: ({ attacked }) => of(attacked).interval?.low ?? null },
    { name: `${name}_high`, of: ({ attacked }) => of(attacked).interval?.high ?? null },
  ],
});

const countColumn = (
  name: string,
  of: (attacked: AttackCell) => number,
): DataColumn<AttackRow> => ({
  key: name,
  name,
  value: ({ attacked }) => of(attacked),
  shown: ({ attacked }) => countText(of(attacked)),
});

const columns: DataColumn<AttackRow>[] = [
  {
    key: "model",
    name: "model",
    text: true,
    value: ({ model }) => model,
    shown: ({ model }) => model,
  },
  {
    key: "attack",
    name: "attack",
    text: true,
    value: ({ attacked }) => attacked.attack,
    shown: ({ attacked }) => attacked.attack,
  },
  {
    key: "budget",
    name: "budget",
    value: ({ attacked }) => attacked.eps,
    shown: ({ attacked }) => budgetText(attacked.eps),
    least: true,
  },
  estimateColumn("accuracy", ({ accuracy }) => accuracy),
  estimateColumn(
    "still correct",
    ({ ratio }) => ratio,
    "Of the images that are correct without the attack",
  ),
  countColumn("attacked", ({ attacked }) => attacked),
  countColumn("robust", ({ robust }) => robust),
  countColumn("zero gradients", ({ zero_gradients }) => zero_gradients),
  countColumn("not finite", ({ not_finite }) => not_finite),
];

interface AttacksProps {
  result: AttackResult;
  /** The prefix of the keys in the address, if there are several results. */
  id: string;
}

export function Attacks({ result, id }: AttacksProps) {
  const [wanted, choose] = useAddress(`${id}.model`, "");
  const models = named(result.models);
  const names = models.map(({ name }) => name);
  const chosen = models.find(({ name }) => name === chosenOf(names, wanted));
  const said = (of: (model: AttackedModel) => string[] | undefined) =>
    models.flatMap((model) => (of(model.of) ?? []).map((text) => `${model.name}: ${text}`));
  const signs = said((model) => model.signs);
  const notes = said((model) => model.notes);
  const lines = chosen === undefined ? [] : linesOf(chosen.of);
  const dataset = once(result.models.map((entry) => entry.dataset)).join(", ");
  const rows = models.flatMap(({ name, of }) =>
    of.attacks.map((attacked, index) => ({ key: `${name} ${index}`, model: name, attacked })),
  );
  return (
    <>
      <h3>
        Attacks on {short(dataset, 60)} ({result.norm}, {result.space})
      </h3>
      <OneOf label="Model" choices={choicesOf(names)} value={chosen?.name ?? ""} choose={choose} />
      <Legend names={lines.map(({ name }) => name)} />
      <Lines
        title={`${short(chosen?.name ?? "", 60)}: accuracy under attacks`}
        lines={lines}
        xTitle="budget (0: without an attack)"
        yTitle="accuracy"
        place={(eps) => (eps === 0 ? "0" : budgetText(eps))}
      />
      {signs.length > 0 && (
        <div class="signs">
          <strong>These accuracies may be too high: signs of masked gradients</strong>
          <ul>
            {signs.slice(0, 100).map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
      <DataTable id={id} label="Attacks" rows={rows} keyOf={({ key }) => key} columns={columns} />
      <Said texts={notes} />
    </>
  );
}
