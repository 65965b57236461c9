// Further tables of a score: gates, means over data sets, and out-of-distribution detection.
import { type ReportDocument, resultsOf } from "../../document.ts";
import { type Estimate, intervalText, numberText, valueText } from "../../estimate.ts";
import type { Gate, ScoresResult } from "../../schemas/described.ts";
import { PlainTable } from "../../table/plain.tsx";

export function gatesOf(document: ReportDocument): Gate[] {
  return ["assay.scores", "assay.comparisons"].flatMap((schema) =>
    resultsOf<ScoresResult>(document, schema).flatMap(({ result }) => result.gates ?? []),
  );
}

function gateRow(gate: Gate): string[] {
  const model =
    gate.candidate === undefined ? (gate.model ?? "") : `${gate.candidate} after ${gate.baseline}`;
  const value = gate.value === null ? (gate.reason ?? "–") : numberText(gate.value, 0);
  return [gate.passed ? "✓ passed" : "✗ broken", gate.gate, value, model, gate.dataset];
}

export function Gates({ document }: { document: ReportDocument }) {
  const gates = gatesOf(document);
  if (gates.length === 0) return null;
  const broken = gates.filter(({ passed }) => !passed);
  return (
    <>
      <h3>Gates: {broken.length === 0 ? "all passed" : `${broken.length} broken`}</h3>
      <PlainTable
        label="Gates"
        data={{
          columns: ["state", "gate", "value", "model", "data set"],
          rows: [...broken, ...gates.filter(({ passed }) => passed)].map(gateRow),
        }}
      />
    </>
  );
}

const withInterval = (estimate: Estimate) => [
  estimate.value === null ? (estimate.undefined ?? "–") : valueText(estimate),
  intervalText(estimate),
];

export function Across({ document }: { document: ReportDocument }) {
  const means = resultsOf<ScoresResult>(document, "assay.scores").flatMap(
    ({ result }) => result.across ?? [],
  );
  if (means.length === 0) return null;
  return (
    <>
      <h3>Means over data sets</h3>
      <PlainTable
        label="Means over data sets"
        data={{
          columns: ["model", "data sets", "metric", "mean", "interval", "deviation"],
          rows: means.map((mean) => [
            mean.model,
            mean.dataset,
            mean.definition,
            ...withInterval(mean),
            mean.standard_deviation === null
              ? "–"
              : numberText(mean.standard_deviation, 0, mean.unit),
          ]),
        }}
      />
    </>
  );
}

export function OutOfDistribution({ document }: { document: ReportDocument }) {
  const found = resultsOf<ScoresResult>(document, "assay.scores").flatMap(
    ({ result }) => result.ood ?? [],
  );
  if (found.length === 0) return null;
  return (
    <>
      <h3>Separation of data sets</h3>
      <PlainTable
        label="Separation of data sets"
        data={{
          columns: ["model", "in", "out", "score", "metric", "value", "interval"],
          rows: found.map((measurement) => [
            measurement.model,
            measurement.dataset,
            measurement.parameters?.["out"] ?? "",
            measurement.parameters?.["score"] ?? "",
            measurement.definition,
            ...withInterval(measurement),
          ]),
        }}
      />
    </>
  );
}
