// The selected images by pair and case: both predictions, and people's answers.
import type { ReportDocument, Sourced } from "../../document.ts";
import { numberText } from "../../estimate.ts";
import { Picture, percentText } from "../../parts/item_card.tsx";
import { itemIndex } from "../../parts/items.ts";
import { More } from "../../parts/more.tsx";
import { once, short } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import type { MadGallery, ShownLabel, ShownSelection } from "../../schemas/described.ts";
import { useAddress } from "../../state.ts";

const step = 24;

/** What people's answers mean for a pair (Wang et al. 2020). */
const cases = new Map([
  ["I", "I: both correct"],
  ["II", "II: one correct"],
  ["III", "III: both incorrect"],
]);

export function pairOf({ first, second }: ShownSelection): string {
  return `${first} – ${second}`;
}

function Label({ name, label }: { name: string; label: ShownLabel }) {
  const sign = label.correct === true ? "✓ " : label.correct === false ? "✗ " : "";
  const says = label.correct === null ? "not settled" : label.correct ? "correct" : "incorrect";
  return (
    <>
      <dt>
        <bdi>{short(name, 40)}</bdi>
      </dt>
      <dd class={label.correct === true ? "is-correct" : undefined} title={says}>
        {sign}
        <bdi>{short(label.name || label.id, 40)}</bdi>
      </dd>
      <dd>{percentText(label.confidence)}</dd>
    </>
  );
}

interface GalleryProps {
  document: ReportDocument;
  gallery: Sourced<MadGallery>;
}

export function Gallery({ document, gallery }: GalleryProps) {
  const [wantedPair, choosePair] = useAddress("mad.pair", "");
  const [wantedCase, chooseCase] = useAddress("mad.case", "");
  const shown = gallery.result.shown ?? [];
  if (shown.length === 0) return null;
  const index = itemIndex(document);
  const pairs = once(shown.map(pairOf));
  const pair = chosenOf(pairs, wantedPair);
  const ofPair = shown.filter((entry) => pairOf(entry) === pair);
  const there = once(ofPair.map((entry) => entry.case)).sort();
  const selected = there.includes(wantedCase)
    ? ofPair.filter((entry) => entry.case === wantedCase)
    : ofPair;
  return (
    <>
      <h3>Selected images</h3>
      <div class="choices">
        <OneOf label="Pair" choices={choicesOf(pairs)} value={pair} choose={choosePair} />
        <OneOf
          label="Case"
          choices={[
            { value: "", text: "all" },
            ...there.map((value) => ({ value, text: cases.get(value) ?? value })),
          ]}
          value={there.includes(wantedCase) ? wantedCase : ""}
          choose={chooseCase}
        />
      </div>
      <More key={`${pair} ${wantedCase}`} entries={selected} step={step} class="item-cards">
        {(entry) => (
          <article class="item-card" key={`${entry.id} ${entry.place}`}>
            <Picture thumbnail={index.thumbnail(gallery.source, entry.id)} id={entry.id} />
            <p class="item-id" title={short(entry.id, 300)}>
              {entry.place}. <bdi>{short(entry.id, 60)}</bdi>
            </p>
            <dl class="both-labels">
              <Label name={entry.first} label={entry.first_label} />
              <Label name={entry.second} label={entry.second_label} />
            </dl>
            <p>
              {cases.has(entry.case) ? `Case ${entry.case}` : entry.case}, distance{" "}
              {numberText(entry.distance, 0)}
            </p>
          </article>
        )}
      </More>
    </>
  );
}
