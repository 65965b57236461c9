// Examples of adversarial images, by model, attack, budget and image.
import { type ReportDocument, resultsOf } from "../../document.ts";
import { countText, numberText } from "../../estimate.ts";
import { percentText } from "../../parts/item_card.tsx";
import { itemIndex } from "../../parts/items.ts";
import { distinct, once, short } from "../../parts/names.ts";
import type {
  AttackExample,
  AttackExamples,
  ExampleClass,
  ExamplePrediction,
  ExamplesOfAttack,
} from "../../schemas/described.ts";

/** The examples of one result, with a unique name. */
export interface ExampleSet {
  name: string;
  source: string;
  result: AttackExamples;
  attacks: NamedAttack[];
  /** Whether the document has any of their images. */
  embedded: boolean;
}

/** One attack with its budgets, the smallest first. */
export interface NamedAttack {
  name: string;
  budgets: { name: string; of: ExamplesOfAttack }[];
}

type Unknown<T> = { [K in keyof T]?: unknown } | null | undefined;

/** The file is an input of the report, so another program may have written it. */
function isExample(entry: Unknown<AttackExample>): entry is AttackExample {
  const texts = [entry?.id, entry?.original, entry?.attacked, entry?.difference];
  const classes = [entry?.label, entry?.before, entry?.after];
  return (
    texts.every((text) => typeof text === "string") &&
    classes.every((one) => typeof one === "object" && one !== null)
  );
}

function soundAttacks(attacks: unknown): ExamplesOfAttack[] {
  if (!Array.isArray(attacks)) return [];
  return attacks
    .filter(
      (entry: Unknown<ExamplesOfAttack>) =>
        typeof entry?.attack === "string" &&
        typeof entry.eps === "number" &&
        typeof entry.eps_text === "string" &&
        Array.isArray(entry.shown),
    )
    .map((entry: ExamplesOfAttack) => ({ ...entry, shown: entry.shown.filter(isExample) }));
}

function namedAttacks(attacks: ExamplesOfAttack[]): NamedAttack[] {
  const severalNorms = once(attacks.map(({ norm }) => norm)).length > 1;
  const nameOf = ({ attack, norm }: ExamplesOfAttack) =>
    severalNorms ? `${attack}, ${norm}` : attack;
  return once(attacks.map(nameOf)).map((name) => {
    const own = attacks.filter((entry) => nameOf(entry) === name).sort((a, b) => a.eps - b.eps);
    const budgets = distinct(own.map(({ eps_text }) => eps_text));
    return { name, budgets: own.map((of, index) => ({ name: budgets[index] ?? of.eps_text, of })) };
  });
}

/** The examples by model and data set. If several files have the same name, the file is added. */
export function exampleSets(document: ReportDocument): ExampleSet[] {
  const index = itemIndex(document);
  const results = resultsOf<AttackExamples>(document, "assay.attack_examples").filter(
    ({ result }) => typeof result.model === "string" && typeof result.dataset === "string",
  );
  const sets = results.map(({ source, result }) => {
    const attacks = soundAttacks(result.attacks);
    const embedded = attacks.some(({ shown }) =>
      shown.some((example) =>
        imagesOf(example).some((path) => index.thumbnail(source, path) !== undefined),
      ),
    );
    const name = `${result.model}, ${result.dataset}`;
    return { name, source, result, attacks: namedAttacks(attacks), embedded };
  });
  const shared = new Set<string>();
  const seen = new Set<string>();
  for (const { name } of sets) (seen.has(name) ? shared : seen).add(name);
  const names = distinct(
    sets.map(({ name, source }) => (shared.has(name) ? `${name} (${source})` : name)),
  );
  return sets
    .map((set, at) => ({ ...set, name: names[at] ?? set.name }))
    .filter(({ attacks }) => attacks.length > 0);
}

/** Images in the order in which a card shows them. */
export function imagesOf({ original, difference, attacked }: AttackExample): string[] {
  return [original, difference, attacked];
}

/** The ids of all images that some attack of the set has as an example. */
export function idsOf({ attacks }: ExampleSet): string[] {
  return once(
    attacks.flatMap(({ budgets }) =>
      budgets.flatMap(({ of }) => of.shown.map((example) => example.id)),
    ),
  );
}

export interface Occurrence {
  attack: string;
  budget: string;
  example: AttackExample;
}

/** One image under every attack and budget that has it as an example. */
export function occurrencesOf({ attacks }: ExampleSet, id: string): Occurrence[] {
  return attacks.flatMap(({ name, budgets }) =>
    budgets.flatMap((budget) =>
      budget.of.shown
        .filter((example) => example.id === id)
        .map((example) => ({ attack: name, budget: budget.name, example })),
    ),
  );
}

/** How many images fooled the model, and how many of them are examples. It follows "Under pgd". */
export function fooledText({ fooled, shown }: ExamplesOfAttack): string {
  const examples = shown.length === 1 ? "1 is an example" : `${shown.length} are examples`;
  // The field comes from a file of another program.
  if (typeof fooled !== "number") return `the model misclassifies images, of which ${examples}.`;
  if (fooled === 0) return "the model misclassifies no image that it classified correctly before.";
  const images = fooled === 1 ? "image" : "images";
  return `the model misclassifies ${countText(fooled)} ${images} that it classified correctly before; ${examples}.`;
}

export function classText({ name, id, class: number }: ExampleClass): string {
  const text = [name, id].find((one) => typeof one === "string" && one !== "");
  return short(text ?? `class ${number}`, 40);
}

/** "97.0 %", or "" if the model gives no probabilities. */
export function probabilityText({ probability }: ExamplePrediction): string {
  return typeof probability === "number" ? percentText(probability) : "";
}

/** A change in steps of 8-bit pixels, the unit of budgets, such as "1.000/255". */
export function largestText({ largest }: AttackExample): string {
  return typeof largest === "number" ? `${numberText(255 * largest, 0)}/255` : "–";
}

export function lengthText({ length }: AttackExample): string {
  return typeof length === "number" ? numberText(length, 0) : "–";
}

export function scaleText({ scale }: AttackExample): string {
  return typeof scale === "number" ? `× ${Number(scale.toPrecision(4))}` : "";
}
