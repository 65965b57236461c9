// One study: the verdict, a comparison of both sets, and all facts behind the verdict.
import type { ReportDocument } from "../../document.ts";
import { countText } from "../../estimate.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { chosenAmong, SomeOf } from "../../parts/some_of.tsx";
import { useAddress, useAddressList } from "../../state.ts";
import { AdjustedForest, AdjustedTable } from "./adjusted.tsx";
import { AccuracyCurves, Densities } from "./density.tsx";
import { MethodTable } from "./methods.tsx";
import { Readings } from "./readings.tsx";
import { Scatter } from "./scatter.tsx";
import { BlindSpots, ByAnnotators, Halves } from "./sensitivity.tsx";
import { studiesOf } from "./studies.ts";
import { Warnings } from "./warnings.tsx";

/** The largest number of models in one plot, and the number at first. */
const most = 8;
const first = 4;

export function Studies({ document }: { document: ReportDocument }) {
  const studies = studiesOf(document);
  const [wantedStudy, chooseStudy] = useAddress("replication.study", "");
  const [wantedMethod, chooseMethod] = useAddress("replication.method", "");
  const [wanted, chooseModels] = useAddressList("replication.models", []);
  const names = studies.map(({ name }) => name);
  const chosenName = chosenOf(names, wantedStudy);
  const study = studies.find(({ name }) => name === chosenName);
  if (study === undefined) return null;
  const { adjust, figures } = study;
  const ids = adjust.methods.map(({ id }) => id);
  const methodId = ids.includes(wantedMethod) ? wantedMethod : chosenOf(ids, adjust.quoted);
  const method = adjust.methods.find(({ id }) => id === methodId);
  const models = study.models.map((name, index) => ({ name, index }));
  const chosen = chosenAmong(study.models, wanted, first, most);
  const picked = new Set(chosen);
  const drawn = models.filter(({ name }) => picked.has(name));
  return (
    <>
      <p class="verdict">{adjust.verdict}</p>
      <p class="note">
        {countText(adjust.images.original)} images in the original and{" "}
        {countText(adjust.images.replication)} in the replication, of {countText(adjust.classes)}{" "}
        classes. The adjustment by annotators' selection frequencies rests on a condition:{" "}
        {adjust.condition}.
      </p>
      <Warnings warnings={adjust.warnings} />
      <div class="choices">
        <OneOf label="Study" choices={choicesOf(names)} value={chosenName} choose={chooseStudy} />
        <OneOf label="Method" choices={choicesOf(ids)} value={methodId} choose={chooseMethod} />
      </div>
      {method !== undefined && <Scatter study={study} method={method} />}
      <h3>Methods: means over the models</h3>
      <MethodTable study={study} />
      <h3>Models</h3>
      <SomeOf
        label="Models in the plots"
        names={study.models}
        chosen={chosen}
        choose={chooseModels}
        most={most}
      />
      <AdjustedForest study={study} models={drawn} />
      <AdjustedTable study={study} models={models} />
      <h3>Selection frequencies</h3>
      <Readings figures={figures} />
      {method !== undefined && (
        <div class="beside">
          <Densities method={method} rates={adjust.rates} />
          <AccuracyCurves method={method} rates={adjust.rates} models={drawn} />
        </div>
      )}
      {method !== undefined && method.density === undefined && (
        <p class="note">{method.id} has no densities to draw. Choose another method.</p>
      )}
      <ByAnnotators study={study} method={methodId} />
      <Halves study={study} />
      <BlindSpots study={study} />
    </>
  );
}
