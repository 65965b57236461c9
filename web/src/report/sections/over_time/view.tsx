// Several runs of the same model, which show whether it improved and still passes its gates.
import { useMemo } from "preact/hooks";
import type { ReportDocument } from "../../document.ts";
import { intervalText, pText, signedText } from "../../estimate.ts";
import { short } from "../../parts/names.ts";
import { choicesOf, chosenOf, OneOf } from "../../parts/one_of.tsx";
import { chosenAmong, SomeOf } from "../../parts/some_of.tsx";
import { useAddress, useAddressList } from "../../state.ts";
import { PlainTable } from "../../table/plain.tsx";
import { Lines } from "./chart.tsx";
import {
  boundsOf,
  choicesFor,
  type Line,
  linesOf,
  measurementsOf,
  type Step,
  stepsOf,
} from "./points.ts";
import { familiesOf } from "./runs.ts";

/** Eight marks can be distinguished. */
const most = 8;

function stepRow({ family, from, to, metric }: Step): string[] {
  return [
    `${from.when} → ${to.when}`,
    family,
    signedText(metric.difference),
    intervalText(metric.difference),
    metric.p_holm === undefined ? "–" : pText(metric.p_holm),
    metric.verdict ?? "–",
  ];
}

function modelsOf(lines: Line[]): Set<string> {
  return new Set(lines.flatMap(({ points }) => points.map(({ run }) => run.model)));
}

export function View({ document }: { document: ReportDocument }) {
  const [wantedSet, chooseSet] = useAddress("over_time.dataset", "");
  const [wantedMetric, chooseMetric] = useAddress("over_time.metric", "");
  const [wantedFamilies, chooseFamilies] = useAddressList("over_time.models", []);
  const measurements = useMemo(() => measurementsOf(document), [document]);
  const families = useMemo(
    () =>
      familiesOf(
        document,
        measurements.map(({ model }) => model),
      ),
    [document, measurements],
  );
  const choices = useMemo(() => choicesFor(families, measurements), [families, measurements]);
  const dataset = chosenOf(choices.datasets, wantedSet);
  const definitions = choices.definitions(dataset);
  const metric = chosenOf(definitions, wantedMetric);
  const all = linesOf(families, measurements, dataset, metric);
  const names = all.map(({ family }) => family);
  const chosen = chosenAmong(names, wantedFamilies, 4, most);
  const lines = chosen.flatMap((name, series) =>
    all.filter(({ family }) => family === name).map((line) => ({ ...line, series })),
  );
  const there = families.filter(({ name }) => chosen.includes(name));
  const gated = boundsOf(document, dataset, metric, modelsOf(lines)).length > 0;
  const steps = stepsOf(document, there, dataset, metric);
  return (
    <div class="over-time">
      <div class="choices">
        <OneOf
          label="Metric"
          choices={choicesOf(definitions)}
          value={metric}
          choose={chooseMetric}
        />
        <OneOf
          label="Data set"
          choices={choicesOf(choices.datasets)}
          value={dataset}
          choose={chooseSet}
        />
        <SomeOf
          label="Models"
          names={names}
          chosen={chosen}
          choose={chooseFamilies}
          most={most}
          marks
        />
      </div>
      {[true, false].map((dated) => {
        const drawn = lines.filter((line) => line.dated === dated);
        if (drawn.length === 0) return null;
        return (
          <Lines
            key={String(dated)}
            lines={drawn}
            bounds={boundsOf(document, dataset, metric, modelsOf(drawn))}
            name={`${metric} on ${dataset}, by ${dated ? "date" : "version"}`}
          />
        );
      })}
      {gated && (
        <p class="note">Dashed: the bounds of gates. A ring marks the runs that fail one.</p>
      )}
      {steps.length > 0 && (
        <>
          <h3>From run to run</h3>
          <PlainTable
            label="Differences between runs"
            data={{
              columns: ["runs", "of", "difference", "interval", "p (Holm)", "the later one is"],
              rows: steps.slice(0, 200).map((step) => stepRow(step).map((text) => short(text, 80))),
            }}
          />
        </>
      )}
      <p class="note">
        Runs belong to the same model if their names differ only in a date or a version at the end.
        Tags also join them: <code>date</code> or <code>version</code>, and <code>family</code>.
        Overlapping intervals are not a test; compare two runs for that.
      </p>
    </div>
  );
}
