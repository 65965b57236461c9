// Images that fooled a model, next to their originals, by attack and budget, or one image under all
// attacks.
import type { ReportDocument } from "../../document.ts";
import { itemIndex } from "../../parts/items.ts";
import { More } from "../../parts/more.tsx";
import { short } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { Steps } from "../../parts/steps.tsx";
import type { ExamplesOfAttack } from "../../schemas/described.ts";
import { Sentence } from "../../sentence.tsx";
import { useAddress } from "../../state.ts";
import { PlainTable } from "../../table/plain.tsx";
import { ExampleCard } from "./example_card.tsx";
import {
  classText,
  type ExampleSet,
  exampleSets,
  fooledText,
  idsOf,
  largestText,
  lengthText,
  occurrencesOf,
  probabilityText,
} from "./examples.ts";

/** The number of examples at first. */
const step = 6;

const legend =
  "The difference is the adversarial image minus the original, multiplied by the factor below it." +
  " Grey means no change. The other two are compressed copies, which may lose such a small change.";
const without =
  "The images are not in this report. To add up to N of them, run `assay report` with" +
  " `--thumbnails N`.";

function Fooled({ of }: { of: ExamplesOfAttack }) {
  return (
    <p class="note fooled">
      Under {short(of.attack)} with a budget of {short(of.eps_text)} ({short(String(of.norm))}){" "}
      {fooledText(of)}
    </p>
  );
}

/** The results of every attack on one image. */
function UnderAll({ set, id }: { set: ExampleSet; id: string }) {
  const rows = occurrencesOf(set, id).map(({ attack, budget, example }) => [
    short(attack, 40),
    short(budget, 24),
    classText(example.after),
    probabilityText(example.after),
    largestText(example),
    lengthText(example),
  ]);
  const columns = ["attack", "budget", "after", "probability", "largest change", "l2 length"];
  return (
    <>
      <h4>
        <bdi>{short(id, 60)}</bdi> under all attacks that have it as an example
      </h4>
      <PlainTable label="One image under all attacks" data={{ columns, rows }} />
    </>
  );
}

interface SetProps {
  document: ReportDocument;
  set: ExampleSet;
}

function Examples({ document, set }: SetProps) {
  const [wantedAttack, chooseAttack] = useAddress("robustness.examples.attack", "");
  const [wantedBudget, chooseBudget] = useAddress("robustness.examples.budget", "");
  const [wantedImage, chooseImage] = useAddress("robustness.examples.image", "");
  const attacks = set.attacks.map(({ name }) => name);
  const attack = chosenOf(attacks, wantedAttack);
  const budgets = set.attacks.find(({ name }) => name === attack)?.budgets ?? [];
  const budget = chosenOf(
    budgets.map(({ name }) => name),
    wantedBudget,
  );
  const of = budgets.find(({ name }) => name === budget)?.of;
  const ids = idsOf(set);
  const image = ids.includes(wantedImage) ? wantedImage : "";
  const index = itemIndex(document);
  if (of === undefined) return null;
  const shown = image === "" ? of.shown : of.shown.filter(({ id }) => id === image);
  return (
    <>
      <div class="choices">
        <OneOf label="Attack" choices={choicesOf(attacks)} value={attack} choose={chooseAttack} />
        <Steps
          label="Budget"
          choices={choicesOf(budgets.map(({ name }) => name))}
          value={budget}
          choose={chooseBudget}
        />
        <OneOf
          label="Image"
          choices={[{ value: "", text: "all" }, ...choicesOf(ids)]}
          value={image}
          choose={chooseImage}
        />
      </div>
      <Fooled of={of} />
      <p class="note">
        <Sentence text={set.embedded ? legend : without} />
      </p>
      {image !== "" && shown.length === 0 && (
        <p class="not-here">The chosen image is none of these examples.</p>
      )}
      <More
        key={attack}
        entries={shown}
        step={step}
        class={`item-cards attack-examples${image === "" ? "" : " one-alone"}`}
      >
        {(example) => (
          <ExampleCard
            key={example.id}
            example={example}
            thumbnail={set.embedded ? (id) => index.thumbnail(set.source, id) : undefined}
            alone={image === example.id}
            toggle={() => chooseImage(image === example.id ? "" : example.id)}
          />
        )}
      </More>
      {image !== "" && <UnderAll set={set} id={image} />}
    </>
  );
}

/** The examples of every model and data set, of which one is chosen. */
export function Pairs({ document }: { document: ReportDocument }) {
  const [wanted, choose] = useAddress("robustness.examples.model", "");
  const sets = exampleSets(document);
  const names = sets.map(({ name }) => name);
  const set = sets.find(({ name }) => name === chosenOf(names, wanted));
  if (set === undefined) return null;
  return (
    <>
      <h3>
        Adversarial images of <bdi>{short(set.result.dataset, 60)}</bdi> for{" "}
        <bdi>{short(set.result.model, 60)}</bdi>
      </h3>
      <div class="choices">
        <OneOf label="Model" choices={choicesOf(names)} value={set.name} choose={choose} />
      </div>
      <Examples key={set.name} document={document} set={set} />
    </>
  );
}
