// Images that fooled a classifier: what they were, what changed, and what they became.
import { type ReportDocument, resultsOf, type Sourced } from "../../document.ts";
import { countText } from "../../estimate.ts";
import { Picture, percentText } from "../../parts/item_card.tsx";
import { type ItemIndex, itemIndex } from "../../parts/items.ts";
import { More } from "../../parts/more.tsx";
import { distinct, once, short } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import type {
  AttackExample,
  AttackExamplesResult,
  ExamplesOfAttack,
  NamedClass,
  PredictedAs,
} from "../../schemas/attack_examples.ts";
import { useAddress } from "../../state.ts";

const step = 6;

export interface ShownExample {
  attack: ExamplesOfAttack;
  example: AttackExample;
}

export function attackText({ attack, eps_text, norm }: ExamplesOfAttack): string {
  return `${attack} at ${eps_text}${norm === "linf" ? "" : `, ${norm}`}`;
}

/** Of one attack, or of all; of one image, or of all. Of one image, budgets follow each other. */
export function examplesOf(
  result: AttackExamplesResult,
  attack: string,
  image: string,
): ShownExample[] {
  return result.attacks
    .filter((entry) => attack === "" || attackText(entry) === attack)
    .flatMap((entry) => entry.shown.map((example) => ({ attack: entry, example })))
    .filter(({ example }) => image === "" || example.id === image);
}

/** Those that show something. */
export function examplesIn(document: ReportDocument): Sourced<AttackExamplesResult>[] {
  return resultsOf<AttackExamplesResult>(document, "assay.attack_examples").filter(({ result }) =>
    result.attacks.some(({ shown }) => shown.length > 0),
  );
}

/** Three digits are enough beside a picture. */
function rounded(value: number): string {
  return String(Number(value.toPrecision(3)));
}

function className({ class: number, id, name }: NamedClass): string {
  return short(name || id || `class ${number}`, 40);
}

function Prediction({ of }: { of: PredictedAs }) {
  return (
    <>
      <bdi>{className(of)}</bdi>
      {typeof of.probability === "number" && ` ${percentText(of.probability)}`}
    </>
  );
}

interface CardProps {
  shown: ShownExample;
  thumbnail: (path: string) => ReturnType<ItemIndex["thumbnail"]>;
}

function Card({ shown: { attack, example }, thumbnail }: CardProps) {
  const scale = rounded(example.scale);
  return (
    <article class="attack-example">
      <div class="three-pictures">
        <figure>
          <Picture thumbnail={thumbnail(example.original)} id={`${example.id}, as it was`} />
          <figcaption>
            before: <Prediction of={example.before} />
          </figcaption>
        </figure>
        <figure class="difference">
          <Picture
            thumbnail={thumbnail(example.difference)}
            id={`What ${attackText(attack)} changed in ${example.id}, ${scale} times as large`}
          />
          <figcaption>difference × {scale}; grey: no change</figcaption>
        </figure>
        <figure>
          <Picture thumbnail={thumbnail(example.attacked)} id={`${example.id}, attacked`} />
          <figcaption>
            after: <Prediction of={example.after} />
          </figcaption>
        </figure>
      </div>
      <p class="item-id" title={short(example.id, 300)}>
        <bdi>{short(example.id, 60)}</bdi>, label <bdi>{className(example.label)}</bdi>
      </p>
      <p>
        {attackText(attack)}: no element of a pixel changes by more than{" "}
        {rounded(255 * example.largest)}/255; length (l2) {rounded(example.length)}
      </p>
    </article>
  );
}

interface ExamplesProps {
  document: ReportDocument;
  examples: Sourced<AttackExamplesResult>;
  /** Before the keys of the address: one result of several. */
  id: string;
}

export function Examples({ document, examples: { source, result }, id }: ExamplesProps) {
  const attacks = result.attacks.filter(({ shown }) => shown.length > 0);
  const names = distinct(attacks.map(attackText));
  const [wanted, choose] = useAddress(`${id}.attack`, names[0] ?? "");
  const [wantedImage, chooseImage] = useAddress(`${id}.image`, "");
  if (attacks.length === 0) return null;
  const images = once(attacks.flatMap(({ shown }) => shown.map((example) => example.id)));
  const attack = wanted === "all" ? "" : chosenOf(names, wanted);
  const image = images.includes(wantedImage) ? wantedImage : "";
  const shown = examplesOf(result, attack, image);
  const index = itemIndex(document);
  const thumbnail = (path: string) => index.thumbnail(source, path);
  const embedded = attacks.some((entry) =>
    entry.shown.some((example) => thumbnail(example.difference) !== undefined),
  );
  const fooled = attacks.find((entry) => attackText(entry) === attack)?.fooled;
  return (
    <>
      <h3>
        Images of <bdi>{short(result.dataset, 60)}</bdi> that fooled{" "}
        <bdi>{short(result.model, 60)}</bdi>
      </h3>
      <div class="choices">
        <OneOf
          label="Attack"
          choices={[...choicesOf(names), { value: "all", text: "all" }]}
          value={attack === "" ? "all" : attack}
          choose={choose}
        />
        <OneOf
          label="Image"
          choices={[{ value: "", text: "all" }, ...choicesOf(images)]}
          value={image}
          choose={chooseImage}
        />
      </div>
      <p class="note">
        {fooled === undefined
          ? "Of each attack a few images"
          : `${countText(shown.length)} of the ${countText(fooled)} images`}{" "}
        that were classified correctly before and are not afterwards, drawn by their ids.
        {!embedded && " Their pictures are in a report that is made with --thumbnails 200."}
      </p>
      {shown.length === 0 && <p>This attack shows no such image; choose another one.</p>}
      <More key={`${attack} ${image}`} entries={shown} step={step} class="attack-examples">
        {(entry) => (
          <Card
            key={`${entry.attack.folder} ${entry.example.id}`}
            shown={entry}
            thumbnail={thumbnail}
          />
        )}
      </More>
    </>
  );
}
