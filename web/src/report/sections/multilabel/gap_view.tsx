// The same models on two data sets.
import { type ReportDocument, resultsOf } from "../../document.ts";
import { distinct, short } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { chosenAmong, SomeOf } from "../../parts/some_of.tsx";
import type { GapResult } from "../../schemas/described.ts";
import { useAddress, useAddressList } from "../../state.ts";
import { Averages } from "./averages.tsx";
import { Boxes } from "./boxes.tsx";
import { Decomposition } from "./decomposition.tsx";
import { Further } from "./further.tsx";
import { domainOf, GapCurves } from "./gap_curves.tsx";
import { LabelCounts } from "./label_counts.tsx";
import { Plane } from "./plane.tsx";
import { RankLines } from "./rank_lines.tsx";
import { Ranks } from "./ranks.tsx";
import { gapSteps, labelCounts, measuredMetrics, sets } from "./series.ts";
import { SetLegend } from "./set_legend.tsx";
import { Steps } from "./steps.tsx";

const most = 8;

export function Gaps({ document }: { document: ReportDocument }) {
  const [wanted, choose] = useAddress("multilabel.gap", "");
  const gaps = resultsOf<GapResult>(document, "assay.gap").map(({ result }) => result);
  const names = distinct(gaps.map(({ first, second }) => `${first.name} – ${second.name}`));
  const chosen = chosenOf(names, wanted);
  const gap = gaps[names.indexOf(chosen)];
  if (gap === undefined) return null;
  return (
    <>
      <div class="choices">
        <OneOf label="Data sets" choices={choicesOf(names)} value={chosen} choose={choose} />
      </div>
      <Gap key={chosen} gap={gap} />
    </>
  );
}

function Gap({ gap }: { gap: GapResult }) {
  const models = distinct(gap.models.map(({ model }) => model));
  const marked = gap.marked.flatMap((index) => models[index] ?? []);
  const [listed, chooseModels] = useAddressList("multilabel.lines", marked);
  const lines = chosenAmong(models, listed, 3, most);
  const chosen = lines.map((name) => models.indexOf(name));
  const metrics = measuredMetrics(gap);
  const domain = domainOf(gap, metrics);
  const [first, second] = [gap.first, gap.second];
  return (
    <>
      {gap.warnings.map((text) => (
        <p class="note" key={text}>
          {short(text, 500)}
        </p>
      ))}
      <h3>
        From <bdi>{short(first.name, 60)}</bdi> to <bdi>{short(second.name, 60)}</bdi>
      </h3>
      <Averages gap={gap} metrics={metrics} />
      <div class="choices lines-choice">
        <SomeOf
          label="Marked models"
          names={models}
          chosen={lines}
          choose={chooseModels}
          most={most}
          marks
        />
      </div>
      <SetLegend names={[first.name, second.name]} />
      <div class="panels">
        {metrics.map((metric) => (
          <GapCurves key={metric} gap={gap} metric={metric} domain={domain} />
        ))}
      </div>
      <div class="panels">
        {metrics.map((metric) => (
          <div key={metric}>
            <Plane gap={gap} metric={metric} domain={domain} chosen={chosen} />
          </div>
        ))}
      </div>
      {gap.boxes.length > 0 && <Boxes gap={gap} chosen={chosen} />}
      <div class="beside">
        {gap.average.subgroups.length > 0 && (
          <Steps
            title="Mean agreement by labels per image"
            lines={sets.map((set, series) => ({
              name: gap[set].name,
              steps: gapSteps(gap.average.subgroups, set),
              series,
              dashed: set === "second",
            }))}
          />
        )}
        {first.histogram !== undefined && (
          <LabelCounts
            title="Labels per image"
            sets={sets.map((set) => ({ name: gap[set].name, counts: labelCounts(gap[set]) }))}
          />
        )}
      </div>
      <Decomposition gap={gap} chosen={chosen} />
      <Ranks gap={gap} metrics={metrics} />
      {metrics.length > 1 && (
        <div class="panels">
          {sets.map((set) => (
            <RankLines key={set} gap={gap} set={set} metrics={metrics} chosen={chosen} />
          ))}
        </div>
      )}
      <Further gap={gap} />
    </>
  );
}
