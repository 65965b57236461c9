// Accuracy under corruptions: one model's grid, all models' means, and lines by severity.

import { Lines } from "../../parts/lines.tsx";
import { once } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { chosenAmong, SomeOf } from "../../parts/some_of.tsx";
import type { CorruptedResult } from "../../schemas/described.ts";
import { useAddress, useAddressList } from "../../state.ts";
import { CleanAgainstCorrupted } from "./clean.tsx";
import { wordsOf } from "./families.ts";
import { Grid } from "./grid.tsx";
import { Means } from "./means.tsx";
import { Said } from "./said.tsx";

interface CorruptedProps {
  result: CorruptedResult;
  /** The prefix of the keys in the address, if there are several results. */
  id: string;
}

export function Corrupted({ result, id }: CorruptedProps) {
  const [wantedModel, chooseModel] = useAddress(`${id}.model`, "");
  const [wantedCorruption, chooseCorruption] = useAddress(`${id}.corruption`, "");
  const [wanted, chooseModels] = useAddressList(`${id}.models`, []);
  const { models } = result;
  const names = models.map(({ model }) => model);
  const model = models.find((entry) => entry.model === chosenOf(names, wantedModel));
  const corruptions = once(
    models.flatMap(({ versions }) => versions.map(({ corruption }) => corruption)),
  );
  const corruption = chosenOf(corruptions, wantedCorruption);
  const chosen = chosenAmong(names, wanted, 5, 8);
  const lines = chosen.map((name, series) => ({
    name,
    series,
    points: (models.find((entry) => entry.model === name)?.versions ?? [])
      .filter((version) => version.corruption === corruption)
      .map(({ severity, accuracy }) => ({ x: severity, estimate: accuracy }))
      .sort((a, b) => a.x - b.x),
  }));
  return (
    <>
      <h3>Corruptions of {result.clean}</h3>
      <Means models={models} id={`${id}.means`} />
      <div class="pair">
        <div>
          <OneOf
            label="Model"
            choices={choicesOf(names)}
            value={model?.model ?? ""}
            choose={chooseModel}
          />
          {model !== undefined && <Grid model={model} />}
        </div>
        <div>
          <CleanAgainstCorrupted models={models} />
          <div class="choices">
            <OneOf
              label="Corruption"
              choices={corruptions.map((value) => ({ value, text: wordsOf(value) }))}
              value={corruption}
              choose={chooseCorruption}
            />
            <SomeOf
              label="Models"
              names={names}
              chosen={chosen}
              choose={chooseModels}
              most={8}
              marks
            />
          </div>
          <Lines
            title={`${wordsOf(corruption)}, by severity`}
            lines={lines}
            xTitle="severity"
            yTitle="accuracy"
          />
        </div>
      </div>
      <Said texts={[...result.warnings, ...result.notes]} />
    </>
  );
}
