// Accuracy under attacks: against the budget, and a table with signs of gradients that hide.
import { Legend } from "../../chart/marks.tsx";
import { halfWidth, intervalText, numberText, valueText } from "../../estimate.ts";
import { type Line, Lines } from "../../parts/lines.tsx";
import { once, short } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import type { Attacked, AttackedModel, AttackResult } from "../../schemas/robustness.ts";
import { useAddress } from "../../state.ts";
import { PlainTable } from "../../table/plain.tsx";

/** "8/255" where it is a whole number of these, as papers write it. */
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

function row(model: string, attacked: Attacked): string[] {
  const { attack, eps, accuracy, ratio } = attacked;
  const half = halfWidth(accuracy);
  return [
    model,
    attack,
    budgetText(eps),
    accuracy.value === null
      ? (accuracy.undefined ?? "–")
      : numberText(accuracy.value, half, "proportion"),
    intervalText(accuracy),
    valueText(ratio),
    String(attacked.attacked),
    String(attacked.robust),
    String(attacked.zero_gradients),
  ];
}

export function Attacks({ result }: { result: AttackResult }) {
  const [wanted, choose] = useAddress("robustness.attacked", "");
  const { models } = result;
  const names = models.map(({ model }) => model);
  const model = models.find((entry) => entry.model === chosenOf(names, wanted));
  const signs = models.flatMap((entry) => entry.signs.map((text) => `${entry.model}: ${text}`));
  const dataset = once(models.map((entry) => entry.dataset)).join(", ");
  return (
    <>
      <h3>
        Attacks on {short(dataset, 60)} ({result.norm}, {result.space})
      </h3>
      <OneOf label="Model" choices={choicesOf(names)} value={model?.model ?? ""} choose={choose} />
      {model !== undefined && <Legend names={linesOf(model).map(({ name }) => name)} />}
      {model !== undefined && (
        <Lines
          title={`${short(model.model, 60)}: accuracy under attacks`}
          lines={linesOf(model)}
          xTitle="budget (0: without an attack)"
          yTitle="accuracy"
          place={(eps) => (eps === 0 ? "0" : budgetText(eps))}
        />
      )}
      {signs.length > 0 && (
        <div class="signs">
          <strong>These numbers may be too good: signs of gradients that hide</strong>
          <ul>
            {signs.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </div>
      )}
      <PlainTable
        label="Attacks"
        data={{
          columns: [
            "model",
            "attack",
            "budget",
            "accuracy, %",
            "interval",
            "of those correct before, %",
            "attacked",
            "robust",
            "zero gradients",
          ],
          rows: models.flatMap((entry) =>
            entry.attacks.map((attacked) => row(entry.model, attacked)),
          ),
        }}
      />
    </>
  );
}
