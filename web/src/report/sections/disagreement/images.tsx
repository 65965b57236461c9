// The images on which two models differ: predictions, their confidences, and who is correct.
import type { ReportDocument } from "../../document.ts";
import { countText } from "../../estimate.ts";
import { type BarOf, Bars, Picture } from "../../parts/item_card.tsx";
import { itemIndex, predictionsOf } from "../../parts/items.ts";
import { More } from "../../parts/more.tsx";
import { short } from "../../parts/names.ts";
import { OneOf } from "../../parts/one_of.tsx";
import type { ComparedPair, Disagreement } from "../../schemas/described.ts";
import { useAddress } from "../../state.ts";
import { isKind, type Kind, kindOf, ofKind } from "./pairs.ts";

interface ImagesProps {
  document: ReportDocument;
  pair: ComparedPair;
}

export function Images({ document, pair }: ImagesProps) {
  const [wanted, choose] = useAddress("disagreement.show", "all");
  if (pair.disagreements.length === 0) return null;
  const kind: Kind = isKind(wanted) ? wanted : "all";
  const items = ofKind(pair.disagreements, kind);
  const name = { first: short(pair.baseline, 30), second: short(pair.candidate, 30) };
  const verdicts = {
    first: `only ${name.first} is correct`,
    second: `only ${name.second} is correct`,
    neither: "both are incorrect",
    both: "both are correct",
  };
  const texts: [Kind, string][] = [
    ["all", "all"],
    ["first", verdicts.first],
    ["second", verdicts.second],
    ["neither", verdicts.neither],
    ["both", verdicts.both],
  ];
  const choices = texts.map(([value, text]) => ({
    value,
    text: `${text} (${countText(ofKind(pair.disagreements, value).length)})`,
  }));
  return (
    <>
      <h3>Images on which they differ</h3>
      <OneOf label="Show" choices={choices} value={kind} choose={choose} />
      <More key={kind} entries={items} step={20} class="item-cards">
        {(item) => (
          <Card
            key={item.id}
            document={document}
            pair={pair}
            item={item}
            verdict={verdicts[kindOf(item)]}
          />
        )}
      </More>
    </>
  );
}

function classText(predicted: string | number | null): string {
  return predicted === null ? "no class" : String(predicted);
}

/** The best classes of a model if the report has them, otherwise the class in the pair. */
function shownPredictions(
  all: BarOf[],
  predicted: string | number | null,
  confidence: number,
  correct: boolean,
): BarOf[] {
  if (all.length > 0) return all;
  const name = classText(predicted);
  return [{ class: 0, id: name, name, probability: confidence, correct }];
}

function Card({
  document,
  pair,
  item,
  verdict,
}: ImagesProps & { item: Disagreement; verdict: string }) {
  const index = itemIndex(document);
  const known = (dataset: string, model: string) => {
    const shown = index.find(dataset, item.id);
    return shown === undefined ? [] : predictionsOf(shown, model);
  };
  // Uses names if the report has the item, because the pair only has the ids of classes.
  const named = index.find(pair.dataset, item.id)?.labels.map(({ name, id }) => name || id);
  const labels = (named ?? item.labels.map(classText)).map((label) => short(label, 40));
  return (
    <article class="item-card">
      <Picture thumbnail={index.thumbnail(pair.dataset, item.id)} id={item.id} />
      <p class="item-id" title={short(item.id, 300)}>
        <bdi>{short(item.id, 60)}</bdi>
      </p>
      <p>
        {labels.length === 1 ? "Label" : "Labels"}: <bdi>{labels.join(", ") || "none"}</bdi>
      </p>
      <p class={`verdict of-${kindOf(item)}`}>{verdict}</p>
      <Bars
        name={pair.baseline}
        predictions={shownPredictions(
          known(pair.dataset, pair.baseline),
          item.baseline,
          item.baseline_confidence,
          item.baseline_correct,
        )}
      />
      <Bars
        name={pair.candidate}
        predictions={shownPredictions(
          known(pair.candidate_dataset, pair.candidate),
          item.candidate,
          item.candidate_confidence,
          item.candidate_correct,
        )}
      />
    </article>
  );
}
