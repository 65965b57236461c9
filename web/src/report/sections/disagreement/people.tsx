// Models and people who answered the same images, and whether their errors are on the same ones.
import { type ReportDocument, resultsOf } from "../../document.ts";
import { countText, intervalText, numberText, valueText } from "../../estimate.ts";
import { Forest } from "../../parts/forest.tsx";
import { distinct, short } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { chosenAmong, SomeOf } from "../../parts/some_of.tsx";
import type { ModelWithPeople, PeopleResult } from "../../schemas/described.ts";
import { useAddress, useAddressList } from "../../state.ts";
import { Squares } from "./squares.tsx";

const most = 40;

export function People({ document }: { document: ReportDocument }) {
  const results = resultsOf<PeopleResult>(document, "assay.people");
  return (
    <>
      {results.map(({ source, result }, index) => (
        <WithPeople key={`${index} ${source}`} result={result} index={index} />
      ))}
    </>
  );
}

function WithPeople({ result, index }: { result: PeopleResult; index: number }) {
  const [listed, chooseModels] = useAddressList(`disagreement.people${index}`, []);
  const [wanted, choose] = useAddress(`disagreement.person_model${index}`, "");
  const names = distinct(result.models.map(({ model, dataset }) => `${model} on ${dataset}`));
  const chosen = chosenAmong(names, listed, most, most);
  const models = chosen.flatMap((name) => result.models[names.indexOf(name)] ?? []);
  const one = chosenOf(names, wanted);
  const model = result.models[names.indexOf(one)];
  return (
    <>
      <h3>Models and people</h3>
      <SomeOf label="Models" names={names} chosen={chosen} choose={chooseModels} most={most} />
      <Forest
        title="Error consistency with people, mean over the people"
        axis="kappa of being correct"
        unit="number"
        rows={models.map((entry, at) => ({
          key: String(at),
          name: entry.model,
          estimate: entry.mean,
          ...(entry.without_scores > 0 && {
            lines: [`${countText(entry.without_scores)} images without scores`],
          }),
        }))}
        band={{ name: "between people", estimate: result.between_people }}
      />
      <p class="note">
        The vertical line is the mean over all pairs of people, {valueText(result.between_people)}
        {intervalText(result.between_people) && ` (${intervalText(result.between_people)})`}; its
        interval is shaded. 0: errors coincide by chance only; 1: the same images are wrong.{" "}
        {countText(result.unanswered)} of {countText(result.answers)} answers name no class and
        count as incorrect.
      </p>
      {result.warnings.map((text) => (
        <p class="note" key={text}>
          {text}
        </p>
      ))}
      <div class="choices">
        <OneOf label="Model" choices={choicesOf(names)} value={one} choose={choose} />
      </div>
      {model !== undefined && <Persons model={model} index={index} />}
    </>
  );
}

function Persons({ model, index }: { model: ModelWithPeople; index: number }) {
  const [wanted, choose] = useAddress(`disagreement.person${index}`, "");
  const names = distinct(model.people.map(({ person }) => person));
  const one = chosenOf(names, wanted);
  const person = model.people[names.indexOf(one)];
  return (
    <div class="pair">
      <div>
        <OneOf label="Person" choices={choicesOf(names)} value={one} choose={choose} />
        {person !== undefined && (
          <>
            <Squares
              title="Images by who is correct"
              first={model.model}
              second={person.person}
              counts={{
                both: person.both_correct,
                first: person.only_model_correct,
                second: person.only_person_correct,
                neither: person.both_incorrect,
              }}
            />
            <dl class="facts">
              <dt>alike</dt>
              <dd>{numberText(person.observed, 0, "proportion")} %</dd>
              <dt>by chance</dt>
              <dd>{numberText(person.by_chance, 0, "proportion")} %</dd>
              <dt>{short(model.model, 30)} correct</dt>
              <dd>{valueText(person.model_accuracy)} %</dd>
              <dt>{short(person.person, 30)} correct</dt>
              <dd>{valueText(person.person_accuracy)} %</dd>
            </dl>
          </>
        )}
      </div>
      <div>
        <Forest
          title={`Error consistency of ${short(model.model, 40)} with each person`}
          axis="kappa of being correct"
          unit="number"
          rows={model.people.map((entry, at) => ({
            key: String(at),
            name: entry.person,
            estimate: entry.error_consistency,
          }))}
        />
      </div>
    </div>
  );
}
