import type { ReportDocument } from "../../document.ts";
import { countText } from "../../estimate.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { useAddress } from "../../state.ts";
import { Ablation } from "./ablation.tsx";
import { Annotators } from "./annotators.tsx";
import { type Competition, competitionsOf } from "./competitions.ts";
import { Gallery } from "./gallery.tsx";
import { Matrices } from "./matrices.tsx";
import { Others } from "./others.tsx";
import { Pairs } from "./pairs.tsx";
import { RankingForest, RankingTable } from "./ranking.tsx";
import { Sureness } from "./sureness.tsx";

function About({ competition }: { competition: Competition }) {
  const { settings, status } = competition;
  const images = settings?.images ?? status?.images;
  if (images === undefined) return null;
  return (
    <p class="note">
      {countText(images)} unlabelled images
      {settings !== undefined && ` of ${countText(settings.classes)} classes`}
      {status !== undefined &&
        `; of each of ${countText(status.pairs)} pairs of classifiers up to ${countText(status.k)} images on which the two disagree most`}
      .
    </p>
  );
}

function Settings({ competition }: { competition: Competition }) {
  if (competition.settings === undefined) return null;
  return (
    <details class="settings">
      <summary>Settings</summary>
      <dl>
        {Object.entries(competition.settings.settings).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value === "" ? "–" : value}</dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

export function View({ document }: { document: ReportDocument }) {
  const competitions = competitionsOf(document);
  const [wanted, choose] = useAddress("mad.competition", "");
  const names = competitions.map(({ name }) => name);
  const name = chosenOf(names, wanted);
  const competition = competitions.find((entry) => entry.name === name);
  if (competition === undefined) return null;
  const { ranking, status } = competition;
  return (
    <div class="mad">
      <div class="choices">
        <OneOf label="Competition" choices={choicesOf(names)} value={name} choose={choose} />
      </div>
      <About competition={competition} />
      {ranking === undefined ? (
        <p>
          There is no ranking yet.
          {status !== undefined &&
            ` ${countText(status.settled)} of ${countText(status.questions)} questions are settled.`}
        </p>
      ) : (
        <>
          <Sureness ranking={ranking} />
          <h3>Ranking</h3>
          <RankingForest ranking={ranking} />
          <RankingTable ranking={ranking} />
          <Matrices ranking={ranking} />
          <Pairs ranking={ranking} />
          <Others ranking={ranking} />
          <Ablation ranking={ranking} />
        </>
      )}
      {competition.gallery !== undefined && (
        <Gallery document={document} gallery={competition.gallery} />
      )}
      <Annotators status={status} />
      <Settings competition={competition} />
    </div>
  );
}
