// QUBA under weights that the reader chooses: sliders, ranks, and their changes.
import { useMemo } from "preact/hooks";
import { useAddress } from "../../state.ts";
import type { Chosen, Filter } from "./choice_state.ts";
import { Contributions } from "./contributions.tsx";
import { Check, Select } from "./controls.tsx";
import type { Gathered } from "./gather.ts";
import { useLive } from "./live.ts";
import { Notes } from "./notes.tsx";
import { RankChart } from "./rank_chart.tsx";
import { RankTable } from "./rank_table.tsx";
import type { Row, ScoreOf } from "./tables.ts";
import { WeightSliders } from "./weight_sliders.tsx";
import { parseWeights, sameWeights, scalesOf, weightsOf, weightsText } from "./weights.ts";

/** The number of rows of the chart, and of the table until the reader requests all. */
const most = 25;

interface QubaProps {
  gathered: Gathered;
  filter: Filter;
  chosen: Chosen;
}

const none: Row[] = [];

export function Quba(props: QubaProps) {
  const usable = props.gathered.scores.filter(
    (one): one is ScoreOf & { rows: Row[] } => one.rows !== null,
  );
  const [which, setWhich] = useAddress("quality.score", "0");
  const one = usable[Number(which)] ?? usable[0];
  if (one === undefined) return null;
  return (
    <>
      <h3>Score (QUBA)</h3>
      {usable.length > 1 && (
        <div class="quality-controls no-print">
          <Select
            label="scores of"
            value={which}
            options={usable.map(({ source, rows }, index) => ({
              value: String(index),
              text: `${rows[0]?.published ? "the published models" : source} (${rows.length} models)`,
            }))}
            set={setWhich}
          />
        </div>
      )}
      <Scores {...props} one={one} />
    </>
  );
}

function Scores({ gathered, filter, chosen, one }: QubaProps & { one: ScoreOf & { rows: Row[] } }) {
  const { score, rows } = one;
  const asScored = weightsOf(score.weights);
  const [text, setText] = useAddress("quality.weights", "");
  const [all, setAll] = useAddress("quality.all", "no");
  const tryable = useMemo(() => scalesOf(score) !== null, [score]);
  const weights = (tryable ? parseWeights(text) : null) ?? asScored;
  const changed = !sameWeights(weights, asScored);
  const ofPublished = rows.some((row) => row.published);
  const isPlaced = score.models.some(({ place }) => place.value !== null);
  const others = useMemo(
    () => (ofPublished || !isPlaced ? none : gathered.backdrop),
    [ofPublished, isPlaced, gathered],
  );
  const live = useLive(score, rows, others, weights);
  const placed = isPlaced && (!changed || others.length > 0);
  const set = (next: number[]) => setText(sameWeights(next, asScored) ? "" : weightsText(next));
  const held = live.models.filter(({ row }) => filter.holds(row));
  const shown = all === "yes" ? held : held.slice(0, most);
  return (
    <>
      <p class="quality-note">
        Weighted mean of nine dimensions, each centred and scaled by {score.constants_from}.{" "}
        {live.drawing && "Intervals are being drawn. "}
        {changed && live.without}
        {!tryable &&
          "An older version of Assay made this result, so you cannot try other weights. "}
        {placed && !changed && others.length === 0 && isPlaced
          ? "To see places under other weights, add the published table to the report. "
          : ""}
      </p>
      {tryable && <WeightSliders score={score} weights={weights} set={set} />}
      <div class="quality-columns">
        <RankChart models={held.slice(0, most)} of={placed ? "place" : "rank"} changed={changed} />
        <div>
          <RankTable models={shown} chosen={chosen} placed={placed} changed={changed} />
          {held.length > most && (
            <Check
              label={`all ${held.length} models`}
              on={all === "yes"}
              set={(on) => setAll(on ? "yes" : "no")}
            />
          )}
        </div>
      </div>
      <Contributions score={score} />
      <Notes notes={[...score.notes, ...score.warnings]} />
    </>
  );
}
